//! The rows of one file, by all cores: one parses on, while whoever is free makes drafts of what was parsed.
//!
//! Rows are cut into batches by their number and size alone, and what batches give is put together in their order, so nothing depends
//! on how many cores there are or which is the faster. Memory holds what may wait, [`WAITING`] a core over all files, a batch for each core,
//! and what those batches' drafts are made in.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::Result;

use crate::sources::{
    Broken,
    reading::{
        intake::{Intake, Tally},
        spool::{Drafts, Entry, Memory},
    },
};

/// A row as its parser leaves it, to be filled again and again.
pub trait Parsed: Default + Send {
    /// How many bytes it holds, or somewhat more.
    fn size(&self) -> usize;
}

/// A batch is full at so many bytes or rows, whichever comes first.
const BYTES: usize = 128 << 10;
const ROWS: usize = 1 << 10;

/// How many bytes may wait for each core; past that, who parses drafts too.
const WAITING: usize = 2 * BYTES;

/// Bytes that wait, in all files that are being read.
static WAIT: AtomicUsize = AtomicUsize::new(0);

/// Parses rows with `next` until it gives false, and drafts each with `draft`. Rows parsed before a failure are drafted.
pub fn draft_each<R: Parsed>(
    out: &mut Intake,
    mut next: impl FnMut(&mut R) -> Result<bool, Broken>,
    draft: impl Fn(&R, &mut Intake) -> Result<()> + Sync,
) -> Result<(), Broken> {
    let work = &Work {
        of_file: out.drafts.of_batch(0, 0, Memory::default()),
        draft,
        waiting: Mutex::default(),
        used: Mutex::default(),
        done: Mutex::default(),
    };
    let most = WAITING * rayon::current_num_threads();
    let mut adopted = 0;
    let mut parsed = Ok(true);
    rayon::in_place_scope(|scope| {
        while matches!(parsed, Ok(true)) {
            let mut batch = lock(&work.used).pop().unwrap_or_default();
            parsed = batch.fill(&mut next);
            // Each batch that is put is taken once, so that none is left in the end.
            match work.put(batch) > most {
                true => work.draft_oldest(),
                false => scope.spawn(|_| work.draft_oldest()),
            }
            work.adopt(&mut adopted, out)?;
        }
        Ok(())
    })?;
    work.adopt(&mut adopted, out)?;
    parsed.map(|_| ())
}

/// What the cores share.
struct Work<'a, R, D> {
    /// Makes those of the batches.
    of_file: Drafts<'a>,
    draft: D,
    waiting: Mutex<Waiting<R>>,
    /// Drafted, to be filled again.
    used: Mutex<Vec<Batch<R>>>,
    /// What batches gave, by their numbers.
    done: Mutex<BTreeMap<usize, Part>>,
}

/// Batches that were parsed, by their numbers, the oldest first.
struct Waiting<R> {
    batches: VecDeque<(usize, Batch<R>)>,
    /// How many there were before.
    put: usize,
}

type Part = (Tally, Result<Vec<Entry>>);

impl<R: Parsed, D: Fn(&R, &mut Intake) -> Result<()> + Sync> Work<'_, R, D> {
    /// How many bytes wait then.
    fn put(&self, batch: Batch<R>) -> usize {
        let bytes = batch.bytes;
        let mut waiting = lock(&self.waiting);
        let number = waiting.put;
        waiting.batches.push_back((number, batch));
        waiting.put += 1;
        WAIT.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    fn draft_oldest(&self) {
        let Some((number, mut batch)) = lock(&self.waiting).batches.pop_front() else {
            return;
        };
        WAIT.fetch_sub(batch.bytes, Ordering::Relaxed);
        let mut tally = Tally::of_part();
        let memory = std::mem::take(&mut batch.memory);
        let mut intake = Intake {
            tally: &mut tally,
            drafts: self.of_file.of_batch(number + 1, batch.filled, memory),
        };
        let drafted = batch.rows().try_for_each(|row| (self.draft)(row, &mut intake));
        let entries = intake.drafts.finish();
        batch.memory = intake.drafts.memory;
        lock(&self.done).insert(number, (tally, drafted.and(entries)));
        batch.empty();
        lock(&self.used).push(batch);
    }

    /// Puts what is done into the file's intake, in the batches' order, from the first that is not there yet.
    fn adopt(&self, next: &mut usize, out: &mut Intake) -> Result<(), Broken> {
        while let Some((tally, entries)) = self.done(*next) {
            *next += 1;
            out.tally.add(tally);
            let adopted = entries.and_then(|entries| out.drafts.adopt(entries));
            adopted.map_err(Broken::Fatal)?;
        }
        Ok(())
    }

    fn done(&self, number: usize) -> Option<Part> {
        lock(&self.done).remove(&number)
    }
}

struct Batch<R> {
    /// Each with the most it ever held, which it keeps the room for.
    rows: Vec<(R, usize)>,
    /// How many of them are of this batch; the others are left from its former use.
    filled: usize,
    bytes: usize,
    /// The room of all rows.
    room: usize,
    /// What their drafts are made in.
    memory: Memory,
}

/// What a batch may keep for its next use.
const MOST_ROOM: usize = 8 * BYTES;

impl<R> Default for Batch<R> {
    fn default() -> Self {
        Batch {
            rows: Vec::new(),
            filled: 0,
            bytes: 0,
            room: 0,
            memory: Memory::default(),
        }
    }
}

impl<R: Parsed> Batch<R> {
    /// Whether there may be more rows than the batch takes.
    fn fill(&mut self, next: &mut impl FnMut(&mut R) -> Result<bool, Broken>) -> Result<bool, Broken> {
        while self.bytes < BYTES && self.filled < ROWS {
            if self.filled == self.rows.len() {
                self.rows.push((R::default(), 0));
            }
            let (row, most) = &mut self.rows[self.filled];
            if !next(row)? {
                return Ok(false);
            }
            let size = row.size();
            self.room += size.saturating_sub(*most);
            *most = size.max(*most);
            self.bytes += size;
            self.filled += 1;
        }
        Ok(true)
    }

    fn rows(&self) -> impl Iterator<Item = &R> {
        self.rows[..self.filled].iter().map(|(row, _)| row)
    }

    fn empty(&mut self) {
        if self.room > MOST_ROOM {
            *self = Batch::default();
        }
        (self.filled, self.bytes) = (0, 0);
    }
}

impl<R> Default for Waiting<R> {
    fn default() -> Self {
        Waiting {
            batches: VecDeque::new(),
            put: 0,
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;
    use crate::sources::reading::spool::Spool;

    impl Parsed for String {
        fn size(&self) -> usize {
            self.len()
        }
    }

    const LINES: usize = 20_000;

    /// What comes of rows `0`, `1`, … until `next` ends them; every seventh is skipped.
    fn read(
        threads: usize,
        end: impl Fn(usize) -> Result<bool, Broken> + Sync,
        draft: impl Fn(usize) -> Result<()> + Sync,
    ) -> (Result<(), Broken>, Tally, Vec<Entry>) {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::create(&folder.path().join("spool")).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut tally = Tally::default();
            let mut out = Intake {
                tally: &mut tally,
                drafts: Drafts::new(&spool, 3),
            };
            let mut line = 0;
            let next = |row: &mut String| {
                let goes_on = end(line)?;
                *row = line.to_string();
                line += 1;
                Ok(goes_on)
            };
            let read = draft_each(&mut out, next, |row: &String, out| {
                let line: usize = row.parse().unwrap();
                out.row();
                draft(line)?;
                if line.is_multiple_of(10) {
                    out.tally.note(line as u64, &format!("kind {}", line % 1_510));
                }
                match line % 7 {
                    0 => out.tally.skip(line as u64, "a seventh"),
                    _ => out.remark(line as u64, remark(line))?,
                }
                Ok(())
            });
            let entries = out.drafts.finish().unwrap();
            (read, tally, entries)
        })
    }

    fn remark(line: usize) -> crate::sources::reading::intake::Remark {
        crate::sources::reading::intake::Remark {
            group: line.to_string(),
            rank: crate::sources::reading::intake::Rank(0, line as i64),
            said: line.into(),
        }
    }

    #[test]
    fn what_rows_give_is_in_their_order_however_many_cores_there_are() {
        for threads in [1, 2, 8] {
            let (read, tally, entries) = read(threads, |line| Ok(line < LINES), |_| Ok(()));
            assert!(read.is_ok());
            assert_eq!(tally.rows, LINES as u64);
            assert_eq!(tally.skipped["a seventh"].first_line, 0);
            assert_eq!(tally.skipped_rows() as usize, LINES.div_ceil(7));
            assert!(entries.is_sorted_by_key(Entry::line), "{threads} threads");
            assert!(
                entries
                    .iter()
                    .enumerate()
                    .all(|(at, entry)| entry.place().1 as usize == at)
            );
            assert_eq!(entries.len(), LINES - LINES.div_ceil(7));
            let mut at_once = Tally::default();
            for line in (0..LINES).step_by(10) {
                at_once.note(line as u64, &format!("kind {}", line % 1_510));
            }
            assert_eq!(tally.notes, at_once.notes);
        }
    }

    #[test]
    fn rows_before_the_damage_stay() {
        let end = |line| match line {
            5_000 => Err(Broken::Here {
                line: 5_000,
                why: "damage".to_owned(),
            }),
            _ => Ok(true),
        };
        let (read, tally, _) = read(2, end, |_| Ok(()));
        assert!(matches!(read, Err(Broken::Here { line: 5_000, .. })));
        assert_eq!(tally.rows, 5_000);
    }

    #[test]
    fn of_two_failures_the_first_is_told() {
        for threads in [1, 2, 8] {
            let fails = |line| match line {
                1_500 => bail!("the first"),
                3_000 => bail!("the second"),
                _ => Ok(()),
            };
            let (read, ..) = read(threads, |line| Ok(line < LINES), fails);
            assert!(matches!(read, Err(Broken::Fatal(error)) if error.to_string() == "the first"));
        }
    }

    #[test]
    fn a_long_row_is_not_held_for_all_that_follow() {
        let mut batch = Batch::default();
        let mut lengths = [10, MOST_ROOM + 1].into_iter();
        let mut next = |row: &mut String| {
            let length = lengths.next();
            *row = "x".repeat(length.unwrap_or(10));
            Ok(length.is_some())
        };
        assert!(batch.fill(&mut next).unwrap(), "full by its bytes");
        batch.empty();
        assert!(batch.rows.is_empty());
        assert!(!batch.fill(&mut next).unwrap());
    }

    #[test]
    fn a_failed_draft_ends_the_reading_of_an_endless_file() {
        for threads in [1, 2] {
            let fails = |line| match line {
                3_000 => bail!("the disk is full"),
                _ => Ok(()),
            };
            let (read, ..) = read(threads, |_| Ok(true), fails);
            assert!(matches!(read, Err(Broken::Fatal(error)) if error.to_string() == "the disk is full"));
        }
    }
}
