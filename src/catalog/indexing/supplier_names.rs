//! The suppliers of a build: what is read for them, and how their records are counted.

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
        SupplierList,
        claims::Claims,
        clusters::Clusters,
        list,
        names::{NameRecords, Names},
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
    mentions: &[MentionLine],
    claims: &ClaimsFile,
) -> anyhow::Result<(SupplierList, SupplierReport)> {
    let started = Instant::now();
    let mut records = Vec::new();
    for entity_type in EntityType::ALL {
        if Schema::of(entity_type).has_role(Role::Vendor) {
            records.extend(records_of(engine, entity_type).context("counting the vendors of the index just built")?);
        }
    }
    let names = Names::new(mentions, records);
    let resolved = claims.claims.resolve(&names);
    let resolved = resolved.map_err(|problems| refused(&claims.path, &problems.to_string()))?;
    let clusters = Clusters::new(&names, &resolved);
    let suppliers = SupplierList::parse(list::lines(&names, &clusters)?.into())?;
    let mut report = SupplierReport::new(&names, &clusters);
    report.seconds = started.elapsed().as_secs_f64();
    Ok((suppliers, report))
}

/// The vendors of an entity type with their records, values and years. Each record is counted twice: for its vendor,
/// and for its vendor among the records of its year.
fn records_of(engine: &dyn Engine, entity_type: EntityType) -> anyhow::Result<Vec<NameRecords>> {
    let all = engine.list_names(&[entity_type], Facet::Vendor, "", 0..usize::MAX, Deadline::never())?;
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut found = Vec::with_capacity(all.rows.len());
    for row in all.rows {
        numbers.insert(row.name.clone(), found.len());
        found.push(NameRecords {
            entity_type,
            name: row.name,
            records: row.records,
            total_value: row.total_value,
            first_year: None,
            last_year: None,
        });
    }
    let years = years_of(engine, entity_type)?;
    let vendors = years.into_par_iter().map(|year| {
        let of_year = vendors_of_year(engine, entity_type, year)?;
        let numbers = of_year.iter().filter_map(|bucket| numbers.get(&bucket.value).copied());
        Ok((year, numbers.collect::<Vec<_>>()))
    });
    for (year, of_year) in vendors.collect::<anyhow::Result<Vec<_>>>()? {
        for number in of_year {
            let of_name: &mut NameRecords = &mut found[number];
            of_name.first_year = Some(of_name.first_year.map_or(year, |first| first.min(year)));
            of_name.last_year = Some(of_name.last_year.map_or(year, |last| last.max(year)));
        }
    }
    Ok(found)
}

fn vendors_of_year(engine: &dyn Engine, entity_type: EntityType, year: i32) -> anyhow::Result<Vec<FacetBucket>> {
    let day = |month_and_day: &str| Date::parse(&format!("{year:04}-{month_and_day}")).ok();
    let dates = Filter::Dates {
        role: Role::Date,
        from: day("01-01"),
        to: day("12-31"),
    };
    let query = SearchQuery::newest(entity_type, vec![dates]);
    let vendors = [TermsAggregation::all(Facet::Vendor)];
    let mut counted = engine.aggregate(&query, &vendors, ValueAggregation::None, Deadline::never())?;
    Ok(counted.take(Facet::Vendor).buckets)
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
