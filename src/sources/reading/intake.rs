//! From rows read to records kept: what a row gives, and the account of every row.
//!
//! A reader turns each row into a [`Draft`], makes a [`Remark`] of it, or skips it with a reason; the [`Intake`] of the file takes
//! either and counts. Drafts and remarks go to a [`Spool`](super::spool::Spool). When all files are read, those of one
//! *group* (a notice, a contract) are handed back together as [`Member`]s, oldest first, and the source says which stay.
//! **Invariant:** for every file, rows = rows that gave a record + merged + skipped.

use std::{borrow::Cow, collections::BTreeMap};

use anyhow::Result;
use serde_json::Value;

use super::{
    fields::{Fields, Held},
    spool::{Drafts, digest},
};
use crate::model::{entity_type::EntityType, schema::Name};

/// One normalized record on its way to a dump.
#[derive(Clone, Debug)]
pub struct Record {
    pub entity_type: EntityType,
    pub fields: Fields,
}

impl Record {
    pub fn new(entity_type: EntityType) -> Record {
        Record {
            entity_type,
            fields: Fields::with_room(),
        }
    }

    /// Sets a field; nothing where there is nothing to say.
    pub fn set<'a>(&mut self, field: &str, value: Option<impl Into<Held<'a>>>) {
        if let Some(value) = value {
            self.fields.insert(Name::of(field), value.into());
        }
    }

    pub fn get(&self, field: &str) -> Option<Held<'_>> {
        self.fields.get(Name::of(field))
    }

    pub fn has(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    /// Takes from another record what this one does not have, of the fields that are asked for.
    pub fn fill(&mut self, other: &Record, is_filled: impl Fn(&str) -> bool) {
        for (field, value) in other.fields.iter().filter(|(field, _)| is_filled(field.text())) {
            if self.fields.get(field).is_none() {
                self.fields.push(field, value);
            }
        }
    }

    pub fn remove(&mut self, field: &str) {
        self.fields.remove(Name::of(field));
    }

    pub fn text(&self, field: &str) -> Option<&str> {
        match self.get(field)? {
            Held::Text(Cow::Borrowed(text)) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self, field: &str) -> Option<f64> {
        self.get(field)?.as_number()
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

/// What a row tells of records that other rows give, itself giving none.
#[derive(Debug)]
pub struct Remark {
    /// The thing it speaks of: the group whose settling it is handed to.
    pub group: String,
    pub rank: Rank,
    pub said: Value,
}

/// A draft or a remark handed back to its source for settling. What the source leaves in `records` is written; a member
/// without records counts as merged, unless the source says why it counts for nothing.
#[derive(Debug)]
pub struct Member {
    pub member: String,
    pub rank: Rank,
    pub records: Vec<Record>,
    /// Of a remark, what it says.
    pub said: Option<Value>,
    pub skipped: Option<&'static str>,
    pub file: usize,
    pub line: u64,
}

/// How often something was met, and the line it was met on first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub count: u64,
    pub first_line: u64,
}

impl Count {
    const fn once(line: u64) -> Count {
        Count {
            count: 1,
            first_line: line,
        }
    }
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
    /// Whether all kinds are kept, to be [added](Tally::add) to a whole that decides which it lists.
    is_part: bool,
}

impl Tally {
    /// The account of some of a file's rows.
    pub fn of_part() -> Tally {
        Tally {
            is_part: true,
            ..Tally::default()
        }
    }

    pub fn skip(&mut self, line: u64, reason: &str) {
        count(&mut self.skipped, reason, Count::once(line), self.is_part);
    }

    pub fn note(&mut self, line: u64, what: &str) {
        count(&mut self.notes, what, Count::once(line), self.is_part);
    }

    /// Takes over what a part of the rows came to: as if those had been counted here, where they follow the rows counted before.
    pub fn add(&mut self, part: Tally) {
        self.rows += part.rows;
        self.recorded += part.recorded;
        self.merged += part.merged;
        for (entity_type, written) in part.written {
            *self.written.entry(entity_type).or_default() += written;
        }
        for (counts, more) in [(&mut self.skipped, part.skipped), (&mut self.notes, part.notes)] {
            let mut more: Vec<(String, Count)> = more.into_iter().collect();
            more.sort_by_key(|(what, seen)| (what == OTHER_KINDS, seen.first_line));
            for (what, seen) in more {
                count(counts, &what, seen, self.is_part);
            }
        }
    }

    pub fn skipped_rows(&self) -> u64 {
        self.skipped.values().map(|skipped| skipped.count).sum()
    }
}

/// What to note of a word or code that a field's list does not have.
pub fn unknown(field: &str, word: &str) -> String {
    let word: String = word.trim().chars().take(60).collect();
    format!("unknown '{word}' in {field}")
}

/// Reasons and notes quote what publishers wrote; past so many kinds of them in one file, the others count as one.
const MOST_KINDS: usize = 100;
const OTHER_KINDS: &str = "other kinds, too many to list";

fn count(counts: &mut BTreeMap<String, Count>, what: &str, seen: Count, is_part: bool) {
    let listed = counts.len() - usize::from(counts.contains_key(OTHER_KINDS));
    let what = match is_part || listed < MOST_KINDS || counts.contains_key(what) {
        true => what,
        false => OTHER_KINDS,
    };
    match counts.get_mut(what) {
        Some(known) => {
            known.count += seen.count;
            known.first_line = known.first_line.min(seen.first_line);
        }
        None => {
            counts.insert(what.to_owned(), seen);
        }
    }
}

/// Where the reader of one file puts what it finds.
pub struct Intake<'a> {
    pub tally: &'a mut Tally,
    pub drafts: Drafts<'a>,
}

impl Intake<'_> {
    /// Every row is announced once, then kept, remarked, or skipped.
    pub fn row(&mut self) {
        self.tally.rows += 1;
    }

    pub fn keep(&mut self, line: u64, draft: Draft) -> Result<()> {
        self.drafts.push(line, draft)
    }

    /// Keeps a draft together with all others of the same thing, whatever group they name: the first one's counts.
    pub fn keep_together(&mut self, line: u64, thing: &str, draft: Draft) -> Result<()> {
        self.drafts.push_together(line, thing, draft)
    }

    pub fn remark(&mut self, line: u64, remark: Remark) -> Result<()> {
        self.drafts.push_remark(line, remark)
    }
}

/// A short hexadecimal name for the text, the same in every run.
pub fn fingerprint(text: &str) -> String {
    let bytes: [u8; 10] = digest(text);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_past_counting_are_one() {
        let mut tally = Tally::default();
        for line in 1..=(2 * MOST_KINDS as u64) {
            tally.skip(line, &format!("reason {line}"));
            tally.skip(line, "reason 1");
        }
        assert_eq!(tally.skipped.len(), MOST_KINDS + 1);
        assert_eq!(tally.skipped_rows(), 4 * MOST_KINDS as u64);
        assert_eq!(tally.skipped[OTHER_KINDS].first_line, MOST_KINDS as u64 + 1);
    }
}
