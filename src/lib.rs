//! `procure`: Canadian public procurement data as one searchable service, in one binary.
//!
//! ```text
//! publishers' files ──normalize──▶ dumps (NDJSON) ──index──▶ generation on disk ──serve──▶ HTTP/JSON
//!   CSV, XML, JSON    [sources]      [storage]     [catalog]      [catalog]       [server]   [api]
//! ```
//!
//! Three declared tables (record schemas, parameters, routes) are read by small pure functions,
//! around one trait, [`engine::Engine`].
//!
//! The modules are layers, lowest first: [`model`], [`storage`] and [`logging`], [`sources`],
//! [`fetch`] and [`normalize`], [`query`], [`engine`], [`catalog`], [`state`], [`alerts`],
//! [`http`], [`api`], [`question`], [`pages`], [`server`], [`sample`], [`cli`]. A file imports only
//! from its own layer's module and from lower layers, and no two files import each other, directly
//! or through others.
//! `tests/it/architecture` declares the layers and checks the imports.
//!
//! `docs/architecture.md` describes what each layer owns, the rules that hold everywhere and the
//! main structures.

// An item is `pub` only where the binary, a test, a bench or a fuzzer uses it, so that unused code shows.
#![warn(unreachable_pub)]

pub mod alerts;
pub mod api;
pub mod catalog;
pub mod cli;
pub mod engine;
pub mod fetch;
pub mod http;
pub mod logging;
pub mod model;
pub mod normalize;
pub mod pages;
pub mod query;
pub(crate) mod question;
pub mod sample;
pub mod server;
pub mod sources;
pub mod state;
pub(crate) mod storage;
