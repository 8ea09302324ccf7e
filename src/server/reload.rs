//! Serves a newly published generation without a restart.
//!
//! If the published generation cannot be opened, the current one stays in service. If a file of the
//! published generation is truncated while it is served, the newest other one is served. Each cause is
//! logged once, and each attempt that fails is counted. It is tried again from time to time: the
//! cause may have passed (no file descriptors left, no memory) or been fixed.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use crate::{
    catalog::generation::{self, GenerationFault},
    http::call::AppState,
    server::{config::Config, systemd, worker::PeriodicWorker},
};

/// How often the published generation is looked up. Well within the 2 seconds in which a new
/// generation is promised to be served.
const INTERVAL: Duration = Duration::from_millis(500);

/// How long after a failure the same generation is tried again, unless `CURRENT` is written anew.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// The longest time that a step may take. It reads all files of a new generation.
pub(crate) const STUCK_AFTER: Duration = Duration::from_secs(600);

/// What a step did.
#[derive(Debug, PartialEq)]
pub(crate) enum ReloadOutcome {
    /// The published generation is being served, or it failed and is tried again later.
    Unchanged,
    /// This generation is served now.
    Swapped(String),
    /// What should be served cannot be. `is_new` if that was not reported before.
    Failed { fault: GenerationFault, is_new: bool },
}

/// Looks for a new generation; remembers the last failure.
#[derive(Debug)]
pub(crate) struct Reload {
    index_dir: PathBuf,
    /// Whether only the generation that `CURRENT` names may be served.
    is_strict: bool,
    failed: Option<Failure>,
}

#[derive(Debug)]
struct Failure {
    fault: GenerationFault,
    when: Instant,
    /// When `CURRENT` had been written.
    written_at: Option<SystemTime>,
}

/// Starts the worker.
pub(crate) fn start(state: Arc<AppState>, config: &Config) -> anyhow::Result<PeriodicWorker> {
    let (mut reload, metrics) = (Reload::new(&state, config), state.metrics.clone());
    let step = move || match reload.step(&state) {
        ReloadOutcome::Unchanged => true,
        ReloadOutcome::Swapped(id) => {
            log::info!("serving generation {id}");
            systemd::reloaded(&id);
            true
        }
        ReloadOutcome::Failed { fault, is_new } => {
            if is_new {
                let (damaged, served) = (fault.damaged(), &state.generation.load().id);
                log::error!("{damaged} is damaged, and the generation {served} is served: {fault}");
            }
            false
        }
    };
    PeriodicWorker::start("reload", INTERVAL, &metrics, step)
}

impl Reload {
    /// Knows the fault that the start of the server has reported.
    pub(crate) fn new(state: &AppState, config: &Config) -> Reload {
        let failed = state.generation_fault.load().as_deref().map(|fault| Failure {
            fault: fault.clone(),
            when: Instant::now(),
            written_at: generation::current_written_at(&config.index_dir),
        });
        Reload {
            index_dir: config.index_dir.clone(),
            is_strict: config.strict_generation,
            failed,
        }
    }

    /// Serves the published generation if it is not served yet and opens.
    pub(crate) fn step(&mut self, state: &AppState) -> ReloadOutcome {
        // Read first, so that a change that happens meanwhile is noticed.
        let written_at = generation::current_written_at(&self.index_dir);
        let published = match generation::named(&self.index_dir) {
            Ok(id) => id,
            Err(fault) => return self.fail(state, fault, written_at),
        };
        let served = state.generation.load_full();
        if served.id == published {
            return match generation::truncation(&self.index_dir, &served) {
                None => {
                    self.succeed(state);
                    ReloadOutcome::Unchanged
                }
                Some(fault) => {
                    if self.is_new(&fault) {
                        self.replace(state, &published);
                    }
                    self.fail(state, fault, written_at)
                }
            };
        }
        let is_too_early = self.failed.as_ref().is_some_and(|failed| {
            failed.fault.named() == Some(&published)
                && failed.written_at == written_at
                && failed.when.elapsed() < RETRY_AFTER
        });
        if is_too_early {
            return ReloadOutcome::Unchanged;
        }
        match generation::open(&self.index_dir, &published) {
            Ok(generation) => {
                state.generation.store(Arc::new(generation));
                self.succeed(state);
                ReloadOutcome::Swapped(published)
            }
            Err(error) => self.fail(state, GenerationFault::new(Some(published), &error), written_at),
        }
    }

    /// Serves the newest whole generation instead of a damaged one, if there is one.
    fn replace(&self, state: &AppState, damaged: &str) {
        if self.is_strict {
            return;
        }
        match generation::open_newest_other(&self.index_dir, Some(damaged)) {
            Ok(Some(generation)) => state.generation.store(Arc::new(generation)),
            Ok(None) => log::error!("no other generation can be served instead of {damaged}"),
            Err(error) => log::error!("cannot serve another generation instead of {damaged}: {error:#}"),
        }
    }

    fn is_new(&self, fault: &GenerationFault) -> bool {
        self.failed.as_ref().is_none_or(|failed| failed.fault != *fault)
    }

    fn succeed(&mut self, state: &AppState) {
        if self.failed.take().is_some() {
            state.generation_fault.store(None);
        }
    }

    fn fail(&mut self, state: &AppState, fault: GenerationFault, written_at: Option<SystemTime>) -> ReloadOutcome {
        let is_new = self.is_new(&fault);
        if is_new {
            state.generation_fault.store(Some(Arc::new(fault.clone())));
        }
        self.failed = Some(Failure {
            fault: fault.clone(),
            when: Instant::now(),
            written_at,
        });
        ReloadOutcome::Failed { fault, is_new }
    }
}
