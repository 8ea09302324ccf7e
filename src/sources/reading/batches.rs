//! Processes the rows of one file on all cores: one thread parses, and every free thread processes
//! what was parsed.
//!
//! Rows are cut into batches by their number and size alone, and the results of batches are put
//! together in order, so nothing depends on the number of cores or their speed. Memory holds the
//! batches that wait (over all files, [`MAX_WAITING_BYTES_PER_CORE`] per core), one batch in
//! progress per core, and the buffers of those.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::Result;

use super::{
    reader::{ReadError, RowSink},
    row_counts::RowCounts,
    spool::{
        entry::SpoolEntry,
        writer::{Buffers, SpoolWriter},
    },
};

/// A parsed row. Its memory is used again for later rows.
pub(crate) trait BatchRow: Default + Send {
    /// The bytes that the row holds; may be estimated too high.
    fn size(&self) -> usize;
}

/// A batch is full when it has this many bytes or this many rows, whichever comes first.
const BATCH_BYTES: usize = 128 << 10;
const BATCH_ROWS: usize = 1 << 10;

/// When more bytes wait for each core, the parsing thread processes rows too.
const MAX_WAITING_BYTES_PER_CORE: usize = 2 * BATCH_BYTES;

/// A batch whose rows have more memory than this is not used again.
const MAX_REUSED_BYTES: usize = 8 * BATCH_BYTES;

/// Bytes that wait, over all files that are being read.
static WAITING_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Parses rows with `next` until it returns false, and passes each to `process`. Rows that were
/// parsed before an error are processed.
pub(crate) fn process_rows<R: BatchRow>(
    out: &mut RowSink,
    mut next: impl FnMut(&mut R) -> Result<bool, ReadError>,
    process: impl Fn(&R, &mut RowSink) -> Result<()> + Sync,
) -> Result<(), ReadError> {
    let work = &SharedWork {
        writer: out.spool.for_batch(0, 0, Buffers::default()),
        process,
        waiting: Mutex::default(),
        used: Mutex::default(),
        done: Mutex::default(),
    };
    let max_waiting = MAX_WAITING_BYTES_PER_CORE * rayon::current_num_threads();
    let mut collected = 0;
    let mut parsed = Ok(true);
    rayon::in_place_scope(|scope| {
        while matches!(parsed, Ok(true)) {
            let mut batch = lock(&work.used).pop().unwrap_or_default();
            parsed = batch.fill(&mut next);
            // For each batch that is added, one is processed, so that none is left at the end.
            if work.add(batch) > max_waiting {
                work.process_oldest();
            } else {
                scope.spawn(|_| work.process_oldest());
            }
            work.collect(&mut collected, out)?;
        }
        Ok(())
    })?;
    work.collect(&mut collected, out)?;
    parsed.map(|_| ())
}

/// What the threads share.
struct SharedWork<'a, R, P> {
    /// Makes the writers of batches.
    writer: SpoolWriter<'a>,
    process: P,
    waiting: Mutex<WaitingBatches<R>>,
    /// Processed batches, to be filled again.
    used: Mutex<Vec<Batch<R>>>,
    /// Results by batch number.
    done: Mutex<BTreeMap<usize, BatchResult>>,
}

/// Parsed batches with their numbers, oldest first.
#[derive(Default)]
struct WaitingBatches<R> {
    batches: VecDeque<(usize, Batch<R>)>,
    /// The number of the next batch.
    next: usize,
}

type BatchResult = (RowCounts, Result<Vec<SpoolEntry>>);

impl<R: BatchRow, P: Fn(&R, &mut RowSink) -> Result<()> + Sync> SharedWork<'_, R, P> {
    /// Returns the number of bytes that wait now.
    fn add(&self, batch: Batch<R>) -> usize {
        let bytes = batch.bytes;
        let mut waiting = lock(&self.waiting);
        let number = waiting.next;
        waiting.batches.push_back((number, batch));
        waiting.next += 1;
        WAITING_BYTES.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    fn process_oldest(&self) {
        let Some((number, mut batch)) = lock(&self.waiting).batches.pop_front() else {
            return;
        };
        WAITING_BYTES.fetch_sub(batch.bytes, Ordering::Relaxed);
        let mut counts = RowCounts::of_part();
        let buffers = std::mem::take(&mut batch.buffers);
        let mut sink = RowSink {
            counts: &mut counts,
            spool: self.writer.for_batch(number + 1, batch.filled, buffers),
        };
        let processed = batch.rows().try_for_each(|row| (self.process)(row, &mut sink));
        let entries = sink.spool.finish();
        batch.buffers = sink.spool.buffers;
        lock(&self.done).insert(number, (counts, processed.and(entries)));
        batch.clear();
        lock(&self.used).push(batch);
    }

    /// Moves results to the file's sink in the order of the batches, until one is not done yet.
    /// `next` is the number of the next batch to move.
    fn collect(&self, next: &mut usize, out: &mut RowSink) -> Result<(), ReadError> {
        while let Some((counts, entries)) = self.take_done(*next) {
            *next += 1;
            out.counts.add(counts);
            let appended = entries.and_then(|entries| out.spool.append_batch(entries));
            appended.map_err(ReadError::Fatal)?;
        }
        Ok(())
    }

    fn take_done(&self, number: usize) -> Option<BatchResult> {
        lock(&self.done).remove(&number)
    }
}

#[derive(Default)]
struct Batch<R> {
    /// Each row with the largest size it ever had, which is the memory it keeps.
    rows: Vec<(R, usize)>,
    /// How many of the rows belong to this batch; the others are left from its former use.
    filled: usize,
    bytes: usize,
    /// The memory that all rows keep, in bytes.
    reserved: usize,
    buffers: Buffers,
}

impl<R: BatchRow> Batch<R> {
    /// Fills the batch. Returns false if `next` has no more rows.
    fn fill(&mut self, next: &mut impl FnMut(&mut R) -> Result<bool, ReadError>) -> Result<bool, ReadError> {
        while self.bytes < BATCH_BYTES && self.filled < BATCH_ROWS {
            if self.filled == self.rows.len() {
                self.rows.push((R::default(), 0));
            }
            let (row, largest) = &mut self.rows[self.filled];
            if !next(row)? {
                return Ok(false);
            }
            let size = row.size();
            self.reserved += size.saturating_sub(*largest);
            *largest = size.max(*largest);
            self.bytes += size;
            self.filled += 1;
        }
        Ok(true)
    }

    fn rows(&self) -> impl Iterator<Item = &R> {
        self.rows[..self.filled].iter().map(|(row, _)| row)
    }

    fn clear(&mut self) {
        if self.reserved > MAX_REUSED_BYTES {
            *self = Batch::default();
        }
        (self.filled, self.bytes) = (0, 0);
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;
    use crate::sources::reading::{
        row_output::{Annotation, Recency},
        spool::file::Spool,
    };

    impl BatchRow for String {
        fn size(&self) -> usize {
            self.len()
        }
    }

    const LINES: usize = 20_000;

    /// Reads the rows `0`, `1`, … until `end` ends them; every seventh is skipped, the others are
    /// annotations.
    fn read(
        threads: usize,
        end: impl Fn(usize) -> Result<bool, ReadError> + Sync,
        process: impl Fn(usize) -> Result<()> + Sync,
    ) -> (Result<(), ReadError>, RowCounts, Vec<SpoolEntry>) {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::create(folder.path()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut counts = RowCounts::default();
            let mut out = RowSink {
                counts: &mut counts,
                spool: SpoolWriter::new(&spool, 3).unwrap(),
            };
            let mut line = 0;
            let next = |row: &mut String| {
                let has_row = end(line)?;
                *row = line.to_string();
                line += 1;
                Ok(has_row)
            };
            let read = process_rows(&mut out, next, |row: &String, out| {
                let line: usize = row.parse().unwrap();
                out.row();
                process(line)?;
                if line.is_multiple_of(10) {
                    out.counts.note(line as u64, &format!("kind {}", line % 1_510));
                }
                if line.is_multiple_of(7) {
                    out.counts.skip(line as u64, "a seventh");
                } else {
                    out.annotate(line as u64, annotation(line))?;
                }
                Ok(())
            });
            let entries = out.spool.finish().unwrap();
            (read, counts, entries)
        })
    }

    fn annotation(line: usize) -> Annotation {
        Annotation {
            group: line.to_string(),
            recency: Recency(0, line as i64),
            content: line.into(),
        }
    }

    #[test]
    fn results_are_in_row_order_with_any_number_of_cores() {
        for threads in [1, 2, 8] {
            let (read, counts, entries) = read(threads, |line| Ok(line < LINES), |_| Ok(()));
            assert!(read.is_ok());
            assert_eq!(counts.rows, LINES as u64);
            assert_eq!(counts.skipped["a seventh"].first_line, 0);
            assert_eq!(counts.skipped_rows() as usize, LINES.div_ceil(7));
            assert!(entries.is_sorted_by_key(|entry| entry.line), "{threads} threads");
            assert!(
                entries
                    .iter()
                    .enumerate()
                    .all(|(at, entry)| entry.position().1 as usize == at)
            );
            assert_eq!(entries.len(), LINES - LINES.div_ceil(7));
            let mut at_once = RowCounts::default();
            for line in (0..LINES).step_by(10) {
                at_once.note(line as u64, &format!("kind {}", line % 1_510));
            }
            assert_eq!(counts.notes, at_once.notes);
        }
    }

    #[test]
    fn rows_before_damage_are_kept() {
        let end = |line| match line {
            5_000 => Err(ReadError::Damaged {
                line: 5_000,
                reason: "damage".to_owned(),
            }),
            _ => Ok(true),
        };
        let (read, counts, _) = read(2, end, |_| Ok(()));
        assert!(matches!(read, Err(ReadError::Damaged { line: 5_000, .. })));
        assert_eq!(counts.rows, 5_000);
    }

    #[test]
    fn of_two_failures_the_first_is_returned() {
        for threads in [1, 2, 8] {
            let fails = |line| match line {
                1_500 => bail!("the first"),
                3_000 => bail!("the second"),
                _ => Ok(()),
            };
            let (read, ..) = read(threads, |line| Ok(line < LINES), fails);
            assert!(matches!(read, Err(ReadError::Fatal(error)) if error.to_string() == "the first"));
        }
    }

    #[test]
    fn memory_of_a_long_row_is_freed() {
        let mut batch = Batch::default();
        let mut lengths = [10, MAX_REUSED_BYTES + 1].into_iter();
        let mut next = |row: &mut String| {
            let length = lengths.next();
            *row = "x".repeat(length.unwrap_or(10));
            Ok(length.is_some())
        };
        assert!(batch.fill(&mut next).unwrap(), "full by its bytes");
        batch.clear();
        assert!(batch.rows.is_empty());
        assert!(!batch.fill(&mut next).unwrap());
    }

    #[test]
    fn a_failure_ends_the_reading_of_an_endless_file() {
        for threads in [1, 2] {
            let fails = |line| match line {
                3_000 => bail!("the disk is full"),
                _ => Ok(()),
            };
            let (read, ..) = read(threads, |_| Ok(true), fails);
            assert!(matches!(read, Err(ReadError::Fatal(error)) if error.to_string() == "the disk is full"));
        }
    }
}
