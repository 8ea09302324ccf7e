//! The report of an index run: records, duplicates and invalid lines per file.

use std::{fmt, path::PathBuf};

use crate::model::EntityType;

/// What a run did.
#[derive(Debug)]
pub struct IndexReport {
    pub generation: String,
    pub entity_types: Vec<EntityTypeReport>,
    /// Files in the dump folder that are not dumps.
    pub(crate) left_out: Vec<PathBuf>,
    pub(crate) seconds: f64,
}

#[derive(Debug)]
pub struct EntityTypeReport {
    pub(crate) entity_type: EntityType,
    pub(crate) records: u64,
    pub files: Vec<DumpFileReport>,
}

/// A dump file. Every line is counted once: as a record, a duplicate or an invalid line.
#[derive(Debug, Default)]
pub struct DumpFileReport {
    pub(crate) path: PathBuf,
    pub lines: u64,
    pub records: u64,
    /// Lines whose record_id another line has with a newer `fetched_at`, or with an equal one and
    /// read later.
    pub duplicates: u64,
    pub invalid: Vec<LineProblem>,
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
            writeln!(f, "{} is not a dump, left out", path.display())?;
        }
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
        let path = self.path.display();
        let invalid: u64 = self.invalid.iter().map(|problem| problem.count).sum();
        writeln!(
            f,
            "  {path}: {} lines, {} records, {} duplicates, {invalid} invalid lines",
            self.lines, self.records, self.duplicates
        )?;
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
                writeln!(f, "    {path}:{first_line}: {reason} ({count} {outcome})")?;
            }
        }
        Ok(())
    }
}
