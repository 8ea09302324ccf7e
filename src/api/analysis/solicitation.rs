//! All records of one solicitation, from its notice to its contracts.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use crate::{
    api::params::{
        filters::{contains, term},
        procurement::ProcurementParams,
    },
    catalog::ask::Ask,
    engine::{
        Error, MAX_PAGE_BYTES,
        aggregation::{Aggregation, Money, TermsAggregation, ValueAggregation},
        fitting,
    },
    http::error::ApiError,
    model::{Date, EntityType, Facet, Record, Role, Schema, fold::fold, record::query_key},
    query::SearchQuery,
};

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

/// The events of a solicitation: entity type, field of the date, and name.
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

const FACETS: [TermsAggregation; 2] = [
    TermsAggregation::all(Facet::Vendor),
    TermsAggregation::all(Facet::NamedDepartment),
];

/// Which records of a solicitation are asked for.
#[derive(Debug)]
pub(crate) struct Solicitation {
    pub(crate) number: String,
    /// The maximum number of records of each entity type.
    pub(crate) limit: u64,
    /// The key of the part of a buyer's name.
    department: Option<String>,
    pub(crate) buyer: Option<String>,
    /// The limit, if the plan lowered the requested one.
    pub(crate) lowered_limit: Option<u64>,
    pub(crate) has_bids: bool,
}

impl Solicitation {
    /// `default` is the limit of a request that states none.
    pub(crate) fn new(number: &str, given: ProcurementParams, default: u64, page_cap: u64) -> Solicitation {
        let requested = given.limit.map_or(default, |given| given.value);
        let limit = requested.min(page_cap);
        let buyer = given.department.map(|given| given.value);
        Solicitation {
            number: number.to_owned(),
            limit,
            department: buyer.as_deref().map(|part| query_key(Role::Department, part)),
            buyer,
            lowered_limit: (limit < requested).then_some(limit),
            has_bids: given.include.is_some(),
        }
    }

    /// What the response depends on.
    pub(crate) fn normal_form(&self) -> (String, u64, Option<String>, bool) {
        (self.number.clone(), self.limit, self.department.clone(), self.has_bids)
    }

    /// The entity types that have records of the number.
    pub(crate) fn find(&self, ask: &Ask) -> Result<Vec<Matches>, Error> {
        let key = query_key(Role::SolicitationNumber, &self.number);
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
            filters.extend(self.department.clone().map(|part| contains(Role::Department, part)));
            let query = SearchQuery::newest(entity_type, filters);
            let Some(mut matches) = matches(ask, &query, self.limit)? else {
                continue;
            };
            // Decision D-150: the records of all entity types together have the size of one page, except that each type
            // has at least one.
            let fitting = fitting(matches.records.iter().map(Bytes::len), room);
            matches.records.truncate(fitting);
            let bytes: usize = matches.records.iter().map(Bytes::len).sum();
            room = room.saturating_sub(bytes);
            found.push(matches);
        }
        Ok(found)
    }
}

fn matches(ask: &Ask, query: &SearchQuery, limit: u64) -> Result<Option<Matches>, Error> {
    let records = ask.first(query, limit as usize)?;
    if records.is_empty() {
        return Ok(None);
    }
    let mut aggregation = ask.aggregate(query, &FACETS, ValueAggregation::Sum)?;
    let values = aggregation.values.take().filter(|values| values.records_with_value > 0);
    Ok(Some(Matches {
        entity_type: query.entity_type,
        records,
        total: aggregation.total,
        total_value: values.map(|values| values.total_value),
        vendors: values_of(&mut aggregation, Facet::Vendor),
        buyers: values_of(&mut aggregation, Facet::NamedDepartment),
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

/// Sorts names and drops those that differ only in accents, case or punctuation.
fn distinct<'n>(names: impl Iterator<Item = &'n String>) -> Vec<String> {
    let mut distinct = BTreeMap::new();
    for name in names {
        distinct.entry(fold(name)).or_insert_with(|| name.clone());
    }
    distinct.into_values().collect()
}

/// Sorted by date; events of one day in the order of [`EVENTS`].
pub(crate) fn timeline(found: &[Matches]) -> Result<Vec<Event>, ApiError> {
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
