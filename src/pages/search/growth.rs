//! By how much amendments changed the value of the contracts that an answer counts: many lower it.

use crate::{
    catalog::ask::Ask,
    engine::{Error, market_counts::MarketCounts},
    pages::{
        market_figures::signed_percent,
        messages::Texts,
        search::{search_address::SearchAddress, split::Split},
    },
    query::SearchQuery,
};

fn is_of_amended(asked: &SearchAddress) -> bool {
    asked.value("amended") == Some("true")
}

/// How often the records of an answer are scanned for it.
pub(super) fn scans(splits: &[Split]) -> usize {
    let has_amended = splits.iter().any(|split| is_of_amended(&split.asked));
    if has_amended { MarketCounts::SCANS } else { 0 }
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
