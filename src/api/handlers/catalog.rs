//! `GET /sources` and `GET /{entity_type}/coverage`: the contents of the generation, from its manifest.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use crate::{
    api::{
        params::read,
        route::{Answer, Endpoint, Link, Route},
    },
    catalog::generation::{Coverage, SourceSummary},
    http::{call::Call, error::ApiError, work::Work},
    model::EntityType,
};

pub(crate) const SOURCES: Route = Route {
    id: "listSources",
    endpoint: Endpoint::Fixed("/sources", sources),
    about: "Data sources with their numbers of records and date ranges",
    answer: Answer::Json(SchemaGenerator::subschema_for::<Sources>),
    ..Route::DEFAULT
};

pub(crate) const COVERAGE: Route = Route {
    id: "coverageOf",
    endpoint: Endpoint::EntityType("/coverage", coverage),
    about: "City slugs that have records of the entity type",
    answer: Answer::Json(SchemaGenerator::subschema_for::<EntityTypeCoverage>),
    links: &[Link {
        name: "search",
        to: "search",
        about: "The records of the first municipality",
        parameters: &[("municipality", "$response.body#/results/0/municipality")],
        ..Link::DEFAULT
    }],
    ..Route::DEFAULT
};

/// The data sources, by source and entity type.
#[derive(Serialize, JsonSchema)]
struct Sources<'a> {
    count: usize,
    sources: Vec<&'a SourceSummary>,
}

/// The shape of the response. It is sorted by municipality and not paged; its slugs are the valid values
/// of the filter.
#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "KindCoverage",
    description = "The municipalities that have records of an entity type, sorted by slug: the valid values of `municipality`"
)]
struct EntityTypeCoverage<'a> {
    entity_type: EntityType,
    count: usize,
    results: &'a [Coverage],
}

fn sources(call: &Call) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let entity_types = &call.generation.manifest.entity_types;
    let mut sources: Vec<&SourceSummary> = entity_types.iter().flat_map(|part| &part.sources).collect();
    sources.sort_by_key(|source| (&source.source_id, source.entity_type));
    Work::json(&Sources {
        count: sources.len(),
        sources,
    })
}

fn coverage(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let results = &call.generation.manifest_of(entity_type).coverage;
    Work::json(&EntityTypeCoverage {
        entity_type,
        count: results.len(),
        results,
    })
}
