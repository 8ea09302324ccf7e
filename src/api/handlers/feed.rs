//! `GET /tender/feed`: open tenders that were published in the last days, by keyword.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    api::{
        analysis::tender_feed::{self, TenderFeed, matched_keywords},
        cost,
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
    },
    catalog::{feed::ValueBasis, generation::Generation},
    http::{
        call::Call,
        error::ApiError,
        search_pool::Lane,
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
    let address = call.whole_query.to_owned();
    let cost = cost::of_feed(&call.generation, &feed.query);
    let work = Work::search(&call.generation, move |ask| {
        let found = tender_feed::find(ask, &feed)?;
        let mut headers: Vec<_> = found.applied_limit.map(limit_applied).into_iter().collect();
        if let Some(cursor) = &found.next_cursor {
            headers.push(next_link("/tender/feed", &address, cursor)?);
        }
        Ok(page(&ask.generation, &feed, &found)?.with_headers(headers))
    });
    work.in_lane(Lane::Heavy).with_cost(cost).for_request(&normal_form)
}

fn page(generation: &Generation, feed: &Feed, found: &TenderFeed) -> Result<Reply, ApiError> {
    let (query, tenders) = (&feed.query, &found.page.tenders);
    let notices: Vec<_> = tenders.iter().map(|tender| tender.notice.clone()).collect();
    let results = tenders.iter().zip(raw_records(&notices)?).map(|(tender, notice)| Item {
        tender: notice,
        first_seen_at: generation.first_seen.earliest(tender.notices()),
        duplicates: &tender.duplicates,
        days_until_closing: tender.days_until_closing,
        estimated_value: tender.value,
        value_basis: tender.basis,
        matched_keywords: matched_keywords(feed, tender),
    });
    Reply::json(&Page {
        count: tenders.len(),
        days_back: feed.days_back,
        since: query.since.to_string(),
        keywords: query.keywords.iter().map(|(text, _)| text.as_str()).collect(),
        languages: query.languages.iter().map(|language| language.code()).collect(),
        results: results.collect(),
        next_cursor: found.next_cursor.as_deref(),
    })
}
