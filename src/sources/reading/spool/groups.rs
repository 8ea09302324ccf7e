//! Reads the spool back, one merge group at a time.

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::{body::read_body, entry::SpoolEntry, file::Spool, writer::WRITE_BYTES};
use crate::sources::reading::row_output::GroupMember;

/// Batches of groups that are merged at a time, for each core. With this many, cores seldom wait
/// for the last batch. Memory holds these batches, and as many merged ones.
const BATCHES_PER_CORE: usize = 4;

/// When the batches have this many bytes for each core, no more are merged at a time. Only rows that
/// are much longer than real ones reach it.
const MAX_BYTES_PER_CORE: u64 = 16 << 20;

/// Maximum number of rows of a group that are merged. A real group has a few hundred at most. A file
/// whose rows all state one identifier must not be held in memory.
const MAX_GROUP_ROWS: usize = if cfg!(test) { 20 } else { 20_000 };

/// Maximum length of the rows of a group that are merged, in bytes.
const MAX_GROUP_BYTES: u64 = 64 << 20;

/// Bytes read at a time. So few that a body that is needed alone costs no more than reading its
/// neighbours saves.
const WINDOW_BYTES: u64 = 16 << 10;

/// The newest row of each key of a group, and the rows that those replace.
pub(crate) struct MergeGroup {
    /// Oldest first.
    pub(crate) members: Vec<GroupMember>,
    pub(crate) replaced: Vec<ReplacedRow>,
    /// File, line and number of bids of the oldest rows, if the group has more than can be merged.
    pub(crate) excess: Vec<(usize, u64, u64)>,
}

/// A row that a newer one with the same group and key replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ReplacedRow {
    pub(crate) file: usize,
    pub(crate) line: u64,
    /// The newer row names another supplier or contract number. The two may be different things
    /// with one identifier.
    pub(crate) is_other_contract: bool,
    /// Number of its bids.
    pub(crate) bids: u64,
}

impl Spool {
    /// Passes all groups to `merge`, in the order of their first rows, in batches that run in
    /// parallel. The results go to `take` in the same order, so nothing depends on the number of
    /// cores.
    pub(crate) fn merge_groups<T: Send>(
        &self,
        mut entries: Vec<SpoolEntry>,
        merge: impl Fn(Vec<MergeGroup>) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()> + Send,
    ) -> Result<()> {
        join_identities(&mut entries);
        entries.par_sort_unstable_by_key(|entry| (entry.group, entry.key, entry.age()));
        let mut groups: Vec<&[SpoolEntry]> = entries.chunk_by(|a, b| a.group == b.group).collect();
        groups.par_sort_by_cached_key(|group| group.iter().map(SpoolEntry::position).min());
        let mut waiting = groups.as_slice();
        let mut merged: Vec<Result<T>> = Vec::new();
        while !waiting.is_empty() || !merged.is_empty() {
            let cores = rayon::current_num_threads();
            let (mut batches, mut bytes) = (Vec::new(), 0);
            while batches.len() < BATCHES_PER_CORE * cores
                && bytes < MAX_BYTES_PER_CORE * cores as u64
                && !waiting.is_empty()
            {
                let (batch, rest) = waiting.split_at(batch_length(waiting));
                bytes += batch.iter().map(|group| group_bytes(group)).sum::<u64>();
                batches.push(batch);
                waiting = rest;
            }
            let next = batches.into_par_iter().map_init(
                || BodyReader::new(self),
                |bodies, batch| {
                    let groups: Result<Vec<MergeGroup>> = batch.iter().map(|group| bodies.group(group)).collect();
                    merge(groups?)
                },
            );
            // The merged batches are taken while the next ones are merged.
            let (next, taken) = rayon::join(
                || next.collect(),
                || merged.drain(..).try_for_each(|merged| take(merged?)),
            );
            taken?;
            merged = next;
        }
        Ok(())
    }
}

/// Moves all rows of one identity into the group of the first of them.
fn join_identities(entries: &mut [SpoolEntry]) {
    if entries.iter().all(|entry| entry.identity == [0; 8]) {
        return;
    }
    entries.par_sort_unstable_by_key(|entry| (entry.identity, entry.position()));
    for same in entries.chunk_by_mut(|a, b| a.identity == b.identity && a.identity != [0; 8]) {
        let Some(group) = same.first().map(|first| first.group) else {
            continue;
        };
        for entry in same {
            entry.group = group;
        }
    }
}

/// How many of the groups make up a batch: few enough that memory holds several batches per core,
/// and enough to keep a core busy.
fn batch_length(groups: &[&[SpoolEntry]]) -> usize {
    let mut bytes = 0;
    let within = groups.iter().take_while(|group| {
        let begins_within = bytes < WRITE_BYTES as u64;
        bytes += group_bytes(group);
        begins_within
    });
    within.count()
}

/// The length of the rows of a group in the spool.
fn group_bytes(group: &[SpoolEntry]) -> u64 {
    group.iter().map(|entry| u64::from(entry.length)).sum()
}

/// Reads bodies through a window, since neighbours are often needed one after the other.
struct BodyReader<'a> {
    spool: &'a Spool,
    window_start: u64,
    window: Vec<u8>,
}

impl<'a> BodyReader<'a> {
    fn new(spool: &'a Spool) -> BodyReader<'a> {
        BodyReader {
            spool,
            window_start: 0,
            window: Vec::new(),
        }
    }

    fn group(&mut self, entries: &[SpoolEntry]) -> Result<MergeGroup> {
        let mut newest: Vec<SpoolEntry> = Vec::new();
        let mut replaced = Vec::new();
        for same in entries.chunk_by(|a, b| a.key == b.key) {
            let (last, older) = same.split_last().expect("a chunk has at least one entry");
            replaced.extend(older.iter().map(|entry| ReplacedRow {
                file: entry.file as usize,
                line: entry.line.into(),
                is_other_contract: entry.contract != last.contract,
                bids: entry.bids.into(),
            }));
            newest.push(*last);
        }
        newest.sort_unstable_by_key(SpoolEntry::age);
        let mut bytes = 0;
        let is_within = |entry: &&SpoolEntry| {
            bytes += u64::from(entry.length);
            bytes <= MAX_GROUP_BYTES
        };
        let kept = newest.iter().rev().take(MAX_GROUP_ROWS).take_while(is_within).count();
        let excess = newest.drain(..newest.len() - kept.max(1));
        let excess = excess
            .map(|entry| (entry.file as usize, entry.line.into(), entry.bids.into()))
            .collect();
        let members: Result<Vec<GroupMember>> = newest.iter().map(|entry| self.member(entry)).collect();
        Ok(MergeGroup {
            members: members?,
            replaced,
            excess,
        })
    }

    fn member(&mut self, entry: &SpoolEntry) -> Result<GroupMember> {
        let folder = &self.spool.folder;
        self.body(entry)
            .and_then(|body| read_body(entry, body))
            .with_context(|| format!("reading a temporary file in {}", folder.display()))
    }

    fn body(&mut self, entry: &SpoolEntry) -> Result<&[u8]> {
        let end = entry.offset + u64::from(entry.length);
        if entry.offset < self.window_start || end > self.window_start + self.window.len() as u64 {
            let window_end = end.max(entry.offset + WINDOW_BYTES).min(self.spool.length());
            self.window_start = entry.offset;
            self.window.resize((window_end - self.window_start) as usize, 0);
            self.spool.read_exact_at(&mut self.window, self.window_start)?;
        }
        let start = (entry.offset - self.window_start) as usize;
        Ok(&self.window[start..start + entry.length as usize])
    }
}
