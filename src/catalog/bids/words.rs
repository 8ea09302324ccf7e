//! Which words of the notices a word of `q` matches.

use std::collections::HashMap;

use crate::model::{Language, stem::stem};

/// The numbers of words by their stem in each language.
#[derive(Debug, Default)]
pub(super) struct Stems([HashMap<String, Vec<u32>>; Language::ALL.len()]);

impl Stems {
    pub(super) fn of(words: &[String]) -> Stems {
        let mut stems = Stems::default();
        for (word, number) in words.iter().zip(0u32..) {
            for language in Language::ALL {
                if let Some(stem) = stem(language, word) {
                    stems.0[language as usize].entry(stem).or_default().push(number);
                }
            }
        }
        stems
    }

    /// The words that are this one or have its stem in either language ([`crate::model::stem::words_match`]), as
    /// a flag for each word.
    pub(super) fn matching(&self, asked: &str, words: &[String]) -> Vec<bool> {
        let mut matches = vec![false; words.len()];
        let stems = Language::ALL.into_iter().filter_map(|language| {
            let stem = stem(language, asked)?;
            self.0[language as usize].get(&stem)
        });
        let same = words.binary_search_by(|word| word.as_str().cmp(asked)).ok();
        for number in stems.flatten().map(|number| *number as usize).chain(same) {
            matches[number] = true;
        }
        matches
    }
}
