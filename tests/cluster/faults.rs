//! What happens when nodes die or stall, when shards move, when a build is killed, when a disk is
//! full, when somebody changes an index, and when the cluster is not there.
//!
//! The tests share a cluster of their own and run one after the other.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    cluster::{Cluster, Options},
    load::{self, Known, start_of},
    processes::{BINARY, Engine, Installation, error},
};

/// How long the cluster may take until all shards are there again.
const GREEN_LIMIT: Duration = Duration::from_secs(180);

/// How long a server may take until it answers everything, although a node is gone.
const RECOVERY_LIMIT: Duration = Duration::from_secs(40);

static CLUSTER: Mutex<Option<Cluster>> = Mutex::new(None);

/// The cluster of these tests, with all its nodes. `None` if this machine cannot run it.
fn cluster() -> Option<MutexGuard<'static, Option<Cluster>>> {
    // A test that failed leaves a cluster in an unknown state: the next one starts another.
    let mut cluster = CLUSTER.lock().unwrap_or_else(|poisoned| {
        CLUSTER.clear_poison();
        let mut cluster = poisoned.into_inner();
        *cluster = None;
        cluster
    });
    if cluster.is_none() {
        *cluster = Cluster::start(Options {
            nodes: 3,
            heap_mb: 512,
            is_short_lived: true,
        });
    }
    cluster.is_some().then_some(cluster)
}

/// An installation on the cluster with one published generation, and requests with right answers.
struct World {
    /// Removed at the end.
    _folder: TempDir,
    installation: Installation,
    known: Vec<Known>,
}

impl World {
    fn new(cluster: &Cluster, prefix: &str, records: usize) -> World {
        let folder = tempfile::tempdir().unwrap();
        let dumps = generated(folder.path(), records);
        let on_cluster = Engine::Cluster {
            urls: cluster.urls(),
            prefix: prefix.to_owned(),
            shards: 2,
            replicas: 1,
        };
        let installation = Installation::new(folder.path().join("cluster"), &dumps, on_cluster);
        installation.index();
        let embedded = Installation::new(folder.path().join("embedded"), &dumps, Engine::Embedded);
        embedded.index();
        let server = embedded.serve();
        let paths = [
            "/contract",
            "/contract?limit=300&include_total=true&facets=municipality,category,year",
            "/contract?q=services&sort_order=asc",
            "/contract?q=services&sort_by=value&offset=100&facets=vendor,department",
            "/contract?vendor=inc&include_total=true",
            "/tender?sort_by=closing&limit=200",
            "/tender?status=Open&facets=status",
            "/award?department=dep&include_total=true",
            "/disclosure?value_min=10000&facets=year",
            "/contract/stats?value_min=20000",
            "/vendors?q=in",
            "/departments?entity_type=contract",
            "/standing_offer?limit=500",
            "/pre_solicitation",
        ];
        let known = paths.map(|path| (path.to_owned(), server.get(path)));
        for (path, answer) in &known {
            assert_eq!(answer.status, 200, "{path}: {}", start_of(&answer.body));
        }
        World {
            _folder: folder,
            installation,
            known: known.to_vec(),
        }
    }

    /// Starts `procure index` and waits until it has created indexes.
    fn start_build(&self, cluster: &Cluster, prefix: &str) -> Child {
        let before = cluster.indexes(prefix);
        let mut build = self.installation.command(&["index"]);
        let build = build.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        while cluster.indexes(prefix).len() <= before.len() {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "the build creates no index"
            );
            thread::sleep(Duration::from_millis(20));
        }
        build
    }
}

/// Dumps with generated records.
pub fn generated(folder: &Path, records: usize) -> PathBuf {
    let dumps = folder.join("dumps");
    let sample = Command::new(BINARY)
        .args(["sample", "--seed", "9", "--records", &records.to_string(), "--out"])
        .arg(&dumps)
        .status();
    assert!(sample.unwrap().success());
    dumps
}

#[test]
#[ignore = "takes minutes, with a cluster of its own that it damages"]
fn a_killed_and_a_stalled_node_cause_no_wrong_answer() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "load", 1500);
    let server = world.installation.serve();
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);

    for number in 0..3 {
        // The nodes take turns; the first one is also the first address of the server.
        let killed = load::during(&server, &world.known, 4, || {
            thread::sleep(Duration::from_secs(2));
            cluster.kill(number);
            thread::sleep(Duration::from_secs(8));
        });
        println!("node {number} killed: {}", killed.line());
        assert!(killed.wrong.is_empty(), "{:?}", killed.wrong);
        assert!(killed.refusals() * 20 <= killed.right, "too many refusals");
        load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
        cluster.run_node(number);
        cluster.wait_until_green((number + 1) % 3, GREEN_LIMIT);
        if number > 0 {
            continue;
        }
        let stalled = load::during(&server, &world.known, 4, || {
            thread::sleep(Duration::from_secs(2));
            cluster.stall(1);
            thread::sleep(Duration::from_secs(15));
        });
        println!("node 1 stalled: {}", stalled.line());
        assert!(stalled.wrong.is_empty(), "{:?}", stalled.wrong);
        load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
        let resumed = load::during(&server, &world.known, 4, || {
            cluster.resume(1);
            thread::sleep(Duration::from_secs(5));
        });
        println!("node 1 resumed: {}", resumed.line());
        assert!(resumed.wrong.is_empty(), "{:?}", resumed.wrong);
        cluster.wait_until_green(0, GREEN_LIMIT);
    }
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
}

#[test]
#[ignore = "takes minutes, with a cluster of its own that it damages"]
fn a_build_outlives_a_killed_and_a_stalled_node_or_changes_nothing() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "build", 4000);
    let server = world.installation.serve();
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
    let before = world.installation.generations();

    let mut build = world.start_build(cluster, "build");
    let seen = load::during(&server, &world.known, 1, || {
        thread::sleep(Duration::from_millis(500));
        cluster.kill(2);
        thread::sleep(Duration::from_secs(3));
        cluster.run_node(2);
        thread::sleep(Duration::from_secs(5));
        cluster.stall(1);
        thread::sleep(Duration::from_secs(6));
        cluster.resume(1);
        build.wait().unwrap();
    });
    println!("during the build: {}", seen.line());
    assert!(seen.wrong.is_empty(), "{:?}", seen.wrong);
    let output = build.wait_with_output().unwrap();
    println!("the build ended with {}: {}", output.status, start_of(&error(&output)));
    cluster.wait_until_green(0, GREEN_LIMIT);
    if !output.status.success() {
        assert_eq!(
            world.installation.generations(),
            before,
            "nothing is in service that was not before"
        );
        assert!(error(&output).starts_with("error: "), "{}", error(&output));
        world.installation.index();
    }
    assert_ne!(
        world.installation.generations(),
        before,
        "a new generation is in service"
    );
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
}

#[test]
#[ignore = "takes minutes, with a cluster of its own that it damages"]
fn shards_that_move_cause_no_wrong_answer() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "moves", 1500);
    let server = world.installation.serve();
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
    // Each node in turn hands all its shards over.
    for number in 0..3 {
        let seen = load::during(&server, &world.known, 4, || {
            exclude(cluster, Some(number));
            let started = Instant::now();
            while has_shards(cluster, "moves", number) {
                assert!(started.elapsed() < GREEN_LIMIT, "node {number} keeps shards");
                thread::sleep(Duration::from_millis(200));
            }
        });
        println!("the shards of node {number} moved: {}", seen.line());
        assert!(seen.wrong.is_empty(), "{:?}", seen.wrong);
        assert!(seen.refusals() * 20 <= seen.right, "too many refusals");
    }

    exclude(cluster, None);
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
    cluster.wait_until_green(0, GREEN_LIMIT);
}

/// Makes one node hand its shards over to the others, or none.
fn exclude(cluster: &Cluster, number: Option<usize>) {
    let name = number.map(|number| format!("n{number}"));
    let settings = json!({ "persistent": { "cluster.routing.allocation.exclude._name": name } });
    cluster.ask("PUT", "/_cluster/settings", &settings);
}

/// Whether a node has a shard of an index of the prefix, or is about to hand one over.
fn has_shards(cluster: &Cluster, prefix: &str, number: usize) -> bool {
    let path = format!("/_cat/shards/{prefix}*?format=json&h=node");
    let shards = cluster.ask("GET", &path, &Value::Null);
    let mut shards = shards.as_array().unwrap().iter();
    // Of a shard that moves, both nodes are named, the first one first.
    shards.any(|shard| {
        shard["node"]
            .as_str()
            .is_some_and(|node| node.starts_with(&format!("n{number}")))
    })
}

#[test]
#[ignore = "takes minutes, with a cluster of its own that it damages"]
fn a_killed_build_leaves_nothing_in_service() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "killed", 1500);
    let server = world.installation.serve();
    let (before, indexes) = (world.installation.generations(), cluster.indexes("killed"));
    let mut build = world.start_build(cluster, "killed");
    thread::sleep(Duration::from_secs(1));
    build.kill().unwrap();
    build.wait().unwrap();
    assert_eq!(world.installation.generations(), before);
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
    assert!(
        cluster.indexes("killed").len() > indexes.len(),
        "the killed build left indexes"
    );
    index_when_unlocked(&world.installation);
    let per_generation = indexes.len() - 1;
    let kept = cluster.indexes("killed").len();
    assert_eq!(
        kept,
        1 + 2 * per_generation,
        "two generations and the catalog: {:?}",
        cluster.indexes("killed")
    );
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
}

/// The lock of a killed build ends by itself.
fn index_when_unlocked(installation: &Installation) {
    let started = Instant::now();
    loop {
        let output = installation.run(&["index"]);
        if output.status.success() {
            return;
        }
        let text = error(&output);
        assert!(text.contains("another"), "{text}");
        assert!(started.elapsed() < Duration::from_secs(180), "{text}");
        thread::sleep(Duration::from_secs(1));
    }
}

#[test]
#[ignore = "takes minutes, with a cluster of its own that it damages"]
fn a_full_disk_fails_a_build_and_changes_nothing() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "disk", 2000);
    let server = world.installation.serve();
    let before = world.installation.generations();
    // More free space than any disk has: every node counts as full.
    set_watermarks(cluster, &json!(["102tb", "101tb", "100tb"]));
    let started = Instant::now();
    while !is_read_only(cluster, "disk") {
        assert!(started.elapsed() < Duration::from_secs(60), "no index became read-only");
        thread::sleep(Duration::from_millis(200));
    }
    let output = world.installation.run(&["index"]);
    println!("the build ended with {}: {}", output.status, start_of(&error(&output)));
    assert!(!output.status.success());
    let expected = "the disks of the search cluster are full; free space on its nodes";
    assert!(error(&output).contains(expected), "{}", error(&output));
    assert_eq!(world.installation.generations(), before);
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);

    set_watermarks(cluster, &Value::Null);
    let started = Instant::now();
    while is_read_only(cluster, "disk") {
        assert!(started.elapsed() < Duration::from_secs(60), "an index stays read-only");
        thread::sleep(Duration::from_millis(200));
    }
    index_when_unlocked(&world.installation);
    assert_ne!(world.installation.generations(), before);
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
}

/// Sets the low, the high and the flood stage watermark, or takes the settings back.
fn set_watermarks(cluster: &Cluster, free: &Value) {
    let settings = json!({ "persistent": {
        "cluster.routing.allocation.disk.watermark.low": free[0],
        "cluster.routing.allocation.disk.watermark.high": free[1],
        "cluster.routing.allocation.disk.watermark.flood_stage": free[2],
    } });
    cluster.ask("PUT", "/_cluster/settings", &settings);
}

/// Whether an index of the prefix has the block that the cluster sets when a disk is full.
fn is_read_only(cluster: &Cluster, prefix: &str) -> bool {
    let path = format!("/{prefix}*/_settings/index.blocks.read_only_allow_delete?flat_settings=true");
    cluster.ask("GET", &path, &Value::Null).to_string().contains("\"true\"")
}

#[test]
#[ignore = "takes minutes, with a cluster of its own that it damages"]
fn a_changed_mapping_is_refused() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "mapping", 500);
    let indexes = cluster.indexes("mapping-contract");
    let added = json!({ "properties": { "surprise": { "type": "keyword" } } });
    cluster.ask("PUT", &format!("/{}/_mapping", indexes[0]), &added);
    let server = world.installation.start();
    let started = Instant::now();
    while !server.log_text().contains("has changed the mapping of") {
        assert!(started.elapsed() < Duration::from_secs(60), "{}", server.log_text());
        thread::sleep(Duration::from_millis(50));
    }
    let answer = server.get("/contract");
    assert!(answer.status == 503 && answer.retry_after.is_some(), "{answer:?}");
}

#[test]
#[ignore = "takes minutes, with a cluster of its own that it damages"]
fn a_server_waits_for_its_cluster() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "waits", 1000);
    for number in 0..3 {
        cluster.kill(number);
    }
    let mut server = world.installation.start();
    let started = Instant::now();
    let answer = loop {
        match server.try_get("/contract") {
            Ok(answer) => break answer,
            Err(error) => assert!(
                started.elapsed() < Duration::from_secs(30),
                "{error}: {}",
                server.log_text()
            ),
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert!(answer.retry_after.is_some(), "{answer:?}");
    assert!(answer.json()["detail"].is_string(), "{}", answer.body);
    let health = server.get("/health");
    assert!(health.status == 503 && health.retry_after.is_some(), "{health:?}");
    for number in 0..3 {
        cluster.run_node(number);
    }
    server.wait_until_ready();
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
    cluster.wait_until_green(0, GREEN_LIMIT);
}
