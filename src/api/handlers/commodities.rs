//! `GET /commodities` and `GET /commodity/{code}`: commodity codes with their words, and the records that have them.

use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    api::{
        analysis::{
            bids::buyer::CallsReceived,
            commodity::{Commodity, CommodityCount, CommodityPlan},
            commodity_list::{self, CommodityPage, CommodityRow},
            entity_type_counts::EntityTypeCount,
            figures::Included,
            shares::{Year, undated, years},
        },
        handlers::{
            names::range,
            profile::{TOP, TopVendor, top},
            raw_records::raw_records,
            search::INVALID_PAGE,
        },
        params::{
            commodities::{CommoditiesParams, CommodityQuestion, TABLE},
            names::DEFAULT_LIMIT,
            param::describe,
            read::read_all,
            resolve::{ResolveContext, ResolvedSearch},
            search::SearchParams,
        },
        route::{Answer, Endpoint, ErrorResponse, Link, Parameters, PathParam, Route, Tag},
        schema_refs,
    },
    catalog::{ask::Ask, bids::BidQuery, generation::Generation},
    engine::aggregation::{FacetBucket, Money},
    http::{
        call::Call,
        error::ApiError,
        quoted::quoted,
        work::{Reply, Work},
    },
    model::{EntityType, Facet, Schema, commodity::CommodityCode},
    query::{SearchQuery, Sort, SortKey},
};

pub(crate) const COMMODITIES: Route = Route {
    id: "listCommodities",
    tag: Tag::Commodities,
    endpoint: Endpoint::Fixed("/commodities", list),
    about: "Commodity codes that records have, by level or by their words, those with most records first",
    parameters: Parameters::Table("commodities", || describe(TABLE)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Codes>),
    links: &[Link {
        name: "commodity",
        to: "getCommodity",
        about: "The records of the first code",
        parameters: &[("code", "$response.body#/results/0/commodity")],
        ..Link::DEFAULT
    }],
    ..Route::DEFAULT
};

pub(crate) const COMMODITY: Route = Route {
    id: "getCommodity",
    tag: Tag::Commodities,
    endpoint: Endpoint::Named("/commodity/", "code", get),
    about: "A commodity code's place in its scheme, and its records by year, buyer and supplier",
    path_params: &[PathParam::Fixed {
        component: "commodity_code",
        name: "code",
        about: "A commodity code of any level, as in the parameter `commodity`; `/commodities` finds it",
        example: "72141107",
    }],
    parameters: Parameters::Search(Some(&PARAMS), Some(EntityType::Contract)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Profile>),
    headers: &["X-Limit-Applied", "X-Ignored-Parameters"],
    errors: &[
        INVALID_PAGE,
        ErrorResponse::not_found(
            "NoCommodity",
            "The path is not a commodity code, or no record has it",
            |_| "no record has the commodity code 'unspsc:9999'; find codes with /commodities?q=…".to_owned(),
        ),
    ],
    ..Route::DEFAULT
};

/// The parameters of a code's profile.
static PARAMS: [&str; 11] = [
    "entity_type",
    "category",
    "department",
    "vendor",
    "issued_after",
    "issued_before",
    "include",
    "sort_by",
    "sort_order",
    "limit",
    "offset",
];

/// A page of commodity codes, those with most records first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Commodities")]
struct Codes {
    /// Number of codes that match, on all pages.
    total: u64,
    /// Codes in this page.
    count: usize,
    /// Codes skipped.
    offset: u64,
    results: Vec<CommodityRow>,
}

/// A commodity code and its records. The figures are those of one entity type, `entity_type`; `by_entity_type` counts
/// the records of all.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CommodityProfile")]
struct Profile<'a> {
    #[serde(flatten)]
    commodity: Commodity,
    /// The codes above it, the highest first.
    ancestors: Vec<Commodity>,
    /// The codes right below it that its records have, those with most records first.
    children: Vec<CommodityCount>,
    /// The entity type of the figures and of `records`.
    entity_type: EntityType,
    total_records: u64,
    /// Null for an entity type without a value.
    total_value: Option<Money>,
    /// How many of the records state a value.
    records_with_value: u64,
    /// By event date.
    #[schemars(extend("format" = "date"))]
    first_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    last_date: Option<String>,
    /// The records of every entity type that match.
    by_entity_type: Vec<EntityTypeCount>,
    /// The oldest year first.
    by_year: Vec<Year>,
    /// Records without a date, which no year counts.
    undated: u64,
    /// Up to ten departments, those with most records first.
    top_departments: Vec<TopBuyer>,
    /// Up to ten vendors, those with most records first; empty for an entity type without vendors.
    top_vendors: Vec<TopVendor>,
    #[serde(flatten)]
    included: Included,
    /// Only with `include=bids`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CallsReceived")]
    bids: Option<CallsReceived>,
    #[schemars(schema_with = "schema_refs::any_records")]
    records: Vec<&'a RawValue>,
}

#[derive(Serialize, JsonSchema)]
struct TopBuyer {
    /// By its English name if that is known.
    department: String,
    count: u64,
    total_value: Money,
}

impl From<FacetBucket> for TopBuyer {
    fn from(bucket: FacetBucket) -> TopBuyer {
        TopBuyer {
            department: bucket.value,
            count: bucket.count,
            total_value: bucket.total_value,
        }
    }
}

fn list(call: &Call) -> Result<Work, ApiError> {
    let given: CommoditiesParams = read_all(TABLE, call.query)?;
    let question = given.question();
    let offset = given.offset.map_or(0, |given| given.value);
    let limit = given.limit.map_or(DEFAULT_LIMIT, |given| given.value);
    let normal_form = (question.clone(), limit, offset);
    list_work(&call.generation, question, limit, offset).for_request(&normal_form)
}

fn list_work(generation: &Arc<Generation>, question: CommodityQuestion, limit: u64, offset: u64) -> Work {
    let lane = commodity_list::lane(generation, &question);
    let work = Work::search(generation, move |ask| {
        let page = range(offset, limit);
        let CommodityPage { total, rows } = commodity_list::list(ask, &question, page)?;
        Reply::json(&Codes {
            total,
            count: rows.len(),
            offset,
            results: rows,
        })
    });
    work.in_lane(lane)
}

fn get(call: &Call, code: String) -> Result<Work, ApiError> {
    let given = SearchParams::read_only(&PARAMS, "/commodity/{code}", EntityType::Contract, call.query)?;
    let requested = given.entity_type.as_ref();
    let requested = requested.and_then(|given| EntityType::parse(given.value));
    let search = given.resolve(&ResolveContext::of(call, EntityType::Contract))?;
    let plan = CommodityPlan {
        code: CommodityCode::parse(&code).map_err(|why| ApiError::not_found(why.to_string()))?,
        filters: search.query.filters.clone(),
        requested,
        of_most_records: false,
        include: search.include,
        names: TOP,
        buyers: Facet::NamedDepartment,
        has_places: false,
    };
    let of_code = (search.query.clone(), search.page.clone(), plan.code.key().to_owned());
    let (cost, include) = (plan.cost(&call.generation), plan.include);
    let work = Work::search(&call.generation, move |ask| profile(ask, &plan, &search));
    cost.charge(work).for_request(&(of_code, requested, include))
}

fn unknown(code: &CommodityCode) -> ApiError {
    ApiError::not_found(format!(
        "no record has the commodity code {}; find codes with /commodities?q=…",
        quoted(code.key())
    ))
}

fn profile(ask: &Ask, plan: &CommodityPlan, search: &ResolvedSearch) -> Result<Reply, ApiError> {
    let found = plan.run(ask)?.ok_or_else(|| unknown(&plan.code))?;
    let mut counted = found.figures.counted;
    let entity_type = found.query.entity_type;
    let has_values = counted.values.is_some();
    let of_bids = plan.include.bids.then(|| found.query.filters.clone());
    let bids = of_bids
        .map(|filters| CallsReceived::of(ask, &BidQuery::of_notices(filters)))
        .transpose()?;
    let query = SearchQuery {
        sort: sort(entity_type, search.query.sort),
        ..found.query
    };
    let hits = ask.search(&query, &search.page)?;
    let by_year = years(counted.take(Facet::Year), has_values);
    let reply = Reply::json(&Profile {
        commodity: found.commodity,
        ancestors: found.ancestors,
        children: found.children,
        entity_type,
        total_records: counted.total,
        total_value: counted.values.as_ref().map(|values| values.total_value),
        records_with_value: counted.values.as_ref().map_or(0, |values| values.records_with_value),
        first_date: counted.earliest_date.map(|day| day.to_string()),
        last_date: counted.latest_date.map(|day| day.to_string()),
        by_entity_type: found.by_entity_type,
        undated: undated(counted.total, &by_year),
        by_year,
        top_departments: top(counted.take(Facet::NamedDepartment), TopBuyer::from),
        top_vendors: top(
            counted.facets.remove(&Facet::Vendor).unwrap_or_default(),
            TopVendor::from,
        ),
        included: found.figures.included,
        bids,
        records: raw_records(&hits.records)?,
    })?;
    Ok(reply.with_headers(search.headers(&hits)))
}

/// The requested order; by date where the entity type has no value to sort by.
fn sort(entity_type: EntityType, requested: Sort) -> Sort {
    if Schema::of(entity_type).has_role(requested.key.role()) {
        requested
    } else {
        Sort {
            key: SortKey::Date,
            ..requested
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        catalog::{generation::GenerationStore, indexing},
        engine::Deadline,
        http::{search_pool::Lane, work::Job},
    };

    #[test]
    fn a_list_costs_one_request_and_is_quick_once_its_codes_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let options = indexing::IndexOptions {
            dumps: folder.path().join("dumps"),
            store: GenerationStore::Folder(folder.path().join("index")),
            memory_mb: indexing::DEFAULT_MEMORY_MB,
            strict: true,
        };
        fs::create_dir_all(options.dumps.join("contract")).unwrap();
        let contract = "{\"record_id\":\"1\",\"unspsc\":\"72141000\"}\n";
        fs::write(options.dumps.join("contract/city.ndjson"), contract).unwrap();
        let report = indexing::run(&options).unwrap();
        let mut generation = options.store.open(&report.generation).unwrap();
        // As many as would cost two requests to count each time.
        for entry in &mut generation.manifest.entity_types {
            entry.records = 1_500_000;
        }
        let generation = Arc::new(generation);
        let work = |entity_type: Option<EntityType>| {
            let question = CommodityQuestion {
                part: None,
                scheme: None,
                parent: None,
                entity_type,
            };
            list_work(&generation, question, 20, 0)
        };
        let run = |entity_type: Option<EntityType>| {
            let work = work(entity_type);
            let (lane, cost) = (work.lane, work.cost.get());
            let Job::Search(search) = work.job else {
                panic!("a list is a search");
            };
            (lane, cost, search(Deadline::never()).unwrap().body)
        };
        let (contracts, everything) = (Some(EntityType::Contract), None);
        let first = run(contracts);
        assert!(matches!(first, (Lane::Heavy, 1, _)));
        let second = run(contracts);
        assert!(matches!(second, (Lane::Quick, 1, _)));
        assert_eq!(first.2, second.2);
        // The other entity types are not counted yet.
        assert!(matches!(run(everything), (Lane::Heavy, 1, _)));
        assert!(matches!(run(everything), (Lane::Quick, 1, _)));
        assert!(matches!(run(Some(EntityType::Award)), (Lane::Quick, 1, _)));
    }
}
