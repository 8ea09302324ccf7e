//! The embedded engine, and OpenSearch with one and with three nodes, on the same contracts in one run: `cargo bench
//! --bench scaling [-- --records N --dir DIR]`. It needs a JDK 21 or later and Maven.
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
use support::{Arguments, BINARY, Times, Usage, client::Client, dumps, row, server::Server, size, usage, watch};

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

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let (Some(one), Some(three)) = (start(1), start(3)) else {
        return;
    };
    let dumps = dumps(&dir, records);
    eprintln!(
        "\nbuilding, {records} contracts ({} MB of NDJSON)",
        size(&dumps) / 1_000_000
    );
    let index_dir = dir.join(format!("scaling-{records}"));
    let _ = fs::remove_dir_all(&index_dir);
    let embedded = vec![("PROCURE_INDEX_DIR".to_owned(), index_dir.display().to_string())];
    let (on_one, on_three) = (on_cluster(&one, 1, 0), on_cluster(&three, 3, 1));
    build("embedded", &dumps, &embedded, &[], || size(&index_dir));
    build("one node", &dumps, &on_one, &[&one], || disk(&one));
    build(
        "three nodes, three shards, one replica",
        &dumps,
        &on_three,
        &[&three],
        || disk(&three),
    );
    peer_build("one node, directly", &one, &dumps, 1, 0);
    peer_build("three nodes, directly", &three, &dumps, 3, 1);

    let mut embedded = Server::start_with(&embedded, &dir, "embedded");
    let mut server_of_one = Server::start_with(&on_one, &dir, "one");
    let mut server_of_three = Server::start_with(&on_three, &dir, "three");
    let addresses = [&one, &three].map(|cluster| cluster.url(0).replace("http://", ""));
    let mut peers = addresses.each_ref().map(|address| Client::connect(address, ""));
    eprintln!("\nmedian and 95th percentile in ms, one request at a time");
    let workload: Value = serde_json::from_str(include_str!("workload.json")).expect("the workload");
    let listed = workload.as_array().expect("a list of requests").iter();
    let listed = listed.map(|request| (text(request, "name"), text(request, "path")));
    let rows: Vec<(&str, &str)> = listed.chain(COUNTS).collect();
    for (name, path) in &rows {
        let question = peer::question(path);
        let [peer_of_one, peer_of_three] = &mut peers;
        let setups: [(&str, Times); 5] = [
            ("embedded", Times::of(|| drop(embedded.get(path)))),
            ("one", Times::of(|| drop(server_of_one.get(path)))),
            ("three", Times::of(|| drop(server_of_three.get(path)))),
            ("direct_one", Times::of(|| peer::ask(peer_of_one, &question))),
            ("direct_three", Times::of(|| peer::ask(peer_of_three, &question))),
        ];
        let fastest = setups[0].1.percentile(50);
        for (setup, times) in &setups {
            let p50 = times.percentile(50);
            let figures = [
                ("p50", p50),
                ("p95", times.percentile(95)),
                ("times_embedded", p50 / fastest),
            ];
            row(&format!("{name}: {setup}"), &figures);
        }
    }
    eprintln!("\nrequests per second, the requests above in turn, {CLIENTS} connections; memory");
    let paths: Vec<&str> = rows.iter().map(|(_, path)| *path).collect();
    for (name, server, clusters) in [
        ("embedded", &embedded, &[][..]),
        ("one node", &server_of_one, &[&one][..]),
        ("three nodes", &server_of_three, &[&three][..]),
    ] {
        let ask = |client: &mut Client, number: usize| drop(client.get(paths[number % paths.len()]));
        let per_second = load(&server.address, &server.key, ask);
        let server = usage(server.process.id());
        let nodes = nodes_usage(clusters);
        row(
            name,
            &[
                ("requests_per_second", per_second),
                ("server_anonymous_mb", server.anonymous_mb),
                ("nodes_peak_mb", nodes.peak_mb),
                ("nodes_anonymous_mb", nodes.anonymous_mb),
            ],
        );
    }
    let questions: Vec<String> = paths.iter().map(|path| peer::question(path)).collect();
    for (name, address) in [
        ("one node, directly", &addresses[0]),
        ("three nodes, directly", &addresses[1]),
    ] {
        let ask = |client: &mut Client, number: usize| peer::ask(client, &questions[number % questions.len()]);
        row(name, &[("requests_per_second", load(address, "", ask))]);
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

/// The environment of a command that uses a cluster.
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

fn build(name: &str, dumps: &Path, environment: &[(String, String)], clusters: &[&Cluster], disk: impl Fn() -> u64) {
    let (before, cpu_before) = (disk_of(clusters), nodes_usage(clusters).cpu_seconds);
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
        &format!("index, {name}"),
        &[
            ("seconds", seconds),
            ("cpu_seconds", used.cpu_seconds),
            ("cpu_seconds_of_nodes", nodes_usage(clusters).cpu_seconds - cpu_before),
            ("peak_mb", used.peak_mb),
            ("disk_mb", (disk() - before) as f64 / 1e6),
        ],
    );
}

fn peer_build(name: &str, cluster: &Cluster, dumps: &Path, shards: u32, replicas: u32) {
    let (before, cpu_before, started) = (disk(cluster), nodes_usage(&[cluster]).cpu_seconds, Instant::now());
    peer::load(cluster, &dumps.join("contract"), shards, replicas);
    row(
        &format!("index, {name}"),
        &[
            ("seconds", started.elapsed().as_secs_f64()),
            ("cpu_seconds_of_nodes", nodes_usage(&[cluster]).cpu_seconds - cpu_before),
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

fn disk_of(clusters: &[&Cluster]) -> u64 {
    clusters.iter().map(|cluster| disk(cluster)).sum()
}

/// What all nodes use together.
fn nodes_usage(clusters: &[&Cluster]) -> Usage {
    let mut sum = Usage::default();
    for cluster in clusters {
        for number in 0..cluster.urls().len() {
            let node = usage(cluster.pid(number).as_raw_nonzero().get().unsigned_abs());
            sum.peak_mb += node.peak_mb;
            sum.anonymous_mb += node.anonymous_mb;
            sum.cpu_seconds += node.cpu_seconds;
        }
    }
    sum
}

/// Requests per second.
fn load(address: &str, key: &str, ask: impl Fn(&mut Client, usize) + Sync) -> f64 {
    let (next, started) = (AtomicUsize::new(0), Instant::now());
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut client = Client::connect(address, key);
                while started.elapsed() < LOAD_TIME {
                    ask(&mut client, next.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
    });
    next.into_inner() as f64 / started.elapsed().as_secs_f64()
}
