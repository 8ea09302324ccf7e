//! Builds a generation on an OpenSearch cluster.
//!
//! The records are read from the spool twice: the codes in their documents follow from all of them.

use std::{env, path::PathBuf, sync::Arc};

use anyhow::{Context, ensure};

use super::{
    manifest_counts::ManifestCounts,
    read_dumps::DumpRecords,
    spooled_records::SpooledRecords,
    target::{BuildTarget, Learned, WrittenRecords},
    write_index::progress_bar,
};
use crate::{
    catalog::generation::{ClusterStore, DerivedData, EntityTypeManifest, FileEntry, FirstSeen, generation_files},
    engine::{
        Deadline, Engine,
        opensearch::build::{BuildTotals, ClusterBuild},
    },
    model::{EntityType, Schema},
};

pub(super) struct ClusterTarget<'a> {
    store: &'a ClusterStore,
    build: ClusterBuild,
}

impl ClusterTarget<'_> {
    pub(super) fn start(store: &ClusterStore, keep: usize) -> anyhow::Result<ClusterTarget<'_>> {
        let build = ClusterBuild::start(Arc::clone(&store.client), &store.settings, keep)
            .with_context(|| format!("starting a build on {store}"))?;
        Ok(ClusterTarget { store, build })
    }
}

impl BuildTarget for ClusterTarget<'_> {
    /// The folder for temporary files.
    fn spool_folder(&self, _: EntityType) -> anyhow::Result<PathBuf> {
        Ok(env::temp_dir())
    }

    fn write_records(&self, schema: &'static Schema, records: DumpRecords) -> anyhow::Result<WrittenRecords> {
        let spooled = SpooledRecords::new(schema, &records);
        let count = records.entries.len();

        let progress = progress_bar("counting", schema, count);
        type Counts = (ManifestCounts, Learned, BuildTotals);
        let start = || -> Counts { (Default::default(), Default::default(), BuildTotals::new(schema)) };
        let counted = spooled.visit(&progress, start, |(counts, learned, totals), spooled| {
            counts.add(spooled.record, spooled.dump);
            let source = records.source(spooled.dump);
            learned.observe(spooled.record, source, &records.teach);
            totals.add(spooled.record, spooled.bytes.len());
            Ok(())
        })?;
        let merge = |a: Counts, b: Counts| (a.0.merge(b.0), a.1.merge(b.1), a.2.merge(b.2));
        let (counts, learned, totals) = counted.into_iter().fold(start(), merge);
        progress.finish_and_clear();

        let progress = progress_bar("loading", schema, count);
        let writer = self.build.entity_type(schema, totals)?;
        spooled.visit(
            &progress,
            || (),
            |(), spooled| writer.add(spooled.number, spooled.record, spooled.bytes),
        )?;
        let loaded = writer.finish()?;
        ensure!(loaded == count as u64, "{loaded} of {count} records were loaded");
        progress.finish_and_clear();
        Ok(WrittenRecords {
            manifest: counts.into_manifest(schema, &records.dumps),
            learned,
        })
    }

    fn engine(&self, _: &[EntityTypeManifest]) -> anyhow::Result<Box<dyn Engine>> {
        self.build.complete()?;
        let store = self.store.for_build()?;
        Ok(Box::new(store.engine(self.build.id(), &Deadline::never())?))
    }

    fn previous_first_seen(&self) -> anyhow::Result<Option<FirstSeen>> {
        self.build.retry(|| self.store.previous_first_seen())
    }

    /// The cluster stores its files itself.
    fn settle(&self) -> anyhow::Result<Vec<FileEntry>> {
        Ok(Vec::new())
    }

    fn publish(
        self,
        entity_types: Vec<EntityTypeManifest>,
        derived: &DerivedData,
        _: Vec<FileEntry>,
    ) -> anyhow::Result<String> {
        for (name, content) in generation_files(entity_types, derived)? {
            self.build.file(name, &content)?;
        }
        self.build.publish()
    }
}
