//! What happens when nodes die or stall, when a build is killed, when somebody changes or removes an
//! index, and when the cluster is not there.
//!
//! The tests share a cluster of their own, with those of `moves` and `disks`, and run one after the other.

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
pub const GREEN_LIMIT: Duration = Duration::from_secs(180);

/// How long a server may take until it answers everything, although a node is gone.
pub const RECOVERY_LIMIT: Duration = Duration::from_secs(40);

static CLUSTER: Mutex<Option<Cluster>> = Mutex::new(None);

/// The cluster of these tests, with all its nodes. `None` if this machine cannot run it.
pub fn cluster() -> Option<MutexGuard<'static, Option<Cluster>>> {
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
pub struct World {
    /// Removed at the end.
    _folder: TempDir,
    pub installation: Installation,
    pub known: Vec<Known>,
}

impl World {
    pub fn new(cluster: &Cluster, prefix: &str, records: usize) -> World {
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
    pub fn start_build(&self, cluster: &Cluster, prefix: &str) -> Child {
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
pub fn index_when_unlocked(installation: &Installation) {
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
fn a_generation_that_lost_an_index_is_replaced() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "lost", 500);
    for kind in ["contract", "award"] {
        let lost = cluster.indexes(&format!("lost-{kind}")).pop().unwrap();
        let server = world.installation.serve();
        cluster.ask("DELETE", &format!("/{lost}"), &Value::Null);
        let needs_it = [
            "/contract?include_total=true",
            "/award?department=dep&include_total=true",
        ];
        let statuses = needs_it.map(|path| server.get(path).status);
        assert!(statuses.contains(&503), "{kind}: {statuses:?}");
        drop(server);
        world.installation.index();
        let server = world.installation.serve();
        load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
    }
    // A document that no build has stored.
    let awards = cluster.indexes("lost-award").pop().unwrap();
    let writable = json!({ "index": { "blocks.write": null } });
    cluster.ask("PUT", &format!("/{awards}/_settings"), &writable);
    cluster.ask("POST", &format!("/{awards}/_doc?refresh=true"), &json!({}));
    let server = world.installation.start();
    let started = Instant::now();
    while !server.log_text().contains("but the catalog says") {
        assert!(started.elapsed() < Duration::from_secs(60), "{}", server.log_text());
        thread::sleep(Duration::from_millis(50));
    }
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
