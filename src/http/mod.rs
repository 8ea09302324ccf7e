//! The HTTP interface: requests in, responses out.
//!
//! [`pipeline`] finds a request's row in the [route table](routes), checks its key and limits, and calls the row's
//! [handler](handlers). The handler reads the parameters and the body and returns [`work`]; the pipeline runs it and
//! writes the reply or the [error](error).
//!
//! **Invariants:** every response leaves through [`pipeline::answer`]; every error is an [`error::ApiError`]; a request uses the one generation that was
//! current at its start; searches and the compression of large bodies never run on the async workers. `actix_web` is
//! used only here and in `server`.

pub mod auth;
pub mod body;
pub mod bounded_pool;
pub mod call;
pub mod caller;
pub mod error;
pub mod examples;
pub mod handlers;
pub mod json;
pub mod metrics;
pub mod middleware;
pub mod openapi;
pub mod pages;
pub mod params;
pub mod pipeline;
pub mod refusal;
pub mod response_headers;
pub mod route;
pub mod router;
pub mod routes;
pub mod schema_refs;
pub mod state_writer;
pub mod work;
