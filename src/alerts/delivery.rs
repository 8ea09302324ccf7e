//! Sends mails one by one over one connection, no faster than the configured rate, and stores what is
//! known of each: the intent before its first byte, the outcome afterwards.

use std::{
    fmt,
    num::NonZeroU32,
    thread,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

use crate::{
    alerts::{
        confirmation,
        digest_plan::{DigestPlan, OutgoingMail, Recipient},
        mail::{Mail, Sender},
        smtp::{
            server::SmtpServer,
            session::{DeliveryOutcome, SmtpSession},
        },
    },
    state::{
        address_hash::AddressHash,
        confirmation_mails::DueConfirmation,
        database::StateDb,
        deliveries::{DeliveryIntent, DeliveryStatus},
        suppressions::MAX_ATTEMPTS,
    },
};

/// How mails are sent, as the operator configures it.
#[derive(Debug)]
pub struct MailSettings {
    pub server: SmtpServer,
    pub sender: Sender,
    /// The maximum number of mails per minute.
    pub rate: NonZeroU32,
}

/// Why a run should end before all recipients are mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The process is stopping: replies are awaited only as long as needed to lose nothing.
    Shutdown,
    /// The remaining digests must come from a newer generation. The current mail is still sent.
    NewGeneration,
}

/// The outcome of one mail, for the report and the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailEvent {
    Sent,
    Deferred,
    Bounced,
    Uncertain,
}

/// The number of connection failures in a row that ends a run.
const MAX_FAILURES: u32 = 3;

/// The number of permanently refused addresses in a row after which no more are tried. A
/// misconfigured server refuses every address, and each refusal costs its address the mails.
const MAX_BOUNCES: u32 = 10;

/// The wait after the first connection failure; after the second it is twice as long.
const RETRY_WAIT: Duration = Duration::from_secs(1);

/// How often a waiting run polls for a reason to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The connection, the pace and the failures of one run.
pub(super) struct DeliveryRun<'a> {
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
pub(super) struct Attempt {
    /// `None` if there was nothing to send, or nothing was sent.
    pub(super) event: Option<MailEvent>,
    /// Why the run must end.
    pub(super) abort: Option<String>,
    /// Why no further mail of this kind should be sent: the server refused too many addresses in a row.
    pub(super) refusals: Option<String>,
}

/// A mail that is ready to be sent.
enum ReadyMail {
    Digest(OutgoingMail),
    Confirmation(Mail),
}

impl ReadyMail {
    fn mail(&self) -> &Mail {
        match self {
            ReadyMail::Digest(digest) => &digest.mail,
            ReadyMail::Confirmation(mail) => mail,
        }
    }
}

impl Attempt {
    fn aborted(why: String) -> Attempt {
        Attempt {
            abort: Some(why),
            ..Attempt::default()
        }
    }
}

impl<'a> DeliveryRun<'a> {
    pub(super) fn new(
        state: &'a StateDb,
        settings: &'a MailSettings,
        now: fn() -> DateTime<Utc>,
        stop_reason: &'a dyn Fn() -> Option<StopReason>,
    ) -> DeliveryRun<'a> {
        DeliveryRun {
            state,
            settings,
            now,
            stop_reason,
            session: None,
            failures: 0,
            bounces: 0,
            next_at: Instant::now(),
        }
    }

    /// Composes and sends the digest of a recipient.
    pub(super) fn mail_digest(&mut self, plan: &DigestPlan, recipient: &Recipient) -> anyhow::Result<Attempt> {
        let (state, sender, now) = (self.state, &self.settings.sender, self.now);
        self.mail(&recipient.email, recipient.address, || {
            let mail = plan.compose(recipient, sender, state, now())?;
            Ok(mail.map(ReadyMail::Digest))
        })
    }

    /// Composes and sends a confirmation mail, unless it is no longer due.
    pub(super) fn mail_confirmation(&mut self, due: &DueConfirmation) -> anyhow::Result<Attempt> {
        let (state, sender, now) = (self.state, &self.settings.sender, self.now);
        self.mail(&due.email, due.address, || {
            let due = state.due_confirmations(Some(&due.email), now())?.pop();
            let mail = due.map(|due| confirmation::compose(&due, sender, now()));
            Ok(mail.transpose()?.map(ReadyMail::Confirmation))
        })
    }

    pub(super) fn close(&mut self) {
        if let Some(session) = &mut self.session {
            session.close();
        }
    }

    /// Composes and sends the mail of an address. `compose` returns `None` if there is nothing to send.
    fn mail(
        &mut self,
        email: &str,
        address: AddressHash,
        compose: impl FnOnce() -> anyhow::Result<Option<ReadyMail>>,
    ) -> anyhow::Result<Attempt> {
        // Before the mail is composed, so that a recipient who unsubscribes meanwhile gets none.
        if let Some(reason) = self.wait().or_else(self.stop_reason) {
            return Ok(Attempt::aborted(reason.to_string()));
        }
        let (state, now) = (self.state, (self.now)());
        let attempt = match compose() {
            Ok(Some(mail)) => self.deliver(address, &mail)?,
            Ok(None) => Attempt::default(),
            Err(error) => {
                log::warn!("cannot compose a mail; its address is paused: {error:#}");
                state.pause_address(address, &format!("{error:#}"), now)?;
                Attempt {
                    event: Some(MailEvent::Bounced),
                    ..Attempt::default()
                }
            }
        };
        if let Some(MailEvent::Bounced | MailEvent::Deferred) = attempt.event
            && !state.knows_address(email)?
        {
            // The address was erased during the attempt: the server's reply may contain it.
            state.resume_addresses(Some(address))?;
        }
        Ok(attempt)
    }

    /// Sends a mail, again after connection failures, until its outcome is known.
    fn deliver(&mut self, address: AddressHash, mail: &ReadyMail) -> anyhow::Result<Attempt> {
        loop {
            if let Some(reason) = self.wait() {
                return Ok(Attempt::aborted(reason.to_string()));
            }
            let outcome = self.attempt(address, mail)?;
            let failure = self.count_failure(&outcome);
            let event = match (&outcome, &failure) {
                (DeliveryOutcome::Cancelled, _) => return Ok(Attempt::aborted(StopReason::Shutdown.to_string())),
                (DeliveryOutcome::Unavailable(_), Some(why)) => return Ok(Attempt::aborted(why.clone())),
                (DeliveryOutcome::Unavailable(reply), None) => {
                    log::warn!("the mail server is tried again: {}", reply.for_log());
                    continue;
                }
                _ => self.record(address, &outcome)?,
            };
            return Ok(Attempt {
                event,
                abort: failure,
                refusals: self.count_bounce(&outcome),
            });
        }
    }

    /// Makes one attempt. The delivery intent is on disk before the message is transmitted, and
    /// completed or withdrawn afterwards.
    fn attempt(&mut self, address: AddressHash, mail: &ReadyMail) -> anyhow::Result<DeliveryOutcome> {
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
        let (outcome, session) = session.send(mail.mail(), &is_stopping, || {
            let now = (self.now)();
            intent = Some(match mail {
                ReadyMail::Digest(digest) => {
                    state.begin_delivery(address, &digest.pairs, &digest.subscriptions, now)?
                }
                ReadyMail::Confirmation(_) => state.begin_confirmation(address, &self.settings.sender.shown(), now)?,
            });
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
    fn record(&self, address: AddressHash, outcome: &DeliveryOutcome) -> anyhow::Result<Option<MailEvent>> {
        let now = (self.now)();
        Ok(Some(match outcome {
            DeliveryOutcome::Sent => MailEvent::Sent,
            DeliveryOutcome::ConnectionLost(reply) | DeliveryOutcome::NoReply(reply) => {
                log::warn!("a mail may have arrived and is not sent again: {}", reply.for_log());
                MailEvent::Uncertain
            }
            DeliveryOutcome::TemporaryFailure(reply) => {
                log::warn!("a mail is deferred: {}", reply.for_log());
                if self.state.defer_address(address, &reply.text, now)? {
                    log::warn!("its address is paused after {MAX_ATTEMPTS} attempts");
                }
                MailEvent::Deferred
            }
            DeliveryOutcome::PermanentFailure(reply) => {
                log::warn!(
                    "a mail was refused permanently; its address is paused: {}",
                    reply.for_log()
                );
                self.state.pause_address(address, &reply.text, now)?;
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

    /// Counts permanent refusals in a row. Returns the reason to send no more after too many.
    fn count_bounce(&mut self, outcome: &DeliveryOutcome) -> Option<String> {
        self.bounces = match outcome {
            DeliveryOutcome::PermanentFailure(_) => self.bounces + 1,
            _ => 0,
        };
        if self.bounces < MAX_BOUNCES {
            return None;
        }
        self.bounces = 0;
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
    pub(crate) const ALL: [MailEvent; 4] = [
        MailEvent::Sent,
        MailEvent::Deferred,
        MailEvent::Bounced,
        MailEvent::Uncertain,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            MailEvent::Sent => "sent",
            MailEvent::Deferred => "deferred",
            MailEvent::Bounced => "bounced",
            MailEvent::Uncertain => "uncertain",
        }
    }
}
