//! The records of every entity type that pass the same filters.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::ask::Ask,
    engine::{
        Error,
        aggregation::{Money, ValueAggregation},
    },
    model::EntityType,
    query::SearchQuery,
};

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "KindCount")]
pub(crate) struct EntityTypeCount {
    pub(crate) entity_type: EntityType,
    pub(crate) records: u64,
    /// Null for an entity type without a value.
    pub(crate) total_value: Option<Money>,
}

/// Applies the same filters to every entity type that has the fields for them; a type that lacks one has no such
/// records. Only entity types with records.
pub(crate) fn by_entity_type(ask: &Ask, query: &SearchQuery) -> Result<Vec<EntityTypeCount>, Error> {
    let mut counts = Vec::new();
    for entity_type in EntityType::ALL {
        let query = SearchQuery {
            entity_type,
            ..query.clone()
        };
        let aggregation = ask.aggregate(&query, &[], ValueAggregation::Sum)?;
        if aggregation.total > 0 {
            counts.push(EntityTypeCount {
                entity_type,
                records: aggregation.total,
                total_value: aggregation.values.map(|values| values.total_value),
            });
        }
    }
    Ok(counts)
}
