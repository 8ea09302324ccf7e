//! The second pass: writes an entity type's records and their index in document order, chunk by
//! chunk on all cores.

use std::{
    cmp::Reverse,
    fs::File,
    io::{BufWriter, Seek, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::{manifest_counts::ManifestCounts, read_dumps::DumpRecords, target::WrittenRecords};
use crate::{
    engine::tantivy::writer::{self, FacetEntries, OFFSETS, RECORDS, SegmentBuilder},
    model::{Record, Role, Schema, commodity_words::CommodityLearner},
    query::SortKey,
};

pub(crate) fn write_index(
    schema: &'static Schema,
    records: &DumpRecords,
    memory_mb: usize,
    folder: &Path,
) -> anyhow::Result<WrittenRecords> {
    let (counts, commodities) = if records.entries.is_empty() {
        Default::default()
    } else {
        let order = records.default_order();
        write_orders(schema, records, &order, folder)?;
        let offsets = write_offsets(records, &order, folder)?;
        let (counts, commodities) = write_chunks(schema, records, &order, &offsets, memory_mb, folder)?;
        ensure!(
            counts.records() == order.len() as u64,
            "{} of {} records were indexed",
            counts.records(),
            order.len()
        );
        (counts, commodities)
    };
    Ok(WrittenRecords {
        manifest: counts.into_manifest(schema, &records.dumps),
        commodities,
    })
}

/// Writes the document ids in the order of the other sort keys.
fn write_orders(schema: &Schema, records: &DumpRecords, order: &[u32], folder: &Path) -> anyhow::Result<()> {
    let mut documents = vec![0u32; order.len()];
    for (document, entry) in (0u32..).zip(order) {
        documents[*entry as usize] = document;
    }
    let entries = &records.entries;
    for (key, role) in [(SortKey::ClosingDate, Role::ClosingDate), (SortKey::Value, Role::Value)] {
        if !schema.has_role(role) {
            continue;
        }
        let mut by_key: Vec<u32> = (0..entries.len() as u32).collect();
        if key == SortKey::Value {
            by_key.par_sort_by(|a, b| {
                let value = |entry: &u32| entries[*entry as usize].value;
                match (value(a), value(b)) {
                    (Some(a), Some(b)) => b.total_cmp(&a),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                }
            });
        } else {
            by_key.par_sort_by_key(|entry| Reverse(entries[*entry as usize].closing_date));
        }
        for entry in &mut by_key {
            *entry = documents[*entry as usize];
        }
        writer::write_order(folder, key, &by_key)
            .with_context(|| format!("writing an order in {}", folder.display()))?;
    }
    Ok(())
}

/// Writes where each record starts in the records file, and where the last one ends.
fn write_offsets(records: &DumpRecords, order: &[u32], folder: &Path) -> anyhow::Result<Vec<u64>> {
    let mut offsets = Vec::with_capacity(order.len() + 1);
    let mut end = 0;
    offsets.push(end);
    for entry in order {
        end += records.entries[*entry as usize].length() + 1;
        offsets.push(end);
    }
    let path = folder.join(OFFSETS);
    let write = || -> std::io::Result<()> {
        let mut out = BufWriter::new(File::create(&path)?);
        for offset in &offsets {
            out.write_all(&offset.to_le_bytes())?;
        }
        out.flush()
    };
    write().with_context(|| format!("writing {}", path.display()))?;
    Ok(offsets)
}

/// The smallest chunk worth a segment of its own, in bytes of records.
const MIN_CHUNK_BYTES: u64 = 16 << 20;

fn write_chunks(
    schema: &'static Schema,
    records: &DumpRecords,
    order: &[u32],
    offsets: &[u64],
    memory_mb: usize,
    folder: &Path,
) -> anyhow::Result<(ManifestCounts, CommodityLearner)> {
    let workers = rayon::current_num_threads() as u64;
    // A segment in progress takes about half the bytes of its records, and twice that while its
    // tables double.
    let budget = (memory_mb as u64).saturating_mul(1 << 20);
    let chunk_bytes = (budget / workers).max(MIN_CHUNK_BYTES);
    let chunks = cut(offsets, chunk_bytes, workers);
    let records_path = folder.join(RECORDS);
    File::create(&records_path)
        .and_then(|file| file.set_len(total_bytes(offsets)))
        .with_context(|| format!("creating {}", records_path.display()))?;
    let progress = progress_bar("indexing", schema, order.len());
    let paths: Vec<PathBuf> = (0..chunks.len())
        .map(|number| folder.join(format!("chunk-{number:05}")))
        .collect();
    let chunk_writer = ChunkWriter {
        schema,
        records,
        order,
        offsets,
        records_path: &records_path,
        progress: &progress,
    };
    let written = chunks
        .par_iter()
        .zip(&paths)
        .with_max_len(1)
        .map(|(chunk, path)| chunk_writer.write(chunk.clone(), path))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let (mut counts, mut commodities) = (ManifestCounts::default(), CommodityLearner::default());
    let mut facets = Vec::with_capacity(written.len());
    for chunk in written {
        counts = counts.merge(chunk.counts);
        commodities = commodities.merge(chunk.commodities);
        facets.push(chunk.facets);
    }
    writer::write_facets(folder, &facets)
        .with_context(|| format!("writing the facets of the records in {}", folder.display()))?;
    drop(facets);
    progress.set_message(format!("merging {}", schema.entity_type));
    writer::merge(schema, &paths, folder)?;
    progress.finish_and_clear();
    Ok((counts, commodities))
}

fn total_bytes(offsets: &[u64]) -> u64 {
    *offsets.last().expect("the offsets end with the end of the last record")
}

/// Cuts the documents into chunks of at most `chunk_bytes` each (apart from single larger records),
/// and into enough chunks for all workers.
fn cut(offsets: &[u64], chunk_bytes: u64, workers: u64) -> Vec<Range<usize>> {
    let share = total_bytes(offsets) / workers + 1;
    let chunk_bytes = chunk_bytes.min(share).max(MIN_CHUNK_BYTES.min(chunk_bytes));
    let mut chunks = Vec::new();
    let mut start = 0;
    while start + 1 < offsets.len() {
        let limit = offsets[start] + chunk_bytes;
        let end = offsets
            .partition_point(|offset| *offset <= limit)
            .saturating_sub(1)
            .max(start + 1);
        chunks.push(start..end);
        start = end;
    }
    chunks
}

struct ChunkWriter<'a> {
    schema: &'static Schema,
    records: &'a DumpRecords,
    order: &'a [u32],
    offsets: &'a [u64],
    records_path: &'a Path,
    progress: &'a ProgressBar,
}

/// What is known of the records of a chunk when all are written.
#[derive(Default)]
struct WrittenChunk {
    counts: ManifestCounts,
    facets: FacetEntries,
    commodities: CommodityLearner,
}

impl ChunkWriter<'_> {
    /// Writes the records of a chunk to the records file, and its segment to `folder`.
    fn write(&self, documents: Range<usize>, folder: &Path) -> anyhow::Result<WrittenChunk> {
        let writing = || format!("writing {} (is the disk full?)", self.records_path.display());
        let mut file = File::options()
            .write(true)
            .open(self.records_path)
            .with_context(writing)?;
        file.seek(SeekFrom::Start(self.offsets[documents.start]))
            .with_context(writing)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let mut chunk = SegmentBuilder::create(self.schema, folder)?;
        let mut written = WrittenChunk::default();
        let mut bytes = Vec::new();
        for document in documents {
            let entry = &self.records.entries[self.order[document] as usize];
            self.records.read(entry, &mut bytes).context("reading the spool")?;
            let record =
                Record::parse(self.schema, &bytes).map_err(|e| anyhow!("a record of the spool has changed: {e}"))?;
            chunk
                .add(&record)
                .with_context(|| format!("indexing {}", record.id()))?;
            written.counts.add(&record, entry.dump);
            written.facets.add(&record);
            if self.records.teach_commodities {
                written.commodities.observe(&record);
            }
            bytes.push(b'\n');
            out.write_all(&bytes).with_context(writing)?;
            self.progress.inc(1);
        }
        out.flush().with_context(writing)?;
        chunk
            .finish()
            .with_context(|| format!("writing {} (is the disk full?)", folder.display()))?;
        Ok(written)
    }
}

/// Shows how many records of an entity type are done.
pub(super) fn progress_bar(step: &str, schema: &Schema, records: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:24} {bar:30} {human_pos}/{human_len} {per_sec} {eta}");
    ProgressBar::new(records as u64)
        .with_message(format!("{step} {}", schema.entity_type))
        .with_style(style.expect("the template is valid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_every_document_once_in_order() {
        let offsets: Vec<u64> = (0..=100).map(|n| n * (1 << 20)).collect();
        let chunks = cut(&offsets, 20 << 20, 2);
        assert_eq!(chunks, [0..20, 20..40, 40..60, 60..80, 80..100]);
        // A record larger than a chunk gets a chunk of its own.
        assert_eq!(cut(&[0, 100 << 20, 101 << 20], 1, 2), [0..1, 1..2]);
        assert!(cut(&[0], 1, 2).is_empty());
    }

    #[test]
    fn the_template_of_the_progress_bar_is_valid() {
        progress_bar("indexing", Schema::of(crate::model::entity_type::EntityType::Tender), 1);
    }
}
