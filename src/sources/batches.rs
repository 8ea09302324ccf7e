//! The rows of one file, by all cores: one parses on, while whoever is free makes drafts of what was parsed.
//!
//! Rows are cut into batches by their number and size alone, and what batches give is put together in their order, so nothing depends
//! on how many cores there are or which is the faster. A batch is used again once its drafts are made; memory holds a few a core.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use anyhow::Result;

use super::{
    Broken,
    intake::{Intake, Tally},
    spool::{Drafts, Entry},
};

/// A row as its parser leaves it, to be filled again and again.
pub trait Parsed: Default + Send + Sync {
    /// About how many bytes it holds.
    fn size(&self) -> usize;
}

/// A batch is full at so many bytes or rows, whichever comes first.
const BYTES: usize = 128 << 10;
const ROWS: usize = 1 << 10;

/// A row so long would hold on to its memory for the rest of the file.
const LONG: usize = 64 << 10;

/// Batches that may wait for each core; past that, who parses drafts too.
const WAITING: usize = 2;

/// Parses rows with `next` until it gives false, and drafts each with `draft`. Rows parsed before a failure are drafted.
pub fn each<R: Parsed>(
    out: &mut Intake,
    mut next: impl FnMut(&mut R) -> Result<bool, Broken>,
    draft: impl Fn(&R, &mut Intake) -> Result<()> + Sync,
) -> Result<(), Broken> {
    let work = &Work {
        file: out.drafts.of_batch(0),
        draft,
        waiting: Mutex::default(),
        used: Mutex::default(),
        done: Mutex::default(),
    };
    let most = WAITING * rayon::current_num_threads();
    let mut adopted = 0;
    let read = rayon::in_place_scope(|scope| {
        for number in 0.. {
            let mut batch = lock(&work.used).pop().unwrap_or_default();
            batch.number = number;
            let read = batch.fill(&mut next);
            // Of as many as wait, each has one on the way to take it; one more is for who parses.
            match work.put(batch) > most {
                true => work.take(),
                false => scope.spawn(|_| work.take()),
            }
            work.adopt(&mut adopted, out)?;
            if !matches!(read, Ok(true)) {
                return read;
            }
        }
        Ok(false)
    });
    work.adopt(&mut adopted, out)?;
    read.map(|_| ())
}

/// What the cores share.
struct Work<'a, R, D> {
    file: Drafts<'a>,
    draft: D,
    /// Parsed, the oldest first.
    waiting: Mutex<VecDeque<Batch<R>>>,
    /// Drafted, to be filled again.
    used: Mutex<Vec<Batch<R>>>,
    /// What batches gave, by their numbers.
    done: Mutex<BTreeMap<usize, (Tally, Result<Vec<Entry>>)>>,
}

impl<R: Parsed, D: Fn(&R, &mut Intake) -> Result<()> + Sync> Work<'_, R, D> {
    /// How many wait then.
    fn put(&self, batch: Batch<R>) -> usize {
        let mut waiting = lock(&self.waiting);
        waiting.push_back(batch);
        waiting.len()
    }

    /// Drafts the oldest that waits.
    fn take(&self) {
        let Some(mut batch) = lock(&self.waiting).pop_front() else {
            return;
        };
        let mut tally = Tally::default();
        let mut intake = Intake {
            tally: &mut tally,
            drafts: self.file.of_batch(batch.number),
        };
        let mut rows = batch.rows[..batch.filled].iter();
        let drafted = rows.try_for_each(|row| (self.draft)(row, &mut intake));
        let entries = intake.drafts.finish();
        lock(&self.done).insert(batch.number, (tally, drafted.and(entries)));
        batch.clear();
        lock(&self.used).push(batch);
    }

    /// Puts what is done into the file's intake, in the batches' order, from the first that is not there yet.
    fn adopt(&self, next: &mut usize, out: &mut Intake) -> Result<(), Broken> {
        while let Some((tally, entries)) = lock(&self.done).remove(next) {
            *next += 1;
            out.tally.add(tally);
            let adopted = entries.and_then(|entries| out.drafts.adopt(entries));
            adopted.map_err(Broken::Fatal)?;
        }
        Ok(())
    }
}

struct Batch<R> {
    number: usize,
    rows: Vec<R>,
    /// How many of them are of this batch; the others are left from its former use.
    filled: usize,
}

impl<R> Default for Batch<R> {
    fn default() -> Self {
        Batch {
            number: 0,
            rows: Vec::new(),
            filled: 0,
        }
    }
}

impl<R: Parsed> Batch<R> {
    /// Whether there may be more rows than the batch takes.
    fn fill(&mut self, next: &mut impl FnMut(&mut R) -> Result<bool, Broken>) -> Result<bool, Broken> {
        let mut bytes = 0;
        while bytes < BYTES && self.filled < ROWS {
            if self.filled == self.rows.len() {
                self.rows.push(R::default());
            }
            let row = &mut self.rows[self.filled];
            if !next(row)? {
                return Ok(false);
            }
            bytes += row.size();
            self.filled += 1;
        }
        Ok(true)
    }

    fn clear(&mut self) {
        for row in self.rows.iter_mut().take(self.filled) {
            if row.size() > LONG {
                *row = R::default();
            }
        }
        self.filled = 0;
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;
    use crate::sources::spool::Spool;

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
            let read = each(&mut out, next, |row: &String, out| {
                let line: usize = row.parse().unwrap();
                out.row();
                draft(line)?;
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

    fn remark(line: usize) -> crate::sources::intake::Remark {
        crate::sources::intake::Remark {
            group: line.to_string(),
            rank: crate::sources::intake::Rank(0, line as i64),
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
