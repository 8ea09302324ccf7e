//! Background threads that repeat one step.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::http::metrics::Metrics;

/// How long after its last step a worker counts as stuck. The longest step reads all files of a new
/// generation.
const STUCK_AFTER: Duration = Duration::from_secs(600);

/// A thread that repeats one step at an interval until it is stopped.
pub(crate) struct PeriodicWorker {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
    heartbeat: Heartbeat,
}

/// When a worker last completed a step.
#[derive(Clone)]
pub(crate) struct Heartbeat(Arc<Mutex<Instant>>);

impl PeriodicWorker {
    /// Calls `step` at the interval. A step returns whether it succeeded; failures and panics are
    /// counted, and the next step runs nevertheless.
    pub(crate) fn start(
        name: &'static str,
        interval: Duration,
        metrics: &Metrics,
        mut step: impl FnMut() -> bool + Send + 'static,
    ) -> anyhow::Result<PeriodicWorker> {
        let (stop, stopped) = mpsc::channel();
        let (heartbeat, failures) = (Heartbeat::now(), metrics.background_failures(name));
        let own_heartbeat = heartbeat.clone();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                // The next step repeats what a panicking one left undone.
                let has_succeeded = catch_unwind(AssertUnwindSafe(&mut step)).unwrap_or_else(|_| {
                    log::error!("a step of the {name} worker panicked (its message is above); the worker goes on");
                    false
                });
                if !has_succeeded {
                    failures.inc();
                }
                own_heartbeat.beat();
            }
        });
        let thread = thread.with_context(|| format!("starting the {name} worker"))?;
        Ok(PeriodicWorker {
            stop,
            thread,
            heartbeat,
        })
    }

    pub(crate) fn heartbeat(&self) -> Heartbeat {
        self.heartbeat.clone()
    }

    /// Waits for the current step and ends the thread.
    pub(crate) fn stop(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            log::error!("a background worker panicked");
        }
    }
}

impl Heartbeat {
    fn now() -> Heartbeat {
        Heartbeat(Arc::new(Mutex::new(Instant::now())))
    }

    fn beat(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Whether the worker has completed a step recently.
    pub(crate) fn is_alive(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < STUCK_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_step_is_counted_and_called_again() {
        let (stepped, steps) = mpsc::channel();
        let metrics = Metrics::default();
        let mut number = 0;
        let step = move || {
            number += 1;
            stepped.send(number).unwrap();
            assert!(number != 1, "on purpose");
            number != 2
        };
        let worker = PeriodicWorker::start("test", Duration::from_millis(1), &metrics, step).unwrap();
        for expected in 1..=4 {
            assert_eq!(steps.recv_timeout(Duration::from_secs(10)), Ok(expected));
        }
        assert!(worker.heartbeat().is_alive());
        worker.stop();
        assert_eq!(metrics.background_failures("test").get(), 2);
    }

    #[test]
    fn a_worker_without_a_recent_step_is_not_alive() {
        let Some(long_ago) = Instant::now().checked_sub(STUCK_AFTER) else {
            return;
        };
        let heartbeat = Heartbeat(Arc::new(Mutex::new(long_ago)));
        assert!(!heartbeat.is_alive());
        heartbeat.beat();
        assert!(heartbeat.is_alive());
    }
}
