//! The amounts of matching documents, gathered once for all that is summed from them.

use tantivy::DocId;

use super::columns::{self, DollarColumn, MANY_DOLLARS, NO_DOLLARS, ValueColumn};
use crate::engine::{aggregation::Money, facet_values::Sum};

/// The amounts of some documents, in their order. They are whole numbers, because turning a float into a sum of money
/// takes longer than all the rest of counting a record.
#[derive(Default)]
pub(super) struct Amounts {
    millionths: Vec<i64>,
    /// The amounts that do not fit into millionths, in the same order.
    large: Vec<Large>,
}

struct Large {
    place: usize,
    document: DocId,
    amount: Money,
}

impl Amounts {
    pub(super) fn with_capacity(documents: usize) -> Amounts {
        Amounts {
            millionths: Vec::with_capacity(documents),
            large: Vec::new(),
        }
    }

    /// Adds the amount of the next document in Canadian dollars (decision D-225).
    #[inline]
    pub(super) fn push_dollars(&mut self, document: DocId, dollars: &DollarColumn, values: &ValueColumn) {
        self.push(document, dollars.get(document), || values.get(document));
    }

    /// Adds the amount of the next document in its own currency.
    pub(super) fn push_value(&mut self, document: DocId, value: Option<f64>) {
        self.push(document, columns::dollars(value), || value);
    }

    #[inline]
    fn push(&mut self, document: DocId, millionths: i64, value: impl FnOnce() -> Option<f64>) {
        if millionths == MANY_DOLLARS {
            self.large.extend(value().map(|value| Large {
                place: self.millionths.len(),
                document,
                amount: Money::of(value),
            }));
        }
        self.millionths.push(millionths);
    }

    /// The amount of the document at a place, if it has one.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<Money> {
        match self.millionths[place] {
            NO_DOLLARS => None,
            MANY_DOLLARS => {
                let found = self.large.binary_search_by_key(&place, |large| large.place);
                found.ok().map(|found| self.large[found].amount)
            }
            amount => Some(Money::from_parts(amount.into(), 0.0)),
        }
    }

    /// Whether each document has an amount.
    pub(super) fn presence(&self) -> impl Iterator<Item = bool> {
        self.millionths.iter().map(|amount| *amount != NO_DOLLARS)
    }

    /// The amounts that fit into millionths; zero for any other document. No sum of them overflows an `i128`.
    pub(super) fn millionths(&self) -> impl Iterator<Item = i64> {
        self.millionths.iter().map(|amount| match *amount {
            NO_DOLLARS | MANY_DOLLARS => 0,
            amount => amount,
        })
    }

    /// The documents whose amounts do not fit into millionths.
    pub(super) fn large(&self) -> impl Iterator<Item = (DocId, Money)> {
        self.large.iter().map(|large| (large.document, large.amount))
    }

    /// The number and the sum of all.
    pub(super) fn total(&self) -> Sum {
        let millionths: i128 = self.millionths().map(i128::from).sum();
        let mut total = Sum {
            count: self.presence().filter(|is_present| *is_present).count() as u64,
            total_value: Money::from_parts(millionths, 0.0),
        };
        self.large().for_each(|(_, amount)| total.total_value.add(amount));
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_those_of_the_values() {
        let values = [1.25, f64::NAN, 1e13, -0.5, 1e300].map(|value| Some(value).filter(|value| !value.is_nan()));
        let mut amounts = Amounts::default();
        for (document, value) in (7..).zip(values) {
            amounts.push_value(document, value);
        }
        for (place, value) in values.iter().enumerate() {
            assert_eq!(amounts.get(place), value.map(Money::of), "{value:?}");
        }
        assert_eq!(Vec::from_iter(amounts.millionths()), [1_250_000, 0, 0, -500_000, 0]);
        assert_eq!(Vec::from_iter(amounts.presence()), [true, false, true, true, true]);
        let large = [(9, Money::of(1e13)), (11, Money::of(1e300))];
        assert_eq!(Vec::from_iter(amounts.large()), large);
        let mut expected = Money::default();
        for value in [1.25, 1e13, -0.5, 1e300] {
            expected.add(Money::of(value));
        }
        assert_eq!((amounts.total().count, amounts.total().total_value), (4, expected));
    }
}
