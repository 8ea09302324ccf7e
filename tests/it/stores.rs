//! Where these tests keep their generations: in folders, for the embedded engine. `tests/cluster`
//! has a module of this name too, and runs many of the same tests on a cluster.

use std::path::Path;

use procure::catalog::{generation::GenerationStore, indexing};

/// How many of this number of random cases are tried.
pub const fn cases(of_embedded: u32) -> u32 {
    of_embedded
}

/// The generations of an index directory.
pub fn store(index_dir: &Path) -> GenerationStore {
    GenerationStore::Folder(index_dir.to_owned())
}

/// Indexes dumps as the next generation, and returns its id.
pub fn index(dumps: &Path, index_dir: &Path, memory_mb: usize, strict: bool) -> String {
    let options = indexing::IndexOptions {
        dumps: dumps.to_owned(),
        store: store(index_dir),
        memory_mb,
        strict,
    };
    indexing::run(&options).unwrap().generation
}
