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

/// A thread that repeats one step at an interval until it is stopped.
pub(crate) struct PeriodicWorker {
    name: &'static str,
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
    last_step: LastStep,
}

/// When a thread last completed a step.
#[derive(Clone)]
pub(crate) struct LastStep(Arc<Mutex<Instant>>);

/// Whether a thread still completes its steps.
#[derive(Clone)]
pub(crate) struct Heartbeat {
    pub(crate) name: &'static str,
    last_step: LastStep,
    /// How long after its last step the thread counts as stuck.
    stuck_after: Duration,
}

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
        let (last_step, failures) = (LastStep::now(), metrics.background_failures(name));
        let own_last_step = last_step.clone();
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
                own_last_step.completed();
            }
        });
        let thread = thread.with_context(|| format!("starting the {name} worker"))?;
        Ok(PeriodicWorker {
            name,
            stop,
            thread,
            last_step,
        })
    }

    /// For the watchdog: without a completed step for `stuck_after`, the worker counts as stuck.
    pub(crate) fn heartbeat(&self, stuck_after: Duration) -> Heartbeat {
        self.last_step.heartbeat(self.name, stuck_after)
    }

    /// Waits for the current step and ends the thread.
    pub(crate) fn stop(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            log::error!("a background worker panicked");
        }
    }
}

impl LastStep {
    pub(crate) fn now() -> LastStep {
        LastStep(Arc::new(Mutex::new(Instant::now())))
    }

    pub(crate) fn completed(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub(crate) fn heartbeat(&self, name: &'static str, stuck_after: Duration) -> Heartbeat {
        Heartbeat {
            name,
            last_step: self.clone(),
            stuck_after,
        }
    }
}

impl Heartbeat {
    pub(crate) fn is_alive(&self) -> bool {
        let last = self.last_step.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.elapsed() < self.stuck_after
    }

    /// Whether the thread has ended, so that nothing completes steps from now on.
    pub(crate) fn is_abandoned(&self) -> bool {
        Arc::strong_count(&self.last_step.0) == 1
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
        assert!(worker.heartbeat(Duration::from_secs(600)).is_alive());
        worker.stop();
        assert_eq!(metrics.background_failures("test").get(), 2);
    }

    #[test]
    fn a_worker_without_a_recent_step_is_not_alive() {
        let last_step = LastStep::now();
        assert!(last_step.heartbeat("test", Duration::from_secs(600)).is_alive());
        let heartbeat = last_step.heartbeat("test", Duration::ZERO);
        assert!(!heartbeat.is_alive() && !heartbeat.is_abandoned());
        drop(last_step);
        assert!(heartbeat.is_abandoned());
    }
}
