//! Counts and sums of the codes of matching documents.
//!
//! Neighbouring documents often have the same code. If each addition had to wait for the one before it to reach memory,
//! that would be most of the time. So the documents are counted in turn in [`LANES`] arrays, which are added up last.

use super::{amounts::Amounts, facet_columns::Codes, matching_documents::MatchingDocuments};
use crate::engine::{
    aggregation::Money,
    facet_values::{FacetValues, Sum},
};

const LANES: usize = 4;

/// Up to this many codes, the arrays of all lanes are in the fastest cache. More codes repeat less often, and have one
/// array.
pub(super) const FEW_CODES: usize = 512;

/// Where the array of a lane starts.
struct Lanes {
    /// The length of an array: a power of two.
    stride: usize,
    count: usize,
}

impl Lanes {
    fn of(codes: usize) -> Lanes {
        Lanes {
            stride: codes.next_power_of_two(),
            count: if codes <= FEW_CODES { LANES } else { 1 },
        }
    }

    fn len(&self) -> usize {
        self.stride * self.count
    }

    /// The start of the next lane's array.
    #[inline]
    const fn after(&self, start: usize) -> usize {
        (start + self.stride) & (self.stride * self.count - 1)
    }
}

/// The number of documents of each code.
pub(super) fn count_codes(codes: &Codes, code_count: usize, documents: &MatchingDocuments) -> Vec<u32> {
    let lanes = Lanes::of(code_count);
    let mut counts = vec![0_u32; lanes.len()];
    let mut start = 0;
    documents.for_each_code(codes, |code| {
        counts[start + code as usize] += 1;
        start = lanes.after(start);
    });
    let (first, others) = counts.split_at_mut(lanes.stride);
    for lane in others.chunks_exact(lanes.stride) {
        first.iter_mut().zip(lane).for_each(|(count, more)| *count += more);
    }
    counts.truncate(code_count);
    counts
}

/// Count and sum of each code.
pub(super) fn sum_codes(
    codes: &Codes,
    facet: &FacetValues,
    documents: &MatchingDocuments,
    amounts: Option<&Amounts>,
) -> Vec<Sum> {
    let Some(amounts) = amounts else {
        let counts = count_codes(codes, facet.code_count(), documents).into_iter();
        let sum = |count: u32| Sum {
            count: count.into(),
            total_value: Money::default(),
        };
        return counts.map(sum).collect();
    };
    let lanes = Lanes::of(facet.code_count());
    let mut counted = vec![(0_i128, 0_u64); lanes.len()];
    let mut start = 0;
    let mut millionths = amounts.millionths();
    documents.for_each_code(codes, |code| {
        let (sum, count) = &mut counted[start + code as usize];
        *sum += i128::from(millionths.next().unwrap_or_default());
        *count += 1;
        start = lanes.after(start);
    });
    let mut sums = vec![Sum::default(); facet.code_count()];
    for lane in counted.chunks_exact(lanes.stride) {
        for (sum, (millionths, count)) in sums.iter_mut().zip(lane) {
            sum.count += count;
            sum.total_value.add(Money::from_parts(*millionths, 0.0));
        }
    }
    for (document, amount) in amounts.large() {
        sums[codes.get(document) as usize].total_value.add(amount);
    }
    sums
}
