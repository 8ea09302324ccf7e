//! Words that are spelled nearly like another one: suggestions where nothing is found.
//!
//! The distance of two words is the number of letters to insert, to remove, to replace, or to swap
//! with their neighbour (no letter is edited twice). A word of four or five letters has the words at
//! distance 1 near it, a longer one also those at distance 2. A shorter word and a code (a word with
//! a digit or `&`) have none, and no code is near a word.
//!
//! Likeness and frequency decide together: a word at one distance more comes first only if it is in
//! more than ten times as many records. So a typing error that occurs once does not hide the word
//! that was meant. Equal ones are in the order of the alphabet. The word itself is never among them.

use strsim::osa_distance;

/// A word that occurs, near to the one that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearWord {
    /// Folded, as the index has it.
    pub word: String,
    /// Letters to insert, remove, replace, or swap with their neighbour.
    pub distance: u8,
    /// How many records have it.
    pub documents: u64,
}

/// How many times as many records weigh as much as one letter less to edit.
const RECORDS_PER_LETTER: u64 = 10;

impl NearWord {
    /// The records that have it, less by [`RECORDS_PER_LETTER`] for each letter to edit.
    fn weight(&self) -> u64 {
        // No word is farther away.
        const FARTHEST: u8 = 2;
        let letters = u32::from(FARTHEST.saturating_sub(self.distance));
        self.documents.saturating_mul(RECORDS_PER_LETTER.pow(letters))
    }
}

/// Letters. Shorter words have too many others near them.
const SHORTEST: usize = 4;

/// Letters. From here on words at distance 2 are near.
const LONG: usize = 6;

/// Letters. A longer word has none near it: this bounds the size of the automaton that looks for
/// them, and no word of a language is longer.
const LONGEST: usize = 32;

/// How far a word may be from a folded word to be near it; `None` where none is near.
pub fn max_distance(word: &str) -> Option<u8> {
    if !word.chars().all(char::is_alphabetic) {
        return None;
    }
    match word.chars().count() {
        SHORTEST..LONG => Some(1),
        LONG..=LONGEST => Some(2),
        _ => None,
    }
}

/// The distance of two folded words.
pub(crate) fn word_distance(one: &str, other: &str) -> usize {
    osa_distance(one, other)
}

/// Up to `limit` of the candidates that are near a folded word, the best first. A candidate is a
/// word and the number of records that have it; each word comes once.
pub fn nearest<W: AsRef<str>>(
    word: &str,
    candidates: impl IntoIterator<Item = (W, u64)>,
    limit: usize,
) -> Vec<NearWord> {
    let Some(max_distance) = max_distance(word) else {
        return Vec::new();
    };
    let near = |(candidate, documents): (W, u64)| {
        let candidate = candidate.as_ref();
        let distance = u8::try_from(word_distance(word, candidate)).ok()?;
        let is_near = (1..=max_distance).contains(&distance) && candidate.chars().all(char::is_alphabetic);
        is_near.then(|| NearWord {
            word: candidate.to_owned(),
            distance,
            documents,
        })
    };
    let mut found: Vec<NearWord> = candidates.into_iter().filter_map(near).collect();
    found.sort_unstable_by(|a, b| (b.weight(), a.distance, &a.word).cmp(&(a.weight(), b.distance, &b.word)));
    found.truncate(limit);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_and_most_frequent_words_come_first() {
        let words = [
            ("deneigement", 7),
            ("deneigements", 9),
            ("enneigement", 9),
            ("deneigemnet", 1),
            ("denigrement", 3),
            ("deneigment", 5),
            ("de", 900),
            ("deneigemen7", 900),
        ];
        let found = |limit| -> Vec<(String, u8)> {
            let near = nearest("deneigment", words, limit);
            near.into_iter().map(|near| (near.word, near.distance)).collect()
        };
        let expected = [("deneigement", 1), ("deneigements", 2), ("deneigemnet", 2)];
        assert_eq!(found(9), expected.map(|(word, distance)| (word.to_owned(), distance)));
        assert_eq!(found(1), [("deneigement".to_owned(), 1)]);
    }

    #[test]
    fn a_typing_error_does_not_hide_the_word_that_was_meant() {
        let words = [("deneigemen", 1), ("deneigement", 521), ("deneigmens", 50)];
        let found: Vec<String> = nearest("deneigmen", words, 9)
            .into_iter()
            .map(|near| near.word)
            .collect();
        assert_eq!(found, ["deneigement", "deneigmens", "deneigemen"]);
    }

    #[test]
    fn short_words_and_codes_have_no_near_words() {
        for (word, expected) in [
            ("", None),
            ("oka", None),
            ("eaux", Some(1)),
            ("roads", Some(1)),
            ("travau", Some(2)),
            ("été", None),
            ("w8482", None),
            ("r&dd", None),
        ] {
            assert_eq!(max_distance(word), expected, "{word}");
        }
        assert_eq!(max_distance(&"a".repeat(LONGEST + 1)), None);
        assert!(nearest("ottawa", [("oka", 5), ("ottawas", 1)], 9).len() == 1);
    }
}
