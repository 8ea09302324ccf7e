//! Names of vendors and departments, as an engine lists and resolves them.

use crate::engine::aggregation::Money;

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
