//! The distribution of the values of matching documents.
//!
//! Each document has a rank in the order by value, so no value is read but those that are returned.

use super::sort_order::SortOrder;
use crate::engine::aggregation::{Money, PERCENTS, ValueDistribution, nearest_rank};

/// Ranks of documents, one bit for each possible rank: 250 kB for two million documents.
pub(super) struct RankSet {
    words: Vec<u64>,
}

/// The number of words that are counted together.
const GROUP: usize = 64;

impl RankSet {
    /// All ranks are smaller than `end`.
    pub(super) fn new(end: u32) -> RankSet {
        RankSet {
            words: vec![0; (end as usize).div_ceil(64)],
        }
    }

    /// Adds a rank if `is_present`. A branch that is often mispredicted would cost more than the bit.
    #[inline]
    pub(super) fn add(&mut self, rank: u32, is_present: bool) {
        self.words[rank as usize / 64] |= u64::from(is_present) << (rank % 64);
    }

    pub(super) fn merge(&mut self, other: &RankSet) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, more)| *word |= more);
    }

    /// The ranks at some places, counted from 0, in ascending order of the ranks. All places must be smaller than the
    /// number of ranks.
    fn at<const N: usize>(&self, places: [usize; N]) -> [u32; N] {
        let mut before = 0;
        let starts: Vec<usize> = self
            .words
            .chunks(GROUP)
            .map(|group| {
                let start = before;
                before += group.iter().map(|word| word.count_ones() as usize).sum::<usize>();
                start
            })
            .collect();
        places.map(|place| {
            let group = starts.partition_point(|start| *start <= place) - 1;
            let mut left = place - starts[group];
            let mut number = group * GROUP;
            while left >= self.words[number].count_ones() as usize {
                left -= self.words[number].count_ones() as usize;
                number += 1;
            }
            let mut word = self.words[number];
            (0..left).for_each(|_| word &= word - 1);
            (number * 64) as u32 + word.trailing_zeros()
        })
    }
}

/// Of `size` documents with these ranks in the order by value; `None` without a single one.
pub(super) fn distribution(
    by_value: &SortOrder,
    ranks: &RankSet,
    size: usize,
    total_value: Money,
) -> Option<ValueDistribution> {
    let last = size.checked_sub(1)?;
    // The first rank is that of the highest value.
    let [max, min] = ranks.at([0, last]);
    let percentiles = ranks.at(PERCENTS.map(|percent| last - nearest_rank(percent, size)));
    // Adding zero turns -0.0 into 0.0.
    let value = |rank: u32| Some(by_value.value(rank)? + 0.0);
    let percentiles = percentiles.map(|rank| value(rank).unwrap_or_default());
    Some(ValueDistribution {
        min: value(min)?,
        max: value(max)?,
        mean: total_value.dollars() / size as f64,
        percentiles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_a_set_are_those_of_its_sorted_ranks() {
        let group = (GROUP * 64) as u32;
        for size in [1, 2, 3, 63, 64, 65, group - 1, group, group + 1, 20_000] {
            for spread in [1, 3, 64, 1000] {
                let end = size * spread;
                // Multiplying by a number without a common factor is a permutation.
                let mut sorted: Vec<u32> = (0..size)
                    .map(|n| (u64::from(n) * 7919 % u64::from(end)) as u32)
                    .collect();
                let mut halves = [RankSet::new(end), RankSet::new(end)];
                for (number, rank) in sorted.iter().enumerate() {
                    halves[number % 2].add(*rank, true);
                    halves[number % 2].add((rank + 1) % end, false);
                }
                let [mut ranks, others] = halves;
                ranks.merge(&others);
                sorted.sort_unstable();
                let last = sorted.len() - 1;
                let places = [0, last, last / 2, last / 3, last - last / 10];
                let expected = places.map(|place| sorted[place]);
                assert_eq!(ranks.at(places), expected, "{size} of {end}");
            }
        }
    }
}
