//! `procure generations`: the builds of the index, and which of them is in service.

use anyhow::ensure;
use clap::Subcommand;

use crate::{
    catalog::generation::GenerationStore,
    cli::{engine_options::EngineOptions, options::print},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Generations {
    /// List the generations on disk or on the cluster; a star marks the one in service
    List {
        #[command(flatten)]
        index: EngineOptions,
    },
    /// Put a generation in service
    Use {
        /// Id of the generation, as `generations list` shows it
        id: String,
        #[command(flatten)]
        index: EngineOptions,
    },
}

pub(crate) fn run(args: Generations) -> anyhow::Result<()> {
    match args {
        Generations::List { index } => list(&index.store()?),
        Generations::Use { id, index } => index.store()?.switch_to(&id),
    }
}

fn list(store: &GenerationStore) -> anyhow::Result<()> {
    if let GenerationStore::Folder(index_dir) = store {
        ensure!(
            index_dir.exists(),
            "no index in {}; build one with `procure index`, or set --index-dir",
            index_dir.display()
        );
    }
    let current = store.current();
    let mut lines = String::new();
    for id in store.list()? {
        let mark = match &current {
            Ok(Some(current)) if *current == id => '*',
            _ => ' ',
        };
        lines.push_str(&format!("{mark} {id}\n"));
    }
    print(&lines)?;
    // After the list, which shows the ids that the cure of this error needs.
    current.map(drop)
}
