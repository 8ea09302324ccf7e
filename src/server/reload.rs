//! Serves a newly published generation without a restart.
//!
//! If the published generation cannot be opened, the current one stays in service and the error is
//! reported once. It is tried again from time to time: the cause may have passed (no file
//! descriptors left, no memory) or been fixed.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Error, anyhow};

use crate::{
    catalog::generation,
    http::call::AppState,
    server::{systemd, worker::PeriodicWorker},
};

/// How often the published generation is looked up. Well within the 2 seconds in which a new
/// generation is promised to be served.
const INTERVAL: Duration = Duration::from_millis(500);

/// How long after a failure the same generation is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// What a step did.
#[derive(Debug, PartialEq)]
pub(crate) enum ReloadOutcome {
    /// The published generation is being served, or its failure was reported before.
    Unchanged,
    /// This generation is served now.
    Swapped(String),
    /// A failure that was not reported before.
    Failed(String),
}

/// Looks for a new generation; remembers which one failed.
#[derive(Debug, Default)]
pub(crate) struct Reload {
    failed: Option<(String, Instant)>,
}

/// Starts the worker.
pub(crate) fn start(state: Arc<AppState>, index_dir: PathBuf) -> anyhow::Result<PeriodicWorker> {
    let (mut reload, metrics) = (Reload::default(), state.metrics.clone());
    let step = move || match reload.step(&state, &index_dir) {
        ReloadOutcome::Unchanged => true,
        ReloadOutcome::Swapped(id) => {
            log::info!("serving generation {id}");
            systemd::reloaded(&id);
            true
        }
        ReloadOutcome::Failed(error) => {
            log::error!("cannot serve the new generation, the current one stays in service: {error}");
            false
        }
    };
    PeriodicWorker::start("reload", INTERVAL, &metrics, step)
}

impl Reload {
    /// Serves the published generation if it is not served yet and opens.
    pub(crate) fn step(&mut self, state: &AppState, index_dir: &Path) -> ReloadOutcome {
        let published = match generation::current(index_dir) {
            Ok(Some(id)) => id,
            Ok(None) => return self.fail(String::new(), &no_generation(index_dir)),
            Err(error) => return self.fail(String::new(), &error),
        };
        if state.generation.load().id == published {
            self.failed = None;
            return ReloadOutcome::Unchanged;
        }
        if let Some((id, when)) = &self.failed
            && *id == published
            && when.elapsed() < RETRY_AFTER
        {
            return ReloadOutcome::Unchanged;
        }
        match generation::open(index_dir, &published) {
            Ok(generation) => {
                state.generation.store(Arc::new(generation));
                self.failed = None;
                ReloadOutcome::Swapped(published)
            }
            Err(error) => self.fail(published, &error),
        }
    }

    fn fail(&mut self, id: String, error: &Error) -> ReloadOutcome {
        let is_reported = self.failed.as_ref().is_some_and(|(failed, _)| *failed == id);
        self.failed = Some((id, Instant::now()));
        if is_reported {
            ReloadOutcome::Unchanged
        } else {
            ReloadOutcome::Failed(format!("{error:#}"))
        }
    }
}

fn no_generation(index_dir: &Path) -> Error {
    anyhow!(
        "no generation is published in {} any more; `procure generations use` publishes one, `procure index` builds one",
        index_dir.display()
    )
}
