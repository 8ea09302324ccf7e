//! `GET /{entity_type}/stats`: what the records that match are like, all of them, counted.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    engine::aggregation::{Aggregation, FacetBuckets, Money, TermsAggregation, ValueAggregation, ValueDistribution},
    http::{
        Call, Reply, Work,
        error::ApiError,
        params::{
            resolve::World,
            search::{FILTERS, SearchParams},
        },
    },
    model::{
        entity_type::EntityType,
        facet::Facet,
        schema::{Role, Schema},
    },
};

/// Spec silent: the shape of the answer.
#[derive(Serialize, JsonSchema)]
#[schemars(
    description = "What the records that match are like, counted over all of them. Lists hold the most frequent first, 50 values at most; `notice_types`, `by_year` and `fields` are complete"
)]
pub struct Stats {
    entity_type: EntityType,
    /// Records that match.
    total: u64,
    /// When the generation was published.
    #[schemars(extend("format" = "date-time"))]
    as_of: String,
    /// By event date.
    #[schemars(extend("format" = "date"))]
    earliest_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    latest_date: Option<String>,
    /// As the filter names them, whatever the sources call them.
    statuses: Vec<Share>,
    /// A record with several counts for each.
    categories: Vec<Share>,
    procurement_methods: Vec<Share>,
    /// All there are: those the filter takes.
    notice_types: Vec<Share>,
    government_levels: Vec<Share>,
    provinces: Vec<Share>,
    municipalities: Vec<Share>,
    top_departments: Vec<Department>,
    /// By event date, the oldest first.
    by_year: Vec<Year>,
    /// Null for a kind without a value.
    value: Option<Value>,
    /// The declared fields that any of the records carries.
    fields: Vec<Presence>,
}

/// A value, and the records that have it.
#[derive(Serialize, JsonSchema)]
pub struct Share {
    pub value: String,
    pub count: u64,
}

/// A department, by its English name where that is known.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DepartmentCount")]
struct Department {
    department: String,
    count: u64,
}

/// The records of a year.
#[derive(Serialize, JsonSchema)]
pub struct Year {
    year: i32,
    count: u64,
    /// Null for a kind without a value.
    total_value: Option<Money>,
}

/// Spec silent: percentiles by nearest rank ([`crate::engine::aggregation::PERCENTS`]); records without a value count nowhere here.
#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "ValueStats",
    description = "The values of the records that have one; the figures are null where none has. Percentiles are by nearest rank: values that occur"
)]
struct Value {
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

/// The part of the records that carry a field, 0 to 1.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FieldPresence")]
struct Presence {
    field: String,
    #[schemars(range(min = 0, max = 1))]
    presence: f64,
}

/// Spec silent: the most values of a list.
const MOST: usize = 50;

/// The facets of the statistics. The notice types are complete, because they are the values of a filter.
const FACETS: [TermsAggregation; 10] = [
    terms(Facet::Status, MOST),
    terms(Facet::Category, MOST),
    terms(Facet::ProcurementMethod, MOST),
    terms(Facet::NoticeType, usize::MAX),
    terms(Facet::GovernmentLevel, MOST),
    terms(Facet::Province, MOST),
    terms(Facet::Municipality, MOST),
    terms(Facet::Department, MOST),
    terms(Facet::Year, usize::MAX),
    terms(Facet::Fields, usize::MAX),
];

const fn terms(facet: Facet, size: usize) -> TermsAggregation {
    TermsAggregation { facet, size }
}

pub fn get(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    let world = World::of(call, entity_type);
    let said = SearchParams::read_only(&FILTERS, &format!("{entity_type} statistics"), entity_type, call.query)?;
    let search = said.resolve(&world)?;
    let (generation, asked) = (call.generation.clone(), search.query.clone());
    let work = Work::pooled(move |deadline| {
        let count = || -> Result<_, ApiError> {
            let aggregation =
                generation
                    .engine
                    .aggregate(&search.query, &FACETS, ValueAggregation::Percentiles, deadline)?;
            Reply::json(&Stats::new(
                entity_type,
                generation.manifest.built_at.clone(),
                aggregation,
            ))
        };
        let headers = search.notes();
        if search.query.matches_all() {
            // Of everything there is one answer a generation.
            let body = generation.once(&format!("stats {entity_type}"), || count().map(|reply| reply.body))?;
            return Ok(Reply { body, headers });
        }
        Ok(Reply { headers, ..count()? })
    })?;
    work.of_request(&asked)
}

impl Stats {
    fn new(entity_type: EntityType, as_of: String, mut aggregation: Aggregation) -> Stats {
        let schema = Schema::of(entity_type);
        let total = aggregation.total;
        let field = schema
            .role(Role::Value)
            .first()
            .map(|number| schema.fields[*number].name.as_str());
        let has_value = field.is_some();
        Stats {
            entity_type,
            total,
            as_of,
            earliest_date: aggregation.earliest_date.map(|day| day.to_string()),
            latest_date: aggregation.latest_date.map(|day| day.to_string()),
            statuses: shares(aggregation.take(Facet::Status)),
            categories: shares(aggregation.take(Facet::Category)),
            procurement_methods: shares(aggregation.take(Facet::ProcurementMethod)),
            notice_types: shares(aggregation.take(Facet::NoticeType)),
            government_levels: shares(aggregation.take(Facet::GovernmentLevel)),
            provinces: shares(aggregation.take(Facet::Province)),
            municipalities: shares(aggregation.take(Facet::Municipality)),
            top_departments: aggregation
                .take(Facet::Department)
                .buckets
                .into_iter()
                .map(|row| Department {
                    department: row.value,
                    count: row.count,
                })
                .collect(),
            by_year: years(aggregation.take(Facet::Year), has_value),
            fields: aggregation
                .take(Facet::Fields)
                .buckets
                .into_iter()
                .map(|row| Presence {
                    field: row.value,
                    presence: (row.count as f64 / total as f64 * 1e4).round() / 1e4,
                })
                .collect(),
            value: field.zip(aggregation.values).map(|(field, values)| {
                let statistic = |part: fn(&ValueDistribution) -> f64| values.distribution.as_ref().map(part);
                Value {
                    field,
                    records_with_value: values.records_with_value,
                    min: statistic(|distribution| distribution.min),
                    max: statistic(|distribution| distribution.max),
                    mean: statistic(|distribution| (distribution.mean * 100.0).round() / 100.0),
                    p10: statistic(|distribution| distribution.percentiles[0]),
                    p25: statistic(|distribution| distribution.percentiles[1]),
                    p50: statistic(|distribution| distribution.percentiles[2]),
                    p75: statistic(|distribution| distribution.percentiles[3]),
                    p90: statistic(|distribution| distribution.percentiles[4]),
                    total_value: values.total_value,
                }
            }),
        }
    }
}

pub fn shares(counts: FacetBuckets) -> Vec<Share> {
    let share = |row: crate::engine::aggregation::Bucket| Share {
        value: row.value,
        count: row.count,
    };
    counts.buckets.into_iter().map(share).collect()
}

/// Oldest first.
pub fn years(counts: FacetBuckets, has_value: bool) -> Vec<Year> {
    let year = |row: crate::engine::aggregation::Bucket| {
        Some(Year {
            year: row.value.parse().ok()?,
            count: row.count,
            total_value: has_value.then_some(row.total_value),
        })
    };
    let mut years: Vec<Year> = counts.buckets.into_iter().filter_map(year).collect();
    years.sort_by_key(|year| year.year);
    years
}
