//! Counts of facet values by their codes, exact on any number of shards.
//!
//! Every code of every shard gets a bucket, so that no shard leaves any out. A search may have a
//! limited number of buckets (`search.max_buckets`): facets share searches up to [`MAX_BUCKETS`]; a
//! facet with more codes is cut into ranges of codes, each a search of its own.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    aggregation_results::{AggregationResults, Metric, unreadable},
    mapping::{facet_code, facet_field, parse_facet_code, record},
    searcher::Searcher,
    stored_money,
};
use crate::{
    engine::{
        aggregation::{FacetBuckets, Money, TermsAggregation},
        error::Error,
        facet_values::{FacetValues, Sum},
    },
    model::Facet,
};

/// The maximum number of buckets of one search. The cluster's own limit is 65,535.
pub(crate) const MAX_BUCKETS: usize = 50_000;

/// How many searches with so many buckets one request has. The cluster runs the searches of a request at the
/// same time, and each takes some megabytes of the heap on every node. Of 80,000 vendors, nodes with
/// 512 MB refused twelve together now and then (circuit breaker); three together take as long.
pub(crate) const SEARCHES: usize = 3;

/// The name of the counts of currencies with the sums of other currencies. Each currency is summed
/// for itself: a record has a value in Canadian dollars or in another currency.
const FOREIGN: &str = "foreign_currency";

/// Counts of a range of codes of a facet.
pub(crate) struct CountJob {
    pub(crate) facet: Facet,
    /// The first code; 0 if the search counts all codes.
    first: usize,
    codes: usize,
    /// How many buckets are returned.
    size: usize,
    pub(crate) is_whole: bool,
    /// Whether values are summed, if the entity type has any.
    is_summed: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TermsResult {
    #[serde(default)]
    doc_count_error_upper_bound: i64,
    sum_other_doc_count: u64,
    pub(crate) buckets: Vec<TermsBucket>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TermsBucket {
    pub(crate) key: String,
    doc_count: u64,
    value_millionths: Option<Metric>,
    value_dollars: Option<Metric>,
    value_millions: Option<Metric>,
    value_trillions: Option<Metric>,
    value_implausible: Option<Metric>,
    /// Only where the market is counted.
    pub(crate) years: Option<TermsResult>,
}

impl TermsResult {
    /// Fails unless every count is exact.
    pub(crate) fn check(&self, name: &str) -> Result<(), Error> {
        if self.doc_count_error_upper_bound == 0 {
            return Ok(());
        }
        Err(unreadable(format!("the counts of {name} are not exact")))
    }
}

/// The counts that the facets need. A facet that no record has needs none, and two that count the same entries share
/// theirs.
pub(crate) fn jobs(searcher: &Searcher, terms: &[TermsAggregation]) -> Vec<CountJob> {
    let mut jobs: Vec<CountJob> = Vec::new();
    for TermsAggregation { facet, size, .. } in terms {
        let facet = facet.stored();
        // Of bodies, the values are always summed.
        let is_summed =
            |terms: &TermsAggregation| terms.facet.stored() == facet && (terms.is_summed || terms.facet == Facet::Body);
        if jobs.iter().any(|job| job.facet == facet) {
            continue;
        }
        let codes = searcher.index.codes(facet);
        for first in (0..codes).step_by(MAX_BUCKETS) {
            let in_range = MAX_BUCKETS.min(codes - first);
            jobs.push(CountJob {
                facet,
                first,
                codes: in_range,
                size: match facet {
                    Facet::Vendor => in_range.min(*size).max(1),
                    _ => in_range,
                },
                is_whole: codes <= MAX_BUCKETS,
                is_summed: terms.iter().any(is_summed),
            });
        }
    }
    jobs
}

/// Groups jobs into searches. The first one may be without a job. A range of codes has a search of
/// its own, because its query selects the range.
pub(crate) fn batches(jobs: Vec<CountJob>) -> Vec<Vec<CountJob>> {
    let (mut shared, mut alone): (Vec<Vec<CountJob>>, Vec<Vec<CountJob>>) = (vec![Vec::new()], Vec::new());
    let mut free = MAX_BUCKETS;
    for job in jobs {
        if !job.is_whole {
            alone.push(vec![job]);
            continue;
        }
        // The codes that are only counted are buckets too.
        let counted = if job.size < job.codes { job.codes } else { 0 };
        let buckets = job.size + counted;
        if buckets > free {
            shared.push(Vec::new());
            free = MAX_BUCKETS;
        }
        free = free.saturating_sub(buckets);
        if let Some(batch) = shared.last_mut() {
            batch.push(job);
        }
    }
    shared.extend(alone);
    shared
}

/// The sum of an amount over some documents, named like the fields of [`record::VALUE`].
pub(crate) fn sums(amount: record::Amount) -> Map<String, Value> {
    let fields = record::VALUE.into_iter().zip(amount);
    fields
        .map(|(name, field)| (name.to_owned(), json!({ "sum": { "field": field } })))
        .collect()
}

/// Counts every code of every shard.
pub(crate) fn all_codes(facet: Facet, codes: usize) -> Value {
    // A shard that returns all that it may return could have more, so the cluster would not call the
    // counts exact.
    json!({ "terms": { "field": facet_field(facet), "size": codes, "shard_size": codes + 1 } })
}

pub(crate) fn add_counts(aggregations: &mut Map<String, Value>, job: &CountJob, has_values: bool) {
    let name = job.facet.name();
    let all = all_codes(job.facet, job.codes);
    let mut counts = all.clone();
    counts["terms"]["size"] = job.size.into();
    counts["terms"]["order"] = json!([{ "_count": "desc" }, { "_key": "asc" }]);
    let has_sums = has_values && job.is_summed;
    if has_sums && job.facet != Facet::Vendor {
        counts["aggs"] = sums(record::VALUE).into();
    }
    if has_sums && job.facet == Facet::Currency {
        let mut foreign = counts.clone();
        foreign["aggs"] = sums(record::FOREIGN_VALUE).into();
        aggregations.insert(FOREIGN.to_owned(), foreign);
    }
    aggregations.insert(name.to_owned(), counts);
    if job.size < job.codes {
        aggregations.insert(format!("all_{name}"), all);
        let distinct = json!({ "stats_bucket": { "buckets_path": format!("all_{name}>_count") } });
        aggregations.insert(format!("distinct_{name}"), distinct);
    }
}

pub(crate) fn code_range(job: &CountJob) -> Value {
    codes_from(job.facet, job.first, job.codes)
}

/// A clause that matches so many codes of a facet from the first one on.
pub(crate) fn codes_from(facet: Facet, first: usize, codes: usize) -> Value {
    let code = |number: usize| facet_code(u32::try_from(number).unwrap_or(u32::MAX));
    let range = json!({ "gte": code(first), "lt": code(first + codes) });
    json!({ "range": { facet_field(facet): range } })
}

/// The counts of a range of codes.
pub(crate) struct Counted {
    /// In the order (count descending, code ascending).
    pub(crate) buckets: Vec<(u32, Sum)>,
    pub(crate) distinct: u64,
    /// The sum of the counts of all codes.
    pub(crate) total: u64,
}

pub(crate) fn read_counts(job: &CountJob, results: &AggregationResults) -> Result<Counted, Error> {
    let name = job.facet.name();
    let found: TermsResult = results.read(name)?;
    found.check(name)?;
    let mut buckets = read_buckets(&found.buckets)?;
    if job.facet == Facet::Currency && results.has(FOREIGN) {
        let foreign: TermsResult = results.read(FOREIGN)?;
        for ((_, sum), (_, foreign)) in buckets.iter_mut().zip(read_buckets(&foreign.buckets)?) {
            sum.total_value.add(foreign.total_value);
        }
    }
    let counted: u64 = buckets.iter().map(|(_, sum)| sum.count).sum();
    let distinct = if job.size < job.codes {
        #[derive(Deserialize)]
        struct Stats {
            count: u64,
        }
        results.read::<Stats>(&format!("distinct_{name}"))?.count
    } else {
        buckets.len() as u64
    };
    Ok(Counted {
        buckets,
        distinct,
        total: counted + found.sum_other_doc_count,
    })
}

/// The codes and sums of buckets, in their order.
fn read_buckets(buckets: &[TermsBucket]) -> Result<Vec<(u32, Sum)>, Error> {
    let read = |bucket: &TermsBucket| {
        let code = parse_facet_code(&bucket.key);
        let code = code.ok_or_else(|| unreadable(format!("'{}' is not a code", bucket.key)))?;
        Ok((code, bucket_sum(bucket)?))
    };
    buckets.iter().map(read).collect()
}

pub(crate) fn bucket_sum(bucket: &TermsBucket) -> Result<Sum, Error> {
    let parts = [
        &bucket.value_millionths,
        &bucket.value_dollars,
        &bucket.value_millions,
        &bucket.value_trillions,
        &bucket.value_implausible,
    ];
    let value = |metric: &Option<Metric>| metric.as_ref().and_then(|metric| metric.value).map_or(0.0, |sum| sum.0);
    Ok(Sum {
        count: bucket.doc_count,
        total_value: money(parts.map(value))?,
    })
}

/// The sum that [`sums`] asks for.
pub(crate) fn read_sum(results: &AggregationResults) -> Result<Money, Error> {
    let mut parts = [0.0; stored_money::PARTS + 1];
    for (part, name) in parts.iter_mut().zip(record::VALUE) {
        *part = results.metric(name)?.unwrap_or(0.0);
    }
    money(parts)
}

/// An amount from the sums of its parts; the last one is of implausible amounts.
fn money(sums: [f64; stored_money::PARTS + 1]) -> Result<Money, Error> {
    let [parts @ .., implausible] = sums;
    // Whole numbers are exact in a double up to here.
    if parts.iter().any(|sum| sum.abs() > 9_007_199_254_740_992.0) {
        return Err(unreadable("a sum is too large to be exact"));
    }
    let millionths = stored_money::join(parts.map(|sum| sum as i128));
    Ok(Money::from_parts(millionths, implausible))
}

pub(crate) fn entry_buckets(values: &FacetValues, counted: &[Counted], size: usize) -> Result<FacetBuckets, Error> {
    Ok(values.buckets(&sums_of_codes(values, counted)?, size))
}

pub(crate) fn sums_of_codes(values: &FacetValues, counted: &[Counted]) -> Result<Vec<Sum>, Error> {
    let mut sum_of_code = vec![Sum::default(); values.code_count()];
    for (code, sum) in counted.iter().flat_map(|counted| &counted.buckets) {
        let known = sum_of_code.get_mut(*code as usize);
        *known.ok_or_else(|| unreadable(format!("code {code} is unknown")))? = *sum;
    }
    Ok(sum_of_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(facet: Facet, codes: usize, size: usize) -> CountJob {
        CountJob {
            facet,
            first: 0,
            codes,
            size,
            is_whole: true,
            is_summed: true,
        }
    }

    #[test]
    fn facets_share_searches_up_to_the_limit_of_buckets() {
        let shown = |jobs: Vec<CountJob>| -> Vec<usize> { batches(jobs).iter().map(Vec::len).collect() };
        assert_eq!(shown(Vec::new()), [0]);
        let small = || job(Facet::Status, 10, 10);
        assert_eq!(shown(vec![small(), small()]), [2]);
        let large = || job(Facet::Fields, 30_000, 30_000);
        assert_eq!(shown(vec![small(), large(), large(), small()]), [2, 2]);
        let part = |first: usize| CountJob {
            first,
            is_whole: false,
            ..job(Facet::Vendor, MAX_BUCKETS, 10)
        };
        assert_eq!(shown(vec![part(0), small(), part(MAX_BUCKETS)]), [1, 1, 1]);
    }

    #[test]
    fn a_facet_of_many_codes_is_counted_in_ranges() {
        let job = CountJob {
            facet: Facet::Vendor,
            first: 256,
            codes: 16,
            size: 10,
            is_whole: false,
            is_summed: true,
        };
        assert_eq!(
            code_range(&job),
            json!({ "range": { "facet_vendor": { "gte": "00000100", "lt": "00000110" } } })
        );
        let mut aggregations = Map::new();
        add_counts(&mut aggregations, &job, true);
        let names: Vec<&String> = aggregations.keys().collect();
        assert_eq!(names, ["vendor", "all_vendor", "distinct_vendor"]);
        assert_eq!(aggregations["vendor"]["terms"]["shard_size"], 17);
        assert_eq!(aggregations["all_vendor"]["terms"]["size"], 16);
    }

    #[test]
    fn counts_and_sums_of_a_bucket_are_exact() {
        let results = |error: u32, dollars: &str| {
            let json = format!(
                r#"{{"status":{{"doc_count_error_upper_bound":{error},"sum_other_doc_count":0,"buckets":[
                    {{"key":"0000000a","doc_count":3,"value_millionths":{{"value":500000.0}},"value_dollars":{{"value":{dollars}}},
                      "value_millions":{{"value":0.0}},"value_trillions":{{"value":-1.0}},"value_implausible":{{"value":0.0}}}}]}}}}"#
            );
            serde_json::from_str::<AggregationResults>(&json).unwrap()
        };
        let job = job(Facet::Status, 20, 20);
        let counted = read_counts(&job, &results(0, "1.2E1")).unwrap();
        let [(code, sum)] = counted.buckets[..] else {
            panic!("one bucket");
        };
        assert_eq!((code, sum.count, counted.distinct, counted.total), (10, 3, 1, 3));
        let millionths = 12_500_000 - 1_000_000_000_000_000_000;
        assert_eq!(sum.total_value, Money::from_parts(millionths, 0.0));
        assert!(read_counts(&job, &results(1, "12")).is_err(), "an inexact count");
        assert!(read_counts(&job, &results(0, "1e17")).is_err(), "an inexact sum");
    }
}
