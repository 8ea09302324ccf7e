//! What a supplier bid on, how often it won, against whom, and how far it was from winning.

use crate::{
    api::analysis::bids::{
        bidder::{BidderFigures, CallsBidOn, Rival},
        pair::{Pair, Side},
    },
    catalog::{ask::Ask, generation::Generation},
    http::error::ApiError,
    model::Facet,
    pages::{messages::Texts, supplier_names::bidder_page},
};

/// The bids of a supplier, in words.
pub(super) struct BidderPart {
    /// Labels and figures.
    pub(super) facts: Vec<(String, String)>,
    pub(super) rivals: Vec<RivalRow>,
    /// How many rivals there are, if not all are listed.
    pub(super) rivals_note: Option<String>,
}

/// A supplier that was met in the same calls.
pub(super) struct RivalRow {
    pub(super) name: String,
    pub(super) href: String,
    pub(super) calls: u64,
    pub(super) won: u64,
    pub(super) won_by_rival: u64,
}

/// The names of a supplier, as bids are found by them.
pub(super) struct Bidder {
    pub(super) name: String,
    pub(super) keys: Vec<String>,
}

impl Bidder {
    /// Under one name.
    pub(super) fn named(name: &str) -> Bidder {
        Bidder {
            name: name.to_owned(),
            keys: vec![Facet::Vendor.key(name)],
        }
    }
}

impl BidderPart {
    /// `None` if publishers state no bid of it.
    pub(super) fn of(ask: &Ask, t: Texts, bidder: &Bidder) -> Result<Option<BidderPart>, ApiError> {
        if !is_bidder(&ask.generation, &bidder.keys) {
            return Ok(None);
        }
        let figures = BidderFigures::of(ask, bidder.keys.clone(), Vec::new())?;
        let listed = figures.rivals.len() as u64;
        Ok(Some(BidderPart {
            facts: facts(t, &figures),
            rivals_note: (figures.distinct_rivals > listed).then(|| {
                let count = figures.distinct_rivals;
                t.with("bidder-rivals-note", &[("listed", &listed), ("count", &count)])
            }),
            rivals: figures
                .rivals
                .iter()
                .map(|rival| row(&ask.generation, t, rival))
                .collect(),
        }))
    }
}

/// Whether publishers state a bid under one of these names.
pub(super) fn is_bidder(generation: &Generation, keys: &[String]) -> bool {
    generation.bids.notices_of(keys).next().is_some()
}

fn facts(t: Texts, figures: &BidderFigures) -> Vec<(String, String)> {
    let won_of = |calls: CallsBidOn| {
        let lost = calls.calls - calls.won;
        t.with(
            "bidder-calls",
            &[("count", &calls.calls), ("won", &calls.won), ("lost", &lost)],
        )
    };
    let mut facts = vec![(t.text("bidder-open"), won_of(figures.open_calls))];
    if let Some(rate) = figures.win_rate {
        let [share, low, high] = [rate.rate, rate.low, rate.high].map(|share| t.percent(share));
        let text = t.with("bidder-rate-of", &[("share", &share), ("low", &low), ("high", &high)]);
        facts.push((t.text("bidder-rate"), text));
    }
    if let Some(lost) = figures.lost_by {
        let (dollars, share) = (lost.median_dollars.abs(), lost.median_share.abs());
        let (dollars, share) = (t.money(dollars), t.percent(share));
        let is_below = lost.median_dollars < 0.0;
        let text = t.with(
            if is_below {
                "bidder-distance-below"
            } else {
                "bidder-distance-of"
            },
            &[("amount", &dollars), ("share", &share), ("count", &lost.calls)],
        );
        facts.push((t.text("bidder-distance"), text));
    }
    if figures.invitations.calls > 0 {
        facts.push((t.text("bidder-invitations"), won_of(figures.invitations)));
    }
    if figures.direct_awards > 0 {
        facts.push((t.text("bidder-direct"), t.count(figures.direct_awards)));
    }
    facts
}

fn row(generation: &Generation, t: Texts, rival: &Rival) -> RivalRow {
    RivalRow {
        name: rival.vendor_name.clone(),
        href: bidder_page(generation, t.language(), &rival.vendor_name),
        calls: rival.calls,
        won: rival.won,
        won_by_rival: rival.won_by_rival,
    }
}

/// The open calls that both of two suppliers bid on, in a sentence; `None` without any.
pub(super) fn head_to_head(ask: &Ask, t: Texts, a: Bidder, b: Bidder) -> Result<Option<String>, ApiError> {
    let side = |bidder: Bidder| Side {
        name: bidder.name,
        keys: bidder.keys,
    };
    let pair = Pair::of(ask, side(a), side(b))?;
    if pair.calls == 0 {
        return Ok(None);
    }
    Ok(Some(t.with(
        "bidder-pair",
        &[
            ("count", &pair.calls),
            ("first", &pair.a.vendor_name),
            ("first_won", &pair.a.won),
            ("second", &pair.b.vendor_name),
            ("second_won", &pair.b.won),
            ("others", &pair.won_by_others),
        ],
    )))
}
