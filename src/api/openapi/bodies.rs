//! What derived schemas say where a struct holds records, which it has as bytes.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::{
    api::openapi::{component, object, type_name},
    entity::EntityType,
};

fn records(kind: EntityType) -> Value {
    json!({"type": "array", "items": component("schemas", &type_name(kind))})
}

/// An array of contracts.
pub fn contracts(_: &mut SchemaGenerator) -> Schema {
    schema(records(EntityType::Contract))
}

/// An array a kind, named by it; none is required.
pub fn records_by_kind(_: &mut SchemaGenerator) -> Schema {
    let arrays = EntityType::ALL.map(|kind| (kind.name(), records(kind)));
    schema(json!({"type": "object", "properties": object(arrays)}))
}

/// An element of a tender's `documents`.
pub fn document(_: &mut SchemaGenerator) -> Schema {
    schema(component("schemas", "Document"))
}

fn schema(value: Value) -> Schema {
    // Anything else than an object, or true or false, allows everything.
    Schema::try_from(value).unwrap_or_default()
}
