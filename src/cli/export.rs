//! `procure export`: all records of a generation as files.

use std::{path::PathBuf, sync::Arc};

use clap::Args;

use crate::{
    api::export::whole,
    catalog::generation,
    cli::{engine_options::EngineOptions, options::print},
};

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    index: EngineOptions,
    /// Folder for the files; files of an earlier export are replaced
    #[arg(long, value_name = "DIR", env = "PROCURE_OUT")]
    out: PathBuf,
    /// Id of the generation to export, as `generations list` shows it; the one in service by default
    #[arg(long, value_name = "ID", env = "PROCURE_GENERATION")]
    generation: Option<String>,
}

pub(crate) fn run(args: Export) -> anyhow::Result<()> {
    let store = args.index.store()?;
    let generation = match &args.generation {
        Some(id) => store.open(id)?,
        None => generation::open_current(&store)?,
    };
    for list in whole::write(&Arc::new(generation), &args.out)? {
        for file in [list.parquet, list.ndjson] {
            print(&format!("{}: {} rows, {} bytes\n", file.name, list.rows, file.bytes))?;
        }
    }
    Ok(())
}
