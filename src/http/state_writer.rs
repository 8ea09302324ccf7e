//! Writes of requests to the state database: one writer thread, so that a write that waits for
//! another process's lock delays no search.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use actix_web::http::StatusCode;

use crate::{
    engine::Deadline,
    http::{
        error::ApiError,
        metrics::LaneMetrics,
        search_pool::{JobLane, LaneOptions, Origin},
    },
    state::database::{StateDb, file_bytes, is_busy, is_refused_by_disk},
};

/// The state database and its writer thread.
pub(crate) struct StateWriter {
    writer: JobLane,
    state: Arc<Mutex<StateDb>>,
    path: PathBuf,
}

/// Up to 256 writes of a key may wait, at a few milliseconds each; further ones get
/// a 503. It is half of the places, see `FairQueue`.
const WRITER: LaneOptions = LaneOptions {
    name: "writer",
    threads: 1,
    places: 512,
    unknown_pace: Duration::from_millis(5),
    niceness: 0,
};

/// How long a write waits for another process's lock. Well within a request's time limit.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

impl StateWriter {
    pub(crate) fn open(path: &Path) -> anyhow::Result<StateWriter> {
        let state = StateDb::open(path)?;
        state.set_busy_timeout(BUSY_TIMEOUT)?;
        Ok(StateWriter {
            writer: JobLane::start(&WRITER, LaneMetrics::default())?,
            state: Arc::new(Mutex::new(state)),
            path: path.to_owned(),
        })
    }

    /// The size of the state database on disk, with its write-ahead log.
    pub(crate) fn file_bytes(&self) -> u64 {
        file_bytes(&self.path)
    }

    /// Runs writes one after the other. A write that timed out (503) may still be committed, so
    /// every write must be idempotent.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        origin: Origin,
        deadline: Deadline,
        job: impl FnOnce(&mut StateDb) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let state = Arc::clone(&self.state);
        let done = self.writer.run(origin, deadline, move |_, _| {
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
/// or if the disk is full, else 500.
pub(crate) fn failed(error: anyhow::Error) -> ApiError {
    if is_busy(&error) {
        ApiError::busy()
    } else if is_refused_by_disk(&error) {
        ApiError::not_stored(format_args!("{error:#}"))
    } else {
        ApiError::internal(format_args!("{error:#}"))
    }
}
