//! Where a record has the words of a text: in what describes the purchase, or only in the names of those who buy and
//! sell.
//!
//! The index has the words of names among the [`index_terms`](super::relevance::index_terms), by tier. The same field
//! has the words of names that describe the purchase, too ([`described_terms`]): few, so that the index hardly grows.
//!
//! A record has a word *only in names* that do not count if it has a term of [`WordTerms::left_out`], and none of
//! [`WordTerms::kept`].
//!
//! A word of `q` counts if the record has a variant of it that is not only in such names. A phrase counts if the record
//! has the phrase, and none of its words is only in such names.
//!
//! Elasticsearch counterpart: `bool.must_not` of `terms` next to `bool.should` of `term`.

use super::relevance::{IndexTerm, other_tiers};
use crate::{
    model::{Record, Role},
    query::text::WordsIn,
};

/// The roles of names.
pub(crate) const NAMES: [Role; 2] = [Role::Vendor, Role::Department];

/// What says that a word of a name describes the purchase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DescribedBy {
    /// A text that is no name has the word, too.
    Text,
    /// Only the vendor's name, because neither title nor description has a word.
    Vendor,
}

impl DescribedBy {
    /// In place of the letter of a tier.
    const fn letter(self) -> char {
        match self {
            DescribedBy::Text => '=',
            DescribedBy::Vendor => '~',
        }
    }
}

/// The terms by which a word counts or does not, where a text says where its words must be.
pub(crate) struct WordTerms {
    /// A record with one of these has the word in a name that does not count by itself.
    pub(crate) left_out: Vec<String>,
    /// Unless it has one of these.
    pub(crate) kept: Vec<String>,
}

impl WordTerms {
    /// `None` if a word counts anywhere.
    pub(crate) fn of(word: &str, words_in: WordsIn) -> Option<WordTerms> {
        let term = |letter| IndexTerm::InTier(word, letter).text();
        let names: &[Role] = match words_in {
            WordsIn::Anywhere => return None,
            WordsIn::PurchaseOrVendor => &[Role::Department],
            WordsIn::Purchase | WordsIn::Stated => &NAMES,
        };
        let described: &[DescribedBy] = match words_in {
            WordsIn::Stated => &[DescribedBy::Text],
            _ => &[DescribedBy::Text, DescribedBy::Vendor],
        };
        let of_names = other_tiers().filter(|(role, _)| NAMES.contains(role));
        let (left_out, kept): (Vec<_>, Vec<_>) = of_names.partition(|(role, _)| names.contains(role));
        let terms = |tiers: Vec<(Role, char)>| tiers.into_iter().map(|(_, letter)| term(letter)).collect::<Vec<_>>();
        Some(WordTerms {
            left_out: terms(left_out),
            kept: described
                .iter()
                .map(|by| term(by.letter()))
                .chain(terms(kept))
                .collect(),
        })
    }
}

/// The term of a word of a name that describes the purchase.
pub(crate) fn described_term<W>(word: W, by: DescribedBy) -> IndexTerm<W> {
    IndexTerm::InTier(word, by.letter())
}

/// The texts that describe the purchase: those that are no names. Where neither title nor description has a word, also
/// the vendor's names, which often say what a firm does, but also what it does besides: a firm of road works and snow
/// removal.
pub(crate) fn describing_texts<'r>(
    record: &'r Record<'r>,
    has_words: &mut dyn FnMut(&str) -> bool,
) -> impl Iterator<Item = (&'r str, DescribedBy)> + use<'r> {
    let has_subject = record.texts(Role::Subject).any(has_words);
    let of_vendor = record.texts(Role::Vendor).filter(move |_| !has_subject);
    let with = |by| move |text| (text, by);
    record
        .purchase_texts()
        .map(with(DescribedBy::Text))
        .chain(of_vendor.map(with(DescribedBy::Vendor)))
}

/// Calls `each` with the term of every word of a record's names that describes the purchase; repeated terms repeat.
pub(crate) fn described_terms(record: &Record, mut each: impl FnMut(&str)) {
    let words_of = |text: &str| crate::model::fold::word_list(text);
    let names: Vec<String> = NAMES
        .into_iter()
        .flat_map(|role| record.texts(role))
        .flat_map(words_of)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut written = String::new();
    for (text, by) in describing_texts(record, &mut |text| !words_of(text).is_empty()) {
        for word in words_of(text).iter().filter(|word| names.contains(&word.as_str())) {
            each(described_term(word.as_str(), by).write(&mut written));
        }
    }
}
