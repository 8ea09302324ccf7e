//! The search: its page of results, and the same records as CSV.
//!
//! [`results`] reads the address ([`search_address`]), plans the searches and runs them ([`results_query`]), and shows
//! what they find: the sentence, facets, conditions, hits and charts. An invalid parameter shows the form with the
//! reason ([`parameter_error`]); a search without a match shows what to drop ([`no_matches`]). Words that ask for a
//! place, a period, an amount and so on are offered as conditions ([`split`]).
//!
//! **Invariants:** parameters have the names and the meaning of the API; every link of the page is the same search with
//! one thing changed.

mod answer;
mod answer_figures;
mod answer_years;
mod bids_address;
mod bids_page;
mod body_names;
mod conditions;
mod consortia;
mod context;
mod csv_page;
mod facets;
mod fewer_words;
mod figures;
mod first_records;
mod form;
mod growth;
mod highlight;
mod hits;
mod lacking;
pub(crate) mod meanings;
mod meant;
mod named;
mod narrowed;
#[cfg(test)]
mod new_filter_tests;
mod no_matches;
mod no_matches_view;
mod notes;
mod other_type;
mod parameter_error;
mod prepared;
mod related;
mod results;
mod results_query;
mod search_address;
mod sentence;
mod shortcuts;
mod side_figures;
mod sides;
mod similar_names;
mod sort_links;
mod split;
mod stated_bids;
mod stated_conditions;
mod tabs;
mod translation;
mod versus;
mod who_bid;
mod written_values;

pub(crate) use bids_page::{CSV as BIDS_CSV, PAGE as BIDS};
pub(crate) use conditions::conditions;
pub(crate) use context::SearchContext;
pub(crate) use csv_page::CSV;
pub(crate) use results::PAGE;
pub(crate) use search_address::SearchAddress;
