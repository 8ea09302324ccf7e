//! `GET /procurement/{solicitation_number}`: everything known of one solicitation, from its notice to its contracts.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline,
        aggregation::{Aggregation, Money, TermsAggregation, ValueAggregation},
    },
    http::{
        Call, Reply, Work,
        error::{ApiError, quoted},
        handlers::profile::raw,
        openapi::bodies,
        params::{
            self,
            procurement::{ProcurementParams, TABLE},
            resolve::{DEFAULT_LIMIT, limit_applied},
        },
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        fold::fold,
        record::{Record, query_key},
        schema::{Role, Schema},
    },
    query::{Filter, Page, SearchQuery, Start},
};

/// Spec silent: the shape of the answer. One array a kind that has such records, named by it.
#[derive(Serialize, JsonSchema)]
#[schemars(
    description = "The records of one solicitation number: an array a kind that has such records, named by the kind, and what they tell together"
)]
pub struct Procurement<'a> {
    /// As it was asked for.
    solicitation_number: &'a str,
    /// Of all records shown.
    count: usize,
    /// Spec silent: of all records there are; `total_value`, `vendors` and `buyers` are of them, `timeline` of those shown.
    total: u64,
    entity_types: Vec<EntityType>,
    /// The days that the records shown tell of, the earliest first.
    timeline: Vec<Event>,
    /// Spec silent: of the contracts; where there are none, of the awards; where there are none either, of the disclosures. The three
    /// tell of the same money.
    #[schemars(
        description = "In dollars, of the contracts shown; where there are none, of the awards; where there are none either, of the disclosures"
    )]
    total_value: Option<Money>,
    vendors: Vec<String>,
    /// More than one where small buyers share a number; `department` tells them apart.
    buyers: Vec<String>,
    #[serde(flatten)]
    #[schemars(schema_with = "bodies::records_by_kind")]
    records: BTreeMap<&'static str, Vec<&'a RawValue>>,
}

/// A day in a solicitation's life.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
struct Event {
    #[schemars(extend("format" = "date"))]
    date: String,
    #[schemars(schema_with = "what_happened")]
    event: &'static str,
    entity_type: EntityType,
    record_id: String,
}

/// Spec silent: the days of a solicitation's life: kind, field, and what happened.
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

fn what_happened(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let words: BTreeSet<&str> = EVENTS.iter().map(|(_, _, event)| *event).collect();
    schemars::json_schema!({"type": "string", "enum": words})
}

/// Whose values tell what was spent, the first that has any.
const SPENDING: [EntityType; 3] = [EntityType::Contract, EntityType::Award, EntityType::Disclosure];

/// The records of one kind: those shown, and what all of them tell.
struct OfKind {
    entity_type: EntityType,
    shown: Vec<bytes::Bytes>,
    aggregation: Aggregation,
}

/// Of all of them, however many are shown.
const FACETS: [TermsAggregation; 2] = [
    TermsAggregation {
        facet: Facet::Vendor,
        size: usize::MAX,
    },
    TermsAggregation {
        facet: Facet::Department,
        size: usize::MAX,
    },
];

pub fn get(call: &Call, number: String) -> Result<Work, ApiError> {
    let said: ProcurementParams = params::read(TABLE, |_| None, call.query)?;
    let wanted = said.limit.as_ref().map_or(DEFAULT_LIMIT, |said| said.value);
    let limit = wanted.min(call.terms.page_cap.into());
    let department = said.department.map(|said| query_key(Role::Department, &said.value));
    let asked = (number.clone(), limit, department.clone());
    let generation = call.generation.clone();
    let work = Work::pooled(move |deadline| {
        let found = find(&generation, &number, department.as_deref(), limit, deadline)?;
        if found.is_empty() {
            let whose = department.map_or("", |_| " at such a department");
            let number = quoted(&number);
            return Err(ApiError::not_found(format!(
                "no record has the solicitation number {number}{whose}"
            )));
        }
        let reply = answer(&number, &found)?;
        let headers = (limit < wanted).then(|| limit_applied(limit)).into_iter().collect();
        Ok(Reply { headers, ..reply })
    })?;
    work.of_request(&asked)
}

fn find(
    generation: &Generation,
    number: &str,
    department: Option<&str>,
    limit: u64,
    deadline: Deadline,
) -> Result<Vec<OfKind>, ApiError> {
    let key = query_key(Role::SolicitationNumber, number);
    let mut found = Vec::new();
    // A number of signs only is no number: it would find whatever has none.
    for entity_type in EntityType::ALL.into_iter().filter(|_| !key.is_empty()) {
        if !Schema::of(entity_type).has_role(Role::SolicitationNumber) {
            continue;
        }
        let mut filters = vec![Filter::Term {
            role: Role::SolicitationNumber,
            key: key.clone(),
        }];
        filters.extend(department.map(|part| Filter::Contains {
            role: Role::Department,
            key: part.to_owned(),
        }));
        let query = SearchQuery::newest(entity_type, filters);
        let page = Page {
            limit: limit as usize,
            start: Start::Offset(0),
        };
        let shown = generation.engine.search(&query, &page, deadline.clone())?.records;
        if !shown.is_empty() {
            let aggregation = generation
                .engine
                .aggregate(&query, &FACETS, ValueAggregation::Sum, deadline.clone())?;
            found.push(OfKind {
                entity_type,
                shown,
                aggregation,
            });
        }
    }
    Ok(found)
}

fn answer(number: &str, found: &[OfKind]) -> Result<Reply, ApiError> {
    let mut timeline = Vec::new();
    for OfKind { entity_type, shown, .. } in found {
        for bytes in shown {
            let record = Record::parse(Schema::of(*entity_type), bytes)
                .map_err(|_| ApiError::internal("a record of the index can no longer be read"))?;
            timeline.extend(events(*entity_type, &record));
        }
    }
    timeline.sort();
    let spent = |kind: &EntityType| {
        let of_kind = found.iter().find(|of_kind| of_kind.entity_type == *kind)?;
        let values = of_kind.aggregation.values.as_ref()?;
        (values.records_with_value > 0).then_some(values.total_value)
    };
    let records = found
        .iter()
        .map(|of_kind| Ok((of_kind.entity_type.name(), raw(&of_kind.shown)?)));
    Reply::json(&Procurement {
        solicitation_number: number,
        count: found.iter().map(|of_kind| of_kind.shown.len()).sum(),
        total: found.iter().map(|of_kind| of_kind.aggregation.total).sum(),
        entity_types: found.iter().map(|of_kind| of_kind.entity_type).collect(),
        timeline: timeline.into_iter().map(|(_, event)| event).collect(),
        total_value: SPENDING.iter().find_map(spent),
        vendors: names(found, Facet::Vendor),
        buyers: names(found, Facet::Department),
        records: records.collect::<Result<_, ApiError>>()?,
    })
}

/// The values of a facet over all entity types, each once, in alphabetical order.
fn names(found: &[OfKind], facet: Facet) -> Vec<String> {
    let counts = found
        .iter()
        .filter_map(|of_kind| of_kind.aggregation.facets.get(&facet));
    let mut names = BTreeMap::new();
    for bucket in counts.flat_map(|counts| &counts.buckets) {
        names.entry(fold(&bucket.value)).or_insert_with(|| bucket.value.clone());
    }
    names.into_values().collect()
}

/// What a record tells, each with the place that a day's events are told in.
fn events(entity_type: EntityType, record: &Record) -> Vec<((String, usize), Event)> {
    let of_kind = (0..).zip(&EVENTS).filter(|(_, (kind, _, _))| *kind == entity_type);
    let event = |(place, (_, field, event)): (usize, &(EntityType, &str, &'static str))| {
        let date = Date::parse_prefix(record.text(field)?).ok()?.to_string();
        let event = Event {
            date: date.clone(),
            event,
            entity_type,
            record_id: record.id().to_owned(),
        };
        Some(((date, place), event))
    };
    of_kind.filter_map(event).collect()
}
