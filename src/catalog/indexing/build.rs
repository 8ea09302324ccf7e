//! The second pass: a kind's records in document order, written beside their index, chunk by chunk on all cores.

use std::{
    fs::File,
    io::{BufWriter, Seek, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::{Options, intake::Intake, summary::Summary};
use crate::{
    catalog::generation::KindManifest,
    engine::tantivy::writer::{self, FacetEntries, OFFSETS, RECORDS, SegmentBuilder},
    model::{
        record::Record,
        schema::{Role, Schema},
    },
    query::SortKey,
};

pub fn build(
    schema: &'static Schema,
    intake: &mut Intake,
    options: &Options,
    folder: &Path,
) -> anyhow::Result<KindManifest> {
    let summary = if intake.entries.is_empty() {
        Summary::default()
    } else {
        let order = document_order(intake);
        write_orders(schema, intake, &order, folder)?;
        let offsets = write_offsets(intake, &order, folder)?;
        let summary = write_chunks(schema, intake, &order, &offsets, options, folder)?;
        ensure!(
            summary.records() == order.len() as u64,
            "{} of {} records were indexed",
            summary.records(),
            order.len()
        );
        summary
    };
    intake.forget_records();
    Ok(summary.into_manifest(schema, &intake.dumps))
}

/// The entries in document order: event date descending, undated last; equal dates by id, which is the order they come in.
fn document_order(intake: &Intake) -> Vec<u32> {
    let mut order: Vec<u32> = (0..intake.entries.len() as u32).collect();
    order.par_sort_by_key(|entry| std::cmp::Reverse(intake.entries[*entry as usize].date));
    order
}

/// The orders by other keys, as document numbers.
fn write_orders(schema: &Schema, intake: &Intake, order: &[u32], folder: &Path) -> anyhow::Result<()> {
    let mut documents = vec![0u32; order.len()];
    for (document, entry) in (0u32..).zip(order) {
        documents[*entry as usize] = document;
    }
    let entries = &intake.entries;
    for (key, role) in [(SortKey::ClosingDate, Role::ClosingDate), (SortKey::Value, Role::Value)] {
        if !schema.has_role(role) {
            continue;
        }
        let mut by_key: Vec<u32> = (0..entries.len() as u32).collect();
        match key {
            SortKey::Value => by_key.par_sort_by(|a, b| {
                let value = |entry: &u32| entries[*entry as usize].value;
                match (value(a), value(b)) {
                    (Some(a), Some(b)) => b.total_cmp(&a),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                }
            }),
            _ => by_key.par_sort_by_key(|entry| std::cmp::Reverse(entries[*entry as usize].closing_date)),
        }
        by_key.iter_mut().for_each(|entry| *entry = documents[*entry as usize]);
        writer::write_order(folder, key, &by_key)
            .with_context(|| format!("writing an order in {}", folder.display()))?;
    }
    Ok(())
}

/// Where each record begins in the records' file, and where the last one ends.
fn write_offsets(intake: &Intake, order: &[u32], folder: &Path) -> anyhow::Result<Vec<u64>> {
    let mut offsets = Vec::with_capacity(order.len() + 1);
    let mut end = 0;
    offsets.push(end);
    for entry in order {
        end += intake.entries[*entry as usize].length() + 1;
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
const SMALLEST_CHUNK: u64 = 16 << 20;

fn write_chunks(
    schema: &'static Schema,
    intake: &Intake,
    order: &[u32],
    offsets: &[u64],
    options: &Options,
    folder: &Path,
) -> anyhow::Result<Summary> {
    let workers = rayon::current_num_threads() as u64;
    // A segment in progress takes about half the bytes of its records, and twice that while its tables double.
    let budget = (options.memory_mb as u64).saturating_mul(1 << 20);
    let most = (budget / workers).max(SMALLEST_CHUNK);
    let chunks = cut(offsets, most, workers);
    let records = folder.join(RECORDS);
    File::create(&records)
        .and_then(|file| file.set_len(*offsets.last().unwrap_or(&0)))
        .with_context(|| format!("creating {}", records.display()))?;
    let progress = progress_bar(schema, order.len());
    let paths: Vec<PathBuf> = (0..chunks.len())
        .map(|number| folder.join(format!("chunk-{number:05}")))
        .collect();
    let work = Work {
        schema,
        intake,
        order,
        offsets,
        records: &records,
        progress: &progress,
    };
    let written = chunks
        .par_iter()
        .zip(&paths)
        .with_max_len(1)
        .map(|(chunk, path)| work.write(chunk.clone(), path))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let (summaries, facets): (Vec<Summary>, Vec<FacetEntries>) = written.into_iter().unzip();
    writer::write_facets(folder, &facets)
        .with_context(|| format!("writing what the records in {} are counted by", folder.display()))?;
    drop(facets);
    let summary = summaries.into_iter().fold(Summary::default(), Summary::merge);
    progress.set_message(format!("merging {}", schema.entity_type));
    writer::merge(schema, &paths, folder)?;
    progress.finish_and_clear();
    Ok(summary)
}

/// Runs of documents of at most `most` bytes each (a single larger record excepted), and enough runs for all workers.
fn cut(offsets: &[u64], most: u64, workers: u64) -> Vec<Range<usize>> {
    let total = *offsets.last().unwrap_or(&0);
    let most = most.min(total / workers + 1).max(SMALLEST_CHUNK.min(most));
    let mut chunks = Vec::new();
    let mut start = 0;
    while start + 1 < offsets.len() {
        let limit = offsets[start] + most;
        let end = offsets
            .partition_point(|offset| *offset <= limit)
            .saturating_sub(1)
            .max(start + 1);
        chunks.push(start..end);
        start = end;
    }
    chunks
}

struct Work<'a> {
    schema: &'static Schema,
    intake: &'a Intake,
    order: &'a [u32],
    offsets: &'a [u64],
    records: &'a Path,
    progress: &'a ProgressBar,
}

impl Work<'_> {
    fn write(&self, documents: Range<usize>, folder: &Path) -> anyhow::Result<(Summary, FacetEntries)> {
        let writing = || format!("writing {} (is the disk full?)", self.records.display());
        let mut file = File::options().write(true).open(self.records).with_context(writing)?;
        file.seek(SeekFrom::Start(self.offsets[documents.start]))
            .with_context(writing)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let mut chunk = SegmentBuilder::create(self.schema, folder)?;
        let mut summary = Summary::default();
        let mut facets = FacetEntries::default();
        let mut bytes = Vec::new();
        for document in documents {
            let entry = &self.intake.entries[self.order[document] as usize];
            self.intake.read(entry, &mut bytes).context("reading the spool")?;
            let record = Record::parse(self.schema, &bytes)
                .map_err(|e| anyhow!("a record of the spool is no longer what was read: {e}"))?;
            chunk
                .add(&record)
                .with_context(|| format!("indexing {}", record.id()))?;
            summary.add(&record, entry.dump);
            facets.add(&record);
            bytes.push(b'\n');
            out.write_all(&bytes).with_context(writing)?;
            self.progress.inc(1);
        }
        out.flush().with_context(writing)?;
        chunk
            .finish()
            .with_context(|| format!("writing {} (is the disk full?)", folder.display()))?;
        Ok((summary, facets))
    }
}

fn progress_bar(schema: &Schema, records: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:24} {bar:30} {human_pos}/{human_len} {per_sec} {eta}");
    let bar = ProgressBar::new(records as u64).with_message(format!("indexing {}", schema.entity_type));
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_every_document_once_in_order() {
        let offsets: Vec<u64> = (0..=100).map(|n| n * (1 << 20)).collect();
        let chunks = cut(&offsets, 20 << 20, 2);
        assert_eq!(chunks, [0..20, 20..40, 40..60, 60..80, 80..100]);
        // One record larger than a chunk is a chunk.
        assert_eq!(cut(&[0, 100 << 20, 101 << 20], 1, 2), [0..1, 1..2]);
        assert!(cut(&[0], 1, 2).is_empty());
    }
}
