//! `GET /vendor/{name}` and `GET /department/{name}`: what one name bought or sold, and its contracts.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline,
        aggregation::{Aggregation, FacetBuckets, Money, TermsAggregation, ValueAggregation},
        names::ResolvedName,
    },
    http::{
        Call, Reply, Work,
        error::{ApiError, quoted},
        handlers::stats::{Year, years},
        openapi::bodies,
        params::{
            likest,
            resolve::{Search, World},
            search::{DEPARTMENT_PROFILE, SearchParams, VENDOR_PROFILE},
        },
    },
    model::{entity_type::EntityType, facet::Facet},
    query::{Filter, SearchQuery},
};

/// A vendor's contracts that match: counted, added up, and a page of them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VendorProfile")]
pub struct Vendor<'a> {
    vendor_name: String,
    total_contracts: u64,
    total_value: Money,
    /// Ten at most, those with most contracts first.
    top_departments: Vec<TopDepartment>,
    #[schemars(schema_with = "bodies::contracts")]
    contracts: Vec<&'a RawValue>,
}

#[derive(Serialize, JsonSchema)]
struct TopDepartment {
    /// The French name where no English one is known.
    department_en: String,
    count: u64,
}

/// Spec silent: the shape of a department's profile. Contracts are counted, and `by_entity_type` tells its records of every kind.
#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "DepartmentProfile",
    description = "A department's contracts that match: counted, added up, and a page of them"
)]
pub struct Department<'a> {
    department_en: Option<String>,
    department_fr: Option<String>,
    total_contracts: u64,
    total_value: Money,
    /// Of the contracts, by event date.
    #[schemars(extend("format" = "date"))]
    first_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    last_date: Option<String>,
    /// The records of every kind that match.
    by_entity_type: Vec<OfKind>,
    /// The oldest first.
    by_year: Vec<Year>,
    /// Ten at most, those with most contracts first.
    top_vendors: Vec<TopVendor>,
    /// Ten at most, those with most contracts first.
    top_categories: Vec<TopCategory>,
    #[schemars(schema_with = "bodies::contracts")]
    contracts: Vec<&'a RawValue>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KindCount")]
struct OfKind {
    entity_type: EntityType,
    records: u64,
    /// Null for a kind without a value.
    total_value: Option<Money>,
}

#[derive(Serialize, JsonSchema)]
struct TopVendor {
    vendor_name: String,
    count: u64,
    total_value: Money,
}

#[derive(Serialize, JsonSchema)]
struct TopCategory {
    category: String,
    count: u64,
}

/// Spec silent: the most departments, vendors or categories of a profile.
const TOP: usize = 10;

pub fn vendor(call: &Call, name: String) -> Result<Work, ApiError> {
    let said = SearchParams::read_only(&VENDOR_PROFILE, "a vendor's profile", EntityType::Contract, call.query)?;
    let search = said.resolve(&World::of(call, EntityType::Contract))?;
    let asked = (search.query.clone(), search.page.clone(), Facet::Vendor.key(&name));
    let generation = call.generation.clone();
    let work = Work::pooled(move |deadline| {
        let (named, search) = of_name(&generation, Facet::Vendor, &name, search)?;
        let (mut aggregation, records) = ask(&generation, &search, &[want(Facet::Department)], deadline)?;
        let reply = Reply::json(&Vendor {
            vendor_name: named.name,
            total_contracts: aggregation.total,
            total_value: total_value(&aggregation),
            top_departments: top(aggregation.take(Facet::Department), |row| TopDepartment {
                department_en: row.value,
                count: row.count,
            }),
            contracts: raw(&records)?,
        })?;
        Ok(Reply {
            headers: search.notes(),
            ..reply
        })
    })?;
    work.of_request(&asked)
}

pub fn department(call: &Call, name: String) -> Result<Work, ApiError> {
    let said = SearchParams::read_only(
        &DEPARTMENT_PROFILE,
        "a department's profile",
        EntityType::Contract,
        call.query,
    )?;
    let search = said.resolve(&World::of(call, EntityType::Contract))?;
    let asked = (search.query.clone(), search.page.clone(), Facet::Department.key(&name));
    let generation = call.generation.clone();
    let work = Work::pooled(move |deadline| {
        let (named, search) = of_name(&generation, Facet::Department, &name, search)?;
        let wants = [
            TermsAggregation {
                facet: Facet::Year,
                size: usize::MAX,
            },
            want(Facet::Vendor),
            want(Facet::Category),
        ];
        let (mut aggregation, records) = ask(&generation, &search, &wants, deadline.clone())?;
        let reply = Reply::json(&Department {
            department_en: Some(named.name),
            department_fr: named.name_fr,
            total_contracts: aggregation.total,
            total_value: total_value(&aggregation),
            first_date: aggregation.earliest_date.map(|day| day.to_string()),
            last_date: aggregation.latest_date.map(|day| day.to_string()),
            by_entity_type: by_entity_type(&generation, &search.query, deadline)?,
            by_year: years(aggregation.take(Facet::Year), true),
            top_vendors: top(aggregation.take(Facet::Vendor), |row| TopVendor {
                vendor_name: row.value,
                count: row.count,
                total_value: row.total_value,
            }),
            top_categories: top(aggregation.take(Facet::Category), |row| TopCategory {
                category: row.value,
                count: row.count,
            }),
            contracts: raw(&records)?,
        })?;
        Ok(Reply {
            headers: search.notes(),
            ..reply
        })
    })?;
    work.of_request(&asked)
}

/// Narrows a search to a name, or tells which names are near it.
fn of_name(
    generation: &Generation,
    facet: Facet,
    name: &str,
    mut search: Search,
) -> Result<(ResolvedName, Search), ApiError> {
    let engine = &generation.engine;
    let Some(named) = engine.resolve_name(EntityType::Contract, facet, name) else {
        let near = likest(
            name,
            engine.suggest_names(EntityType::Contract, facet, name, COMPARED),
            NEAR,
        );
        let near: Vec<String> = near.iter().map(|name| quoted(name)).collect();
        let cure = match near.is_empty() {
            true => format!(
                "find its name with /{0}s?q=…, or its records with /contract?{0}=…",
                facet.name()
            ),
            false => format!("near are {}", near.join(", ")),
        };
        return Err(ApiError::not_found(format!(
            "no {} has the name {}; {cure}",
            facet.name(),
            quoted(name)
        )));
    };
    let key = named.key.clone();
    search.query.filters.push(Filter::FacetValue { facet, key });
    Ok((named, search))
}

/// Spec silent: the most near names that a 404 tells.
const NEAR: usize = 3;

/// How many candidates are compared for them.
const COMPARED: usize = 200;

fn ask(
    generation: &Generation,
    search: &Search,
    wants: &[TermsAggregation],
    deadline: Deadline,
) -> Result<(Aggregation, Vec<bytes::Bytes>), ApiError> {
    let aggregation = generation
        .engine
        .aggregate(&search.query, wants, ValueAggregation::Sum, deadline.clone())?;
    let hits = generation
        .engine
        .search(&search.query, &search.page, deadline.clone())?;
    Ok((aggregation, hits.records))
}

/// The same filters on every kind that has the fields for them; a kind that lacks one has no such records.
fn by_entity_type(generation: &Generation, query: &SearchQuery, deadline: Deadline) -> Result<Vec<OfKind>, ApiError> {
    let mut kinds = Vec::new();
    for entity_type in EntityType::ALL {
        let of_kind = SearchQuery {
            entity_type,
            ..query.clone()
        };
        let aggregation = generation
            .engine
            .aggregate(&of_kind, &[], ValueAggregation::Sum, deadline.clone())?;
        if aggregation.total > 0 {
            kinds.push(OfKind {
                entity_type,
                records: aggregation.total,
                total_value: aggregation.values.map(|values| values.total_value),
            });
        }
    }
    Ok(kinds)
}

/// Contracts have a value field, so the sum is always requested and present.
fn total_value(aggregation: &Aggregation) -> Money {
    aggregation.values.as_ref().expect("contracts have a value field").total_value
}

const fn want(facet: Facet) -> TermsAggregation {
    TermsAggregation { facet, size: TOP }
}

fn top<T>(counts: FacetBuckets, row: fn(crate::engine::aggregation::Bucket) -> T) -> Vec<T> {
    counts.buckets.into_iter().map(row).collect()
}

/// Records as they are, for a place inside another object.
pub fn raw(records: &[bytes::Bytes]) -> Result<Vec<&RawValue>, ApiError> {
    let raw = records.iter().map(|record| serde_json::from_slice(record));
    raw.collect::<Result<_, _>>().map_err(ApiError::internal)
}
