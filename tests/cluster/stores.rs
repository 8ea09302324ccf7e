//! Where these tests keep their generations: on the shared cluster. `tests/it` has a module of this
//! name too; the tests that both run know no other difference.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process,
    sync::Mutex,
};

use procure::{
    catalog::{
        generation::{ClusterStore, GenerationStore},
        indexing,
    },
    engine::opensearch::settings::ClusterSettings,
};
use serde_json::Value;

use crate::shared;

/// The folders of tests, each with the prefix of its indexes.
static FOLDERS: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// How many of this number of random cases are tried. A build takes seconds on a cluster.
pub const fn cases(of_embedded: u32) -> u32 {
    of_embedded / 4
}

/// The generations that belong to this folder. Without a cluster, the process ends: nothing can be
/// tested, and that is not a failure.
pub fn store(index_dir: &Path) -> GenerationStore {
    let Some(cluster) = shared::cluster() else {
        process::exit(0);
    };
    let settings = ClusterSettings {
        prefix: prefix(index_dir),
        shards: 2,
        min_records_per_shard: 1,
        replicas: 1,
        ..ClusterSettings::new(cluster.urls())
    };
    GenerationStore::Cluster(ClusterStore::new(settings).unwrap())
}

/// Indexes dumps as the next generation, and returns its id.
pub fn index(dumps: &Path, index_dir: &Path, memory_mb: usize, strict: bool) -> String {
    let store = store(index_dir);
    remove_unused();
    let options = indexing::IndexOptions {
        dumps: dumps.to_owned(),
        store,
        memory_mb,
        strict,
    };
    indexing::run(&options).unwrap().generation
}

fn prefix(index_dir: &Path) -> String {
    let mut folders = FOLDERS.lock().unwrap();
    let number = folders.len();
    let prefix = folders
        .entry(index_dir.to_owned())
        .or_insert_with(|| format!("suite{number:04}"));
    prefix.clone()
}

/// Removes the indexes of tests that have ended: their temporary folder is gone.
fn remove_unused() {
    let Some(cluster) = shared::cluster() else { return };
    let mut folders = FOLDERS.lock().unwrap();
    for (folder, prefix) in folders.iter_mut() {
        if !prefix.is_empty() && folder.parent().is_some_and(|parent| !parent.exists()) {
            let indexes = cluster.indexes(&format!("{prefix}-"));
            if !indexes.is_empty() {
                cluster.ask("DELETE", &format!("/{}", indexes.join(",")), &Value::Null);
            }
            prefix.clear();
        }
    }
}
