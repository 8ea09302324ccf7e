//! The bodies of a build: the departments of the index, joined by the table of names, municipalities and identifiers.

use std::{collections::BTreeMap, time::Instant};

use anyhow::Context;

use super::supplier_names::{ClaimsFile, all_records, finish};
use crate::{
    catalog::suppliers::{
        Party, Supplier, SupplierList,
        bodies::{CityNames, ampersand_groups, proposals},
        clusters::Clusters,
        made::{self, MadeSuppliers},
        names::{Name, Names},
        report::SupplierReport,
        supplier::KindFigures,
    },
    engine::{
        Deadline, Engine,
        aggregation::{Money, TermsAggregation, ValueAggregation},
    },
    model::{Date, EntityType, Facet, Role, Schema, body_names, municipality, supplier_mention::MentionLine},
    query::{Filter, SearchQuery},
};

/// Joins the names of the buyers of the index just built to bodies. Returns their lines.
pub(super) fn join(
    engine: &dyn Engine,
    mentions: Vec<MentionLine>,
    claims: &ClaimsFile,
) -> anyhow::Result<(SupplierList, SupplierReport)> {
    let started = Instant::now();
    let names = names(engine, mentions)?;
    let cities = cities(engine, &names).context("reading the municipalities of the index just built")?;
    let resolved = claims.resolve(Party::Body, &names)?;
    let alike = of_one_government(engine, &names).context("reading the governments of the index just built")?;
    let clusters = Clusters::of(&names, &resolved, proposals(&names, &cities, &alike), Vec::new());
    let report = SupplierReport::new(Party::Body, &names, &clusters);
    let mut made = MadeSuppliers::new(&names, &clusters, Party::Body).all();
    for body in made.iter_mut().filter(|body| body.names.len() > 1) {
        recount(engine, body).context("counting the records of bodies of the index just built")?;
    }
    finish(Party::Body, made::lines(made)?, report, started)
}

/// The departments of the index, each with its French name. What is stated of either name is stated of the department.
fn names(engine: &dyn Engine, mentions: Vec<MentionLine>) -> anyhow::Result<Names> {
    let resolve = |name: &str| engine.resolve_name(EntityType::Contract, Facet::Department, name, Deadline::never());
    let mut of_departments = Vec::new();
    for mut line in mentions {
        if let Some(named) = resolve(&line.mention.name)? {
            line.mention.name = named.name;
            of_departments.push(line);
        }
    }
    let mut names = Names::new(&of_departments, all_records(engine, Party::Body)?);
    let spellings: Vec<String> = names.all.iter().map(|name| name.spelling.clone()).collect();
    for spelling in spellings {
        let french = resolve(&spelling)?.and_then(|named| named.name_fr);
        names.add_french(&spelling, french.filter(|french| *french != spelling));
    }
    for name in &mut names.all {
        name.mentions = name.record_count();
        name.is_acronym = body_names::is_acronym(&name.key);
    }
    Ok(names)
}

/// The municipalities with several names of departments that are the municipality's own, most of whose records are of
/// this municipality.
fn cities(engine: &dyn Engine, names: &Names) -> anyhow::Result<CityNames> {
    let mut cities: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (number, name) in (0..).zip(&names.all) {
        let spellings = std::iter::once(&name.spelling).chain(&name.french);
        for city in spellings.flat_map(|name| municipality::named_cities(name)) {
            let known = cities.entry(&city.slug).or_default();
            if known.last() != Some(&number) {
                known.push(number);
            }
        }
    }
    let mut found = CityNames::new();
    for (slug, numbers) in cities.into_iter().filter(|(_, numbers)| numbers.len() > 1) {
        for number in numbers {
            if is_of_municipality(engine, names.get(number), slug)? {
                found.entry(slug).or_default().push(number);
            }
        }
    }
    Ok(found)
}

/// The names that are equal but for `&`, by the municipality or government that most of their records are of. Two
/// cities may each have a division of that name.
fn of_one_government(engine: &dyn Engine, names: &Names) -> anyhow::Result<Vec<Vec<u32>>> {
    let mut found = Vec::new();
    for members in ampersand_groups(names) {
        let mut by_government: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for number in members {
            if let Some(slug) = government(engine, names.get(number))? {
                by_government.entry(slug).or_default().push(number);
            }
        }
        found.extend(by_government.into_values().filter(|members| members.len() > 1));
    }
    Ok(found)
}

/// The municipality or government that more than half of the records of a name are of.
fn government(engine: &dyn Engine, name: &Name) -> anyhow::Result<Option<String>> {
    let of_name = Filter::FacetValue {
        facet: Facet::Department,
        key: name.key.clone(),
    };
    let by_government = [TermsAggregation::all(Facet::Municipality)];
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for of_type in &name.records {
        let query = SearchQuery::newest(of_type.entity_type, vec![of_name.clone()]);
        let found = engine.aggregate(&query, &by_government, ValueAggregation::None, Deadline::never())?;
        for bucket in found.facets.into_values().flat_map(|of| of.buckets) {
            *counts.entry(bucket.value).or_default() += bucket.count;
        }
    }
    let is_most = |(_, count): &(String, u64)| count * 2 > name.record_count();
    Ok(counts.into_iter().find(is_most).map(|(slug, _)| slug))
}

fn is_of_municipality(engine: &dyn Engine, name: &Name, slug: &str) -> anyhow::Result<bool> {
    let of_name = Filter::FacetValue {
        facet: Facet::Department,
        key: name.key.clone(),
    };
    let of_city = Filter::Term {
        role: Role::Municipality,
        key: slug.to_owned(),
    };
    let query = |of: EntityType| SearchQuery::newest(of, vec![of_name.clone(), of_city.clone()]);
    let counts = engine.counts(&EntityType::ALL.map(query), Deadline::never())?;
    Ok(counts.iter().sum::<u64>() * 2 > name.record_count())
}

/// Counts the records of a body of several names. A record may have two of them, so that their sum is no count.
fn recount(engine: &dyn Engine, body: &mut Supplier) -> anyhow::Result<()> {
    let filter = Filter::AnyFacetValue {
        facet: Facet::Department,
        keys: body.keys(),
    };
    let (mut years, mut total_value) = (Vec::new(), Money::default());
    body.by_entity_type.clear();
    for entity_type in EntityType::ALL {
        if !Schema::of(entity_type).has_role(Role::Department) {
            continue;
        }
        let query = SearchQuery::newest(entity_type, vec![filter.clone()]);
        let counted = engine.aggregate(&query, &[], ValueAggregation::Sum, Deadline::never())?;
        let value = counted.values.map_or_else(Money::default, |values| values.total_value);
        if counted.total > 0 {
            body.by_entity_type.push(KindFigures {
                entity_type,
                records: counted.total,
                total_value: value.dollars(),
            });
        }
        total_value.add(value);
        years.extend(
            [counted.earliest_date, counted.latest_date]
                .into_iter()
                .flatten()
                .map(Date::year),
        );
    }
    body.records = body.by_entity_type.iter().map(|of| of.records).sum();
    body.total_value = total_value.dollars();
    (body.first_year, body.last_year) = (years.iter().copied().min(), years.iter().copied().max());
    Ok(())
}
