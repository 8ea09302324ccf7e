//! `procure generations`: the builds on disk, and which of them is in service.

use anyhow::ensure;
use clap::Subcommand;

use crate::{
    catalog::generation,
    cli::options::{IndexDir, print},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Generations {
    /// List the generations on disk; a star marks the one in service
    List {
        #[command(flatten)]
        index: IndexDir,
    },
    /// Put a generation in service
    Use {
        /// Id of the generation, as `generations list` shows it
        id: String,
        #[command(flatten)]
        index: IndexDir,
    },
}

pub(crate) fn run(args: Generations) -> anyhow::Result<()> {
    match args {
        Generations::List { index } => {
            ensure!(
                index.index_dir.exists(),
                "no index in {}; build one with `procure index`, or set --index-dir",
                index.index_dir.display()
            );
            let current = generation::current(&index.index_dir);
            let mut lines = String::new();
            for id in generation::list(&index.index_dir)? {
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
        Generations::Use { id, index } => generation::switch_to(&index.index_dir, &id),
    }
}
