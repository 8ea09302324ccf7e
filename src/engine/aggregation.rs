//! What is counted over the records that match: exact, never sampled.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::model::{
    date::Date,
    entity_type::EntityType,
    facet::Facet,
    schema::{Role, Schema},
};

/// What to find out of the money of the records that match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Nothing: they are counted only.
    Count,
    /// What it adds up to.
    Sum,
    /// How it spreads, too.
    Spread,
}

/// Which values of a facet to name: the `most` frequent ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want {
    pub facet: Facet,
    pub most: usize,
}

/// The counts of the records that match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    pub total: u64,
    pub earliest_date: Option<Date>,
    pub latest_date: Option<Date>,
    /// One a [`Want`], in their order.
    pub counts: Vec<Counts>,
    /// `None` where the kind has no value field, or was counted only.
    pub values: Option<Values>,
}

impl Tally {
    /// Of no record at all.
    pub fn nothing(entity_type: EntityType, wants: usize, measure: Measure) -> Tally {
        let is_measured = measure > Measure::Count && Schema::of(entity_type).has_role(Role::Value);
        let values = is_measured.then(Values::default);
        Tally {
            counts: vec![Counts::default(); wants],
            values,
            ..Tally::default()
        }
    }
}

/// The values of one facet, most frequent first, equals by value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    pub rows: Vec<Row>,
    /// How many values there are, shown or not.
    pub distinct: u64,
    /// The counts of the values not shown, added up.
    pub other: u64,
}

/// One value of a facet. A record with several values counts for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub value: String,
    pub count: u64,
    /// Zero where the money was not asked for.
    pub total_value: Money,
}

/// The values of the records that have one; nothing is taken for zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    pub records_with_value: u64,
    pub total_value: Money,
    /// `None` without a single value, and where it was not asked for.
    pub spread: Option<Spread>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub percentiles: [f64; PERCENTS.len()],
}

/// Spec silent: the percentiles shown. The p-th of n values is the one at place ⌈p·n/100⌉ when they are sorted (nearest rank): a value that occurs.
pub const PERCENTS: [usize; 5] = [10, 25, 50, 75, 90];

/// The place, from 0, of a percentile among `n` sorted values.
pub fn nearest_rank(percent: usize, n: usize) -> usize {
    (percent * n).div_ceil(100).max(1) - 1
}

/// A sum of money, in millionths of a dollar, so that adding loses nothing that a published amount tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Money {
    millionths: i128,
    /// Amounts past [`ABSURD`], which would drown the others: they stay visible, and spoil nothing but themselves.
    absurd: f64,
}

/// More dollars than any amount that was ever meant.
const ABSURD: f64 = 1e20;

/// As it is written: a number.
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
    pub fn of(value: f64) -> Money {
        match value.abs() < ABSURD {
            true => Money {
                millionths: (value * 1e6).round() as i128,
                absurd: 0.0,
            },
            false => Money {
                millionths: 0,
                absurd: value,
            },
        }
    }

    pub fn add(&mut self, other: Money) {
        self.millionths = self.millionths.saturating_add(other.millionths);
        self.absurd += other.absurd;
    }

    /// In dollars, to the cent.
    pub fn dollars(self) -> f64 {
        let half = if self.millionths < 0 { -5_000 } else { 5_000 };
        (self.millionths.saturating_add(half) / 10_000) as f64 / 100.0 + self.absurd
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

/// A vendor or a department, over the whole collection.
#[derive(Clone, Debug, PartialEq)]
pub struct NameRow {
    pub name: String,
    pub records: u64,
    pub total_value: Money,
}

/// A page of names, those with most records first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamesPage {
    /// How many names match, shown or not.
    pub total: u64,
    pub rows: Vec<NameRow>,
}

/// A name that was asked for, found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What [`crate::query::Filter::Named`] takes.
    pub key: String,
    /// The spelling most frequent; of a department in English where known.
    pub name: String,
    /// The most frequent French name of a department.
    pub name_fr: Option<String>,
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
        let mut absurd = Money::of(1e300);
        absurd.add(Money::of(1.5));
        assert_eq!(absurd.dollars(), 1e300);
        absurd.add(Money::of(-1e300));
        assert_eq!(absurd.dollars(), 1.5);
    }

    #[test]
    fn a_percentile_is_a_value_that_occurs() {
        for (percent, n, place) in [
            (50, 1, 0),
            (10, 9, 0),
            (10, 10, 0),
            (10, 11, 1),
            (50, 4, 1),
            (90, 10, 8),
            (100, 7, 6),
        ] {
            assert_eq!(nearest_rank(percent, n), place, "p{percent} of {n}");
        }
    }
}
