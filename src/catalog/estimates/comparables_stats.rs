//! Statistics of the comparables' values.

use std::collections::BTreeMap;

use super::answer::{ComparablesStats, HistogramBucket};
use crate::engine::aggregation::nearest_rank;

/// `None` without values.
pub(crate) fn comparables_stats(mut values: Vec<f64>) -> Option<ComparablesStats> {
    values.sort_by(f64::total_cmp);
    let (min, max) = (*values.first()?, *values.last()?);
    let percentile = |percent: usize| values[nearest_rank(percent, values.len())];
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    Some(ComparablesStats {
        count: values.len(),
        mean: (mean * 100.0).round() / 100.0,
        min,
        max,
        p10: percentile(10),
        p25: percentile(25),
        p50: percentile(50),
        p75: percentile(75),
        p90: percentile(90),
        histogram: histogram(&values),
    })
}

/// Three buckets per power of ten (1 to 2, 2 to 5, 5 to 10), with the empty ones between the first
/// and the last. Bucket numbers count from the one that starts at 1.
fn histogram(values: &[f64]) -> Vec<HistogramBucket> {
    let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(bucket_number(*value)).or_default() += 1;
    }
    let (Some(first), Some(last)) = (counts.keys().next().copied(), counts.keys().last().copied()) else {
        return Vec::new();
    };
    let bucket = |number: i32| HistogramBucket {
        low: lower_bound(number),
        high: lower_bound(number + 1),
        count: counts.get(&number).copied().unwrap_or(0),
    };
    (first..=last).map(bucket).collect()
}

fn lower_bound(number: i32) -> f64 {
    const STEPS: [f64; 3] = [1.0, 2.0, 5.0];
    STEPS[number.rem_euclid(3) as usize] * 10f64.powi(number.div_euclid(3))
}

fn bucket_number(value: f64) -> i32 {
    let near = value.log10().floor() as i32 * 3;
    let mut numbers = (near - 1..=near + 4).rev();
    numbers.find(|number| lower_bound(*number) <= value).unwrap_or(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_every_value_once() {
        let values = [1.0, 1.99, 2.0, 49_999.0, 50_000.0, 100_000.0, 0.05];
        let buckets = histogram(&values);
        assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<usize>(), values.len());
        let of = |value: f64| {
            buckets
                .iter()
                .find(|bucket| bucket.low <= value && value < bucket.high)
                .unwrap()
        };
        assert_eq!((of(1.5).low, of(1.5).high, of(1.5).count), (1.0, 2.0, 2));
        assert_eq!((of(49_999.0).low, of(49_999.0).count), (20_000.0, 1));
        assert_eq!((of(60_000.0).high, of(60_000.0).count), (100_000.0, 1));
        assert!(buckets.windows(2).all(|pair| pair[0].high == pair[1].low));
    }
}
