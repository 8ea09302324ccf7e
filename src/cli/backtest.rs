//! `procure backtest`: how well estimates fare on contracts whose value is known.

use clap::{Args, builder::RangedU64ValueParser};

use super::{IndexDir, kind, print};
use crate::{
    catalog::market::backtest::{self, SAMPLE, SEED},
    model::entity_type::EntityType,
};

#[derive(Debug, Args)]
pub struct Backtest {
    #[command(flatten)]
    index: IndexDir,
    /// Hide contracts of this kind only: contract, award or disclosure [env: PROCURE_KIND]
    #[arg(long, value_name = "KIND", env = "PROCURE_KIND", hide_env = true, value_parser = kind)]
    kind: Option<EntityType>,
    /// How many contracts to hide [env: PROCURE_SAMPLE]
    #[arg(long, value_name = "N", env = "PROCURE_SAMPLE", hide_env = true, default_value_t = SAMPLE, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    sample: usize,
    /// Equal seeds hide equal contracts [env: PROCURE_SEED]
    #[arg(long, value_name = "S", env = "PROCURE_SEED", hide_env = true, default_value_t = SEED)]
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
