//! How many bids contracts had, by what their own records state, for words that ask for it: "average number of bids for
//! federal contracts". No source of bids has the calls of federal bodies.

use crate::{
    engine::{Error, market_counts::MarketCounts},
    model::EntityType,
    pages::{
        format::decimal,
        search::{context::SearchContext, meanings::Meaning, split::Split},
    },
    question::entity_types::CONTRACT_TYPES,
};

/// What it scans: each entity type of contracts, and how often.
pub(super) fn scans() -> impl Iterator<Item = (EntityType, usize)> {
    CONTRACT_TYPES.iter().map(|of| (*of, 1 + MarketCounts::SCANS))
}

/// How often the words are searched for.
pub(super) const SEARCHES: usize = 2 * CONTRACT_TYPES.len();

/// The search for the contracts that a part of a question is about, with the numbers of bids that they have, of the
/// entity type that states most of them. `None` if no record has one, and if counting takes too long.
pub(super) fn stated_bids(context: &SearchContext, text: &str) -> Result<Option<Meaning>, Error> {
    match of_types(context, text) {
        Err(Error::Timeout) => Ok(None),
        found => found,
    }
}

fn of_types(context: &SearchContext, text: &str) -> Result<Option<Meaning>, Error> {
    let (ask, t) = (context.ask, context.t);
    let mut best: Option<(u64, Split, MarketCounts)> = None;
    for of in CONTRACT_TYPES {
        let (asked, has_all) = context.asked.dropping(&["q"]).of_other(*of);
        let split = Split::of_part(&asked, text, (&ask.generation, context.today), (true, true));
        let Some(split) = split.filter(|_| has_all) else {
            continue;
        };
        let counts = ask.generation.engine.market(&split.query, ask.deadline.clone())?;
        let stated = counts.bids.values().sum();
        if stated > best.as_ref().map_or(0, |(most, ..)| *most) {
            best = Some((stated, split, counts));
        }
    }
    let Some((stated, split, counts)) = best else {
        return Ok(None);
    };
    let records = ask.count(&split.query)?;
    let name = split.asked.entity_type.name();
    let kind = t.keyed("sources-row-kind-", name);
    let bids: u64 = counts
        .bids
        .iter()
        .map(|(bids, records)| u64::from(*bids) * records)
        .sum();
    let mean = decimal(t.language(), bids as f64 / stated as f64, 1);
    let with_one = counts.bids.get(&1).copied().unwrap_or_default();
    let with_one = t.with(
        "search-stated-bids-one",
        &[
            ("count", &with_one),
            ("share", &t.percent(with_one as f64 / stated as f64)),
        ],
    );
    let median = counts.median_bids().unwrap_or_default();
    Ok(Some(Meaning {
        label: t.with("search-stated-bids", &[("name", &split.label(&split.words))]),
        count: t.with(
            "search-stated-bids-figures",
            &[
                ("stated", &stated),
                ("records", &records),
                ("kind", &kind),
                ("median", &median),
                ("mean", &mean),
                ("one", &with_one),
            ],
        ),
        what: t.keyed_with("search-records-", name, &[("count", &records)]),
        href: split.asked.address_as_ranked(),
        ..Meaning::default()
    }))
}
