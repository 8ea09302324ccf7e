//! The mail server of a run, and the model of the alerts: who subscribed, what arrived, and what must never arrive.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Mutex,
    time::{Duration, Instant},
};

use mail_parser::MessageParser;

use crate::{
    door::Door,
    mail_server::{Behavior, MailServer, Received, Security, Stage},
    random::Random,
    report::Report,
    world::lock,
};

/// How long after an acknowledged unsubscription a digest may still arrive: one that was being sent.
const IN_TRANSIT: Duration = Duration::from_secs(60);

/// Begins the domain of each address. Each has one of its own, because a domain gets few confirmation mails a day.
const DOMAIN: &str = "@soak";

/// What an address asked for, as far as the server acknowledged it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Sent, but not acknowledged: the server may have it or not.
    Unknown,
    /// Acknowledged; a digest comes only after the address has confirmed.
    Unconfirmed,
    Subscribed,
    Unsubscribed(Instant),
}

#[derive(Debug)]
struct Subscriber {
    wish: Wish,
    /// The tenders that arrived.
    tenders: BTreeSet<String>,
    confirm: Option<String>,
    unsubscribe: Option<String>,
}

pub struct Mail {
    server: MailServer,
    door: Door,
    subscribers: Mutex<BTreeMap<String, Subscriber>>,
    /// Messages that were checked.
    checked: Mutex<usize>,
}

impl Mail {
    pub fn start(folder: &Path) -> anyhow::Result<Mail> {
        let server = MailServer::start(Security::Plain, &folder.join("unused.pem"));
        let door = Door::open(server.port)?;
        Ok(Mail {
            server,
            door,
            subscribers: Mutex::default(),
            checked: Mutex::default(),
        })
    }

    /// The settings of `procure serve` that lead to this mail server.
    pub fn environment(&self) -> Vec<(String, String)> {
        let settings = [
            (
                "PROCURE_SMTP_URL",
                format!("smtp://localhost:{}?tls=none", self.door.port()),
            ),
            ("PROCURE_MAIL_RATE", "6000".to_owned()),
            ("PROCURE_MAIL_FROM", "Soak <alerts@example.org>".to_owned()),
            ("PROCURE_MAIL_ADDRESS", "1 Sparks Street, Ottawa ON  K1A 0A1".to_owned()),
            ("PROCURE_PUBLIC_URL", "https://tenders.example.org".to_owned()),
        ];
        settings.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    pub fn wish(&self, email: &str, wish: Wish) {
        let mut subscribers = lock(&self.subscribers);
        let subscriber = subscribers.entry(email.to_owned()).or_insert_with(|| Subscriber {
            wish,
            tenders: BTreeSet::new(),
            confirm: None,
            unsubscribe: None,
        });
        subscriber.wish = wish;
    }

    /// A new address. Nothing is known of it yet.
    pub fn new_address(&self) -> String {
        let number = lock(&self.subscribers).len();
        let email = format!("s{number}{DOMAIN}{number}.test");
        self.wish(&email, Wish::Unknown);
        email
    }

    /// An unconfirmed address with the target of its confirmation link. Each link is returned once.
    pub fn to_confirm(&self) -> Option<(String, String)> {
        let mut subscribers = lock(&self.subscribers);
        let mut unconfirmed = subscribers
            .iter_mut()
            .filter(|(_, subscriber)| subscriber.wish == Wish::Unconfirmed);
        unconfirmed.find_map(|(email, subscriber)| Some((email.clone(), subscriber.confirm.take()?)))
    }

    /// A subscribed address with the target of its unsubscribe link.
    pub fn to_unsubscribe(&self, random: &mut Random) -> Option<(String, String)> {
        let subscribers = lock(&self.subscribers);
        let subscribed = subscribers
            .iter()
            .filter(|(_, subscriber)| subscriber.wish == Wish::Subscribed);
        let known: Vec<_> = subscribed
            .filter_map(|(email, subscriber)| Some((email, subscriber.unsubscribe.as_ref()?)))
            .collect();
        if known.is_empty() {
            return None;
        }
        let (email, target) = random.pick(&known);
        Some(((*email).clone(), (*target).clone()))
    }

    pub fn has_digest(&self, email: &str) -> bool {
        lock(&self.subscribers)
            .get(email)
            .is_some_and(|subscriber| !subscriber.tenders.is_empty())
    }

    /// Checks the messages that arrived since the last call.
    pub fn check(&self, report: &Report) {
        let mut checked = lock(&self.checked);
        let arrived = self.server.accepted_from(*checked);
        arrived.iter().for_each(|message| self.check_message(message, report));
        *checked += arrived.len();
    }

    fn check_message(&self, message: &Received, report: &Report) {
        let Some(text) = text_of(&message.bytes) else {
            report.violation("a mail without a text", format!("to {}", message.to));
            return;
        };
        let mut subscribers = lock(&self.subscribers);
        let Some(subscriber) = subscribers.get_mut(&message.to) else {
            report.violation(
                "a mail to an address that was never subscribed",
                format!("{}: {text}", message.to),
            );
            return;
        };
        if let Some(link) = link(&text, "/tender/alerts/confirm?token=") {
            report.count("confirmation mails received");
            subscriber.confirm = Some(link);
        }
        if let Some(link) = link(&text, "/tender/alerts/unsubscribe?token=") {
            subscriber.unsubscribe = Some(link);
        }
        let tenders: BTreeSet<String> = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| word.starts_with("soaktender"))
            .map(str::to_owned)
            .collect();
        if tenders.is_empty() {
            return;
        }
        report.count("digests received");
        let again: Vec<&String> = tenders.intersection(&subscriber.tenders).collect();
        if !again.is_empty() {
            report.violation("a tender was mailed twice", format!("{} to {}", again[0], message.to));
        }
        match subscriber.wish {
            Wish::Unconfirmed => report.violation("a digest to an unconfirmed address", message.to.clone()),
            Wish::Unsubscribed(at) if at.elapsed() > IN_TRANSIT => {
                report.violation("a digest after an acknowledged unsubscription", message.to.clone());
            }
            _ => {}
        }
        subscriber.tenders.extend(tenders);
    }

    /// Compares what the server acknowledged with `procure alerts list`.
    pub fn check_list(&self, list: &str, report: &Report) {
        // Each line begins with the number of active subscriptions. The others wait for a confirmation.
        let line = |line: &str| -> Option<(String, bool)> {
            let mut words = line.split_whitespace();
            let is_active = words.next()? != "0";
            Some((words.find(|word| word.contains(DOMAIN))?.to_owned(), is_active))
        };
        let listed: BTreeMap<String, bool> = list.lines().filter_map(line).collect();
        for (email, subscriber) in lock(&self.subscribers).iter() {
            let is_active = listed.get(email);
            match subscriber.wish {
                Wish::Subscribed if is_active != Some(&true) => {
                    report.violation(
                        "an acknowledged subscription or confirmation is lost",
                        format!("{email}: active {is_active:?}"),
                    );
                }
                Wish::Unconfirmed if is_active != Some(&false) => {
                    report.violation(
                        "an unconfirmed subscription is lost or active",
                        format!("{email}: active {is_active:?}"),
                    );
                }
                Wish::Unsubscribed(_) if is_active.is_some() => {
                    report.violation("an acknowledged unsubscription is lost", email.clone());
                }
                Wish::Subscribed | Wish::Unconfirmed | Wish::Unsubscribed(_) => {
                    report.count("subscriptions found as acknowledged");
                }
                Wish::Unknown => {}
            }
        }
    }

    /// Makes the mail server fail in some way, and returns a name for it.
    pub fn fail(&self, random: &mut Random) -> &'static str {
        let behave = |stage: Stage, behavior: Behavior| {
            self.server
                .set_behavior(move |at, _| if at == stage { behavior } else { Behavior::Normal });
        };
        match random.below(6) {
            0 => {
                self.door.close();
                "the mail server is down"
            }
            1 => {
                behave(Stage::RcptTo, Behavior::Reply(451));
                "the mail server refuses for now"
            }
            2 => {
                behave(Stage::RcptTo, Behavior::Reply(550));
                "the mail server refuses for good"
            }
            3 => {
                behave(Stage::MessageEnd, Behavior::AcceptThenDisconnect);
                "the mail server accepts and disconnects"
            }
            4 => {
                behave(Stage::MessageChunk, Behavior::Disconnect);
                "the mail server disconnects in a message"
            }
            _ => {
                behave(Stage::MessageEnd, Behavior::Hang);
                "the mail server accepts and stalls"
            }
        }
    }

    /// Ends a failure. What is stalled is disconnected.
    pub fn recover(&self) {
        self.door.close();
        self.server.set_behavior(|_, _| Behavior::Normal);
        self.door.reopen();
    }
}

/// The plain texts of a message, joined.
fn text_of(message: &[u8]) -> Option<String> {
    let message = MessageParser::default().parse(message)?;
    let texts: Vec<String> = (0..message.text_body_count())
        .filter_map(|at| Some(message.body_text(at)?.into_owned()))
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The target of the first link to this path: without the scheme and the host.
fn link(text: &str, path: &str) -> Option<String> {
    let from = &text[text.find(path)?..];
    let end = from
        .find(|c: char| c.is_whitespace() || matches!(c, '>' | ')' | '"'))
        .unwrap_or(from.len());
    Some(from[..end].to_owned())
}
