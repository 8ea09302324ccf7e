//! The tenders of the feed as a file for spreadsheets: what the feed states of a tender, then the fields of its notice.

use serde_json::{Value as Json, json};

use super::given::given;
use crate::{
    catalog::feed::{self, FeedPage, FeedTender},
    catalog::generation::Generation,
    http::{
        cost,
        error::ApiError,
        explorer::{
            address::Parameters,
            page::{PageCall, Section},
            paid,
            spreadsheet::{file, rows},
        },
        handlers::feed::ValuesInTime,
        params::{feed::Feed, paging::limit_applied},
        search_pool::Lane,
        work::Work,
    },
    model::{EntityType, Schema},
};

/// The tenders of a file, if the address does not state another number: as many as a single request may have.
const TENDERS: u64 = 50;

/// What the feed states of a tender.
const COLUMNS: [&str; 6] = [
    "matched_keywords",
    "days_until_closing",
    "estimated_value",
    "value_basis",
    "first_seen_at",
    "duplicates",
];

pub(super) fn tenders(call: &PageCall) -> Result<Work, ApiError> {
    if !call.plan_limits.paid {
        return paid::page(call, Section::Feed, "feed");
    }
    let feed = given(call, TENDERS)?.resolve(&call.as_api_call(call.query), call.today)?;
    let normal_form = serde_json::to_value(("feed.csv", feed.normal_form(), call.query)).map_err(ApiError::internal)?;
    let cost = cost::of_feed(&call.generation, &feed.query);
    let (path, parameters) = (call.path.to_owned(), Parameters::parse(call.query)?);
    let generation = call.generation.clone();
    let work = Work::search(move |deadline| {
        let values = ValuesInTime::new(&generation, feed.query.today, &deadline);
        let latest = &generation.newest_statuses;
        let found = feed::find(&*generation.engine, latest, &feed.query, &values, &deadline)?;
        let mut reply = file::reply("tender", rows_of(&generation, &feed, &found))?;
        let applied = if found.is_cut {
            Some(found.tenders.len() as u64)
        } else {
            feed.lowered_limit
        };
        reply.headers.extend(applied.map(limit_applied));
        if let Some(position) = found.next.clone() {
            let link = file::next_link(&path, &parameters, "cursor", &feed.cursor(position)?)?;
            reply.headers.push(link);
        }
        Ok(reply)
    });
    call.validated(work.in_lane(Lane::Heavy).with_cost(cost), &normal_form)
}

fn rows_of(generation: &Generation, feed: &Feed, found: &FeedPage) -> anyhow::Result<Vec<u8>> {
    let row = |tender: &FeedTender| -> Vec<Json> {
        let keyword = |number: &usize| feed.query.keywords.get(*number).map(|(text, _)| text.as_str());
        let keywords: Vec<&str> = tender.matched.iter().filter_map(keyword).collect();
        vec![
            json!(keywords),
            json!(tender.days_until_closing),
            json!(tender.value),
            json!(tender.basis),
            json!(generation.first_seen.earliest(tender.notices())),
            json!(tender.duplicates),
        ]
    };
    let tenders = found.tenders.iter();
    let rows = tenders.map(|tender| (row(tender), tender.notice.as_ref())).collect();
    rows::records_with(&COLUMNS, Schema::of(EntityType::Tender), rows)
}
