//! The thread that mails alerts: after each new generation, and every now and then for what is due by the clock.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

use crate::{
    alerts::mailer::{self, End, Settings},
    http::AppState,
    server::worker::Beside,
    state::State,
};

/// How often it is looked for a new generation.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long the clock alone is waited for: daily and weekly digests, and what is tried again, are this late at most.
const RUN_EVERY: Duration = Duration::from_secs(15 * 60);

/// What is remembered between two looks.
struct Mailer {
    service: Arc<AppState>,
    state: State,
    settings: Arc<Settings>,
    now: fn() -> DateTime<Utc>,
    /// The generation of the last run, and when that was.
    last: Option<(String, Instant)>,
}

/// Starts it on a connection of its own to the state file.
pub fn start(
    service: Arc<AppState>,
    state: State,
    settings: Arc<Settings>,
    now: fn() -> DateTime<Utc>,
) -> anyhow::Result<Beside> {
    let metrics = service.metrics.clone();
    let mut mailer = Mailer {
        service,
        state,
        settings,
        now,
        last: None,
    };
    Beside::start("mailer", LOOK_EVERY, &metrics, move || mailer.step())
}

impl Mailer {
    /// Runs if it is time to; tells whether it went well.
    fn step(&mut self) -> bool {
        let generation = self.service.generation.load_full();
        let is_time = match &self.last {
            Some((id, when)) => *id != generation.id || when.elapsed() >= RUN_EVERY,
            None => true,
        };
        let is_draining = || self.service.draining.load(Ordering::Relaxed);
        // Who was not come to is told from the new generation, which knows what closed meanwhile.
        let is_old = || self.service.generation.load().id != generation.id;
        let asked = || match () {
            () if is_draining() => Some(End::Stop),
            () if is_old() => Some(End::Outdated),
            () => None,
        };
        if !is_time || is_draining() {
            return true;
        }
        let metrics = &self.service.metrics;
        let mut told = |event, waiting| metrics.mail(event, waiting);
        let run = mailer::run_once(&self.state, &generation, &self.settings, self.now, &asked, &mut told);
        self.last = Some((generation.id.clone(), Instant::now()));
        match run {
            Ok(report) => {
                metrics.mails_wait(report.waiting);
                let went_well = report.cut.is_none() || asked().is_some();
                if !went_well {
                    log::error!("alerts: {report}");
                } else if report != mailer::Report::default() {
                    log::info!("alerts: {report}");
                }
                went_well
            }
            Err(error) => {
                log::error!("alerts are not sent: {error:#}");
                false
            }
        }
    }
}
