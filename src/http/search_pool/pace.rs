//! How long a job of a kind takes: an exponentially weighted mean of the measured times.

use std::{collections::HashMap, time::Duration};

use crate::http::metrics::{LaneMetrics, PaceGauge};

/// What a job does, such as the path template of its request. Each kind has a pace of its own.
pub(crate) type Kind = &'static str;

/// Decision D-144: the weight of a new measurement. About the last sixteen jobs count.
const WEIGHT: f64 = 1.0 / 8.0;

/// The paces of a lane. The kinds are fixed texts of the program, so their number is bounded.
pub(super) struct Paces {
    known: HashMap<Kind, Pace>,
    /// What a job takes of which nothing is known yet.
    unknown: Duration,
}

struct Pace {
    /// The mean, in seconds.
    seconds: f64,
    gauge: PaceGauge,
}

impl Paces {
    pub(super) fn new(unknown: Duration) -> Paces {
        Paces {
            known: HashMap::new(),
            unknown,
        }
    }

    pub(super) fn of(&self, kind: Kind) -> Duration {
        let pace = self.known.get(kind);
        pace.map_or(self.unknown, |pace| Duration::from_secs_f64(pace.seconds))
    }

    /// The pace if a job that has run for so long ended now.
    pub(super) fn with(&self, kind: Kind, running_for: Duration) -> Duration {
        let mean = self.of(kind);
        mean + running_for.saturating_sub(mean).mul_f64(WEIGHT)
    }

    /// Adds a measurement.
    pub(super) fn measured(&mut self, kind: Kind, took: Duration, metrics: &LaneMetrics) {
        let pace = self.known.entry(kind).or_insert_with(|| Pace {
            seconds: self.unknown.as_secs_f64(),
            gauge: metrics.pace(kind),
        });
        pace.seconds += (took.as_secs_f64() - pace.seconds) * WEIGHT;
        pace.gauge.set(pace.seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_follows_the_measurements_of_its_kind() {
        let mut paces = Paces::new(Duration::from_millis(20));
        assert_eq!(paces.of("feed"), Duration::from_millis(20));
        for _ in 0..40 {
            paces.measured("feed", Duration::from_millis(100), &LaneMetrics::default());
        }
        assert!((95..=100).contains(&paces.of("feed").as_millis()));
        assert_eq!(paces.of("stats"), Duration::from_millis(20));
        assert_eq!(
            paces.with("stats", Duration::from_millis(10)),
            Duration::from_millis(20)
        );
        assert_eq!(
            paces.with("stats", Duration::from_millis(820)),
            Duration::from_millis(120)
        );
    }
}
