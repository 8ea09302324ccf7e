//! The pages for people: HTML in English and French, rendered by the server from the same searches as the API.
//!
//! [`access`] finds out who the visitor is, [`routes`] which page; the page's handler returns
//! [`Work`](crate::http::work::Work) like a handler of the API, whose reply is HTML made by [`page::render`].
//!
//! **Invariants:** the pages work without JavaScript; templates escape everything; state is in the address; no text is
//! in the code, but in [`messages`]; a page loads nothing from another host; a key is never in an address, a page or a
//! cookie.

pub(crate) mod about;
pub(crate) mod access;
pub(crate) mod account;
pub(crate) mod address;
pub(crate) mod asset;
pub(crate) mod bids;
pub(crate) mod bilingual;
pub(crate) mod calls;
pub(crate) mod charts;
pub(crate) mod cite;
pub(crate) mod client_address;
pub(crate) mod commodity;
pub(crate) mod commodity_names;
pub(crate) mod compare;
pub(crate) mod coverage_note;
pub(crate) mod csrf;
pub(crate) mod department_names;
pub(crate) mod dumps;
pub(crate) mod error_page;
pub(crate) mod estimate;
pub(crate) mod export;
pub(crate) mod feed;
pub(crate) mod figure_table;
pub(crate) mod first_record;
pub(crate) mod format;
pub(crate) mod headers;
mod headline;
pub(crate) mod home;
pub(crate) mod kind_tabs;
pub(crate) mod licence_texts;
pub(crate) mod market_figures;
pub(crate) mod messages;
pub(crate) mod method_names;
pub(crate) mod overview;
pub(crate) mod page;
pub(crate) mod paid;
pub(crate) mod parties;
mod per_generation;
pub(crate) mod periods;
pub(crate) mod pinned;
mod problem;
pub(crate) mod profile;
pub(crate) mod quality;
pub(crate) mod record;
pub(crate) mod root;
pub(crate) mod route;
pub(crate) mod routes;
pub(crate) mod search;
pub(crate) mod session;
pub mod settings;
pub(crate) mod sign_in_limit;
pub(crate) mod source_names;
pub(crate) mod sources;
pub(crate) mod spreadsheet;
pub(crate) mod supplier_names;
pub(crate) mod typical_value;
pub(crate) mod visitor;
pub(crate) mod visitors;
pub(crate) mod welcome;
