//! Weighted values: their quantiles, and their effective sample size.

/// Values in ascending order, each with its weight.
#[derive(Debug, Default)]
pub(crate) struct WeightedValues {
    values: Vec<(f64, f64)>,
    total: f64,
}

impl WeightedValues {
    /// Leaves out values that are not finite, and weights that are not positive and finite.
    pub(crate) fn new(values: impl Iterator<Item = (f64, f64)>) -> WeightedValues {
        let mut values: Vec<(f64, f64)> = values
            .filter(|(value, weight)| value.is_finite() && *weight > 0.0 && weight.is_finite())
            .collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let total = values.iter().map(|(_, weight)| weight).sum();
        WeightedValues { values, total }
    }

    /// The value below which a share of the weight is. Each value is at the middle of its own
    /// weight; between two values the result is interpolated linearly. `None` without values.
    pub(crate) fn quantile(&self, share: f64) -> Option<f64> {
        let (first, last) = (self.values.first()?, self.values.last()?);
        let (mut before, mut lower) = (0.0, None);
        for (value, weight) in &self.values {
            let middle = (before + weight / 2.0) / self.total;
            if share <= middle {
                return Some(match lower {
                    Some((at, below)) if middle > at => below + (value - below) * (share - at) / (middle - at),
                    _ => first.0.max(lower.map_or(*value, |(_, below)| below)),
                });
            }
            lower = Some((middle, *value));
            before += weight;
        }
        Some(last.0)
    }

    /// Kish's effective sample size: how many equally weighted values these count as.
    pub(crate) fn effective_size(&self) -> f64 {
        let squares: f64 = self.values.iter().map(|(_, weight)| weight * weight).sum();
        if squares > 0.0 {
            self.total * self.total / squares
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn equal(values: &[f64]) -> WeightedValues {
        WeightedValues::new(values.iter().map(|value| (*value, 1.0)))
    }

    #[test]
    fn quantiles_that_can_be_checked_by_hand() {
        let five = equal(&[50.0, 10.0, 30.0, 20.0, 40.0]);
        assert_eq!(five.quantile(0.5), Some(30.0));
        assert_eq!(five.quantile(0.1), Some(10.0));
        assert_eq!(five.quantile(0.9), Some(50.0));
        assert_eq!(
            five.quantile(0.25),
            Some(17.5),
            "0.25 is 3/4 of the way from the middle of the first value to that of the second"
        );
        assert_eq!(equal(&[7.0]).quantile(0.99), Some(7.0));
        assert_eq!(equal(&[]).quantile(0.5), None);
        // Three quarters of the weight at 2.
        let heavy = WeightedValues::new([(1.0, 1.0), (2.0, 3.0)].into_iter());
        assert_eq!(heavy.quantile(0.625), Some(2.0));
        assert_eq!(heavy.quantile(0.125), Some(1.0));
        assert_eq!(heavy.quantile(0.375), Some(1.5));
    }

    #[test]
    fn effective_size_by_hand() {
        assert_eq!(equal(&[1.0, 2.0, 3.0, 4.0]).effective_size(), 4.0);
        let one_dominates = WeightedValues::new([(1.0, 1.0), (2.0, 0.001)].into_iter());
        assert!(one_dominates.effective_size() < 1.01);
        assert_eq!(WeightedValues::default().effective_size(), 0.0);
        // (3 + 1)² / (9 + 1)
        assert_eq!(
            WeightedValues::new([(1.0, 3.0), (2.0, 1.0)].into_iter()).effective_size(),
            1.6
        );
    }

    proptest! {
        /// An integer weight n counts as n equal values.
        #[test]
        fn a_value_is_the_quantile_at_the_middle_of_its_weight(parts in proptest::collection::vec((0i32..50, 1u32..6), 1..12)) {
            let weighted =
                WeightedValues::new(parts.iter().map(|(value, weight)| (f64::from(*value), f64::from(*weight))));
            let mut sorted = parts.clone();
            sorted.sort_unstable();
            let total: u32 = sorted.iter().map(|(_, weight)| weight).sum();
            let mut before = 0;
            for (value, weight) in sorted {
                let middle = (f64::from(before) + f64::from(weight) / 2.0) / f64::from(total);
                prop_assert!((weighted.quantile(middle).unwrap() - f64::from(value)).abs() < 1e-9);
                before += weight;
            }
        }

        #[test]
        fn quantiles_ascend_and_stay_in_range(parts in proptest::collection::vec((0.0f64..9.0, 0.001f64..5.0), 1..20), scale in 0.01f64..100.0) {
            let weighted = WeightedValues::new(parts.iter().copied());
            let scaled = WeightedValues::new(parts.iter().map(|(value, weight)| (*value, weight * scale)));
            let (min, max) = parts.iter().fold((9.0f64, 0.0f64), |(a, b), (value, _)| (a.min(*value), b.max(*value)));
            let mut last = min;
            for percent in 0..=100 {
                let share = f64::from(percent) / 100.0;
                let value = weighted.quantile(share).unwrap();
                prop_assert!(value >= last - 1e-9 && value <= max + 1e-9);
                prop_assert!((value - scaled.quantile(share).unwrap()).abs() < 1e-6);
                last = value;
            }
            prop_assert!(weighted.effective_size() <= parts.len() as f64 + 1e-9 && weighted.effective_size() >= 1.0 - 1e-9);
        }
    }
}
