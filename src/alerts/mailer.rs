//! One run of sending digests: mails each recipient of a [`DigestPlan`] in turn.
//!
//! `procure alerts send` and the worker inside `serve` both call [`run_once`]. A lock file lets only
//! one run at a time. A run may end at any moment, also by SIGKILL, and the next one continues; see
//! [`crate::state::deliveries`] for what is stored when.

use std::{
    fmt,
    num::NonZeroU32,
    thread,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

use crate::{
    alerts::{
        digest_plan::{DigestPlan, OutgoingMail, Recipient},
        mail::Sender,
        smtp::{
            server::SmtpServer,
            session::{DeliveryOutcome, SmtpSession},
        },
    },
    catalog::generation::Generation,
    state::{
        database::StateDb,
        deliveries::{DeliveryIntent, DeliveryStatus},
        suppressions::MAX_ATTEMPTS,
    },
    storage::file_lock,
};

/// How mails are sent, as the operator configures it.
#[derive(Debug)]
pub struct MailSettings {
    pub server: SmtpServer,
    pub sender: Sender,
    /// The maximum number of mails per minute.
    pub rate: NonZeroU32,
}

/// The number of connection failures in a row that ends a run.
const MAX_FAILURES: u32 = 3;

/// The number of permanently refused addresses in a row that ends a run. A misconfigured server
/// refuses every address, and each refusal costs its address the mails.
const MAX_BOUNCES: u32 = 10;

/// The wait after the first connection failure; after the second it is twice as long.
const RETRY_WAIT: Duration = Duration::from_secs(1);

/// How often a waiting run polls for a reason to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Why a run should end before all recipients are mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The process is stopping: replies are awaited only as long as needed to lose nothing.
    Shutdown,
    /// The remaining digests must come from a newer generation. The current mail is still sent.
    NewGeneration,
}

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

/// The outcome of one mail, for the report and the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailEvent {
    Sent,
    Deferred,
    Bounced,
    Uncertain,
}

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
    let path = state.mail_lock();
    let _lock = file_lock::lock_file(&path, &path, "procure alerts send")?;
    let mut report = MailReport {
        interrupted: state.mark_interrupted_deliveries()?,
        ..MailReport::default()
    };
    if report.interrupted > 0 {
        log::warn!(
            "an earlier run died while sending {} mails; they may have arrived and are not sent again",
            report.interrupted
        );
    }
    state.prune_deliveries(now())?;
    let plan = DigestPlan::new(state, generation, None, now())?;
    let mut run = DeliveryRun {
        state,
        settings,
        now,
        stop_reason,
        session: None,
        failures: 0,
        bounces: 0,
        next_at: Instant::now(),
    };
    report.waiting = plan.recipients.len();
    for recipient in &plan.recipients {
        let attempt = run.mail(&plan, recipient)?;
        if attempt.event.is_some() || attempt.abort.is_none() {
            report.waiting -= 1;
        }
        if let Some(event) = attempt.event {
            report.count(event);
            on_event(event, report.waiting);
        }
        if attempt.abort.is_some() {
            report.ended_early = attempt.abort;
            break;
        }
    }
    if let Some(session) = &mut run.session {
        session.close();
    }
    Ok(report)
}

/// Sends mails one by one over one connection, no faster than the configured rate.
struct DeliveryRun<'a> {
    state: &'a StateDb,
    settings: &'a MailSettings,
    now: fn() -> DateTime<Utc>,
    stop_reason: &'a dyn Fn() -> Option<StopReason>,
    session: Option<SmtpSession>,
    /// Connection failures in a row.
    failures: u32,
    /// Permanently refused addresses in a row.
    bounces: u32,
    /// When the next mail may be sent.
    next_at: Instant,
}

/// The outcome of mailing one recipient.
#[derive(Default)]
struct Attempt {
    /// `None` if there was nothing to send, or nothing was sent.
    event: Option<MailEvent>,
    /// Why the run must end.
    abort: Option<String>,
}

impl Attempt {
    fn aborted(why: String) -> Attempt {
        let abort = Some(why);
        Attempt { event: None, abort }
    }
}

impl DeliveryRun<'_> {
    /// Composes and sends the mail of a recipient.
    fn mail(&mut self, plan: &DigestPlan, recipient: &Recipient) -> anyhow::Result<Attempt> {
        // Before the mail is composed, so that a recipient who unsubscribes meanwhile gets none.
        if let Some(reason) = self.wait().or_else(self.stop_reason) {
            return Ok(Attempt::aborted(reason.to_string()));
        }
        let (state, now) = (self.state, (self.now)());
        let attempt = match plan.compose(recipient, &self.settings.sender, state, now) {
            Ok(Some(mail)) => self.deliver(recipient, &mail)?,
            Ok(None) => Attempt::default(),
            Err(error) => {
                log::warn!("cannot compose a mail; its address is paused: {error:#}");
                state.pause_address(recipient.address, &format!("{error:#}"), now)?;
                let event = Some(MailEvent::Bounced);
                Attempt { event, abort: None }
            }
        };
        if let Some(MailEvent::Bounced | MailEvent::Deferred) = attempt.event
            && state.subscriptions_of(&recipient.email)?.is_empty()
        {
            // The address was erased during the attempt: the server's reply may contain it.
            state.resume_addresses(Some(recipient.address))?;
        }
        Ok(attempt)
    }

    /// Sends a mail, again after connection failures, until its outcome is known.
    fn deliver(&mut self, recipient: &Recipient, mail: &OutgoingMail) -> anyhow::Result<Attempt> {
        loop {
            if let Some(reason) = self.wait() {
                return Ok(Attempt::aborted(reason.to_string()));
            }
            let outcome = self.attempt(recipient, mail)?;
            let failure = self.count_failure(&outcome);
            let event = match (&outcome, &failure) {
                (DeliveryOutcome::Cancelled, _) => return Ok(Attempt::aborted(StopReason::Shutdown.to_string())),
                (DeliveryOutcome::Unavailable(_), Some(why)) => return Ok(Attempt::aborted(why.clone())),
                (DeliveryOutcome::Unavailable(reply), None) => {
                    log::warn!("the mail server is tried again: {}", reply.for_log());
                    continue;
                }
                _ => self.record(recipient, &outcome)?,
            };
            let abort = failure.or(self.count_bounce(&outcome));
            return Ok(Attempt { event, abort });
        }
    }

    /// Makes one attempt. The delivery intent is on disk before the message is transmitted, and
    /// completed or withdrawn afterwards.
    fn attempt(&mut self, recipient: &Recipient, mail: &OutgoingMail) -> anyhow::Result<DeliveryOutcome> {
        let (state, stop_reason) = (self.state, self.stop_reason);
        let is_stopping = || stop_reason() == Some(StopReason::Shutdown);
        let session = match self.session.take() {
            Some(session) => session,
            None => match self.settings.server.connect(&is_stopping) {
                Ok(session) => session,
                Err(outcome) => return Ok(outcome),
            },
        };
        self.next_at = Instant::now() + Duration::from_secs(60) / self.settings.rate.get();
        let mut intent: Option<DeliveryIntent> = None;
        let (outcome, session) = session.send(&mail.mail, &is_stopping, || {
            intent = Some(state.begin_delivery(recipient.address, &mail.pairs, &mail.subscriptions, (self.now)())?);
            Ok(())
        })?;
        if let Some(intent) = intent {
            match outcome {
                DeliveryOutcome::Sent => state.complete_delivery(intent, DeliveryStatus::Sent)?,
                DeliveryOutcome::ConnectionLost(_) | DeliveryOutcome::NoReply(_) => {
                    state.complete_delivery(intent, DeliveryStatus::Uncertain)?;
                }
                DeliveryOutcome::TemporaryFailure(_)
                | DeliveryOutcome::PermanentFailure(_)
                | DeliveryOutcome::Unavailable(_)
                | DeliveryOutcome::Cancelled => state.withdraw_delivery(intent)?,
            }
        }
        self.session = session;
        Ok(outcome)
    }

    /// Logs the outcome of a mail and suppresses its address if it was refused.
    fn record(&self, recipient: &Recipient, outcome: &DeliveryOutcome) -> anyhow::Result<Option<MailEvent>> {
        let now = (self.now)();
        Ok(Some(match outcome {
            DeliveryOutcome::Sent => MailEvent::Sent,
            DeliveryOutcome::ConnectionLost(reply) | DeliveryOutcome::NoReply(reply) => {
                log::warn!("a mail may have arrived and is not sent again: {}", reply.for_log());
                MailEvent::Uncertain
            }
            DeliveryOutcome::TemporaryFailure(reply) => {
                log::warn!("a mail is deferred: {}", reply.for_log());
                if self.state.defer_address(recipient.address, &reply.text, now)? {
                    log::warn!("its address is paused after {MAX_ATTEMPTS} attempts");
                }
                MailEvent::Deferred
            }
            DeliveryOutcome::PermanentFailure(reply) => {
                log::warn!(
                    "a mail was refused permanently; its address is paused: {}",
                    reply.for_log()
                );
                self.state.pause_address(recipient.address, &reply.text, now)?;
                MailEvent::Bounced
            }
            DeliveryOutcome::Unavailable(_) | DeliveryOutcome::Cancelled => return Ok(None),
        }))
    }

    /// Counts connection failures in a row and delays the next attempt. Returns the reason to end the
    /// run after too many, or if a retry cannot help.
    fn count_failure(&mut self, outcome: &DeliveryOutcome) -> Option<String> {
        let reply = match outcome {
            DeliveryOutcome::Unavailable(reply) => reply,
            // Each further attempt would cost an address its digest.
            DeliveryOutcome::NoReply(reply) => return Some(reply.for_log()),
            DeliveryOutcome::TemporaryFailure(reply) | DeliveryOutcome::ConnectionLost(reply)
                if reply.code.is_none() =>
            {
                reply
            }
            _ => {
                self.failures = 0;
                return None;
            }
        };
        self.failures += 1;
        self.next_at = Instant::now() + RETRY_WAIT * self.failures;
        if reply.is_final() || self.failures >= MAX_FAILURES {
            Some(format!("the mail server cannot be used: {}", reply.for_log()))
        } else {
            None
        }
    }

    /// Counts permanent refusals in a row. Returns the reason to end the run after too many.
    fn count_bounce(&mut self, outcome: &DeliveryOutcome) -> Option<String> {
        self.bounces = match outcome {
            DeliveryOutcome::PermanentFailure(_) => self.bounces + 1,
            _ => 0,
        };
        if self.bounces < MAX_BOUNCES {
            return None;
        }
        Some(format!(
            "the mail server permanently refused {MAX_BOUNCES} addresses in a row; if the server is misconfigured (`procure alerts list` shows its replies), \
             repair it and resume the addresses with `procure alerts resume`"
        ))
    }

    /// Waits until the next mail may be sent, or for a reason to stop.
    fn wait(&self) -> Option<StopReason> {
        loop {
            let left = self.next_at.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            if let Some(reason) = (self.stop_reason)() {
                return Some(reason);
            }
            thread::sleep(left.min(POLL_INTERVAL));
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Shutdown => "the process is stopping",
            StopReason::NewGeneration => "there is a new generation",
        })
    }
}

impl MailEvent {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            MailEvent::Sent => "sent",
            MailEvent::Deferred => "deferred",
            MailEvent::Bounced => "bounced",
            MailEvent::Uncertain => "uncertain",
        }
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
        write!(f, "{} mails sent", self.sent)?;
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
