//! What is found out about a search or about the records that match, as typed results: the API writes them as JSON, the
//! pages for people as HTML.

pub(crate) mod bids;
pub(crate) mod citation;
pub(crate) mod commodity;
pub(crate) mod commodity_list;
pub(crate) mod compared;
pub(crate) mod competition;
pub(crate) mod condition_costs;
pub(crate) mod coverage;
pub(crate) mod currencies;
pub(crate) mod entity_type_counts;
pub(crate) mod explanation;
pub(crate) mod facet_counts;
pub(crate) mod figures;
pub(crate) mod headline;
pub(crate) mod market_figures;
pub(crate) mod profile;
pub(crate) mod quality;
pub(crate) mod reconcile;
pub(crate) mod search_plan;
pub(crate) mod shares;
pub(crate) mod solicitation;
pub(crate) mod suggest;
pub(crate) mod suggestions;
pub(crate) mod supplier;
pub(crate) mod supplier_counts;
pub(crate) mod supplier_list;
pub(crate) mod tender_feed;
pub(crate) mod term_texts;
#[cfg(test)]
mod together_tests;
