//! Writes of requests to the state database: one writer thread, so that a write that waits for
//! another process's lock delays no search.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use actix_web::http::StatusCode;

use crate::{
    engine::Deadline,
    http::{bounded_pool::BoundedPool, error::ApiError},
    state::database::{StateDb, is_busy},
};

/// The state database and its writer thread.
pub(crate) struct StateWriter {
    writer: BoundedPool,
    state: Arc<Mutex<StateDb>>,
}

/// Decision D-119: the maximum number of queued writes, at a few milliseconds each; further ones
/// get a 503.
const MAX_WRITES: usize = 256;

/// How long a write waits for another process's lock. Well within a request's time limit.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

impl StateWriter {
    pub(crate) fn open(path: &Path) -> anyhow::Result<StateWriter> {
        let state = StateDb::open(path)?;
        state.set_busy_timeout(BUSY_TIMEOUT)?;
        Ok(StateWriter {
            writer: BoundedPool::with("writer", 1, MAX_WRITES)?,
            state: Arc::new(Mutex::new(state)),
        })
    }

    /// Runs writes one after the other. A write that timed out (503) may still be committed, so
    /// every write must be idempotent.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        deadline: Deadline,
        job: impl FnOnce(&mut StateDb) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let state = Arc::clone(&self.state);
        let done = self.writer.run(deadline, move |_| {
            // A panic inside a transaction has rolled it back, so a poisoned lock still guards a
            // valid state.
            job(&mut state.lock().unwrap_or_else(PoisonError::into_inner))
        });
        done.await.map_err(|error| match error.status {
            StatusCode::GATEWAY_TIMEOUT => ApiError::busy(),
            _ => error,
        })
    }
}

/// The error for a state database that could not be written: 503 if another process holds the lock,
/// else 500.
pub(crate) fn failed(error: anyhow::Error) -> ApiError {
    if is_busy(&error) {
        ApiError::busy()
    } else {
        ApiError::internal(format_args!("{error:#}"))
    }
}
