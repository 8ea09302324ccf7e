//! Statistics of the bids that match a search.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::competition::{CallCounter, Competition};
use crate::{
    catalog::bids::{BidStore, Notice},
    engine::aggregation::{Money, nearest_rank},
};

/// Figures over all bids that match.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(description = "Figures over all bids that match; a bid that its notice lists twice counts once")]
pub(crate) struct BidStatistics {
    bids: u64,
    /// Notices with a bid that matches.
    notices: u64,
    bidders: u64,
    bids_won: u64,
    /// Bids with an amount in dollars; the amounts below are theirs.
    bids_in_dollars: u64,
    total_amount: Money,
    lowest_amount: Option<f64>,
    median_amount: Option<f64>,
    highest_amount: Option<f64>,
    /// Of the notices with a bid that matches, with all their bidders.
    competition: Competition,
}

/// Counts notice by notice.
#[derive(Default)]
pub(super) struct StatisticsCounter {
    bids: u64,
    won: u64,
    bidders: BTreeSet<String>,
    amounts: Vec<f64>,
    calls: CallCounter,
    notices: u64,
}

impl StatisticsCounter {
    pub(super) fn add(&mut self, store: &BidStore, notice: &Notice, bids: &[usize]) {
        self.notices += 1;
        self.calls.add(store, notice);
        let mut known = BTreeSet::new();
        let bids = bids.iter().filter_map(|number| notice.bids.get(*number));
        for bid in bids.filter(|bid| known.insert(store.identity(bid))) {
            self.bids += 1;
            self.won += u64::from(bid.won);
            let key = store.key(bid);
            if !self.bidders.contains(key) {
                self.bidders.insert(key.to_owned());
            }
            self.amounts.extend(store.dollars(bid));
        }
    }

    pub(super) fn statistics(mut self) -> BidStatistics {
        self.amounts.sort_by(f64::total_cmp);
        let count = self.amounts.len();
        BidStatistics {
            bids: self.bids,
            notices: self.notices,
            bidders: self.bidders.len() as u64,
            bids_won: self.won,
            bids_in_dollars: count as u64,
            total_amount: Money::of(self.amounts.iter().sum()),
            lowest_amount: self.amounts.first().copied(),
            median_amount: (count > 0).then(|| self.amounts[nearest_rank(50, count)]),
            highest_amount: self.amounts.last().copied(),
            competition: self.calls.competition(),
        }
    }
}
