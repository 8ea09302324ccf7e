//! Forms of a word: how well a word of `q` matches a word of a term, and which words carry no
//! meaning of their own.

use crate::model::{Language, stem::stem};

/// How well a queried word matches a word of a term; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WordMatch {
    /// The words are equal.
    Same,
    /// The words differ by a regular plural.
    Number,
    /// The words share a stem.
    Stem,
}

/// Words with a shorter stem share it by chance: "sells" and "sel" in French.
const MIN_STEM: usize = 4;

/// A content word of a term, with the forms that it is compared by.
#[derive(Clone, Debug)]
pub(super) struct WordForms {
    word: String,
    singular: String,
    /// What words are looked up by: the stem, or a code itself.
    pub(super) key: String,
}

impl WordForms {
    pub(super) fn of(language: Language, word: &str) -> WordForms {
        WordForms {
            word: word.to_owned(),
            singular: singular(language, word).to_owned(),
            key: stem(language, word).unwrap_or_else(|| word.to_owned()),
        }
    }

    /// `None` if the other word is not a form of this one. Both words are in the same language.
    pub(super) fn compare(&self, other: &WordForms) -> Option<WordMatch> {
        if self.word == other.word {
            Some(WordMatch::Same)
        } else if self.key != other.key {
            None
        } else if self.singular == other.singular {
            Some(WordMatch::Number)
        } else if self.key.len() < MIN_STEM {
            None
        } else {
            Some(WordMatch::Stem)
        }
    }
}

/// A word without the ending of a regular plural. It only has to give both numbers of most words the
/// same text; it need not be a word.
fn singular(language: Language, word: &str) -> &str {
    let endings: &[&str] = match language {
        Language::English => &["es", "s", "e"],
        Language::French => &["s", "x"],
    };
    let without = endings.iter().find_map(|ending| word.strip_suffix(ending));
    without.filter(|rest| rest.len() > 2).unwrap_or(word)
}

/// The regular plural of a folded word, if it has one and is not a plural already. It need not be a
/// word.
pub(super) fn plural(language: Language, word: &str) -> Option<String> {
    let is_word = word.len() > 2 && word.chars().all(char::is_alphabetic);
    if !is_word || word.ends_with(['s', 'x', 'z']) {
        return None;
    }
    Some(match (language, word) {
        (Language::French, word) if word.ends_with("al") => format!("{}aux", &word[..word.len() - 2]),
        (Language::French, word) if word.ends_with("eau") => format!("{word}x"),
        (Language::English, word) if word.ends_with("ch") || word.ends_with("sh") => format!("{word}es"),
        (Language::English, word)
            if word.ends_with('y') && !["ay", "ey", "oy"].iter().any(|end| word.ends_with(end)) =>
        {
            format!("{}ies", &word[..word.len() - 1])
        }
        _ => format!("{word}s"),
    })
}

/// Whether a folded word only connects others, in either language. Where a query is translated, such
/// words are not required: "enlèvement de la neige" is "snow removal", without a word for "de".
pub(crate) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

const FUNCTION_WORDS: [&str; 27] = [
    "a", "an", "and", "at", "au", "aux", "avec", "by", "dans", "de", "des", "du", "en", "et", "for", "from", "in",
    "la", "le", "les", "of", "on", "par", "pour", "sur", "the", "with",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_alike_by_number_before_stem() {
        use Language::{English, French};
        for (language, queried, of_term, expected) in [
            (English, "road", "road", Some(WordMatch::Same)),
            (English, "roads", "road", Some(WordMatch::Number)),
            (English, "bridge", "bridges", Some(WordMatch::Number)),
            (English, "park", "parking", Some(WordMatch::Stem)),
            (English, "road", "street", None),
            (French, "chemins", "chemin", Some(WordMatch::Number)),
            (French, "bateaux", "bateau", Some(WordMatch::Number)),
            (French, "sells", "sel", None),
            (French, "sels", "sel", Some(WordMatch::Number)),
            (French, "w8482", "w8482", Some(WordMatch::Same)),
            (French, "w8482", "w8483", None),
        ] {
            let [queried, of_term] = [queried, of_term].map(|word| WordForms::of(language, word));
            assert_eq!(queried.compare(&of_term), expected, "{queried:?} {of_term:?}");
        }
    }

    #[test]
    fn plurals_are_regular() {
        use Language::{English, French};
        for (language, word, expected) in [
            (English, "road", Some("roads")),
            (English, "bench", Some("benches")),
            (English, "factory", Some("factories")),
            (English, "survey", Some("surveys")),
            (English, "roads", None),
            (French, "trottoir", Some("trottoirs")),
            (French, "canal", Some("canaux")),
            (French, "bureau", Some("bureaux")),
            (French, "travaux", None),
            (French, "n95", None),
        ] {
            assert_eq!(plural(language, word).as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn function_words_are_sorted_and_folded() {
        assert!(FUNCTION_WORDS.is_sorted());
        for word in FUNCTION_WORDS {
            assert_eq!(crate::model::fold::word_list(word), [word]);
        }
    }
}
