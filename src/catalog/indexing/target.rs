//! What a build does in its own way on each engine.

use std::path::PathBuf;

use super::read_dumps::{DumpRecords, Teach};
use crate::{
    catalog::{
        bids::open_calls::NoticeBidders,
        generation::{DerivedData, EntityTypeManifest, FileEntry, FirstSeen},
    },
    engine::Engine,
    model::{EntityType, Record, Schema, commodity_words::CommodityLearner, supplier_mention::SupplierMentions},
};

/// What is known of the records of an entity type when all are indexed.
pub(super) struct WrittenRecords {
    pub(super) manifest: EntityTypeManifest,
    pub(super) learned: Learned,
}

/// What records teach; of commodities and suppliers nothing unless they are asked.
#[derive(Default)]
pub(super) struct Learned {
    pub(super) commodities: CommodityLearner,
    pub(super) suppliers: SupplierMentions,
    /// The buyers that records state with an identifier.
    pub(super) buyers: SupplierMentions,
    /// The bidders of open calls.
    pub(super) bidders: NoticeBidders,
}

impl Learned {
    pub(super) fn observe(&mut self, record: &Record, source: &str, teach: &Teach) {
        if teach.commodities {
            self.commodities.observe(record);
        }
        if teach.suppliers {
            self.suppliers.observe(record, source);
        }
        self.buyers.observe_buyer(record, source);
        self.bidders.observe(record, source, &teach.calls);
    }

    pub(super) fn merge(self, other: Learned) -> Learned {
        Learned {
            commodities: self.commodities.merge(other.commodities),
            suppliers: self.suppliers.merge(other.suppliers),
            buyers: self.buyers.merge(other.buyers),
            bidders: self.bidders.merge(other.bidders),
        }
    }
}

/// A generation that is being built. It is not in service before [`BuildTarget::publish`].
pub(super) trait BuildTarget: Sync {
    /// A folder of this machine for the records of an entity type while they are read.
    fn spool_folder(&self, entity_type: EntityType) -> anyhow::Result<PathBuf>;

    /// Indexes the records of an entity type.
    fn write_records(&self, schema: &'static Schema, records: DumpRecords) -> anyhow::Result<WrittenRecords>;

    /// Opens the index just built.
    fn engine(&self, entity_types: &[EntityTypeManifest]) -> anyhow::Result<Box<dyn Engine>>;

    /// The first-seen times of the generation before this one; `None` if there is none.
    fn previous_first_seen(&self) -> anyhow::Result<Option<FirstSeen>>;

    /// Flushes the files of the index just built to disk; returns what is stated of them.
    fn settle(&self) -> anyhow::Result<Vec<FileEntry>>;

    /// Stores the derived data, verifies the generation and puts it in service. Returns its id.
    fn publish(
        self,
        entity_types: Vec<EntityTypeManifest>,
        derived: &DerivedData,
        settled: Vec<FileEntry>,
    ) -> anyhow::Result<String>;
}
