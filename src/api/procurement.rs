//! `GET /procurement/{solicitation_number}`: everything known of one solicitation, from its notice to its contracts.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    api::{
        Call, Reply, Work,
        error::{ApiError, quoted},
        openapi::bodies,
        params::{
            self,
            procurement::{ProcurementParams, TABLE},
            resolve::{DEFAULT_LIMIT, limit_applied},
        },
        profile::raw,
    },
    date::Date,
    engine::{Deadline, tally::Money},
    entity::EntityType,
    facet::Facet,
    fold::fold,
    generation::Generation,
    query::{Filter, Order, Page, SearchQuery, Sort, SortKey, Start},
    record::{Record, query_key},
    schema::{Role, Schema},
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
    (EntityType::Disclosure, "award_date", "disclosed"),
];

fn what_happened(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let words: BTreeSet<&str> = EVENTS.iter().map(|(_, _, event)| *event).collect();
    schemars::json_schema!({"type": "string", "enum": words})
}

/// Whose values tell what was spent, the first that has any.
const SPENDING: [EntityType; 3] = [EntityType::Contract, EntityType::Award, EntityType::Disclosure];

type Found = Vec<(EntityType, Vec<bytes::Bytes>)>;

pub fn get(call: &Call, number: String) -> Result<Work, ApiError> {
    let said: ProcurementParams = params::read(TABLE, |_| None, call.query)?;
    let cap = u64::from(call.terms.page_cap);
    let wanted = said.limit.as_ref().map_or(DEFAULT_LIMIT, |said| said.value);
    let limit = wanted.min(cap);
    let generation = call.generation.clone();
    Work::pooled(move |deadline| {
        let found = find(
            &generation,
            &number,
            said.department.as_ref().map(|said| said.value.as_str()),
            limit,
            deadline,
        )?;
        if found.is_empty() {
            return Err(ApiError::not_found(format!(
                "no record has the solicitation number {}",
                quoted(&number)
            )));
        }
        let reply = answer(&generation, &number, &found)?;
        let headers = (limit < wanted).then(|| limit_applied(limit)).into_iter().collect();
        Ok(Reply { headers, ..reply })
    })
}

fn find(
    generation: &Generation,
    number: &str,
    department: Option<&str>,
    limit: u64,
    deadline: Deadline,
) -> Result<Found, ApiError> {
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
            key: query_key(Role::Department, part),
        }));
        let query = SearchQuery {
            entity_type,
            text: None,
            filters,
            sort: Sort {
                key: SortKey::Date,
                order: Order::Desc,
            },
        };
        let page = Page {
            limit: limit as usize,
            start: Start::Offset(0),
        };
        let hits = generation.engine.search(&query, &page, deadline.clone())?;
        if !hits.records.is_empty() {
            found.push((entity_type, hits.records));
        }
    }
    Ok(found)
}

fn answer(generation: &Generation, number: &str, found: &Found) -> Result<Reply, ApiError> {
    let mut timeline = Vec::new();
    let mut vendors = BTreeMap::new();
    let mut buyers = BTreeMap::new();
    let mut values: BTreeMap<EntityType, Money> = BTreeMap::new();
    for (entity_type, records) in found {
        for bytes in records {
            let record = Record::parse(Schema::of(*entity_type), bytes)
                .map_err(|_| ApiError::internal("a record of the index can no longer be read"))?;
            timeline.extend(events(*entity_type, &record));
            name(&mut vendors, record.text("vendor_name"));
            let buyer = ["department_en", "buyer_name", "department_fr"];
            let buyer = buyer.into_iter().find_map(|field| record.text(field));
            // In the one spelling it is shown in everywhere, whatever the record's language.
            let named = buyer.and_then(|buyer| generation.engine.named(*entity_type, Facet::Department, buyer));
            name(&mut buyers, named.as_ref().map(|named| named.name.as_str()).or(buyer));
            if let Some(value) = record.value() {
                values.entry(*entity_type).or_default().add(Money::of(value));
            }
        }
    }
    timeline.sort();
    let records = found
        .iter()
        .map(|(entity_type, records)| Ok((entity_type.name(), raw(records)?)));
    Reply::json(&Procurement {
        solicitation_number: number,
        count: found.iter().map(|(_, records)| records.len()).sum(),
        entity_types: found.iter().map(|(entity_type, _)| *entity_type).collect(),
        timeline,
        total_value: SPENDING.iter().find_map(|kind| values.get(kind).copied()),
        vendors: vendors.into_values().collect(),
        buyers: buyers.into_values().collect(),
        records: records.collect::<Result<_, ApiError>>()?,
    })
}

fn events(entity_type: EntityType, record: &Record) -> BTreeSet<Event> {
    let of_kind = EVENTS.iter().filter(|(kind, _, _)| *kind == entity_type);
    let event = |(_, field, event): &(EntityType, &str, &'static str)| {
        Some(Event {
            date: Date::parse_prefix(record.text(field)?).ok()?.to_string(),
            event,
            entity_type,
            record_id: record.id().to_owned(),
        })
    };
    of_kind.filter_map(event).collect()
}

/// Spellings of one name are one; the first stands for them.
fn name(names: &mut BTreeMap<String, String>, text: Option<&str>) {
    if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
        names.entry(fold(text)).or_insert_with(|| text.to_owned());
    }
}
