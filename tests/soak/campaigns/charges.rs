//! What requests cost the server, and what they are charged.
//!
//! Requests from a grammar of texts, orders and counts, one after the other. The processor time of each, of all threads
//! of the server, must be in proportion to what the response states that it counted as.

use std::{fs, net::SocketAddr, path::PathBuf, time::Duration};

use anyhow::{Context, bail};

use procure::http::encoding::encode;

use super::setup::{Setup, check_log};
use crate::{
    Common,
    http::{Next, PATIENCE, RawConnection},
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
const SHOWN: usize = 5;

/// How often each request is sent. The least time counts, because other threads of the server work too.
const TIMES: usize = 3;

struct Measured {
    path: String,
    charged: u64,
    milliseconds: f64,
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
    let (address, mut random) = (setup.installation.address, Random::new(seed, "charges"));
    let mut measured = Vec::new();
    for _ in 0..options.count {
        let path = path(&mut random, &options.words);
        measured.extend(measure(address, service.id(), &key, path)?);
    }
    measured.sort_by(|a, b| per_request(b).total_cmp(&per_request(a)));
    println!("{:>9} {:>8} {:>9}  request", "ms", "charged", "ms each");
    for Measured {
        path,
        charged,
        milliseconds,
    } in measured.iter().take(SHOWN)
    {
        println!(
            "{milliseconds:>9.1} {charged:>8} {:>9.1}  {path}",
            milliseconds / *charged as f64
        );
    }
    for request in measured
        .iter()
        .filter(|request| per_request(request) > options.ms as f64)
    {
        let each = per_request(request);
        report.violation(
            "a request costs more than it is charged",
            format!("{each:.1} ms each: {}", request.path),
        );
    }
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

/// A request of the API or of a page.
fn path(random: &mut Random, words: &[String]) -> String {
    let q = encode(&text(random, words));
    let order = random.pick(&["", "&sort_by=value", "&sort_by=relevance", "&sort_by=value&order=asc"]);
    match random.below(6) {
        0 => format!("/contract/stats?q={q}"),
        1 => format!("/en/search?kind=contract&q={q}{order}"),
        2 => format!("/en/search.csv?kind=contract&q={q}{order}"),
        _ => {
            let counts = random.pick(&[
                "",
                "&include_total=true",
                "&facets=vendor",
                "&facets=vendor,department",
                "&explain=true",
            ]);
            let limit = random.pick(&["1", "50", "500&offset=9500"]);
            format!("/contract?q={q}{order}{counts}&limit={limit}")
        }
    }
}

/// A text with up to 32 words: alone, in phrases, joined by OR, excluded.
fn text(random: &mut Random, words: &[String]) -> String {
    let (mut left, mut parts) = (1 + random.below(32), Vec::new());
    let (longest, excluded, joined) = (1 + random.below(11), random.below(101), random.below(101));
    while left > 0 {
        let length = (1 + random.below(longest)).min(left);
        left -= length;
        let phrase: Vec<&str> = (0..length).map(|_| random.pick(words).as_str()).collect();
        let sign = if random.chance(excluded) { "-" } else { "" };
        if !parts.is_empty() && random.chance(joined) {
            parts.push("OR".to_owned());
        }
        parts.push(format!("{sign}\"{}\"", phrase.join(" ")));
    }
    parts.join(" ")
}

/// Sends the request some times, and returns the least processor time; nothing if it is refused.
fn measure(address: SocketAddr, process: u32, key: &str, path: String) -> anyhow::Result<Option<Measured>> {
    let mut least = f64::MAX;
    let mut charged = 0;
    for _ in 0..TIMES {
        let mut connection = RawConnection::open(address, PATIENCE)?;
        let before = processor_time(process)?;
        let Next::Response(answer) = connection.get(&path, key) else {
            bail!("no answer to {path}");
        };
        let took = processor_time(process)?.saturating_sub(before);
        if answer.status != 200 {
            return Ok(None);
        }
        let cost = answer.header("x-ratelimit-cost").and_then(|cost| cost.parse().ok());
        charged = cost.context("a response without its cost")?;
        least = least.min(took.as_secs_f64() * 1_000.0);
    }
    Ok(Some(Measured {
        path,
        charged,
        milliseconds: least,
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
