//! Builds a generation of the embedded engine, in a folder.

use std::{fs, path::PathBuf};

use anyhow::Context;

use super::{
    read_dumps::DumpRecords,
    target::{BuildTarget, WrittenRecords},
    write_index::write_index,
};
use crate::{
    catalog::generation::{Build, DerivedData, EntityTypeManifest, FileEntry, FirstSeen},
    engine::{
        Engine,
        tantivy::{TantivyEngine, build::group_facets},
    },
    model::{EntityType, Schema},
};

pub(super) struct EmbeddedBuild {
    pub(super) build: Build,
    /// Approximate memory limit of the index segments in progress, in MiB.
    pub(super) memory_mb: usize,
}

impl EmbeddedBuild {
    fn folder(&self, entity_type: EntityType) -> PathBuf {
        self.build.folder().join(entity_type.name())
    }
}

impl BuildTarget for EmbeddedBuild {
    /// The folder of the index, which it creates.
    fn spool_folder(&self, entity_type: EntityType) -> anyhow::Result<PathBuf> {
        let folder = self.folder(entity_type);
        fs::create_dir(&folder).with_context(|| format!("creating {}", folder.display()))?;
        Ok(folder)
    }

    fn write_records(&self, schema: &'static Schema, records: DumpRecords) -> anyhow::Result<WrittenRecords> {
        write_index(schema, records, self.memory_mb, &self.folder(schema.entity_type))
    }

    fn engine(&self, entity_types: &[EntityTypeManifest]) -> anyhow::Result<Box<dyn Engine>> {
        let records = |entity_type: EntityType| entity_types[entity_type as usize].records;
        let folder = self.build.folder();
        group_facets(&folder, records)?;
        let mut engine = TantivyEngine::open(&folder, records)?;
        engine.forget_what_was_read();
        Ok(Box::new(engine))
    }

    fn previous_first_seen(&self) -> anyhow::Result<Option<FirstSeen>> {
        Ok(self.build.previous_first_seen())
    }

    fn settle(&self) -> anyhow::Result<Vec<FileEntry>> {
        self.build.settle()
    }

    fn publish(
        self,
        entity_types: Vec<EntityTypeManifest>,
        derived: &DerivedData,
        settled: Vec<FileEntry>,
    ) -> anyhow::Result<String> {
        self.build.write_derived(derived)?;
        self.build.publish(entity_types, settled)
    }
}
