//! `procure backtest`: measures the accuracy of estimates on contracts whose value is known.

use clap::{Args, builder::RangedU64ValueParser};

use crate::{
    catalog::market::backtest::{self, SAMPLE, SEED},
    cli::options::{IndexDir, parse_entity_type, print},
    model::entity_type::EntityType,
};

#[derive(Debug, Args)]
pub struct Backtest {
    #[command(flatten)]
    index: IndexDir,
    /// Hold out contracts of this entity type only: contract, award or disclosure
    #[arg(long, value_name = "TYPE", env = "PROCURE_KIND", value_parser = parse_entity_type)]
    kind: Option<EntityType>,
    /// How many contracts to hold out
    #[arg(long, value_name = "N", env = "PROCURE_SAMPLE", default_value_t = SAMPLE, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    sample: usize,
    /// Seed of the random choice; equal seeds hold out equal contracts
    #[arg(long, value_name = "S", env = "PROCURE_SEED", default_value_t = SEED)]
    seed: u64,
}

pub fn run(args: Backtest) -> anyhow::Result<()> {
    let report = backtest::run(&backtest::Options {
        index_dir: args.index.index_dir,
        kind: args.kind,
        sample: args.sample,
        seed: args.seed,
    })?;
    print(&format!("{report}\n"))
}
