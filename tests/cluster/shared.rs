//! The cluster that the comparing tests share.

use std::sync::LazyLock;

use crate::cluster::{Cluster, Options};

/// Three nodes; `None` if this machine cannot run them. They end with the process.
pub fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: LazyLock<Option<Cluster>> = LazyLock::new(|| {
        Cluster::start(Options {
            nodes: 3,
            heap_mb: 512,
            is_short_lived: true,
        })
    });
    CLUSTER.as_ref()
}
