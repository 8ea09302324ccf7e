//! By how much amendments changed the value of the contracts that an answer counts: many lower it.

use bytes::Bytes;

use crate::{
    catalog::ask::Ask,
    engine::{Error, market_counts::MarketCounts},
    http::error::ApiError,
    model::{Record, Schema},
    pages::{
        market_figures::signed_percent,
        messages::Texts,
        search::{context::SearchContext, search_address::SearchAddress, split::Split},
    },
    query::{Page, SearchQuery, Start},
};

pub(super) fn is_of_amended(asked: &SearchAddress) -> bool {
    asked.value("amended") == Some("true")
}

/// Of more records than this, the largest increases are not looked for.
const MAX_READ: u64 = 2_000;

/// How many records are read at once.
const READ_AT_ONCE: usize = 500;

/// What reading them is charged as.
const SCANS_OF_INCREASES: usize = (MAX_READ as usize).div_ceil(READ_AT_ONCE);

/// The `shown` records of a search for amended contracts whose values rose the most, in Canadian dollars, if the words
/// ask for these: the largest increase first; and how many rose. `None` for other words, and for too many records.
pub(super) fn largest_increases(
    context: &SearchContext,
    (query, total): (&SearchQuery, u64),
    shown: usize,
) -> Result<Option<(Vec<Bytes>, usize)>, ApiError> {
    let (ask, asked) = (context.ask, context.asked);
    if !is_of_amended(asked) || total > MAX_READ || !context.asks.increases {
        return Ok(None);
    }
    let schema = Schema::of(asked.entity_type);
    let mut all = Vec::new();
    for from in (0..total as usize).step_by(READ_AT_ONCE) {
        let page = Page {
            limit: READ_AT_ONCE,
            start: Start::Offset(from),
        };
        let records = match ask.search(query, &page) {
            Err(Error::Timeout) => return Ok(None),
            hits => hits?.records,
        };
        for bytes in records {
            let record = Record::parse(schema, &bytes).map_err(|error| ApiError::internal(format!("{error:?}")))?;
            let increase = record.dollars().zip(record.original_value());
            all.extend(increase.map(|(now, before)| (now - before, bytes)));
        }
    }
    all.retain(|(increase, _)| *increase > 0.0);
    all.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let risen = all.len();
    let first = all.into_iter().take(shown).map(|(_, bytes)| bytes).collect();
    Ok((risen > 0).then_some((first, risen)))
}

/// How often the records of an answer are scanned for it.
pub(super) fn scans(splits: &[Split]) -> usize {
    let has_amended = splits.iter().any(|split| is_of_amended(&split.asked));
    if has_amended {
        MarketCounts::SCANS + SCANS_OF_INCREASES
    } else {
        0
    }
}

/// That the days of a search for amended contracts are not those of the amendments.
pub(super) fn days_of_contracts(t: Texts, asked: &SearchAddress) -> Option<String> {
    let has_days = ["issued_after", "issued_before"]
        .iter()
        .any(|name| asked.value(name).is_some());
    (has_days && is_of_amended(asked)).then(|| t.text("search-amended-days"))
}

/// Their values before amendments and now. `None` for a search of others, if no record states both, and if counting
/// takes too long.
pub(super) fn growth(ask: &Ask, t: Texts, asked: &SearchAddress, query: &SearchQuery) -> Result<Option<String>, Error> {
    if !is_of_amended(asked) {
        return Ok(None);
    }
    let growth = match ask.generation.engine.market(query, ask.deadline.clone()) {
        Err(Error::Timeout) => return Ok(None),
        counts => counts?.growth,
    };
    let (original, current) = (growth.original.dollars(), growth.current.dollars());
    let sentence = || {
        let change = signed_percent(t, (current - original) / original);
        let (before, now) = (t.money_rounded(original), t.money_rounded(current));
        t.with(
            "search-growth",
            &[
                ("records", &growth.records),
                ("before", &before),
                ("now", &now),
                ("change", &change),
            ],
        )
    };
    Ok((growth.records > 0 && original > 0.0).then(sentence))
}
