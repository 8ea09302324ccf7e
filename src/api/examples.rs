//! Examples of the OpenAPI document, from the sample data: a record of each entity type, and responses by operation id.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::model::EntityType;

static EXAMPLES: LazyLock<Value> = LazyLock::new(|| {
    // Tests find each of the file's records and responses in the sample.
    serde_json::from_str(include_str!("examples.json")).expect("the file is valid JSON")
});

/// A cursor in the form the service returns.
const CURSOR: &str = "AfxZA-CzAfzycgEACWVkZ2V8aHVnZQ";

/// The example record of an entity type.
pub(crate) fn record(entity_type: EntityType) -> &'static Value {
    &EXAMPLES[entity_type.name()]
}

/// A page of one record.
pub(crate) fn page(entity_type: EntityType) -> Value {
    json!({
        "entity_type": entity_type,
        "count": 1,
        "offset": 0,
        "next_cursor": CURSOR,
        "results": [record(entity_type)],
    })
}

/// The example response of an operation, if it has one.
pub(crate) fn response(operation_id: &str) -> Option<&'static Value> {
    EXAMPLES.get(operation_id)
}
