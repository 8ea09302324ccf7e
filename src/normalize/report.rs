//! The account a run gives: printed as a table, written as JSON.

use std::{collections::BTreeMap, fmt};

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::json;

use super::dumps::{Presence, UntoldBuyers};
use crate::{
    model::entity_type::EntityType,
    sources::reading::intake::{Count, Tally},
};

/// Every file of a run and every row of every file.
#[derive(Debug, Serialize)]
pub struct Report {
    pub files: Vec<FileReport>,
    /// By `<entity_type>/<source_id>`: each field and the share of records that have it.
    pub fields: Presence,
    /// Fields that the specification always has, and a source does not.
    pub shortfalls: Vec<Shortfall>,
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

/// A field that records of the kind always have, by the specification, on too few records of a source.
#[derive(Debug, PartialEq, Serialize)]
pub struct Shortfall {
    pub entity_type: EntityType,
    pub source_id: &'static str,
    pub field: String,
    /// The share of records that have it.
    pub presence: f64,
}

#[derive(Debug)]
pub struct FileReport {
    pub path: String,
    pub source_id: &'static str,
    /// Whether its reading ended before the file did.
    pub damaged: bool,
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
        let mut file = serializer.serialize_struct("file", 9)?;
        file.serialize_field("path", &self.path)?;
        file.serialize_field("source_id", self.source_id)?;
        file.serialize_field("damaged", &self.damaged)?;
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
        for FileReport {
            path, source_id, tally, ..
        } in &self.files
        {
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
        if !self.shortfalls.is_empty() {
            writeln!(
                f,
                "\nfields the specification always has, on under 99 % of a source's records: the source leaves them out, \
                 or a note above tells why"
            )?;
        }
        for Shortfall {
            entity_type,
            source_id,
            field,
            presence,
        } in &self.shortfalls
        {
            writeln!(f, "{:>7.1} %  {entity_type}/{source_id}: {field}", presence * 100.0)?;
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

    /// The sentence to end with where files were damaged or left out.
    pub fn warning(&self) -> Option<String> {
        let damaged = self.files.iter().filter(|file| file.damaged).count();
        let bad = damaged + self.unrecognized.len();
        let all = self.files.len() + self.unrecognized.len();
        (bad > 0).then(|| format!("{bad} of {all} files damaged or not recognized; see above"))
    }
}
