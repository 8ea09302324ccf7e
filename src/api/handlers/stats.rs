//! `GET /{entity_type}/stats`: statistics over all records that match.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use crate::{
    api::{
        analysis::{
            figures::{FigurePlan, Figures, Included},
            shares::{Share, Year, shares, years},
        },
        cost::ScanCost,
        params::{
            resolve::{ResolveContext, ResolvedSearch},
            search::{FILTERS, SearchParams},
        },
        route::{Answer, Endpoint, Parameters, Route},
    },
    catalog::{ask::Ask, generation::Generation},
    engine::{
        Hits,
        aggregation::{FacetBucket, FacetBuckets, Money, TermsAggregation, ValueDistribution, ValueStats},
    },
    http::{
        call::Call,
        error::ApiError,
        middleware::limits::ONE,
        search_pool::Lane,
        work::{Reply, Work},
    },
    model::{EntityType, Facet, Role, Schema},
};

pub(crate) const STATS: Route = Route {
    id: "statsOf",
    endpoint: Endpoint::EntityType("/stats", get),
    about: "Statistics of the records that match",
    parameters: Parameters::Search(Some(&STATS_PARAMS), None),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Stats>),
    headers: &["X-Ignored-Parameters"],
    ..Route::DEFAULT
};

/// The filters, how `q` is read, and which figures are included.
static STATS_PARAMS: [&str; FILTERS.len() + 4] = {
    let mut names = ["translate"; FILTERS.len() + 4];
    let mut number = 0;
    while number < FILTERS.len() {
        names[number] = FILTERS[number];
        number += 1;
    }
    names[FILTERS.len() + 1] = "match_codes";
    names[FILTERS.len() + 2] = "q_in";
    names[FILTERS.len() + 3] = "include";
    names
};

/// The shape of the response.
#[derive(Serialize, JsonSchema)]
#[schemars(
    description = "Statistics over all records that match. Lists have the most frequent values first, up to 50; `notice_types`, `by_year` and `fields` are complete"
)]
struct Stats {
    entity_type: EntityType,
    /// Number of records that match.
    total: u64,
    /// When the generation was published.
    #[schemars(extend("format" = "date-time"))]
    as_of: String,
    /// By event date.
    #[schemars(extend("format" = "date"))]
    earliest_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    latest_date: Option<String>,
    /// Normalized across sources: the values of the `status` filter.
    statuses: Vec<Share>,
    /// A record with several categories counts for each.
    categories: Vec<Share>,
    procurement_methods: Vec<Share>,
    /// All notice types: the values of the `notice_type` filter.
    notice_types: Vec<Share>,
    government_levels: Vec<Share>,
    provinces: Vec<Share>,
    municipalities: Vec<Share>,
    top_departments: Vec<Department>,
    /// By event date, the oldest first.
    by_year: Vec<Year>,
    /// Null for an entity type without a value.
    value: Option<ValueSummary>,
    /// The declared fields that at least one of the records has.
    fields: Vec<Presence>,
    #[serde(flatten)]
    included: Included,
}

/// A department, by its English name if that is known.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DepartmentCount")]
struct Department {
    department: String,
    count: u64,
}

/// Percentiles by nearest rank ([`crate::engine::aggregation::PERCENTS`]); records without a value do
/// not count.
#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "ValueStats",
    description = "The values of the records that have one; the figures are null if none has. Percentiles are by nearest rank: each is a value that occurs"
)]
struct ValueSummary {
    /// The field that holds the value.
    field: &'static str,
    records_with_value: u64,
    min: Option<f64>,
    max: Option<f64>,
    mean: Option<f64>,
    p10: Option<f64>,
    p25: Option<f64>,
    p50: Option<f64>,
    p75: Option<f64>,
    p90: Option<f64>,
    total_value: Money,
}

/// The fraction of the records that have a field, 0 to 1.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FieldPresence")]
struct Presence {
    field: String,
    #[schemars(range(min = 0, max = 1))]
    presence: f64,
}

/// The maximum number of values of a list.
const MAX_VALUES: usize = 50;

/// The facets that are counted, and how many values of each are returned. Money is shown by year only.
const FACETS: [TermsAggregation; 10] = [
    TermsAggregation::top(MAX_VALUES, Facet::Status).without_sums(),
    TermsAggregation::top(MAX_VALUES, Facet::Category).without_sums(),
    TermsAggregation::top(MAX_VALUES, Facet::ProcurementMethod).without_sums(),
    TermsAggregation::all(Facet::NoticeType).without_sums(),
    TermsAggregation::top(MAX_VALUES, Facet::GovernmentLevel).without_sums(),
    TermsAggregation::top(MAX_VALUES, Facet::Province).without_sums(),
    TermsAggregation::top(MAX_VALUES, Facet::Municipality).without_sums(),
    TermsAggregation::top(MAX_VALUES, Facet::NamedDepartment).without_sums(),
    TermsAggregation::all(Facet::Year),
    TermsAggregation::all(Facet::Fields).without_sums(),
];

fn get(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    let given = SearchParams::read_only(&STATS_PARAMS, &format!("/{entity_type}/stats"), entity_type, call.query)?;
    let search = given.resolve(&ResolveContext::of(call, entity_type))?;
    if search.include.bids {
        return Err(no_bids());
    }
    let plan = FigurePlan::new(FACETS.to_vec(), search.include);
    let plan = plan.with_percentiles().charging_total();
    // The statistics of all records of a generation are computed once.
    let is_kept = search.query.matches_all() && search.include.is_empty();
    let is_known = is_kept && call.generation.has_statistics(entity_type);
    let cost = cost(&call.generation, &search, &plan);
    let lane = if is_known { Lane::Quick } else { cost.lane() };
    let cost = if is_kept { ONE } else { cost.cost() };
    let normal_form = (search.query.clone(), search.include);
    let work = Work::search(&call.generation, move |ask| reply(ask, &search, &plan, is_kept));
    work.in_lane(lane).with_cost(cost).for_request(&normal_form)
}

/// The coverage counts the matches once more.
fn cost(generation: &Generation, search: &ResolvedSearch, plan: &FigurePlan) -> ScanCost {
    let cost = ScanCost::of(generation, &[(search.query.entity_type, plan.scans())]);
    let searches = 1 + usize::from(search.include.coverage);
    cost.with_text(generation, &search.query, searches)
}

fn no_bids() -> ApiError {
    ApiError::unprocessable(
        "parameter 'include': 'bids' is a figure of /vendor/{name}, /department/{name} and /commodity/{code}; \
         for those of a search use /bids?include_statistics=true",
    )
}

fn reply(ask: &Ask, search: &ResolvedSearch, plan: &FigurePlan, is_kept: bool) -> Result<Reply, ApiError> {
    let (generation, entity_type) = (&ask.generation, search.query.entity_type);
    let compute = || -> Result<Reply, ApiError> {
        let figures = plan.run(ask, &search.query)?;
        let as_of = generation.manifest.built_at.clone();
        Reply::json(&Stats::new(entity_type, as_of, figures))
    };
    let reply = if is_kept {
        Reply::from(generation.statistics(entity_type, || compute().map(|reply| reply.body))?)
    } else {
        compute()?
    };
    Ok(reply.with_headers(search.headers(&Hits::default())))
}

impl Stats {
    fn new(entity_type: EntityType, as_of: String, figures: Figures) -> Stats {
        let mut aggregation = figures.counted;
        let value_field = value_field(Schema::of(entity_type));
        let total = aggregation.total;
        let value = value_field
            .zip(aggregation.values.take())
            .map(|(field, values)| ValueSummary::new(field, &values));
        let mut counts = |facet| aggregation.take(facet);
        Stats {
            entity_type,
            total,
            as_of,
            statuses: shares(counts(Facet::Status)),
            categories: shares(counts(Facet::Category)),
            procurement_methods: shares(counts(Facet::ProcurementMethod)),
            notice_types: shares(counts(Facet::NoticeType)),
            government_levels: shares(counts(Facet::GovernmentLevel)),
            provinces: shares(counts(Facet::Province)),
            municipalities: shares(counts(Facet::Municipality)),
            top_departments: departments(counts(Facet::NamedDepartment)),
            by_year: years(counts(Facet::Year), value_field.is_some()),
            fields: presence(counts(Facet::Fields), total),
            value,
            included: figures.included,
            earliest_date: aggregation.earliest_date.map(|day| day.to_string()),
            latest_date: aggregation.latest_date.map(|day| day.to_string()),
        }
    }
}

impl ValueSummary {
    fn new(field: &'static str, values: &ValueStats) -> ValueSummary {
        let statistic = |part: fn(&ValueDistribution) -> f64| values.distribution.as_ref().map(part);
        ValueSummary {
            field,
            records_with_value: values.records_with_value,
            min: statistic(|of| of.min),
            max: statistic(|of| of.max),
            mean: statistic(|of| (of.mean * 100.0).round() / 100.0),
            p10: statistic(|of| of.percentiles[0]),
            p25: statistic(|of| of.percentiles[1]),
            p50: statistic(|of| of.percentiles[2]),
            p75: statistic(|of| of.percentiles[3]),
            p90: statistic(|of| of.percentiles[4]),
            total_value: values.total_value,
        }
    }
}

fn value_field(schema: &'static Schema) -> Option<&'static str> {
    let number = schema.role(Role::Value).first()?;
    Some(schema.fields[*number].name.as_str())
}

fn departments(counts: FacetBuckets) -> Vec<Department> {
    let department = |bucket: FacetBucket| Department {
        department: bucket.value,
        count: bucket.count,
    };
    counts.buckets.into_iter().map(department).collect()
}

/// Fractions, rounded to four decimals.
fn presence(counts: FacetBuckets, total: u64) -> Vec<Presence> {
    let presence = |bucket: FacetBucket| Presence {
        field: bucket.value,
        presence: (bucket.count as f64 / total as f64 * 1e4).round() / 1e4,
    };
    counts.buckets.into_iter().map(presence).collect()
}
