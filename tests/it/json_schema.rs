//! Checks values against a JSON Schema (draft 2020-12), as clients of the API description do.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// Where the schema is said to come from. Nothing is downloaded.
const LOCATION: &str = "memory:///schema.json";

pub struct JsonSchema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl JsonSchema {
    /// Panics if it is no valid schema.
    pub fn new(schema: Value) -> JsonSchema {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        compiler.add_resource(LOCATION, schema).unwrap();
        let index = compiler.compile(LOCATION, &mut schemas).unwrap();
        JsonSchema { schemas, index }
    }

    pub fn is_valid(&self, value: &Value) -> bool {
        self.error(value).is_none()
    }

    /// Where and why the value does not fit.
    pub fn error(&self, value: &Value) -> Option<String> {
        self.schemas
            .validate(value, self.index)
            .err()
            .map(|error| format!("{error:#}"))
    }
}
