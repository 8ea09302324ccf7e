//! What all requests share, whether for an endpoint or for a page.
//!
//! A handler returns [`work`]: a reply, or a search to run on the [search pool](search_pool). [`middleware`] and the
//! other modules are the steps of the pipeline in `server`.
//!
//! **Invariants:** every error is an [`error::ApiError`]; a request uses the one generation that was current at its
//! start; searches (except look-ups of some microseconds) and the compression of large bodies never run on the async
//! workers. `actix_web` is used only here, in `api`, in `pages` and in `server`. Nothing here knows an endpoint or a
//! page.

pub(crate) mod auth;
pub(crate) mod byte_budget;
pub(crate) mod call;
pub(crate) mod caller;
pub(crate) mod connection;
pub mod encoding;
pub mod error;
pub(crate) mod kept_generations;
pub(crate) mod metrics;
pub(crate) mod middleware;
pub(crate) mod own_address;
pub(crate) mod parameter_error;
pub(crate) mod quoted;
pub(crate) mod range;
pub(crate) mod refusal;
pub(crate) mod response_headers;
pub(crate) mod search_pool;
pub(crate) mod sending;
pub(crate) mod state_writer;
pub(crate) mod static_body;
pub(crate) mod stream;
pub(crate) mod stream_turns;
pub(crate) mod work;
