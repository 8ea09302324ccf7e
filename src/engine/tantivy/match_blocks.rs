//! All matches of a query in blocks, in document order, and how threads share them.
//!
//! The columns that are read of a block, the block itself and what is computed of it stay in the cache of the
//! processor.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocId, query::Scorer};

use super::compiled_query::CompiledQuery;
use crate::engine::{error::Error, helper_threads};

/// The maximum number of documents of a block. On two million documents, blocks of 2,048 took less time than blocks of
/// 4,096.
pub(super) const BLOCK: usize = 2048;

/// The number of documents, matching or not, that one thread reads at a time. Starting a thread takes a tenth of the
/// time of counting that many.
pub(super) const PART: u32 = 1 << 17;

/// Matches to read, in blocks.
struct MatchBlocks<'q> {
    query: &'q CompiledQuery<'q>,
    candidates: Candidates,
}

/// The documents that the sets of a query have in a range. Some of them are still to be tested.
enum Candidates {
    /// There are no sets.
    Range(Range<DocId>),
    Set {
        set: Box<dyn Scorer>,
        end: DocId,
        /// How many documents away the end must be for a read of many at once.
        reach: u32,
    },
}

/// What is counted of all matches. Several threads share many of them, each with a tally of its own; the tallies are
/// merged last. Blocks may come to a tally in any order.
pub(super) fn tallied<T: Send>(
    query: &CompiledQuery,
    empty: impl Fn() -> T + Sync,
    add: impl Fn(&mut T, &[DocId]) + Sync,
    merged: impl Fn(T, T) -> T,
) -> Result<T, Error> {
    let ranges = match Reading::of(query)? {
        Reading::Alone(blocks) => {
            let mut tally = empty();
            blocks.for_each(|block| add(&mut tally, block))?;
            return Ok(tally);
        }
        Reading::Shared(ranges) => ranges,
    };
    let tallies = Mutex::new(Vec::new());
    helper_threads::map(&ranges, |range| -> Result<(), Error> {
        let Some(blocks) = MatchBlocks::within(query, range.clone())? else {
            return Ok(());
        };
        let known = tallies.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut tally = known.unwrap_or_else(&empty);
        blocks.for_each(|block| add(&mut tally, block))?;
        tallies.lock().unwrap_or_else(PoisonError::into_inner).push(tally);
        Ok(())
    })?;
    let tallies = tallies.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(tallies.into_iter().reduce(merged).unwrap_or_else(empty))
}

/// Who reads the matches.
enum Reading<'q> {
    /// One thread.
    Alone(MatchBlocks<'q>),
    /// Several threads, each some of these ranges.
    Shared(Vec<Range<DocId>>),
}

impl<'q> Reading<'q> {
    /// A set is shared if it probably takes long. Each thread needs a scorer of its own, and a scorer starts with the
    /// first match of all. If that is not near the start, finding it again would take too long.
    fn of(query: &'q CompiledQuery) -> Result<Reading<'q>, Error> {
        let range = query.documents.clone();
        if query.has_sets() {
            let Some(set) = query.scorer()? else {
                return Ok(Reading::Shared(Vec::new()));
            };
            let cost = set.cost() * range.len() as u64 / u64::from(query.record_count().max(1));
            let is_late = set.doc() > query.record_count() / 64;
            if is_late || cost < u64::from(PART) / 2 {
                return Ok(Reading::Alone(MatchBlocks::of_set(query, set, range)));
            }
        }
        Ok(Reading::Shared(parts(range).collect()))
    }
}

/// Parts of [`PART`] documents; the last one may be shorter.
fn parts(range: Range<DocId>) -> impl Iterator<Item = Range<DocId>> {
    let starts = range.clone().step_by(PART as usize);
    starts.map(move |start| start..range.end.min(start.saturating_add(PART)))
}

impl<'q> MatchBlocks<'q> {
    /// The matches in a part of the query's range; `None` if there are none.
    fn within(query: &'q CompiledQuery, documents: Range<DocId>) -> Result<Option<MatchBlocks<'q>>, Error> {
        if query.has_sets() {
            let set = query.scorer()?;
            return Ok(set.map(|set| MatchBlocks::of_set(query, set, documents)));
        }
        Ok(Some(MatchBlocks {
            query,
            candidates: Candidates::Range(documents),
        }))
    }

    fn of_set(query: &'q CompiledQuery, mut set: Box<dyn Scorer>, documents: Range<DocId>) -> MatchBlocks<'q> {
        if set.doc() < documents.start {
            set.seek(documents.start);
        }
        let gap = query.record_count() / set.size_hint().max(1);
        let candidates = Candidates::Set {
            set,
            end: documents.end,
            reach: gap.saturating_mul(4 * COLLECT_BLOCK_BUFFER_LEN as u32),
        };
        MatchBlocks { query, candidates }
    }

    /// Visits blocks of one to [`BLOCK`] documents.
    ///
    /// # Errors
    /// [`Error::Timeout`] once the deadline has passed.
    fn for_each(mut self, mut visit: impl FnMut(&[DocId])) -> Result<(), Error> {
        let mut block = Vec::with_capacity(BLOCK);
        loop {
            let tested = block.len();
            self.candidates.fill(&mut block);
            let is_last = block.len() < BLOCK;
            self.query.retain_accepted(&mut block, tested);
            self.query.check()?;
            let is_worth_a_visit = block.len() > BLOCK / 2 || is_last && !block.is_empty();
            if is_worth_a_visit {
                visit(&block);
                block.clear();
            }
            if is_last {
                return Ok(());
            }
        }
    }
}

impl Candidates {
    /// Appends the next ones, until the block is full or none is left.
    fn fill(&mut self, block: &mut Vec<DocId>) {
        match self {
            Candidates::Range(range) => {
                let room = (BLOCK - block.len()) as u32;
                let next = range.start..range.end.min(range.start.saturating_add(room));
                range.start = next.end.max(range.start);
                block.extend(next);
            }
            Candidates::Set { set, end, reach } => fill_from_set(set.as_mut(), *end, *reach, block),
        }
    }
}

/// Reading many at once is fast, but it goes on until it has found that many: near the end it would read what is not
/// wanted, and for a rare phrase that takes long.
fn fill_from_set(set: &mut dyn Scorer, end: DocId, reach: u32, block: &mut Vec<DocId>) {
    let mut many = [0; COLLECT_BLOCK_BUFFER_LEN];
    while block.len() < BLOCK && set.doc() < end {
        if BLOCK - block.len() >= many.len() && set.doc().saturating_add(reach) < end {
            let read = set.fill_buffer(&mut many);
            let within = many[..read].partition_point(|document| *document < end);
            block.extend_from_slice(&many[..within]);
        } else {
            block.push(set.doc());
            set.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use tantivy::{
        BitSet, DocSet, TERMINATED,
        query::{BitSetDocSet, ConstScorer},
    };

    use super::*;

    fn filled(mut candidates: Candidates) -> Vec<DocId> {
        let mut all = Vec::new();
        loop {
            let mut block = Vec::new();
            candidates.fill(&mut block);
            assert!(block.len() <= BLOCK);
            all.extend_from_slice(&block);
            if block.len() < BLOCK {
                return all;
            }
        }
    }

    fn sizes() -> impl Iterator<Item = u32> {
        let block = BLOCK as u32;
        [0, 1, 63, 64, 65, block - 1, block, block + 1, 2 * block, 3 * block + 63].into_iter()
    }

    #[test]
    fn parts_make_a_whole() {
        for size in [0, 1, PART - 1, PART, PART + 1, 2 * PART, 3 * PART - 1] {
            let parts = Vec::from_iter(parts(9..9 + size));
            assert_eq!(parts.len() as u32, size.div_ceil(PART));
            let mut end = 9;
            for part in parts {
                assert!(part.start == end && !part.is_empty() && part.len() <= PART as usize);
                end = part.end;
            }
            assert_eq!(end, 9 + size);
        }
    }

    #[test]
    fn a_range_is_read_to_its_end() {
        for size in sizes() {
            let range = 7..7 + size;
            assert_eq!(filled(Candidates::Range(range.clone())), Vec::from_iter(range));
        }
        assert!(filled(Candidates::Range(Range { start: 5, end: 3 })).is_empty());
    }

    #[test]
    fn a_set_is_read_to_the_end_of_the_range_and_not_further() {
        for (size, gap) in sizes().flat_map(|size| [(size, 1), (size, 3)]) {
            let members = || (0..size).map(|number| number * gap);
            let documents = size * gap + 1;
            let mut bits = BitSet::with_max_value(documents);
            members().for_each(|document| _ = bits.insert(document));
            for end in [0, 1, 64, documents / 2, documents] {
                for reach in [0, gap * 256, u32::MAX] {
                    let mut set: Box<dyn Scorer> = Box::new(ConstScorer::new(BitSetDocSet::from(bits.clone()), 1.0));
                    let mut block = Vec::new();
                    fill_from_set(set.as_mut(), end, reach, &mut block);
                    let expected: Vec<u32> = members().filter(|document| *document < end).take(BLOCK).collect();
                    assert_eq!(block, expected, "{size} {gap} {end} {reach}");
                    let next = members().nth(expected.len()).unwrap_or(TERMINATED);
                    assert!(reach == 0 || set.doc() == next, "{size} {gap} {end} {reach}");
                }
            }
        }
    }
}
