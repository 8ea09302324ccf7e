//! The amounts of matching documents, gathered once for all that is summed from them.

use tantivy::DocId;

use super::columns::{DollarColumn, MANY_DOLLARS, NO_DOLLARS, ValueColumn};
use crate::engine::{aggregation::Money, facet_values::Sum};

/// The amounts of some documents, in their order. They are whole numbers, because turning a float into a sum of money
/// takes longer than all the rest of counting a record.
pub(super) struct Amounts {
    millionths: Vec<i64>,
    /// The amounts that do not fit into millionths, by their place.
    large: Vec<(usize, f64)>,
}

impl Amounts {
    /// In Canadian dollars (decision D-225).
    pub(super) fn in_dollars(
        dollars: &DollarColumn,
        values: &ValueColumn,
        documents: impl FnOnce(&mut dyn FnMut(DocId)),
    ) -> Amounts {
        let (mut millionths, mut large) = (Vec::new(), Vec::new());
        documents(&mut |document| {
            let amount = dollars.get(document);
            if amount == MANY_DOLLARS {
                large.extend(values.get(document).map(|value| (millionths.len(), value)));
            }
            millionths.push(amount);
        });
        Amounts { millionths, large }
    }

    /// Of values in any currency; NaN is none.
    pub(super) fn of_values(values: &[f64]) -> Amounts {
        let mut large = Vec::new();
        let of_value = |(place, value): (usize, &f64)| {
            let amount = super::columns::dollars(Some(*value).filter(|value| !value.is_nan()));
            if amount == MANY_DOLLARS {
                large.push((place, *value));
            }
            amount
        };
        let millionths = values.iter().enumerate().map(of_value).collect();
        Amounts { millionths, large }
    }

    pub(super) fn len(&self) -> usize {
        self.millionths.len()
    }

    /// The amount of the document at a place, if it has one.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<Money> {
        match self.millionths[place] {
            NO_DOLLARS => None,
            MANY_DOLLARS => {
                let found = self.large.binary_search_by_key(&place, |(place, _)| *place);
                found.ok().map(|found| Money::of(self.large[found].1))
            }
            amount => Some(Money::from_parts(amount.into(), 0.0)),
        }
    }

    /// The number and the sum of all.
    pub(super) fn total(&self) -> Sum {
        let mut total = Sum::default();
        for amount in (0..self.len()).filter_map(|place| self.get(place)) {
            total.count += 1;
            total.total_value.add(amount);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_those_of_the_values() {
        let values = [1.25, f64::NAN, 1e13, -0.5, 1e300];
        let amounts = Amounts::of_values(&values);
        for (place, value) in values.iter().enumerate() {
            let expected = Some(*value).filter(|value| !value.is_nan()).map(Money::of);
            assert_eq!(amounts.get(place), expected, "{value}");
        }
        let mut expected = Money::default();
        for value in [1.25, 1e13, -0.5, 1e300] {
            expected.add(Money::of(value));
        }
        assert_eq!((amounts.total().count, amounts.total().total_value), (4, expected));
    }
}
