//! The second pass: writes an entity type's records and their index in document order, chunk by
//! chunk on all cores.

use std::{
    fs::File,
    io::{BufWriter, Seek, SeekFrom, Write},
    ops::Range,
    path::Path,
};

use anyhow::{Context, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::{
    manifest_counts::ManifestCounts,
    read_dumps::DumpRecords,
    target::{Learned, WrittenRecords},
};
use crate::{
    engine::tantivy::build::{Chunk, ChunkBuilder, OFFSETS, RECORDS, merge_chunks, write_orders},
    model::Schema,
    storage::freed_memory,
};

pub(crate) fn write_index(
    schema: &'static Schema,
    records: DumpRecords,
    memory_mb: usize,
    folder: &Path,
) -> anyhow::Result<WrittenRecords> {
    let dumps = records.dumps.clone();
    let (counts, learned) = if records.entries.is_empty() {
        Default::default()
    } else {
        write_documents(schema, records, memory_mb, folder)?
    };
    Ok(WrittenRecords {
        manifest: counts.into_manifest(schema, &dumps),
        learned,
    })
}

fn write_documents(
    schema: &'static Schema,
    records: DumpRecords,
    memory_mb: usize,
    folder: &Path,
) -> anyhow::Result<(ManifestCounts, Learned)> {
    let order = records.default_order();
    let offsets = write_offsets(&records, &order, folder)?;
    let written = write_chunks(schema, &records, &order, &offsets, memory_mb, folder)?;
    ensure!(
        written.counts.records() == order.len() as u64,
        "{} of {} records were indexed",
        written.counts.records(),
        order.len()
    );
    // The spool takes as much of the disk as the records, and merging needs space.
    drop((records, offsets));
    // What the chunks and the entries of the records took is scattered, and would stay beside what merging takes.
    freed_memory::give_back();
    let merging = progress_bar("merging", schema, order.len());
    merging.tick();
    let writing = || format!("writing an order in {}", folder.display());
    let (orders, merged) = rayon::join(
        || write_orders(schema, folder, &order).with_context(writing),
        || merge_chunks(schema, written.chunks, order.len() as u32, folder),
    );
    orders?;
    merged?;
    merging.finish_and_clear();
    Ok((written.counts, written.learned))
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

/// The smallest chunk worth a run of its own, in bytes of records.
const MIN_CHUNK_BYTES: u64 = 16 << 20;

/// A larger chunk is no cheaper, and its terms must have less than 4 GiB.
const MAX_CHUNK_BYTES: u64 = 256 << 20;

/// Chunks for each core, if each has enough records, so that no core waits for long at the end.
const CHUNKS_PER_CORE: u64 = 4;

/// What is known of the records of some chunks when all are written.
#[derive(Default)]
struct WrittenChunks {
    counts: ManifestCounts,
    learned: Learned,
    /// In document order.
    chunks: Vec<Chunk>,
}

fn write_chunks(
    schema: &'static Schema,
    records: &DumpRecords,
    order: &[u32],
    offsets: &[u64],
    memory_mb: usize,
    folder: &Path,
) -> anyhow::Result<WrittenChunks> {
    let workers = rayon::current_num_threads() as u64;
    // A chunk in progress takes about twice the bytes of its records while it is finished.
    let budget = (memory_mb as u64).saturating_mul(1 << 20);
    let chunk_bytes = (budget / workers / 2).clamp(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
    let chunks = cut(offsets, chunk_bytes, workers);
    let records_path = folder.join(RECORDS);
    File::create(&records_path)
        .and_then(|file| file.set_len(total_bytes(offsets)))
        .with_context(|| format!("creating {}", records_path.display()))?;
    let progress = progress_bar("indexing", schema, order.len());
    let chunk_writer = ChunkWriter {
        schema,
        records,
        order,
        offsets,
        records_path: &records_path,
        folder,
        progress: &progress,
    };
    // What is learned of neighbouring chunks is merged as soon as both are written: much of it is the same.
    let written = chunks
        .into_par_iter()
        .with_max_len(1)
        .map(|chunk| chunk_writer.write(chunk))
        .try_reduce(WrittenChunks::default, |before, after| Ok(before.merge(after)))?;
    progress.finish_and_clear();
    Ok(written)
}

impl WrittenChunks {
    /// With those of the chunks that follow.
    fn merge(mut self, after: WrittenChunks) -> WrittenChunks {
        self.chunks.extend(after.chunks);
        WrittenChunks {
            counts: self.counts.merge(after.counts),
            learned: self.learned.merge(after.learned),
            chunks: self.chunks,
        }
    }
}

fn total_bytes(offsets: &[u64]) -> u64 {
    *offsets.last().expect("the offsets end with the end of the last record")
}

/// Cuts the documents into chunks of at most `chunk_bytes` each (apart from single larger records),
/// and into enough chunks for all workers.
fn cut(offsets: &[u64], chunk_bytes: u64, workers: u64) -> Vec<Range<usize>> {
    let share = total_bytes(offsets) / (CHUNKS_PER_CORE * workers) + 1;
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
    folder: &'a Path,
    progress: &'a ProgressBar,
}

impl ChunkWriter<'_> {
    /// Writes the records of a chunk to the records file, and its part of the index.
    fn write(&self, documents: Range<usize>) -> anyhow::Result<WrittenChunks> {
        let writing = || format!("writing {} (is the disk full?)", self.records_path.display());
        let mut file = File::options()
            .write(true)
            .open(self.records_path)
            .with_context(writing)?;
        file.seek(SeekFrom::Start(self.offsets[documents.start]))
            .with_context(writing)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let mut chunk = ChunkBuilder::create(self.schema, self.folder, documents.start as u32)?;
        let mut written = WrittenChunks::default();
        let mut bytes = Vec::new();
        for document in documents {
            let entry = &self.records.entries[self.order[document] as usize];
            self.records.read(entry, &mut bytes).context("reading the spool")?;
            let record = self.records.parse(self.schema, entry, &bytes)?;
            chunk
                .add(&record)
                .with_context(|| format!("indexing {}", record.id()))?;
            written.counts.add(&record, entry.dump);
            let source = self.records.source(entry.dump);
            written.learned.observe(&record, source, &self.records.teach);
            bytes.push(b'\n');
            out.write_all(&bytes).with_context(writing)?;
            self.progress.inc(1);
        }
        out.flush().with_context(writing)?;
        let chunk = chunk.finish();
        let chunk = chunk.with_context(|| format!("writing to {} (is the disk full?)", self.folder.display()))?;
        written.chunks.push(chunk);
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
        let chunks = cut(&offsets, 20 << 20, 1);
        assert_eq!(chunks, [0..20, 20..40, 40..60, 60..80, 80..100]);
        assert_eq!(cut(&offsets, 100 << 20, 1), [0..25, 25..50, 50..75, 75..100]);
        // A record larger than a chunk gets a chunk of its own.
        assert_eq!(cut(&[0, 100 << 20, 101 << 20], 1, 2), [0..1, 1..2]);
        assert!(cut(&[0], 1, 2).is_empty());
    }

    #[test]
    fn the_template_of_the_progress_bar_is_valid() {
        progress_bar("indexing", Schema::of(crate::model::entity_type::EntityType::Tender), 1);
    }
}
