//! More expensive work than the server can do, from two keys at once, while another key looks records up.
//!
//! Every expensive request is answered or refused at once, what is refused costs nothing, and the look-ups stay fast.
//! `benches/overload.rs` measures the same; this campaign passes or fails, with generous bounds.

use std::{
    fmt::Write,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use procure::http::encoding::encode;

use super::{
    latencies::Latencies,
    setup::{Setup, check_log, index_below},
};
use crate::{
    Common,
    http::{Next, PATIENCE, RawConnection, RawResponse, get, post},
    random::Random,
    report::Report,
};

/// Items of a batch: the most that is allowed.
const ITEMS: usize = 50;

/// A refusal comes within this time. It needs no search.
const AT_ONCE: Duration = Duration::from_secs(2);

/// The look-ups go on for at least this long, so that their percentiles mean something.
const LEAST: Duration = Duration::from_secs(3);

#[derive(Debug, clap::Args)]
pub struct Options {
    /// Size of the generated index
    #[arg(long, default_value_t = 60_000)]
    records: u64,
    /// Index to serve instead of a generated one
    #[arg(long)]
    index_dir: Option<PathBuf>,
    /// Longest p99 of the look-ups in milliseconds
    #[arg(long, default_value_t = 250)]
    p99_ms: u64,
}

/// Expensive requests that are sent at once.
struct Load {
    name: &'static str,
    requests: Vec<String>,
}

/// What became of one request.
struct Outcome {
    status: u16,
    took: Duration,
    /// What it counted as, by `X-RateLimit-Cost`.
    cost: u64,
    has_retry_after: bool,
}

/// The server, and what is asked of it.
struct Target {
    address: SocketAddr,
    lookup_key: String,
    attackers: [String; 2],
    contracts: Vec<String>,
    tenders: Vec<String>,
}

pub fn run(options: &Options, common: &Common, seed: u64, report: &Report) -> anyhow::Result<()> {
    let mut setup = Setup::new(common, 1_000)?;
    if let Some(index_dir) = &options.index_dir {
        let index_dir = index_dir.to_str().context("a folder whose name is not UTF-8")?;
        let variable = ("PROCURE_INDEX_DIR".to_owned(), index_dir.to_owned());
        setup.installation.environment.push(variable);
    } else {
        let dumps = setup.sample(options.records, 1)?;
        setup.index(&dumps)?;
    }
    let key = |label| setup.installation.create_key("MEGA", label, &[]);
    let (lookup_key, attackers) = (key("look-ups")?, [key("first")?, key("second")?]);
    let (service, _) = setup.start()?;
    let address = setup.installation.address;
    let target = Target {
        address,
        contracts: record_ids(address, "contract", &lookup_key)?,
        tenders: record_ids(address, "tender", &lookup_key)?,
        lookup_key,
        attackers,
    };
    let mut random = Random::new(seed, "batches");
    println!(
        "{:<24} {:>5} {:>5} {:>5} {:>5} {:>5} {:>8}  {:<22} {:>7} {:>8}",
        "load", "200", "503", "late", "504", "other", "seconds", "look-ups p50/p99/worst", "charged", "expected"
    );
    let loads = [
        target.batches(120, &mut random),
        target.pages("200 unions with facets", 200, |n| {
            format!(
                "/contract?q=%22snow+removal%22+OR+%22road+salt%22&facets=vendor,department&limit={}",
                1 + n % 50
            )
        }),
        target.pages("300 feeds", 300, |n| {
            format!("/tender/feed?days_back=90&limit={}", 500 - n % 50)
        }),
    ];
    for load in &loads {
        target.run(load, options, report)?;
    }
    check_log(&service, report);
    Ok(())
}

/// Ids of up to 500 records.
fn record_ids(address: SocketAddr, entity_type: &str, key: &str) -> anyhow::Result<Vec<String>> {
    let mut connection = RawConnection::open(address, PATIENCE)?;
    let Next::Response(page) = connection.get(&format!("/{entity_type}?limit=500"), key) else {
        bail!("no answer from an idle server");
    };
    let page: Value = serde_json::from_slice(&page.body)?;
    let results = page["results"].as_array().context("a page without results")?;
    let ids = results.iter().filter_map(|record| record["record_id"].as_str());
    Ok(ids.map(str::to_owned).collect())
}

impl Target {
    /// Batches of estimates of tenders, from both attackers in turn.
    fn batches(&self, count: usize, random: &mut Random) -> Load {
        let batch = |number: usize| {
            let ids: Vec<&String> = (0..ITEMS)
                .map(|_| &self.tenders[index_below(random, self.tenders.len())])
                .collect();
            post(
                "/tender/estimate",
                &self.attackers[number % 2],
                &json!({"record_ids": ids}).to_string(),
            )
        };
        Load {
            name: "120 batches of 50",
            requests: (0..count).map(batch).collect(),
        }
    }

    fn pages(&self, name: &'static str, count: usize, path: impl Fn(usize) -> String) -> Load {
        Load {
            name,
            requests: (0..count)
                .map(|number| get(&path(number), &self.attackers[number % 2]))
                .collect(),
        }
    }

    /// Sends all requests of a load at once, and looks records up until all are answered.
    fn run(&self, load: &Load, options: &Options, report: &Report) -> anyhow::Result<()> {
        let before = self.remaining()?;
        let barrier = Barrier::new(load.requests.len() + 1);
        let done = AtomicBool::new(false);
        let (outcomes, mut lookups, took) = thread::scope(|scope| {
            let senders: Vec<_> = load
                .requests
                .iter()
                .map(|request| scope.spawn(|| send(self.address, request, &barrier)))
                .collect();
            let lookups = scope.spawn(|| self.look_up(&done, load.name, report));
            barrier.wait();
            let started = Instant::now();
            let outcomes: Vec<Option<Outcome>> = senders
                .into_iter()
                .map(|sender| sender.join().expect("a sender does not panic"))
                .collect();
            let took = started.elapsed();
            thread::sleep(LEAST.saturating_sub(took));
            done.store(true, Ordering::SeqCst);
            (outcomes, lookups.join().expect("the client does not panic"), took)
        });
        // The two requests that read the remainder after the load cost one each.
        let charged = before.saturating_sub(self.remaining()?).saturating_sub(2);
        let answered: Vec<&Outcome> = outcomes.iter().flatten().collect();
        let with = |status: u16| answered.iter().filter(|outcome| outcome.status == status).count();
        // What ran and was too slow is charged, too, and a feed that ran and cannot be estimated in time. What was
        // refused, or only queued, is not.
        let has_run = |status| matches!(status, 200 | 504) || (status == 503 && load.name.ends_with("feeds"));
        let ran = answered.iter().filter(|outcome| has_run(outcome.status));
        let expected: u64 = ran.map(|outcome| outcome.cost).sum();
        let late = answered
            .iter()
            .filter(|outcome| outcome.status == 503 && outcome.took > AT_ONCE)
            .count();
        let hasty = answered
            .iter()
            .filter(|outcome| outcome.status == 503 && !outcome.has_retry_after)
            .count();
        let mut line = String::new();
        write!(
            line,
            "{:<24} {:>5} {:>5} {late:>5} {:>5} {:>5} {:>8.1}  {:<22} {charged:>7} {expected:>8}",
            load.name,
            with(200),
            with(503),
            with(504),
            outcomes.len() - with(200) - with(503) - with(504),
            took.as_secs_f64(),
            lookups.milliseconds(),
        )?;
        println!("{line}");
        let check = |kind: &str, holds: bool| {
            if !holds {
                report.violation(kind, &line);
            }
        };
        check(
            "an expensive request is neither answered nor refused",
            with(200) + with(503) == outcomes.len(),
        );
        check("nothing is answered", with(200) > 0);
        check("what is not answered is charged", charged <= expected);
        check(
            "look-ups wait",
            lookups.percentile(99) <= Duration::from_millis(options.p99_ms) && lookups.count() > 0,
        );
        check("a refusal without Retry-After", hasty == 0);
        check("a refusal comes late", late == 0);
        report.add(format!("{}: sent", load.name), outcomes.len() as u64);
        Ok(())
    }

    /// Looks up records, pages and names, one after the other. Every one must be answered.
    fn look_up(&self, done: &AtomicBool, during: &str, report: &Report) -> Latencies {
        let mut latencies = Latencies::default();
        let Ok(mut connection) = RawConnection::open(self.address, PATIENCE) else {
            return latencies;
        };
        for turn in 0.. {
            if done.load(Ordering::SeqCst) {
                break;
            }
            let path = match turn % 3 {
                0 => format!("/contract/{}", encode(&self.contracts[turn % self.contracts.len()])),
                1 => "/contract?limit=10".to_owned(),
                _ => "/vendors?q=constr&limit=5".to_owned(),
            };
            let sent = Instant::now();
            let answer = connection.get(&path, &self.lookup_key);
            latencies.add(sent.elapsed());
            if !matches!(&answer, Next::Response(answer) if answer.status == 200) {
                report.violation("a look-up is not answered", format!("{during}: {path}: {answer:.300?}"));
                match RawConnection::open(self.address, PATIENCE) {
                    Ok(again) => connection = again,
                    Err(_) => break,
                }
            }
            // A client that is not in a hurry: it does not itself load the server.
            thread::sleep(Duration::from_millis(5));
        }
        latencies
    }

    /// What is left of today's requests of both attackers.
    fn remaining(&self) -> anyhow::Result<u64> {
        let mut remaining = 0;
        for key in &self.attackers {
            let mut connection = RawConnection::open(self.address, PATIENCE)?;
            let Next::Response(answer) = connection.get("/contract?limit=1", key) else {
                bail!("no answer after a load");
            };
            remaining += day_remainder(&answer).context("a response without the day's remainder")?;
        }
        Ok(remaining)
    }
}

/// `r` of the policy `day` in the header `RateLimit`.
fn day_remainder(answer: &RawResponse) -> Option<u64> {
    let day = answer
        .header("ratelimit")?
        .split(", ")
        .find(|policy| policy.starts_with("\"day\""))?;
    day.split(';').find_map(|part| part.strip_prefix("r="))?.parse().ok()
}

/// Connects, waits for the others, sends a request and receives the response. Nothing if it is lost.
fn send(address: SocketAddr, request: &str, barrier: &Barrier) -> Option<Outcome> {
    let connection = RawConnection::open(address, PATIENCE);
    barrier.wait();
    let mut connection = connection.ok()?;
    let sent = Instant::now();
    connection.send(request);
    let Next::Response(answer) = connection.receive(false) else {
        return None;
    };
    Some(Outcome {
        status: answer.status,
        took: sent.elapsed(),
        cost: answer
            .header("x-ratelimit-cost")
            .and_then(|cost| cost.parse().ok())
            .unwrap_or(0),
        has_retry_after: answer.header("retry-after").is_some(),
    })
}
