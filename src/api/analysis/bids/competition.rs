//! How many bidders calls have.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::bidder::{CallsBidOn, WinRate};
use crate::{
    catalog::bids::{BidStore, Notice},
    engine::aggregation::nearest_rank,
    model::bids::Procedure,
};

/// The bidders of calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "The bidders of calls that list them")]
pub(crate) struct CallFigures {
    pub(crate) calls: u64,
    /// Half of the calls have at most so many bidders.
    pub(crate) median_bidders: Option<u64>,
    /// The mean of their bidders, rounded to two decimals.
    pub(crate) mean_bidders: Option<f64>,
    pub(crate) calls_with_one_bidder: u64,
    /// As a share of the calls, from 0 to 1.
    pub(crate) share_with_one_bidder: Option<f64>,
    /// The 95 % interval of Wilson of that share.
    pub(crate) share_with_one_bidder_low: Option<f64>,
    pub(crate) share_with_one_bidder_high: Option<f64>,
    /// Calls that no bidder won.
    pub(crate) calls_without_winner: u64,
}

/// The calls of a year.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct YearOfCalls {
    pub(crate) year: i32,
    #[serde(flatten)]
    pub(crate) figures: CallFigures,
}

/// Competition for the calls of some notices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "Competition, where the publisher states bidders. Direct awards are no competition")]
pub(crate) struct Competition {
    /// Notices that list bidders.
    pub(crate) notices: u64,
    pub(crate) open_calls: CallFigures,
    /// Many list the winner only, so they are not comparable with open calls.
    pub(crate) invitations: CallFigures,
    pub(crate) direct_awards: u64,
    /// Of open calls, the oldest year first.
    pub(crate) by_year: Vec<YearOfCalls>,
}

/// Collects the notices that competition is computed from.
#[derive(Default)]
pub(crate) struct CallCounter {
    notices: u64,
    direct_awards: u64,
    open: Calls,
    invitations: Calls,
    by_year: BTreeMap<i32, Calls>,
}

#[derive(Default)]
struct Calls {
    bidders: Vec<u64>,
    without_winner: u64,
}

impl Calls {
    fn add(&mut self, store: &BidStore, notice: &Notice) {
        self.bidders.push(store.bidders(notice) as u64);
        self.without_winner += u64::from(!notice.bids.iter().any(|bid| bid.won));
    }

    fn figures(mut self) -> CallFigures {
        self.bidders.sort_unstable();
        let calls = self.bidders.len();
        let all: u64 = self.bidders.iter().sum();
        let with_one = self.bidders.partition_point(|bidders| *bidders <= 1) as u64;
        let share = WinRate::of(CallsBidOn {
            calls: calls as u64,
            won: with_one,
        });
        CallFigures {
            calls: calls as u64,
            median_bidders: (calls > 0).then(|| self.bidders[nearest_rank(50, calls)]),
            mean_bidders: (calls > 0).then(|| (all as f64 / calls as f64 * 100.0).round() / 100.0),
            calls_with_one_bidder: with_one,
            share_with_one_bidder: share.map(|share| share.rate),
            share_with_one_bidder_low: share.map(|share| share.low),
            share_with_one_bidder_high: share.map(|share| share.high),
            calls_without_winner: self.without_winner,
        }
    }
}

impl CallCounter {
    pub(crate) fn add(&mut self, store: &BidStore, notice: &Notice) {
        self.notices += 1;
        match notice.procedure {
            Procedure::Open => {
                self.open.add(store, notice);
                if let Some(day) = notice.date {
                    self.by_year.entry(day.year()).or_default().add(store, notice);
                }
            }
            Procedure::Invitation => self.invitations.add(store, notice),
            Procedure::Direct => self.direct_awards += 1,
            Procedure::Other => {}
        }
    }

    pub(crate) fn competition(self) -> Competition {
        let year = |(year, calls): (i32, Calls)| YearOfCalls {
            year,
            figures: calls.figures(),
        };
        Competition {
            notices: self.notices,
            open_calls: self.open.figures(),
            invitations: self.invitations.figures(),
            direct_awards: self.direct_awards,
            by_year: self.by_year.into_iter().map(year).collect(),
        }
    }
}
