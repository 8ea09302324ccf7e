//! Competition for the calls of a department or of a commodity.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bidder::CallsBidOn,
    bidder_group::{Group, Groups},
    competition::{CallCounter, Competition},
};
use crate::{
    catalog::{ask::Ask, bids::BidQuery},
    engine::Error,
    model::bids::Procedure,
};

/// Competition for calls, and who bid without winning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(
    rename = "CallsReceived",
    description = "Competition for calls, and who bid without winning"
)]
pub(crate) struct CallsReceived {
    #[serde(flatten)]
    pub(crate) competition: Competition,
    /// Bidders of the open calls; a supplier with several names is one.
    pub(crate) bidders: u64,
    /// Bidders of the open calls that won none of them.
    pub(crate) never_won: u64,
    /// The first of these, up to ten, those with most calls first.
    pub(crate) top_never_won: Vec<NeverWon>,
    /// The bidders with most open calls, up to ten.
    pub(crate) top_bidders: Vec<TopBidder>,
}

/// A bidder, and its open calls.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "TopBidder", description = "A bidder, and its open calls")]
pub(crate) struct TopBidder {
    pub(crate) vendor_name: String,
    /// Open calls that it bid on.
    pub(crate) calls: u64,
    /// Those of them that it won.
    pub(crate) won: u64,
}

/// A bidder that won nothing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "NeverWon", description = "A bidder that won none of the calls")]
pub(crate) struct NeverWon {
    pub(crate) vendor_name: String,
    /// Open calls that it bid on.
    pub(crate) calls: u64,
}

const TOP: usize = 10;

impl CallsReceived {
    /// Of the notices with a bid that matches, with all their bids.
    pub(crate) fn of(ask: &Ask, query: &BidQuery) -> Result<CallsReceived, Error> {
        let store = &ask.generation.bids;
        let mut groups = Groups::new(&ask.generation);
        let mut calls = CallCounter::default();
        let mut bidders: BTreeMap<Group, CallsBidOn> = BTreeMap::new();
        let visit = |notice, _: &[usize]| {
            calls.add(store, notice);
            if notice.procedure == Procedure::Open {
                let mut has_won: BTreeMap<Group, bool> = BTreeMap::new();
                for bid in &notice.bids {
                    *has_won.entry(groups.of(store.key(bid))).or_default() |= bid.won;
                }
                for (group, won) in has_won {
                    let of = bidders.entry(group).or_default();
                    of.calls += 1;
                    of.won += u64::from(won);
                }
            }
            true
        };
        store.for_each_match(query, 0, &*ask.generation.engine, &ask.deadline, visit)?;
        let (all, mut by_calls) = (bidders.len(), Vec::from_iter(bidders));
        by_calls.sort_by(|(a_group, a), (b_group, b)| b.calls.cmp(&a.calls).then_with(|| a_group.cmp(b_group)));
        let losers = || by_calls.iter().filter(|(_, of)| of.won == 0);
        let never_won = |(group, of): &(Group, CallsBidOn)| NeverWon {
            vendor_name: groups.name(*group),
            calls: of.calls,
        };
        let bidder = |(group, of): &(Group, CallsBidOn)| TopBidder {
            vendor_name: groups.name(*group),
            calls: of.calls,
            won: of.won,
        };
        Ok(CallsReceived {
            competition: calls.competition(),
            bidders: all as u64,
            never_won: losers().count() as u64,
            top_never_won: losers().take(TOP).map(never_won).collect(),
            top_bidders: by_calls.iter().take(TOP).map(bidder).collect(),
        })
    }
}
