//! The account a run gives: printed as a table, written as JSON.

use std::{collections::BTreeMap, fmt};

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::json;

use super::dumps::{Presence, UntoldBuyers};
use crate::sources::intake::{Count, Tally};

/// Every file of a run and every row of every file.
#[derive(Debug, Serialize)]
pub struct Report {
    pub files: Vec<FileReport>,
    /// By `<entity_type>/<source_id>`: each field and the share of records that have it.
    pub fields: Presence,
    pub unrecognized: Vec<Unrecognized>,
    /// Municipal buyers whose city cannot be told, and how many records each has.
    pub untold_buyers: UntoldBuyers,
}

/// A file that gave nothing because no source knows it, or because it cannot be opened.
#[derive(Debug, Serialize)]
pub struct Unrecognized {
    pub path: String,
    pub why: String,
}

#[derive(Debug)]
pub struct FileReport {
    pub path: String,
    pub source_id: &'static str,
    pub tally: Tally,
}

impl Serialize for FileReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reasons = |counts: &BTreeMap<String, Count>| {
            let rows = counts
                .iter()
                .map(|(reason, seen)| json!({"reason": reason, "count": seen.count, "first_line": seen.first_line}));
            rows.collect::<Vec<_>>()
        };
        let tally = &self.tally;
        let mut file = serializer.serialize_struct("file", 8)?;
        file.serialize_field("path", &self.path)?;
        file.serialize_field("source_id", self.source_id)?;
        file.serialize_field("rows", &tally.rows)?;
        file.serialize_field("recorded", &tally.recorded)?;
        file.serialize_field("written", &tally.written)?;
        file.serialize_field("merged", &tally.merged)?;
        file.serialize_field("skipped", &reasons(&tally.skipped))?;
        file.serialize_field("notes", &reasons(&tally.notes))?;
        file.end()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>9} {:>9} {:>9} {:>9}  source               file",
            "rows", "recorded", "merged", "skipped"
        )?;
        for FileReport { path, source_id, tally } in &self.files {
            let skipped = tally.skipped_rows();
            writeln!(
                f,
                "{:>9} {:>9} {:>9} {skipped:>9}  {source_id:<20} {path}",
                tally.rows, tally.recorded, tally.merged
            )?;
            for (word, counts) in [("skipped", &tally.skipped), ("note", &tally.notes)] {
                for (reason, seen) in counts {
                    writeln!(
                        f,
                        "{:>39}  {} × {word}, first on line {}: {reason}",
                        "", seen.count, seen.first_line
                    )?;
                }
            }
        }
        writeln!(f, "\nrecords written")?;
        for (dump, records) in self.records() {
            writeln!(f, "{records:>9}  {dump}")?;
        }
        if !self.unrecognized.is_empty() {
            writeln!(f, "\nfiles left out")?;
        }
        for Unrecognized { path, why } in &self.unrecognized {
            writeln!(f, "  {path} {why}")?;
        }
        if !self.untold_buyers.is_empty() {
            writeln!(f, "\nmunicipal buyers whose city cannot be told")?;
        }
        for (buyer, records) in &self.untold_buyers {
            writeln!(f, "{records:>9}  {buyer}")?;
        }
        Ok(())
    }
}

impl Report {
    /// Records by `<entity_type>/<source_id>`.
    pub fn records(&self) -> BTreeMap<String, u64> {
        let mut records = BTreeMap::new();
        for file in &self.files {
            for (entity_type, written) in &file.tally.written {
                *records.entry(format!("{entity_type}/{}", file.source_id)).or_default() += written;
            }
        }
        records
    }
}
