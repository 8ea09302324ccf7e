//! What happens when the disks of the nodes are full.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    cluster::Cluster,
    faults::{RECOVERY_LIMIT, World, cluster, index_when_unlocked},
    load::{self, start_of},
    processes::error,
};

#[test]
#[ignore = "takes minutes, with a cluster of its own that it damages"]
fn a_full_disk_fails_a_build_and_changes_nothing() {
    let Some(mut guard) = cluster() else { return };
    let cluster = guard.as_mut().unwrap();
    let world = World::new(cluster, "disk", 2000);
    let server = world.installation.serve();
    let (before, indexes) = (world.installation.generations(), cluster.indexes("disk"));
    let expected = "the disks of the search cluster are full; free space on its nodes";

    // During a build. It waits for free space before it fails.
    let build = world.start_build(cluster, "disk");
    fill_disks(cluster, "disk");
    let mut output = None;
    let seen = load::during(&server, &world.known, 1, || {
        output = Some(build.wait_with_output().unwrap());
    });
    assert!(seen.wrong.is_empty(), "{:?}", seen.wrong);
    let output = output.expect("the build has ended");
    println!("the build ended with {}: {}", output.status, start_of(&error(&output)));
    assert!(!output.status.success());
    assert!(error(&output).contains(expected), "{}", error(&output));
    assert!(
        !error(&output).contains("stay until the next one"),
        "{}",
        error(&output)
    );
    assert_eq!(cluster.indexes("disk"), indexes, "its indexes are removed");
    assert_eq!(world.installation.generations(), before);
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
    empty_disks(cluster, "disk");

    // Before a build, and after another one was killed.
    index_when_unlocked(&world.installation);
    let (before, indexes) = (world.installation.generations(), cluster.indexes("disk"));
    let mut build = world.start_build(cluster, "disk");
    build.kill().unwrap();
    build.wait().unwrap();
    let left: Vec<String> = cluster.indexes("disk");
    let left = left.iter().filter(|index| !indexes.contains(index));
    let left: Vec<&String> = left.collect();
    assert!(!left.is_empty(), "the killed build left nothing");
    fill_disks(cluster, "disk");
    let output = world.installation.run(&["index"]);
    assert!(!output.status.success());
    assert!(error(&output).contains(expected), "{}", error(&output));
    for index in left {
        assert!(error(&output).contains(index), "{index}: {}", error(&output));
    }
    assert_eq!(world.installation.generations(), before);
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);

    empty_disks(cluster, "disk");
    index_when_unlocked(&world.installation);
    assert_ne!(world.installation.generations(), before);
    load::wait_until_right(&server, &world.known, RECOVERY_LIMIT);
}

/// Makes every node count as full, and waits until the cluster has noticed.
fn fill_disks(cluster: &Cluster, prefix: &str) {
    // More free space than any disk has.
    set_watermarks(cluster, &json!(["102tb", "101tb", "100tb"]));
    wait_for_block(cluster, prefix, true);
}

fn empty_disks(cluster: &Cluster, prefix: &str) {
    set_watermarks(cluster, &Value::Null);
    wait_for_block(cluster, prefix, false);
}

fn wait_for_block(cluster: &Cluster, prefix: &str, expected: bool) {
    let started = Instant::now();
    while is_read_only(cluster, prefix) != expected {
        let limit = Duration::from_secs(60);
        assert!(started.elapsed() < limit, "read-only should become {expected}");
        thread::sleep(Duration::from_millis(200));
    }
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
