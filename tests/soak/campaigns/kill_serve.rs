//! `kill -9` of `procure serve` at random moments under load.
//!
//! What was acknowledged must survive: every subscription that was answered 200, every key whose creation or revocation
//! the command confirmed. Counts of requests may miss the last second before each kill, which is documented. So a daily
//! quota may be overdrawn by what was answered in that second, and by no more.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;

use procure::http::encoding::encode;

use super::{
    contracts::Contracts,
    setup::{Setup, check_log, index_below, unit},
};
use crate::{
    Common,
    clients::trusted_consent,
    http::{Next, PATIENCE, RawConnection, post},
    random::Random,
    report::Report,
};

const RECORDS: u64 = 200;

/// Daily quota of the key that asks for more than it may.
const QUOTA: u32 = 300;

/// Counts that a kill may lose: those of the documented second, and of the time that writing them takes. The duration
/// of the last start, twice, is added: on a machine that is so busy that a start takes seconds, writing takes as long.
const LOSS: Duration = Duration::from_millis(1_500);

/// A new key subscribes after so many. A key makes 1,000 at most, and one life adds a few hundred.
const SUBSCRIPTIONS_PER_KEY: usize = 500;

/// Longest time from a start to its kill.
const LONGEST_LIFE: Duration = Duration::from_millis(4_500);

/// Labels of the counted keys, as `keys list` shows them.
const LOOKUPS: &str = "lookups";
const SMALL_QUOTA: &str = "small-quota";

#[derive(Debug, clap::Args)]
pub struct Options {
    /// Number of kills
    #[arg(long, default_value_t = 200)]
    times: u64,
}

/// Requests of one key: what was sent, what was answered 200, and when lately.
#[derive(Default)]
struct Requests {
    sent: u64,
    answered: u64,
    recent: Vec<Instant>,
    /// Answers whose count a kill may have lost, over all kills.
    may_be_lost: u64,
}

impl Requests {
    fn answered(&mut self) {
        self.answered += 1;
        self.recent.push(Instant::now());
    }

    /// The server was killed now. The counts of so much time may be lost.
    fn killed(&mut self, loss: Duration) {
        let lost = self.recent.iter().filter(|at| at.elapsed() < loss).count();
        self.may_be_lost += lost as u64;
        self.recent.clear();
    }
}

/// What the clients know to be acknowledged.
#[derive(Default)]
struct Known {
    requests: Mutex<BTreeMap<&'static str, Requests>>,
    subscriptions: Mutex<BTreeSet<String>>,
    /// The key that subscribes, replaced before it reaches its limit.
    subscriber: Mutex<String>,
    stop: AtomicBool,
}

/// A client that looks records up, one after the other.
struct Lookups<'a> {
    /// Label of its key.
    name: &'static str,
    key: &'a str,
    pause: Duration,
    address: SocketAddr,
    model: &'a Contracts,
    known: &'a Known,
    report: &'a Report,
}

pub fn run(options: &Options, common: &Common, seed: u64, report: &Report) -> anyhow::Result<()> {
    let mut setup = Setup::new(common, QUOTA)?;
    let dumps = setup.sample(RECORDS, 1)?;
    setup.index(&dumps)?;
    let model = Contracts::of(&dumps)?;
    let lookups = setup.installation.create_key("MEGA", LOOKUPS, &[])?;
    let small = setup.installation.create_key("BASIC", SMALL_QUOTA, &[])?;
    let known = Known::default();
    let address = setup.installation.address;

    thread::scope(|scope| {
        for (name, key, pause) in [(LOOKUPS, &lookups, 1), (SMALL_QUOTA, &small, 10)] {
            let client = Lookups {
                name,
                key,
                pause: Duration::from_millis(pause),
                address,
                model: &model,
                known: &known,
                report,
            };
            scope.spawn(move || client.run(Random::new(seed, name)));
        }
        scope.spawn(|| subscribe(address, &known, report));
        let outcome = kills(options, &mut setup, &known, &model, &lookups, seed, report);
        known.stop.store(true, Ordering::SeqCst);
        outcome
    })?;
    report.note(format!(
        "{} subscriptions acknowledged",
        lock(&known.subscriptions).len()
    ));
    for (name, requests) in lock(&known.requests).iter() {
        report.note(format!(
            "{name}: {} sent, {} answered 200, up to {} counts may be lost",
            requests.sent, requests.answered, requests.may_be_lost
        ));
    }
    Ok(())
}

/// Starts and kills the server, and checks what is left, round after round.
fn kills(
    options: &Options,
    setup: &mut Setup,
    known: &Known,
    model: &Contracts,
    lookups: &str,
    seed: u64,
    report: &Report,
) -> anyhow::Result<()> {
    let mut random = Random::new(seed, "moments of kills");
    let mut revoked: Vec<String> = Vec::new();
    let (mut subscribers, mut last_start) = (0, Duration::ZERO);
    for round in 1..=options.times {
        if lock(&known.subscriptions).len() >= subscribers * SUBSCRIPTIONS_PER_KEY {
            let label = format!("subscriber-{round}");
            // A key that is not trusted may ask 100 addresses only.
            let trusted = trusted_consent(&setup.installation);
            *lock(&known.subscriber) = setup.installation.create_key("MEGA", &label, trusted)?;
            subscribers += 1;
        }
        let mut service;
        if random.chance(10) {
            // Killed while it starts.
            service = setup.spawn()?;
            thread::sleep(Duration::from_millis(100).mul_f64(unit(&mut random)));
        } else {
            let started = setup.start()?;
            last_start = started.1;
            report.latency("start after a kill", last_start);
            service = started.0;
            check_first_answers(setup, model, lookups, &revoked, &mut random, report, round);
            let label = format!("doomed-{round}");
            revoked.push(setup.installation.create_key("PRO", &label, &[])?);
            thread::sleep(LONGEST_LIFE.mul_f64(unit(&mut random)));
            revoke(setup, &label)?;
            thread::sleep(Duration::from_millis(200).mul_f64(unit(&mut random)));
            check_log(&service, report);
        }
        service.kill();
        report.count("kills");
        for requests in lock(&known.requests).values_mut() {
            requests.killed(LOSS + last_start * 2);
        }
        check_state(setup, known, report, round)?;
    }
    let _service = setup.start()?;
    for key in &revoked {
        let status = status(setup, key);
        report.count("revoked keys tried at the end");
        if status != Some(403) {
            report.violation("a revoked key works", format!("at the end: {status:?}"));
        }
    }
    Ok(())
}

impl Lookups<'_> {
    /// Sends requests until the campaign ends.
    fn run(&self, mut random: Random) {
        lock(&self.known.requests).insert(self.name, Requests::default());
        while !self.known.stop.load(Ordering::SeqCst) {
            if let Ok(mut connection) = RawConnection::open(self.address, PATIENCE) {
                while !self.known.stop.load(Ordering::SeqCst) && self.look_up(&mut connection, &mut random) {
                    thread::sleep(self.pause);
                }
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends one request. Returns whether the connection can be used again.
    fn look_up(&self, connection: &mut RawConnection, random: &mut Random) -> bool {
        let row = &self.model.0[index_below(random, self.model.0.len())];
        lock(&self.known.requests).entry(self.name).or_default().sent += 1;
        let Next::Response(answer) = connection.get(&format!("/contract/{}", encode(&row.id)), self.key) else {
            return false;
        };
        match answer.status {
            200 => {
                lock(&self.known.requests).entry(self.name).or_default().answered();
                if answer.body != row.line.as_bytes() {
                    self.report
                        .violation("a wrong record", format!("{}: {:.300}", row.id, answer.text()));
                }
            }
            429 if self.name == SMALL_QUOTA => thread::sleep(Duration::from_millis(50)),
            503 => self.report.count("look-ups answered 503"),
            status => self.report.violation(
                "an unexpected status",
                format!("{}: {status} {:.300}", self.name, answer.text()),
            ),
        }
        !answer.closes()
    }
}

/// Subscribes one new address after the other until the campaign ends.
fn subscribe(address: SocketAddr, known: &Known, report: &Report) {
    let mut number = 0;
    while !known.stop.load(Ordering::SeqCst) {
        thread::sleep(Duration::from_millis(5));
        let Ok(mut connection) = RawConnection::open(address, PATIENCE) else {
            continue;
        };
        while !known.stop.load(Ordering::SeqCst) {
            number += 1;
            let email = format!("reader{number}@example.org");
            let body = format!(r#"{{"email": "{email}", "keywords": ["snow removal"]}}"#);
            let request = post("/tender/alerts/subscribe", &lock(&known.subscriber), &body);
            // A failed write is reported by the read.
            connection.send(request);
            let Next::Response(answer) = connection.receive(false) else {
                break;
            };
            match answer.status {
                200 => drop(lock(&known.subscriptions).insert(email)),
                // The server reads keys once a second, so the key may be new to it.
                403 => report.count("subscriptions of a key that is new to the server"),
                503 => report.count("subscriptions answered 503"),
                status => report.violation(
                    "an unexpected status",
                    format!("subscribe: {status} {:.300}", answer.text()),
                ),
            }
            thread::sleep(Duration::from_millis(15));
        }
    }
}

/// After a start: the first answer is a right record, and the keys that were revoked last do not work.
fn check_first_answers(
    setup: &Setup,
    model: &Contracts,
    key: &str,
    revoked: &[String],
    random: &mut Random,
    report: &Report,
    round: u64,
) {
    let row = &model.0[index_below(random, model.0.len())];
    let answer = RawConnection::open(setup.installation.address, PATIENCE)
        .map(|mut connection| connection.get(&format!("/contract/{}", encode(&row.id)), key));
    if !matches!(&answer, Ok(Next::Response(answer)) if answer.body == row.line.as_bytes()) {
        report.violation("the first answer is wrong", format!("round {round}: {answer:?}"));
    }
    for key in revoked.iter().rev().take(3) {
        let status = status(setup, key);
        if status != Some(403) {
            report.violation("a revoked key works", format!("round {round}: {status:?}"));
        }
    }
}

/// The status of a request with this key.
fn status(setup: &Setup, key: &str) -> Option<u16> {
    let mut connection = RawConnection::open(setup.installation.address, PATIENCE).ok()?;
    match connection.get("/contract?limit=1", key) {
        Next::Response(answer) => Some(answer.status),
        Next::Closed | Next::Broken(_) => None,
    }
}

/// Revokes the key with this label.
fn revoke(setup: &Setup, label: &str) -> anyhow::Result<()> {
    let keys = setup.installation.run(&["keys", "list"])?;
    let number = words_of(&keys, label).and_then(|mut words| words.next());
    let number = number.with_context(|| format!("the key {label}, which was created, is not listed"))?;
    setup.installation.run(&["keys", "revoke", number])?;
    Ok(())
}

/// Compares the state database with what was acknowledged. No server runs.
fn check_state(setup: &Setup, known: &Known, report: &Report, round: u64) -> anyhow::Result<()> {
    let alerts = setup.installation.run(&["alerts", "list"])?;
    let listed: BTreeSet<&str> = alerts.split_whitespace().filter(|word| word.contains('@')).collect();
    for email in lock(&known.subscriptions).iter() {
        if !listed.contains(email.as_str()) {
            report.violation(
                "an acknowledged subscription is lost",
                format!("round {round}: {email}"),
            );
        }
    }
    let keys = setup.installation.run(&["keys", "list"])?;
    for (name, requests) in lock(&known.requests).iter() {
        let today = words_of(&keys, name).and_then(|words| words.skip_while(|word| *word != "today").nth(1));
        let counted: u64 = today
            .and_then(|number| number.parse().ok())
            .context("a key that is not listed")?;
        let Requests {
            sent,
            answered,
            may_be_lost,
            ..
        } = *requests;
        let evidence = format!(
            "round {round}: {name} is counted {counted}: {sent} sent, {answered} answered 200, up to {may_be_lost} lost"
        );
        if counted + may_be_lost < answered {
            report.violation("counts are lost", &evidence);
        }
        if counted > sent {
            report.violation("more is counted than was sent", &evidence);
        }
        if *name == SMALL_QUOTA && answered > u64::from(QUOTA) + may_be_lost {
            report.violation("a quota is overdrawn", format!("{evidence}; the quota is {QUOTA}"));
        }
    }
    Ok(())
}

/// The words of the line that `keys list` shows for this label.
fn words_of<'a>(keys: &'a str, label: &str) -> Option<impl Iterator<Item = &'a str>> {
    let line = keys
        .lines()
        .find(|line| line.split_whitespace().any(|word| word == label))?;
    Some(line.split_whitespace())
}

/// The value of a mutex. A thread that panicked fails the campaign by itself.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
