//! `GET /vendor/{name}` and `GET /department/{name}`: the contracts of one vendor or department, counted and paged.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    api::{
        analysis::{
            bids::{bidder::BidderFigures, buyer::CallsReceived},
            entity_type_counts::{EntityTypeCount, by_entity_type},
            figures::{FigurePlan, Figures, Included},
            profile::{filter, similar_names},
            shares::{Year, years},
        },
        cost::ScanCost,
        handlers::{raw_records::raw_records, search::INVALID_PAGE},
        params::{
            resolve::{ResolveContext, ResolvedSearch},
            search::SearchParams,
        },
        route::{Answer, Endpoint, ErrorResponse, Parameters, PathParam, Route, Tag},
        schema_refs,
    },
    catalog::{ask::Ask, bids::BidQuery, generation::Generation},
    engine::{
        Deadline,
        aggregation::{Aggregation, FacetBucket, FacetBuckets, Money, TermsAggregation},
        names::{BodyKind, ResolvedName},
    },
    http::{
        call::Call,
        error::ApiError,
        quoted::quoted,
        work::{Reply, Work},
    },
    model::{EntityType, Facet},
};

pub(crate) const VENDOR: Route = Route {
    id: "getVendor",
    endpoint: Endpoint::Named("/vendor/", "name", vendor),
    about: "A vendor's contracts, their total value and the departments that awarded them",
    path_params: &[PathParam::Text {
        component: "vendor_name",
        name: "name",
        about: "A vendor's whole name; accents, case and punctuation do not matter; `/vendors` finds it",
        example: "vendor_name",
    }],
    parameters: Parameters::Search(Some(&VENDOR_PARAMS), Some(EntityType::Contract)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Vendor>),
    ..PROFILE
};

pub(crate) const DEPARTMENT: Route = Route {
    id: "getDepartment",
    endpoint: Endpoint::Named("/department/", "name", department),
    about: "A department's contracts by vendor, category and year, and its records of every entity type",
    path_params: &[PathParam::Text {
        component: "department_name",
        name: "name",
        about: "A department's whole name, in English, in French, or as `English | French`; `/departments` finds it",
        example: "department_en",
    }],
    parameters: Parameters::Search(Some(&DEPARTMENT_PARAMS), Some(EntityType::Contract)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Department>),
    ..PROFILE
};

const PROFILE: Route = Route {
    tag: Tag::Parties,
    headers: &["X-Limit-Applied", "X-Ignored-Parameters"],
    errors: &[
        INVALID_PAGE,
        ErrorResponse::not_found(
            "NoName",
            "No contract has that name; the message lists up to three similar names",
            |_| "no vendor has the name 'Acme Pavin'; similar names: 'Acme Paving', 'Acme'".to_owned(),
        ),
    ],
    ..Route::DEFAULT
};

/// The parameters of a vendor's profile.
static VENDOR_PARAMS: [&str; 10] = [
    "category",
    "department",
    "commodity",
    "include",
    "issued_after",
    "issued_before",
    "sort_by",
    "sort_order",
    "limit",
    "offset",
];

/// The parameters of a department's profile.
static DEPARTMENT_PARAMS: [&str; 11] = [
    "category",
    "department",
    "commodity",
    "include",
    "vendor",
    "issued_after",
    "issued_before",
    "sort_by",
    "sort_order",
    "limit",
    "offset",
];

/// A vendor's contracts that match: their number, their total value, and a page of them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VendorProfile")]
struct Vendor<'a> {
    vendor_name: String,
    total_contracts: u64,
    total_value: Money,
    /// Up to ten departments, those with most contracts first.
    top_departments: Vec<TopDepartment>,
    #[serde(flatten)]
    included: Included,
    /// Only with `include=bids`; then a vendor that bid and has no contract is answered too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BidderFigures")]
    bids: Option<BidderFigures>,
    #[schemars(schema_with = "schema_refs::contracts")]
    contracts: Vec<&'a RawValue>,
}

#[derive(Serialize, JsonSchema)]
struct TopDepartment {
    /// The French name if no English one is known.
    department_en: String,
    count: u64,
}

/// The shape of a department's profile. Its figures are those of contracts; `by_entity_type` counts all
/// its records.
#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "DepartmentProfile",
    description = "A department's contracts that match: their number, their total value, and a page of them"
)]
struct Department<'a> {
    department_en: Option<String>,
    department_fr: Option<String>,
    /// Whether it is a buyer or a division of one.
    kind: Option<BodyKind>,
    total_contracts: u64,
    total_value: Money,
    /// Of the contracts, by event date.
    #[schemars(extend("format" = "date"))]
    first_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    last_date: Option<String>,
    /// The records of every entity type that match.
    by_entity_type: Vec<EntityTypeCount>,
    /// The oldest year first.
    by_year: Vec<Year>,
    /// Up to ten vendors, those with most contracts first.
    top_vendors: Vec<TopVendor>,
    /// Up to ten categories, those with most contracts first.
    top_categories: Vec<TopCategory>,
    #[serde(flatten)]
    included: Included,
    /// Only with `include=bids`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CallsReceived")]
    bids: Option<CallsReceived>,
    #[schemars(schema_with = "schema_refs::contracts")]
    contracts: Vec<&'a RawValue>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct TopVendor {
    vendor_name: String,
    count: u64,
    total_value: Money,
}

#[derive(Serialize, JsonSchema)]
struct TopCategory {
    category: String,
    count: u64,
}

impl From<FacetBucket> for TopVendor {
    fn from(bucket: FacetBucket) -> TopVendor {
        TopVendor {
            vendor_name: bucket.value,
            count: bucket.count,
            total_value: bucket.total_value,
        }
    }
}

/// The maximum number of departments, vendors or categories of a profile.
pub(super) const TOP: usize = 10;

fn vendor(call: &Call, name: String) -> Result<Work, ApiError> {
    let terms = vec![TermsAggregation::top(TOP, Facet::NamedDepartment)];
    profile(call, Facet::Vendor, name, &VENDOR_PARAMS, terms)
}

fn department(call: &Call, name: String) -> Result<Work, ApiError> {
    let terms = vec![
        TermsAggregation::all(Facet::Year),
        TermsAggregation::top(TOP, Facet::Vendor),
        TermsAggregation::top(TOP, Facet::Category),
    ];
    profile(call, Facet::Department, name, &DEPARTMENT_PARAMS, terms)
}

fn profile(
    call: &Call,
    facet: Facet,
    name: String,
    params: &[&'static str],
    terms: Vec<TermsAggregation>,
) -> Result<Work, ApiError> {
    let endpoint = format!("/{}/{{name}}", what(facet));
    let given = SearchParams::read_only(params, &endpoint, EntityType::Contract, call.query)?;
    let search = given.resolve(&ResolveContext::of(call, EntityType::Contract))?;
    let (query, page) = (search.query.clone(), search.page.clone());
    let normal_form = (query, page, facet.key(&name), search.include);
    let plan = FigurePlan::new(terms, search.include);
    let cost = cost(&call.generation, facet, &name, &plan)?;
    let cost = cost.and_bids(&call.generation, search.include.bids.into());
    let work = Work::search(&call.generation, move |ask| reply(ask, facet, &name, search, &plan));
    cost.charge(work).for_request(&normal_form)
}

/// What a profile scans: for its figures, for the records of every entity type, and for similar names.
fn cost(generation: &Generation, facet: Facet, name: &str, plan: &FigurePlan) -> Result<ScanCost, ApiError> {
    let mut scans = vec![(EntityType::Contract, plan.scans())];
    if facet == Facet::Department {
        scans.extend(EntityType::ALL.map(|entity_type| (entity_type, 1)));
    } else {
        scans.push((EntityType::Contract, similar_vendors_scans(generation, name)?));
    }
    Ok(ScanCost::of(generation, &scans))
}

/// Decision D-256: looking for the vendors' names that are similar to one that does not exist takes as long as so many
/// scans of the contracts. Departments are few.
const SIMILAR_VENDORS_SCANS: usize = 5;

/// The cost of similar names, which are searched if the name does not exist. On an embedded index, a look-up in memory
/// shows whether it does. On a cluster they cost nothing, because the cluster does the work.
fn similar_vendors_scans(generation: &Generation, name: &str) -> Result<usize, ApiError> {
    let engine = &generation.engine;
    if !engine.is_local() {
        return Ok(0);
    }
    let named = engine.resolve_name(EntityType::Contract, Facet::Vendor, name, Deadline::never())?;
    Ok(if named.is_some() { 0 } else { SIMILAR_VENDORS_SCANS })
}

/// What a name is the name of, as paths and parameters have it.
fn what(facet: Facet) -> &'static str {
    match facet {
        Facet::Vendor => "vendor",
        _ => "department",
    }
}

/// The profile of the records of a name that match; the error lists similar names.
fn reply(
    ask: &Ask,
    facet: Facet,
    name: &str,
    mut search: ResolvedSearch,
    plan: &FigurePlan,
) -> Result<Reply, ApiError> {
    let known = ask.resolve_name(EntityType::Contract, facet, name)?;
    let bidder = || bidder(ask, facet, name).filter(|_| search.include.bids);
    let Some(named) = known.or_else(bidder) else {
        let similar = similar_names(ask, facet, name, [EntityType::Contract], MAX_SIMILAR)?;
        return Err(unknown_name(facet, name, &similar));
    };
    let of_bids = search.include.bids.then(|| search.query.filters.clone());
    search.query.filters.push(filter(facet, &named));
    let figures = plan.run(ask, &search.query)?;
    let hits = ask.search(&search.query, &search.page)?;
    let contracts = raw_records(&hits.records)?;
    let reply = match facet {
        Facet::Vendor => {
            let keys = vec![named.key.clone()];
            let bids = of_bids.map(|filters| BidderFigures::of(ask, keys, filters));
            let vendor = Vendor::new(named, figures, contracts);
            Reply::json(&Vendor {
                bids: bids.transpose()?,
                ..vendor
            })
        }
        _ => {
            let by_entity_type = by_entity_type(ask, &search.query)?;
            let bids = of_bids.map(|_| CallsReceived::of(ask, &BidQuery::of_notices(search.query.filters.clone())));
            let department = Department::new(named, figures, by_entity_type, contracts);
            Reply::json(&Department {
                bids: bids.transpose()?,
                ..department
            })
        }
    };
    Ok(reply?.with_headers(search.headers(&hits)))
}

/// A vendor that bid and has no contract.
fn bidder(ask: &Ask, facet: Facet, name: &str) -> Option<ResolvedName> {
    let key = facet.key(name);
    let spelling = ask.generation.bids.name_of(&key).filter(|_| facet == Facet::Vendor)?;
    Some(ResolvedName {
        name: spelling.to_owned(),
        key,
        name_fr: None,
        kind: None,
    })
}

impl<'a> Vendor<'a> {
    fn new(named: ResolvedName, figures: Figures, contracts: Vec<&'a RawValue>) -> Vendor<'a> {
        let mut counted = figures.counted;
        Vendor {
            vendor_name: named.name,
            total_contracts: counted.total,
            total_value: total_value(&counted),
            top_departments: top(counted.take(Facet::NamedDepartment), |bucket| TopDepartment {
                department_en: bucket.value,
                count: bucket.count,
            }),
            included: figures.included,
            bids: None,
            contracts,
        }
    }
}

impl<'a> Department<'a> {
    fn new(
        named: ResolvedName,
        figures: Figures,
        by_entity_type: Vec<EntityTypeCount>,
        contracts: Vec<&'a RawValue>,
    ) -> Department<'a> {
        let mut counted = figures.counted;
        Department {
            department_en: Some(named.name),
            department_fr: named.name_fr,
            kind: named.kind,
            total_contracts: counted.total,
            total_value: total_value(&counted),
            first_date: counted.earliest_date.map(|day| day.to_string()),
            last_date: counted.latest_date.map(|day| day.to_string()),
            by_entity_type,
            by_year: years(counted.take(Facet::Year), true),
            top_vendors: top(counted.take(Facet::Vendor), TopVendor::from),
            top_categories: top(counted.take(Facet::Category), |bucket| TopCategory {
                category: bucket.value,
                count: bucket.count,
            }),
            included: figures.included,
            bids: None,
            contracts,
        }
    }
}

/// The maximum number of similar names in a 404.
const MAX_SIMILAR: usize = 3;

fn unknown_name(facet: Facet, name: &str, similar: &[String]) -> ApiError {
    let similar: Vec<String> = similar.iter().map(|name| quoted(name)).collect();
    let (what, name) = (what(facet), quoted(name));
    let hint = if similar.is_empty() {
        format!("find its name with /{what}s?q=…, or its records with /contract?{what}=…")
    } else {
        format!("similar names: {}", similar.join(", "))
    };
    ApiError::not_found(format!("no {what} has the name {name}; {hint}"))
}

fn total_value(aggregation: &Aggregation) -> Money {
    let values = aggregation.values.as_ref();
    values.expect("contracts have a value field").total_value
}

pub(super) fn top<T>(counts: FacetBuckets, row: fn(FacetBucket) -> T) -> Vec<T> {
    counts.buckets.into_iter().map(row).collect()
}
