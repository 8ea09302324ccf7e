//! Counts of vendors, which are many: the cluster returns the most frequent ones and the number of
//! all. The codes of vendors are in the order of their names, so equal counts have the order of the
//! answer. The sums of the most frequent ones are read in a second round.

use std::{cmp::Reverse, collections::HashMap};

use serde_json::{Value, json};

use super::{
    aggregation_results::unreadable,
    counts::{Counted, MAX_BUCKETS, TermsResult, all_codes, bucket_sum, sums},
    mapping::{facet_code, facet_field, parse_facet_code, record},
    query::{CompiledQuery, terms},
    response::SearchResponse,
};
use crate::{
    engine::{
        aggregation::{FacetBucket, FacetBuckets},
        error::Error,
        facet_values::{FacetValues, Sum},
    },
    model::Facet,
};

/// The most frequent vendors, without their sums.
pub(crate) struct VendorCounts {
    top: Vec<(u32, Sum)>,
    distinct: u64,
    /// The sum of the counts of all vendors.
    total: u64,
    has_sums: bool,
}

impl VendorCounts {
    /// From the counts of all ranges of codes.
    pub(crate) fn new(counted: Vec<Counted>, size: usize, has_sums: bool) -> VendorCounts {
        let distinct = counted.iter().map(|counted| counted.distinct).sum();
        let total = counted.iter().map(|counted| counted.total).sum();
        let mut top: Vec<(u32, Sum)> = counted.into_iter().flat_map(|counted| counted.buckets).collect();
        top.sort_unstable_by_key(|(code, sum)| (Reverse(sum.count), *code));
        top.truncate(size);
        VendorCounts {
            top,
            distinct,
            total,
            has_sums,
        }
    }

    /// The searches of the second round. [`VendorCounts::finish`] takes their responses.
    pub(crate) fn searches(&self, query: &CompiledQuery) -> Vec<Value> {
        let codes: Vec<u32> = self.top.iter().map(|(code, _)| *code).collect();
        let summed = if self.has_sums { codes.as_slice() } else { &[] };
        summed
            .chunks(MAX_BUCKETS)
            .map(|codes| sum_search(query, codes))
            .collect()
    }

    pub(crate) fn finish(self, vendors: &FacetValues, responses: &[SearchResponse]) -> Result<FacetBuckets, Error> {
        let sum_of = read_sums(responses)?;
        let mut buckets = Vec::with_capacity(self.top.len());
        for (code, counted) in self.top {
            let mut sum = counted;
            if self.has_sums {
                let found = sum_of.get(&code).filter(|found| found.count == counted.count);
                sum = *found.ok_or_else(|| unreadable("two counts of a vendor differ"))?;
            }
            let is_known = (code as usize) < vendors.code_count();
            let number = is_known.then(|| vendors.values_of_code(code).first()).flatten();
            let number = number.ok_or_else(|| unreadable(format!("no vendor has the code {code}")))?;
            buckets.push(FacetBucket {
                value: vendors.name(number).to_owned(),
                count: sum.count,
                total_value: sum.total_value,
            });
        }
        Ok(FacetBuckets {
            distinct: self.distinct,
            other: self.total - buckets.iter().map(|bucket| bucket.count).sum::<u64>(),
            buckets,
        })
    }
}

/// Counts and sums of some vendors.
fn sum_search(query: &CompiledQuery, codes: &[u32]) -> Value {
    let field = facet_field(Facet::Vendor);
    let keywords: Vec<String> = codes.iter().copied().map(facet_code).collect();
    let mut of_vendors = all_codes(Facet::Vendor, codes.len());
    of_vendors["aggs"] = sums(record::VALUE).into();
    let query = query.clone().require(terms(&field, &keywords));
    query.aggregate(json!({ Facet::Vendor.name(): of_vendors }))
}

fn read_sums(responses: &[SearchResponse]) -> Result<HashMap<u32, Sum>, Error> {
    let mut sums = HashMap::new();
    for response in responses {
        let found: TermsResult = response.aggregations.read(Facet::Vendor.name())?;
        for bucket in &found.buckets {
            if let Some(code) = parse_facet_code(&bucket.key) {
                sums.insert(code, bucket_sum(bucket)?);
            }
        }
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_codes_are_merged_by_count_and_code() {
        let sum = |count: u64| Sum {
            count,
            ..Sum::default()
        };
        let counted = |buckets: &[(u32, u64)], distinct: u64, total: u64| Counted {
            buckets: buckets.iter().map(|(code, count)| (*code, sum(*count))).collect(),
            distinct,
            total,
        };
        let counts = vec![counted(&[(3, 9), (1, 4)], 5, 20), counted(&[(70, 9), (60, 4)], 2, 13)];
        let merged = VendorCounts::new(counts, 3, false);
        let codes: Vec<u32> = merged.top.iter().map(|(code, _)| *code).collect();
        assert_eq!(
            (codes.as_slice(), merged.distinct, merged.total),
            (&[3, 70, 1][..], 7, 33)
        );
        let vendors = FacetValues::new(&[], &[], |_| Vec::new());
        assert!(merged.finish(&vendors, &[]).is_err(), "names are missing");
        let none = VendorCounts::new(Vec::new(), 3, true);
        let none = none.finish(&vendors, &[]).unwrap();
        assert_eq!(none, FacetBuckets::default());
    }
}
