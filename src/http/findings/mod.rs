//! What is found out about a search or about the records that match, as typed results: the API writes them as JSON, the
//! pages for people as HTML.

pub(crate) mod commodity;
pub(crate) mod commodity_list;
pub(crate) mod competition;
pub(crate) mod condition_costs;
pub(crate) mod currencies;
pub(crate) mod entity_type_counts;
pub(crate) mod explanation;
pub(crate) mod included;
pub(crate) mod market;
pub(crate) mod quality;
mod record_count;
pub(crate) mod suggestions;
pub(crate) mod term_texts;
#[cfg(test)]
mod together_tests;

pub(crate) use record_count::count;
