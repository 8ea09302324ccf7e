//! The output of one row of a publisher's file, and the form in which it is returned for merging.

use std::borrow::Cow;

use serde_json::Value;

use super::fields::{FieldValue, Fields};
use crate::model::{EntityType, FieldName, bids::NoticeBids};

/// Orders rows about the same thing; the greater value is the newer row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Recency(pub(crate) u64, pub(crate) i64);

/// How much memory the records of one row may still take.
///
/// Each award of a notice gives a contract with the texts of the notice, so a row of 16 MiB could
/// produce thousands of times as much.
pub(crate) struct RowBudget {
    left: usize,
}

impl RowBudget {
    /// The memory of the records of one row, in bytes: enough for about 20,000 contracts.
    const MAX_BYTES: usize = 64 << 20;

    pub(crate) fn new() -> RowBudget {
        RowBudget {
            left: RowBudget::MAX_BYTES,
        }
    }

    /// Subtracts the memory of a record. If too little is left, the row is skipped for the reason
    /// that is returned.
    pub(crate) fn take(&mut self, record: &DraftRecord) -> Result<(), &'static str> {
        let left = self.left.checked_sub(record.fields.size());
        self.left = left.ok_or("a notice whose contracts together are longer than 64 MiB")?;
        Ok(())
    }
}

/// The records of one row.
#[derive(Debug)]
pub(crate) struct RowOutput {
    /// The contract or notice that the row describes. All rows of one group are merged together.
    pub(crate) group: String,
    /// Which state of it the row describes, for example the amendment. Of two rows with the same
    /// group and key, the newer replaces the older.
    pub(crate) key: String,
    pub(crate) recency: Recency,
    pub(crate) records: Vec<DraftRecord>,
    /// The bids of the notice; `None` if it lists no bidders.
    pub(crate) bids: Option<NoticeBids>,
}

impl RowOutput {
    /// The output of a row with one record, whose id is also the merge group.
    pub(crate) fn with_id(id: String, key: String, recency: Recency, mut record: DraftRecord) -> RowOutput {
        record.set("record_id", Some(id.as_str()));
        RowOutput {
            group: id,
            key,
            recency,
            records: vec![record],
            bids: None,
        }
    }
}

/// What a row states about records that other rows produce. The row itself produces no record.
#[derive(Debug)]
pub(crate) struct Annotation {
    /// The merge group that the annotation belongs to.
    pub(crate) group: String,
    pub(crate) recency: Recency,
    pub(crate) content: Value,
}

/// A row output or an annotation, as it is returned to its source for merging.
///
/// The source's records are what is left in `records` after merging. A member without records
/// counts as merged into another one. If the source gives a reason in `skipped`, the member counts as
/// skipped, and its records only teach the words of their codes.
#[derive(Debug)]
pub(crate) struct GroupMember {
    /// [`RowOutput::key`]; empty for an annotation.
    pub(crate) key: String,
    pub(crate) recency: Recency,
    pub(crate) records: Vec<DraftRecord>,
    /// The bids of the notice; `None` if it lists no bidders. They are kept if the member keeps its records.
    pub(crate) bids: Option<RowBids>,
    /// [`Annotation::content`]; `None` for a row output.
    pub(crate) annotation: Option<Value>,
    pub(crate) skipped: Option<&'static str>,
    /// Number of the file, in the order of the inputs.
    pub(crate) file: usize,
    pub(crate) line: u64,
}

/// The bids that a row states, and the file that they are counted for.
#[derive(Debug)]
pub(crate) struct RowBids {
    pub(crate) notice: NoticeBids,
    /// As in [`GroupMember::file`].
    pub(crate) file: usize,
    pub(crate) line: u64,
}

/// A record that a reader builds from a row and the dump writer writes as one line.
#[derive(Clone, Debug)]
pub(crate) struct DraftRecord {
    pub(crate) entity_type: EntityType,
    pub(crate) fields: Fields,
}

impl DraftRecord {
    pub(crate) fn new(entity_type: EntityType) -> DraftRecord {
        DraftRecord {
            entity_type,
            fields: Fields::with_capacity(),
        }
    }

    /// Sets a field, or leaves it as it is if there is no value.
    pub(crate) fn set<'a>(&mut self, field: &str, value: Option<impl Into<FieldValue<'a>>>) {
        if let Some(value) = value {
            self.fields.insert(FieldName::of(field), value.into());
        }
    }

    /// Sets the fields that `other` has to its values.
    pub(crate) fn copy(&mut self, other: &DraftRecord, fields: &[&str]) {
        for field in fields {
            self.set(field, other.get(field));
        }
    }

    /// Sets the slug of the buyer's municipality, its level of government and, if it has one, its province.
    pub(crate) fn set_jurisdiction(&mut self, municipality: &str, level: &str, province: Option<&str>) {
        self.set("municipality", Some(municipality));
        self.set("government_level", Some(level));
        self.set("province", province);
    }

    pub(crate) fn get(&self, field: &str) -> Option<FieldValue<'_>> {
        self.fields.get(FieldName::of(field))
    }

    pub(crate) fn has(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    /// Copies from `other` the fields that this record lacks and for which `is_filled` returns
    /// true.
    pub(crate) fn fill(&mut self, other: &DraftRecord, is_filled: impl Fn(&str) -> bool) {
        for (field, value) in other.fields.iter() {
            if is_filled(field.text()) && self.fields.get(field).is_none() {
                self.fields.push(field, value);
            }
        }
    }

    pub(crate) fn remove(&mut self, field: &str) {
        self.fields.remove(FieldName::of(field));
    }

    /// The field's value if it is a text.
    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        match self.get(field)? {
            FieldValue::Text(Cow::Borrowed(text)) => Some(text),
            _ => None,
        }
    }

    /// The `record_id`.
    pub(crate) fn id(&self) -> &str {
        self.text("record_id").expect("every reader sets it")
    }

    /// The field's value if it is a number.
    pub(crate) fn number(&self, field: &str) -> Option<f64> {
        self.get(field)?.as_number()
    }
}
