//! The report of a `procure normalize` run: printed as a table, or written as JSON.

use std::{collections::BTreeMap, fmt};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::{
    model::EntityType,
    sources::reading::{Occurrences, RowCounts},
};

/// For each `<entity_type>/<source_id>`: each field, and the share of records that have it, from 0 to
/// 1.
pub(crate) type Presence = BTreeMap<String, Map<String, Value>>;

/// The municipal buyers whose city is unknown, and the number of records of each.
pub(crate) type BuyersOfUnknownCity = BTreeMap<String, u64>;

/// For each `<entity_type>/<source_id>`: the number of records with each quality flag, if any.
pub(crate) type FlaggedRecords = BTreeMap<String, BTreeMap<&'static str, u64>>;

/// Every file of a run, and every row of every file.
#[derive(Debug, Serialize)]
pub struct NormalizeReport {
    pub files: Vec<FileReport>,
    pub fields: Presence,
    pub shortfalls: Vec<Shortfall>,
    pub unrecognized: Vec<LeftOutFile>,
    pub buyers_of_unknown_city: BuyersOfUnknownCity,
    pub quality_flags: FlaggedRecords,
    /// By scheme of the commodity codes that records state.
    pub commodities: BTreeMap<&'static str, CommodityCounts>,
    pub suppliers: SupplierCounts,
}

/// What a run read about suppliers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SupplierCounts {
    /// Statements about suppliers; equal ones count once each.
    pub mentions: u64,
    /// Distinct statements: lines of the file.
    pub lines: u64,
    /// Distinct official numbers.
    pub numbers: u64,
    /// Lines of sources that this run did not read, kept from the former file.
    pub kept: u64,
    /// Numbers that were refused, by source.
    pub placeholders: BTreeMap<String, u64>,
    pub malformed: BTreeMap<String, u64>,
}

/// A file that was not read, because no source recognizes it or because it cannot be opened.
#[derive(Debug, Serialize)]
pub struct LeftOutFile {
    pub path: String,
    /// Follows the path in a sentence: `is empty`.
    pub why: String,
}

/// A field that every record of the entity type has by the specification, but that less than 99 %
/// of a source's records have.
#[derive(Debug, PartialEq, Serialize)]
pub struct Shortfall {
    pub entity_type: EntityType,
    pub source_id: &'static str,
    pub field: String,
    /// The share of records that have the field, from 0 to 1.
    pub presence: f64,
}

/// What a run did for the commodity codes of a scheme. Every code that the run's records state is counted once: as
/// known, learned, covered or unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CommodityCounts {
    /// Codes that records state.
    pub codes: u64,
    /// Codes with words of the operator's table, of a former run or of this program.
    pub known: u64,
    /// Codes whose words the records of the run state.
    pub learned: u64,
    /// Codes without words of their own that have those of a level above.
    pub covered: u64,
    /// Codes without words on any level.
    pub unknown: u64,
    /// Records that gained words.
    pub records_completed: u64,
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
            let reasons = counts.iter();
            reasons
                .map(|(reason, seen)| json!({"reason": reason, "count": seen.count, "first_line": seen.first_line}))
                .collect::<Value>()
        };
        let counts = &self.counts;
        json!({
            "path": self.path, "source_id": self.source_id, "damaged": self.is_damaged,
            "rows": counts.rows, "recorded": counts.recorded, "written": counts.written, "merged": counts.merged,
            "skipped": reasons(&counts.skipped), "notes": reasons(&counts.notes),
            "bidders": {
                "listed": counts.bidders.listed, "kept": counts.bidders.kept, "replaced": counts.bidders.replaced,
                "refused": reasons(&counts.bidders.refused), "notes": reasons(&counts.bidders.notes),
            },
        })
        .serialize(serializer)
    }
}

impl fmt::Display for NormalizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_files(f)?;
        self.fmt_bidders(f)?;
        writeln!(f, "\nrecords written")?;
        for (dump, records) in self.records() {
            writeln!(f, "{records:>9}  {dump}")?;
        }
        if !self.commodities.is_empty() {
            writeln!(f, "\nwords of commodity codes")?;
        }
        for (scheme, counts) in &self.commodities {
            writeln!(f, "{scheme:>9}  {counts}")?;
        }
        if self.suppliers.lines > 0 {
            write!(f, "\nsuppliers\n{}", self.suppliers)?;
        }
        if !self.shortfalls.is_empty() {
            writeln!(
                f,
                "\nfields that the specification requires and less than 99 % of a source's records have: the source does not \
                 publish them, or a note above states the reason"
            )?;
        }
        for missing in &self.shortfalls {
            let (percent, name) = (
                missing.presence * 100.0,
                format!("{}/{}", missing.entity_type, missing.source_id),
            );
            writeln!(f, "{percent:>7.1} %  {name}: {}", missing.field)?;
        }
        if !self.unrecognized.is_empty() {
            writeln!(f, "\nfiles left out")?;
        }
        for LeftOutFile { path, why } in &self.unrecognized {
            writeln!(f, "  {path} {why}")?;
        }
        if !self.buyers_of_unknown_city.is_empty() {
            writeln!(f, "\nmunicipal buyers whose city is unknown")?;
        }
        for (buyer, records) in &self.buyers_of_unknown_city {
            writeln!(f, "{records:>9}  {buyer}")?;
        }
        if !self.quality_flags.is_empty() {
            writeln!(f, "\nrecords with a quality flag")?;
        }
        for (dump, flags) in &self.quality_flags {
            for (flag, records) in flags {
                writeln!(f, "{records:>9}  {dump}: {flag}")?;
            }
        }
        Ok(())
    }
}

fn fmt_reasons(f: &mut fmt::Formatter<'_>, label: &str, reasons: &BTreeMap<String, Occurrences>) -> fmt::Result {
    for (reason, seen) in reasons {
        let Occurrences { count, first_line } = seen;
        writeln!(f, "{:>39}  {count} × {label}, first on line {first_line}: {reason}", "")?;
    }
    Ok(())
}

impl fmt::Display for SupplierCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SupplierCounts {
            mentions,
            lines,
            numbers,
            kept,
            placeholders,
            malformed,
        } = self;
        writeln!(
            f,
            "{mentions:>9}  statements about suppliers, {lines} of them distinct, with {numbers} official numbers"
        )?;
        if *kept > 0 {
            writeln!(f, "{kept:>9}  of former runs, from sources that this run did not read")?;
        }
        for (why, by_source) in [("placeholders", placeholders), ("no enterprise numbers", malformed)] {
            for (source, count) in by_source {
                writeln!(f, "{count:>9}  numbers of {source} refused: {why}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for CommodityCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CommodityCounts {
            codes,
            known,
            learned,
            covered,
            unknown,
            records_completed,
        } = self;
        write!(
            f,
            "{codes} codes: {known} known, {learned} learned, {covered} with the words of a level above, {unknown} unknown; \
             {records_completed} records gained words"
        )
    }
}

impl NormalizeReport {
    /// What was read from each file.
    fn fmt_files(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>9} {:>9} {:>9} {:>9}  source               file",
            "rows", "recorded", "merged", "skipped"
        )?;
        for file in &self.files {
            let (path, source_id, counts) = (&file.path, file.source_id, &file.counts);
            let (rows, recorded, merged, skipped) =
                (counts.rows, counts.recorded, counts.merged, counts.skipped_rows());
            writeln!(
                f,
                "{rows:>9} {recorded:>9} {merged:>9} {skipped:>9}  {source_id:<20} {path}"
            )?;
            fmt_reasons(f, "skipped", &counts.skipped)?;
            fmt_reasons(f, "note", &counts.notes)?;
        }
        Ok(())
    }

    /// What became of the bidders that each file lists.
    fn fmt_bidders(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = || self.files.iter().filter(|file| file.counts.bidders.listed > 0);
        if files().next().is_none() {
            return Ok(());
        }
        writeln!(
            f,
            "\n{:>9} {:>9} {:>9} {:>9}  source               file",
            "bidders", "kept", "replaced", "refused"
        )?;
        for file in files() {
            let (path, source_id, bidders) = (&file.path, file.source_id, &file.counts.bidders);
            let (listed, kept, replaced) = (bidders.listed, bidders.kept, bidders.replaced);
            let refused = bidders.refused_bidders();
            writeln!(
                f,
                "{listed:>9} {kept:>9} {replaced:>9} {refused:>9}  {source_id:<20} {path}"
            )?;
            fmt_reasons(f, "refused", &bidders.refused)?;
            fmt_reasons(f, "note", &bidders.notes)?;
        }
        Ok(())
    }

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

    /// The last line, a warning, if files are damaged or were left out.
    pub(crate) fn warning(&self) -> Option<String> {
        let damaged = self.files.iter().filter(|file| file.is_damaged).count();
        let bad = damaged + self.unrecognized.len();
        let all = self.files.len() + self.unrecognized.len();
        if bad == 0 {
            return None;
        }
        Some(format!("{bad} of {all} files are damaged or not recognized; see above"))
    }
}
