//! From rows read to records kept: the account of every row, and the spool that settles which rows count.
//!
//! A reader turns each row into a [`Draft`] or skips it with a reason; the [`Intake`] counts either way. Drafts go to a
//! [`Spool`]: their bodies to a temporary file, only key, rank and offset to memory. When all files are read, the drafts
//! of one *group* (a notice, a contract) are handed back together, oldest first, and the source says which stay.
//! **Invariant:** for every file, rows = rows that gave a record + merged + skipped.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::entity::EntityType;

/// One normalized record on its way to a dump.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub entity_type: EntityType,
    pub fields: Map<String, Value>,
}

impl Record {
    pub fn new(entity_type: EntityType) -> Record {
        Record {
            entity_type,
            fields: Map::new(),
        }
    }

    /// Sets a field; nothing where there is nothing to say.
    pub fn set(&mut self, field: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.fields.insert(field.to_owned(), value.into());
        }
    }

    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }

    pub fn number(&self, field: &str) -> Option<f64> {
        self.fields.get(field)?.as_f64()
    }
}

/// Which of two rows about the same thing is the newer: the higher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(pub u64, pub i64);

/// What one row gives.
#[derive(Debug)]
pub struct Draft {
    /// The thing the row is about; rows of one group are settled together.
    pub group: String,
    /// Which state of it the row tells (an amendment). Of two rows with the same group and member the newer replaces
    /// the other.
    pub member: String,
    pub rank: Rank,
    pub records: Vec<Record>,
}

/// A draft handed back to its source for settling. What the source leaves in `records` is written; a member whose
/// records it takes away counts as merged.
#[derive(Debug)]
pub struct Member {
    pub member: String,
    pub rank: Rank,
    pub records: Vec<Record>,
    pub file: usize,
    pub line: u64,
}

/// How often something was met, and the line it was met on first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub count: u64,
    pub first_line: u64,
}

/// The account of one file.
#[derive(Debug, Default)]
pub struct Tally {
    pub rows: u64,
    /// Rows that gave at least one record.
    pub recorded: u64,
    pub written: BTreeMap<EntityType, u64>,
    pub merged: u64,
    pub skipped: BTreeMap<String, Count>,
    /// What was odd about rows that still count.
    pub notes: BTreeMap<String, Count>,
}

impl Tally {
    pub fn skip(&mut self, line: u64, reason: &str) {
        count(&mut self.skipped, line, reason);
    }

    pub fn note(&mut self, line: u64, what: &str) {
        count(&mut self.notes, line, what);
    }

    pub fn skipped_rows(&self) -> u64 {
        self.skipped.values().map(|skipped| skipped.count).sum()
    }
}

fn count(counts: &mut BTreeMap<String, Count>, line: u64, what: &str) {
    match counts.get_mut(what) {
        Some(known) => {
            known.count += 1;
            known.first_line = known.first_line.min(line);
        }
        None => {
            counts.insert(
                what.to_owned(),
                Count {
                    count: 1,
                    first_line: line,
                },
            );
        }
    }
}

/// Where the reader of one file puts what it finds.
pub struct Intake<'a> {
    pub file: usize,
    pub tally: &'a mut Tally,
    pub spool: &'a mut Spool,
}

impl Intake<'_> {
    /// Every row is announced once, then kept, skipped, or settled by the source at the end.
    pub fn row(&mut self) {
        self.tally.rows += 1;
    }

    pub fn keep(&mut self, line: u64, draft: Draft) -> Result<()> {
        self.spool.push(self.file, line, draft)
    }
}

/// The drafts of one source: bodies on disk, keys in memory.
pub struct Spool {
    path: PathBuf,
    file: BufWriter<File>,
    end: u64,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    group: [u8; 16],
    member: [u8; 8],
    rank: Rank,
    offset: u64,
    length: u32,
    file: u32,
    line: u32,
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
            file: BufWriter::with_capacity(256 << 10, file),
            end: 0,
            entries: Vec::new(),
        })
    }

    fn push(&mut self, file: usize, line: u64, draft: Draft) -> Result<()> {
        let body = serde_json::to_vec(&(&draft.member, &draft.records))?;
        self.file
            .write_all(&body)
            .with_context(|| format!("writing {}", self.path.display()))?;
        self.entries.push(Entry {
            group: digest(&draft.group),
            member: digest(&draft.member),
            rank: draft.rank,
            offset: self.end,
            length: u32::try_from(body.len()).context("a row of 4 GiB")?,
            file: file as u32,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
        self.end += body.len() as u64;
        Ok(())
    }

    /// Hands each group to `settle`, in the order the groups were first met, its members oldest first. Rows that a newer
    /// one of the same member replaces are counted as merged and not handed on.
    pub fn settle(
        mut self,
        tallies: &mut [Tally],
        mut settle: impl FnMut(Vec<Member>, &mut [Tally]) -> Result<()>,
    ) -> Result<()> {
        self.file
            .flush()
            .with_context(|| format!("writing {}", self.path.display()))?;
        // Files are read in path order and rows in theirs, so of equal ranks the higher offset is the later row.
        self.entries
            .sort_unstable_by_key(|entry| (entry.group, entry.member, entry.rank, entry.offset));
        let mut groups: Vec<(u64, usize, usize)> = Vec::new();
        let mut start = 0;
        for group in self.entries.chunk_by(|a, b| a.group == b.group) {
            let first_met = group.iter().map(|entry| entry.offset).min().unwrap_or_default();
            groups.push((first_met, start, start + group.len()));
            start += group.len();
        }
        groups.sort_unstable();
        for (_, from, to) in groups {
            let mut newest: Vec<Entry> = Vec::new();
            for same in self.entries[from..to].chunk_by(|a, b| a.member == b.member) {
                let (last, replaced) = same.split_last().context("an empty chunk")?;
                for entry in replaced {
                    tallies[entry.file as usize].merged += 1;
                }
                newest.push(*last);
            }
            newest.sort_unstable_by_key(|entry| (entry.rank, entry.offset));
            let mut members = Vec::with_capacity(newest.len());
            for entry in newest {
                members.push(self.member(entry)?);
            }
            settle(members, tallies)?;
        }
        Ok(())
    }

    fn member(&mut self, entry: Entry) -> Result<Member> {
        let mut body = vec![0; entry.length as usize];
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(entry.offset))
            .and_then(|_| file.read_exact(&mut body))
            .with_context(|| format!("reading {}", self.path.display()))?;
        let (member, records) =
            serde_json::from_slice(&body).with_context(|| format!("reading {}", self.path.display()))?;
        Ok(Member {
            member,
            rank: entry.rank,
            records,
            file: entry.file as usize,
            line: entry.line.into(),
        })
    }
}

/// The first bytes of a SHA-256: short keys of any text, without collisions in practice.
fn digest<const N: usize>(text: &str) -> [u8; N] {
    let mut key = [0; N];
    key.copy_from_slice(&Sha256::digest(text.as_bytes())[..N]);
    key
}

/// A short hexadecimal name for the text, the same in every run.
pub fn fingerprint(text: &str) -> String {
    let bytes: [u8; 10] = digest(text);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(group: &str, member: &str, rank: Rank, id: &str) -> Draft {
        let mut record = Record::new(EntityType::Contract);
        record.set("record_id", Some(id));
        Draft {
            group: group.to_owned(),
            member: member.to_owned(),
            rank,
            records: vec![record],
        }
    }

    #[test]
    fn groups_come_back_in_the_order_met_with_their_newest_members_oldest_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool");
        let mut spool = Spool::create(&path).unwrap();
        for (line, (group, member, rank, id)) in [
            ("b", "001", Rank(1, 0), "b1"),
            ("a", "", Rank(0, 0), "a, replaced"),
            ("b", "000", Rank(0, 5), "b0"),
            ("b", "000", Rank(0, 4), "b0, older"),
            ("a", "", Rank(0, 0), "a"),
        ]
        .into_iter()
        .enumerate()
        {
            spool.push(0, line as u64, draft(group, member, rank, id)).unwrap();
        }
        let mut tallies = [Tally::default()];
        let mut settled = Vec::new();
        spool
            .settle(&mut tallies, |members, _| {
                let ids = members
                    .iter()
                    .map(|m| m.records[0].text("record_id").unwrap().to_owned());
                settled.push(ids.collect::<Vec<_>>());
                Ok(())
            })
            .unwrap();
        assert_eq!(settled, [vec!["b0".to_owned(), "b1".into()], vec!["a".into()]]);
        assert_eq!(tallies[0].merged, 2);
        assert!(!path.exists());
    }
}
