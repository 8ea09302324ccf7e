//! `GET /tender/{record_id}/bids`: the bids on one tender. `GET /bids`: a search over all bids.

use std::collections::BTreeMap;

use actix_web::http::header::HeaderValue;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use crate::{
    api::{
        analysis::bids::{
            comparison::{NoticeBidRow, NoticeBids},
            search::{BidFacetCounts, BidSearch},
            statistics::BidStatistics,
        },
        handlers::{
            record::no_record,
            search::{INVALID_PAGE, next_link},
        },
        params::{
            bids::{BidsParams, TABLE},
            file::of_list,
            paging::{TOTAL_COUNT, limit_applied},
            read::{no_parameters, read_all},
            resolve::ResolveContext,
        },
        route::{Answer, Endpoint, ErrorResponse, Parameters, PathParam, Route, Tag},
    },
    catalog::ask::Ask,
    http::{
        call::Call,
        error::ApiError,
        work::{Reply, Work},
    },
    model::EntityType,
    query::cursor::Cursor,
};

pub(crate) const OF_TENDER: Route = Route {
    id: "getBidsOf",
    endpoint: Endpoint::OfTender("/bids", of_tender),
    about: "The bids on a tender, those that lost too",
    path_params: &[PathParam::RecordId],
    answer: Answer::Json(SchemaGenerator::subschema_for::<NoticeBids>),
    errors: &[ErrorResponse::not_found("NoTender", "No tender has that id", |_| {
        "no tender record has the id 'nope'; pass the `record_id` of a search result unchanged".to_owned()
    })],
    ..Route::DEFAULT
};

pub(crate) const BIDS: Route = Route {
    id: "searchBids",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed("/bids", search),
    about: "Search bids, those that lost too; the newest tender first, its bids by amount",
    parameters: Parameters::Table("bids", || of_list(TABLE)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<BidPage>),
    headers: &["Link", "X-Total-Count", "X-Limit-Applied"],
    errors: &[INVALID_PAGE],
    ..Route::DEFAULT
};

/// A page of bids.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Bids", description = "A page of bids")]
struct BidPage<'a> {
    /// Bids in this page.
    count: usize,
    /// Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Bids that match, with `include_total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// With `facets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    facets: Option<BTreeMap<&'static str, BidFacetCounts>>,
    /// With `include_statistics`.
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<BidStatistics>,
    results: Vec<NoticeBidRow<'a>>,
}

fn of_tender(call: &Call, record_id: String) -> Result<Work, ApiError> {
    no_parameters(call.query)?;
    Ok(Work::look_up(&call.generation, move |ask| {
        let store = &ask.generation.bids;
        let is_known = store.notice(&record_id).is_some() || ask.record(EntityType::Tender, &record_id)?.is_some();
        if !is_known {
            return Err(no_record(EntityType::Tender, &record_id));
        }
        Reply::json(&NoticeBids::of(store, &record_id))
    }))
}

fn search(call: &Call) -> Result<Work, ApiError> {
    let given: BidsParams = read_all(TABLE, call.query)?;
    let context = ResolveContext::of(call, EntityType::Tender);
    let (search, lowered_limit) = given.resolve(&context, call.is_head)?;
    let (normal_form, cost) = (search.normal_form(), search.cost(&call.generation));
    let query = call.query.to_owned();
    let work = Work::search(&call.generation, move |ask| {
        let reply = page(ask, &search, &query)?;
        Ok(reply.with_headers(lowered_limit.map(limit_applied).into_iter().collect()))
    });
    cost.charge(work).for_request(&normal_form)
}

fn page(ask: &Ask, search: &BidSearch, query: &str) -> Result<Reply, ApiError> {
    let found = search.run(ask)?;
    let next = found
        .next
        .map(|position| Cursor::of(search.query.fingerprint(), position.encode()).encode());
    let mut headers = Vec::new();
    if let Some(cursor) = &next {
        headers.push(next_link("/bids", query, cursor)?);
    }
    headers.extend(found.total.map(|total| (TOTAL_COUNT, HeaderValue::from(total))));
    let reply = Reply::json(&BidPage {
        count: found.rows.len(),
        next_cursor: next,
        total: found.total.filter(|_| search.include_total),
        facets: found.facets,
        statistics: found.statistics,
        results: found.rows,
    })?;
    Ok(reply.with_headers(headers))
}
