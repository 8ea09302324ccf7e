//! What happens when shards move to other nodes, while clients search and while they are loaded.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    cluster::Cluster,
    faults::{GREEN_LIMIT, RECOVERY_LIMIT, World, cluster},
    load::{self, start_of},
    processes::error,
};

#[test]
#[ignore = "takes minutes, with a cluster of its own"]
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
            wait_until_empty(cluster, "moves", number);
        });
        println!("the shards of node {number} moved: {}", seen.line());
        assert!(seen.wrong.is_empty(), "{:?}", seen.wrong);
        assert!(seen.refusals() * 20 <= seen.right, "too many refusals");
    }

    exclude(cluster, None);
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
    cluster.wait_until_green(0, GREEN_LIMIT);
}

#[test]
#[ignore = "takes minutes, with a cluster of its own"]
fn shards_that_move_while_they_are_loaded_arrive() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "loading", 20_000);
    let server = world.installation.serve();
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
    let before = world.installation.generations();

    let mut build = world.start_build(cluster, "loading");
    let mut drained = None;
    let seen = load::during(&server, &world.known, 1, || {
        let loading = new_index(cluster, "loading-contract");
        let number = (0..3).find(|number| has_shards(cluster, &loading, *number));
        exclude(cluster, number);
        drained = number;
        build.wait().unwrap();
    });
    println!("during the build: {}", seen.line());
    assert!(seen.wrong.is_empty(), "{:?}", seen.wrong);
    assert!(seen.refusals() * 20 <= seen.right, "too many refusals");
    let output = build.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", start_of(&error(&output)));
    assert_ne!(world.installation.generations(), before);
    let drained = drained.expect("a node with a shard of the index that is loaded");
    wait_until_empty(cluster, "loading", drained);

    exclude(cluster, None);
    cluster.wait_until_green(0, GREEN_LIMIT);
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
}

/// Waits until there is another index with this prefix, which a build is about to load.
fn new_index(cluster: &Cluster, prefix: &str) -> String {
    let started = Instant::now();
    loop {
        if let [_, newest] = &cluster.indexes(prefix)[..] {
            return newest.clone();
        }
        assert!(started.elapsed() < GREEN_LIMIT, "the build creates no {prefix}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Makes one node hand its shards over to the others, or none.
fn exclude(cluster: &Cluster, number: Option<usize>) {
    let name = number.map(|number| format!("n{number}"));
    let settings = json!({ "persistent": { "cluster.routing.allocation.exclude._name": name } });
    cluster.ask("PUT", "/_cluster/settings", &settings);
}

/// Waits until a node has handed over all its shards.
fn wait_until_empty(cluster: &Cluster, prefix: &str, number: usize) {
    let started = Instant::now();
    while has_shards(cluster, prefix, number) {
        assert!(started.elapsed() < GREEN_LIMIT, "node {number} keeps shards");
        thread::sleep(Duration::from_millis(200));
    }
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
