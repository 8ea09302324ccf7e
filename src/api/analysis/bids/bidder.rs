//! What one supplier bid on: how often it won, against whom, and how far it was from winning.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bidder_group::{Group, Groups},
    comparison::{DollarBids, cents, rounded},
};
use crate::{
    catalog::{
        ask::Ask,
        bids::{BidQuery, BidStore, Notice, StoredBid},
        generation::Generation,
    },
    engine::{Error, aggregation::nearest_rank},
    model::{bids::Procedure, commodity::CommodityCode},
    query::Filter,
};

/// Calls that a supplier bid on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CallsBidOn", description = "Calls that a supplier bid on")]
pub(crate) struct CallsBidOn {
    /// A call with lots, and several bids on one call, count once.
    pub(crate) calls: u64,
    /// Calls of which it won at least a part.
    pub(crate) won: u64,
}

/// The share of calls won.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(
    rename = "WinRate",
    description = "The share of calls won, with the 95 % interval of Wilson, from 0 to 1"
)]
pub(crate) struct WinRate {
    pub(crate) rate: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The calls of one year, department or commodity class.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CallsBy", description = "The calls of one year, department or commodity")]
pub(crate) struct CallsBy {
    pub(crate) value: String,
    #[serde(flatten)]
    pub(crate) calls: CallsBidOn,
}

/// A bidder met in the same calls.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Rival", description = "Another bidder, met in the same calls")]
pub(crate) struct Rival {
    /// Of a supplier with several names, the chosen one.
    pub(crate) vendor_name: String,
    /// The identifier of the supplier that it is; null if its name belongs to none.
    pub(crate) supplier_id: Option<String>,
    /// Calls that both bid on.
    pub(crate) calls: u64,
    /// Calls in common that the rival won.
    pub(crate) won_by_rival: u64,
    /// Calls in common that this supplier won.
    pub(crate) won: u64,
}

/// How far a supplier was from winning, where it lost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(
    rename = "LostBy",
    description = "How far the bids that lost were above the lowest that won; half of them were at most so far"
)]
pub(crate) struct LostBy {
    /// Calls without lots that it lost, with both amounts in dollars; bids stated as not admissible or not conforming
    /// are left out.
    pub(crate) calls: u64,
    /// In dollars; negative where a lower bid lost.
    pub(crate) median_dollars: f64,
    /// As a share of the bid that won.
    pub(crate) median_share: f64,
}

/// The bids of one supplier.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(
    rename = "BidderFigures",
    description = "The bids of one supplier, where publishers state bidders. Rates, years, departments, classes and rivals are of open calls"
)]
pub(crate) struct BidderFigures {
    pub(crate) open_calls: CallsBidOn,
    /// Null without an open call.
    pub(crate) win_rate: Option<WinRate>,
    /// Many list the winner only, so they are not comparable with open calls.
    pub(crate) invitations: CallsBidOn,
    /// Contracts without competition.
    pub(crate) direct_awards: u64,
    /// The oldest year first.
    pub(crate) by_year: Vec<CallsBy>,
    /// Up to ten, those with most calls first.
    pub(crate) by_department: Vec<CallsBy>,
    /// Commodity classes, up to ten, those with most calls first.
    pub(crate) by_class: Vec<CallsBy>,
    /// Up to twenty, those met most often first.
    pub(crate) rivals: Vec<Rival>,
    /// Number of all rivals.
    pub(crate) distinct_rivals: u64,
    pub(crate) lost_by: Option<LostBy>,
}

const TOP: usize = 10;
const TOP_RIVALS: usize = 20;

/// The level of a commodity code that calls are counted by; the highest is 1.
const CLASS: usize = 3;

impl BidderFigures {
    /// Of the bids under some names, on notices that pass the filters.
    pub(crate) fn of(ask: &Ask, keys: Vec<String>, filters: Vec<Filter>) -> Result<BidderFigures, Error> {
        let generation = &ask.generation;
        let store = &generation.bids;
        let mut query = BidQuery::of_bidder(keys.clone());
        query.filters.extend(filters);
        let mut counter = Counter::new(generation, &keys);
        let visit = |notice, bids: &[usize]| {
            counter.add(notice, bids);
            true
        };
        store.for_each_match(&query, 0, &*ask.generation.engine, &ask.deadline, visit)?;
        Ok(counter.figures())
    }
}

impl CallsBidOn {
    /// The open calls with a bid under one of some names.
    pub(crate) fn open(store: &BidStore, keys: &[String]) -> CallsBidOn {
        let mut calls = CallsBidOn::default();
        let is_open = |notice: &&Notice| notice.procedure == Procedure::Open;
        for notice in store.notices_of(keys).filter(is_open) {
            let has_won = |bid: &StoredBid| bid.won && keys.iter().any(|key| key == store.key(bid));
            calls.add(notice.bids.iter().any(has_won));
        }
        calls
    }

    fn add(&mut self, has_won: bool) {
        self.calls += 1;
        self.won += u64::from(has_won);
    }
}

impl WinRate {
    /// Wilson, "Probable inference", 1927: the interval of a share that is right for few calls, too.
    pub(crate) fn of(calls: CallsBidOn) -> Option<WinRate> {
        /// Of the normal distribution, for 95 %.
        const Z: f64 = 1.959_963_985;
        let count = calls.calls as f64;
        let rate = calls.won as f64 / count;
        let middle = rate + Z * Z / (2.0 * count);
        let half = Z * (rate * (1.0 - rate) / count + Z * Z / (4.0 * count * count)).sqrt();
        let whole = 1.0 + Z * Z / count;
        (calls.calls > 0).then(|| WinRate {
            rate: rounded(rate),
            low: rounded(((middle - half) / whole).max(0.0)),
            high: rounded(((middle + half) / whole).min(1.0)),
        })
    }
}

/// A rival while it is counted.
#[derive(Default)]
struct Met {
    calls: u64,
    won_by_rival: u64,
    won: u64,
}

/// Collects the calls of a supplier.
struct Counter<'s> {
    store: &'s BidStore,
    keys: BTreeSet<&'s str>,
    groups: Groups<'s>,
    /// Who the supplier is: another spelling of it is no rival.
    own: BTreeSet<Group<'s>>,
    open: CallsBidOn,
    invitations: CallsBidOn,
    direct_awards: u64,
    years: BTreeMap<String, CallsBidOn>,
    departments: BTreeMap<String, CallsBidOn>,
    classes: BTreeMap<String, CallsBidOn>,
    rivals: BTreeMap<Group<'s>, Met>,
    /// In dollars, and as a share of the winner's bid.
    distances: Vec<(f64, f64)>,
}

impl<'s> Counter<'s> {
    fn new(generation: &'s Generation, keys: &'s [String]) -> Counter<'s> {
        let mut groups = Groups::new(generation);
        let keys: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
        Counter {
            store: &generation.bids,
            own: keys.iter().map(|key| groups.of(key)).collect(),
            keys,
            groups,
            open: CallsBidOn::default(),
            invitations: CallsBidOn::default(),
            direct_awards: 0,
            years: BTreeMap::new(),
            departments: BTreeMap::new(),
            classes: BTreeMap::new(),
            rivals: BTreeMap::new(),
            distances: Vec::new(),
        }
    }

    /// `bids` are those of the supplier.
    fn add(&mut self, notice: &'s Notice, bids: &[usize]) {
        let has_won = bids.iter().any(|bid| notice.bids[*bid].won);
        match notice.procedure {
            Procedure::Open => self.add_open(notice, bids, has_won),
            Procedure::Invitation => self.invitations.add(has_won),
            Procedure::Direct => self.direct_awards += 1,
            Procedure::Other => {}
        }
    }

    fn add_open(&mut self, notice: &'s Notice, bids: &[usize], has_won: bool) {
        self.open.add(has_won);
        if let Some(day) = notice.date {
            self.years.entry(day.year().to_string()).or_default().add(has_won);
        }
        if let Some(buyer) = self.store.text(notice.buyer) {
            self.departments.entry(buyer.to_owned()).or_default().add(has_won);
        }
        for class in classes(self.store, notice) {
            self.classes.entry(class).or_default().add(has_won);
        }
        for (rival, rival_won) in self.rivals_of(notice) {
            let met = self.rivals.entry(rival).or_default();
            met.calls += 1;
            met.won_by_rival += u64::from(rival_won);
            met.won += u64::from(has_won);
        }
        if !has_won && !self.store.has_lots(notice) {
            let own = bids.iter().map(|bid| &notice.bids[*bid]);
            // The price did not decide about a bid that was rejected.
            let is_rejected = |bid: &&StoredBid| bid.admissible == Some(false) || bid.conforming == Some(false);
            let own = own
                .filter(|bid| !is_rejected(bid))
                .find_map(|bid| self.store.dollars(bid));
            let winner = DollarBids::of(self.store, notice).winner;
            let distance = own.zip(winner).map(|(own, winner)| (own - winner, own / winner - 1.0));
            self.distances.extend(distance);
        }
    }

    /// The other bidders of a notice, and whether each won.
    fn rivals_of(&mut self, notice: &'s Notice) -> BTreeMap<Group<'s>, bool> {
        let mut found = BTreeMap::new();
        for bid in &notice.bids {
            let key = self.store.key(bid);
            let group = self.groups.of(key);
            if !self.keys.contains(key) && !self.own.contains(&group) {
                *found.entry(group).or_default() |= bid.won;
            }
        }
        found
    }

    fn figures(self) -> BidderFigures {
        let groups = self.groups;
        let distinct_rivals = self.rivals.len() as u64;
        let mut met: Vec<(Group, Met)> = self.rivals.into_iter().collect();
        met.sort_by(|(a_group, a), (b_group, b)| b.calls.cmp(&a.calls).then_with(|| a_group.cmp(b_group)));
        met.truncate(TOP_RIVALS);
        let rival = |(group, met): (Group, Met)| Rival {
            vendor_name: groups.name(group),
            supplier_id: groups.supplier_id(group),
            calls: met.calls,
            won_by_rival: met.won_by_rival,
            won: met.won,
        };
        BidderFigures {
            open_calls: self.open,
            win_rate: WinRate::of(self.open),
            invitations: self.invitations,
            direct_awards: self.direct_awards,
            by_year: rows(self.years),
            by_department: largest(self.departments),
            by_class: largest(self.classes),
            rivals: met.into_iter().map(rival).collect(),
            distinct_rivals,
            lost_by: lost_by(self.distances),
        }
    }
}

/// The commodity classes of a notice; of a code above that level, the code.
fn classes(store: &BidStore, notice: &Notice) -> BTreeSet<String> {
    let keys = notice.commodity.iter().filter_map(|number| store.text(Some(*number)));
    let codes = keys.filter_map(CommodityCode::of_key);
    codes
        .map(|code| {
            let above = code.ancestors().into_iter().find(|above| above.level() == CLASS);
            above.unwrap_or(code).key().to_owned()
        })
        .collect()
}

fn rows(calls: BTreeMap<String, CallsBidOn>) -> Vec<CallsBy> {
    let row = |(value, calls)| CallsBy { value, calls };
    calls.into_iter().map(row).collect()
}

fn largest(calls: BTreeMap<String, CallsBidOn>) -> Vec<CallsBy> {
    let mut rows = rows(calls);
    // Stable: equal numbers stay in the order of their values.
    rows.sort_by_key(|row| Reverse(row.calls.calls));
    rows.truncate(TOP);
    rows
}

fn lost_by(mut distances: Vec<(f64, f64)>) -> Option<LostBy> {
    let middle = (!distances.is_empty()).then(|| nearest_rank(50, distances.len()))?;
    distances.sort_by(|a, b| a.0.total_cmp(&b.0));
    let median_dollars = cents(distances[middle].0);
    distances.sort_by(|a, b| a.1.total_cmp(&b.1));
    Some(LostBy {
        calls: distances.len() as u64,
        median_dollars,
        median_share: rounded(distances[middle].1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_win_rate_is_that_of_wilson() {
        let of = |won, calls| WinRate::of(CallsBidOn { calls, won });
        assert_eq!(of(0, 0), None);
        // As published tables have it: 1 of 10 is 0.1, from 0.0179 to 0.4042.
        let rate = of(1, 10).unwrap();
        assert_eq!((rate.rate, rate.low, rate.high), (0.1, 0.017876, 0.404150));
        let none = of(0, 5).unwrap();
        assert_eq!((none.rate, none.low), (0.0, 0.0));
        let all = of(5, 5).unwrap();
        assert_eq!((all.rate, all.high), (1.0, 1.0));
    }

    #[test]
    fn the_median_of_distances_is_one_of_them() {
        assert_eq!(lost_by(Vec::new()), None);
        let lost = lost_by(vec![(300.0, 0.1), (100.0, 0.5), (200.0, 0.3)]).unwrap();
        assert_eq!((lost.calls, lost.median_dollars, lost.median_share), (3, 200.0, 0.3));
    }
}
