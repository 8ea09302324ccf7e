//! `procure index`: dumps to a new generation.

use std::path::PathBuf;

use clap::Args;

use crate::{
    catalog::{generation::KEPT_GENERATIONS, indexing},
    cli::{
        engine_options::{ClusterLayout, EngineOptions},
        options::{parse_number, print},
    },
};

#[derive(Debug, Args)]
pub(crate) struct Index {
    /// Folder with the dumps, <entity_type>/<source_id>.ndjson, plain, .gz or .zst
    #[arg(long, value_name = "DIR", env = "PROCURE_DUMPS", default_value = "data/dumps")]
    dumps: PathBuf,
    #[command(flatten)]
    index: EngineOptions,
    #[command(flatten)]
    layout: ClusterLayout,
    /// Approximate memory limit of the build, in MiB
    #[arg(long, value_name = "N", env = "PROCURE_MEMORY_MB", default_value_t = indexing::DEFAULT_MEMORY_MB, value_parser = parse_number::<usize>)]
    memory_mb: usize,
    /// How many generations stay, the new one included: requests may ask for each of them
    #[arg(long, value_name = "N", env = "PROCURE_KEEP", default_value_t = KEPT_GENERATIONS, value_parser = parse_keep)]
    keep: usize,
    /// What people claim about the names of suppliers: NDJSON or CSV, see docs/suppliers.md
    #[arg(long, value_name = "FILE", env = "PROCURE_CLAIMS")]
    claims: Option<PathBuf>,
    /// Fail if a line is not a valid record or a file is not a dump
    #[arg(long, env = "PROCURE_STRICT")]
    strict: bool,
}

/// At least two: the one that is served, and the one to go back to.
fn parse_keep(text: &str) -> Result<usize, String> {
    let keep: usize = parse_number(text)?;
    if keep < KEPT_GENERATIONS {
        return Err(format!(
            "must be {KEPT_GENERATIONS} or more, to go back to the one before"
        ));
    }
    Ok(keep)
}

pub(crate) fn run(args: Index) -> anyhow::Result<()> {
    let options = indexing::IndexOptions {
        dumps: args.dumps,
        store: args.index.store_for_build(&args.layout)?,
        memory_mb: args.memory_mb,
        strict: args.strict,
    };
    let report = indexing::run_keeping(&options, args.keep, args.claims.as_deref())?;
    print(&format!("{report}\n"))
}
