//! Counts by value and by year, which several responses have.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::aggregation::{FacetBucket, FacetBuckets, Money};

/// A value, and the number of records that have it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Share {
    value: String,
    count: u64,
}

/// The records of a year.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Year {
    year: i32,
    count: u64,
    /// Null for an entity type without a value.
    total_value: Option<Money>,
}

pub(crate) fn shares(counts: FacetBuckets) -> Vec<Share> {
    let share = |bucket: FacetBucket| Share {
        value: bucket.value,
        count: bucket.count,
    };
    counts.buckets.into_iter().map(share).collect()
}

/// The years, oldest first.
pub(crate) fn years(counts: FacetBuckets, has_value: bool) -> Vec<Year> {
    let year = |bucket: FacetBucket| {
        Some(Year {
            year: bucket.value.parse().ok()?,
            count: bucket.count,
            total_value: has_value.then_some(bucket.total_value),
        })
    };
    let mut years: Vec<Year> = counts.buckets.into_iter().filter_map(year).collect();
    years.sort_by_key(|year| year.year);
    years
}
