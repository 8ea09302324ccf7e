//! `GET /tender/feed`: the tenders one could bid on since a few days ago, by keyword.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    catalog::{
        feed::{self, ValueBasis},
        generation::Generation,
        market::worth,
    },
    engine::Deadline,
    http::{
        Call, Reply, Work,
        error::ApiError,
        handlers::{profile::raw, search::link},
        openapi::bodies,
        params::{
            self,
            feed::{FeedParams, TABLE},
            next_query,
            resolve::limit_applied,
        },
    },
    model::date::Date,
};

/// A page of tenders that are open, new and about one of the keywords, the newest first.
#[derive(Serialize, JsonSchema)]
pub struct Feed<'a> {
    /// Tenders in this page.
    count: usize,
    days_back: u64,
    /// The first day of publication that counts as new.
    #[schemars(extend("format" = "date"))]
    since: String,
    /// As they were written, each once.
    keywords: Vec<&'a str>,
    languages: Vec<&'static str>,
    results: Vec<Item<'a>>,
    /// Pass it back as `cursor` for the next page; null where no further tender exists.
    next_cursor: Option<String>,
}

/// A tender, and what makes it news.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FeedItem")]
pub struct Item<'a> {
    /// Its notice that was published last.
    #[schemars(schema_with = "bodies::tender")]
    tender: &'a RawValue,
    /// When the first of these notices was indexed; null where one was there before that was remembered.
    #[schemars(extend("format" = "date-time"))]
    first_seen_at: Option<&'a str>,
    /// The `record_id`s of its other notices.
    duplicates: &'a [String],
    /// Null where the notice names no closing day.
    days_until_closing: Option<i32>,
    /// Of the notice, else of comparable contracts; Canadian dollars.
    estimated_value: Option<f64>,
    value_basis: ValueBasis,
    matched_keywords: Vec<&'a str>,
}

pub fn get(call: &Call) -> Result<Work, ApiError> {
    let said: FeedParams = params::read(TABLE, |_| None, call.query)?;
    let asked = said.resolve(call, Date::in_toronto((call.state.now)()))?;
    let normal = serde_json::to_value(asked.normal()).map_err(ApiError::internal)?;
    let (generation, query) = (call.generation.clone(), call.query.to_owned());
    let work = Work::pooled(move |deadline| {
        let question = &asked.question;
        let estimate = |ids: &[&str]| estimate(&generation, question.today, ids, &deadline);
        let (engine, latest) = (&*generation.engine, &generation.latest);
        let found = feed::find(engine, latest, question, estimate, &deadline)?;
        let notices: Vec<_> = found.tenders.iter().map(|tender| tender.notice.clone()).collect();
        let keyword = |number: &usize| question.keywords.get(*number).map(|(text, _)| text.as_str());
        let results = found.tenders.iter().zip(raw(&notices)?).map(|(tender, notice)| Item {
            tender: notice,
            first_seen_at: generation.first_seen.earliest(tender.notices()),
            duplicates: &tender.duplicates,
            days_until_closing: tender.days_until_closing,
            estimated_value: tender.value,
            value_basis: tender.basis,
            matched_keywords: tender.matched.iter().filter_map(keyword).collect(),
        });
        let next_cursor = found.next.map(|position| asked.cursor(position));
        let mut headers: Vec<_> = asked.lowered_limit.map(limit_applied).into_iter().collect();
        if let Some(cursor) = &next_cursor {
            headers.push(link("/tender/feed", &next_query(&query, cursor)?)?);
        }
        let reply = Reply::json(&Feed {
            count: found.tenders.len(),
            days_back: asked.days_back,
            since: question.since.to_string(),
            keywords: question.keywords.iter().map(|(text, _)| text.as_str()).collect(),
            languages: question.languages.iter().map(|language| language.code()).collect(),
            results: results.collect(),
            next_cursor,
        })?;
        Ok(Reply { headers, ..reply })
    })?;
    work.of_request(&normal)
}

/// What tenders are worth that state no value.
fn estimate(
    generation: &Generation,
    today: Date,
    ids: &[&str],
    deadline: &Deadline,
) -> Result<Vec<Option<f64>>, ApiError> {
    let one = |id: &&str| Ok(worth(generation, today, id, deadline)?);
    ids.par_iter().map(one).collect()
}
