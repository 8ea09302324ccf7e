//! The output of one row of a publisher's file, and the form in which it is returned for merging.

use std::borrow::Cow;

use serde_json::Value;

use super::fields::{FieldValue, Fields};
use crate::model::{EntityType, FieldName};

/// Orders rows about the same thing; the greater value is the newer row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recency(pub u64, pub i64);

/// The records of one row.
#[derive(Debug)]
pub struct RowOutput {
    /// The contract or notice that the row describes. All rows of one group are merged together.
    pub group: String,
    /// Which state of it the row describes, for example the amendment. Of two rows with the same
    /// group and key, the newer replaces the older.
    pub key: String,
    pub recency: Recency,
    pub records: Vec<DraftRecord>,
}

impl RowOutput {
    /// The output of a row with one record, whose id is also the merge group.
    pub fn with_id(id: String, key: String, recency: Recency, mut record: DraftRecord) -> RowOutput {
        record.set("record_id", Some(id.as_str()));
        RowOutput {
            group: id,
            key,
            recency,
            records: vec![record],
        }
    }
}

/// What a row states about records that other rows produce. The row itself produces no record.
#[derive(Debug)]
pub struct Annotation {
    /// The merge group that the annotation belongs to.
    pub group: String,
    pub recency: Recency,
    pub content: Value,
}

/// A row output or an annotation, as it is returned to its source for merging.
///
/// The source's records are what is left in `records` after merging. A member without records
/// counts as merged into another one, or as skipped if the source gives a reason in `skipped`.
#[derive(Debug)]
pub struct GroupMember {
    /// [`RowOutput::key`]; empty for an annotation.
    pub key: String,
    pub recency: Recency,
    pub records: Vec<DraftRecord>,
    /// [`Annotation::content`]; `None` for a row output.
    pub annotation: Option<Value>,
    pub skipped: Option<&'static str>,
    /// Number of the file, in the order of the inputs.
    pub file: usize,
    pub line: u64,
}

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

    /// Sets the fields that `other` has to its values.
    pub fn copy(&mut self, other: &DraftRecord, fields: &[&str]) {
        for field in fields {
            self.set(field, other.get(field));
        }
    }

    /// Sets the slug of the buyer's municipality, its level of government and, if it has one, its province.
    pub fn set_jurisdiction(&mut self, municipality: &str, level: &str, province: Option<&str>) {
        self.set("municipality", Some(municipality));
        self.set("government_level", Some(level));
        self.set("province", province);
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
