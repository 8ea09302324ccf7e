//! The suppliers and the bodies of a build: what is read for them, and how their records are counted.

use std::{
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, anyhow};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    catalog::suppliers::{
        Party, SupplierList,
        claims::{Claims, ResolvedClaims},
        clusters::Clusters,
        made::MadeSuppliers,
        names::{NameRecords, Names, TypeRecords},
        report::SupplierReport,
    },
    engine::{
        Deadline, Engine,
        aggregation::{FacetBucket, TermsAggregation, ValueAggregation},
    },
    model::{Date, EntityType, Facet, Role, Schema, supplier_mention::MentionLine},
    query::{Filter, SearchQuery},
    storage::{dump, regular_file},
};

/// The claims of people, and the file that they were read from.
#[derive(Debug, Default)]
pub(super) struct ClaimsFile {
    claims: Claims,
    path: PathBuf,
}

/// What publishers state about suppliers, as `procure normalize` wrote it next to the dumps; `None` if there is none.
pub(super) fn read_mentions(dumps: &Path) -> anyhow::Result<Option<Vec<MentionLine>>> {
    let path = dumps.join(dump::SUPPLIERS);
    let bytes = match regular_file::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.with_context(|| format!("reading {}", path.display()))?,
    };
    let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    let lines = lines.map(|(number, line)| {
        serde_json::from_slice(line).map_err(|why| {
            anyhow!(
                "{} line {number}: {why}; normalize again, or remove the file: the names are then read from the dumps",
                path.display()
            )
        })
    });
    lines.collect::<anyhow::Result<Vec<MentionLine>>>().map(Some)
}

pub(super) fn read_claims(path: &Path) -> anyhow::Result<ClaimsFile> {
    let bytes = regular_file::read(path).with_context(|| format!("reading {}", path.display()))?;
    let claims = Claims::parse(&bytes).map_err(|problems| refused(path, &problems.to_string()))?;
    Ok(ClaimsFile {
        claims,
        path: path.to_owned(),
    })
}

fn refused(path: &Path, problems: &str) -> anyhow::Error {
    anyhow!(
        "the claims in {} are not applied, and nothing was published:\n{problems}",
        path.display()
    )
}

/// Joins the names of the index just built to suppliers.
pub(super) fn join(
    engine: &dyn Engine,
    mentions: Vec<MentionLine>,
    claims: &ClaimsFile,
) -> anyhow::Result<(SupplierList, SupplierReport)> {
    let started = Instant::now();
    let names = Names::new(&mentions, all_records(engine, Party::Supplier)?);
    drop(mentions);
    let clusters = Clusters::new(&names, &claims.resolve(Party::Supplier, &names)?);
    let report = SupplierReport::new(Party::Supplier, &names, &clusters);
    let lines = MadeSuppliers::new(&names, &clusters, Party::Supplier).lines()?;
    // Before the list takes memory.
    drop((clusters, names));
    finish(Party::Supplier, lines, report, started)
}

impl ClaimsFile {
    pub(super) fn resolve(&self, party: Party, names: &Names) -> anyhow::Result<ResolvedClaims<'_>> {
        let resolved = self.claims.resolve(party, names);
        resolved.map_err(|problems| refused(&self.path, &problems.to_string()))
    }
}

/// The list of suppliers or bodies of these lines, and the report on it.
pub(super) fn finish(
    party: Party,
    lines: Vec<u8>,
    mut report: SupplierReport,
    started: Instant,
) -> anyhow::Result<(SupplierList, SupplierReport)> {
    let suppliers = SupplierList::parse(party, lines.into())?;
    report.seconds = started.elapsed().as_secs_f64();
    Ok((suppliers, report))
}

/// The names of all entity types with their records.
pub(super) fn all_records(engine: &dyn Engine, party: Party) -> anyhow::Result<Vec<NameRecords>> {
    let facet = party.facet();
    let has_names = |of: &EntityType| facet.role().is_some_and(|role| Schema::of(*of).has_role(role));
    let mut records = Vec::new();
    for entity_type in EntityType::ALL.into_iter().filter(has_names) {
        let of_type = records_of(engine, entity_type, facet);
        records.extend(
            of_type.with_context(|| format!("counting the names of {} of the index just built", party.plural()))?,
        );
    }
    Ok(records)
}

/// The vendors or departments of an entity type with their records, values and years. Each record is counted twice: for
/// its names, and for its names among the records of its year.
fn records_of(engine: &dyn Engine, entity_type: EntityType, facet: Facet) -> anyhow::Result<Vec<NameRecords>> {
    let all = engine.list_names(&[entity_type], facet, "", 0..usize::MAX, Deadline::never())?;
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut found = Vec::with_capacity(all.rows.len());
    for row in all.rows {
        numbers.insert(row.name.clone(), found.len());
        let of_type = TypeRecords {
            entity_type,
            records: row.records,
            total_value: row.total_value,
            first_year: None,
            last_year: None,
        };
        found.push(NameRecords {
            name: row.name,
            of_type,
        });
    }
    let years = years_of(engine, entity_type)?;
    let names = years.into_par_iter().map(|year| {
        let of_year = names_of_year(engine, entity_type, facet, year)?;
        let numbers = of_year.iter().filter_map(|bucket| numbers.get(&bucket.value).copied());
        Ok((year, numbers.collect::<Vec<_>>()))
    });
    for (year, of_year) in names.collect::<anyhow::Result<Vec<_>>>()? {
        for number in of_year {
            let of_name = &mut found[number].of_type;
            of_name.first_year = Some(of_name.first_year.map_or(year, |first| first.min(year)));
            of_name.last_year = Some(of_name.last_year.map_or(year, |last| last.max(year)));
        }
    }
    Ok(found)
}

fn names_of_year(
    engine: &dyn Engine,
    entity_type: EntityType,
    facet: Facet,
    year: i32,
) -> anyhow::Result<Vec<FacetBucket>> {
    let day = |month_and_day: &str| Date::parse(&format!("{year:04}-{month_and_day}")).ok();
    let dates = Filter::Dates {
        role: Role::Date,
        from: day("01-01"),
        to: day("12-31"),
    };
    let query = SearchQuery::newest(entity_type, vec![dates]);
    let names = [TermsAggregation::all(facet)];
    let mut counted = engine.aggregate(&query, &names, ValueAggregation::None, Deadline::never())?;
    Ok(counted.take(facet).buckets)
}

/// The years of the records' event dates.
fn years_of(engine: &dyn Engine, entity_type: EntityType) -> anyhow::Result<Vec<i32>> {
    let query = SearchQuery::newest(entity_type, Vec::new());
    let years = [TermsAggregation::all(Facet::Year)];
    let mut counted = engine.aggregate(&query, &years, ValueAggregation::None, Deadline::never())?;
    let years = counted.take(Facet::Year).buckets.into_iter();
    let mut years: Vec<i32> = years.filter_map(|bucket| bucket.value.parse().ok()).collect();
    years.sort_unstable();
    Ok(years)
}
