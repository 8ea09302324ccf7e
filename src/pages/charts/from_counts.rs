//! From the counts of an aggregation to what charts draw.

use super::years::YearValue;
use crate::engine::aggregation::{FacetBucket, FacetBuckets};

/// The largest buckets by value, or by number. Equal ones keep their order: by number, then by name.
pub(crate) fn largest(counts: FacetBuckets, by_value: bool, size: usize) -> Vec<FacetBucket> {
    let mut buckets = counts.buckets;
    if by_value {
        let dollars = |bucket: &FacetBucket| bucket.total_value.dollars();
        buckets.sort_by(|a, b| dollars(b).total_cmp(&dollars(a)));
    }
    buckets.truncate(size);
    buckets
}

/// The years of the counts by year. `running` is the one that is not over.
pub(crate) fn year_values(counts: &FacetBuckets, running: i32) -> Vec<YearValue> {
    let value = |bucket: &FacetBucket| {
        let year = bucket.value.parse().ok()?;
        Some(YearValue {
            year,
            count: bucket.count,
            total: bucket.total_value.dollars(),
            is_running: year == running,
        })
    };
    counts.buckets.iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::aggregation::Money;

    fn counts(buckets: &[(&str, u64, f64)]) -> FacetBuckets {
        let bucket = |(value, count, dollars): &(&str, u64, f64)| FacetBucket {
            value: (*value).to_owned(),
            count: *count,
            total_value: Money::of(*dollars),
        };
        FacetBuckets {
            buckets: buckets.iter().map(bucket).collect(),
            ..FacetBuckets::default()
        }
    }

    #[test]
    fn the_largest_are_ranked_by_value_where_there_are_values() {
        let counts = counts(&[("a", 9, 1.0), ("b", 2, 50.0), ("c", 1, 50.0)]);
        let names = |by_value: bool, size: usize| -> Vec<String> {
            let largest = largest(counts.clone(), by_value, size);
            largest.into_iter().map(|bucket| bucket.value).collect()
        };
        assert_eq!(names(true, 2), ["b", "c"]);
        assert_eq!(names(true, 9), ["b", "c", "a"]);
        assert_eq!(names(false, 2), ["a", "b"]);
    }

    #[test]
    fn only_years_are_years() {
        let counts = counts(&[("2025", 2, 5.5), ("2026", 1, -1.0), ("other", 7, 0.0)]);
        let years = year_values(&counts, 2026);
        let shown: Vec<_> = years
            .iter()
            .map(|year| (year.year, year.count, year.total, year.is_running))
            .collect();
        assert_eq!(shown, [(2025, 2, 5.5, false), (2026, 1, -1.0, true)]);
    }
}
