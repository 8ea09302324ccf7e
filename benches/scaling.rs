//! The embedded engine, and OpenSearch with one and with three nodes, on the same contracts in one run: `cargo bench
//! --bench scaling [-- --records N --nodes 1|3 --dir DIR]`. It needs a JDK 21 or later and Maven. Without `--nodes` it
//! measures both clusters.
//!
//! The peer is OpenSearch asked directly, without this program: an index with the mapping that it is best at, the same
//! questions in its own query language, its own aggregations. `times_embedded` divides a median by that of the
//! embedded engine, whose requests come right before in the same run.

#[path = "../tests/cluster/cluster.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod cluster;
mod peer;
#[path = "../tests/cluster/runner.rs"]
mod runner;
mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use cluster::{Cluster, Options};
use serde_json::Value;
use support::{Arguments, BINARY, Times, Usage, dumps, http::Client, row, server::Server, size, usage, watch};

/// Requests that count matches, in addition to those of `workload.json`.
const COUNTS: [(&str, &str); 4] = [
    (
        "total of a frequent word",
        "/contract?q=services&limit=100&include_total=true",
    ),
    ("facet of few values", "/contract?facets=municipality&limit=100"),
    ("facet of many values", "/contract?q=services&facets=vendor&limit=100"),
    (
        "all facets and the total",
        "/contract?facets=status,category,municipality,department,vendor,year&limit=100&include_total=true",
    ),
];

/// Connections of the measurement of requests per second.
const CLIENTS: usize = 8;

/// How long it lasts.
const LOAD_TIME: Duration = Duration::from_secs(10);

/// A cluster, and how `procure index` and the peer use it.
struct Setup {
    name: &'static str,
    cluster: Cluster,
    shards: u32,
    replicas: u32,
    /// The environment of a command that uses it.
    environment: Vec<(String, String)>,
}

fn main() {
    let Arguments {
        records, nodes, dir, ..
    } = Arguments::parse();
    assert!(matches!(nodes, None | Some(1 | 3)), "--nodes takes 1 or 3");
    let mut setups = Vec::new();
    for (of_setup, name, shards, replicas) in [(1, "one", 1, 0), (3, "three", 3, 1)] {
        if nodes.is_some_and(|nodes| nodes != of_setup) {
            continue;
        }
        let Some(cluster) = start(of_setup) else { return };
        setups.push(Setup {
            name,
            environment: on_cluster(&cluster, shards, replicas),
            cluster,
            shards,
            replicas,
        });
    }
    let dumps = dumps(&dir, records);
    eprintln!(
        "\nbuilding, {records} contracts ({} MB of NDJSON)",
        size(&dumps) / 1_000_000
    );
    let index_dir = dir.join(format!("scaling-{records}"));
    let _ = fs::remove_dir_all(&index_dir);
    let embedded = vec![("PROCURE_INDEX_DIR".to_owned(), index_dir.display().to_string())];
    build("embedded", &dumps, &embedded, None, || size(&index_dir));
    for setup in &setups {
        let cluster = &setup.cluster;
        build(setup.name, &dumps, &setup.environment, Some(cluster), || disk(cluster));
    }
    for setup in &setups {
        peer_build(setup, &dumps);
    }

    let mut servers = vec![Server::start_with(&embedded, &dir, "embedded")];
    servers.extend(
        setups
            .iter()
            .map(|setup| Server::start_with(&setup.environment, &dir, setup.name)),
    );
    let names: Vec<&str> = std::iter::once("embedded")
        .chain(setups.iter().map(|setup| setup.name))
        .collect();
    let addresses: Vec<String> = setups
        .iter()
        .map(|setup| setup.cluster.url(0).replace("http://", ""))
        .collect();
    let mut peers: Vec<Client> = addresses.iter().map(|address| Client::with_key(address, "")).collect();
    eprintln!("\nmedian and 95th percentile in ms, one request at a time");
    let workload: Value = serde_json::from_str(include_str!("workload.json")).expect("the workload");
    let listed = workload.as_array().expect("a list of requests").iter();
    let listed = listed.map(|request| (text(request, "name"), text(request, "path")));
    let rows: Vec<(&str, &str)> = listed.chain(COUNTS).collect();
    for (name, path) in &rows {
        let question = peer::question(path);
        let mut measured = Vec::new();
        for (setup, server) in names.iter().zip(&mut servers) {
            measured.push(((*setup).to_owned(), Times::of(|| drop(server.get(path)))));
        }
        for (setup, peer) in setups.iter().zip(&mut peers) {
            let times = Times::of(|| peer::ask(peer, &question));
            measured.push((format!("direct_{}", setup.name), times));
        }
        let embedded = measured[0].1.percentile(50);
        for (setup, times) in &measured {
            let p50 = times.percentile(50);
            let figures = [
                ("p50", p50),
                ("p95", times.percentile(95)),
                ("times_embedded", p50 / embedded),
            ];
            row(&format!("{name}: {setup}"), &figures);
        }
    }
    eprintln!("\nrequests per second, the requests above in turn, {CLIENTS} connections; memory");
    let paths: Vec<&str> = rows.iter().map(|(_, path)| *path).collect();
    let clusters = std::iter::once(None).chain(setups.iter().map(|setup| Some(&setup.cluster)));
    for ((name, server), cluster) in names.iter().zip(&servers).zip(clusters) {
        let ask = |client: &mut Client, number: usize| drop(client.get(paths[number % paths.len()]));
        let per_second = load(&server.address, &server.key, ask);
        let server = usage(server.process.id());
        let nodes = nodes_usage(cluster);
        row(
            &format!("{name}: load"),
            &[
                ("requests_per_second", per_second),
                ("server_anonymous_mb", server.anonymous_mb),
                ("nodes_peak_mb", nodes.peak_mb),
                ("nodes_anonymous_mb", nodes.anonymous_mb),
            ],
        );
    }
    let questions: Vec<String> = paths.iter().map(|path| peer::question(path)).collect();
    for (setup, address) in setups.iter().zip(&addresses) {
        let ask = |client: &mut Client, number: usize| peer::ask(client, &questions[number % questions.len()]);
        let figures = [("requests_per_second", load(address, "", ask))];
        row(&format!("direct_{}: load", setup.name), &figures);
    }
}

fn start(nodes: usize) -> Option<Cluster> {
    Cluster::start(Options {
        nodes,
        heap_mb: 512,
        is_short_lived: false,
    })
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().expect("a text")
}

/// The environment of a command that uses a cluster: its addresses, and how it lays the index out.
fn on_cluster(cluster: &Cluster, shards: u32, replicas: u32) -> Vec<(String, String)> {
    [
        ("PROCURE_ENGINE", "opensearch".to_owned()),
        ("PROCURE_ENGINE_URL", cluster.urls().join(",")),
        ("PROCURE_ENGINE_SHARDS", shards.to_string()),
        ("PROCURE_ENGINE_RECORDS_PER_SHARD", "1".to_owned()),
        ("PROCURE_ENGINE_REPLICAS", replicas.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

fn build(
    name: &str,
    dumps: &Path,
    environment: &[(String, String)],
    cluster: Option<&Cluster>,
    disk: impl Fn() -> u64,
) {
    let (before, cpu_before) = (cluster.map_or(0, self::disk), nodes_usage(cluster).cpu_seconds);
    let child = Command::new(BINARY)
        .arg("index")
        .arg("--dumps")
        .arg(dumps)
        .envs(environment.iter().cloned())
        .stdout(Stdio::null())
        .spawn()
        .expect("starting the binary");
    let (seconds, used) = watch(child);
    row(
        &format!("{name}: build"),
        &[
            ("seconds", seconds),
            ("cpu_seconds", used.cpu_seconds),
            ("cpu_seconds_of_nodes", nodes_usage(cluster).cpu_seconds - cpu_before),
            ("peak_mb", used.peak_mb),
            ("disk_mb", (disk() - before) as f64 / 1e6),
        ],
    );
}

fn peer_build(setup: &Setup, dumps: &Path) {
    let cluster = &setup.cluster;
    let (before, cpu_before, started) = (disk(cluster), nodes_usage(Some(cluster)).cpu_seconds, Instant::now());
    peer::load(cluster, &dumps.join("contract"), setup.shards, setup.replicas);
    row(
        &format!("direct_{}: build", setup.name),
        &[
            ("seconds", started.elapsed().as_secs_f64()),
            (
                "cpu_seconds_of_nodes",
                nodes_usage(Some(cluster)).cpu_seconds - cpu_before,
            ),
            ("disk_mb", (disk(cluster) - before) as f64 / 1e6),
        ],
    );
}

/// The bytes that all nodes of a cluster have on disk.
fn disk(cluster: &Cluster) -> u64 {
    let folders = (0..cluster.urls().len()).map(|number| cluster.data_folder(number));
    folders
        .filter(|folder: &PathBuf| folder.exists())
        .map(|folder| size(&folder))
        .sum()
}

/// What all nodes use together.
fn nodes_usage(cluster: Option<&Cluster>) -> Usage {
    let mut sum = Usage::default();
    let pids = cluster.map_or_else(Vec::new, |cluster| {
        let numbers = 0..cluster.urls().len();
        numbers.map(|number| cluster.pid(number)).collect()
    });
    for pid in pids {
        let node = usage(pid.as_raw_nonzero().get().unsigned_abs());
        sum.peak_mb += node.peak_mb;
        sum.anonymous_mb += node.anonymous_mb;
        sum.cpu_seconds += node.cpu_seconds;
    }
    sum
}

/// Requests per second.
fn load(address: &str, key: &str, ask: impl Fn(&mut Client, usize) + Sync) -> f64 {
    let (next, started) = (AtomicUsize::new(0), Instant::now());
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut client = Client::with_key(address, key);
                while started.elapsed() < LOAD_TIME {
                    ask(&mut client, next.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
    });
    next.into_inner() as f64 / started.elapsed().as_secs_f64()
}
