//! The search: its page of results, and the same records as CSV.
//!
//! [`results`] reads the address ([`asked`]), plans the searches and runs them ([`found`]), and shows what they find: the
//! sentence, facets, conditions, hits and charts. An invalid parameter shows the form with the reason ([`wrong`]); a
//! search without a match shows what to drop ([`nothing`]).
//!
//! **Invariants:** parameters have the names and the meaning of the API; every link of the page is the same search with
//! one thing changed.

mod asked;
mod conditions;
mod context;
mod csv_page;
mod facets;
mod figures;
mod form;
mod found;
mod highlight;
mod hits;
mod nothing;
mod results;
mod sentence;
mod sort_links;
mod translation;
mod ways_on;
mod wrong;

pub(crate) use csv_page::CSV;
pub(crate) use results::PAGE;
