//! The words of an entity type, in the memory of the engine: which words have the same stem, so that
//! `road` finds `roads`, how many records have a word or a similarity term, and near words.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::{
    engine::near_words::{NearWord, max_distance, nearest},
    model::{Language, stem::stem},
};

/// What a build knows of the words, as a part of a file of the generation.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoredVocabulary {
    /// The number of records with each listed word in a text that `q` searches.
    pub(crate) words: BTreeMap<String, u64>,
    /// The number of records with each similarity term.
    pub(crate) terms: HashMap<String, u64>,
}

pub(crate) struct Vocabulary {
    /// The listed words with their numbers of records, by alphabet.
    words: Vec<(String, u64)>,
    /// By language: the numbers of the words with each stem.
    by_stem: [HashMap<String, Vec<u32>>; Language::ALL.len()],
    terms: HashMap<String, u64>,
}

/// Whether a word of the texts is listed. Codes are not: there are too many, and nothing is spelled
/// nearly like them.
pub(crate) fn is_listed(word: &str) -> bool {
    word.chars().all(char::is_alphabetic)
}

impl Vocabulary {
    pub(crate) fn new(stored: StoredVocabulary) -> Vocabulary {
        let words: Vec<(String, u64)> = stored.words.into_iter().collect();
        let by_stem = Language::ALL.map(|language| {
            let mut by_stem: HashMap<String, Vec<u32>> = HashMap::new();
            for (number, (word, _)) in (0..).zip(&words) {
                if let Some(stem) = stem(language, word) {
                    by_stem.entry(stem).or_default().push(number);
                }
            }
            by_stem
        });
        Vocabulary {
            words,
            by_stem,
            terms: stored.terms,
        }
    }

    /// A word, whether or not it is listed, and the listed words with the same stem in either language.
    pub(crate) fn variants(&self, word: &str) -> Vec<String> {
        let mut variants = vec![word.to_owned()];
        for (language, by_stem) in Language::ALL.into_iter().zip(&self.by_stem) {
            let stem = stem(language, word);
            for number in stem.and_then(|stem| by_stem.get(&stem)).into_iter().flatten() {
                let (variant, _) = &self.words[*number as usize];
                if !variants.contains(variant) {
                    variants.push(variant.clone());
                }
            }
        }
        variants
    }

    /// The number of records with a word in a text that `q` searches; `None` for a word that is not
    /// listed.
    pub(crate) fn documents(&self, word: &str) -> Option<u64> {
        let found = self.words.binary_search_by(|(known, _)| known.as_str().cmp(word));
        is_listed(word).then(|| found.map_or(0, |number| self.words[number].1))
    }

    /// The number of records with a similarity term.
    pub(crate) fn records_with_term(&self, term: &str) -> u64 {
        self.terms.get(term).copied().unwrap_or(0)
    }

    /// Up to `limit` words near a folded word.
    pub(crate) fn near(&self, word: &str, limit: usize) -> Vec<NearWord> {
        let distance = max_distance(word).map_or(0, usize::from);
        let letters = word.chars().count();
        let has_near_length = |known: &str| known.chars().count().abs_diff(letters) <= distance;
        let candidates = self.words.iter().filter(|(known, _)| has_near_length(known));
        nearest(word, candidates.map(|(known, documents)| (known, *documents)), limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let words = [("road", 7), ("roads", 3), ("removal", 2), ("removals", 4), ("route", 1)];
        Vocabulary::new(StoredVocabulary {
            words: words.map(|(word, records)| (word.to_owned(), records)).into(),
            terms: HashMap::from([("road".to_owned(), 9)]),
        })
    }

    #[test]
    fn a_word_has_the_words_of_its_stem_and_itself() {
        assert_eq!(vocabulary().variants("roads"), ["roads", "road"]);
        assert_eq!(vocabulary().variants("unknown"), ["unknown"]);
        assert_eq!(vocabulary().variants("w8482"), ["w8482"]);
    }

    #[test]
    fn listed_words_and_terms_have_their_numbers_of_records() {
        let vocabulary = vocabulary();
        assert_eq!(
            ["roads", "unknown", "w8482"].map(|word| vocabulary.documents(word)),
            [Some(3), Some(0), None]
        );
        assert_eq!(["road", "roads"].map(|term| vocabulary.records_with_term(term)), [9, 0]);
    }

    #[test]
    fn near_words_are_the_nearest_and_most_frequent_ones() {
        let near = |word: &str| {
            vocabulary()
                .near(word, 9)
                .into_iter()
                .map(|near| near.word)
                .collect::<Vec<_>>()
        };
        assert_eq!(near("removel"), ["removal", "removals"]);
        assert_eq!(near("of"), [""; 0]);
        assert_eq!(near("w8482"), [""; 0]);
    }
}
