//! `GET /procurement/{solicitation_number}`: all records of one solicitation, from its notice to its contracts.

use std::collections::BTreeMap;

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    api::{
        analysis::{
            bids::comparison::NoticeBids,
            solicitation::{Event, Matches, Solicitation, timeline, totals},
        },
        handlers::raw_records::raw_records,
        params::{
            paging::{DEFAULT_LIMIT, limit_applied},
            param::describe,
            procurement::TABLE,
            read::read_all,
        },
        route::{Answer, Endpoint, ErrorResponse, Parameters, PathParam, Route, Tag},
        schema_refs,
    },
    catalog::bids::BidStore,
    engine::aggregation::Money,
    http::{
        call::Call,
        error::ApiError,
        quoted::quoted,
        work::{Reply, Work},
    },
    model::{EntityType, record_id::record_id},
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
    errors: &[ErrorResponse::not_found(
        "NoSolicitation",
        "No record has that solicitation number, or none of that department",
        |_| "no record has the solicitation number 'nope'; pass the `solicitation_number` of a record".to_owned(),
    )],
    ..Route::DEFAULT
};

/// The shape of the response.
#[derive(Serialize, JsonSchema)]
#[schemars(
    description = "The records of one solicitation number: for each entity type that has such records an array under its name, and figures over all of them"
)]
struct Procurement<'a> {
    /// In the spelling of the request.
    solicitation_number: &'a str,
    /// Number of records in the response.
    count: usize,
    /// Number of all records. `total_value`, `vendors` and `buyers` are of all records, `timeline` of those in the
    /// response.
    total: u64,
    entity_types: Vec<EntityType>,
    /// The events of the records in the response, the earliest first.
    timeline: Vec<Event>,
    // Contracts, awards and disclosures report the same money.
    /// In dollars: of the contracts; without contracts, of the awards; without awards, of the disclosures.
    total_value: Option<Money>,
    vendors: Vec<String>,
    /// More than one if small buyers use the same number; `department` selects one.
    buyers: Vec<String>,
    /// Only with `include=bids`: of each tender of the response that lists bidders, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<NoticeBids>")]
    bids: Option<Vec<NoticeBids<'a>>>,
    #[serde(flatten)]
    #[schemars(schema_with = "schema_refs::records_by_entity_type")]
    records: BTreeMap<&'static str, Vec<&'a RawValue>>,
}

fn get(call: &Call, number: String) -> Result<Work, ApiError> {
    let given = read_all(TABLE, call.query)?;
    let asked = Solicitation::new(&number, given, DEFAULT_LIMIT, call.plan_limits.page_cap.into());
    let normal_form = asked.normal_form();
    let work = Work::search(&call.generation, move |ask| {
        let found = asked.find(ask)?;
        if found.is_empty() {
            return Err(not_found(&number, asked.buyer.as_deref()));
        }
        let headers = asked.lowered_limit.map(limit_applied);
        let tenders = tenders(&found);
        let bids = asked.has_bids.then(|| bids(&ask.generation.bids, &tenders));
        Ok(reply(&number, &found, bids)?.with_headers(headers.into_iter().collect()))
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

/// The ids of the tenders.
fn tenders(found: &[Matches]) -> Vec<String> {
    let tenders = found.iter().filter(|matches| matches.entity_type == EntityType::Tender);
    let ids = tenders
        .flat_map(|matches| &matches.records)
        .filter_map(|bytes| record_id(bytes));
    ids.map(|id| id.into_owned()).collect()
}

/// The bids of those tenders that list bidders.
fn bids<'a>(store: &'a BidStore, tenders: &'a [String]) -> Vec<NoticeBids<'a>> {
    let all = tenders.iter().map(|id| NoticeBids::of(store, id));
    all.filter(|notice| notice.count > 0).collect()
}

fn reply(number: &str, found: &[Matches], bids: Option<Vec<NoticeBids>>) -> Result<Reply, ApiError> {
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
        bids,
        records,
    })
}
