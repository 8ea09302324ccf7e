//! The same data and requests in this engine and in SQLite, in one run: `cargo bench --bench peers [-- --records N]`.
//!
//! First, both run in this process, on one thread, and return the bytes of an answer's records.
//! A request is asked for a hundred words, names or ids in turn, each once, so that no kept answer is measured.
//! Then both are asked over HTTP, each request as often as possible. `--http` measures only that, on what an earlier run
//! built.
//!
//! `ratio` is SQLite's time divided by ours: above 1, this engine is faster. SQLite does not stem words, so its rows of
//! words find fewer records.

#[path = "peer/http.rs"]
mod http;
#[path = "peer/requests.rs"]
mod requests;
#[path = "peer/sqlite.rs"]
mod sqlite;
mod support;

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use http::Servers;
use procure::catalog::generation;
use requests::{Asked, Peers, Request};
use sqlite::Sqlite;
use support::{Arguments, BINARY, Times, dumps, row, size, usage, watch};

fn main() {
    http::serve_if_asked();
    let Arguments { records, dir, .. } = Arguments::parse();
    let is_only_http = std::env::args().any(|argument| argument == "--http");
    let (index_dir, file) = (
        dir.join(format!("peers-{records}")),
        dir.join(format!("peers-{records}.sqlite")),
    );
    if !is_only_http {
        build(&dumps(&dir, records), &index_dir, &file);
    }
    let id = generation::current(&index_dir)
        .expect("an index")
        .expect("a generation");
    let generation = generation::open(&index_dir, &id).expect("a generation that opens");
    let peers = Peers {
        engine: &*generation.engine,
        records: records as usize,
    };
    let requests = peers.requests();
    if !is_only_http {
        let sqlite = Sqlite::open(&file);
        let ratios = requests.iter().map(|request| compare(&sqlite, request));
        mean("geometric mean of the ratios", ratios);
    }
    let statements: Vec<&str> = requests.iter().map(|request| request.sql).collect();
    let servers = Servers::start(&index_dir, &dir, &file, &statements);
    let asked = requests.iter().enumerate();
    let ratios = asked.map(|(number, request)| servers.compare(&request.over_http(number)));
    mean("geometric mean of the ratios over HTTP", ratios);
}

fn mean(name: &str, ratios: impl Iterator<Item = f64>) {
    let logarithms: Vec<f64> = ratios.map(f64::ln).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
    row(name, &[("ratio", mean.exp())]);
}

/// Builds both, and compares what that takes.
fn build(dumps: &Path, index_dir: &Path, file: &Path) {
    let _ = fs::remove_dir_all(index_dir);
    let mut index = Command::new(BINARY);
    index
        .arg("index")
        .arg("--dumps")
        .arg(dumps)
        .arg("--index-dir")
        .arg(index_dir);
    let (seconds, used) = watch(index.stdout(Stdio::null()).spawn().expect("starting the binary"));
    let (begun, before) = (Instant::now(), usage(std::process::id()).cpu_seconds);
    drop(Sqlite::load(dumps, file));
    let of_sqlite = begun.elapsed().as_secs_f64();
    let cpu_of_sqlite = usage(std::process::id()).cpu_seconds - before;
    row(
        "build",
        &[
            ("seconds", seconds),
            ("cpu_seconds", used.cpu_seconds),
            ("peak_mb", used.peak_mb),
            ("mb", size(index_dir) as f64 / 1e6),
            ("sqlite_seconds", of_sqlite),
            ("sqlite_cpu_seconds", cpu_of_sqlite),
            ("sqlite_mb", size(file) as f64 / 1e6),
            ("build_ratio", of_sqlite / seconds),
        ],
    );
}

/// Prints a row for a request; the ratio of the medians. Where both must find the same, that is compared, too.
fn compare(sqlite: &Sqlite, request: &Request) -> f64 {
    let (name, variants) = (request.name, &request.variants);
    let of_sqlite = |asked: &Asked| sqlite.rows(request.sql, &asked.parameters);
    let ours = Times::of_each(variants, |asked| drop((asked.ours)()));
    let theirs = Times::of_each(variants, |asked| drop(of_sqlite(asked)));
    let mut found = 0;
    for asked in variants {
        let records = (asked.ours)();
        found += records.len();
        let is_same = !request.is_equal || records.iter().eq(of_sqlite(asked).iter());
        assert!(is_same, "{name}: SQLite finds something else");
    }
    assert!(found > 0, "{name} finds nothing");
    let ratio = theirs.percentile(50) / ours.percentile(50);
    let figures = [
        ("p50", ours.percentile(50)),
        ("p99", ours.percentile(99)),
        ("sqlite_p50", theirs.percentile(50)),
        ("sqlite_p99", theirs.percentile(99)),
        ("ratio", ratio),
    ];
    row(name, &figures);
    ratio
}
