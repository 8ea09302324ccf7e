//! The amounts of matching documents, read once for all that is summed from them. They are whole numbers, because
//! turning a float into a sum of money takes longer than all the rest of counting a record.

use tantivy::DocId;

use super::columns::{self, DollarColumn, MANY_DOLLARS, NO_DOLLARS, ValueColumn};
use crate::engine::aggregation::Money;

/// The amounts of the documents of one block after the other.
#[derive(Default)]
pub(super) struct BlockAmounts {
    /// For each document of the block as in [`DollarColumn`].
    entries: Vec<i64>,
    /// The amounts that fit; zero for any other document of the block.
    millionths: Vec<i64>,
    /// The sum of these amounts over all blocks.
    total: i128,
    /// The number of the documents of all blocks that have an amount.
    count: u64,
    /// The documents of all blocks whose amounts do not fit.
    large: Vec<(DocId, Money)>,
}

impl BlockAmounts {
    /// Replaces the amounts by those of the next block in Canadian dollars (decision D-225).
    pub(super) fn read_dollars(&mut self, block: &[DocId], dollars: &DollarColumn, values: &ValueColumn) {
        self.read(block, |document| dollars.get(document), values);
    }

    /// Replaces the amounts by those of the next block, each in its own currency.
    pub(super) fn read_values(&mut self, block: &[DocId], values: &ValueColumn) {
        self.read(block, |document| columns::dollars(values.get(document)), values);
    }

    fn read(&mut self, block: &[DocId], entry: impl Fn(DocId) -> i64, values: &ValueColumn) {
        self.entries.clear();
        self.entries.extend(block.iter().map(|document| entry(*document)));
        self.millionths.clear();
        let mut large = 0_u32;
        self.millionths.extend(self.entries.iter().map(|entry| {
            let fitting = fitting(*entry);
            self.total += i128::from(fitting);
            self.count += u64::from(*entry != NO_DOLLARS);
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

    /// The number of the documents of all blocks that have an amount.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// The sum of all blocks, without the amounts that do not fit, in millionths.
    pub(super) const fn total(&self) -> i128 {
        self.total
    }

    /// Adds the totals of other blocks.
    pub(super) fn merge(&mut self, other: BlockAmounts) {
        self.total += other.total;
        self.count += other.count;
        self.large.extend(other.large);
    }

    /// The documents of all blocks whose amounts do not fit into millionths, in their order: a sum of floats depends on
    /// it.
    pub(super) fn into_large(mut self) -> Vec<(DocId, Money)> {
        self.large.sort_unstable_by_key(|(document, _)| *document);
        self.large
    }
}

/// An entry of [`DollarColumn`] as an amount; zero without one, and for one that does not fit.
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
    use crate::{engine::tantivy::columns::ColumnWriter, model::Role};

    #[test]
    fn blocks_have_the_amounts_of_the_values() {
        let values = [1.25, f64::NAN, 1e13, -0.5, 1e300];
        let folder = tempfile::tempdir().unwrap();
        let mut column = ColumnWriter::of_values(folder.path(), Role::Value, 0).unwrap();
        for value in values {
            column.push_value(Some(value)).unwrap();
        }
        column.finish().unwrap();
        let column = ValueColumn::open(folder.path(), Role::Value, values.len()).unwrap();
        let (mut first, mut second) = (BlockAmounts::default(), BlockAmounts::default());
        second.read_values(&[3, 4], &column);
        assert_eq!(second.millionths(), [-500_000, 0]);
        first.read_values(&[0], &column);
        first.read_values(&[1, 2], &column);
        assert_eq!(first.millionths(), [0, 0]);
        assert_eq!(Vec::from_iter(first.presence()), [false, true]);
        second.merge(first);
        assert_eq!((second.count(), second.total()), (4, 750_000));
        assert_eq!(second.into_large(), [(2, Money::of(1e13)), (4, Money::of(1e300))]);
    }
}
