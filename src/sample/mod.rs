//! A seeded generator of normalized dumps: records like the real ones, none of them real.
//!
//! It makes what the tests, the benches and a first look at the service run on: [`run`] writes
//! `<out>/<entity_type>/<source_id>.ndjson` for the sources of `SOURCES`. **Invariant:** the same records, kinds and seed
//! give the same bytes on every machine, in constant memory: each record is a function of its number (see `dice`), and
//! nothing is read but the words embedded in the binary.
//!
//! `data/sample` is its output for [`RECORDS`] and [`SEED`], with hand-made edge cases beside it; a test compares. After
//! a change here, `PROCURE_WRITE_SAMPLE=1 cargo test sample` writes it anew.

use std::{
    fmt,
    fs::{self, File},
    io::{BufWriter, Write},
    path::PathBuf,
};

use anyhow::{Context, ensure};

use crate::model::entity_type::EntityType;

mod buyers;
mod calendar;
mod canadabuys;
mod cities;
mod dice;
mod federal;
mod maker;
mod project;
mod row;
mod seao;
mod subject;
mod terms;
mod vendors;
mod words;

use maker::Maker;

/// What the committed sample was made with.
pub const RECORDS: u64 = 2_700;
pub const SEED: u64 = 20_261_031;

/// Past this, numbers that must be unique would come round again.
pub const MOST_RECORDS: u64 = 30_000_000;

#[derive(Clone, Debug)]
pub struct Options {
    /// Over all the kinds asked for.
    pub records: u64,
    pub seed: u64,
    pub out: PathBuf,
    /// All six where absent.
    pub entity_types: Option<Vec<EntityType>>,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub files: Vec<Written>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub entity_type: EntityType,
    pub source_id: &'static str,
    pub records: u64,
    pub bytes: u64,
}

/// A file of the sample.
struct Source {
    entity_type: EntityType,
    source_id: &'static str,
    /// Records of each ten thousand of the whole sample.
    share: u64,
    write: fn(&mut Maker, u8, u64),
}

const fn source(
    entity_type: EntityType,
    source_id: &'static str,
    share: u64,
    write: fn(&mut Maker, u8, u64),
) -> Source {
    Source {
        entity_type,
        source_id,
        share,
        write,
    }
}

/// The sources and their shares: within a kind, those that the specification's presence figures speak of.
const SOURCES: [Source; 12] = [
    source(EntityType::Contract, "seao-xml", 3_800, seao::contract),
    source(EntityType::Contract, "canadabuys-contract", 240, canadabuys::contract),
    source(EntityType::Contract, "montreal", 230, cities::montreal_contract),
    source(EntityType::Contract, "toronto", 130, cities::toronto_contract),
    source(EntityType::Contract, "novascotia", 100, cities::nova_scotia_contract),
    source(EntityType::Tender, "seao-xml", 1_740, seao::tender),
    source(EntityType::Tender, "canadabuys-tender", 140, canadabuys::tender),
    source(EntityType::Tender, "toronto", 120, cities::toronto_tender),
    source(EntityType::Award, "canadabuys-award", 1_000, canadabuys::award),
    source(EntityType::Disclosure, "disclosure", 1_800, federal::disclosure),
    source(
        EntityType::StandingOffer,
        "canadabuys-sosa",
        400,
        federal::standing_offer,
    ),
    source(
        EntityType::PreSolicitation,
        "canadabuys-tender",
        300,
        canadabuys::pre_solicitation,
    ),
];

/// Writes the sample. A source too small to get a record gets no file; files that are not the sample's are left alone.
pub fn run(options: &Options) -> anyhow::Result<Summary> {
    ensure!(
        options.records <= MOST_RECORDS,
        "a sample has at most {MOST_RECORDS} records, not {}",
        options.records
    );
    let mut maker = Maker::new(options.seed, options.records);
    let mut summary = Summary::default();
    for (number, records) in plan(options) {
        let source = &SOURCES[number];
        let folder = options.out.join(source.entity_type.name());
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let path = folder.join(format!("{}.ndjson", source.source_id));
        let bytes = write(&mut maker, number, records, &path).with_context(|| format!("writing {}", path.display()))?;
        summary.files.push(Written {
            entity_type: source.entity_type,
            source_id: source.source_id,
            records,
            bytes,
        });
    }
    Ok(summary)
}

fn write(maker: &mut Maker, number: usize, records: u64, path: &std::path::Path) -> std::io::Result<u64> {
    let mut file = BufWriter::with_capacity(1 << 18, File::create(path)?);
    let mut bytes = 0;
    for record in 0..records {
        (SOURCES[number].write)(maker, number as u8, record);
        let line = maker.row.end();
        file.write_all(line.as_bytes())?;
        bytes += line.len() as u64;
    }
    file.flush()?;
    Ok(bytes)
}

/// The asked-for sources, by number, and how many records each gets: their sum is exactly the whole.
fn plan(options: &Options) -> Vec<(usize, u64)> {
    let asked: Vec<usize> = (0..SOURCES.len())
        .filter(|n| {
            let kinds = options.entity_types.as_ref();
            kinds.is_none_or(|kinds| kinds.contains(&SOURCES[*n].entity_type))
        })
        .collect();
    let whole: u64 = asked.iter().map(|n| SOURCES[*n].share).sum();
    let (mut share, mut given) = (0, 0);
    let mut plan = Vec::new();
    for number in asked {
        share += SOURCES[number].share;
        let records = options.records * share / whole - given;
        given += records;
        if records > 0 {
            plan.push((number, records));
        }
    }
    plan
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            let path = format!("{}/{}.ndjson", file.entity_type, file.source_id);
            writeln!(f, "{path:<48} {:>12} records {:>16} bytes", file.records, file.bytes)?;
        }
        let records: u64 = self.files.iter().map(|file| file.records).sum();
        write!(f, "{:<48} {records:>12} records", "total")
    }
}

#[cfg(test)]
mod tests;
