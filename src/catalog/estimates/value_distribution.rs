//! The probability distribution of an item's value: the median of the comparables, with calibrated
//! distances to the percentiles.

use super::{
    answer::{Confidence, MatchLevel, Percentiles},
    calibration::{EstimateSpread, TAILS, confidence},
    pool::Market,
    selection::Selection,
};

/// The distribution of an item's value. Distances are differences of base-10 logarithms.
pub(crate) struct ValueDistribution {
    pub(crate) level: MatchLevel,
    pub(crate) spread: EstimateSpread,
    /// The calibrated distances from the median to the [`TAILS`]; none is negative.
    distances: [f64; 4],
    pub(crate) confidence: Confidence,
}

impl ValueDistribution {
    /// `None` if there are too few contracts.
    pub(crate) fn of(market: &Market, selection: &Selection) -> Option<ValueDistribution> {
        let level = selection.level?;
        let spread = EstimateSpread::of(&selection.weighted_values())?;
        let distances = market.calibration.distances(level, &spread);
        Some(ValueDistribution {
            level,
            confidence: confidence(level, &spread, &distances),
            spread,
            distances,
        })
    }

    /// The value in dollars below which this share (0 to 1) of the outcomes is. The logarithm is
    /// interpolated linearly between the median and the [`TAILS`].
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let [p10, p25, p75, p90] = self.distances;
        let points = [
            (TAILS[0], -p10),
            (TAILS[1], -p25),
            (0.5, 0.0),
            (TAILS[2], p75),
            (TAILS[3], p90),
        ];
        let distance = points.windows(2).find_map(|pair| match pair {
            [(from, low), (to, high)] if share <= *to => {
                Some(low + (high - low) * (share - from).max(0.0) / (to - from))
            }
            _ => None,
        });
        dollars(self.spread.median + distance.unwrap_or(p90))
    }

    pub(crate) fn percentiles(&self) -> Percentiles {
        Percentiles {
            p10: self.quantile(0.10),
            p25: self.quantile(0.25),
            p50: self.quantile(0.50),
            p75: self.quantile(0.75),
            p90: self.quantile(0.90),
        }
    }
}

/// The number with this base-10 logarithm, rounded to the cent.
fn dollars(log: f64) -> f64 {
    (10f64.powf(log) * 100.0).round() / 100.0
}
