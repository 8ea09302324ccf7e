//! `procure backtest`: measures the accuracy of estimates on contracts whose value is known.

use clap::{Args, ValueEnum, builder::RangedU64ValueParser};

use crate::{
    catalog::{
        bids::call_price::CallPrice,
        estimates::backtest::{self, BacktestOptions, DEFAULT_SAMPLE, DEFAULT_SEED},
    },
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
    /// Learn a bid of the open call instead of the price of its contract, where the call has one winner, no lots, and
    /// two bidders in dollars or more: experiments only
    #[arg(long, value_name = "BID", env = "PROCURE_LEARN_FROM", value_enum)]
    learn_from: Option<TaughtBid>,
}

/// A bid that estimates can learn from, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum TaughtBid {
    Winning,
    SecondLowest,
    Median,
}

pub(crate) fn run(args: Backtest) -> anyhow::Result<()> {
    let generation = args.index.open_current()?;
    let options = BacktestOptions {
        entity_type: args.entity_type,
        sample: args.sample,
        seed: args.seed,
    };
    let records = |entity_type| generation.manifest_of(entity_type).records;
    let price = args.learn_from.map(|bid| match bid {
        TaughtBid::Winning => CallPrice::Winning,
        TaughtBid::SecondLowest => CallPrice::SecondLowest,
        TaughtBid::Median => CallPrice::Median,
    });
    let other_price = |contract_id: &str| price?.of(&generation.bids, contract_id);
    let report = backtest::run(&*generation.engine, records, &other_price, &options)?;
    print(&format!("generation {}: {report}\n", generation.id))
}
