//! What one row of a publisher's file produces, and the form in which it comes back for merging.

use serde_json::Value;

use super::record::DraftRecord;

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

/// What a row states about records that other rows produce. The row itself produces no record.
#[derive(Debug)]
pub struct Annotation {
    /// The merge group that the annotation belongs to.
    pub group: String,
    pub recency: Recency,
    pub content: Value,
}

/// A row output or an annotation that comes back to its source for merging.
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
