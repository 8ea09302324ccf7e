//! `procure`: Canadian public procurement data as one searchable service, in one binary.
//!
//! ```text
//! upstream files ──normalize──▶ dumps (NDJSON) ──index──▶ generation on disk ──serve──▶ HTTP/JSON
//!  CSV, XML, JSON    sources        dump          indexing     generation          api
//! ```
//!
//! Three declared tables (record schemas, parameters, routes) are walked by small pure steps, around one engine trait.
//!
//! # The floors
//!
//! A module imports only from floors below its own; `tests/it/tidy.rs` checks it.
//!
//! | floor | module | owns | knows nothing of |
//! |---|---|---|---|
//! | words | [`entity`], [`date`], [`fold`], [`stem`], [`subject`], [`commodity`], [`vocabulary`], [`schema`], [`record`], [`facet`], [`municipality`], [`plans`], [`email`] | the six kinds, days, the one folding, stems, what a purchase is about, commodity codes, closed lists, `index-schema/*.json`, a record read by role, what it is counted by, the places, the plans' figures, e-mail addresses | files, indexes, HTTP |
//! | intake | [`fetch`], [`dump`], [`gzip`], [`lock`], [`sources`], [`normalize`] | downloads (**the only place that names `ureq`**), NDJSON in and out, publishers' formats; **the only place with upstream column names** | the engine |
//! | questions | [`query`] | [`query::SearchQuery`], the `q` language, keywords, cursors | how they are answered |
//! | engine | [`engine`], [`engine::tantivy`] | the [`engine::Engine`] trait: pages, exact counts ([`engine::tally`]), names, records alike ([`engine::similar`]); **the only files that name `tantivy`** | HTTP, plans, keys |
//! | answers | [`generation`], [`indexing`], [`notices`], [`feed`], [`market`], [`state`], [`alerts`] | a build on disk and its switch, `procure index`, which notices are one tender, new tenders, estimates and comparables, keys, limits, usage, subscriptions (**the only place that names `rusqlite`**), what is new for whom, and the mails that tell it (**`lettre` only here**) | HTTP |
//! | edge | [`api`] | parameters, routes, errors, the key check, what a limit looks like in HTTP, the interface's own description (**`actix_web` only here and in [`serve`]**) | Tantivy, SQLite |
//! | wiring | [`cli`], [`serve`], [`demo`], [`logging`], `main` | configuration, assembly, threads, the admin address, log lines, exit code | |
//!
//! [`sample`] makes records that look real, for `data/sample` and the benches.
//!
//! # What holds it together
//!
//! - **Order is the index.** A kind is one Tantivy segment whose document numbers follow (event date desc, record_id asc). A page is read where it
//!   lies; a cursor is a binary search; a date range is a range of numbers. Useful for: any page of any filter at any depth, in the
//!   time the page takes. Not useful for: relevance ranking, updates in place.
//! - **A generation never changes.** A build grows aside, is checksummed, proven to open, and named by `CURRENT` in one rename. A request
//!   takes one generation and uses no other.
//! - **Records are bytes.** What `normalize` wrote is what a client reads: the index finds records, it never rebuilds them.
//! - **One folding.** [`fold`] and [`record::Record::keys`] say how a stored text becomes something to compare with; a question goes
//!   through the same functions.
//! - **The obvious model.** `tests/it/scan.rs` answers every question by looking at every record, and must agree.

pub mod alerts;
pub mod catalog;
pub mod cli;
pub mod engine;
pub mod fetch;
pub mod http;
pub mod logging;
pub mod model;
pub mod normalize;
pub mod query;
pub mod sample;
pub mod server;
pub mod sources;
pub mod state;
pub mod storage;
