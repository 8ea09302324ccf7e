//! The report of a back-test: errors and coverage of ranges per group of contracts.

use std::fmt;

use super::{answer::Confidence, calibration::CalibrationSample, holdout::Holdout};

/// The result of a back-test.
#[derive(Debug)]
pub struct BacktestReport {
    /// How many contracts calibrated the ranges.
    pub calibrated_on: usize,
    pub rows: Vec<BacktestRow>,
}

/// The result for a group of contracts.
#[derive(Debug)]
pub struct BacktestRow {
    pub name: String,
    pub contracts: usize,
    /// The share that was estimated at all. The other figures are of these.
    pub answered: f64,
    /// Median absolute error, as a power of ten.
    pub error: f64,
    /// The share with an error of a factor of two at most.
    pub within_twice: f64,
    /// The share whose value was between p25 and p75.
    pub half: f64,
    /// The share whose value was between p10 and p90.
    pub four_fifths: f64,
    /// Median absolute error of the median of the category.
    pub by_category: f64,
    /// Median absolute error of the median of buyer and category.
    pub by_buyer: f64,
}

/// A contract that was tested.
pub struct TestedContract<'a> {
    pub holdout: &'a Holdout,
    /// Absolute errors of the two baselines; NaN without a guess.
    pub baselines: [f64; 2],
    /// The estimate with its calibrated distances and confidence; `None` if there were too few contracts.
    pub estimate: Option<(&'a CalibrationSample, [f64; 4], Confidence)>,
}

impl BacktestRow {
    /// `None` if none of the contracts was estimated.
    pub fn of(name: String, group: &[&TestedContract]) -> Option<BacktestRow> {
        let mut residuals = Vec::new();
        let mut baselines = [Vec::new(), Vec::new()];
        for contract in group {
            if let Some((sample, distances, _)) = contract.estimate {
                residuals.push((sample.residual, distances));
                for (errors, error) in baselines.iter_mut().zip(contract.baselines) {
                    errors.push(error);
                }
            }
        }
        if residuals.is_empty() {
            return None;
        }
        let share = |holds: &dyn Fn(f64, [f64; 4]) -> bool| {
            let hits = residuals
                .iter()
                .filter(|(residual, distances)| holds(*residual, *distances));
            hits.count() as f64 / residuals.len() as f64
        };
        let [by_category, by_buyer] = baselines.map(median);
        Some(BacktestRow {
            name,
            contracts: group.len(),
            answered: residuals.len() as f64 / group.len() as f64,
            error: median(residuals.iter().map(|(residual, _)| residual.abs()).collect()),
            within_twice: share(&|residual, _| residual.abs() <= 2.0f64.log10()),
            half: share(&|residual, d| (-d[1]..=d[2]).contains(&residual)),
            four_fifths: share(&|residual, d| (-d[0]..=d[3]).contains(&residual)),
            by_category,
            by_buyer,
        })
    }

    /// By how much the error is smaller than that of the better baseline, as a share.
    pub fn gain(&self) -> f64 {
        1.0 - self.error / self.by_category.min(self.by_buyer)
    }
}

/// The upper median of the finite errors; NaN without any.
fn median(mut errors: Vec<f64>) -> f64 {
    errors.retain(|error| error.is_finite());
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN)
}

impl fmt::Display for BacktestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "ranges calibrated on {} older contracts, tested on newer ones\n",
            self.calibrated_on
        )?;
        writeln!(
            f,
            "{:<30} {:>9} {:>9} {:>7} {:>7} {:>8} {:>8} {:>9} {:>9} {:>6}",
            "", "contracts", "answered", "error", "within", "p25-p75", "p10-p90", "category", "buyer and", "gain"
        )?;
        writeln!(
            f,
            "{:<30} {:>9} {:>9} {:>7} {:>7} {:>8} {:>8} {:>9} {:>9} {:>6}",
            "", "tested", "", "(log10)", "x2", "holds", "holds", "median", "category", ""
        )?;
        for row in &self.rows {
            writeln!(
                f,
                "{:<30} {:>9} {:>8.1}% {:>7.3} {:>6.1}% {:>7.1}% {:>7.1}% {:>9.3} {:>9.3} {:>5.0}%",
                row.name,
                row.contracts,
                row.answered * 100.0,
                row.error,
                row.within_twice * 100.0,
                row.half * 100.0,
                row.four_fifths * 100.0,
                row.by_category,
                row.by_buyer,
                row.gain() * 100.0
            )?;
        }
        write!(
            f,
            "\nerror: median absolute error of the estimate, as a power of ten. category, buyer and category: the same for two simple guesses. gain: by how much the error is smaller than that of the better guess."
        )
    }
}
