//! `GET /sources` and `GET /{entity_type}/coverage`: what is in this generation, as its manifest tells it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::generation::{Coverage, Source},
    http::{Call, Work, error::ApiError, params},
    model::entity_type::EntityType,
};

/// The data sources, by source and kind.
#[derive(Serialize, JsonSchema)]
pub struct Sources<'a> {
    count: usize,
    sources: Vec<&'a Source>,
}

/// Spec silent: the shape of a kind's coverage. Sorted by municipality, unpaged; its slugs are those the filter takes.
#[derive(Serialize, JsonSchema)]
#[schemars(
    description = "The municipalities that have records of a kind, sorted by slug: those its `municipality` filter takes"
)]
pub struct KindCoverage<'a> {
    entity_type: EntityType,
    count: usize,
    results: &'a [Coverage],
}

pub fn sources(call: &Call) -> Result<Work, ApiError> {
    params::none(call.query)?;
    let kinds = &call.generation.manifest.kinds;
    let mut sources: Vec<&Source> = kinds.iter().flat_map(|kind| &kind.sources).collect();
    sources.sort_by_key(|source| (&source.source_id, source.entity_type));
    Work::json(&Sources {
        count: sources.len(),
        sources,
    })
}

pub fn coverage(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    params::none(call.query)?;
    let results = &call.generation.kind(entity_type).coverage;
    Work::json(&KindCoverage {
        entity_type,
        count: results.len(),
        results,
    })
}
