//! `GET /vendors` and `GET /departments`: names that contain a text, those with most records first.

use std::ops::Range;

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use crate::{
    api::{
        params::{
            names::{
                DEFAULT_LIMIT, DEPARTMENTS as DEPARTMENT_PARAMS, MIN_VENDOR_LENGTH, NamesParams,
                VENDORS as VENDOR_PARAMS,
            },
            param::describe,
            read::read_all,
        },
        route::{Answer, Endpoint, Link, Parameters, Route, Tag},
    },
    engine::{
        aggregation::Money,
        names::{BodyKind, NameCount, NamesPage},
    },
    http::{
        call::Call,
        error::ApiError,
        parameter_error::Reason,
        work::{Reply, Work},
    },
    model::{EntityType, Facet, fold::fold},
};

pub(crate) const VENDORS: Route = Route {
    id: "listVendors",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed("/vendors", vendors),
    about: "Vendors whose name contains a text, those with most contracts first",
    parameters: Parameters::Table("vendors", || describe(VENDOR_PARAMS)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Names<Vendor>>),
    links: &[Link {
        name: "vendor",
        to: "getVendor",
        about: "The first vendor's contracts",
        parameters: &[("name", "$response.body#/results/0/vendor")],
        ..Link::DEFAULT
    }],
    ..Route::DEFAULT
};

pub(crate) const DEPARTMENTS: Route = Route {
    id: "listDepartments",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed("/departments", departments),
    about: "Departments with their numbers of records and total values",
    parameters: Parameters::Table("departments", || describe(DEPARTMENT_PARAMS)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Names<Department>>),
    links: &[Link {
        name: "department",
        to: "getDepartment",
        about: "The first department's contracts, if it has any",
        parameters: &[("name", "$response.body#/results/0/department")],
        ..Link::DEFAULT
    }],
    ..Route::DEFAULT
};

/// A page of names, those with most records first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{R}Names")]
struct Names<R> {
    /// Number of names that match, on all pages.
    total: u64,
    /// Names in this page.
    count: usize,
    /// Names skipped.
    offset: u64,
    results: Vec<R>,
}

/// A vendor, in the spelling that most of its contracts have.
#[derive(Serialize, JsonSchema)]
struct Vendor {
    vendor: String,
    contracts: u64,
    total_value: Money,
}

/// A department, by its English name if that is known.
#[derive(Serialize, JsonSchema)]
struct Department {
    department: String,
    /// Records of the requested entity type, or of all four.
    records: u64,
    /// The sum of the values that they state: 0 where none states one, as for most tenders.
    total_value: Money,
    /// Whether it is a buyer or a division of one.
    kind: Option<BodyKind>,
}

/// The entity types whose departments are listed.
const ENTITY_TYPES: [EntityType; 4] = [
    EntityType::Contract,
    EntityType::Tender,
    EntityType::Award,
    EntityType::Disclosure,
];

fn vendors(call: &Call) -> Result<Work, ApiError> {
    let given: NamesParams = read_all(VENDOR_PARAMS, call.query)?;
    let part = vendor_part(&given)?;
    let entity_types = vec![EntityType::Contract];
    list(call, given, entity_types, Facet::Vendor, part, |row| Vendor {
        vendor: row.name,
        contracts: row.records,
        total_value: row.total_value,
    })
}

/// The folded part of a vendor's name that is searched for.
fn vendor_part(given: &NamesParams) -> Result<String, ApiError> {
    let Some(q) = &given.q else {
        let hint = ": part of a vendor's name, at least 2 letters or digits";
        return Err(ApiError::invalid("q", Reason::Required(hint)));
    };
    let part = fold(&q.value);
    if part.chars().count() < MIN_VENDOR_LENGTH {
        let (text, min) = (q.value.clone(), MIN_VENDOR_LENGTH);
        return Err(ApiError::invalid(q.name, Reason::TooShort { text, min }));
    }
    Ok(part)
}

fn departments(call: &Call) -> Result<Work, ApiError> {
    let given: NamesParams = read_all(DEPARTMENT_PARAMS, call.query)?;
    if given.q.is_none() && given.entity_type.is_none() {
        let (other, hint) = ("entity_type", "part of a department's name, or an entity type");
        return Err(ApiError::invalid("q", Reason::OneRequired { other, hint }));
    }
    let entity_types = match &given.entity_type {
        Some(given) => EntityType::parse(given.value).into_iter().collect(),
        None => ENTITY_TYPES.to_vec(),
    };
    let part = given.q.as_ref().map_or_else(String::new, |given| fold(&given.value));
    list(call, given, entity_types, Facet::Department, part, |row| Department {
        department: row.name,
        records: row.records,
        total_value: row.total_value,
        kind: row.kind,
    })
}

fn list<R: Serialize + 'static>(
    call: &Call,
    given: NamesParams,
    entity_types: Vec<EntityType>,
    facet: Facet,
    part: String,
    row: fn(NameCount) -> R,
) -> Result<Work, ApiError> {
    let offset = given.offset.map_or(0, |given| given.value);
    let limit = given.limit.map_or(DEFAULT_LIMIT, |given| given.value);
    let normal_form = (entity_types.clone(), part.clone(), limit, offset);
    let work = Work::search(&call.generation, move |ask| {
        let page = range(offset, limit);
        let engine = &ask.generation.engine;
        let NamesPage { total, rows } = engine.list_names(&entity_types, facet, &part, page, ask.deadline.clone())?;
        Reply::json(&Names {
            total,
            count: rows.len(),
            offset,
            results: rows.into_iter().map(row).collect(),
        })
    });
    work.for_request(&normal_form)
}

/// The part of a list that a page has.
pub(super) fn range(offset: u64, limit: u64) -> Range<usize> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    start..start.saturating_add(limit as usize)
}
