//! Weighted values: their percentiles, and as how many equal ones they count.

/// Values in ascending order, each with its weight.
#[derive(Debug, Default)]
pub struct Weighted {
    values: Vec<(f64, f64)>,
    total: f64,
}

impl Weighted {
    /// What has no weight, or no number, is left out.
    pub fn new(values: impl Iterator<Item = (f64, f64)>) -> Weighted {
        let mut values: Vec<(f64, f64)> = values
            .filter(|(value, weight)| value.is_finite() && *weight > 0.0 && weight.is_finite())
            .collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let total = values.iter().map(|(_, weight)| weight).sum();
        Weighted { values, total }
    }

    /// The value below which a share of the weight lies. Each value stands in the middle of its own weight, and between two of them one goes straight.
    pub fn at(&self, share: f64) -> Option<f64> {
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

    /// Kish's effective sample size.
    pub fn effective(&self) -> f64 {
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

    fn equal(values: &[f64]) -> Weighted {
        Weighted::new(values.iter().map(|value| (*value, 1.0)))
    }

    #[test]
    fn percentiles_one_can_say_on_paper() {
        let five = equal(&[50.0, 10.0, 30.0, 20.0, 40.0]);
        assert_eq!(five.at(0.5), Some(30.0));
        assert_eq!(five.at(0.1), Some(10.0));
        assert_eq!(five.at(0.9), Some(50.0));
        assert_eq!(
            five.at(0.25),
            Some(17.5),
            "a quarter lies 3/4 of the way from the middle of the first to that of the second"
        );
        assert_eq!(equal(&[7.0]).at(0.99), Some(7.0));
        assert_eq!(equal(&[]).at(0.5), None);
        // Three parts of four at 2: the median is there or nearly.
        let heavy = Weighted::new([(1.0, 1.0), (2.0, 3.0)].into_iter());
        assert_eq!(heavy.at(0.625), Some(2.0));
        assert_eq!(heavy.at(0.125), Some(1.0));
        assert_eq!(heavy.at(0.375), Some(1.5));
    }

    #[test]
    fn as_many_as_are_equal() {
        assert_eq!(equal(&[1.0, 2.0, 3.0, 4.0]).effective(), 4.0);
        let one_and_crumbs = Weighted::new([(1.0, 1.0), (2.0, 0.001)].into_iter());
        assert!(one_and_crumbs.effective() < 1.01);
        assert_eq!(Weighted::default().effective(), 0.0);
        // (3 + 1)² / (9 + 1)
        assert_eq!(Weighted::new([(1.0, 3.0), (2.0, 1.0)].into_iter()).effective(), 1.6);
    }

    proptest! {
        /// The obvious model: whole weights are so many equal values, and between two places the share decides.
        #[test]
        fn whole_weights_keep_their_middles(parts in proptest::collection::vec((0i32..50, 1u32..6), 1..12)) {
            let weighted = Weighted::new(parts.iter().map(|(value, weight)| (f64::from(*value), f64::from(*weight))));
            let mut sorted = parts.clone();
            sorted.sort_unstable();
            let total: u32 = sorted.iter().map(|(_, weight)| weight).sum();
            let mut before = 0;
            for (value, weight) in sorted {
                let middle = (f64::from(before) + f64::from(weight) / 2.0) / f64::from(total);
                prop_assert!((weighted.at(middle).unwrap() - f64::from(value)).abs() < 1e-9);
                before += weight;
            }
        }

        #[test]
        fn percentiles_rise_and_stay_within(parts in proptest::collection::vec((0.0f64..9.0, 0.001f64..5.0), 1..20), scale in 0.01f64..100.0) {
            let weighted = Weighted::new(parts.iter().copied());
            let scaled = Weighted::new(parts.iter().map(|(value, weight)| (*value, weight * scale)));
            let (least, most) = parts.iter().fold((9.0f64, 0.0f64), |(a, b), (value, _)| (a.min(*value), b.max(*value)));
            let mut last = least;
            for percent in 0..=100 {
                let share = f64::from(percent) / 100.0;
                let value = weighted.at(share).unwrap();
                prop_assert!(value >= last - 1e-9 && value <= most + 1e-9);
                prop_assert!((value - scaled.at(share).unwrap()).abs() < 1e-6);
                last = value;
            }
            prop_assert!(weighted.effective() <= parts.len() as f64 + 1e-9 && weighted.effective() >= 1.0 - 1e-9);
        }
    }
}
