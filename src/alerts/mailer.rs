//! The step that mails: tells those who are due ([`super::round`]) one by one.
//!
//! [`run_once`] stands for itself: `procure alerts send` and the thread inside `serve` both call it, and a lock lets one of them send at a time. It may
//! end at any moment, by a signal or by force, and the next run goes on: see [`crate::state::deliveries`] for what is written when.

use std::{
    fmt,
    num::NonZeroU32,
    thread,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

use crate::{
    alerts::{
        mail::Sender,
        round::{Letter, plan},
        send::{Fate, Line, Server},
    },
    catalog::generation::Generation,
    state::{
        database::StateDb,
        address_hash::AddressHash,
        deliveries::{DeliveryIntent, DeliveryStatus},
        suppressions::MAX_ATTEMPTS,
    },
    storage::file_lock,
};

/// What an operator sets.
#[derive(Debug)]
pub struct Settings {
    pub server: Server,
    pub sender: Sender,
    /// Mails a minute at most.
    pub rate: NonZeroU32,
}

/// Broken lines and closed doors in a row before a run gives up.
const MOST_TROUBLES: u32 = 3;

/// Addresses that a server refuses for good, in a row, before it is held against the server: one that does not know whom it is to send for refuses all,
/// and each costs its address the mails.
const MOST_REFUSALS: u32 = 10;

/// Before the second of those; twice that before the third.
const BREATH: Duration = Duration::from_secs(1);

/// Why a run is asked to end before all are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The process ends: no answer is waited for any longer than it takes to lose nothing.
    Stop,
    /// A newer generation is there to be told from; the mail at hand is sent.
    Outdated,
}

/// How often a run that waits looks whether it is to end.
const GLANCE: Duration = Duration::from_millis(200);

/// What one run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub sent: usize,
    /// Refused for now.
    pub deferred: usize,
    /// Refused for good: their addresses are paused.
    pub bounced: usize,
    /// Perhaps taken.
    pub uncertain: usize,
    /// The same, left by a run that died.
    pub interrupted: usize,
    /// Addresses that were not come to.
    pub waiting: usize,
    /// Why the run ended before all were told.
    pub cut: Option<String>,
}

/// What became of one mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Sent,
    Deferred,
    Bounced,
    Uncertain,
}

/// Mails whoever is due, until all are told, the server gives out, or `asked` says to end. `told` hears of each mail as it goes.
pub fn run_once(
    state: &StateDb,
    generation: &Generation,
    settings: &Settings,
    now: fn() -> DateTime<Utc>,
    asked: &dyn Fn() -> Option<End>,
    told: &mut dyn FnMut(Event, usize),
) -> anyhow::Result<Report> {
    let place = state.mail_lock();
    let _lock = file_lock::lock_file(&place, &place, "procure alerts send")?;
    let mut report = Report {
        interrupted: state.mark_interrupted_deliveries()?,
        ..Report::default()
    };
    if report.interrupted > 0 {
        log::warn!(
            "{} mails were being handed over when an earlier run died; they may have arrived, and are not sent again",
            report.interrupted
        );
    }
    state.prune_deliveries(now())?;
    let round = plan(state, generation, None, now())?;
    let mut post = Post {
        settings,
        line: None,
        troubles: 0,
        refusals: 0,
        next: Instant::now(),
    };
    report.waiting = round.due.len();
    for due in &round.due {
        // Waited for before the mail is written, so that who unsubscribes meanwhile gets none.
        if let Some(end) = post.wait(asked).or_else(asked) {
            report.cut = Some(end.to_string());
            break;
        }
        let delivery = match round.letter(due, &settings.sender, state, now()) {
            Ok(Some(letter)) => post.deliver(state, due.addressee, &letter, now, asked)?,
            Ok(None) => Delivery { event: None, cut: None },
            Err(error) => {
                log::warn!("a mail cannot be written, and its address is paused: {error:#}");
                state.pause_address(due.addressee, &format!("{error:#}"), now())?;
                Delivery {
                    event: Some(Event::Bounced),
                    cut: None,
                }
            }
        };
        if delivery.event.is_some() || delivery.cut.is_none() {
            report.waiting -= 1;
        }
        if let Some(Event::Bounced | Event::Deferred) = delivery.event
            && state.subscriptions_of(&due.email)?.is_empty()
        {
            // Forgotten while the server was waited for: its words may hold the address.
            state.resume_addresses(Some(due.addressee))?;
        }
        if let Some(event) = delivery.event {
            report.count(event);
            told(event, report.waiting);
        }
        if delivery.cut.is_some() {
            report.cut = delivery.cut;
            break;
        }
    }
    post.hang_up();
    Ok(report)
}

/// The way to the server: one line for as long as it holds, and no faster than the rate.
struct Post<'a> {
    settings: &'a Settings,
    line: Option<Line>,
    troubles: u32,
    refusals: u32,
    next: Instant,
}

impl Post<'_> {
    /// Brings one mail to its fate.
    fn deliver(
        &mut self,
        state: &StateDb,
        addressee: AddressHash,
        letter: &Letter,
        now: fn() -> DateTime<Utc>,
        asked: &dyn Fn() -> Option<End>,
    ) -> anyhow::Result<Delivery> {
        let is_stopped = || asked() == Some(End::Stop);
        loop {
            if let Some(end) = self.wait(asked) {
                return Ok(Delivery::cut(end.to_string()));
            }
            let line = self.line.take();
            let line = line.map_or_else(|| self.settings.server.connect(&is_stopped), Ok);
            let fate = match line {
                Ok(line) => self.hand_over(line, state, addressee, letter, now, &is_stopped)?,
                Err(fate) => fate,
            };
            let trouble = self.trouble(&fate);
            let event = match &fate {
                Fate::Stopped => return Ok(Delivery::cut(End::Stop.to_string())),
                Fate::Down(reply) => match trouble {
                    Some(why) => return Ok(Delivery::cut(why)),
                    None => {
                        log::warn!("the mail server is asked again: {}", reply.for_log());
                        continue;
                    }
                },
                Fate::Sent => Event::Sent,
                Fate::Unknown(reply) | Fate::Silent(reply) => {
                    log::warn!("a mail may have arrived, and is not sent again: {}", reply.for_log());
                    Event::Uncertain
                }
                Fate::Later(reply) => {
                    log::warn!("a mail is put off: {}", reply.for_log());
                    if state.defer_address(addressee, &reply.text, now())? {
                        log::warn!(
                            "its address is paused: it was put off {} times",
                            MAX_ATTEMPTS
                        );
                    }
                    Event::Deferred
                }
                Fate::Never(reply) => {
                    let why = reply.for_log();
                    log::warn!("a mail was refused for good, and its address is paused: {why}");
                    state.pause_address(addressee, &reply.text, now())?;
                    Event::Bounced
                }
            };
            let refused = self.refusal(&fate);
            return Ok(Delivery {
                event: Some(event),
                cut: trouble.or(refused),
            });
        }
    }

    /// One attempt: the intent is on disk before the message goes, and settled or withdrawn when its fate is known.
    fn hand_over(
        &mut self,
        line: Line,
        state: &StateDb,
        addressee: AddressHash,
        letter: &Letter,
        now: fn() -> DateTime<Utc>,
        is_stopped: &dyn Fn() -> bool,
    ) -> anyhow::Result<Fate> {
        self.next = Instant::now() + Duration::from_secs(60) / self.settings.rate.get();
        let mut begun: Option<DeliveryIntent> = None;
        let (fate, line) = line.send(&letter.mail, is_stopped, || {
            begun = Some(state.begin_delivery(addressee, &letter.pairs, &letter.subscriptions, now())?);
            Ok(())
        })?;
        if let Some(mailing) = begun {
            match fate {
                Fate::Sent => state.complete_delivery(mailing, DeliveryStatus::Sent)?,
                Fate::Unknown(_) | Fate::Silent(_) => state.complete_delivery(mailing, DeliveryStatus::Uncertain)?,
                Fate::Later(_) | Fate::Never(_) | Fate::Down(_) | Fate::Stopped => state.withdraw_delivery(mailing)?,
            }
        }
        self.line = line;
        Ok(fate)
    }

    /// Counts troubles with the server itself, and takes a breath after each; after too many in a row it says why to give up.
    fn trouble(&mut self, fate: &Fate) -> Option<String> {
        let reply = match fate {
            Fate::Down(reply) => reply,
            // Each further one would cost an address its digest.
            Fate::Silent(reply) => return Some(reply.for_log()),
            Fate::Later(reply) | Fate::Unknown(reply) if reply.code.is_none() => reply,
            _ => {
                self.troubles = 0;
                return None;
            }
        };
        self.troubles += 1;
        self.next = Instant::now() + BREATH * self.troubles;
        // What asking again does not cure is not better in a second.
        (reply.is_final() || self.troubles >= MOST_TROUBLES)
            .then(|| format!("the mail server cannot be used: {}", reply.for_log()))
    }

    /// Counts refusals for good; after too many in a row it says why to give up.
    fn refusal(&mut self, fate: &Fate) -> Option<String> {
        self.refusals = match fate {
            Fate::Never(_) => self.refusals + 1,
            _ => 0,
        };
        (self.refusals >= MOST_REFUSALS).then(|| {
            format!(
                "the mail server refused {MOST_REFUSALS} addresses in a row for good; if it is the server that is set up wrong (`procure alerts list` has its \
                 words), cure that, and lift the pauses with `procure alerts resume`"
            )
        })
    }

    /// Waits for the rate's next turn, unless asked to end first.
    fn wait(&self, asked: &dyn Fn() -> Option<End>) -> Option<End> {
        loop {
            let left = self.next.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            if let Some(end) = asked() {
                return Some(end);
            }
            thread::sleep(left.min(GLANCE));
        }
    }

    fn hang_up(mut self) {
        if let Some(line) = &mut self.line {
            line.hang_up();
        }
    }
}

/// What became of a mail, where it came to something, and why no other should be tried, where none should.
struct Delivery {
    event: Option<Event>,
    cut: Option<String>,
}

impl Delivery {
    fn cut(why: String) -> Delivery {
        Delivery {
            event: None,
            cut: Some(why),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::Stop => "told to stop",
            End::Outdated => "there is a new generation",
        })
    }
}

impl Event {
    pub const fn name(self) -> &'static str {
        match self {
            Event::Sent => "sent",
            Event::Deferred => "deferred",
            Event::Bounced => "bounced",
            Event::Uncertain => "uncertain",
        }
    }
}

impl Report {
    fn count(&mut self, event: Event) {
        match event {
            Event::Sent => self.sent += 1,
            Event::Deferred => self.deferred += 1,
            Event::Bounced => self.bounced += 1,
            Event::Uncertain => self.uncertain += 1,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} mails sent", self.sent)?;
        for (number, what) in [
            (self.deferred, "put off"),
            (self.bounced, "refused for good"),
            (self.uncertain + self.interrupted, "may have arrived"),
            (self.waiting, "not come to"),
        ] {
            if number > 0 {
                write!(f, ", {number} {what}")?;
            }
        }
        match &self.cut {
            Some(why) => write!(f, "; ended early: {why}"),
            None => Ok(()),
        }
    }
}
