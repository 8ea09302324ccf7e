//! `procure sample`: writes generated records.

use std::path::PathBuf;

use clap::Args;

use crate::{
    cli::options::{parse_entity_type, parse_number, print},
    model::EntityType,
    sample::{self, SampleOptions},
};

#[derive(Debug, Args)]
pub(crate) struct Sample {
    /// Total number of records
    #[arg(long, value_name = "N", env = "PROCURE_RECORDS", value_parser = parse_number::<u64>)]
    records: u64,
    /// Seed of the generator; equal seeds write equal records
    #[arg(long, value_name = "S", env = "PROCURE_SEED", value_parser = parse_number::<u64>)]
    seed: u64,
    /// Folder to write the dumps to
    #[arg(long, value_name = "DIR", env = "PROCURE_OUT")]
    out: PathBuf,
    /// Also write the bids on notices of SEAO
    #[arg(long, env = "PROCURE_BIDS")]
    bids: bool,
    /// Write only this entity type; may be repeated
    #[arg(long, value_name = "TYPE", env = "PROCURE_ENTITY_TYPE", value_parser = parse_entity_type)]
    entity_type: Vec<EntityType>,
}

pub(crate) fn run(args: Sample) -> anyhow::Result<()> {
    let summary = sample::run(&SampleOptions {
        entity_types: args.entity_type,
        bids: args.bids,
        ..SampleOptions::new(args.records, args.seed, args.out)
    })?;
    print(&format!("{summary}\n"))
}
