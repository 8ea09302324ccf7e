//! Two suppliers, head to head: the calls that both bid on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::comparison::{cents, rounded};
use crate::{
    catalog::{
        ask::Ask,
        bids::{BidQuery, BidStore, Notice, StoredBid},
        suppliers::Supplier,
    },
    engine::{Error, aggregation::nearest_rank},
    model::{Date, Facet, bids::Procedure},
};

/// The names of one of two suppliers, as `a` and `b` name it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side {
    pub(crate) name: String,
    pub(crate) keys: Vec<String>,
}

impl Side {
    /// Under one name.
    pub(crate) fn named(name: &str) -> Side {
        Side {
            name: name.to_owned(),
            keys: vec![Facet::Vendor.key(name)],
        }
    }

    /// Under all names of a supplier.
    pub(crate) fn of(supplier: &Supplier) -> Side {
        Side {
            name: supplier.name.clone(),
            keys: supplier.keys(),
        }
    }
}

/// One of two suppliers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(
    rename = "PairSide",
    description = "One of two suppliers, in the open calls that both bid on"
)]
pub(crate) struct PairSide {
    pub(crate) vendor_name: String,
    /// Number of names that are taken as this supplier.
    pub(crate) names: usize,
    /// Calls in common that it won.
    pub(crate) won: u64,
    /// Calls in common without lots in which its bid was the lower of the two, in dollars.
    pub(crate) lower: u64,
}

/// The calls in common of a year.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PairYear", description = "The open calls of a year that both bid on")]
pub(crate) struct PairYear {
    pub(crate) year: i32,
    pub(crate) calls: u64,
    pub(crate) won_by_a: u64,
    pub(crate) won_by_b: u64,
}

/// A call that both bid on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PairCall", description = "An open call that both bid on")]
pub(crate) struct PairCall {
    /// That of the tender.
    pub(crate) record_id: String,
    #[schemars(extend("format" = "date"))]
    pub(crate) date: Option<String>,
    pub(crate) department: Option<String>,
    /// The lowest bid in dollars; null with lots.
    pub(crate) amount_of_a: Option<f64>,
    /// The lowest bid in dollars; null with lots.
    pub(crate) amount_of_b: Option<f64>,
    pub(crate) won_by_a: bool,
    pub(crate) won_by_b: bool,
    /// Whether the amounts are prices of different things.
    pub(crate) has_lots: bool,
}

/// Two suppliers in the open calls that both bid on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(
    rename = "BidPair",
    description = "Two suppliers, head to head. Invitations and direct awards are no part of the figures"
)]
pub(crate) struct Pair {
    pub(crate) a: PairSide,
    pub(crate) b: PairSide,
    /// Open calls that both bid on.
    pub(crate) calls: u64,
    /// Of these, calls that neither won.
    pub(crate) won_by_others: u64,
    /// The difference of the two bids as a share of the lower one; half of the calls have at most this.
    pub(crate) median_difference: Option<f64>,
    /// The oldest year first.
    pub(crate) by_year: Vec<PairYear>,
    /// The newest calls, up to 50.
    pub(crate) results: Vec<PairCall>,
}

/// The maximum number of calls that are listed.
const MAX_CALLS: usize = 50;

/// Collects the calls in common.
struct Counter<'s> {
    store: &'s BidStore,
    pair: Pair,
    years: BTreeMap<i32, PairYear>,
    differences: Vec<f64>,
}

impl Pair {
    pub(crate) fn of(ask: &Ask, a: Side, b: Side) -> Result<Pair, Error> {
        let store = &ask.generation.bids;
        let side = |of: &Side| PairSide {
            vendor_name: of.name.clone(),
            names: of.keys.len(),
            won: 0,
            lower: 0,
        };
        let mut counter = Counter {
            store,
            pair: Pair {
                a: side(&a),
                b: side(&b),
                calls: 0,
                won_by_others: 0,
                median_difference: None,
                by_year: Vec::new(),
                results: Vec::new(),
            },
            years: BTreeMap::new(),
            differences: Vec::new(),
        };
        let query = BidQuery {
            procedure: Some(Procedure::Open),
            ..BidQuery::of_bidder(a.keys)
        };
        let visit = |notice: &Notice, bids: &[usize]| {
            let of_b: Vec<&StoredBid> = notice
                .bids
                .iter()
                .filter(|bid| b.keys.iter().any(|key| key == store.key(bid)))
                .collect();
            if !of_b.is_empty() {
                let of_a: Vec<&StoredBid> = bids.iter().map(|bid| &notice.bids[*bid]).collect();
                counter.add(notice, &of_a, &of_b);
            }
            true
        };
        store.for_each_match(&query, 0, &*ask.generation.engine, &ask.deadline, visit)?;
        Ok(counter.pair())
    }
}

impl Counter<'_> {
    fn add(&mut self, notice: &Notice, of_a: &[&StoredBid], of_b: &[&StoredBid]) {
        let store = self.store;
        let has_lots = store.has_lots(notice);
        // By amount, so the first in dollars is the lowest. With lots, amounts are not prices of the same thing.
        let amount = |bids: &[&StoredBid]| {
            let lowest = bids.iter().find_map(|bid| store.dollars(bid));
            lowest.filter(|_| !has_lots).map(cents)
        };
        let has_won = |bids: &[&StoredBid]| bids.iter().any(|bid| bid.won);
        let call = PairCall {
            record_id: notice.record_id.clone(),
            date: notice.date.map(|day: Date| day.to_string()),
            department: store.text(notice.buyer).map(str::to_owned),
            amount_of_a: amount(of_a),
            amount_of_b: amount(of_b),
            won_by_a: has_won(of_a),
            won_by_b: has_won(of_b),
            has_lots,
        };
        self.pair.calls += 1;
        self.pair.a.won += u64::from(call.won_by_a);
        self.pair.b.won += u64::from(call.won_by_b);
        self.pair.won_by_others += u64::from(!call.won_by_a && !call.won_by_b);
        if let (Some(of_a), Some(of_b)) = (call.amount_of_a, call.amount_of_b) {
            self.pair.a.lower += u64::from(of_a < of_b);
            self.pair.b.lower += u64::from(of_b < of_a);
            self.differences.push((of_a - of_b).abs() / of_a.min(of_b));
        }
        if let Some(day) = notice.date {
            let year = self.years.entry(day.year()).or_insert_with(|| PairYear {
                year: day.year(),
                calls: 0,
                won_by_a: 0,
                won_by_b: 0,
            });
            year.calls += 1;
            year.won_by_a += u64::from(call.won_by_a);
            year.won_by_b += u64::from(call.won_by_b);
        }
        if self.pair.results.len() < MAX_CALLS {
            self.pair.results.push(call);
        }
    }

    fn pair(mut self) -> Pair {
        self.differences.sort_by(f64::total_cmp);
        let count = self.differences.len();
        let median = (count > 0).then(|| rounded(self.differences[nearest_rank(50, count)]));
        Pair {
            median_difference: median,
            by_year: self.years.into_values().collect(),
            ..self.pair
        }
    }
}
