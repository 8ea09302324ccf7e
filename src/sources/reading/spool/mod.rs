//! The spool: what rows gave waits on disk until all files are read, then comes back by group.
//!
//! Bodies go to one temporary file a family; memory holds an [`Entry`] of fixed size each. Files are read at the same time,
//! so bodies lie in the spool in any order; entries know their file and their place in it, and what comes back depends on
//! those alone.

use std::{
    fs::File,
    hash::{Hash, Hasher},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use anyhow::{Context, Result};
use rayon::prelude::*;
use rustc_hash::FxHasher;
use sha2::{Digest, Sha256};

use super::{
    bytes::{self, Bytes},
    fields::Fields,
    intake::{Draft, Member, Rank, Record, Remark},
};
use crate::model::{entity_type::EntityType, fold::fold};

/// The bodies of a family's drafts and remarks.
pub struct Spool {
    path: PathBuf,
    file: File,
    end: AtomicU64,
}

/// What memory keeps of a draft or a remark.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    group: [u8; 16],
    member: [u8; 8],
    /// What it must stay together with; zeros where that is nothing.
    thing: [u8; 8],
    /// Who supplies it, and under which contract; zero where that is not told.
    deal: u64,
    rank: Rank,
    /// Where its body begins in the spool.
    offset: u64,
    length: u32,
    file: u32,
    /// Its place among those of its file.
    number: u32,
    line: u32,
}

impl Entry {
    #[cfg(test)]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Files are read in path order and rows in theirs.
    pub fn place(&self) -> (u32, u32) {
        (self.file, self.number)
    }

    /// Of equal ranks the later row is the newer.
    fn age(&self) -> (Rank, (u32, u32)) {
        (self.rank, self.place())
    }
}

/// The rows of one group, and the files of those that a newer one of the same member replaces.
pub struct Group {
    /// Oldest first.
    pub members: Vec<Member>,
    pub replaced: Vec<Replaced>,
}

/// A row that a newer one of the same member replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Replaced {
    pub file: usize,
    pub line: u64,
    /// The newer one tells of another supplier or contract: they may be two things under one identifier.
    pub is_of_another_deal: bool,
}

/// What one file gives, on its way to the spool; bodies go there some at a time.
pub struct Drafts<'a> {
    spool: &'a Spool,
    file: u32,
    /// Which part of the file's rows these are of, where it is read in parts.
    batch: usize,
    entries: Vec<Entry>,
    /// The number of the first entry whose body is not in the spool yet.
    first_waiting: usize,
    pub memory: Memory,
}

/// What drafts are made in, to be used again.
#[derive(Default)]
pub struct Memory {
    /// Bodies not yet in the spool.
    bodies: Vec<u8>,
    /// A record's.
    fields: Option<Fields>,
}

/// How many batches of groups are settled at a time for each core: so many that cores seldom wait for the last of them. Memory holds them, and
/// as many that are settled.
const BATCHES: usize = 4;

const BODIES_AT_A_TIME: usize = 256 << 10;

impl<'a> Drafts<'a> {
    /// The drafts of the file of this number.
    pub fn new(spool: &'a Spool, file: usize) -> Drafts<'a> {
        Drafts {
            spool,
            file: file as u32,
            batch: 0,
            entries: Vec::new(),
            first_waiting: 0,
            memory: Memory::default(),
        }
    }

    /// No fields yet, and room for some.
    pub fn room(&mut self) -> Fields {
        self.memory.fields.take().unwrap_or_else(Fields::with_room)
    }

    /// Those of another part of the same file's rows, to be [adopted](Drafts::adopt) in the order of the parts.
    pub fn of_batch(&self, number: usize, rows: usize, memory: Memory) -> Drafts<'a> {
        Drafts {
            batch: number + 1,
            entries: Vec::with_capacity(rows),
            memory,
            ..Drafts::new(self.spool, self.file as usize)
        }
    }

    /// Puts what another part of the file gave behind what is here.
    pub fn adopt(&mut self, entries: Vec<Entry>) -> Result<()> {
        self.flush()?;
        for entry in entries {
            let number = number(self.entries.len())?;
            self.entries.push(Entry { number, ..entry });
        }
        self.first_waiting = self.entries.len();
        Ok(())
    }

    pub fn push(&mut self, line: u64, mut draft: Draft) -> Result<()> {
        self.push_body(line, &draft.group, key(&draft.member), draft.rank, |out| {
            write_body(out, &draft.member, &draft.records, "")
        })?;
        if let (Some(entry), Some(record)) = (self.entries.last_mut(), draft.records.first()) {
            entry.deal = deal(record);
        }
        self.memory.fields = draft.records.pop().map(|record| record.fields.emptied());
        Ok(())
    }

    /// A draft that stays together with all others of the same thing: they go to the group that the first of them names.
    pub fn push_together(&mut self, line: u64, thing: &str, draft: Draft) -> Result<()> {
        let first = self.entries.len();
        self.push(line, draft)?;
        for entry in &mut self.entries[first..] {
            entry.thing = key(thing);
        }
        Ok(())
    }

    /// Of several remarks none replaces another.
    pub fn push_remark(&mut self, line: u64, remark: Remark) -> Result<()> {
        let place = format!("{}:{}:{}", self.file, self.batch, self.entries.len());
        let said = remark.said.to_string();
        self.push_body(line, &remark.group, key(&place), remark.rank, |out| {
            write_body(out, "", &[], &said)
        })
    }

    fn push_body(
        &mut self,
        line: u64,
        group: &str,
        member: [u8; 8],
        rank: Rank,
        write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let bodies = &mut self.memory.bodies;
        let start = bodies.len();
        write(bodies)?;
        let end = bodies.len();
        self.entries.push(Entry {
            group: digest(group),
            member,
            thing: [0; 8],
            deal: 0,
            rank,
            offset: start as u64,
            length: u32::try_from(end - start).context("a row of 4 GiB")?,
            file: self.file,
            number: number(self.entries.len())?,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
        match end >= BODIES_AT_A_TIME {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        let base = self.spool.append(&self.memory.bodies)?;
        for entry in &mut self.entries[self.first_waiting..] {
            entry.offset += base;
        }
        self.first_waiting = self.entries.len();
        self.memory.bodies.clear();
        // A long row's room is not held for all that follow.
        self.memory.bodies.shrink_to(BODIES_AT_A_TIME);
        Ok(())
    }

    pub fn finish(&mut self) -> Result<Vec<Entry>> {
        self.flush()?;
        Ok(std::mem::take(&mut self.entries))
    }
}

/// The place of what follows so many of its file.
fn number(before: usize) -> Result<u32> {
    u32::try_from(before).context("a file of four billion rows")
}

impl Spool {
    pub fn create(path: &Path) -> Result<Spool> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .with_context(|| format!("creating {}", path.display()))?;
        // Nobody else needs its name, and without one nothing is left of it however the run ends.
        std::fs::remove_file(path).with_context(|| format!("unlinking {}", path.display()))?;
        Ok(Spool {
            path: path.to_owned(),
            file,
            end: AtomicU64::new(0),
        })
    }

    /// Where the bytes were put.
    fn append(&self, bytes: &[u8]) -> Result<u64> {
        let start = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.file
            .write_all_at(bytes, start)
            .with_context(|| format!("writing {} (is the disk full?)", self.path.display()))?;
        Ok(start)
    }

    /// Hands the groups to `settle` in the order they were first met, some batches a core at a time; what becomes of a batch goes to `take`,
    /// in that order too, so that nothing depends on how many cores there are.
    pub fn settle<T: Send>(
        &self,
        mut entries: Vec<Entry>,
        settle: impl Fn(Vec<Group>) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()> + Send,
    ) -> Result<()> {
        gather(&mut entries);
        entries.par_sort_unstable_by_key(|entry| (entry.group, entry.member, entry.age()));
        let mut groups: Vec<&[Entry]> = entries.chunk_by(|a, b| a.group == b.group).collect();
        groups.par_sort_by_cached_key(|group| group.iter().map(Entry::place).min());
        let mut waiting = groups.as_slice();
        let mut settled: Vec<Result<T>> = Vec::new();
        while !waiting.is_empty() || !settled.is_empty() {
            let mut batches = Vec::new();
            while batches.len() < BATCHES * rayon::current_num_threads() && !waiting.is_empty() {
                let (batch, rest) = waiting.split_at(batch_of(waiting));
                batches.push(batch);
                waiting = rest;
            }
            let ahead = batches.into_par_iter().map_init(
                || Bodies::of(self),
                |bodies, batch| {
                    let groups: Result<Vec<Group>> = batch.iter().map(|group| bodies.group(group)).collect();
                    settle(groups?)
                },
            );
            // What is settled is taken while the next is being settled.
            let (ahead, taken) = rayon::join(
                || ahead.collect(),
                || settled.drain(..).try_for_each(|settled| take(settled?)),
            );
            taken?;
            settled = ahead;
        }
        Ok(())
    }
}

/// Reads bodies back, of which neighbours are often wanted one after the other: a window at a time.
struct Bodies<'a> {
    spool: &'a Spool,
    /// Where the window begins, and what is in it.
    start: u64,
    window: Vec<u8>,
}

/// So few that a body wanted for itself costs no more than its neighbours save.
const WINDOW: u64 = 16 << 10;

impl<'a> Bodies<'a> {
    fn of(spool: &'a Spool) -> Bodies<'a> {
        Bodies {
            spool,
            start: 0,
            window: Vec::new(),
        }
    }

    fn group(&mut self, entries: &[Entry]) -> Result<Group> {
        let mut newest: Vec<Entry> = Vec::new();
        let mut replaced = Vec::new();
        for same in entries.chunk_by(|a, b| a.member == b.member) {
            let (last, older) = same.split_last().context("an empty chunk")?;
            replaced.extend(older.iter().map(|entry| Replaced {
                file: entry.file as usize,
                line: entry.line.into(),
                is_of_another_deal: entry.deal != last.deal,
            }));
            newest.push(*last);
        }
        newest.sort_unstable_by_key(Entry::age);
        let members: Result<Vec<Member>> = newest.into_iter().map(|entry| self.member(entry)).collect();
        Ok(Group {
            members: members?,
            replaced,
        })
    }

    fn member(&mut self, entry: Entry) -> Result<Member> {
        let path = &self.spool.path;
        self.body(&entry)
            .and_then(|body| read_member(&entry, body))
            .with_context(|| format!("reading {}", path.display()))
    }

    fn body(&mut self, entry: &Entry) -> Result<&[u8]> {
        let end = entry.offset + u64::from(entry.length);
        if entry.offset < self.start || end > self.start + self.window.len() as u64 {
            let written = self.spool.end.load(Ordering::Relaxed);
            let until = end.max(entry.offset + WINDOW).min(written);
            self.start = entry.offset;
            self.window.resize((until - self.start) as usize, 0);
            self.spool.file.read_exact_at(&mut self.window, self.start)?;
        }
        let at = (entry.offset - self.start) as usize;
        Ok(&self.window[at..at + entry.length as usize])
    }
}

fn write_body(out: &mut Vec<u8>, member: &str, records: &[Record], said: &str) -> Result<()> {
    bytes::put_text(out, member)?;
    bytes::put_text(out, said)?;
    bytes::put_length(out, records.len())?;
    for record in records {
        out.push(record.entity_type as u8);
        record.fields.write(out)?;
    }
    Ok(())
}

fn read_member(entry: &Entry, body: &[u8]) -> Result<Member> {
    let mut body = Bytes(body);
    let member = body.text()?.to_owned();
    let said = body.text()?;
    let said = (!said.is_empty()).then(|| serde_json::from_str(said)).transpose()?;
    let mut records = Vec::new();
    for _ in 0..body.length()? {
        let [kind] = body.take()?;
        let entity_type = EntityType::ALL.get(usize::from(kind)).context("a kind of record")?;
        records.push(Record {
            entity_type: *entity_type,
            fields: Fields::read(&mut body)?,
        });
    }
    Ok(Member {
        member,
        rank: entry.rank,
        records,
        said,
        skipped: None,
        file: entry.file as usize,
        line: entry.line.into(),
    })
}

/// The supplier and the contract that a record names, where it names any.
fn deal(record: &Record) -> u64 {
    let vendor = record.text("vendor_name").or(record.text("supplier_legal_name"));
    match (vendor, record.text("contract_number")) {
        (None, None) => 0,
        (vendor, number) => {
            let mut hasher = FxHasher::default();
            (fold(vendor.unwrap_or_default()), number.unwrap_or_default()).hash(&mut hasher);
            hasher.finish()
        }
    }
}

/// Puts what is of one thing into the group its first row named.
fn gather(entries: &mut [Entry]) {
    if entries.iter().all(|entry| entry.thing == [0; 8]) {
        return;
    }
    entries.par_sort_unstable_by_key(|entry| (entry.thing, entry.place()));
    for same in entries.chunk_by_mut(|a, b| a.thing == b.thing && a.thing != [0; 8]) {
        let Some(group) = same.first().map(|first| first.group) else {
            continue;
        };
        for entry in same {
            entry.group = group;
        }
    }
}

/// How many of the groups make a batch: so few that memory holds some a core, so many that a core is kept busy.
fn batch_of(groups: &[&[Entry]]) -> usize {
    let mut bytes = 0;
    let within = groups.iter().take_while(|group| {
        let begins_within = bytes < BODIES_AT_A_TIME as u64;
        bytes += group.iter().map(|entry| u64::from(entry.length)).sum::<u64>();
        begins_within
    });
    within.count()
}

/// A text as a key of eight bytes, not all zero: a short one as it is, told apart by its length; of others a digest, which ends
/// as no length does.
fn key(text: &str) -> [u8; 8] {
    if text.len() < 8 {
        let mut key = [0; 8];
        key[..text.len()].copy_from_slice(text.as_bytes());
        key[7] = text.len() as u8 + 1;
        return key;
    }
    let mut key: [u8; 8] = digest(text);
    key[7] |= 0x80;
    key
}

/// The first bytes of a SHA-256: short keys of any text, without collisions in practice.
pub fn digest<const N: usize>(text: &str) -> [u8; N] {
    let mut key = [0; N];
    key.copy_from_slice(&Sha256::digest(text.as_bytes())[..N]);
    key
}

#[cfg(test)]
mod tests;
