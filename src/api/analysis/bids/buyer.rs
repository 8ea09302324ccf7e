//! Competition for the calls of a department or of a commodity.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bidder_group::{Group, Groups},
    competition::{CallCounter, Competition},
};
use crate::{
    catalog::{ask::Ask, bids::BidQuery},
    engine::Error,
    model::bids::Procedure,
    query::Filter,
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
    /// Of the notices that pass the filters.
    pub(crate) fn of(ask: &Ask, filters: Vec<Filter>) -> Result<CallsReceived, Error> {
        let store = &ask.generation.bids;
        let mut groups = Groups::new(&ask.generation);
        let query = BidQuery {
            filters,
            ..BidQuery::default()
        };
        let mut calls = CallCounter::default();
        // The open calls of each bidder, and whether it won one of them.
        let mut bidders: BTreeMap<Group, (u64, bool)> = BTreeMap::new();
        let visit = |notice, _: &[usize]| {
            calls.add(store, notice);
            if notice.procedure == Procedure::Open {
                let mut has_won: BTreeMap<Group, bool> = BTreeMap::new();
                for bid in &notice.bids {
                    *has_won.entry(groups.of(store.key(bid))).or_default() |= bid.won;
                }
                for (group, won) in has_won {
                    let of = bidders.entry(group).or_default();
                    *of = (of.0 + 1, of.1 || won);
                }
            }
            true
        };
        store.for_each_match(&query, 0, &*ask.generation.engine, &ask.deadline, visit)?;
        let mut losers: Vec<(Group, u64)> = bidders
            .iter()
            .filter(|(_, (_, has_won))| !has_won)
            .map(|(group, (calls, _))| (*group, *calls))
            .collect();
        losers.sort_by(|(a_group, a), (b_group, b)| b.cmp(a).then_with(|| a_group.cmp(b_group)));
        let row = |(group, calls): &(Group, u64)| NeverWon {
            vendor_name: groups.name(*group),
            calls: *calls,
        };
        Ok(CallsReceived {
            competition: calls.competition(),
            bidders: bidders.len() as u64,
            never_won: losers.len() as u64,
            top_never_won: losers.iter().take(TOP).map(row).collect(),
        })
    }
}
