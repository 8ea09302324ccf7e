//! The range of plausible values of a source and category: robust outliers on a logarithmic scale.

use std::collections::BTreeMap;

use crate::model::EntityType;

/// Values of one source and category. A smaller group says too little about what is usual.
const MIN_VALUES: usize = 200;

/// Decision D-217: how many spreads from the median a value is implausible: the threshold of Iglewicz and Hoaglin
/// (1993) for their modified z-score, which is made of the median and the median absolute deviation.
const MAX_SPREADS: f64 = 3.5;

/// A standard deviation of a normal distribution, in median absolute deviations.
const DEVIATIONS: f64 = 1.4826;

/// Percentiles of the tails, and how many standard deviations from the median they are in a normal
/// distribution. Prices have longer tails than that, and a group may mix small purchases with large
/// works, so the spread on each side is at least what these percentiles suggest.
const TAILS: [(f64, f64); 2] = [(0.95, 1.645), (0.99, 2.326)];

/// The values that were observed, and what is plausible after [`PriceRanges::conclude`].
#[derive(Default)]
pub(super) struct PriceRanges {
    /// By entity type, source and category.
    groups: BTreeMap<EntityType, BTreeMap<String, BTreeMap<String, Group>>>,
}

#[derive(Default)]
struct Group {
    /// Decimal logarithms; 8 bytes per record, until the range is known.
    logarithms: Vec<f64>,
    /// The least and the greatest plausible logarithm; `None` for a small group.
    range: Option<(f64, f64)>,
}

impl PriceRanges {
    /// Adds a positive value.
    pub(super) fn observe(&mut self, entity_type: EntityType, source: &str, category: &str, value: f64) {
        let sources = self.groups.entry(entity_type).or_default();
        // Most records find their group without an allocation.
        if !sources.contains_key(source) {
            sources.insert(source.to_owned(), BTreeMap::new());
        }
        let Some(categories) = sources.get_mut(source) else {
            return;
        };
        match categories.get_mut(category) {
            Some(group) => group.logarithms.push(value.log10()),
            None => {
                let group = Group {
                    logarithms: vec![value.log10()],
                    range: None,
                };
                categories.insert(category.to_owned(), group);
            }
        }
    }

    pub(super) fn conclude(&mut self) {
        let groups = self.groups.values_mut().flat_map(BTreeMap::values_mut);
        for group in groups.flat_map(BTreeMap::values_mut) {
            group.range = range(std::mem::take(&mut group.logarithms));
        }
    }

    /// Whether a positive value is far from those of its source and category.
    pub(super) fn is_implausible(&self, entity_type: EntityType, source: &str, category: &str, value: f64) -> bool {
        let sources = self.groups.get(&entity_type);
        let group = sources.and_then(|sources| sources.get(source)?.get(category));
        let range = group.and_then(|group| group.range);
        range.is_some_and(|(least, greatest)| !(least..=greatest).contains(&value.log10()))
    }
}

fn range(mut logarithms: Vec<f64>) -> Option<(f64, f64)> {
    if logarithms.len() < MIN_VALUES {
        return None;
    }
    logarithms.sort_unstable_by(f64::total_cmp);
    let median = nearest_rank(&logarithms, 0.5);
    let mut deviations: Vec<f64> = logarithms.iter().map(|value| (value - median).abs()).collect();
    deviations.sort_unstable_by(f64::total_cmp);
    let middle = DEVIATIONS * nearest_rank(&deviations, 0.5);
    let spread = |tail: &dyn Fn(f64) -> f64| {
        let tails = TAILS.iter().map(|(share, deviations)| tail(*share) / deviations);
        tails.fold(middle, f64::max)
    };
    let below = spread(&|share| median - nearest_rank(&logarithms, 1.0 - share));
    let above = spread(&|share| nearest_rank(&logarithms, share) - median);
    // If all values are equal, the spread is 0 and no value is marked.
    (below > 0.0 && above > 0.0).then_some((median - MAX_SPREADS * below, median + MAX_SPREADS * above))
}

/// The nearest rank in a sorted list that is not empty.
fn nearest_rank(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prices with a median of 10,000 and a standard deviation of 0.4 powers of ten.
    fn prices(count: usize) -> impl Iterator<Item = f64> {
        // A sum of twelve even spread numbers is nearly normal.
        let mut state = 7_u64;
        let mut even = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        (0..count).map(move |_| 10_f64.powf(4.0 + 0.4 * ((0..12).map(|_| even()).sum::<f64>() - 6.0)))
    }

    fn of(values: impl IntoIterator<Item = f64>) -> PriceRanges {
        let mut ranges = PriceRanges::default();
        for value in values {
            ranges.observe(EntityType::Contract, "toronto", "CNST", value);
        }
        ranges.conclude();
        ranges
    }

    fn is_implausible(ranges: &PriceRanges, value: f64) -> bool {
        ranges.is_implausible(EntityType::Contract, "toronto", "CNST", value)
    }

    #[test]
    fn only_values_far_from_all_others_are_implausible() {
        let ranges = of(prices(1000).chain([9e9, 0.5]));
        for (value, expected) in [
            (9e9, true),
            (0.5, true),
            (100.0, true),
            (1e4, false),
            (1e5, false),
            (1e3, false),
            (1e6, true),
        ] {
            assert_eq!(is_implausible(&ranges, value), expected, "{value}");
        }
        let flagged = prices(1000).filter(|value| is_implausible(&ranges, *value)).count();
        assert!(flagged <= 1, "{flagged} of 1000 ordinary prices");
        assert!(!ranges.is_implausible(EntityType::Contract, "toronto", "GD", 9e9));
        assert!(!ranges.is_implausible(EntityType::Award, "toronto", "CNST", 9e9));
    }

    #[test]
    fn a_long_tail_is_plausible() {
        // Nine small purchases for each large work, as in the lists of Montréal.
        let works = prices(200).map(|value| value * 300.0);
        let ranges = of(prices(1800).chain(works));
        assert!(!is_implausible(&ranges, 10_000_000.0));
        assert!(is_implausible(&ranges, 1e12));
    }

    #[test]
    fn few_values_or_equal_ones_have_no_range() {
        let few = of(prices(MIN_VALUES - 1));
        assert!(!is_implausible(&few, 1e12));
        let equal = of(vec![500.0; 1000]);
        assert!(!is_implausible(&equal, 501.0));
    }
}
