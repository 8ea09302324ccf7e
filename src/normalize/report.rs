//! The report of a run: printed as a table, written as JSON.

use std::{collections::BTreeMap, fmt};

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::{Map, Value, json};

use crate::{
    model::entity_type::EntityType,
    sources::reading::row_counts::{Occurrences, RowCounts},
};

/// By `<entity_type>/<source_id>`: each field and the share of records that have it, from 0 to 1.
pub type Presence = BTreeMap<String, Map<String, Value>>;

/// The municipal buyers whose city is unknown, and the number of records of each.
pub type BuyersOfUnknownCity = BTreeMap<String, u64>;

/// Every file of a run, and every row of every file.
#[derive(Debug, Serialize)]
pub struct NormalizeReport {
    pub files: Vec<FileReport>,
    pub fields: Presence,
    pub shortfalls: Vec<Shortfall>,
    pub unrecognized: Vec<Unrecognized>,
    pub buyers_of_unknown_city: BuyersOfUnknownCity,
}

/// A file that was left out because no source recognizes it, or because it cannot be opened.
#[derive(Debug, Serialize)]
pub struct Unrecognized {
    pub path: String,
    /// Follows the path in a sentence: `is empty`.
    pub why: String,
}

/// A field that records of the entity type always have by the specification, and that too few
/// records of a source have.
#[derive(Debug, PartialEq, Serialize)]
pub struct Shortfall {
    pub entity_type: EntityType,
    pub source_id: &'static str,
    pub field: String,
    /// The share of records that have the field, from 0 to 1.
    pub presence: f64,
}

#[derive(Debug)]
pub struct FileReport {
    pub path: String,
    pub source_id: &'static str,
    /// Whether reading stopped before the end of the file.
    pub is_damaged: bool,
    pub counts: RowCounts,
}

impl Serialize for FileReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reasons = |counts: &BTreeMap<String, Occurrences>| {
            let rows = counts
                .iter()
                .map(|(reason, seen)| json!({"reason": reason, "count": seen.count, "first_line": seen.first_line}));
            rows.collect::<Vec<_>>()
        };
        let counts = &self.counts;
        let mut file = serializer.serialize_struct("file", 9)?;
        file.serialize_field("path", &self.path)?;
        file.serialize_field("source_id", self.source_id)?;
        file.serialize_field("damaged", &self.is_damaged)?;
        file.serialize_field("rows", &counts.rows)?;
        file.serialize_field("recorded", &counts.recorded)?;
        file.serialize_field("written", &counts.written)?;
        file.serialize_field("merged", &counts.merged)?;
        file.serialize_field("skipped", &reasons(&counts.skipped))?;
        file.serialize_field("notes", &reasons(&counts.notes))?;
        file.end()
    }
}

impl fmt::Display for NormalizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>9} {:>9} {:>9} {:>9}  source               file",
            "rows", "recorded", "merged", "skipped"
        )?;
        for FileReport {
            path,
            source_id,
            counts,
            ..
        } in &self.files
        {
            let skipped = counts.skipped_rows();
            writeln!(
                f,
                "{:>9} {:>9} {:>9} {skipped:>9}  {source_id:<20} {path}",
                counts.rows, counts.recorded, counts.merged
            )?;
            for (label, reasons) in [("skipped", &counts.skipped), ("note", &counts.notes)] {
                for (reason, seen) in reasons {
                    writeln!(
                        f,
                        "{:>39}  {} × {label}, first on line {}: {reason}",
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
                "\nfields that the specification always has, on less than 99 % of a source's records: the source does not \
                 publish them, or a note above states the reason"
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
        if !self.buyers_of_unknown_city.is_empty() {
            writeln!(f, "\nmunicipal buyers whose city is unknown")?;
        }
        for (buyer, records) in &self.buyers_of_unknown_city {
            writeln!(f, "{records:>9}  {buyer}")?;
        }
        Ok(())
    }
}

impl NormalizeReport {
    /// Number of records by `<entity_type>/<source_id>`.
    pub fn records(&self) -> BTreeMap<String, u64> {
        let mut records = BTreeMap::new();
        for file in &self.files {
            for (entity_type, written) in &file.counts.written {
                *records.entry(format!("{entity_type}/{}", file.source_id)).or_default() += written;
            }
        }
        records
    }

    /// The closing warning if files are damaged or were left out.
    pub fn warning(&self) -> Option<String> {
        let damaged = self.files.iter().filter(|file| file.is_damaged).count();
        let bad = damaged + self.unrecognized.len();
        let all = self.files.len() + self.unrecognized.len();
        if bad == 0 {
            return None;
        }
        Some(format!("{bad} of {all} files are damaged or not recognized; see above"))
    }
}
