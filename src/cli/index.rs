//! `procure index`: dumps to a new generation.

use std::path::PathBuf;

use clap::Args;

use crate::{
    catalog::indexing,
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
    /// Fail if a line is not a valid record or a file is not a dump
    #[arg(long, env = "PROCURE_STRICT")]
    strict: bool,
}

pub(crate) fn run(args: Index) -> anyhow::Result<()> {
    let report = indexing::run(&indexing::IndexOptions {
        dumps: args.dumps,
        store: args.index.store_for_build(&args.layout)?,
        memory_mb: args.memory_mb,
        strict: args.strict,
    })?;
    print(&format!("{report}\n"))
}
