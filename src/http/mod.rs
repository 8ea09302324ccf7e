//! The HTTP interface: requests in, responses out.
//!
//! [`pipeline`] finds a request's row in the [route table](routes), checks its key and limits, and calls the row's
//! [handler](handlers). The handler reads the parameters and the body and returns [`work`]; the pipeline runs it and
//! writes the reply or the [error].
//!
//! **Invariants:** every response leaves through [`pipeline::answer`]; every error is an [`error::ApiError`]; a request uses the one generation that was
//! current at its start; searches (except look-ups of some microseconds) and the compression of large bodies never run on
//! the async workers. `actix_web` is used only here and in `server`.

pub(crate) mod auth;
pub(crate) mod body;
pub(crate) mod byte_budget;
pub(crate) mod call;
pub(crate) mod caller;
pub(crate) mod connection;
pub(crate) mod cost;
pub(crate) mod declared_parameters;
pub mod error;
pub(crate) mod examples;
pub mod explorer;
pub(crate) mod findings;
pub(crate) mod handlers;
pub mod json;
pub(crate) mod metrics;
pub(crate) mod middleware;
pub(crate) mod openapi;
pub(crate) mod pages;
pub mod params;
pub(crate) mod pipeline;
pub(crate) mod refusal;
pub(crate) mod response_headers;
pub mod route;
pub(crate) mod router;
pub mod routes;
pub(crate) mod schema_refs;
pub(crate) mod search_pool;
pub(crate) mod sending;
pub(crate) mod state_writer;
pub(crate) mod work;
