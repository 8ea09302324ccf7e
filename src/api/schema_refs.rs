//! Names of schema components, and schemas of members that hold records: a struct has records as bytes, so nothing can
//! be derived for them.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::model::EntityType;

/// The name of an entity type as a type: `standing_offer` → `StandingOffer`.
pub(crate) fn type_name(entity_type: EntityType) -> String {
    let capitalized = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    };
    entity_type.name().split('_').map(capitalized).collect()
}

/// A reference to a component.
pub(crate) fn component(section: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{section}/{name}")})
}

fn records(entity_type: EntityType) -> Value {
    json!({"type": "array", "items": component("schemas", &type_name(entity_type))})
}

/// An array of contracts.
pub(crate) fn contracts(_: &mut SchemaGenerator) -> Schema {
    schema(records(EntityType::Contract))
}

/// An array of records of one entity type.
pub(crate) fn any_records(_: &mut SchemaGenerator) -> Schema {
    let types = EntityType::ALL.map(|entity_type| component("schemas", &type_name(entity_type)));
    json_schema!({"type": "array", "items": {"anyOf": types}})
}

/// An optional array for each entity type, under its name.
pub(crate) fn records_by_entity_type(_: &mut SchemaGenerator) -> Schema {
    let arrays = EntityType::ALL.map(|entity_type| (entity_type.name(), records(entity_type)));
    let arrays: Map<String, Value> = arrays
        .map(|(name, array)| (name.to_owned(), array))
        .into_iter()
        .collect();
    json_schema!({"type": "object", "properties": arrays})
}

/// A tender.
pub(crate) fn tender(_: &mut SchemaGenerator) -> Schema {
    schema(component("schemas", &type_name(EntityType::Tender)))
}

/// An element of a tender's `documents`.
pub(crate) fn document(_: &mut SchemaGenerator) -> Schema {
    schema(component("schemas", "Document"))
}

fn schema(value: Value) -> Schema {
    Schema::try_from(value).expect("a JSON object is a schema")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entity_types_are_named_as_types() {
        assert_eq!(type_name(EntityType::StandingOffer), "StandingOffer");
        assert_eq!(type_name(EntityType::Tender), "Tender");
    }
}
