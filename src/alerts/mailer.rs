//! One run of sending: first the confirmation mails that are due, then the digest of each recipient
//! of a [`DigestPlan`].
//!
//! `procure alerts send` and the worker inside `serve` both call [`run_once`]. Between two runs the
//! worker calls [`run_confirmations`]. A lock file lets only one run at a time. A run may end at any
//! moment, also by SIGKILL, and the next one continues; see [`crate::state::deliveries`] for what is
//! stored when.

use std::{
    fmt,
    fs::File,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

pub use crate::alerts::delivery::{MailEvent, MailSettings, StopReason};
use crate::{
    alerts::{
        delivery::{Attempt, DeliveryRun},
        digest_plan::DigestPlan,
    },
    catalog::generation::Generation,
    state::database::StateDb,
    storage::file_lock,
};

/// The counts of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MailReport {
    pub sent: usize,
    /// Refused for now.
    pub(crate) deferred: usize,
    /// Refused permanently: the addresses are paused.
    pub bounced: usize,
    /// Perhaps accepted.
    pub uncertain: usize,
    /// Perhaps accepted, from a run that died.
    pub(crate) interrupted: usize,
    /// Recipients that were not attempted.
    pub waiting: usize,
    /// Why the run ended before all recipients were mailed.
    pub ended_early: Option<String>,
}

/// How often a run that sends digests sends the confirmation mails that have become due.
const CONFIRMATION_INTERVAL: Duration = Duration::from_secs(30);

/// Mails all recipients that are due, until the server fails or `stop_reason` returns one. `on_event`
/// receives each mail's outcome and the number of recipients that are left.
pub fn run_once(
    state: &StateDb,
    generation: &Generation,
    settings: &MailSettings,
    now: fn() -> DateTime<Utc>,
    stop_reason: &dyn Fn() -> Option<StopReason>,
    on_event: &mut dyn FnMut(MailEvent, usize),
) -> anyhow::Result<MailReport> {
    let delivery = DeliveryRun::new(state, settings, now, stop_reason);
    let mut run = MailRun::begin(state, delivery, now, on_event)?;
    state.prune_deliveries(now())?;
    run.send_confirmations()?;
    if run.report.ended_early.is_none() {
        let plan = DigestPlan::new(state, generation, None, now())?;
        run.send_digests(&plan)?;
    }
    Ok(run.end())
}

/// Sends the confirmation mails that are due.
pub(crate) fn run_confirmations(
    state: &StateDb,
    settings: &MailSettings,
    now: fn() -> DateTime<Utc>,
    stop_reason: &dyn Fn() -> Option<StopReason>,
    on_event: &mut dyn FnMut(MailEvent, usize),
) -> anyhow::Result<MailReport> {
    let delivery = DeliveryRun::new(state, settings, now, stop_reason);
    let mut run = MailRun::begin(state, delivery, now, on_event)?;
    run.send_confirmations()?;
    Ok(run.end())
}

/// A run with its lock and its report.
struct MailRun<'a> {
    state: &'a StateDb,
    delivery: DeliveryRun<'a>,
    now: fn() -> DateTime<Utc>,
    on_event: &'a mut dyn FnMut(MailEvent, usize),
    report: MailReport,
    /// When it last looked for confirmation mails.
    confirmed_at: Instant,
    /// Why no further confirmation mail is sent in this run. Digests are: any client can subscribe
    /// addresses that do not exist.
    refusals: Option<String>,
    _lock: File,
}

impl<'a> MailRun<'a> {
    fn begin(
        state: &'a StateDb,
        delivery: DeliveryRun<'a>,
        now: fn() -> DateTime<Utc>,
        on_event: &'a mut dyn FnMut(MailEvent, usize),
    ) -> anyhow::Result<MailRun<'a>> {
        let path = state.mail_lock();
        let lock = file_lock::lock_file(&path, &path, "procure alerts send")?;
        let report = MailReport {
            interrupted: state.mark_interrupted_deliveries()?,
            ..MailReport::default()
        };
        if report.interrupted > 0 {
            log::warn!(
                "an earlier run died while sending {} mails; they may have arrived and are not sent again",
                report.interrupted
            );
        }
        Ok(MailRun {
            state,
            delivery,
            now,
            on_event,
            report,
            confirmed_at: Instant::now(),
            refusals: None,
            _lock: lock,
        })
    }

    fn send_confirmations(&mut self) -> anyhow::Result<()> {
        self.confirmed_at = Instant::now();
        self.state.expire_confirmations((self.now)())?;
        let due = self.state.due_confirmations(None, (self.now)())?;
        self.report.waiting += due.len();
        for due in &due {
            let mut attempt = self.delivery.mail_confirmation(due)?;
            self.refusals = attempt.refusals.take();
            self.count(attempt);
            if self.report.ended_early.is_some() || self.refusals.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn send_digests(&mut self, plan: &DigestPlan) -> anyhow::Result<()> {
        self.report.waiting += plan.recipients.len();
        for recipient in &plan.recipients {
            // A subscriber waits for the confirmation mail, and a run may last for hours.
            if self.confirmed_at.elapsed() >= CONFIRMATION_INTERVAL && self.refusals.is_none() {
                self.send_confirmations()?;
            }
            if self.report.ended_early.is_some() {
                break;
            }
            let attempt = self.delivery.mail_digest(plan, recipient)?;
            self.count(attempt);
        }
        Ok(())
    }

    fn count(&mut self, attempt: Attempt) {
        if attempt.event.is_some() || attempt.abort.is_none() {
            self.report.waiting -= 1;
        }
        if let Some(event) = attempt.event {
            self.report.count(event);
            (self.on_event)(event, self.report.waiting);
        }
        self.report.ended_early = attempt.abort.or(attempt.refusals);
    }

    fn end(mut self) -> MailReport {
        self.delivery.close();
        self.report.ended_early = self.report.ended_early.or(self.refusals);
        self.report
    }
}

impl MailReport {
    fn count(&mut self, event: MailEvent) {
        match event {
            MailEvent::Sent => self.sent += 1,
            MailEvent::Deferred => self.deferred += 1,
            MailEvent::Bounced => self.bounced += 1,
            MailEvent::Uncertain => self.uncertain += 1,
        }
    }
}

impl fmt::Display for MailReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mails = if self.sent == 1 { "mail" } else { "mails" };
        write!(f, "{} {mails} sent", self.sent)?;
        for (number, what) in [
            (self.deferred, "deferred"),
            (self.bounced, "refused permanently"),
            (self.uncertain + self.interrupted, "may have arrived"),
            (self.waiting, "not attempted"),
        ] {
            if number > 0 {
                write!(f, ", {number} {what}")?;
            }
        }
        match &self.ended_early {
            Some(why) => write!(f, "; ended early: {why}"),
            None => Ok(()),
        }
    }
}
