//! `GET /tender/feed`: open tenders that were published in the last days, by keyword.

use std::time::{Duration, Instant};

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    catalog::{
        feed::{self, EstimatedValues, FeedPage, ValueBasis},
        generation::Generation,
        tender_value::tender_value,
    },
    engine::Deadline,
    http::{
        call::Call,
        cost,
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
    let (generation, address) = (call.generation.clone(), call.query.to_owned());
    let cost = cost::of_feed(&generation, &feed.query);
    let work = Work::search(move |deadline| {
        let query = &feed.query;
        let values = ValuesInTime::new(&generation, query.today, &deadline);
        let latest = &generation.newest_statuses;
        let found = feed::find(&*generation.engine, latest, query, &values, &deadline)?;
        let next_cursor = found.next.clone().map(|position| feed.cursor(position)).transpose()?;
        let applied = if found.is_cut {
            Some(found.tenders.len() as u64)
        } else {
            feed.lowered_limit
        };
        let mut headers: Vec<_> = applied.map(limit_applied).into_iter().collect();
        if let Some(cursor) = &next_cursor {
            headers.push(next_link("/tender/feed", &address, cursor)?);
        }
        let reply = page(&generation, &feed, &found, next_cursor.as_deref())?;
        Ok(reply.with_headers(headers))
    });
    work.in_lane(Lane::Heavy).with_cost(cost).for_request(&normal_form)
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

/// Decision D-153: values that are estimated as long as there is time for all that a page needs. What was estimated is
/// kept, so a later request has fewer to estimate.
pub(crate) struct ValuesInTime<'a> {
    generation: &'a Generation,
    today: Date,
    /// When the last estimate must have ended. It leaves a quarter of the time for the response.
    end: Option<Instant>,
    deadline: &'a Deadline,
}

impl ValuesInTime<'_> {
    pub(crate) fn new<'a>(generation: &'a Generation, today: Date, deadline: &'a Deadline) -> ValuesInTime<'a> {
        let end = deadline.end().and_then(|end| {
            let left = end.saturating_duration_since(Instant::now());
            end.checked_sub(left / 4)
        });
        ValuesInTime {
            generation,
            today,
            end,
            deadline,
        }
    }
}

impl EstimatedValues for ValuesInTime<'_> {
    type Error = ApiError;

    fn known(&self, record_id: &str) -> Option<Option<f64>> {
        self.generation.values.get(self.today, record_id)
    }

    /// # Errors
    /// 503 if not all the missing tenders could be estimated in time. It is charged: the tenders were searched for it.
    fn estimate(&self, record_id: &str, missing: usize) -> Result<Option<f64>, ApiError> {
        if let Some(end) = self.end {
            let left = end.saturating_duration_since(Instant::now());
            check_time(missing, self.generation.values.pace.mean(), left)?;
        }
        Ok(tender_value(self.generation, self.today, record_id, self.deadline)?)
    }
}

/// Fails with 503 if so many estimates take longer than the time that is left. The client is asked to wait for as long as
/// they take in the background. If the pace of an estimate is not known, a first one may begin.
fn check_time(missing: usize, pace: Option<Duration>, left: Duration) -> Result<(), ApiError> {
    let count = u32::try_from(missing).unwrap_or(u32::MAX);
    let needed = pace.unwrap_or_default().saturating_mul(count);
    if needed <= left && !left.is_zero() {
        return Ok(());
    }
    Err(ApiError::busy_for(needed.as_secs().saturating_add(1)).charged())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hopeless_feed_ends_before_it_estimates() {
        let (pace, left) = (Some(Duration::from_millis(20)), Duration::from_millis(3_750));
        assert_eq!(check_time(187, pace, left), Ok(()));
        for (missing, seconds) in [(188, 4), (500, 11), (2_000, 30), (usize::MAX, 30)] {
            let refused = check_time(missing, pace, left);
            assert_eq!(refused, Err(ApiError::busy_for(seconds).charged()), "{missing}");
        }
        assert_eq!(check_time(500, None, left), Ok(()), "the pace is unknown");
        assert_eq!(check_time(1, None, Duration::ZERO), Err(ApiError::busy().charged()));
    }
}
