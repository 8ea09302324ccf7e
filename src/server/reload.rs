//! Serves a newly published generation without a restart.
//!
//! If the published generation cannot be opened, the current one stays in service. If a file of the
//! published generation is truncated while it is served, the newest other one is served. Each cause is
//! logged once, and each attempt that fails is counted. It is tried again from time to time: the
//! cause may have passed (no file descriptors left, no memory, a cluster that did not answer) or been
//! fixed.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use crate::{
    catalog::generation::{self, GenerationFault, GenerationStore},
    http::call::AppState,
    server::{config::Config, systemd, worker::PeriodicWorker},
};

/// How often the published generation is looked up. Well within the 2 seconds in which a new
/// generation is promised to be served.
const INTERVAL: Duration = Duration::from_millis(500);

/// How long after a failure the same generation is tried again, unless it is chosen anew.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// How long after a look-up that the cluster did not answer the next one is made.
const UNREACHABLE_RETRY_AFTER: Duration = Duration::from_secs(2);

/// How long the cluster of a generation in service may leave look-ups unanswered before that is
/// reported. A node that fails is replaced within this time.
const UNREACHABLE_REPORTED_AFTER: Duration = Duration::from_secs(10);

/// The longest time that a step may take. It reads all files of a new generation.
pub(crate) const STUCK_AFTER: Duration = Duration::from_secs(600);

/// What a step did.
#[derive(Debug, PartialEq)]
pub(crate) enum ReloadOutcome {
    /// The published generation is being served, or it failed and is tried again later.
    Unchanged,
    /// This generation is served now.
    Swapped(String),
    /// The published generation is being served, and what was reported has passed.
    Recovered,
    /// What should be served cannot be. `is_new` if that was not reported before.
    Failed { fault: GenerationFault, is_new: bool },
}

/// Looks for a new generation; remembers the last failure.
#[derive(Debug)]
pub(crate) struct Reload {
    store: GenerationStore,
    /// Whether only the published generation may be served.
    is_strict: bool,
    failed: Option<Failure>,
}

#[derive(Debug)]
struct Failure {
    fault: GenerationFault,
    /// When the first failure with this cause was.
    since: Instant,
    /// When the last one was.
    when: Instant,
    /// When the published generation had been chosen.
    switched_at: Option<SystemTime>,
}

/// Starts the worker.
pub(crate) fn start(state: Arc<AppState>, config: &Config) -> anyhow::Result<PeriodicWorker> {
    let (mut reload, metrics) = (Reload::new(&state, config), state.metrics.clone());
    let step = move || match reload.step(&state) {
        ReloadOutcome::Unchanged => true,
        ReloadOutcome::Swapped(id) => {
            state.kept_generations.close(&id);
            log::info!("serving generation {id}");
            systemd::reloaded(&id);
            true
        }
        ReloadOutcome::Recovered => {
            log::info!("the generation in service can be read again");
            true
        }
        ReloadOutcome::Failed { fault, is_new } => {
            if is_new {
                report(&fault, &state);
            }
            false
        }
    };
    PeriodicWorker::start("reload", INTERVAL, &metrics, step)
}

fn report(fault: &GenerationFault, state: &AppState) {
    let served = state.generation.load();
    let Some(served) = served.as_ref().map(|generation| &generation.id) else {
        log::error!("no generation can be served: {fault}");
        return;
    };
    if fault.is_unreachable() {
        log::error!("{}; requests get 503 as long as that lasts: {fault}", fault.sentence());
    } else {
        log::error!(
            "{} is damaged, and the generation {served} is served: {fault}",
            fault.damaged()
        );
    }
}

impl Reload {
    /// Knows the fault that the start of the server has reported.
    pub(crate) fn new(state: &AppState, config: &Config) -> Reload {
        let failed = state.generation_fault.load().as_deref().map(|fault| Failure {
            fault: fault.clone(),
            since: Instant::now(),
            when: Instant::now(),
            switched_at: config.store.switched_at(),
        });
        Reload {
            store: config.store.clone(),
            is_strict: config.strict_generation,
            failed,
        }
    }

    /// Serves the published generation if it is not served yet and opens.
    pub(crate) fn step(&mut self, state: &AppState) -> ReloadOutcome {
        let unreachable = self.failed.as_ref().filter(|failed| failed.fault.is_unreachable());
        if unreachable.is_some_and(|failed| failed.when.elapsed() < UNREACHABLE_RETRY_AFTER) {
            return ReloadOutcome::Unchanged;
        }
        // Read first, so that a change that happens meanwhile is noticed.
        let switched_at = self.store.switched_at();
        let published = match generation::named(&self.store) {
            Ok(id) => id,
            Err(fault) => return self.fail(state, fault, switched_at),
        };
        let served = state.generation.load_full();
        if let Some(served) = served.filter(|served| served.id == published) {
            return match generation::truncation(&self.store, &served) {
                None if self.succeed(state) => ReloadOutcome::Recovered,
                None => ReloadOutcome::Unchanged,
                Some(fault) => {
                    if is_new(state, &fault) {
                        self.replace(state, &published);
                    }
                    self.fail(state, fault, switched_at)
                }
            };
        }
        let is_too_early = self.failed.as_ref().is_some_and(|failed| {
            failed.fault.named() == Some(&published)
                && !failed.fault.may_pass()
                && failed.switched_at == switched_at
                && failed.when.elapsed() < RETRY_AFTER
        });
        if is_too_early {
            return ReloadOutcome::Unchanged;
        }
        match self.store.open(&published) {
            Ok(generation) => {
                state.generation.store(Some(Arc::new(generation)));
                self.succeed(state);
                ReloadOutcome::Swapped(published)
            }
            Err(error) => {
                let fault = GenerationFault::new(&self.store, Some(published), &error);
                self.fail(state, fault, switched_at)
            }
        }
    }

    /// Serves the newest whole generation instead of a damaged one, if there is one.
    fn replace(&self, state: &AppState, damaged: &str) {
        if self.is_strict {
            return;
        }
        match generation::open_newest_other(&self.store, Some(damaged)) {
            Ok(Some(generation)) => state.generation.store(Some(Arc::new(generation))),
            Ok(None) => log::error!("no other generation can be served instead of {damaged}"),
            Err(error) => log::error!("cannot serve another generation instead of {damaged}: {error:#}"),
        }
    }

    /// Forgets the last failure. Returns whether one was reported.
    fn succeed(&mut self, state: &AppState) -> bool {
        self.failed = None;
        state.generation_fault.swap(None).is_some()
    }

    fn fail(&mut self, state: &AppState, fault: GenerationFault, switched_at: Option<SystemTime>) -> ReloadOutcome {
        let now = Instant::now();
        let previous = self.failed.as_ref().filter(|failed| failed.fault.has_cause_of(&fault));
        let since = previous.map_or(now, |failed| failed.since);
        // What is reported stays so until a step succeeds, or another cause is reported.
        let is_brief = fault.is_unreachable()
            && state.generation.load().is_some()
            && now.duration_since(since) < UNREACHABLE_REPORTED_AFTER;
        let is_new = !is_brief && is_new(state, &fault);
        if is_new {
            state.generation_fault.store(Some(Arc::new(fault.clone())));
        }
        self.failed = Some(Failure {
            fault: fault.clone(),
            since,
            when: now,
            switched_at,
        });
        ReloadOutcome::Failed { fault, is_new }
    }
}

/// Whether a fault has another cause than the one that was reported.
fn is_new(state: &AppState, fault: &GenerationFault) -> bool {
    let reported = state.generation_fault.load();
    reported.as_ref().is_none_or(|reported| !reported.has_cause_of(fault))
}
