//! The report of an index run: records, duplicates and invalid lines per file.

use std::{fmt, path::PathBuf};

use crate::{
    catalog::{bids::build::BidsReport, suppliers::report::SupplierReport},
    model::{EntityType, printable::printable},
    storage::dump::MAX_RECORD_BYTES,
};

/// What a run did.
#[derive(Debug)]
pub struct IndexReport {
    pub generation: String,
    pub entity_types: Vec<EntityTypeReport>,
    /// Files in the dump folder that are not dumps.
    pub(crate) left_out: Vec<PathBuf>,
    pub(crate) tender_values: ValueReport,
    pub(crate) suppliers: SupplierReport,
    pub(crate) bodies: SupplierReport,
    pub bids: BidsReport,
    pub(crate) seconds: f64,
}

/// The open tenders that were estimated, since they state no value.
#[derive(Debug)]
pub(crate) struct ValueReport {
    pub(crate) tenders: usize,
    pub(crate) seconds: f64,
}

#[derive(Debug)]
pub struct EntityTypeReport {
    pub(crate) entity_type: EntityType,
    pub(crate) records: u64,
    pub files: Vec<DumpFileReport>,
}

/// A dump file. Every line is counted once: as a record, a duplicate, an invalid line or a record
/// that is too long.
#[derive(Debug, Default)]
pub struct DumpFileReport {
    pub(crate) path: PathBuf,
    pub lines: u64,
    pub records: u64,
    /// Lines whose record_id another line has with a newer `fetched_at`, or with an equal one and
    /// read later.
    pub duplicates: u64,
    pub invalid: Vec<LineProblem>,
    pub too_long: TooLongRecords,
    /// Members that were dropped from records because their value is `null`.
    pub null_members: u64,
    /// Records kept without a date that cannot be parsed.
    pub invalid_dates: Vec<LineProblem>,
}

/// Lines with the same problem.
#[derive(Debug)]
pub struct LineProblem {
    pub reason: String,
    pub count: u64,
    pub first_line: u64,
}

/// The records of a file that are longer than [`MAX_RECORD_BYTES`] and were left out.
#[derive(Debug, Default)]
pub struct TooLongRecords {
    pub count: u64,
    /// The first ones.
    pub named: Vec<TooLongRecord>,
}

#[derive(Debug)]
pub struct TooLongRecord {
    pub line: u64,
    /// `None` if the beginning of the line states no id. A long id is cut.
    pub record_id: Option<String>,
}

/// How many records that are too long a file's report names.
const MAX_NAMED: usize = 50;

impl fmt::Display for TooLongRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.record_id {
            Some(id) => write!(f, "record '{}'", id.escape_debug())?,
            None => write!(f, "a record without a readable record_id")?,
        }
        write!(f, " is longer than {} KiB; shorten its texts", MAX_RECORD_BYTES >> 10)
    }
}

impl TooLongRecords {
    pub(crate) fn add(&mut self, record: TooLongRecord) {
        self.count += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(record);
        }
    }
}

/// How many different reasons a file's report lists.
const MAX_REASONS: usize = 50;

impl LineProblem {
    /// Counts a problem. Reasons quote field names and parser messages, so their number is limited:
    /// a file of invalid lines only must not fill the memory.
    pub(crate) fn add(list: &mut Vec<LineProblem>, reason: String, line: u64) {
        let is_known = list.iter().any(|problem| problem.reason == reason);
        let reason = if is_known || list.len() < MAX_REASONS {
            reason
        } else {
            "other reasons".to_owned()
        };
        match list.iter_mut().find(|problem| problem.reason == reason) {
            Some(problem) => problem.count += 1,
            None => list.push(LineProblem {
                reason,
                count: 1,
                first_line: line,
            }),
        }
    }
}

impl IndexReport {
    pub(crate) fn records(&self) -> u64 {
        self.entity_types.iter().map(|report| report.records).sum()
    }

    fn fmt_bids(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bids = &self.bids;
        if bids.lines == 0 {
            return Ok(());
        }
        writeln!(
            f,
            "{} bids on {} notices: {} lines, {} duplicates, {} of notices that are no tenders, {} invalid lines",
            bids.bids, bids.notices, bids.lines, bids.duplicates, bids.unknown, bids.invalid
        )?;
        match &bids.first_invalid {
            Some(problem) => writeln!(f, "    {} (left out)", printable(problem)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for IndexReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for report in &self.entity_types {
            writeln!(f, "{:<18} {:>12} records", report.entity_type.name(), report.records)?;
            for file in &report.files {
                write!(f, "{file}")?;
            }
        }
        for path in &self.left_out {
            writeln!(f, "{} is not a dump, left out", printable(&path.to_string_lossy()))?;
        }
        let ValueReport { tenders, seconds } = self.tender_values;
        if tenders > 0 {
            writeln!(f, "{tenders} open tenders without a value estimated in {seconds:.1} s")?;
        }
        write!(f, "{}{}", self.suppliers, self.bodies)?;
        self.fmt_bids(f)?;
        let rate = self.records() as f64 / self.seconds.max(0.001);
        write!(
            f,
            "generation {}: {} records in {:.1} s ({rate:.0} records/s)",
            self.generation,
            self.records(),
            self.seconds
        )
    }
}

impl fmt::Display for DumpFileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        let path = printable(&path);
        let invalid: u64 = self.invalid.iter().map(|problem| problem.count).sum();
        let invalid = invalid + self.too_long.count;
        writeln!(
            f,
            "  {path}: {} lines, {} records, {} duplicates, {invalid} invalid lines",
            self.lines, self.records, self.duplicates
        )?;
        for record in &self.too_long.named {
            writeln!(f, "    {path}:{}: {record} (left out)", record.line)?;
        }
        let unnamed = self.too_long.count - self.too_long.named.len() as u64;
        if unnamed > 0 {
            writeln!(f, "    and {unnamed} more records that are too long")?;
        }
        if self.null_members > 0 {
            writeln!(f, "    {} members that are null, dropped", self.null_members)?;
        }
        let groups = [
            (&self.invalid, "lines, left out"),
            (&self.invalid_dates, "records, kept without the date"),
        ];
        for (problems, outcome) in groups {
            for problem in problems {
                let LineProblem {
                    reason,
                    count,
                    first_line,
                } = problem;
                writeln!(f, "    {path}:{first_line}: {} ({count} {outcome})", printable(reason))?;
            }
        }
        Ok(())
    }
}
