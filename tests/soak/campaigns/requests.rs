//! Fuzzed HTTP requests over keep-alive connections: never a 5xx, never a panic, always an answer in the promised form.

use std::{
    io::Read,
    net::SocketAddr,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use serde_json::{Value, value::RawValue};

use super::{
    connection::{Connection, PATIENCE, Received, Response},
    grammar::{Grammar, Harvest, Keys, Request},
    setup::{Setup, check_log},
    values::Values,
};
use crate::{
    Common,
    processes::{anonymous_mebibytes, open_files},
    random::Random,
    report::Report,
};

/// Statuses that the API description promises.
const STATUSES: &[u16] = &[
    200, 204, 304, 400, 403, 404, 405, 408, 413, 415, 417, 422, 429, 431, 503, 504,
];

/// A request of a thousand may be refused for load (503) or be too slow (504), as documented.
const BUSY_IN_1000: u64 = 1;

/// The server's anonymous memory stays below this, in MiB.
const MEMORY_MB: u64 = 512;

#[derive(Debug, clap::Args)]
pub struct Options {
    /// Number of requests
    #[arg(long, default_value_t = 2_000_000)]
    count: u64,
    /// Number of connections
    #[arg(long, default_value_t = 8)]
    connections: u64,
    /// Size of the generated index
    #[arg(long, default_value_t = 600)]
    records: u64,
}

/// One of the connections, and what it shares with the others.
struct Client<'a> {
    address: SocketAddr,
    grammar: &'a Grammar,
    values: &'a Values,
    /// Number of requests that are still to be sent.
    left: &'a AtomicU64,
    busy: &'a AtomicU64,
    report: &'a Report,
}

pub fn run(options: &Options, common: &Common, seed: u64, report: &Report) -> anyhow::Result<()> {
    let mut setup = Setup::new(common, 1_000_000_000)?;
    let dumps = setup.sample(options.records, 1)?;
    setup.index(&dumps)?;
    let values = Values::of(&dumps)?;
    let key = |plan, label| setup.installation.create_key(plan, label, &[]);
    let keys = Keys {
        all: key("MEGA", "all")?,
        basic: key("BASIC", "basic")?,
        revoked: key("PRO", "revoked")?,
    };
    setup.installation.run(&["keys", "revoke", "3"])?;
    let (mut service, _) = setup.start()?;
    let address = setup.installation.address;
    let grammar = Grammar::of(&description(address)?, keys)?;
    report.note(format!(
        "{} endpoints, {} query parameters",
        grammar.endpoints(),
        grammar.parameters()
    ));

    let (left, busy, done) = (AtomicU64::new(options.count), AtomicU64::new(0), AtomicBool::new(false));
    let started = Instant::now();
    let handles = open_files(service.id()).unwrap_or(0);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..options.connections)
            .map(|number| {
                let client = Client {
                    address,
                    grammar: &grammar,
                    values: &values,
                    left: &left,
                    busy: &busy,
                    report,
                };
                scope.spawn(move || client.run(Random::new(seed, &format!("requests {number}"))))
            })
            .collect();
        let sampler = scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                report.memory(
                    started.elapsed().as_secs(),
                    anonymous_mebibytes(service.id()).unwrap_or(0),
                );
                thread::sleep(Duration::from_millis(500));
            }
        });
        for client in clients {
            client.join().expect("a client does not panic");
        }
        done.store(true, Ordering::SeqCst);
        sampler.join().expect("the sampler does not panic");
    });
    let seconds = started.elapsed().as_secs_f64();
    report.note(format!(
        "{} requests in {seconds:.0} s, {:.0} a second",
        options.count,
        options.count as f64 / seconds
    ));
    let busy = busy.load(Ordering::SeqCst);
    if busy * 1_000 > options.count * BUSY_IN_1000 {
        report.violation("too many requests are refused", format!("{busy} times 503 or 504"));
    }
    // The connections that the clients closed have ended.
    thread::sleep(Duration::from_secs(3));
    let (memory, open) = (anonymous_mebibytes(service.id()), open_files(service.id()));
    report.note(format!(
        "at the end: anonymous memory {memory:?} MiB, {open:?} open files; at the start {handles}"
    ));
    if memory.is_none_or(|memory| memory > MEMORY_MB) {
        report.violation("memory grows", format!("{memory:?} MiB"));
    }
    if open.is_none_or(|open| open > handles + 16) {
        report.violation(
            "file handles do not return",
            format!("{handles} at the start, {open:?} at the end"),
        );
    }
    check_log(&service, report);
    if let Some(status) = service.wait(Duration::ZERO)? {
        report.violation("the server has ended", format!("{status}: {}", service.log_tail()));
    } else {
        let status = service.terminate()?;
        if !status.success() {
            report.violation("the server does not stop cleanly", status.to_string());
        }
    }
    Ok(())
}

/// The API description that the server publishes.
fn description(address: SocketAddr) -> anyhow::Result<Value> {
    let mut connection = Connection::open(address, PATIENCE)?;
    let Received::Response(answer) = connection.get("/openapi.json", "") else {
        bail!("no API description");
    };
    serde_json::from_slice(&answer.body).context("an API description that is not JSON")
}

impl Client<'_> {
    fn run(&self, mut random: Random) {
        let mut harvest = Harvest::default();
        let mut connection = None;
        // The request before, on the same connection: evidence when a request is not answered.
        let mut before = Vec::new();
        let take = |left: u64| left.checked_sub(1);
        while self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok() {
            let request = self.grammar.request(self.values, &harvest, &mut random);
            if request.is_mutated {
                self.send_mutated(&request);
                continue;
            }
            let Some(mut open) = connection
                .take()
                .or_else(|| Connection::open(self.address, PATIENCE).ok())
            else {
                self.report.violation("the server accepts no connection", "");
                return;
            };
            let sent = Instant::now();
            // A failed write is reported by the read.
            let _ = open.send(&request.bytes);
            match open.receive(request.is_head) {
                Received::Response(answer) => {
                    self.report.latency("requests", sent.elapsed());
                    self.check(&request, &answer);
                    if answer.status == 408 {
                        self.wrong("a complete request is waited for", &request, &answer.head);
                    }
                    collect(&answer, &mut harvest, &mut random);
                    if !answer.closes() {
                        connection = Some(open);
                    }
                }
                other => {
                    let before = excerpt(&before);
                    self.wrong(
                        "a request is not answered",
                        &request,
                        &format!("{other:?}; the request before: {before}"),
                    );
                }
            }
            before = request.bytes;
        }
    }

    /// Sends bytes that may be no request, one or several, and checks whatever comes until the server closes.
    fn send_mutated(&self, request: &Request) {
        let Ok(mut connection) = Connection::open(self.address, PATIENCE) else {
            self.report.violation("the server accepts no connection", "");
            return;
        };
        let sent = Instant::now();
        let _ = connection.send(&request.bytes);
        connection.half_close();
        for answers in 0.. {
            match connection.receive(request.is_head && answers == 0) {
                Received::Response(answer) if answers == 0 => self.check(request, &answer),
                Received::Response(answer) => self.check_status(request, &answer),
                Received::Closed => break,
                // Nothing is read after the request, and the server may reset a connection that it has closed.
                Received::Broken(reason) if reason.contains("reset") => break,
                Received::Broken(reason) => {
                    self.wrong("a broken answer", request, &reason);
                    break;
                }
            }
        }
        self.report.latency("mutated requests", sent.elapsed());
    }

    fn check_status(&self, request: &Request, answer: &Response) {
        self.report.count(format!("status {}", answer.status));
        if matches!(answer.status, 503 | 504) {
            self.busy.fetch_add(1, Ordering::SeqCst);
        }
        // A page with a slash at its end is redirected.
        let is_redirect = request.is_page && answer.status == 308;
        // `/` is the address of the pages. Changed bytes can make it of any address: `/?contract`.
        let is_home = answer.status == 303 && matches!(answer.header("location"), Some("/en" | "/fr"));
        if !STATUSES.contains(&answer.status) && !is_redirect && !is_home {
            self.wrong(
                "an undocumented status",
                request,
                &format!("{} {}", answer.head, answer.text()),
            );
        }
    }

    fn check(&self, request: &Request, answer: &Response) {
        self.check_status(request, answer);
        if let Some(expected) = &request.expected {
            self.report.count("answers known in advance");
            if answer.status != 200 || answer.body != expected.as_bytes() {
                self.wrong(
                    "a wrong answer",
                    request,
                    &format!("{} {:.500}", answer.status, answer.text()),
                );
            }
        }
        if request.is_head || matches!(answer.status, 204 | 304) {
            return;
        }
        let Some(body) = decoded(answer) else {
            self.wrong("a body that cannot be decoded", request, &answer.head);
            return;
        };
        let is_json = answer
            .header("content-type")
            .is_some_and(|value| value.starts_with("application/json"));
        if is_json && serde_json::from_slice::<&RawValue>(&body).is_err() {
            self.wrong("a body that is not JSON", request, &String::from_utf8_lossy(&body));
        }
        if answer.status >= 400 && (is_json || !request.is_page) {
            let error: Option<Value> = serde_json::from_slice(&body).ok();
            let detail = error.as_ref().and_then(|error| error["detail"].as_str());
            if detail.is_none_or(str::is_empty) {
                self.wrong("an error without a detail", request, &String::from_utf8_lossy(&body));
            }
        }
    }

    fn wrong(&self, kind: &str, request: &Request, answer: &str) {
        self.report
            .violation(kind, format!("{}\n    {answer:.1000}", excerpt(&request.bytes)));
    }
}

/// The start of a request, for a report.
fn excerpt(request: &[u8]) -> String {
    request.escape_ascii().to_string().chars().take(1_200).collect()
}

/// The body without its content coding.
fn decoded(answer: &Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    match answer.header("content-encoding") {
        None => body.clone_from(&answer.body),
        Some("gzip") => drop(
            flate2::read::MultiGzDecoder::new(&answer.body[..])
                .read_to_end(&mut body)
                .ok()?,
        ),
        Some("br") => drop(
            brotli::Decompressor::new(&answer.body[..], 4096)
                .read_to_end(&mut body)
                .ok()?,
        ),
        Some("zstd") => body = zstd::stream::decode_all(&answer.body[..]).ok()?,
        Some(_) => return None,
    }
    Some(body)
}

/// Keeps cursors and entity tags for later requests.
fn collect(answer: &Response, harvest: &mut Harvest, random: &mut Random) {
    if let Some(tag) = answer.header("etag") {
        Harvest::keep(&mut harvest.tags, tag, random);
    }
    let link = answer.header("link").and_then(|link| link.split("cursor=").nth(1));
    if let Some(cursor) = link.and_then(|rest| rest.split(['&', '>']).next()) {
        Harvest::keep(&mut harvest.cursors, cursor, random);
    }
}
