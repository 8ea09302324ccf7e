//! Names of vendors and departments, as an engine lists and resolves them.

use std::cmp::Reverse;

use crate::{engine::aggregation::Money, model::Role};

/// The roles whose keys are searched by a part of them.
pub(crate) const NAMES: [Role; 4] = [Role::Department, Role::Vendor, Role::ProcurementMethod, Role::Commodity];

/// The maximum number of words of a name for which similar names are suggested.
const MAX_SUGGESTION_WORDS: usize = 8;

/// What similar names may contain: the starts of the longest words of a name's key. Only the first
/// four letters of a word are compared, because typing errors are rarer there than after them.
pub(crate) fn suggestion_parts(key: &str) -> Vec<&str> {
    let mut words: Vec<&str> = key.split(' ').filter(|word| word.chars().count() > 3).collect();
    // Long words are more specific.
    words.sort_by_key(|word| Reverse(word.len()));
    words.truncate(MAX_SUGGESTION_WORDS);
    let start = |word: &str| word.char_indices().nth(4).map_or(word.len(), |(end, _)| end);
    words.into_iter().map(|word| &word[..start(word)]).collect()
}

/// A vendor or a department, counted over the whole collection.
#[derive(Clone, Debug, PartialEq)]
pub struct NameCount {
    pub name: String,
    pub records: u64,
    pub total_value: Money,
}

/// A page of names, most records first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamesPage {
    /// How many names match, on this page or not.
    pub total: u64,
    pub rows: Vec<NameCount>,
}

/// A name that exists in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedName {
    /// The key for [`crate::query::Filter::FacetValue`].
    pub key: String,
    /// The most frequent spelling. For a department: in English where known.
    pub name: String,
    /// The most frequent French name of a department.
    pub name_fr: Option<String>,
}
