//! Durations whose percentiles decide whether a campaign passes.

use std::time::Duration;

#[derive(Debug, Default)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    pub fn add(&mut self, took: Duration) {
        self.0.push(took);
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// By nearest rank. Zero if nothing was measured.
    pub fn percentile(&mut self, percent: usize) -> Duration {
        self.0.sort_unstable();
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or_default()
    }

    /// Median, 99th percentile and worst in milliseconds.
    pub fn milliseconds(&mut self) -> String {
        let [p50, p99, worst] = [50, 99, 100].map(|percent| self.percentile(percent).as_secs_f64() * 1_000.0);
        format!("{p50:.1}/{p99:.1}/{worst:.1}")
    }
}
