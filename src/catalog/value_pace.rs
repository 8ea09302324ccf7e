//! How long it takes to estimate the value of one tender.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Decision D-153: an exponentially weighted mean of the measured times.
#[derive(Default)]
pub(crate) struct ValuePace(Mutex<Option<Measured>>);

#[derive(Clone, Copy)]
struct Measured {
    mean: Duration,
    last: Instant,
}

/// The weight of a new measurement. About the last thirty values count.
const WEIGHT: f64 = 1.0 / 16.0;

/// The mean is forgotten after this time without a measurement. A mean that is too long refuses the
/// requests that would correct it, so it must not last.
const MAX_AGE: Duration = Duration::from_secs(10);

impl ValuePace {
    /// The mean; `None` if nothing was measured lately.
    pub(crate) fn mean(&self) -> Option<Duration> {
        self.at(Instant::now())
    }

    /// Adds a measurement.
    pub(crate) fn measured(&self, took: Duration) {
        self.measured_at(took, Instant::now());
    }

    fn at(&self, now: Instant) -> Option<Duration> {
        let measured = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = measured.filter(|measured| now.saturating_duration_since(measured.last) <= MAX_AGE);
        recent.map(|measured| measured.mean)
    }

    fn measured_at(&self, took: Duration, now: Instant) {
        let mean = match self.at(now) {
            Some(mean) => mean.mul_f64(1.0 - WEIGHT) + took.mul_f64(WEIGHT),
            None => took,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Measured { mean, last: now });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_follows_the_measurements_and_is_forgotten() {
        let (pace, start) = (ValuePace::default(), Instant::now());
        let millis = Duration::from_millis;
        assert_eq!(pace.at(start), None);
        pace.measured_at(millis(20), start);
        assert_eq!(pace.at(start), Some(millis(20)));
        for _ in 0..100 {
            pace.measured_at(millis(100), start);
        }
        let mean = pace.at(start + MAX_AGE).unwrap();
        assert!((millis(99)..=millis(100)).contains(&mean), "{mean:?}");
        let later = start + MAX_AGE + millis(1);
        assert_eq!(pace.at(later), None);
        pace.measured_at(millis(5), later);
        assert_eq!(pace.at(later), Some(millis(5)));
    }
}
