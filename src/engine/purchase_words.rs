//! Where a record has the words of a text: in what describes the purchase, or only in the names of those who buy and
//! sell.
//!
//! The index has the words of names among the [`index_terms`](super::relevance::index_terms), by tier. The same field
//! has the words that a name and [another text](Record::purchase_texts) of the record have ([`terms_of_both`]): few, so
//! that the index hardly grows.
//!
//! A record has a word *only in names* if it has a term of [`WordTerms::in_names`], and not [`WordTerms::elsewhere`].
//!
//! A word of `q` is in the purchase if the record has a variant of it that is not only in names. A phrase is in the
//! purchase if the record has the phrase, and none of its words is only in names.
//!
//! Elasticsearch counterpart: `bool.must_not` of `terms` next to `bool.should` of `term`.

use super::relevance::{IndexTerm, other_tiers};
use crate::model::{Record, Role};

/// The roles of names.
pub(crate) const NAMES: [Role; 2] = [Role::Vendor, Role::Department];

/// In place of the letter of a tier: the word is in a name and in another text.
const ELSEWHERE: char = '=';

/// The terms that a word has in the index if a record has it in a name.
pub(crate) struct WordTerms {
    /// One for each role of names.
    pub(crate) in_names: Vec<String>,
    pub(crate) elsewhere: String,
}

impl WordTerms {
    pub(crate) fn of(word: &str) -> WordTerms {
        let term = |letter| IndexTerm::InTier(word, letter).text();
        let tiers = other_tiers().filter(|(role, _)| NAMES.contains(role));
        WordTerms {
            in_names: tiers.map(|(_, letter)| term(letter)).collect(),
            elsewhere: term(ELSEWHERE),
        }
    }
}

/// The term of a word of the other texts, if a name has it, too.
pub(crate) fn term_of_both<W: Copy + PartialEq>(names: &[W], word: W) -> Option<IndexTerm<W>> {
    names.contains(&word).then_some(IndexTerm::InTier(word, ELSEWHERE))
}

/// Calls `each` with the term of every word that a name and another text of a record have; repeated terms repeat.
pub(crate) fn terms_of_both(record: &Record, mut each: impl FnMut(&str)) {
    let words_of = |text: &str| crate::model::fold::word_list(text);
    let names: Vec<String> = NAMES
        .into_iter()
        .flat_map(|role| record.texts(role))
        .flat_map(words_of)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut written = String::new();
    for text in record.purchase_texts() {
        for word in &words_of(text) {
            if let Some(term) = term_of_both(&names, word.as_str()) {
                each(term.write(&mut written));
            }
        }
    }
}
