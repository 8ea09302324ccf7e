//! What the figures about a market are computed from: exact counts and sums over matching records.

use std::collections::BTreeMap;

use crate::{
    engine::aggregation::{Money, nearest_rank},
    model::facet::LISTED,
};

/// Counts over the matching records. Money is in Canadian dollars; records in other currencies
/// count for nothing that is money.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarketCounts {
    /// Records that name a vendor and state a value.
    pub with_vendor: u64,
    /// The sum of the vendors' values. A vendor whose values sum to zero or less, because credits
    /// cancel them, has no share: without this rule, shares could be above 1.
    pub vendor_value: Money,
    /// The part of `vendor_value` that the five vendors with most of it have.
    pub top_five_value: Money,
    /// The Herfindahl-Hirschman index of the vendors' shares of `vendor_value`, 0 to 10,000: the sum
    /// of the squared percentages. `None` without a positive sum.
    pub concentration: Option<f64>,
    /// From a number of bids to the records that have it.
    pub bids: BTreeMap<u32, u64>,
    /// How many of these records have the number of bidders that their notice lists; the others state a number
    /// themselves.
    pub with_listed_bids: u64,
    pub growth: Growth,
    /// From a year to the vendors whose first matching record is of this year.
    pub new_vendors: BTreeMap<i32, u64>,
    /// From a year to the vendors with a matching record of this year.
    pub vendors_by_year: BTreeMap<i32, u64>,
}

/// Over the records that state both their value and the value before amendments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Growth {
    pub records: u64,
    pub original: Money,
    pub current: Money,
}

impl Growth {
    /// Adds the value of a record before amendments, and after them.
    pub(crate) fn add(&mut self, [original, current]: [Money; 2]) {
        self.original.add(original);
        self.current.add(current);
    }
}

/// The number of vendors in [`MarketCounts::top_five_value`].
const TOP: usize = 5;

impl MarketCounts {
    /// How often the records are read for the counts: for the vendors, the bids, the values before amendments, and the
    /// years.
    pub const SCANS: usize = 4;

    /// The median of the numbers of bids, by nearest rank.
    pub(crate) fn median_bids(&self) -> Option<u32> {
        let all: u64 = self.bids.values().sum();
        if all == 0 {
            return None;
        }
        let index = nearest_rank(50, usize::try_from(all).unwrap_or(usize::MAX)) as u64;
        let mut before = 0;
        for (value, count) in &self.bids {
            before += count;
            if before > index {
                return Some(*value);
            }
        }
        None
    }

    /// Sets what the shares of the vendors are computed from: the sum of each one's values. The
    /// result does not depend on their order.
    pub(crate) fn set_vendor_sums(&mut self, mut sums: Vec<Money>) {
        sums.retain(|sum| sum.dollars() > 0.0);
        Money::sort_descending(&mut sums);
        let total = |sums: &[Money]| {
            let mut total = Money::default();
            sums.iter().for_each(|sum| total.add(*sum));
            total
        };
        self.vendor_value = total(&sums);
        self.top_five_value = total(&sums[..sums.len().min(TOP)]);
        // Not rounded to the cent: that would be a large part of small sums.
        let amount = |sum: Money| {
            let (millionths, implausible) = sum.parts();
            // Turning 64 bits into a float takes one instruction, turning 128 bits a function.
            let millionths = i64::try_from(millionths).map_or_else(|_| millionths as f64, |short| short as f64);
            millionths / 1e6 + implausible
        };
        let whole = amount(self.vendor_value);
        let squares = sums.iter().map(|sum| {
            let share = amount(*sum) / whole;
            share * share
        });
        let squares: f64 = squares.sum();
        let concentration = (squares * 10_000.0).min(10_000.0);
        self.concentration = (!sums.is_empty() && concentration.is_finite()).then_some(concentration);
    }

    /// Counts records with a number of bids, a bucket of [`Facet::Bids`](crate::model::facet::Facet::Bids) each.
    pub(crate) fn add_bids(&mut self, value: &str, records: u64) {
        let listed = value.strip_prefix(LISTED);
        let Ok(bids) = listed.unwrap_or(value).parse() else {
            return;
        };
        if listed.is_some() {
            self.add_listed_bids(bids, records);
        } else {
            *self.bids.entry(bids).or_default() += records;
        }
    }

    /// Counts records whose notice lists so many bidders.
    pub(crate) fn add_listed_bids(&mut self, bidders: u32, records: u64) {
        *self.bids.entry(bidders).or_default() += records;
        self.with_listed_bids += records;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sums: &[f64]) -> MarketCounts {
        let mut counts = MarketCounts::default();
        counts.set_vendor_sums(sums.iter().map(|sum| Money::of(*sum)).collect());
        counts
    }

    #[test]
    fn shares_are_of_the_vendors_with_a_positive_sum() {
        let counts = of(&[10.0, 40.0, -1000.0, 0.0, 20.0, 10.0, 10.0, 10.0]);
        assert_eq!(counts.vendor_value.dollars(), 100.0);
        assert_eq!(counts.top_five_value.dollars(), 90.0);
        assert_eq!(counts.concentration.map(f64::round), Some(2400.0));
        assert_eq!(of(&[7.5]).concentration, Some(10_000.0));
        for none in [&[][..], &[0.0], &[-5.0, 0.001]] {
            assert_eq!(of(none), MarketCounts::default());
        }
    }

    #[test]
    fn numbers_of_bids_are_stated_or_those_of_listed_bidders() {
        let mut counts = MarketCounts::default();
        for (value, records) in [("3", 2), ("listed 3", 4), ("listed 1", 1), ("listed x", 9), ("x", 9)] {
            counts.add_bids(value, records);
        }
        assert_eq!(Vec::from_iter(counts.bids), [(1, 1), (3, 6)]);
        assert_eq!(counts.with_listed_bids, 5);
    }

    #[test]
    fn the_order_of_the_vendors_does_not_matter() {
        let mut sums: Vec<f64> = (1..60).map(|n| f64::from(n * n % 47) * 1234.56 + 0.01).collect();
        sums.extend([1e25, 1e300, 3e25]);
        let one = of(&sums);
        sums.reverse();
        assert_eq!(of(&sums), one);
        sums.rotate_left(17);
        assert_eq!(of(&sums), one);
        assert!(one.concentration.is_some_and(|index| index <= 10_000.0));
    }

    #[test]
    fn a_median_is_a_number_that_occurs() {
        for (counts, expected) in [
            (vec![], None),
            (vec![(4, 1)], Some(4)),
            (vec![(1, 1), (2, 1)], Some(1)),
            (vec![(1, 1), (2, 2)], Some(2)),
            (vec![(0, 3), (7, 3)], Some(0)),
            (vec![(0, 3), (7, 4)], Some(7)),
        ] {
            let market = MarketCounts {
                bids: counts.iter().copied().collect(),
                ..MarketCounts::default()
            };
            assert_eq!(market.median_bids(), expected, "{counts:?}");
        }
    }
}
