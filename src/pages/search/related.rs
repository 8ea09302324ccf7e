//! A search near to the one that words state.

use crate::{pages::search::search_address::SearchAddress, query::SearchQuery};

/// A search with other conditions, such as one without those whose share of it the words ask for: "share of contracts
/// without competition".
pub(crate) struct Related {
    pub(crate) asked: SearchAddress,
    pub(crate) query: SearchQuery,
    /// With the part of the page that has the shares, if it has one.
    pub(crate) href: String,
    pub(crate) label: String,
}
