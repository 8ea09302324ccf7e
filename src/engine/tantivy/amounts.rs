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
                document,
                amount: Money::of(value),
            }));
        }
        self.millionths.push(millionths);
    }

    /// Whether each document has an amount.
    pub(super) fn presence(&self) -> impl Iterator<Item = bool> {
        self.millionths.iter().map(|amount| *amount != NO_DOLLARS)
    }

    /// The amounts that fit into millionths; zero for any other document. No sum of them overflows an `i128`.
    pub(super) fn millionths(&self) -> impl Iterator<Item = i64> {
        self.millionths.iter().map(|amount| fitting(*amount))
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

/// The amounts of the documents of one block after the other.
#[derive(Default)]
pub(super) struct BlockAmounts {
    /// For each document of the block as in [`DollarColumn`].
    entries: Vec<i64>,
    /// The amounts that fit; zero for any other document of the block.
    millionths: Vec<i64>,
    /// The documents of all blocks whose amounts do not fit.
    large: Vec<(DocId, Money)>,
}

impl BlockAmounts {
    /// Replaces the amounts by those of the next block in Canadian dollars (decision D-225).
    pub(super) fn read_dollars(&mut self, block: &[DocId], dollars: &DollarColumn, values: &ValueColumn) {
        self.read(block, |document| dollars.get(document), values);
    }

    fn read(&mut self, block: &[DocId], entry: impl Fn(DocId) -> i64, values: &ValueColumn) {
        self.entries.clear();
        self.entries.extend(block.iter().map(|document| entry(*document)));
        self.millionths.clear();
        let mut large = 0_u32;
        self.millionths.extend(self.entries.iter().map(|entry| {
            let fitting = fitting(*entry);
            large += u32::from(*entry == MANY_DOLLARS);
            fitting
        }));
        if large > 0 {
            let entries = block.iter().zip(&self.entries);
            for (document, _) in entries.filter(|(_, entry)| **entry == MANY_DOLLARS) {
                let amount = values.get(*document).map(Money::of);
                self.large.extend(amount.map(|amount| (*document, amount)));
            }
        }
    }

    /// For each document of the block.
    pub(super) fn millionths(&self) -> &[i64] {
        &self.millionths
    }

    /// Whether each document of the block has an amount.
    pub(super) fn presence(&self) -> impl Iterator<Item = bool> {
        self.entries.iter().map(|entry| *entry != NO_DOLLARS)
    }

    /// The documents of all blocks whose amounts do not fit into millionths.
    pub(super) fn into_large(self) -> Vec<(DocId, Money)> {
        self.large
    }
}

/// An entry of [`DollarColumn`] as an amount: zero if it is none.
#[inline]
pub(super) fn fitting(entry: i64) -> i64 {
    match entry {
        NO_DOLLARS | MANY_DOLLARS => 0,
        amount => amount,
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
