//! `GET /vendor/{name}` and `GET /department/{name}`: the contracts of one vendor or department, counted and paged.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline, Hits,
        aggregation::{Aggregation, FacetBucket, FacetBuckets, Money, TermsAggregation, ValueAggregation},
        names::ResolvedName,
    },
    http::{
        call::Call,
        cost::Counting,
        error::{ApiError, quoted},
        handlers::{
            counts::{Year, terms, years},
            raw_records::raw_records,
            search::INVALID_PAGE,
        },
        params::{
            nearest::most_similar,
            resolve::{ResolveContext, Search},
            search::SearchParams,
        },
        route::{Answer, Endpoint, ErrorResponse, Parameters, PathParam, RateLimitHeaders, Route, Tag},
        schema_refs,
        work::{Reply, Work},
    },
    model::{EntityType, Facet},
    query::{Filter, SearchQuery},
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
static VENDOR_PARAMS: [&str; 8] = [
    "category",
    "department",
    "issued_after",
    "issued_before",
    "sort_by",
    "sort_order",
    "limit",
    "offset",
];

/// The parameters of a department's profile.
static DEPARTMENT_PARAMS: [&str; 9] = [
    "category",
    "department",
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
    #[schemars(schema_with = "schema_refs::contracts")]
    contracts: Vec<&'a RawValue>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KindCount")]
struct EntityTypeCount {
    entity_type: EntityType,
    records: u64,
    /// Null for an entity type without a value.
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

/// Decision D-69: the maximum number of departments, vendors or categories of a profile.
const TOP: usize = 10;

const VENDOR_FACETS: [TermsAggregation; 1] = [terms(Facet::Department, TOP)];

const DEPARTMENT_FACETS: [TermsAggregation; 3] = [
    terms(Facet::Year, usize::MAX),
    terms(Facet::Vendor, TOP),
    terms(Facet::Category, TOP),
];

fn vendor(call: &Call, name: String) -> Result<Work, ApiError> {
    let counts = [(EntityType::Contract, VENDOR_FACETS.len())];
    let counting = Counting::of(&call.generation, &counts);
    let work = profile(call, Facet::Vendor, name, &VENDOR_PARAMS, vendor_profile)?;
    Ok(work.in_lane(counting.lane()).with_cost(counting.cost()))
}

fn department(call: &Call, name: String) -> Result<Work, ApiError> {
    let mut counts = vec![(EntityType::Contract, DEPARTMENT_FACETS.len())];
    counts.extend(EntityType::ALL.map(|entity_type| (entity_type, 1)));
    let counting = Counting::of(&call.generation, &counts);
    let work = profile(call, Facet::Department, name, &DEPARTMENT_PARAMS, department_profile)?;
    Ok(work.in_lane(counting.lane()).with_cost(counting.cost()))
}

/// Writes a profile of the records of a name.
type Write = fn(&Generation, ResolvedName, &Search, Deadline) -> Result<Reply, ApiError>;

fn profile(call: &Call, facet: Facet, name: String, params: &[&str], write: Write) -> Result<Work, ApiError> {
    let endpoint = format!("/{}/{{name}}", facet.name());
    let given = SearchParams::read_only(params, &endpoint, EntityType::Contract, call.query)?;
    let search = given.resolve(&ResolveContext::of(call, EntityType::Contract))?;
    let normal_form = (search.query.clone(), search.page.clone(), facet.key(&name));
    let generation = call.generation.clone();
    let work = Work::search(move |deadline| {
        let (named, search) = of_name(&generation, facet, &name, search, &deadline)?;
        write(&generation, named, &search, deadline)
    });
    work.for_request(&normal_form)
}

fn vendor_profile(
    generation: &Generation,
    named: ResolvedName,
    search: &Search,
    deadline: Deadline,
) -> Result<Reply, ApiError> {
    let (mut aggregation, hits) = count_and_search(generation, search, &VENDOR_FACETS, deadline)?;
    let reply = Reply::json(&Vendor {
        vendor_name: named.name,
        total_contracts: aggregation.total,
        total_value: total_value(&aggregation),
        top_departments: top(aggregation.take(Facet::Department), |bucket| TopDepartment {
            department_en: bucket.value,
            count: bucket.count,
        }),
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
    let (mut aggregation, hits) = count_and_search(generation, search, &DEPARTMENT_FACETS, deadline.clone())?;
    let reply = Reply::json(&Department {
        department_en: Some(named.name),
        department_fr: named.name_fr,
        total_contracts: aggregation.total,
        total_value: total_value(&aggregation),
        first_date: aggregation.earliest_date.map(|day| day.to_string()),
        last_date: aggregation.latest_date.map(|day| day.to_string()),
        by_entity_type: by_entity_type(generation, &search.query, deadline)?,
        by_year: years(aggregation.take(Facet::Year), true),
        top_vendors: top(aggregation.take(Facet::Vendor), |bucket| TopVendor {
            vendor_name: bucket.value,
            count: bucket.count,
            total_value: bucket.total_value,
        }),
        top_categories: top(aggregation.take(Facet::Category), |bucket| TopCategory {
            category: bucket.value,
            count: bucket.count,
        }),
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
        let candidates = engine.suggest_names(entity_type, facet, name, MAX_CANDIDATES, deadline.clone())?;
        return Err(unknown_name(facet, name, candidates));
    };
    let key = named.key.clone();
    search.query.filters.push(Filter::FacetValue { facet, key });
    Ok((named, search))
}

/// Decision D-67: the maximum number of similar names in a 404.
const MAX_SIMILAR: usize = 3;

/// How many candidates for similar names are compared.
const MAX_CANDIDATES: usize = 200;

fn unknown_name(facet: Facet, name: &str, candidates: Vec<String>) -> ApiError {
    let similar = most_similar(name, candidates, MAX_SIMILAR);
    let similar: Vec<String> = similar.iter().map(|name| quoted(name)).collect();
    let (what, name) = (facet.name(), quoted(name));
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
    deadline: Deadline,
) -> Result<(Aggregation, Hits), ApiError> {
    let engine = &generation.engine;
    let aggregation = engine.aggregate(&search.query, facets, ValueAggregation::Sum, deadline.clone())?;
    let hits = engine.search(&search.query, &search.page, deadline)?;
    Ok((aggregation, hits))
}

/// Applies the same filters to every entity type that has the fields for them; a type that lacks one has no such
/// records.
fn by_entity_type(
    generation: &Generation,
    query: &SearchQuery,
    deadline: Deadline,
) -> Result<Vec<EntityTypeCount>, ApiError> {
    let mut counts = Vec::new();
    for entity_type in EntityType::ALL {
        let query = SearchQuery {
            entity_type,
            ..query.clone()
        };
        let aggregation = generation
            .engine
            .aggregate(&query, &[], ValueAggregation::Sum, deadline.clone())?;
        if aggregation.total > 0 {
            counts.push(EntityTypeCount {
                entity_type,
                records: aggregation.total,
                total_value: aggregation.values.map(|values| values.total_value),
            });
        }
    }
    Ok(counts)
}

fn total_value(aggregation: &Aggregation) -> Money {
    let values = aggregation.values.as_ref();
    values.expect("contracts have a value field").total_value
}

fn top<T>(counts: FacetBuckets, row: fn(FacetBucket) -> T) -> Vec<T> {
    counts.buckets.into_iter().map(row).collect()
}
