//! Where the generations of an index are: in a folder of this machine, or on a cluster.

use std::{num::NonZeroUsize, path::PathBuf, time::SystemTime};

use anyhow::Error;

use super::{
    checksums::find_truncated,
    cluster::{self, ClusterStore},
    folder,
    layout::{self, CURRENT},
    opened::Generation,
};

/// The generations of one index, and which of them should be served.
#[derive(Clone, Debug)]
pub enum GenerationStore {
    /// The index directory of the embedded engine.
    Folder(PathBuf),
    /// The indexes of an OpenSearch cluster.
    Cluster(ClusterStore),
}

/// Searches on a cluster for each core of this machine: they wait for the network most of the time.
const CLUSTER_SEARCHES_PER_CORE: NonZeroUsize = NonZeroUsize::new(8).expect("it is not 0");

impl GenerationStore {
    /// The id of the generation that should be served; `None` if none was published yet.
    pub fn current(&self) -> anyhow::Result<Option<String>> {
        match self {
            GenerationStore::Folder(index_dir) => layout::current(index_dir),
            GenerationStore::Cluster(cluster) => cluster.current(),
        }
    }

    /// The ids of the complete generations, oldest first.
    pub fn list(&self) -> anyhow::Result<Vec<String>> {
        match self {
            GenerationStore::Folder(index_dir) => layout::list(index_dir),
            GenerationStore::Cluster(cluster) => cluster.list(),
        }
    }

    /// Opens and verifies a generation.
    pub fn open(&self, id: &str) -> anyhow::Result<Generation> {
        match self {
            GenerationStore::Folder(index_dir) => folder::open(index_dir, id),
            GenerationStore::Cluster(cluster) => cluster.open(id),
        }
    }

    /// Puts a generation in service after checking that it opens. Refused while a build is in
    /// progress.
    pub fn switch_to(&self, id: &str) -> anyhow::Result<()> {
        match self {
            GenerationStore::Folder(index_dir) => folder::switch_to(index_dir, id),
            GenerationStore::Cluster(cluster) => cluster.switch_to(id),
        }
    }

    /// When the generation in service was last chosen. It changes also if the same one is chosen
    /// again. `None` if that is not known.
    pub(crate) fn switched_at(&self) -> Option<SystemTime> {
        match self {
            GenerationStore::Folder(index_dir) => layout::current_written_at(index_dir),
            GenerationStore::Cluster(_) => None,
        }
    }

    /// The error of a served generation of which a file was truncated, or has other bytes than were written. A
    /// read past the end of a truncated file would end the process.
    ///
    /// A file that was removed is not an error: the system keeps its content as long as it is mapped.
    pub(crate) fn truncation(&self, generation: &Generation) -> Option<Error> {
        match self {
            GenerationStore::Folder(index_dir) => {
                let truncated = find_truncated(&index_dir.join(&generation.id), &generation.manifest.files);
                truncated.or_else(|| generation.damage())
            }
            GenerationStore::Cluster(_) => None,
        }
    }

    /// Whether a server waits for a generation, instead of refusing to start without one. A cluster
    /// is started apart from the servers.
    pub(crate) fn is_awaited(&self) -> bool {
        matches!(self, GenerationStore::Cluster(_))
    }

    /// Whether an error means that the generations cannot be reached, so that nothing is known of
    /// their state.
    pub(super) fn is_unreachable(&self, error: &Error) -> bool {
        match self {
            GenerationStore::Folder(_) => false,
            GenerationStore::Cluster(_) => cluster::is_unreachable(error),
        }
    }

    /// How many searches should run at the same time for each core of this machine.
    pub(crate) fn searches_per_core(&self) -> NonZeroUsize {
        match self {
            GenerationStore::Folder(_) => NonZeroUsize::MIN,
            GenerationStore::Cluster(_) => CLUSTER_SEARCHES_PER_CORE,
        }
    }

    /// What names the generation that should be served.
    pub(super) fn pointer(&self) -> &'static str {
        match self {
            GenerationStore::Folder(_) => CURRENT,
            GenerationStore::Cluster(_) => "alias",
        }
    }

    /// A clause for messages: that nothing names the generation that should be served.
    pub(super) fn missing_pointer(&self) -> String {
        match self {
            GenerationStore::Folder(_) => format!("its file {CURRENT} is missing"),
            GenerationStore::Cluster(_) => "no alias names one".to_owned(),
        }
    }

    /// Where it is, for messages.
    pub(super) fn place(&self) -> String {
        match self {
            GenerationStore::Folder(index_dir) => index_dir.display().to_string(),
            GenerationStore::Cluster(cluster) => cluster.to_string(),
        }
    }

    /// How to build a first generation.
    pub(super) fn first_build(&self) -> String {
        match self {
            GenerationStore::Folder(index_dir) => format!(
                "no index in {}; build one with `procure index --index-dir {0}`",
                index_dir.display()
            ),
            GenerationStore::Cluster(cluster) => format!("no index on {cluster}; build one with `procure index`"),
        }
    }
}
