//! `procure backtest`: measures the accuracy of estimates on contracts whose value is known.

use clap::{Args, builder::RangedU64ValueParser};

use crate::{
    catalog::estimates::backtest::{self, BacktestOptions, DEFAULT_SAMPLE, DEFAULT_SEED},
    cli::{
        engine_options::EngineOptions,
        options::{parse_entity_type, parse_number, print},
    },
    model::EntityType,
};

#[derive(Debug, Args)]
pub(crate) struct Backtest {
    #[command(flatten)]
    index: EngineOptions,
    /// Hold out contracts of this entity type only: contract, award or disclosure
    #[arg(long, alias = "kind", value_name = "TYPE", env = "PROCURE_ENTITY_TYPE", value_parser = parse_entity_type)]
    entity_type: Option<EntityType>,
    /// How many contracts to hold out
    #[arg(long, value_name = "N", env = "PROCURE_SAMPLE", default_value_t = DEFAULT_SAMPLE, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    sample: usize,
    /// Seed of the random choice; equal seeds hold out equal contracts
    #[arg(long, value_name = "S", env = "PROCURE_SEED", default_value_t = DEFAULT_SEED, value_parser = parse_number::<u64>)]
    seed: u64,
}

pub(crate) fn run(args: Backtest) -> anyhow::Result<()> {
    let generation = args.index.open_current()?;
    let options = BacktestOptions {
        entity_type: args.entity_type,
        sample: args.sample,
        seed: args.seed,
    };
    let records = |entity_type| generation.manifest_of(entity_type).records;
    let report = backtest::run(&*generation.engine, records, &options)?;
    print(&format!("generation {}: {report}\n", generation.id))
}
