//! `GET /tender/feed`: open tenders that were published in the last days, by keyword.

use rayon::prelude::*;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    catalog::{
        feed::{self, FeedPage, ValueBasis},
        generation::Generation,
        tender_value::tender_value,
    },
    engine::Deadline,
    http::{
        call::Call,
        error::ApiError,
        handlers::{
            raw_records::raw_records,
            search::{INVALID_PAGE, next_link},
        },
        params::{
            feed::{Feed, FeedParams, TABLE},
            paging::limit_applied,
            param::describe,
            read::read_all,
        },
        route::{Access, Answer, Endpoint, Parameters, Route, Tag},
        schema_refs,
        work::{Reply, Work},
    },
    model::Date,
};

pub(crate) const FEED: Route = Route {
    id: "feedOfTenders",
    tag: Tag::Pro,
    endpoint: Endpoint::Fixed("/tender/feed", get),
    access: Access::Paid,
    about: "New open tenders by keyword, each once, with estimated values",
    parameters: Parameters::Table("feed", || describe(TABLE)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Page>),
    headers: &["Link", "X-Limit-Applied"],
    errors: &[INVALID_PAGE],
    ..Route::DEFAULT
};

/// A page of open, new tenders that match a keyword, the newest first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Feed")]
struct Page<'a> {
    /// Tenders in this page.
    count: usize,
    days_back: u64,
    /// The first day of publication that counts as new.
    #[schemars(extend("format" = "date"))]
    since: String,
    /// The keywords in the spelling of the request, each once.
    keywords: Vec<&'a str>,
    languages: Vec<&'static str>,
    results: Vec<Item<'a>>,
    /// Pass it as `cursor` for the next page; null if there is no further tender.
    next_cursor: Option<&'a str>,
}

/// A tender, and why it is in the feed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FeedItem")]
struct Item<'a> {
    /// The notice that was published last.
    #[schemars(schema_with = "schema_refs::tender")]
    tender: &'a RawValue,
    /// When the first of the tender's notices was indexed; null if that was before such times were recorded.
    #[schemars(extend("format" = "date-time"))]
    first_seen_at: Option<&'a str>,
    /// The `record_id`s of its other notices.
    duplicates: &'a [String],
    /// Null if the notice states no closing day.
    days_until_closing: Option<i32>,
    /// As stated in the notice, or else estimated from comparable contracts; Canadian dollars.
    estimated_value: Option<f64>,
    value_basis: ValueBasis,
    matched_keywords: Vec<&'a str>,
}

fn get(call: &Call) -> Result<Work, ApiError> {
    let given: FeedParams = read_all(TABLE, call.query)?;
    let feed = given.resolve(call, Date::in_toronto((call.state.now)()))?;
    let normal_form = serde_json::to_value(feed.normal_form()).map_err(ApiError::internal)?;
    let (generation, address) = (call.generation.clone(), call.query.to_owned());
    let work = Work::search(move |deadline| {
        let query = &feed.query;
        let estimate = |ids: &[&str]| estimate(&generation, query.today, ids, &deadline);
        let latest = &generation.newest_statuses;
        let found = feed::find(&*generation.engine, latest, query, estimate, &deadline)?;
        let next_cursor = found.next.clone().map(|position| feed.cursor(position)).transpose()?;
        let mut headers: Vec<_> = feed.lowered_limit.map(limit_applied).into_iter().collect();
        if let Some(cursor) = &next_cursor {
            headers.push(next_link("/tender/feed", &address, cursor)?);
        }
        let reply = page(&generation, &feed, &found, next_cursor.as_deref())?;
        Ok(reply.with_headers(headers))
    });
    work.for_request(&normal_form)
}

fn page(generation: &Generation, feed: &Feed, found: &FeedPage, next_cursor: Option<&str>) -> Result<Reply, ApiError> {
    let query = &feed.query;
    let notices: Vec<_> = found.tenders.iter().map(|tender| tender.notice.clone()).collect();
    let keyword = |number: &usize| query.keywords.get(*number).map(|(text, _)| text.as_str());
    let results = found
        .tenders
        .iter()
        .zip(raw_records(&notices)?)
        .map(|(tender, notice)| Item {
            tender: notice,
            first_seen_at: generation.first_seen.earliest(tender.notices()),
            duplicates: &tender.duplicates,
            days_until_closing: tender.days_until_closing,
            estimated_value: tender.value,
            value_basis: tender.basis,
            matched_keywords: tender.matched.iter().filter_map(keyword).collect(),
        });
    Reply::json(&Page {
        count: found.tenders.len(),
        days_back: feed.days_back,
        since: query.since.to_string(),
        keywords: query.keywords.iter().map(|(text, _)| text.as_str()).collect(),
        languages: query.languages.iter().map(|language| language.code()).collect(),
        results: results.collect(),
        next_cursor,
    })
}

/// Estimates the tenders that state no value.
fn estimate(
    generation: &Generation,
    today: Date,
    ids: &[&str],
    deadline: &Deadline,
) -> Result<Vec<Option<f64>>, ApiError> {
    let one = |id: &&str| Ok(tender_value(generation, today, id, deadline)?);
    ids.par_iter().map(one).collect()
}
