//! Counts by value and by year, which several responses have.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::analysis::supplier_counts::SupplierCount,
    engine::aggregation::{FacetBucket, FacetBuckets, Money},
};

/// A value, and the number of records that have it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Share {
    pub(crate) value: String,
    pub(crate) count: u64,
    /// Of a supplier or a body, whose `value` is its identifier (of a bidder that is known by its bids alone, its
    /// name): the chosen one of its names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(crate) name: Option<String>,
    /// Of a supplier or a body: how many of its names the records have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub(crate) names: Option<u64>,
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
        ..Share::default()
    };
    counts.buckets.into_iter().map(share).collect()
}

impl From<SupplierCount> for Share {
    fn from(supplier: SupplierCount) -> Share {
        Share {
            value: supplier.id,
            count: supplier.count,
            name: Some(supplier.name),
            names: Some(supplier.names),
        }
    }
}

/// How many of the records have no date, so that no year counts them.
pub(crate) fn undated(records: u64, years: &[Year]) -> u64 {
    records.saturating_sub(years.iter().map(|year| year.count).sum())
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
