//! The tenders of the feed as a file for spreadsheets: what the feed states of a tender, then the fields of its notice.

use serde_json::{Value as Json, json};

use super::feed_params::given;
use crate::{
    api::{
        analysis::tender_feed::{self, matched_keywords},
        cost,
        export::csv_rows::Rows,
        params::{feed::Feed, paging::limit_applied},
    },
    catalog::{
        feed::{FeedPage, FeedTender},
        generation::Generation,
    },
    http::{error::ApiError, search_pool::Lane, work::Work},
    model::{EntityType, Language, Schema},
    pages::{
        address::Parameters,
        page::{PageCall, Section},
        paid,
        spreadsheet::file,
    },
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
    let lang = call.lang;
    let work = Work::search(&call.generation, move |ask| {
        let found = tender_feed::find(ask, &feed)?;
        let mut reply = file::reply("tender", rows_of(lang, &ask.generation, &feed, &found.page))?;
        reply.headers.extend(found.applied_limit.map(limit_applied));
        if let Some(cursor) = &found.next_cursor {
            let link = file::next_link(&path, &parameters, "cursor", cursor)?;
            reply.headers.push(link);
        }
        Ok(reply)
    });
    call.validated(work.in_lane(Lane::Heavy).with_cost(cost), &normal_form)
}

fn rows_of(lang: Language, generation: &Generation, feed: &Feed, found: &FeedPage) -> anyhow::Result<Vec<u8>> {
    let row = |tender: &FeedTender| -> Vec<Json> {
        vec![
            json!(matched_keywords(feed, tender)),
            json!(tender.days_until_closing),
            json!(tender.value),
            json!(tender.basis),
            json!(generation.first_seen.earliest(tender.notices())),
            json!(tender.duplicates),
        ]
    };
    let tenders = found.tenders.iter();
    let rows = tenders.map(|tender| (row(tender), tender.notice.as_ref())).collect();
    Rows(lang).records_with(&COLUMNS, Schema::of(EntityType::Tender), rows)
}
