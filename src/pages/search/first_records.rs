//! The first records of an answer: a question about the largest contract, or the newest, asks for one.

use crate::{
    engine::Error,
    http::error::ApiError,
    model::{Role, Schema},
    pages::search::{
        context::SearchContext,
        highlight::Highlighter,
        hits::{Hit, HitWriter, date_label},
        sort_links::sort_links,
    },
    query::{Page, SearchQuery, Start},
};

/// The maximum number of records shown.
const SHOWN: usize = 3;

/// The first records of a search, in its order.
pub(super) struct FirstRecords {
    /// The order in words: "Highest value first".
    pub(super) order: String,
    /// Whether the words ask for this order.
    pub(super) is_asked: bool,
    pub(super) hits: Vec<Hit>,
    /// The message for the date of a hit.
    pub(super) date_label: &'static str,
    pub(super) has_values: bool,
    /// The link to all of them, if there are more.
    pub(super) all: Option<String>,
}

/// The first of `total` records; `context` has the search as it is asked. `None` without any, and if finding them takes
/// too long.
pub(super) fn first_records(
    context: &SearchContext,
    query: &SearchQuery,
    total: u64,
) -> Result<Option<FirstRecords>, ApiError> {
    let page = Page {
        limit: SHOWN,
        start: Start::Offset(0),
    };
    let records = match context.ask.search(query, &page) {
        Err(Error::Timeout) => return Ok(None),
        hits => hits?.records,
    };
    let (t, asked) = (context.t, context.asked);
    let highlighter = Highlighter::of(query.text.as_ref());
    let writer = HitWriter {
        context,
        highlighter: &highlighter,
    };
    let hits: Vec<Hit> = records
        .iter()
        .map(|record| writer.hit(record))
        .collect::<Result<_, _>>()?;
    let orders = sort_links(asked, query.sort);
    let order = orders.iter().find(|order| order.is_active);
    Ok((!hits.is_empty()).then(|| FirstRecords {
        order: order.map_or_else(String::new, |order| t.keyed("search-sort-", order.name)),
        is_asked: asked.value("sort_by").is_some(),
        date_label: date_label(asked.entity_type),
        has_values: Schema::of(asked.entity_type).has_role(Role::Value),
        all: (total > hits.len() as u64).then(|| t.with("search-answer-all", &[("count", &total)])),
        hits,
    }))
}
