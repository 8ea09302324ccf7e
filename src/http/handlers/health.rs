//! `GET /health`: whether the service is up, and what it serves. It takes no key.

use schemars::JsonSchema;
use serde::Serialize;

use crate::http::{Call, Work, error::ApiError, middleware::conditional::Validator, params};

/// Spec silent: the shape of the answer.
#[derive(Serialize, JsonSchema)]
#[schemars(description = "That the service is up, and what it serves")]
pub struct Health<'a> {
    /// Always `ok`.
    status: &'static str,
    version: &'static str,
    uptime_seconds: u64,
    index: Index<'a>,
}

/// What is served.
#[derive(Serialize, JsonSchema)]
struct Index<'a> {
    /// The build's identifier.
    generation: &'a str,
    /// Of all kinds.
    records: u64,
    /// When the generation was published.
    #[schemars(extend("format" = "date-time"))]
    as_of: &'a str,
}

pub fn get(call: &Call) -> Result<Work, ApiError> {
    params::none(call.query)?;
    let generation = &call.generation;
    let work = Work::json(&Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        uptime_seconds: call.state.started.elapsed().as_secs(),
        index: Index {
            generation: &generation.id,
            records: generation.manifest.kinds.iter().map(|kind| kind.records).sum(),
            as_of: &generation.manifest.built_at,
        },
    })?;
    Ok(work.validated_by(Validator::None))
}
