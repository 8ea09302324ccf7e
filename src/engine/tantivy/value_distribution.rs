//! The distribution of the values of matching documents.
//!
//! Each document has a rank in the order by value, so no value is read but those that are returned.

use super::{
    amounts::Amounts, entity_index::EntityIndex, matching_documents::MatchingDocuments, sort_order::SortOrder,
};
use crate::{
    engine::aggregation::{Money, PERCENTS, ValueDistribution, nearest_rank},
    query::SortKey,
};

/// Of the documents that have an amount; `None` without a single one.
pub(super) fn distribution(
    index: &EntityIndex,
    documents: &MatchingDocuments,
    amounts: &Amounts,
    total_value: Money,
) -> Option<ValueDistribution> {
    let by_value = SortOrder::new(index, SortKey::Value)?;
    let mut ranks = Vec::with_capacity(documents.len());
    let mut presence = amounts.presence();
    documents.for_each(|document| {
        if presence.next() == Some(true) {
            ranks.push(by_value.rank(document));
        }
    });
    let size = ranks.len();
    let last = size.checked_sub(1)?;
    // The first rank is that of the highest value.
    let [max, min] = select(&ranks, index.records(), [0, last]);
    let percentiles = select(
        &ranks,
        index.records(),
        PERCENTS.map(|percent| last - nearest_rank(percent, size)),
    );
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

/// The number of groups of neighbouring ranks.
const GROUPS: u32 = 4096;

/// What would be at some places if the ranks were sorted. All ranks are smaller than `end`.
///
/// The ranks are counted by group, and only the groups with one of the places are sorted.
fn select<const N: usize>(ranks: &[u32], end: u32, places: [usize; N]) -> [u32; N] {
    let in_group = end.div_ceil(GROUPS).next_power_of_two();
    let shift = in_group.trailing_zeros();
    let mut counts = vec![0_usize; GROUPS as usize];
    for rank in ranks {
        counts[(rank >> shift) as usize] += 1;
    }
    let mut before = 0;
    let mut starts = counts;
    for start in &mut starts {
        before += std::mem::replace(start, before);
    }
    let group_of = |place: usize| starts.partition_point(|start| *start <= place) - 1;
    let groups = places.map(group_of);
    let mut is_sorted = vec![false; GROUPS as usize];
    groups.iter().for_each(|group| is_sorted[*group] = true);
    let mut sorted: Vec<u32> = ranks
        .iter()
        .copied()
        .filter(|rank| is_sorted[(rank >> shift) as usize])
        .collect();
    sorted.sort_unstable();
    let mut found = [0; N];
    for ((found, place), group) in found.iter_mut().zip(places).zip(groups) {
        let first = sorted.partition_point(|rank| ((rank >> shift) as usize) < group);
        *found = sorted[first + place - starts[group]];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selected_ranks_are_those_of_the_sorted_ones() {
        for size in [1, 2, 3, 50, 5000, 20_000_u32] {
            for spread in [1, 3, 1000] {
                let end = size * spread;
                // Multiplying by a number without a common factor is a permutation.
                let ranks: Vec<u32> = (0..size)
                    .map(|n| (u64::from(n) * 7919 % u64::from(end)) as u32)
                    .collect();
                let mut sorted = ranks.clone();
                sorted.sort_unstable();
                let last = ranks.len() - 1;
                let places = [0, last, last / 2, last / 3, last - last / 10];
                assert_eq!(
                    select(&ranks, end, places),
                    places.map(|place| sorted[place]),
                    "{size} of {end}"
                );
            }
        }
    }
}
