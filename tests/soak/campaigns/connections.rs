//! Thousands of hostile connections of each kind in turn, on one server with a limit on its memory.
//!
//! During each attack, well-behaved clients are answered, `procure health` succeeds, and anonymous memory stays below
//! the limit. After each attack, memory falls back and all file handles return.

use std::{
    fs,
    io::Write,
    net::SocketAddr,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use serde_json::Value;

use procure::http::encoding::encode;

use super::{
    attacks::{LARGE, attacks},
    hostile::{Attack, attack},
    latencies::Latencies,
    setup::{Setup, check_log, raise_file_limit},
};
use crate::{
    Common,
    http::{Next, PATIENCE, RawConnection},
    installation::{Installation, anonymous_mebibytes, open_files},
    report::Report,
};

/// Large records in the index: together more than the 8 MiB after which a page ends.
const LARGE_RECORDS: usize = 60;

/// Size of the text of a large record. `index` refuses records over 256 KiB.
const LARGE_TEXT: usize = 200 << 10;

/// After an attack, the file handles return within this time: longer than the longest deadline of a connection.
const RETURN_TIME: Duration = Duration::from_secs(90);

/// Attackers, each with a key of the plan ULTRA and its own limits. Together they may send one request on each of 4,096
/// connections in their first minute.
const ATTACKERS: usize = 8;

/// A client that is already connected is answered within this time, in 99 of 100 cases.
const CONNECTED: Duration = Duration::from_secs(1);

/// A client that connects anew, and tries again when refused, is answered within this time.
const ADMITTED: Duration = Duration::from_secs(5);

#[derive(Debug, clap::Args)]
pub struct Options {
    /// Number of hostile connections
    #[arg(long, default_value_t = 4096)]
    count: usize,
    /// Duration of each attack in seconds. The longest deadline of the server is 75 s
    #[arg(long, default_value_t = 80)]
    seconds: u64,
    /// Size of the generated index; large records are added
    #[arg(long, default_value_t = 20_000)]
    records: u64,
    /// Index to serve instead of a generated one
    #[arg(long)]
    index_dir: Option<PathBuf>,
    /// Attacks to run; all by default
    #[arg(long, value_delimiter = ',')]
    attacks: Vec<String>,
    /// Anonymous memory in MiB that the server may use at most
    #[arg(long, default_value_t = 512)]
    memory_mb: u64,
}

pub fn run(options: &Options, common: &Common, _seed: u64, report: &Report) -> anyhow::Result<()> {
    let files = raise_file_limit();
    report.note(format!("this process may open {files} files"));
    let mut setup = Setup::new(common, 1_000)?;
    let large = prepare(options, &mut setup)?;
    let victim = setup.installation.create_key("MEGA", "well-behaved", &[])?;
    let create = |_| setup.installation.create_key("ULTRA", "attacker", &[]);
    let attackers: Vec<String> = (0..ATTACKERS).map(create).collect::<anyhow::Result<_>>()?;
    let ids = record_ids(&mut setup, &victim)?;
    println!(
        "{:<26} {:>6} {:>6} {:>6} {:>7} {:>7} {:>22} {:>22}  health",
        "attack", "held", "ended", "MiB", "after", "handles", "connected p50/p99/worst", "new p50/p99/worst"
    );
    let mut service = setup.start()?.0;
    let before = anonymous_mebibytes(service.id()).context("the server has ended")?;
    report.note(format!("anonymous memory before the first attack: {before} MiB"));
    let attacks = attacks(&attackers, &large);
    let unknown = options
        .attacks
        .iter()
        .find(|name| attacks.iter().all(|attack| attack.name != *name));
    if let Some(name) = unknown {
        let names: Vec<&str> = attacks.iter().map(|attack| attack.name).collect();
        anyhow::bail!("unknown attack '{name}'; the attacks are {}", names.join(", "));
    }
    for attack in attacks {
        if !options.attacks.is_empty() && !options.attacks.iter().any(|name| name == attack.name) {
            continue;
        }
        let round = Round {
            attack: &attack,
            installation: &setup.installation,
            server: service.id(),
            victim: &victim,
            ids: &ids,
            options,
            report,
        };
        round.run()?;
        check_log(&service, report);
        if service.wait(Duration::ZERO)?.is_some() {
            report.violation(
                "the server has ended",
                format!("{}: {}", attack.name, service.log_tail()),
            );
            service = setup.start()?.0;
        }
        report.count("attacks");
    }
    Ok(())
}

/// Makes the index. Returns the path of a page of several megabytes.
fn prepare(options: &Options, setup: &mut Setup) -> anyhow::Result<String> {
    if let Some(index_dir) = &options.index_dir {
        // The state database stays in the folder of this run.
        let index_dir = index_dir.to_str().context("a folder whose name is not UTF-8")?;
        let variable = ("PROCURE_INDEX_DIR".to_owned(), index_dir.to_owned());
        setup.installation.environment.push(variable);
        return Ok("/contract?limit=500".to_owned());
    }
    let dumps = setup.sample(options.records, 1)?;
    let path = dumps.join("contract").join("montreal.ndjson");
    let text = fs::read_to_string(&path)?;
    let mut record: Value = serde_json::from_str(text.lines().next().context("an empty dump")?)?;
    let mut file = fs::OpenOptions::new().append(true).open(&path)?;
    for number in 0..LARGE_RECORDS {
        record["record_id"] = Value::from(format!("{LARGE}-{number}"));
        record["vendor_name"] = Value::from(LARGE);
        record["title_en"] = Value::from("snow removal ".repeat(LARGE_TEXT / 13));
        writeln!(file, "{record}")?;
    }
    setup.index(&dumps)?;
    Ok(format!("/contract?limit={LARGE_RECORDS}&vendor={LARGE}"))
}

/// Ids of contracts to look up.
fn record_ids(setup: &mut Setup, key: &str) -> anyhow::Result<Vec<String>> {
    let (_service, _) = setup.start()?;
    let mut connection = RawConnection::open(setup.installation.address, PATIENCE)?;
    let Next::Response(page) = connection.get("/contract?limit=100&sort_order=asc", key) else {
        anyhow::bail!("no answer from an idle server");
    };
    let page: Value = serde_json::from_slice(&page.body)?;
    let results = page["results"].as_array().context("a page without results")?;
    let ids = results.iter().filter_map(|record| record["record_id"].as_str());
    Ok(ids.map(encode).collect())
}

/// One attack.
struct Round<'a> {
    attack: &'a Attack,
    installation: &'a Installation,
    server: u32,
    victim: &'a str,
    ids: &'a [String],
    options: &'a Options,
    report: &'a Report,
}

impl Round<'_> {
    fn run(&self) -> anyhow::Result<()> {
        let handles = open_files(self.server).unwrap_or(0);
        let (stop, calm) = (AtomicBool::new(false), AtomicBool::new(false));
        let address = self.installation.address;
        let (fate, most_mb, mut connected, mut new, health) = thread::scope(|scope| {
            let connected = scope.spawn(|| self.connected_client(&calm));
            // The client is connected before the attack.
            thread::sleep(Duration::from_millis(500));
            let fate = scope.spawn(|| attack(self.attack, address, self.options.count, &stop));
            let new = scope.spawn(|| self.new_clients(&stop));
            let health = scope.spawn(|| self.health_checks(&stop));
            let mut most_mb = 0;
            let started = Instant::now();
            while started.elapsed() < Duration::from_secs(self.options.seconds) {
                most_mb = most_mb.max(anonymous_mebibytes(self.server).unwrap_or(0));
                thread::sleep(Duration::from_millis(100));
            }
            calm.store(true, Ordering::SeqCst);
            stop.store(true, Ordering::SeqCst);
            (
                fate.join().expect("the attacking thread does not panic"),
                most_mb,
                connected.join().expect("the client does not panic"),
                new.join().expect("the client does not panic"),
                health.join().expect("the health checks do not panic"),
            )
        });
        let after_mb = self.await_return(handles);
        println!(
            "{:<26} {:>6} {:>6} {:>6} {:>7} {:>7} {:>22} {:>22}  {} of {}",
            self.attack.name,
            fate.most_at_once,
            fate.ended + fate.resets,
            most_mb,
            after_mb,
            open_files(self.server).unwrap_or(0),
            connected.milliseconds(),
            new.milliseconds(),
            health.0,
            health.1,
        );
        self.report.add("hostile connections", fate.opened);
        self.report
            .add("hostile connections that were not accepted", fate.not_accepted);
        self.report.add(
            "answers to well-behaved clients",
            (connected.count() + new.count()) as u64,
        );
        self.check(
            "the memory limit is exceeded",
            most_mb <= self.options.memory_mb,
            format!("{most_mb} MiB"),
        );
        let p99 = connected.percentile(99);
        self.check(
            "a connected client waits",
            p99 <= CONNECTED && connected.count() > 0,
            format!("p99 {p99:?}"),
        );
        let worst = new.percentile(100);
        self.check(
            "a new client is not let in",
            worst <= ADMITTED && new.count() > 0,
            format!("{worst:?}"),
        );
        Ok(())
    }

    fn check(&self, kind: &str, holds: bool, evidence: String) {
        if !holds {
            self.report.violation(kind, format!("{}: {evidence}", self.attack.name));
        }
    }

    /// A client with a key that stays connected and asks twenty times a second.
    fn connected_client(&self, stop: &AtomicBool) -> Latencies {
        let mut latencies = Latencies::default();
        let Ok(mut connection) = RawConnection::open(self.installation.address, PATIENCE) else {
            return latencies;
        };
        for turn in 0.. {
            if stop.load(Ordering::SeqCst) {
                break;
            }
            let sent = Instant::now();
            let id = &self.ids[turn % self.ids.len()];
            match connection.get(&format!("/contract/{id}"), self.victim) {
                Next::Response(answer) if answer.status == 200 => {
                    latencies.add(sent.elapsed());
                    if answer.closes() {
                        self.report.count("connected clients that had to connect again");
                        connection = match RawConnection::open(self.installation.address, PATIENCE) {
                            Ok(again) => again,
                            Err(_) => return latencies,
                        };
                    }
                }
                other => {
                    self.check("a connected client is not answered", false, format!("{other:.300?}"));
                    match RawConnection::open(self.installation.address, PATIENCE) {
                        Ok(again) => connection = again,
                        Err(_) => thread::sleep(Duration::from_secs(1)),
                    }
                }
            }
            thread::sleep(Duration::from_millis(50));
        }
        latencies
    }

    /// Clients with a key that connect, ask once, and try again when they are refused.
    fn new_clients(&self, stop: &AtomicBool) -> Latencies {
        let mut latencies = Latencies::default();
        while !stop.load(Ordering::SeqCst) {
            let started = Instant::now();
            let mut tries = 0;
            while !stop.load(Ordering::SeqCst) {
                tries += 1;
                if asks_once(
                    self.installation.address,
                    self.victim,
                    &self.ids[tries % self.ids.len()],
                ) {
                    latencies.add(started.elapsed());
                    break;
                }
                self.report.count("new clients that had to try again");
                thread::sleep(Duration::from_millis(100));
            }
            if started.elapsed() > ADMITTED {
                latencies.add(started.elapsed());
            }
            thread::sleep(Duration::from_millis(250));
        }
        latencies
    }

    /// Runs `procure health` every two seconds. Returns how often it succeeded, and how often it ran.
    fn health_checks(&self, stop: &AtomicBool) -> (u64, u64) {
        let bind = ("PROCURE_BIND", self.installation.address.to_string());
        let admin = ("PROCURE_ADMIN_BIND", self.installation.admin.to_string());
        let (mut healthy, mut asked) = (0, 0);
        while !stop.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_secs(2));
            let mut command = self.installation.command(&["health"]);
            let output = command.env(bind.0, &bind.1).env(admin.0, &admin.1).output();
            asked += 1;
            match output {
                Ok(output) if output.status.success() => healthy += 1,
                Ok(output) => {
                    let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                    self.check("procure health fails", false, why);
                }
                Err(error) => self.check("procure health cannot be started", false, error.to_string()),
            }
        }
        (healthy, asked)
    }

    /// Waits until the file handles have returned and memory has fallen. Returns the memory then.
    fn await_return(&self, handles: usize) -> u64 {
        let ended = Instant::now();
        // A connection to a database, and the client's own.
        while open_files(self.server).is_some_and(|open| open > handles + 8) {
            if ended.elapsed() > RETURN_TIME {
                let open = open_files(self.server);
                self.check(
                    "file handles do not return",
                    false,
                    format!("{handles} before, {open:?} after"),
                );
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        self.report.latency("return of the file handles", ended.elapsed());
        // The allocator keeps some of what was freed.
        let most = self.options.memory_mb / 2;
        while anonymous_mebibytes(self.server).is_some_and(|now| now > most) && ended.elapsed() < RETURN_TIME {
            thread::sleep(Duration::from_millis(100));
        }
        let now = anonymous_mebibytes(self.server).unwrap_or(0);
        self.check("memory does not fall back", now <= most, format!("{now} MiB"));
        now
    }
}

/// Whether one request on a new connection is answered.
fn asks_once(address: SocketAddr, key: &str, id: &str) -> bool {
    let Ok(mut connection) = RawConnection::open(address, Duration::from_secs(2)) else {
        return false;
    };
    matches!(connection.get(&format!("/contract/{id}"), key), Next::Response(answer) if answer.status == 200)
}
