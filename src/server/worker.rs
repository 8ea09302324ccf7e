//! Threads beside the requests: each does one step again and again, and nothing that a step does ends it.

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

/// How long a step may take before its thread counts as stuck: the longest one reads all files of a new generation.
const STUCK: Duration = Duration::from_secs(600);

/// A thread beside the requests, which ends when asked to.
pub struct Beside {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
    pulse: Pulse,
}

/// When a thread last came to the end of a step.
#[derive(Clone)]
pub struct Pulse(Arc<Mutex<Instant>>);

impl Beside {
    /// Calls `step` again and again, `every` apart; it tells whether it went well. One that panics is called again.
    pub fn start(
        name: &'static str,
        every: Duration,
        metrics: &Metrics,
        mut step: impl FnMut() -> bool + Send + 'static,
    ) -> anyhow::Result<Beside> {
        let (stop, stopped) = mpsc::channel();
        let (pulse, failures) = (Pulse::now(), metrics.background_failures(name));
        let beat = pulse.clone();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                // What a step leaves half done, the next one does again.
                let went_well = catch_unwind(AssertUnwindSafe(&mut step)).unwrap_or_else(|_| {
                    log::error!(
                        "a step of the {name} thread panicked; its message stands above, and the thread goes on"
                    );
                    false
                });
                if !went_well {
                    failures.inc();
                }
                beat.beat();
            }
        });
        let thread = thread.with_context(|| format!("starting the {name} thread"))?;
        Ok(Beside { stop, thread, pulse })
    }

    pub fn pulse(&self) -> Pulse {
        self.pulse.clone()
    }

    pub fn end(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            log::error!("a background thread panicked");
        }
    }
}

impl Pulse {
    fn now() -> Pulse {
        Pulse(Arc::new(Mutex::new(Instant::now())))
    }

    fn beat(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Whether the thread has stepped lately.
    pub fn is_felt(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < STUCK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_panics_is_counted_and_called_again() {
        let (stepped, steps) = mpsc::channel();
        let metrics = Metrics::default();
        let mut number = 0;
        let step = move || {
            number += 1;
            stepped.send(number).unwrap();
            assert!(number != 1, "on purpose");
            number != 2
        };
        let beside = Beside::start("test", Duration::from_millis(1), &metrics, step).unwrap();
        for expected in 1..=4 {
            assert_eq!(steps.recv_timeout(Duration::from_secs(10)), Ok(expected));
        }
        assert!(beside.pulse().is_felt());
        beside.end();
        assert_eq!(metrics.background_failures("test").get(), 2);
    }

    #[test]
    fn a_thread_that_has_not_stepped_for_long_counts_as_stuck() {
        let Some(long_ago) = Instant::now().checked_sub(STUCK) else {
            return;
        };
        let pulse = Pulse(Arc::new(Mutex::new(long_ago)));
        assert!(!pulse.is_felt());
        pulse.beat();
        assert!(pulse.is_felt());
    }
}
