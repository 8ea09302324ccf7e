//! A seeded generator of normalized dumps: records like the real ones, none of them real.
//!
//! The tests, the benches and `procure demo` run on its records. [`run`] writes
//! `<out>/<entity_type>/<source_id>.ndjson` for the sources of `lists/sources.txt`. **Invariant:** the same options
//! give the same bytes on every machine, in constant memory but for the names of bidders: each record is a function of
//! its number (see `random`),
//! and nothing is read but the lists embedded in the binary.
//!
//! What is bought decides the rest: `topics` declares which supplier, buyer, category, code and amount fit it.
//!
//! `data/sample` is the output of `procure sample --records 2700 --seed 20261031 --bids`, with hand-made edge
//! cases next to it; a test compares. After a change here, `PROCURE_WRITE_SAMPLE=1 cargo test sample` writes it anew.

use std::{
    fmt,
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};

use crate::model::{Date, EntityType, supplier_mention::SupplierMentions};

mod bids;
mod buyers;
mod choices;
mod coined_word;
mod generator;
mod lists;
mod notice_subject;
mod places;
mod project;
mod random;
mod sources;
mod suppliers;
mod table;
mod topics;
mod values;

use generator::Generator;
use sources::{SOURCES, SampleSource};

/// Beyond this, numbers that must be unique would repeat.
pub(crate) const MAX_RECORDS: u64 = 30_000_000;

#[derive(Clone, Debug)]
pub struct SampleOptions {
    /// In all the entity types together.
    pub records: u64,
    pub seed: u64,
    pub out: PathBuf,
    /// Empty for all six.
    pub entity_types: Vec<EntityType>,
    /// The day on which the sample was "taken": the last day of publication. What closes later is open.
    pub last_day: Date,
    /// Whether to write the bids on the notices of SEAO too, and what it states of the bidders.
    pub bids: bool,
}

impl SampleOptions {
    /// A sample of all entity types that ends on a fixed day, so that it is the same at any time.
    pub fn new(records: u64, seed: u64, out: PathBuf) -> SampleOptions {
        SampleOptions {
            records,
            seed,
            out,
            entity_types: Vec::new(),
            last_day: Date::parse("2026-10-31").expect("this day exists"),
            bids: false,
        }
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleSummary {
    pub(crate) files: Vec<SampleFile>,
    /// Notices with bids.
    pub(crate) notices: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SampleFile {
    pub(crate) entity_type: EntityType,
    pub(crate) source_id: &'static str,
    pub(crate) records: u64,
    pub(crate) bytes: u64,
}

/// Writes the sample. A source too small to get a record gets no file; other files in the folder are left alone.
pub fn run(options: &SampleOptions) -> anyhow::Result<SampleSummary> {
    ensure!(
        options.records <= MAX_RECORDS,
        "{} records are too many; a sample has up to {MAX_RECORDS}",
        options.records
    );
    let mut generator = Generator::new(&SOURCES[0], options.seed, options.records, options.last_day);
    let mut summary = SampleSummary::default();
    for (source, records) in records_by_source(options) {
        let folder = options.out.join(source.entity_type.name());
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let path = folder.join(format!("{}.ndjson", source.source_id));
        let written = write(&mut generator, source, records, &path);
        summary.files.push(SampleFile {
            entity_type: source.entity_type,
            source_id: source.source_id,
            records,
            bytes: written.with_context(|| format!("writing {}", path.display()))?,
        });
    }
    if options.bids {
        let written = write_bids(&mut generator, options);
        summary.notices = written.with_context(|| format!("writing the bids in {}", options.out.display()))?;
    }
    Ok(summary)
}

/// The dump of bids, and the file with what is stated of the bidders; returns the number of notices.
fn write_bids(generator: &mut Generator, options: &SampleOptions) -> std::io::Result<u64> {
    let tenders = records_by_source(options).into_iter();
    let is_seao = |(source, _): &(&SampleSource, u64)| {
        source.entity_type == EntityType::Tender && source.source_id == SOURCE_OF_BIDS
    };
    let mut suppliers = SupplierMentions::default();
    let mut notices = 0;
    for (source, records) in tenders.filter(is_seao) {
        let folder = options.out.join("bids");
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}.ndjson", source.source_id));
        let mut file = BufWriter::with_capacity(1 << 18, File::create(path)?);
        for number in 0..records {
            generator.record(source, number);
            if let Some(notice) = generator.bids(source, number) {
                bids::observe(&mut suppliers, &notice, source.source_id);
                writeln!(file, "{}", serde_json::to_string(&notice)?)?;
                notices += 1;
            }
        }
        file.flush()?;
    }
    let mut file = BufWriter::new(File::create(options.out.join("suppliers.ndjson"))?);
    for line in suppliers.into_lines() {
        writeln!(file, "{}", serde_json::to_string(&line)?)?;
    }
    file.flush()?;
    Ok(notices)
}

/// The source whose notices list bids.
const SOURCE_OF_BIDS: &str = "seao-xml";

/// Writes the file of a source; returns its size in bytes.
fn write(generator: &mut Generator, source: &'static SampleSource, records: u64, path: &Path) -> std::io::Result<u64> {
    let mut file = BufWriter::with_capacity(1 << 18, File::create(path)?);
    let mut bytes = 0;
    for number in 0..records {
        let line = generator.record(source, number);
        file.write_all(line.as_bytes())?;
        bytes += line.len() as u64;
    }
    file.flush()?;
    Ok(bytes)
}

/// The sources asked for, and how many records each gets: their sum is exactly the whole.
fn records_by_source(options: &SampleOptions) -> Vec<(&'static SampleSource, u64)> {
    let types = &options.entity_types;
    let is_asked = |source: &&SampleSource| types.is_empty() || types.contains(&source.entity_type);
    let asked = || SOURCES.iter().filter(is_asked);
    let whole: u64 = asked().map(|source| source.share).sum();
    let (mut share, mut given) = (0, 0);
    let mut by_source = Vec::new();
    for source in asked() {
        share += source.share;
        let records = options.records * share / whole - given;
        given += records;
        if records > 0 {
            by_source.push((source, records));
        }
    }
    by_source
}

impl fmt::Display for SampleSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            let path = format!("{}/{}.ndjson", file.entity_type, file.source_id);
            writeln!(f, "{path:<48} {:>12} records {:>16} bytes", file.records, file.bytes)?;
        }
        if self.notices > 0 {
            writeln!(f, "{:<48} {:>12} notices with bids", "bids", self.notices)?;
        }
        let records: u64 = self.files.iter().map(|file| file.records).sum();
        write!(f, "{:<48} {records:>12} records", "total")
    }
}

#[cfg(test)]
mod tests;
