//! The background worker that mails alerts: after each new generation, and at an interval for mails
//! that are due by the clock. A confirmation mail goes out within seconds.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

use crate::{
    alerts::mailer::{self, MailReport, MailSettings, StopReason},
    http::call::AppState,
    server::worker::PeriodicWorker,
    state::database::StateDb,
};

/// How often the worker checks whether there is a new generation.
const INTERVAL: Duration = Duration::from_secs(1);

/// The time between two runs on the same generation. Daily and weekly digests and retries are late
/// by at most this.
const RUN_INTERVAL: Duration = Duration::from_secs(15 * 60);

/// The time after a run that failed, until it is repeated.
const RETRY_INTERVAL: Duration = Duration::from_secs(60);

struct MailWorker {
    service: Arc<AppState>,
    state: StateDb,
    settings: Arc<MailSettings>,
    now: fn() -> DateTime<Utc>,
    /// The generation of the last run, and when another run on it is due.
    next_run: Option<(String, Instant)>,
    /// When confirmation mails may be sent again: a run does not know the pace of the last one.
    confirmations_at: Instant,
}

/// Starts the worker with a connection of its own to the state database.
pub(crate) fn start(
    service: Arc<AppState>,
    state: StateDb,
    settings: Arc<MailSettings>,
    now: fn() -> DateTime<Utc>,
) -> anyhow::Result<PeriodicWorker> {
    let metrics = service.metrics.clone();
    let mut worker = MailWorker {
        service,
        state,
        settings,
        now,
        next_run: None,
        confirmations_at: Instant::now(),
    };
    PeriodicWorker::start("mailer", INTERVAL, &metrics, move || worker.step())
}

impl MailWorker {
    /// Mails what is due, if it is time to. Returns whether that succeeded.
    fn step(&mut self) -> bool {
        let Some(generation) = self.service.generation.load_full() else {
            return true;
        };
        let is_due = match &self.next_run {
            Some((id, when)) => *id != generation.id || Instant::now() >= *when,
            None => true,
        };
        let stop_reason = || {
            if self.service.draining.load(Ordering::Relaxed) {
                Some(StopReason::Shutdown)
            } else if !self.service.serves(&generation.id) {
                // The remaining recipients are served from the new generation, in which some
                // tenders may have closed.
                Some(StopReason::NewGeneration)
            } else {
                None
            }
        };
        if stop_reason() == Some(StopReason::Shutdown) {
            return true;
        }
        if !is_due && !self.has_due_confirmations() {
            return true;
        }
        let metrics = &self.service.metrics;
        let mut on_event = |event, waiting| metrics.count_mail(event, waiting);
        let (state, settings, now) = (&self.state, &*self.settings, self.now);
        let run = if is_due {
            mailer::run_once(state, &generation, settings, now, &stop_reason, &mut on_event)
        } else {
            mailer::run_confirmations(state, settings, now, &stop_reason, &mut on_event)
        };
        let has_succeeded = match run {
            Ok(report) => {
                metrics.set_waiting_recipients(report.waiting);
                let has_succeeded = report.ended_early.is_none() || stop_reason().is_some();
                if !has_succeeded {
                    log::error!("alerts: {report}");
                } else if report != MailReport::default() {
                    log::info!("alerts: {report}");
                }
                has_succeeded
            }
            Err(error) => {
                log::error!("cannot send alerts: {error:#}");
                false
            }
        };
        self.schedule(&generation.id, is_due, has_succeeded);
        has_succeeded
    }

    /// Sets when the next run is due.
    fn schedule(&mut self, generation: &str, was_due: bool, has_succeeded: bool) {
        let pause = if has_succeeded {
            Duration::from_secs(60) / self.settings.rate.get()
        } else {
            RETRY_INTERVAL
        };
        self.confirmations_at = Instant::now() + pause;
        if was_due {
            let interval = if has_succeeded { RUN_INTERVAL } else { RETRY_INTERVAL };
            self.next_run = Some((generation.to_owned(), Instant::now() + interval));
        }
    }

    /// Whether an address waits for a confirmation mail, and it is time to send it. A database that
    /// cannot be read is reported by the next run.
    fn has_due_confirmations(&self) -> bool {
        Instant::now() >= self.confirmations_at
            && self
                .state
                .due_confirmations(None, (self.now)())
                .is_ok_and(|due| !due.is_empty())
    }
}
