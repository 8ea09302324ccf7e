//! `GET /vendors` and `GET /departments`: names found by a part of them, those with most records first.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    engine::{aggregation::Money, names::NamesPage},
    http::{
        Call, Reply, Work,
        error::{ApiError, quoted},
        params::{
            self,
            names::{DEPARTMENTS, NamesParams, VENDORS},
        },
    },
    model::{entity_type::EntityType, facet::Facet, fold::fold},
};

/// A page of names, those with most records first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{R}Names")]
pub struct List<R> {
    /// Names that match, on whatever page.
    total: u64,
    /// Names in this page.
    count: usize,
    /// Names skipped.
    offset: u64,
    results: Vec<R>,
}

/// A vendor, spelled as most of its contracts spell it.
#[derive(Serialize, JsonSchema)]
pub struct Vendor {
    vendor: String,
    contracts: u64,
    total_value: Money,
}

/// A department, by its English name where that is known.
#[derive(Serialize, JsonSchema)]
pub struct Department {
    department: String,
    /// Of the kind asked for, else of all four.
    records: u64,
    total_value: Money,
}

/// Spec silent: the names of a page when `limit` is not given is the specification's, the shortest `q` of vendors is not.
pub const DEFAULT_LIMIT: u64 = 20;
pub const SHORTEST_VENDOR: usize = 2;

/// The kinds whose departments are listed.
pub const DEPARTMENT_KINDS: [EntityType; 4] = [
    EntityType::Contract,
    EntityType::Tender,
    EntityType::Award,
    EntityType::Disclosure,
];

pub fn vendors(call: &Call) -> Result<Work, ApiError> {
    let said: NamesParams = params::read(VENDORS, |_| None, call.query)?;
    let Some(q) = &said.q else {
        return Err(ApiError::unprocessable(
            "parameter 'q' is required: part of a vendor's name, of 2 letters or digits at least",
        ));
    };
    let part = fold(&q.value);
    if part.chars().count() < SHORTEST_VENDOR {
        let why = format!(
            "{} is too short; give at least {SHORTEST_VENDOR} letters or digits",
            quoted(&q.value)
        );
        return Err(ApiError::invalid(q.name, why));
    }
    list(call, said, vec![EntityType::Contract], Facet::Vendor, part, |row| {
        Vendor {
            vendor: row.name,
            contracts: row.records,
            total_value: row.total_value,
        }
    })
}

pub fn departments(call: &Call) -> Result<Work, ApiError> {
    let said: NamesParams = params::read(DEPARTMENTS, |_| None, call.query)?;
    if said.q.is_none() && said.entity_type.is_none() {
        return Err(ApiError::unprocessable(
            "one of the parameters 'q' and 'entity_type' is required: part of a department's name, or a kind of record",
        ));
    }
    let kinds = match &said.entity_type {
        Some(said) => EntityType::parse(said.value).into_iter().collect(),
        None => DEPARTMENT_KINDS.to_vec(),
    };
    let part = said.q.as_ref().map_or_else(String::new, |said| fold(&said.value));
    list(call, said, kinds, Facet::Department, part, |row| Department {
        department: row.name,
        records: row.records,
        total_value: row.total_value,
    })
}

fn list<R: Serialize + 'static>(
    call: &Call,
    said: NamesParams,
    kinds: Vec<EntityType>,
    facet: Facet,
    part: String,
    row: fn(crate::engine::names::NameCount) -> R,
) -> Result<Work, ApiError> {
    let offset = said.offset.map_or(0, |said| said.value);
    let limit = said.limit.map_or(DEFAULT_LIMIT, |said| said.value);
    let (generation, asked) = (call.generation.clone(), (kinds.clone(), part.clone(), limit, offset));
    let work = Work::pooled(move |deadline| {
        deadline.check()?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let page = start..start.saturating_add(limit as usize);
        let NamesPage { total, rows } = generation.engine.list_names(&kinds, facet, &part, page);
        Reply::json(&List {
            total,
            count: rows.len(),
            offset,
            results: rows.into_iter().map(row).collect(),
        })
    })?;
    work.of_request(&asked)
}
