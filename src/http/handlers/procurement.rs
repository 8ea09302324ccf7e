//! `GET /procurement/{solicitation_number}`: all records of one solicitation, from its notice to its contracts.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline, MAX_PAGE_BYTES,
        aggregation::{Aggregation, Money, TermsAggregation, ValueAggregation},
        fitting,
    },
    http::{
        call::Call,
        error::{ApiError, quoted},
        handlers::{counts::terms, raw_records::raw_records},
        params::{
            filters::{contains, term},
            paging::{DEFAULT_LIMIT, limit_applied},
            param::describe,
            procurement::{ProcurementParams, TABLE},
            read::read_all,
        },
        route::{Answer, Endpoint, ErrorResponse, Parameters, PathParam, RateLimitHeaders, Route, Tag},
        schema_refs,
        work::{Reply, Work},
    },
    model::{Date, EntityType, Facet, Record, Role, Schema, fold::fold, record::query_key},
    query::{Page, SearchQuery, Start},
};

pub(crate) const PROCUREMENT: Route = Route {
    id: "getProcurement",
    tag: Tag::Parties,
    endpoint: Endpoint::Named("/procurement/", "solicitation_number", get),
    about: "All records of one solicitation, with a timeline",
    path_params: &[PathParam::Text {
        component: "solicitation_number",
        name: "solicitation_number",
        about: "A solicitation number; case and punctuation do not matter",
        example: "solicitation_number",
    }],
    parameters: Parameters::Table("procurement", || describe(TABLE)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Procurement>),
    headers: &["X-Limit-Applied"],
    errors: &[ErrorResponse {
        status: "404",
        name: "NoSolicitation",
        about: "No record has that solicitation number, or none of that department",
        example: |_| {
            "no record has the solicitation number 'nope'; pass the `solicitation_number` of a record".to_owned()
        },
        rate_limit: RateLimitHeaders::Always,
    }],
    ..Route::DEFAULT
};

/// Decision D-56: the shape of the response.
#[derive(Serialize, JsonSchema)]
#[schemars(
    description = "The records of one solicitation number: for each entity type that has such records an array under its name, and figures over all of them"
)]
struct Procurement<'a> {
    /// In the spelling of the request.
    solicitation_number: &'a str,
    /// Number of records in the response.
    count: usize,
    // Decision D-57.
    /// Number of all records. `total_value`, `vendors` and `buyers` are of all records, `timeline` of those in the
    /// response.
    total: u64,
    entity_types: Vec<EntityType>,
    /// The events of the records in the response, the earliest first.
    timeline: Vec<Event>,
    // Decision D-58: contracts, awards and disclosures report the same money.
    /// In dollars: of the contracts; without contracts, of the awards; without awards, of the disclosures.
    total_value: Option<Money>,
    vendors: Vec<String>,
    /// More than one if small buyers use the same number; `department` selects one.
    buyers: Vec<String>,
    #[serde(flatten)]
    #[schemars(schema_with = "schema_refs::records_by_entity_type")]
    records: BTreeMap<&'static str, Vec<&'a RawValue>>,
}

/// An event of a solicitation.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(crate) struct Event {
    #[schemars(extend("format" = "date"))]
    pub(crate) date: String,
    #[schemars(schema_with = "event_schema")]
    pub(crate) event: &'static str,
    pub(crate) entity_type: EntityType,
    pub(crate) record_id: String,
}

/// Decision D-59: the events of a solicitation: entity type, field of the date, and name.
const EVENTS: [(EntityType, &str, &str); 12] = [
    (EntityType::PreSolicitation, "publication_date", "announced"),
    (EntityType::PreSolicitation, "closing_date", "announcement_closed"),
    (EntityType::Tender, "publication_date", "published"),
    (EntityType::Tender, "amendment_date", "amended"),
    (EntityType::Tender, "closing_date", "closed"),
    (EntityType::Award, "award_date", "awarded"),
    (EntityType::Award, "amendment_date", "amended"),
    (EntityType::Contract, "award_date", "awarded"),
    (EntityType::Contract, "start_date", "started"),
    (EntityType::Contract, "amendment_date", "amended"),
    (EntityType::Contract, "end_date", "ended"),
    (EntityType::Disclosure, "award_date", "awarded"),
];

fn event_schema(_: &mut SchemaGenerator) -> schemars::Schema {
    let names: BTreeSet<&str> = EVENTS.iter().map(|(_, _, event)| *event).collect();
    schemars::json_schema!({"type": "string", "enum": names})
}

/// The entity types whose values are spending. The first one with any value gives the total.
const SPENDING: [EntityType; 3] = [EntityType::Contract, EntityType::Award, EntityType::Disclosure];

/// The records of one entity type: those in the response, and the figures over all of them.
pub(crate) struct Matches {
    pub(crate) entity_type: EntityType,
    pub(crate) records: Vec<Bytes>,
    pub(crate) total: u64,
    /// `None` if no record has a value.
    total_value: Option<Money>,
    vendors: Vec<String>,
    buyers: Vec<String>,
}

/// The figures over all records of a solicitation.
pub(crate) struct Totals {
    pub(crate) total: u64,
    pub(crate) total_value: Option<Money>,
    pub(crate) vendors: Vec<String>,
    pub(crate) buyers: Vec<String>,
}

const FACETS: [TermsAggregation; 2] = [terms(Facet::Vendor, usize::MAX), terms(Facet::Department, usize::MAX)];

fn get(call: &Call, number: String) -> Result<Work, ApiError> {
    let given: ProcurementParams = read_all(TABLE, call.query)?;
    let requested = given.limit.as_ref().map_or(DEFAULT_LIMIT, |given| given.value);
    let limit = requested.min(call.plan_limits.page_cap.into());
    let buyer = given.department.map(|given| given.value);
    let department = buyer.as_deref().map(|part| query_key(Role::Department, part));
    let normal_form = (number.clone(), limit, department.clone());
    let generation = call.generation.clone();
    let work = Work::search(move |deadline| {
        let found = find(&generation, &number, department.as_deref(), limit, deadline)?;
        if found.is_empty() {
            return Err(not_found(&number, buyer.as_deref()));
        }
        let headers = (limit < requested).then(|| limit_applied(limit));
        Ok(reply(&number, &found)?.with_headers(headers.into_iter().collect()))
    });
    work.for_request(&normal_form)
}

fn not_found(number: &str, buyer: Option<&str>) -> ApiError {
    let number = quoted(number);
    ApiError::not_found(match buyer {
        None => format!("no record has the solicitation number {number}; pass the `solicitation_number` of a record"),
        Some(part) => format!(
            "no record with the solicitation number {number} has a department that contains {}; \
             leave out 'department', or check both",
            quoted(part)
        ),
    })
}

/// The entity types that have records of the number.
pub(crate) fn find(
    generation: &Generation,
    number: &str,
    department: Option<&str>,
    limit: u64,
    deadline: Deadline,
) -> Result<Vec<Matches>, ApiError> {
    let key = query_key(Role::SolicitationNumber, number);
    // A number without a letter or digit has an empty key, which would match every record without a number.
    if key.is_empty() {
        return Ok(Vec::new());
    }
    let (mut found, mut room) = (Vec::new(), MAX_PAGE_BYTES);
    for entity_type in EntityType::ALL {
        if !Schema::of(entity_type).has_role(Role::SolicitationNumber) {
            continue;
        }
        let mut filters = vec![term(Role::SolicitationNumber, key.clone())];
        filters.extend(department.map(|part| contains(Role::Department, part.to_owned())));
        let query = SearchQuery::newest(entity_type, filters);
        let Some(mut matches) = matches(generation, &query, limit, deadline.clone())? else {
            continue;
        };
        // Decision D-150: the records of all entity types together have the size of one page, except that each type has
        // at least one.
        matches
            .records
            .truncate(fitting(matches.records.iter().map(Bytes::len), room));
        let bytes: usize = matches.records.iter().map(Bytes::len).sum();
        room = room.saturating_sub(bytes);
        found.push(matches);
    }
    Ok(found)
}

fn matches(
    generation: &Generation,
    query: &SearchQuery,
    limit: u64,
    deadline: Deadline,
) -> Result<Option<Matches>, ApiError> {
    let page = Page {
        limit: limit as usize,
        start: Start::Offset(0),
    };
    let records = generation.engine.search(query, &page, deadline.clone())?.records;
    if records.is_empty() {
        return Ok(None);
    }
    let mut aggregation = generation
        .engine
        .aggregate(query, &FACETS, ValueAggregation::Sum, deadline)?;
    let values = aggregation.values.take().filter(|values| values.records_with_value > 0);
    Ok(Some(Matches {
        entity_type: query.entity_type,
        records,
        total: aggregation.total,
        total_value: values.map(|values| values.total_value),
        vendors: values_of(&mut aggregation, Facet::Vendor),
        buyers: values_of(&mut aggregation, Facet::Department),
    }))
}

fn values_of(aggregation: &mut Aggregation, facet: Facet) -> Vec<String> {
    let buckets = aggregation.take(facet).buckets.into_iter();
    buckets.map(|bucket| bucket.value).collect()
}

pub(crate) fn totals(found: &[Matches]) -> Totals {
    let spent = |entity_type: &EntityType| {
        let matches = found.iter().find(|matches| matches.entity_type == *entity_type)?;
        matches.total_value
    };
    Totals {
        total: found.iter().map(|matches| matches.total).sum(),
        total_value: SPENDING.iter().find_map(spent),
        vendors: distinct(found.iter().flat_map(|matches| &matches.vendors)),
        buyers: distinct(found.iter().flat_map(|matches| &matches.buyers)),
    }
}

fn reply(number: &str, found: &[Matches]) -> Result<Reply, ApiError> {
    let totals = totals(found);
    let mut records = BTreeMap::new();
    for matches in found {
        records.insert(matches.entity_type.name(), raw_records(&matches.records)?);
    }
    Reply::json(&Procurement {
        solicitation_number: number,
        count: found.iter().map(|matches| matches.records.len()).sum(),
        total: totals.total,
        entity_types: found.iter().map(|matches| matches.entity_type).collect(),
        timeline: timeline(found)?,
        total_value: totals.total_value,
        vendors: totals.vendors,
        buyers: totals.buyers,
        records,
    })
}

/// Sorts names and drops those that differ only in accents, case or punctuation.
fn distinct<'n>(names: impl Iterator<Item = &'n String>) -> Vec<String> {
    let mut distinct = BTreeMap::new();
    for name in names {
        distinct.entry(fold(name)).or_insert_with(|| name.clone());
    }
    distinct.into_values().collect()
}

/// Sorted by date; events of one day in the order of [`EVENTS`].
fn timeline(found: &[Matches]) -> Result<Vec<Event>, ApiError> {
    let mut timeline = Vec::new();
    for matches in found {
        let schema = Schema::of(matches.entity_type);
        for bytes in &matches.records {
            let record = Record::parse(schema, bytes)
                .map_err(|_| ApiError::internal("a record of the index cannot be parsed"))?;
            timeline.extend(events(matches.entity_type, &record));
        }
    }
    timeline.sort();
    Ok(timeline.into_iter().map(|(_, event)| event).collect())
}

/// The events of a record, each with its sort key: the date and the index in [`EVENTS`].
pub(crate) fn events(entity_type: EntityType, record: &Record) -> Vec<((String, usize), Event)> {
    let mut events = Vec::new();
    for (index, (of, field, event)) in EVENTS.iter().enumerate() {
        if *of != entity_type {
            continue;
        }
        let date = record.text(field).and_then(|text| Date::parse_prefix(text).ok());
        if let Some(date) = date {
            let date = date.to_string();
            let event = Event {
                date: date.clone(),
                event,
                entity_type,
                record_id: record.id().to_owned(),
            };
            events.push(((date, index), event));
        }
    }
    events
}
