//! What a step of the second pass does.

use serde_json::Value;

use crate::{
    model::{EntityType, Record, commodity_words::CommodityLearner, supplier_mention::SupplierMentions},
    normalize::report::NormalizeReport,
};

/// A step that needs all records of the run: it looks at each, then completes some.
///
/// The records come in the order of entity types, source ids and lines, so a step is deterministic
/// without an effort of its own. Its memory must be bounded: the implementations state how much they
/// keep of a record.
pub(crate) trait SecondPassStep: Send + Sync {
    fn observe(&mut self, entity_type: EntityType, source: &str, record: &Record);

    /// What rows state about codes that gave no record. Called once, before the first record is observed.
    fn teach(&mut self, _: &mut CommodityLearner) {}

    /// What rows state about suppliers. Called once, before the first record is observed.
    fn mention(&mut self, _: &mut SupplierMentions) {}

    /// Called once, after all records were observed and before the first is completed.
    fn conclude(&mut self) {}

    /// Members to add. One that the record has is not replaced. Records are completed on all cores.
    ///
    /// At most [`MAX_ADDED_BYTES`] in all; a record with less room for them is not passed.
    fn complete(&self, entity_type: EntityType, source: &str, record: &Record) -> Vec<(&'static str, Value)>;

    /// A file to publish with the dumps: its name in their folder, and its content.
    fn file(&self) -> Option<(&'static str, Vec<u8>)> {
        None
    }

    /// Called at the end, to tell what was done.
    fn report(&self, report: &mut NormalizeReport);
}

/// How much longer all steps together may make a record, in bytes.
pub(crate) const MAX_ADDED_BYTES: usize = 8 << 10;
