//! The back-test: holds out known contracts, estimates them, and compares the errors with those of two simple guesses.

use std::collections::BTreeMap;

use anyhow::{bail, ensure};
use rayon::prelude::*;

use super::{
    answer::{Confidence, MatchLevel},
    backtest_report::{BacktestReport, BacktestRow, TestedContract},
    baselines::Baselines,
    calibration::{Calibration, CalibrationSample, confidence},
    holdout::{Holdout, sample_holdouts},
    purchase_facts::CONTRACT_TYPES,
};
use crate::{
    engine::{Engine, Error},
    model::entity_type::EntityType,
};

#[derive(Clone, Debug)]
pub struct BacktestOptions {
    /// The entity type to hold out; all three of contracts if `None`.
    pub kind: Option<EntityType>,
    pub sample: usize,
    pub seed: u64,
}

/// Decision D-93: how many contracts are held out by default, and the default seed of the sample.
pub const DEFAULT_SAMPLE: usize = 4000;
pub const DEFAULT_SEED: u64 = 7;

/// A contract that was held out, and its estimate.
struct Trial {
    holdout: Holdout,
    sample: Option<CalibrationSample>,
    /// Absolute errors of the two baselines; NaN without a guess.
    baselines: [f64; 2],
}

/// Runs the back-test on an index. `records` returns the number of records of an entity type.
///
/// The older half of the contracts, per entity type and level of government, calibrates the ranges; the newer half is
/// tested.
pub fn run(
    engine: &dyn Engine,
    records: impl Fn(EntityType) -> u64,
    options: &BacktestOptions,
) -> anyhow::Result<BacktestReport> {
    if let Some(kind) = options.kind.filter(|kind| !CONTRACT_TYPES.contains(kind)) {
        let kinds = CONTRACT_TYPES.map(EntityType::name).join(", ");
        bail!("{kind} records are not contracts; --entity-type is one of {kinds}");
    }
    let kinds = CONTRACT_TYPES
        .into_iter()
        .filter(|kind| options.kind.is_none_or(|only| only == *kind));
    let kinds: Vec<_> = kinds.map(|kind| (kind, records(kind))).collect();
    let holdouts = sample_holdouts(engine, &kinds, options.sample, options.seed)?;
    let baselines = Baselines::read(engine)?;
    let trials = holdouts
        .into_par_iter()
        .map(|holdout| Trial::of(engine, &baselines, holdout))
        .collect::<Result<Vec<_>, Error>>()?;
    let (older, newer) = halves(trials);
    ensure!(
        !newer.is_empty(),
        "the index has no contracts with a date and a value to hold out"
    );
    let samples: Vec<CalibrationSample> = older.into_iter().filter_map(|trial| trial.sample).collect();
    let calibration = Calibration::of_samples(&samples);
    let tested: Vec<TestedContract> = newer.iter().map(|trial| trial.test(&calibration)).collect();
    Ok(BacktestReport {
        calibrated_on: samples.len(),
        rows: rows(&tested),
    })
}

impl Trial {
    fn of(engine: &dyn Engine, baselines: &Baselines, holdout: Holdout) -> Result<Trial, Error> {
        let truth = holdout.value.log10();
        let errors = baselines
            .guesses(&holdout)
            .map(|guess| guess.map_or(f64::NAN, |guess| (guess - truth).abs()));
        Ok(Trial {
            baselines: errors,
            sample: holdout.calibration_sample(engine)?,
            holdout,
        })
    }

    fn test(&self, calibration: &Calibration) -> TestedContract<'_> {
        TestedContract {
            holdout: &self.holdout,
            baselines: self.baselines,
            estimate: self.sample.as_ref().map(|sample| {
                let distances = calibration.distances(sample.level, &sample.spread);
                (sample, distances, confidence(sample.level, &sample.spread, &distances))
            }),
        }
    }
}

/// The older and the newer half of each entity type and level of government.
fn halves(mut trials: Vec<Trial>) -> (Vec<Trial>, Vec<Trial>) {
    trials.sort_by(|a, b| (a.holdout.date, &a.holdout.id).cmp(&(b.holdout.date, &b.holdout.id)));
    let mut groups: BTreeMap<(EntityType, Option<String>), Vec<Trial>> = BTreeMap::new();
    for trial in trials {
        let group = (trial.holdout.entity_type, trial.holdout.facts.level.clone());
        groups.entry(group).or_default().push(trial);
    }
    let (mut older, mut newer) = (Vec::new(), Vec::new());
    for mut group in groups.into_values() {
        newer.extend(group.split_off(group.len() / 2));
        older.extend(group);
    }
    (older, newer)
}

/// One row for all contracts, then rows by entity type, level of government, match level and confidence.
fn rows(tested: &[TestedContract]) -> Vec<BacktestRow> {
    let row = |name: String, is_in: &dyn Fn(&TestedContract) -> bool| {
        let group: Vec<&TestedContract> = tested.iter().filter(|contract| is_in(contract)).collect();
        BacktestRow::of(name, &group)
    };
    let mut rows = vec![row("all".to_owned(), &|_| true)];
    for kind in CONTRACT_TYPES {
        rows.push(row(kind.name().to_owned(), &|contract| {
            contract.holdout.entity_type == kind
        }));
    }
    for level in ["federal", "provincial", "municipal"] {
        rows.push(row(level.to_owned(), &|contract| {
            contract.holdout.facts.level.as_deref() == Some(level)
        }));
    }
    for level in MatchLevel::ALL {
        rows.push(row(json_name(&level), &|contract| {
            contract.estimate.is_some_and(|(sample, _, _)| sample.level == level)
        }));
    }
    for confidence in [Confidence::High, Confidence::Medium, Confidence::Low] {
        rows.push(row(format!("{} confidence", json_name(&confidence)), &|contract| {
            contract.estimate.is_some_and(|(_, _, own)| own == confidence)
        }));
    }
    rows.into_iter().flatten().collect()
}

/// The name of an enum variant in JSON.
fn json_name(variant: &impl serde::Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(name)) => name,
        other => panic!("a variant without fields serializes as a string, not {other:?}"),
    }
}
