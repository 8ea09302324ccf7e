//! How far a range must be stretched to hold as often as it says: learned from a generation's own contracts, and kept beside its index.
//!
//! A contract of the index is hidden with all that came later, estimated, and found again: how far off the estimate was, measured in the spread its comparables
//! had, is a draw from how far off the next one will be (split conformal prediction). The quantiles of such draws, a rung of the ladder at
//! a time and leaned on all of them where a rung has few, are what an estimate's spread is multiplied by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::catalog::market::{
    answer::{Confidence, Level},
    percentiles::Weighted,
};

/// The shares of the value's distribution that are told, without the median.
pub const TAILS: [f64; 4] = [0.10, 0.25, 0.75, 0.90];

/// What a generation knows of its own estimates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// How many contracts it was learned from; none: the figures are [`Calibration::default`]'s.
    pub contracts: usize,
    /// How far from the median the [`TAILS`] usually lie, in powers of ten.
    pub typical: [f64; 4],
    /// By what each distance is multiplied.
    pub stretch: [f64; 4],
    /// The same on one rung.
    pub levels: BTreeMap<Level, [f64; 4]>,
}

/// Fewer hidden contracts teach less than what is known without them.
const FEWEST: usize = 100;

/// As many contracts as all rungs together count for on each one.
const LEANING: f64 = 100.0;

/// As many comparables as the typical spread counts for beside those of an item.
const TYPICAL: f64 = 10.0;

/// The least spread and the least stretch: no set of equal prices makes an estimate certain.
const LEAST: f64 = 0.01;

/// What one hidden contract taught.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub level: Level,
    pub spread: Spread,
    /// Of the true value, in powers of ten above the median.
    pub residual: f64,
}

/// The median of the comparables and how far from it their [`TAILS`] lie, as they are.
#[derive(Clone, Debug)]
pub struct Spread {
    pub median: f64,
    pub distances: [f64; 4],
    pub effective: f64,
}

impl Default for Calibration {
    /// Somewhat wider than what 1,500 real contracts taught (0.43, 0.24, 0.29, 0.64; stretches of about 0.95), for an index with too few of its own.
    fn default() -> Calibration {
        Calibration {
            contracts: 0,
            typical: [0.50, 0.28, 0.33, 0.75],
            stretch: [1.05; 4],
            levels: BTreeMap::new(),
        }
    }
}

impl Spread {
    pub fn of(weighted: &Weighted) -> Option<Spread> {
        let median = weighted.at(0.5)?;
        Some(Spread {
            median,
            distances: TAILS.map(|share| (weighted.at(share).unwrap_or(median) - median).abs()),
            effective: weighted.effective(),
        })
    }

    /// The distances, leaned on the typical ones: few comparables know little of how prices spread.
    fn leaned(&self, typical: &[f64; 4]) -> [f64; 4] {
        let mut distances = self.distances;
        for (distance, typical) in distances.iter_mut().zip(typical) {
            *distance = (*distance * self.effective + typical * TYPICAL) / (self.effective + TYPICAL);
            *distance = distance.max(LEAST);
        }
        distances
    }
}

impl Calibration {
    pub fn learn(lessons: &[Lesson]) -> Calibration {
        if lessons.len() < FEWEST {
            return Calibration::default();
        }
        let mut typical = [0.0; 4];
        for lesson in lessons {
            for (sum, distance) in typical.iter_mut().zip(lesson.spread.distances) {
                *sum += distance / lessons.len() as f64;
            }
        }
        let all: Vec<&Lesson> = lessons.iter().collect();
        let stretch = stretches(&all, &typical);
        let mut levels = BTreeMap::new();
        for level in Level::ALL {
            let own: Vec<&Lesson> = lessons.iter().filter(|lesson| lesson.level == level).collect();
            if own.is_empty() {
                continue;
            }
            let count = own.len() as f64;
            let mut leaned = stretches(&own, &typical);
            for (own, all) in leaned.iter_mut().zip(stretch) {
                *own = (*own * count + all * LEANING) / (count + LEANING);
            }
            levels.insert(level, leaned);
        }
        Calibration {
            contracts: lessons.len(),
            typical,
            stretch,
            levels,
        }
    }

    /// How far from the median the [`TAILS`] are to be told.
    pub fn distances(&self, level: Level, spread: &Spread) -> [f64; 4] {
        let stretch = self.levels.get(&level).unwrap_or(&self.stretch);
        let mut distances = spread.leaned(&self.typical);
        for (distance, stretch) in distances.iter_mut().zip(stretch) {
            *distance *= stretch;
        }
        // The tenth lies outside the quarter.
        [
            distances[0].max(distances[1]),
            distances[1],
            distances[2],
            distances[3].max(distances[2]),
        ]
    }
}

/// By what the distances must be multiplied so that each tail holds its share of the lessons.
fn stretches(lessons: &[&Lesson], typical: &[f64; 4]) -> [f64; 4] {
    let mut stretch = [0.0; 4];
    for (tail, (stretch, share)) in stretch.iter_mut().zip(TAILS).enumerate() {
        let (side, within) = if share < 0.5 { (-1.0, 1.0 - share) } else { (1.0, share) };
        let scaled = lessons.iter().map(|lesson| {
            let distance = lesson.spread.leaned(typical)[tail];
            (side * lesson.residual / distance, 1.0)
        });
        *stretch = Weighted::new(scaled).at(within).unwrap_or(1.0).max(LEAST);
    }
    stretch
}

/// How sure one may be, by how far the middle half of the outcomes is spread: `high` up to 2.5 times from p25 to p75, `medium` up to five times. Few contracts
/// that share little with the item make nobody sure, however alike their prices.
pub fn confidence(level: Level, spread: &Spread, distances: &[f64; 4]) -> Confidence {
    let is_thin = level >= Level::CategoryAndText && spread.effective < THIN;
    match 10f64.powf(distances[1] + distances[2]) {
        _ if is_thin => Confidence::Low,
        times if times <= 2.5 => Confidence::High,
        times if times <= 5.0 => Confidence::Medium,
        _ => Confidence::Low,
    }
}

/// Fewer contracts than this, counted by weight, are few.
const THIN: f64 = 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// Residuals spread twice as wide as the comparables' values, evenly: -1 to 1 where the tails say ±0.4 and ±0.25.
    fn lessons(count: usize) -> Vec<Lesson> {
        let lesson = |n: usize| Lesson {
            level: Level::Code,
            spread: Spread {
                median: 4.0,
                distances: [0.4, 0.25, 0.25, 0.4],
                effective: 50.0,
            },
            residual: (n as f64 + 0.5) / count as f64 * 2.0 - 1.0,
        };
        (0..count).map(lesson).collect()
    }

    #[test]
    fn what_was_too_narrow_is_stretched_to_hold() {
        let learned = Calibration::learn(&lessons(1000));
        let spread = lessons(1).remove(0).spread;
        let distances = learned.distances(Level::Code, &spread);
        for (distance, expected) in distances.iter().zip([0.8, 0.5, 0.5, 0.8]) {
            assert!((distance - expected).abs() < 0.01, "{distances:?}");
        }
        let unmet = learned.distances(Level::CodeFamily, &spread);
        assert!(
            (unmet[0] - 0.8).abs() < 0.01,
            "a rung without contracts has what all have: {unmet:?}"
        );
    }

    #[test]
    fn too_few_contracts_teach_nothing() {
        assert_eq!(Calibration::learn(&lessons(FEWEST - 1)), Calibration::default());
        assert_eq!(Calibration::learn(&lessons(FEWEST)).contracts, FEWEST);
    }

    #[test]
    fn it_reads_back_what_it_writes() {
        let learned = Calibration::learn(&lessons(500));
        let json = serde_json::to_vec(&learned).unwrap();
        assert_eq!(serde_json::from_slice::<Calibration>(&json).unwrap(), learned);
    }
}
