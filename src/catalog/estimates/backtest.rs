//! The back-test: holds out contracts of known value, estimates each from the earlier contracts, and
//! compares the errors with those of two simple guesses ([`super::baselines`]).

use std::{collections::BTreeMap, fmt};

use anyhow::{bail, ensure};
use rayon::prelude::*;

use super::{
    answer::{Confidence, MatchLevel},
    baselines::Baselines,
    calibration::{Calibration, CalibrationSample, confidence},
    holdout::{Holdout, OtherPrice, sample_holdouts},
    purchase_facts::CONTRACT_TYPES,
};
use crate::{
    engine::{Engine, Error},
    model::EntityType,
};

#[derive(Clone, Debug)]
pub struct BacktestOptions {
    /// The entity type whose records are held out; `None` for all [`CONTRACT_TYPES`].
    pub entity_type: Option<EntityType>,
    /// How many contracts to hold out.
    pub sample: usize,
    /// The seed of the random sample.
    pub seed: u64,
}

/// How many contracts are held out by default.
pub(crate) const DEFAULT_SAMPLE: usize = 4000;

/// The default seed of the sample.
pub(crate) const DEFAULT_SEED: u64 = 7;

/// The result of a back-test.
#[derive(Debug)]
pub struct BacktestReport {
    /// How many held-out contracts calibrated the ranges.
    pub calibrated_on: usize,
    /// How many contracts of the index taught another price than their own.
    pub other_prices: u64,
    pub rows: Vec<BacktestRow>,
}

/// The result for a group of contracts. Shares are from 0 to 1. Errors are absolute differences of
/// decimal logarithms: 0.3 is a factor of two.
#[derive(Debug)]
pub struct BacktestRow {
    pub name: String,
    pub(crate) contracts: usize,
    /// The share of the contracts for which there was an estimate. The figures below are of these.
    pub answered: f64,
    /// The median error of the estimates.
    pub median_error: f64,
    /// The share of the estimates that are at most a factor of two from the value.
    pub(crate) within_factor_two: f64,
    /// The share whose value was between p25 and p75.
    pub within_p25_p75: f64,
    /// The share whose value was between p10 and p90.
    pub within_p10_p90: f64,
    /// The median error of the first guess: the median value of the category.
    pub(crate) category_error: f64,
    /// The median error of the second guess: the median value of buyer and category.
    pub(crate) buyer_category_error: f64,
}

/// A contract that was held out.
struct Trial {
    holdout: Holdout,
    /// `None` if there were too few contracts for an estimate.
    sample: Option<CalibrationSample>,
    /// The errors of the two guesses of [`Baselines`]; NaN without a guess.
    baselines: [f64; 2],
    /// Whether there is another price of it than its own.
    has_other_price: bool,
}

/// The estimate of a held-out contract: its sample, calibrated distances and confidence.
type TestedEstimate<'a> = (&'a CalibrationSample, [f64; 4], Confidence);

/// Runs the back-test on an index. `records` returns the number of records of an entity type.
/// Estimates learn `other_price` where a contract has one, and are compared with the contract's own
/// price. Fails if `options` name an entity type that is not a contract, or if there is nothing to test.
///
/// Of the held-out contracts of each entity type and level of government, the older half calibrates
/// the ranges and the newer half is tested.
pub fn run(
    engine: &dyn Engine,
    records: impl Fn(EntityType) -> u64,
    other_price: &OtherPrice,
    options: &BacktestOptions,
) -> anyhow::Result<BacktestReport> {
    let entity_types = match options.entity_type {
        None => CONTRACT_TYPES.to_vec(),
        Some(entity_type) if CONTRACT_TYPES.contains(&entity_type) => vec![entity_type],
        Some(entity_type) => bail!(
            "{entity_type} records are not contracts; --entity-type is one of {}",
            CONTRACT_TYPES.map(EntityType::name).join(", ")
        ),
    };
    let counts = entity_types
        .into_iter()
        .map(|entity_type| (entity_type, records(entity_type)));
    let counts: Vec<(EntityType, u64)> = counts.collect();
    let holdouts = sample_holdouts(engine, &counts, options.sample, options.seed)?;
    let baselines = Baselines::read(engine, other_price)?;
    let trials = holdouts
        .into_par_iter()
        .map(|holdout| Trial::of(engine, &baselines, other_price, holdout))
        .collect::<Result<Vec<_>, Error>>()?;
    let (older, newer) = halves(trials);
    ensure!(
        !newer.is_empty(),
        "the index has no contracts with a date and a value to hold out"
    );
    let samples: Vec<CalibrationSample> = older.into_iter().filter_map(|trial| trial.sample).collect();
    let calibration = Calibration::of_samples(&samples);
    let tested: Vec<_> = newer
        .iter()
        .map(|trial| (trial, trial.estimate(&calibration)))
        .collect();
    Ok(BacktestReport {
        calibrated_on: samples.len(),
        other_prices: baselines.other_prices,
        rows: rows(&tested),
    })
}

impl Trial {
    fn of(
        engine: &dyn Engine,
        baselines: &Baselines,
        other_price: &OtherPrice,
        holdout: Holdout,
    ) -> Result<Trial, Error> {
        let truth = holdout.value.log10();
        let guesses = baselines.guesses(&holdout);
        Ok(Trial {
            baselines: guesses.map(|guess| guess.map_or(f64::NAN, |guess| (guess - truth).abs())),
            sample: holdout.calibration_sample(engine, other_price)?,
            has_other_price: other_price(&holdout.id).is_some(),
            holdout,
        })
    }

    fn estimate(&self, calibration: &Calibration) -> Option<TestedEstimate<'_>> {
        let sample = self.sample.as_ref()?;
        let distances = calibration.distances(sample.level, &sample.spread);
        Some((sample, distances, confidence(sample.level, &sample.spread, &distances)))
    }
}

/// The older and the newer half of each entity type and level of government.
fn halves(mut trials: Vec<Trial>) -> (Vec<Trial>, Vec<Trial>) {
    trials.sort_by(|a, b| (a.holdout.date, &a.holdout.id).cmp(&(b.holdout.date, &b.holdout.id)));
    let mut groups: BTreeMap<(EntityType, Option<String>), Vec<Trial>> = BTreeMap::new();
    for trial in trials {
        let group = (trial.holdout.entity_type, trial.holdout.facts.government_level.clone());
        groups.entry(group).or_default().push(trial);
    }
    let (mut older, mut newer) = (Vec::new(), Vec::new());
    for mut group in groups.into_values() {
        newer.extend(group.split_off(group.len() / 2));
        older.extend(group);
    }
    (older, newer)
}

/// One row for all contracts, one for those with another price, then rows by entity type, level of
/// government, match level and confidence.
fn rows(tested: &[(&Trial, Option<TestedEstimate>)]) -> Vec<BacktestRow> {
    let mut rows = Vec::new();
    let mut add_trials = |name: String, is_in: &dyn Fn(&Trial, Option<TestedEstimate>) -> bool| {
        let group = tested.iter().filter(|(trial, estimate)| is_in(trial, *estimate));
        rows.extend(BacktestRow::of(name, group.copied().collect()));
    };
    add_trials("all".to_owned(), &|_, _| true);
    add_trials("call with bids".to_owned(), &|trial, _| trial.has_other_price);
    let mut add = |name: String, is_in: &dyn Fn(&Holdout, Option<TestedEstimate>) -> bool| {
        add_trials(name, &|trial, estimate| is_in(&trial.holdout, estimate));
    };
    for entity_type in CONTRACT_TYPES {
        add(entity_type.name().to_owned(), &|holdout, _| {
            holdout.entity_type == entity_type
        });
    }
    for level in ["federal", "provincial", "municipal"] {
        add(level.to_owned(), &|holdout, _| {
            holdout.facts.government_level.as_deref() == Some(level)
        });
    }
    for level in MatchLevel::ALL {
        add(json_name(&level), &|_, estimate| {
            estimate.is_some_and(|(sample, _, _)| sample.level == level)
        });
    }
    for confidence in [Confidence::High, Confidence::Medium, Confidence::Low] {
        add(format!("{} confidence", json_name(&confidence)), &|_, estimate| {
            estimate.is_some_and(|(_, _, estimated)| estimated == confidence)
        });
    }
    rows
}

/// The name of an enum variant in JSON.
fn json_name(variant: &impl serde::Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(name)) => name,
        other => panic!("a variant without fields serializes as a string, not {other:?}"),
    }
}

impl BacktestRow {
    /// `None` if none of the contracts was estimated.
    fn of(name: String, group: Vec<(&Trial, Option<TestedEstimate>)>) -> Option<BacktestRow> {
        let estimated: Vec<(&Trial, f64, [f64; 4])> = group
            .iter()
            .filter_map(|(trial, estimate)| estimate.map(|(sample, distances, _)| (*trial, sample.residual, distances)))
            .collect();
        if estimated.is_empty() {
            return None;
        }
        let count = estimated.len() as f64;
        let share = |holds: &dyn Fn(f64, [f64; 4]) -> bool| {
            let hits = estimated
                .iter()
                .filter(|(_, residual, distances)| holds(*residual, *distances));
            hits.count() as f64 / count
        };
        let baseline = |number: usize| median(estimated.iter().map(|(trial, _, _)| trial.baselines[number]).collect());
        Some(BacktestRow {
            name,
            contracts: group.len(),
            answered: count / group.len() as f64,
            median_error: median(estimated.iter().map(|(_, residual, _)| residual.abs()).collect()),
            within_factor_two: share(&|residual, _| residual.abs() <= 2.0f64.log10()),
            within_p25_p75: share(&|residual, d| (-d[1]..=d[2]).contains(&residual)),
            within_p10_p90: share(&|residual, d| (-d[0]..=d[3]).contains(&residual)),
            category_error: baseline(0),
            buyer_category_error: baseline(1),
        })
    }

    /// By how much the error is smaller than that of the better guess, as a share of the latter.
    pub fn gain(&self) -> f64 {
        1.0 - self.median_error / self.category_error.min(self.buyer_category_error)
    }
}

/// The upper median of the finite errors; NaN without any.
fn median(mut errors: Vec<f64>) -> f64 {
    errors.retain(|error| error.is_finite());
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The columns have the widths that the report's rows are formatted with.
const TABLE_HEAD: &str = concat!(
    "                               contracts  answered   error  within  p25-p75  p10-p90  category buyer and   gain\n",
    "                                  tested           (log10)      x2    holds    holds    median  category\n",
);

impl fmt::Display for BacktestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "ranges calibrated on {} older contracts, tested on newer ones",
            self.calibrated_on
        )?;
        if self.other_prices > 0 {
            writeln!(
                f,
                "estimates learned a bid instead of the price of {} contracts",
                self.other_prices
            )?;
        }
        writeln!(f)?;
        f.write_str(TABLE_HEAD)?;
        for row in &self.rows {
            writeln!(
                f,
                "{:<30} {:>9} {:>8.1}% {:>7.3} {:>6.1}% {:>7.1}% {:>7.1}% {:>9.3} {:>9.3} {:>5.0}%",
                row.name,
                row.contracts,
                row.answered * 100.0,
                row.median_error,
                row.within_factor_two * 100.0,
                row.within_p25_p75 * 100.0,
                row.within_p10_p90 * 100.0,
                row.category_error,
                row.buyer_category_error,
                row.gain() * 100.0
            )?;
        }
        write!(
            f,
            "\nerror: median absolute error of the estimate, as a power of ten. category, buyer and category: the same for two \
simple guesses. gain: by how much the error is smaller than that of the better guess."
        )
    }
}
