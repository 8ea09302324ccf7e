//! `GET /health`: whether the service runs, and which generation it serves. It needs no key.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use crate::{
    api::{
        params::read,
        route::{Access, Answer, Endpoint, Route},
    },
    catalog::generation::GenerationFault,
    http::{call::Call, error::ApiError, middleware::conditional::Validator, work::Work},
};

pub(crate) const PATH: &str = "/health";

pub(crate) const HEALTH: Route = Route {
    id: "getHealth",
    endpoint: Endpoint::Fixed(PATH, get),
    access: Access::Keyless,
    about: "Whether the service is up, and what it serves",
    answer: Answer::Json(SchemaGenerator::subschema_for::<Health>),
    is_cacheable: false,
    ..Route::DEFAULT
};

/// The shape of the response.
#[derive(Serialize, JsonSchema)]
#[schemars(description = "The service is up; the generation it serves")]
struct Health<'a> {
    /// Always `ok`.
    status: &'static str,
    version: &'static str,
    uptime_seconds: u64,
    index: Index<'a>,
}

/// The generation that is served.
#[derive(Serialize, JsonSchema)]
struct Index<'a> {
    /// Id of the generation.
    generation: &'a str,
    /// Number of records of all entity types.
    records: u64,
    /// When the generation was published.
    #[schemars(extend("format" = "date-time"))]
    as_of: &'a str,
    /// What is damaged: the id of the generation that should be served, or `CURRENT` if the file
    /// that names it is missing or invalid. Present only while another generation is served instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<&'a str>,
}

fn get(call: &Call) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let generation = &call.generation;
    let fault = call.state.generation_fault.load_full();
    let damage = fault.as_deref().filter(|fault| !fault.is_unreachable());
    let work = Work::json(&Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        uptime_seconds: call.state.started.elapsed().as_secs(),
        index: Index {
            generation: &generation.id,
            records: generation.manifest.entity_types.iter().map(|part| part.records).sum(),
            as_of: &generation.manifest.built_at,
            damaged: damage.map(GenerationFault::damaged),
        },
    })?;
    Ok(work.with_validator(Validator::None))
}
