//! Where these tests keep their generations: in folders, for the embedded engine. `tests/cluster`
//! has a module of this name too, and runs many of the same tests on a cluster.

use std::{
    collections::HashMap,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, OnceLock},
};

use procure::catalog::{generation::GenerationStore, indexing};
use tempfile::TempDir;

use crate::folder::folder;

/// The index directories of the first generations that were built, by [`key`], each with the id of its generation.
/// Many tests begin with the same records.
static BUILT: LazyLock<(TempDir, Mutex<HashMap<u64, Built>>)> = LazyLock::new(|| (folder(), Mutex::default()));

/// Set by the first test that needs it, while others wait.
type Built = Arc<OnceLock<String>>;

/// How many of this number of random cases are tried.
pub const fn cases(of_embedded: u32) -> u32 {
    of_embedded
}

/// The generations of an index directory.
pub fn store(index_dir: &Path) -> GenerationStore {
    GenerationStore::Folder(index_dir.to_owned())
}

/// Indexes dumps as the next generation, and returns its id. The first generation of a directory is a copy if the same
/// dumps have been indexed before.
pub fn index(dumps: &Path, index_dir: &Path, memory_mb: usize, strict: bool) -> String {
    if index_dir.exists() {
        return build(dumps, index_dir, memory_mb, strict);
    }
    let key = key(dumps, memory_mb, strict);
    let built_dir = BUILT.0.path().join(key.to_string());
    let built = Arc::clone(BUILT.1.lock().unwrap().entry(key).or_default());
    let id = built.get_or_init(|| build(dumps, &built_dir, memory_mb, strict));
    copy(&built_dir, index_dir);
    id.clone()
}

fn build(dumps: &Path, index_dir: &Path, memory_mb: usize, strict: bool) -> String {
    let options = indexing::IndexOptions {
        dumps: dumps.to_owned(),
        store: store(index_dir),
        memory_mb,
        strict,
    };
    indexing::run(&options).unwrap().generation
}

/// Equal for equal dumps that are indexed with equal options.
fn key(dumps: &Path, memory_mb: usize, strict: bool) -> u64 {
    let mut hasher = DefaultHasher::new();
    (memory_mb, strict).hash(&mut hasher);
    for file in files(dumps) {
        file.strip_prefix(dumps).unwrap().hash(&mut hasher);
        fs::read(file).unwrap().hash(&mut hasher);
    }
    hasher.finish()
}

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let mut files: Vec<PathBuf> = entries.flat_map(below).collect();
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let copied = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &copied);
        } else {
            fs::copy(entry.path(), copied).unwrap();
        }
    }
}
