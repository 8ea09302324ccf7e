//! Where requests write: one thread with the state file open, so that a write that waits for another process's holds up no search.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use actix_web::http::StatusCode;

use crate::{
    engine::Deadline,
    http::{Reply, error::ApiError, search_pool::Pool},
    state::{State, is_busy},
};

/// The state file, and who writes to it.
pub struct Desk {
    writer: Pool,
    state: Arc<Mutex<State>>,
}

/// What is done there.
pub type Entry = Box<dyn FnOnce(&mut State) -> Result<Reply, ApiError> + Send>;

/// Spec silent: the writes that may wait, at a few milliseconds each; past it a request is told to come back.
const MOST: usize = 256;

/// How long one waits for another process's write: well within the time a request has.
const BUSY: Duration = Duration::from_secs(2);

impl Desk {
    pub fn open(path: &Path) -> anyhow::Result<Desk> {
        let state = State::open(path)?;
        state.wait_at_most(BUSY)?;
        Ok(Desk {
            writer: Pool::with(1, MOST)?,
            state: Arc::new(Mutex::new(state)),
        })
    }

    /// Does one thing after the other. Who is told to come back may find it done: each thing here can be asked for twice.
    pub async fn run(&self, deadline: Deadline, entry: Entry) -> Result<Reply, ApiError> {
        let state = Arc::clone(&self.state);
        let done = self.writer.run(deadline, move |_| {
            // A panic inside a transaction has rolled it back.
            entry(&mut state.lock().unwrap_or_else(PoisonError::into_inner))
        });
        done.await.map_err(|error| match error.status {
            StatusCode::GATEWAY_TIMEOUT => ApiError::busy(),
            _ => error,
        })
    }
}

/// What a client is told when the state file cannot be written.
pub fn failed(error: anyhow::Error) -> ApiError {
    match is_busy(&error) {
        true => ApiError::busy(),
        false => ApiError::internal(format_args!("{error:#}")),
    }
}
