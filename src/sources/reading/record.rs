//! A normalized record while it is being built.

use std::borrow::Cow;

use super::fields::{FieldValue, Fields};
use crate::model::{entity_type::EntityType, schema::FieldName};

/// A record that a reader builds from a row and the dump writer writes as one line.
#[derive(Clone, Debug)]
pub struct DraftRecord {
    pub entity_type: EntityType,
    pub fields: Fields,
}

impl DraftRecord {
    pub fn new(entity_type: EntityType) -> DraftRecord {
        DraftRecord {
            entity_type,
            fields: Fields::with_capacity(),
        }
    }

    /// Sets a field, or leaves it as it is if there is no value.
    pub fn set<'a>(&mut self, field: &str, value: Option<impl Into<FieldValue<'a>>>) {
        if let Some(value) = value {
            self.fields.insert(FieldName::of(field), value.into());
        }
    }

    pub fn get(&self, field: &str) -> Option<FieldValue<'_>> {
        self.fields.get(FieldName::of(field))
    }

    pub fn has(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    /// Copies from `other` the fields that this record lacks and for which `is_filled` returns
    /// true.
    pub fn fill(&mut self, other: &DraftRecord, is_filled: impl Fn(&str) -> bool) {
        for (field, value) in other.fields.iter() {
            if is_filled(field.text()) && self.fields.get(field).is_none() {
                self.fields.push(field, value);
            }
        }
    }

    pub fn remove(&mut self, field: &str) {
        self.fields.remove(FieldName::of(field));
    }

    /// The field's value if it is a text.
    pub fn text(&self, field: &str) -> Option<&str> {
        match self.get(field)? {
            FieldValue::Text(Cow::Borrowed(text)) => Some(text),
            _ => None,
        }
    }

    /// The `record_id`.
    pub fn id(&self) -> &str {
        self.text("record_id").expect("every reader sets it")
    }

    /// The field's value if it is a number.
    pub fn number(&self, field: &str) -> Option<f64> {
        self.get(field)?.as_number()
    }
}
