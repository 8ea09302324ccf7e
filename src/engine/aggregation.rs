//! Aggregations over every record that matches a query: exact counts, never sampled.

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::model::{Date, EntityType, Facet, Role, Schema};

/// What to compute from the values (amounts of money) of the matching records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueAggregation {
    None,
    /// Number and sum.
    Sum,
    /// Number and sum, minimum, maximum, mean and percentiles.
    Percentiles,
}

/// Counts the values of a facet and returns the `size` most frequent ones. A request has at most
/// one per facet. Of [`Facet::Body`], all combinations of departments are counted and returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermsAggregation {
    pub facet: Facet,
    pub size: usize,
    /// Whether the values of the records are summed, too. Of [`Facet::Body`], they always are.
    pub is_summed: bool,
}

impl TermsAggregation {
    pub const fn top(size: usize, facet: Facet) -> TermsAggregation {
        TermsAggregation {
            facet,
            size,
            is_summed: true,
        }
    }

    /// Counts and returns all values.
    pub const fn all(facet: Facet) -> TermsAggregation {
        TermsAggregation::top(usize::MAX, facet)
    }

    /// The same without sums of money: counting alone takes a fraction of the time.
    pub const fn without_sums(self) -> TermsAggregation {
        TermsAggregation {
            is_summed: false,
            ..self
        }
    }
}

/// The result of an aggregation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aggregation {
    /// The number of matching records.
    pub total: u64,
    pub earliest_date: Option<Date>,
    pub latest_date: Option<Date>,
    /// One entry for each requested facet but [`Facet::Body`].
    pub facets: BTreeMap<Facet, FacetBuckets>,
    /// If [`Facet::Body`] was requested: the combinations of departments that records name, in the order of their
    /// names.
    pub combinations: Vec<Combination>,
    /// `None` where the entity type has no value field, or no values were requested.
    pub values: Option<ValueStats>,
}

impl Aggregation {
    /// The result where no record matches.
    pub(crate) fn empty(entity_type: EntityType, terms: &[TermsAggregation], values: ValueAggregation) -> Aggregation {
        let has_values = values != ValueAggregation::None && Schema::of(entity_type).has_role(Role::Value);
        Aggregation {
            facets: terms
                .iter()
                .filter(|terms| terms.facet != Facet::Body)
                .map(|terms| (terms.facet, FacetBuckets::default()))
                .collect(),
            values: has_values.then(ValueStats::default),
            ..Aggregation::default()
        }
    }

    /// Takes the buckets of a facet out. The facet must have been requested.
    pub(crate) fn take(&mut self, facet: Facet) -> FacetBuckets {
        self.facets
            .remove(&facet)
            .expect("the caller takes each facet that it requested once")
    }
}

/// The values of one facet: most frequent first, equal counts by value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FacetBuckets {
    /// Up to [`TermsAggregation::size`] of them.
    pub buckets: Vec<FacetBucket>,
    /// How many distinct values there are, with a bucket or without.
    pub distinct: u64,
    /// The sum of the counts of the values without a bucket.
    pub other: u64,
}

impl FacetBuckets {
    /// Takes the sums of money out.
    pub(crate) fn clear_sums(&mut self) {
        self.buckets
            .iter_mut()
            .for_each(|bucket| bucket.total_value = Money::default());
    }
}

/// One value of a facet. A record with several values counts for each.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetBucket {
    pub value: String,
    pub count: u64,
    /// In Canadian dollars; of a currency ([`Facet::Currency`]) in that currency. Zero where no values
    /// of money or no sums of the facet were requested.
    pub total_value: Money,
}

/// The records that have exactly these values of a facet, so each record counts in one combination.
#[derive(Clone, Debug, PartialEq)]
pub struct Combination {
    /// Distinct, in ascending order.
    pub values: Vec<String>,
    pub count: u64,
    /// As in [`FacetBucket`].
    pub total_value: Money,
}

/// Statistics of the values in Canadian dollars (decision D-225). A record without a value, or with
/// one in another currency, does not count as zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueStats {
    pub records_with_value: u64,
    pub total_value: Money,
    /// `None` without a single value, and where percentiles were not requested.
    pub distribution: Option<ValueDistribution>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueDistribution {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// In the order of [`PERCENTS`].
    pub percentiles: [f64; PERCENTS.len()],
}

/// The percentiles that are computed. By nearest rank: the p-th percentile of n
/// sorted values is the one of rank ⌈p·n/100⌉, a value that occurs.
pub const PERCENTS: [usize; 5] = [10, 25, 50, 75, 90];

/// The index, from 0, of a percentile among `n` sorted values.
pub(crate) fn nearest_rank(percent: usize, n: usize) -> usize {
    (percent * n).div_ceil(100).max(1) - 1
}

/// A sum of money in millionths of a dollar, so that adding published amounts loses nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Money {
    millionths: i128,
    /// The sum of the amounts of [`MAX_PLAUSIBLE`] or more. Kept apart because they would swallow
    /// the digits of all others in a float.
    implausible: f64,
}

/// Dollars; no real amount is this large.
const MAX_PLAUSIBLE: f64 = 1e20;

impl JsonSchema for Money {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Money".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "number", "description": "In dollars, to the cent"})
    }
}

impl Money {
    pub fn of(dollars: f64) -> Money {
        if dollars.abs() < MAX_PLAUSIBLE {
            let millionths = (dollars * 1e6).round();
            // Turning a float into 64 bits takes one instruction, into 128 bits a function.
            let is_short = millionths.abs() < 9e18;
            Money {
                millionths: if is_short {
                    i128::from(millionths as i64)
                } else {
                    millionths as i128
                },
                implausible: 0.0,
            }
        } else {
            Money {
                millionths: 0,
                implausible: dollars,
            }
        }
    }

    /// Millionths of a dollar, and the implausible amounts in dollars.
    pub(crate) fn parts(self) -> (i128, f64) {
        (self.millionths, self.implausible)
    }

    /// The inverse of [`Money::parts`].
    pub(crate) fn from_parts(millionths: i128, implausible: f64) -> Money {
        Money {
            millionths,
            implausible,
        }
    }

    pub fn add(&mut self, other: Money) {
        self.millionths = self.millionths.saturating_add(other.millionths);
        self.implausible += other.implausible;
    }

    /// A total order: by dollars, then by what rounding to a cent hides.
    pub(crate) fn total_cmp(self, other: Money) -> Ordering {
        self.dollars()
            .total_cmp(&other.dollars())
            .then_with(|| self.millionths.cmp(&other.millionths))
            .then_with(|| self.implausible.total_cmp(&other.implausible))
    }

    /// Sorts by [`Money::total_cmp`], the largest first.
    pub(crate) fn sort_descending(sums: &mut [Money]) {
        if sums.iter().all(|sum| sum.implausible == 0.0) {
            // Then dollars have the order of the millionths.
            sums.sort_unstable_by_key(|sum| Reverse(sum.millionths));
        } else {
            sums.sort_unstable_by(|a, b| b.total_cmp(*a));
        }
    }

    /// In dollars, to the cent.
    pub fn dollars(self) -> f64 {
        let half_cent = if self.millionths < 0 { -5_000 } else { 5_000 };
        let rounded = self.millionths.saturating_add(half_cent);
        // Dividing 64 bits by a constant takes a multiplication, dividing 128 bits a function.
        let cents = match i64::try_from(rounded) {
            Ok(rounded) => (rounded / 10_000) as f64,
            Err(_) => (rounded / 10_000) as f64,
        };
        cents / 100.0 + self.implausible
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_adds_up_to_the_cent() {
        let mut sum = Money::default();
        for _ in 0..2_000_000 {
            sum.add(Money::of(0.1));
        }
        assert_eq!(sum.dollars(), 200_000.0);
        let mut sum = Money::of(1e9);
        for value in [0.01, -1e9, 0.005] {
            sum.add(Money::of(value));
        }
        assert_eq!(sum.dollars(), 0.02);
        assert_eq!(Money::of(-1.125).dollars(), -1.13);
        let mut implausible = Money::of(1e300);
        implausible.add(Money::of(1.5));
        assert_eq!(implausible.dollars(), 1e300);
        implausible.add(Money::of(-1e300));
        assert_eq!(implausible.dollars(), 1.5);
    }

    #[test]
    fn a_percentile_is_a_value_that_occurs() {
        for (percent, n, index) in [
            (50, 1, 0),
            (10, 9, 0),
            (10, 10, 0),
            (10, 11, 1),
            (50, 4, 1),
            (90, 10, 8),
            (100, 7, 6),
        ] {
            assert_eq!(nearest_rank(percent, n), index, "p{percent} of {n}");
        }
    }
}
