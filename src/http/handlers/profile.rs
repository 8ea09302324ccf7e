//! `GET /vendor/{name}` and `GET /department/{name}`: the contracts of one vendor or department, counted and paged.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline, Hits,
        aggregation::{Aggregation, FacetBucket, FacetBuckets, Money, TermsAggregation, ValueAggregation},
        names::{BodyKind, ResolvedName},
    },
    http::{
        call::Call,
        cost::Counting,
        error::{ApiError, quoted},
        findings::{
            entity_type_counts::{EntityTypeCount, by_entity_type},
            included::{self, Included, included},
        },
        handlers::{
            counts::{Year, terms, years},
            raw_records::raw_records,
            search::INVALID_PAGE,
        },
        params::{
            resolve::{ResolveContext, Search},
            search::SearchParams,
        },
        route::{Answer, Endpoint, ErrorResponse, Parameters, PathParam, RateLimitHeaders, Route, Tag},
        schema_refs,
        work::{Reply, Work},
    },
    model::{EntityType, Facet},
    query::Filter,
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
        ErrorResponse {
            status: "404",
            name: "NoName",
            about: "No contract has that name; the message lists up to three similar names",
            example: |_| "no vendor has the name 'Acme Pavin'; similar names: 'Acme Paving', 'Acme'".to_owned(),
            rate_limit: RateLimitHeaders::Always,
        },
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
    #[schemars(schema_with = "schema_refs::contracts")]
    contracts: Vec<&'a RawValue>,
}

#[derive(Serialize, JsonSchema)]
struct TopDepartment {
    /// The French name if no English one is known.
    department_en: String,
    count: u64,
}

/// Decision D-68: the shape of a department's profile. Its figures are those of contracts; `by_entity_type` counts all
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

/// Decision D-69: the maximum number of departments, vendors or categories of a profile.
pub(super) const TOP: usize = 10;

const VENDOR_FACETS: [TermsAggregation; 1] = [terms(Facet::Department, TOP)];

const DEPARTMENT_FACETS: [TermsAggregation; 3] = [
    terms(Facet::Year, usize::MAX),
    terms(Facet::Vendor, TOP),
    terms(Facet::Category, TOP),
];

fn vendor(call: &Call, name: String) -> Result<Work, ApiError> {
    let counts = [(EntityType::Contract, VENDOR_FACETS.len())];
    profile(call, Facet::Vendor, name, &VENDOR_PARAMS, &counts, vendor_profile)
}

fn department(call: &Call, name: String) -> Result<Work, ApiError> {
    let mut counts = vec![(EntityType::Contract, DEPARTMENT_FACETS.len())];
    counts.extend(EntityType::ALL.map(|entity_type| (entity_type, 1)));
    profile(
        call,
        Facet::Buyer,
        name,
        &DEPARTMENT_PARAMS,
        &counts,
        department_profile,
    )
}

/// Writes a profile of the records of a name.
type Write = fn(&Generation, ResolvedName, &Search, Deadline) -> Result<Reply, ApiError>;

/// Decision D-256: looking for the vendors' names that are similar to one that does not exist takes as long as so many
/// counts of the contracts. Departments are few.
const SIMILAR_VENDORS_COUNTS: usize = 5;

/// `counts` is how often the records of each entity type are counted without further figures.
fn profile(
    call: &Call,
    facet: Facet,
    name: String,
    params: &[&str],
    counts: &[(EntityType, usize)],
    write: Write,
) -> Result<Work, ApiError> {
    let endpoint = format!("/{}/{{name}}", what(facet));
    let given = SearchParams::read_only(params, &endpoint, EntityType::Contract, call.query)?;
    let search = given.resolve(&ResolveContext::of(call, EntityType::Contract))?;
    let normal_form = (
        search.query.clone(),
        search.page.clone(),
        facet.key(&name),
        search.include,
    );
    let further = (EntityType::Contract, included::counts(search.include));
    let similar = (
        EntityType::Contract,
        similar_vendors_counts(&call.generation, facet, &name)?,
    );
    let counts: Vec<_> = counts.iter().copied().chain([further, similar]).collect();
    let counting = Counting::of(&call.generation, &counts);
    let generation = call.generation.clone();
    let work = Work::search(move |deadline| {
        let (named, search) = of_name(&generation, facet, &name, search, &deadline)?;
        write(&generation, named, &search, deadline)
    });
    let work = work.in_lane(counting.lane()).with_cost(counting.cost());
    work.for_request(&normal_form)
}

/// The cost of similar names, which are searched if the name does not exist. On an embedded index, a look-up in memory shows
/// whether it does. On a cluster they cost nothing, because the cluster does the work.
fn similar_vendors_counts(generation: &Generation, facet: Facet, name: &str) -> Result<usize, ApiError> {
    let engine = &generation.engine;
    if facet != Facet::Vendor || !engine.is_local() {
        return Ok(0);
    }
    let named = engine.resolve_name(EntityType::Contract, facet, name, Deadline::never())?;
    Ok(if named.is_some() { 0 } else { SIMILAR_VENDORS_COUNTS })
}

/// What a name is the name of, as paths and parameters have it.
fn what(facet: Facet) -> &'static str {
    match facet {
        Facet::Vendor => "vendor",
        _ => "department",
    }
}

fn vendor_profile(
    generation: &Generation,
    named: ResolvedName,
    search: &Search,
    deadline: Deadline,
) -> Result<Reply, ApiError> {
    let (mut aggregation, hits) = count_and_search(generation, search, &VENDOR_FACETS, &deadline)?;
    let included = included(generation, search.include, &search.query, &aggregation, &deadline)?;
    let reply = Reply::json(&Vendor {
        vendor_name: named.name,
        total_contracts: aggregation.total,
        total_value: total_value(&aggregation),
        top_departments: top(aggregation.take(Facet::Department), |bucket| TopDepartment {
            department_en: bucket.value,
            count: bucket.count,
        }),
        included,
        contracts: raw_records(&hits.records)?,
    })?;
    Ok(reply.with_headers(search.headers(&hits)))
}

fn department_profile(
    generation: &Generation,
    named: ResolvedName,
    search: &Search,
    deadline: Deadline,
) -> Result<Reply, ApiError> {
    let (mut aggregation, hits) = count_and_search(generation, search, &DEPARTMENT_FACETS, &deadline)?;
    let included = included(generation, search.include, &search.query, &aggregation, &deadline)?;
    let reply = Reply::json(&Department {
        department_en: Some(named.name),
        department_fr: named.name_fr,
        kind: named.kind,
        total_contracts: aggregation.total,
        total_value: total_value(&aggregation),
        first_date: aggregation.earliest_date.map(|day| day.to_string()),
        last_date: aggregation.latest_date.map(|day| day.to_string()),
        by_entity_type: by_entity_type(generation, &search.query, &deadline)?,
        by_year: years(aggregation.take(Facet::Year), true),
        top_vendors: top(aggregation.take(Facet::Vendor), TopVendor::from),
        top_categories: top(aggregation.take(Facet::Category), |bucket| TopCategory {
            category: bucket.value,
            count: bucket.count,
        }),
        included,
        contracts: raw_records(&hits.records)?,
    })?;
    Ok(reply.with_headers(search.headers(&hits)))
}

/// Narrows a search to a name; the error lists similar names.
fn of_name(
    generation: &Generation,
    facet: Facet,
    name: &str,
    mut search: Search,
    deadline: &Deadline,
) -> Result<(ResolvedName, Search), ApiError> {
    let engine = &generation.engine;
    let entity_type = EntityType::Contract;
    let Some(named) = engine.resolve_name(entity_type, facet, name, deadline.clone())? else {
        let similar = engine.suggest_names(entity_type, facet, name, MAX_SIMILAR, deadline.clone())?;
        return Err(unknown_name(facet, name, &similar));
    };
    let key = named.key.clone();
    search.query.filters.push(Filter::FacetValue { facet, key });
    Ok((named, search))
}

/// Decision D-67: the maximum number of similar names in a 404.
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

fn count_and_search(
    generation: &Generation,
    search: &Search,
    facets: &[TermsAggregation],
    deadline: &Deadline,
) -> Result<(Aggregation, Hits), ApiError> {
    let engine = &generation.engine;
    let terms: Vec<_> = facets.iter().copied().chain(included::terms(search.include)).collect();
    let aggregation = engine.aggregate(&search.query, &terms, ValueAggregation::Sum, deadline.clone())?;
    let hits = engine.search(&search.query, &search.page, deadline.clone())?;
    Ok((aggregation, hits))
}

fn total_value(aggregation: &Aggregation) -> Money {
    let values = aggregation.values.as_ref();
    values.expect("contracts have a value field").total_value
}

pub(super) fn top<T>(counts: FacetBuckets, row: fn(FacetBucket) -> T) -> Vec<T> {
    counts.buckets.into_iter().map(row).collect()
}
