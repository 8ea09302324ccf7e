//! Deadlines and cancellation of blocking calls.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::engine::error::Error;

/// When a call must stop: at a point in time, when its caller cancels it, or never.
#[derive(Clone, Debug)]
pub struct Deadline {
    end: Option<Instant>,
    cancelled: Option<Arc<AtomicBool>>,
}

/// Cancels the [`Deadline`] that it was made with when it is dropped.
#[derive(Debug)]
pub struct CancelOnDrop(Arc<AtomicBool>);

impl Deadline {
    pub fn after(time: Duration) -> Deadline {
        Deadline {
            end: Instant::now().checked_add(time),
            ..Deadline::never()
        }
    }

    pub const fn never() -> Deadline {
        Deadline {
            end: None,
            cancelled: None,
        }
    }

    /// This deadline, which also passes as soon as the guard is dropped.
    pub(crate) fn cancellable(self) -> (Deadline, CancelOnDrop) {
        let flag = Arc::<AtomicBool>::default();
        let deadline = Deadline {
            cancelled: Some(Arc::clone(&flag)),
            ..self
        };
        (deadline, CancelOnDrop(flag))
    }

    /// The point in time, if there is one.
    pub(crate) fn end(&self) -> Option<Instant> {
        self.end
    }

    /// Whether the guard was dropped: the caller no longer waits for the call.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_cancelled() || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// [`Error::Timeout`] once the deadline has passed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_over() { Err(Error::Timeout) } else { Ok(()) }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
