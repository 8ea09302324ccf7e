//! What requests cost the server, and what they are charged.
//!
//! Requests from a grammar of all endpoints and pages, one after the other. The processor time of each, of all threads
//! of the server, must be in proportion to what the response states that it counted as.

use std::{fs, path::PathBuf, time::Duration};

use anyhow::Context;

use super::{
    charged_requests::Grammar,
    setup::{Setup, check_log},
};
use crate::{
    Common,
    http::{Client, Request},
    random::Random,
    report::Report,
};

#[derive(Debug, clap::Args)]
pub struct Options {
    /// Number of requests
    #[arg(long, default_value_t = 300)]
    count: usize,
    /// Size of the generated index
    #[arg(long, default_value_t = 60_000)]
    records: u64,
    /// Index to serve instead of a generated one, for example with two million records
    #[arg(long)]
    index_dir: Option<PathBuf>,
    /// Words of the texts: frequent ones cost most
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "de,services,entretien,the,of,la,et,des,and,supply,construction,snow"
    )]
    words: Vec<String>,
    /// Milliseconds of processor time that a request may take for each one charged
    #[arg(long, default_value_t = 40)]
    ms: u64,
}

/// How many requests the report shows.
const SHOWN: usize = 20;

/// How often each request is sent. The least time counts, because other threads of the server work too.
const TIMES: usize = 3;

struct Measured {
    request: Request,
    charged: u64,
    /// The least of all times.
    milliseconds: f64,
    /// The first time: with what the server keeps for the next one.
    first: f64,
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
    let key = setup.installation.create_key("MEGA", "charged", &[])?;
    let (service, _) = setup.start()?;
    let mut client = Client::with_key(setup.installation.address, &key);
    let grammar = Grammar::read(&mut client, &options.words)?;
    let (mut random, mut measured) = (Random::new(seed, "charges"), Vec::new());
    for _ in 0..options.count {
        measured.extend(measure(&mut client, service.id(), grammar.request(&mut random))?);
    }
    measured.sort_by(|a, b| per_request(b).total_cmp(&per_request(a)));
    show(&measured, "by the least of three times");
    for request in measured
        .iter()
        .filter(|request| per_request(request) > options.ms as f64)
    {
        let each = per_request(request);
        report.violation(
            "a request costs more than it is charged",
            format!("{each:.1} ms each: {}", line(&request.request)),
        );
    }
    measured.sort_by(|a, b| b.first.total_cmp(&a.first));
    show(&measured, "by the first time");
    if measured.is_empty() {
        report.violation("no request was answered", "");
    }
    report.add("requests measured", measured.len() as u64);
    check_log(&service, report);
    Ok(())
}

fn per_request(measured: &Measured) -> f64 {
    measured.milliseconds / measured.charged as f64
}

fn show(measured: &[Measured], order: &str) {
    println!("{order}:");
    println!(
        "{:>9} {:>9} {:>8} {:>9}  request",
        "first, ms", "least, ms", "charged", "ms each"
    );
    for request in measured.iter().take(SHOWN) {
        println!(
            "{:>9.1} {:>9.1} {:>8} {:>9.1}  {}",
            request.first,
            request.milliseconds,
            request.charged,
            per_request(request),
            line(&request.request)
        );
    }
}

fn line(request: &Request) -> String {
    let body = request.body.as_deref().unwrap_or_default();
    format!("{} {} {:.300}", request.method, request.target, body)
}

/// Sends the request some times, and returns its processor time; nothing if it is refused or free.
fn measure(client: &mut Client, process: u32, request: Request) -> anyhow::Result<Option<Measured>> {
    let (mut times, mut charged) = ([0.0; TIMES], 0);
    for time in &mut times {
        let before = processor_time(process)?;
        let answer = client.send(&request).with_context(|| line(&request))?;
        let took = processor_time(process)?.saturating_sub(before);
        // Free answers have no cost: those that are kept, and errors.
        let cost = answer.header("x-ratelimit-cost").and_then(|cost| cost.parse().ok());
        let (200, Some(cost)) = (answer.status, cost) else {
            return Ok(None);
        };
        (*time, charged) = (took.as_secs_f64() * 1_000.0, cost);
    }
    Ok(Some(Measured {
        request,
        charged,
        milliseconds: times.into_iter().fold(f64::MAX, f64::min),
        first: times[0],
    }))
}

/// The processor time of all threads of a process that still run.
fn processor_time(process: u32) -> anyhow::Result<Duration> {
    let mut nanoseconds = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        // A thread may have ended meanwhile.
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else {
            continue;
        };
        let time = text.split(' ').next().and_then(|time| time.parse::<u64>().ok());
        nanoseconds += time.context("schedstat without a time")?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}
