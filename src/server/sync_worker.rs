//! Keeps keys and request counts in step with the state database.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::{http::metrics::Metrics, server::worker::PeriodicWorker, state::sync::StateSync};

/// How often keys are read and counts are written. A new key works, and a revoked one fails, within
/// this time. A crash loses the counts of this time at most.
const INTERVAL: Duration = Duration::from_secs(1);

/// The longest time that a step may take: several waits of a second for another process's lock.
pub(crate) const STUCK_AFTER: Duration = Duration::from_secs(60);

pub(crate) fn start(
    mut sync: StateSync,
    metrics: &Metrics,
    now: fn() -> DateTime<Utc>,
) -> anyhow::Result<PeriodicWorker> {
    let mut last_error = String::new();
    let step = move || match sync.step(now()) {
        Ok(has_changed) => {
            last_error.clear();
            if has_changed {
                log::info!("the API keys were read again");
            }
            true
        }
        Err(error) => {
            let error = format!("{error:#}");
            if error != last_error {
                log::error!("cannot synchronize the keys and counts, the last known ones stay in force: {error}");
                last_error = error;
            }
            false
        }
    };
    PeriodicWorker::start("state", INTERVAL, metrics, step)
}
