//! How much wider a range must be than the spread of its comparables. Measured on a generation's
//! own contracts and stored with its index (`calibration.json`).
//!
//! A contract of the index is held out together with everything later, and estimated. How far off
//! the estimate was, in units of the spread of its comparables, is one sample of how far off the
//! next estimate will be (split conformal prediction). An estimate's spread is multiplied by the
//! quantiles of these samples. They are taken per match level, and shrunk towards those of all
//! levels where a level has few samples.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    answer::{Confidence, MatchLevel},
    percentiles::WeightedValues,
};

/// The quantiles that are estimated, apart from the median.
pub(crate) const TAILS: [f64; 4] = [0.10, 0.25, 0.75, 0.90];

/// How wide the ranges of estimates must be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The number of contracts it was measured on. 0 means the figures of [`Calibration::default`].
    pub contracts: usize,
    /// The usual distance of the [`TAILS`] from the median, as powers of ten.
    pub(crate) typical: [f64; 4],
    /// The factor of each distance.
    pub(crate) stretch: [f64; 4],
    /// The factors of one match level.
    pub(crate) levels: BTreeMap<MatchLevel, [f64; 4]>,
}

/// With fewer samples the default is better.
pub(crate) const MIN_SAMPLES: usize = 100;

/// The factors of all levels count as this many samples of each level.
const ALL_LEVELS_WEIGHT: f64 = 100.0;

/// The typical spread counts as this many comparables of an item.
const TYPICAL_SPREAD_WEIGHT: f64 = 10.0;

/// The smallest spread and the smallest factor: equal prices never make an estimate certain.
const MIN_SPREAD: f64 = 0.01;

/// With an effective sample size below this, a distant match level gives low confidence.
const FEW_CONTRACTS: f64 = 8.0;

/// The estimate of one held-out contract, compared with its value.
#[derive(Clone, Debug)]
pub(crate) struct CalibrationSample {
    pub(crate) level: MatchLevel,
    pub(crate) spread: EstimateSpread,
    /// How far the true value is above the median, as a power of ten.
    pub(crate) residual: f64,
}

/// The median of the comparables, and the distance of their [`TAILS`] from it, as powers of ten,
/// uncalibrated.
#[derive(Clone, Debug)]
pub(crate) struct EstimateSpread {
    pub(crate) median: f64,
    pub(crate) distances: [f64; 4],
    pub(crate) effective_size: f64,
}

impl Default for Calibration {
    /// For an index with too few contracts of its own. Somewhat wider than what was measured on
    /// 1,500 real contracts (0.43, 0.24, 0.29, 0.64; factors of about 0.95).
    fn default() -> Calibration {
        Calibration {
            contracts: 0,
            typical: [0.50, 0.28, 0.33, 0.75],
            stretch: [1.05; 4],
            levels: BTreeMap::new(),
        }
    }
}

impl EstimateSpread {
    /// `None` without values.
    pub(crate) fn of(values: &WeightedValues) -> Option<EstimateSpread> {
        let median = values.quantile(0.5)?;
        Some(EstimateSpread {
            median,
            distances: TAILS.map(|share| (values.quantile(share).unwrap_or(median) - median).abs()),
            effective_size: values.effective_size(),
        })
    }

    /// The distances, shrunk towards the typical ones: few comparables are little evidence of how
    /// much prices differ.
    fn shrunk_distances(&self, typical: &[f64; 4]) -> [f64; 4] {
        let mut distances = self.distances;
        for (distance, typical) in distances.iter_mut().zip(typical) {
            *distance = (*distance * self.effective_size + typical * TYPICAL_SPREAD_WEIGHT)
                / (self.effective_size + TYPICAL_SPREAD_WEIGHT);
            *distance = distance.max(MIN_SPREAD);
        }
        distances
    }
}

impl Calibration {
    pub(crate) fn of_samples(samples: &[CalibrationSample]) -> Calibration {
        if samples.len() < MIN_SAMPLES {
            return Calibration::default();
        }
        let mut typical = [0.0; 4];
        for sample in samples {
            for (sum, distance) in typical.iter_mut().zip(sample.spread.distances) {
                *sum += distance / samples.len() as f64;
            }
        }
        let all: Vec<&CalibrationSample> = samples.iter().collect();
        let stretch = stretch_factors(&all, &typical);
        let mut levels = BTreeMap::new();
        for level in MatchLevel::ALL {
            let own: Vec<&CalibrationSample> = samples.iter().filter(|sample| sample.level == level).collect();
            if own.is_empty() {
                continue;
            }
            let count = own.len() as f64;
            let mut factors = stretch_factors(&own, &typical);
            for (own, all) in factors.iter_mut().zip(stretch) {
                *own = (*own * count + all * ALL_LEVELS_WEIGHT) / (count + ALL_LEVELS_WEIGHT);
            }
            levels.insert(level, factors);
        }
        Calibration {
            contracts: samples.len(),
            typical,
            stretch,
            levels,
        }
    }

    /// The calibrated distance of the [`TAILS`] from the median, as powers of ten.
    pub(crate) fn distances(&self, level: MatchLevel, spread: &EstimateSpread) -> [f64; 4] {
        let factors = self.levels.get(&level).unwrap_or(&self.stretch);
        let mut distances = spread.shrunk_distances(&self.typical);
        for (distance, factor) in distances.iter_mut().zip(factors) {
            *distance *= factor;
        }
        // p10 is never closer to the median than p25, nor p90 than p75.
        [
            distances[0].max(distances[1]),
            distances[1],
            distances[2],
            distances[3].max(distances[2]),
        ]
    }
}

/// The factors of the distances with which each tail has its share of the samples.
fn stretch_factors(samples: &[&CalibrationSample], typical: &[f64; 4]) -> [f64; 4] {
    let mut factors = [0.0; 4];
    for (tail, (factor, share)) in factors.iter_mut().zip(TAILS).enumerate() {
        let (side, within) = if share < 0.5 { (-1.0, 1.0 - share) } else { (1.0, share) };
        let scaled = samples.iter().map(|sample| {
            let distance = sample.spread.shrunk_distances(typical)[tail];
            (side * sample.residual / distance, 1.0)
        });
        *factor = WeightedValues::new(scaled)
            .quantile(within)
            .unwrap_or(1.0)
            .max(MIN_SPREAD);
    }
    factors
}

/// The confidence, by the ratio of p75 to p25: `high` up to 2.5, `medium` up to 5. Few contracts
/// that share little with the item give low confidence, however similar their prices are.
pub(crate) fn confidence(level: MatchLevel, spread: &EstimateSpread, distances: &[f64; 4]) -> Confidence {
    let ratio = 10f64.powf(distances[1] + distances[2]);
    if level >= MatchLevel::CategoryAndText && spread.effective_size < FEW_CONTRACTS {
        Confidence::Low
    } else if ratio <= 2.5 {
        Confidence::High
    } else if ratio <= 5.0 {
        Confidence::Medium
    } else {
        Confidence::Low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Residuals spread evenly from -1 to 1, twice as wide as the comparables' tails (±0.4 and
    /// ±0.25).
    fn samples(count: usize) -> Vec<CalibrationSample> {
        let sample = |n: usize| CalibrationSample {
            level: MatchLevel::Code,
            spread: EstimateSpread {
                median: 4.0,
                distances: [0.4, 0.25, 0.25, 0.4],
                effective_size: 50.0,
            },
            residual: (n as f64 + 0.5) / count as f64 * 2.0 - 1.0,
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn ranges_that_were_too_narrow_are_stretched() {
        let calibration = Calibration::of_samples(&samples(1000));
        let spread = samples(1).remove(0).spread;
        let distances = calibration.distances(MatchLevel::Code, &spread);
        for (distance, expected) in distances.iter().zip([0.8, 0.5, 0.5, 0.8]) {
            assert!((distance - expected).abs() < 0.01, "{distances:?}");
        }
        let without_samples = calibration.distances(MatchLevel::CodeFamily, &spread);
        assert!(
            (without_samples[0] - 0.8).abs() < 0.01,
            "a level without samples has the factors of all: {without_samples:?}"
        );
    }

    #[test]
    fn too_few_samples_give_the_default() {
        assert_eq!(
            Calibration::of_samples(&samples(MIN_SAMPLES - 1)),
            Calibration::default()
        );
        assert_eq!(Calibration::of_samples(&samples(MIN_SAMPLES)).contracts, MIN_SAMPLES);
    }

    #[test]
    fn it_is_read_back_as_it_was_written() {
        let calibration = Calibration::of_samples(&samples(500));
        let json = serde_json::to_vec(&calibration).unwrap();
        assert_eq!(serde_json::from_slice::<Calibration>(&json).unwrap(), calibration);
    }
}
