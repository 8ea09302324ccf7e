//! The endpoints of the HTTP/JSON interface, and their description.
//!
//! A request's path leads to a [`route::Route`] of the [route table](routes). The route's [handler](handlers) reads the
//! [parameters](params) and the body, and returns [`Work`](crate::http::work::Work) whose reply is JSON. The
//! [OpenAPI document](openapi) is written from the same tables.
//!
//! **Invariants:** the interface knows no HTML but the page of its own documentation and the two pages that links in
//! mails lead to; what it computes for a search is in [`analysis`], which writes neither JSON nor HTML.

pub(crate) mod analysis;
pub(crate) mod api_docs;
pub(crate) mod body;
pub(crate) mod cost;
pub(crate) mod examples;
pub(crate) mod export;
pub(crate) mod handlers;
pub mod json;
pub(crate) mod openapi;
pub mod params;
pub mod reconciliation;
pub mod route;
pub(crate) mod router;
pub mod routes;
pub(crate) mod schema_refs;
pub(crate) mod subscriptions;
