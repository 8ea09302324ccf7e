//! What the figures about a market are computed from.
//!
//! Every vendor of the matches is a bucket with its sum and its years. A search may have a limited
//! number of buckets, so the vendors are cut into ranges of codes, each a search of its own.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::{
    aggregation_results::{AggregationResults, unreadable},
    counts::{
        MAX_BUCKETS, SEARCHES, TermsResult, add_counts, all_codes, bucket_sum, codes_from, entry_buckets, jobs,
        read_counts, read_sum, sums,
    },
    mapping::{facet_field, parse_facet_code, record},
    query::{CompiledQuery, exists, term},
    response::SearchResponse,
    searcher::Searcher,
};
use crate::{
    engine::{
        aggregation::{Money, TermsAggregation},
        error::Error,
        facet_values::FacetValues,
        market_counts::MarketCounts,
    },
    model::{Facet, Role, Schema},
};

/// Names of aggregations.
const WITH_VENDOR: &str = "with_vendor";
const CURRENT: &str = "current";
const ORIGINAL: &str = "original";
const VENDORS: &str = "vendors";
const YEARS: &str = "years";

pub(crate) fn market(searcher: &Searcher, query: &CompiledQuery) -> Result<MarketCounts, Error> {
    let mut counts = MarketCounts::default();
    count_records(searcher, query, &mut counts)?;
    count_vendors(searcher, query, &mut counts)?;
    Ok(counts)
}

/// Everything that needs no bucket for a vendor.
fn count_records(searcher: &Searcher, query: &CompiledQuery, counts: &mut MarketCounts) -> Result<(), Error> {
    let schema = Schema::of(searcher.index.entity_type);
    let bids = TermsAggregation::all(Facet::Bids).without_sums();
    // A number of bids is one of a few hundred: all are in one search.
    let jobs = jobs(searcher, &[bids]);
    let mut aggregations = Map::new();
    for job in &jobs {
        add_counts(&mut aggregations, job, true);
    }
    if schema.has_role(Role::Value) {
        let named = CompiledQuery::default().exclude(term(record::FOREIGN, true));
        let named = named.require(exists(&facet_field(Facet::Vendor)));
        let filter = named.require(exists(Role::Value.name())).to_json();
        aggregations.insert(WITH_VENDOR.to_owned(), json!({ "filter": filter }));
    }
    if schema.has_role(Role::OriginalValue) {
        for (name, amount) in [(CURRENT, record::VALUE), (ORIGINAL, record::ORIGINAL_VALUE)] {
            let sums = json!({ "filter": term(record::AMENDABLE, true), "aggs": sums(amount) });
            aggregations.insert(name.to_owned(), sums);
        }
    }
    let results = searcher.search(&query.aggregate(aggregations))?.aggregations;
    if results.has(WITH_VENDOR) {
        counts.with_vendor = documents(&results.read(WITH_VENDOR)?)?;
    }
    if results.has(CURRENT) {
        let (current, original): (AggregationResults, AggregationResults) =
            (results.read(CURRENT)?, results.read(ORIGINAL)?);
        counts.growth.records = documents(&current)?;
        counts.growth.current = read_sum(&current)?;
        counts.growth.original = read_sum(&original)?;
    }
    let Some(values) = searcher.index.values(Facet::Bids) else {
        return Ok(());
    };
    for job in &jobs {
        let counted = read_counts(job, &results)?;
        for bucket in entry_buckets(values, &[counted], usize::MAX)?.buckets {
            counts.add_bids(&bucket.value, bucket.count);
        }
    }
    Ok(())
}

/// The number of documents that a filter aggregation has.
fn documents(filtered: &AggregationResults) -> Result<u64, Error> {
    filtered.read("doc_count")
}

fn count_vendors(searcher: &Searcher, query: &CompiledQuery, counts: &mut MarketCounts) -> Result<(), Error> {
    let vendors = searcher.index.codes(Facet::Vendor);
    let has_values = Schema::of(searcher.index.entity_type).has_role(Role::Value);
    let years = searcher.index.values(Facet::Year);
    let year_count = years.map_or(0, FacetValues::code_count);
    let year_of_code: Vec<Option<i32>> = years.map_or_else(Vec::new, |values| {
        let year = |code: u32| values.name(values.values_of_code(code).first()?).parse().ok();
        (0..values.code_count() as u32).map(year).collect()
    });
    // A vendor has a bucket for itself and up to one for each year.
    let step = (MAX_BUCKETS / (1 + year_count)).max(1);
    let ranges: Vec<Range<usize>> = (0..vendors)
        .step_by(step)
        .map(|first| first..vendors.min(first + step))
        .collect();
    let is_whole = ranges.len() <= 1;
    let mut sums: Vec<Money> = Vec::new();
    for ranges in ranges.chunks(SEARCHES) {
        let searches = ranges.iter().map(|range| {
            let query = query.clone();
            let query = if is_whole {
                query
            } else {
                query.require(codes_from(Facet::Vendor, range.start, range.len()))
            };
            vendor_search(&query, range.len(), year_count, has_values)
        });
        for response in searcher.multi_search(searches.collect())? {
            read_vendors(&response, &year_of_code, counts, &mut sums)?;
        }
    }
    counts.set_vendor_sums(sums);
    Ok(())
}

fn vendor_search(query: &CompiledQuery, vendors: usize, years: usize, has_values: bool) -> Value {
    let mut of_vendor = if has_values { sums(record::VALUE) } else { Map::new() };
    if years > 0 {
        of_vendor.insert(YEARS.to_owned(), all_codes(Facet::Year, years));
    }
    let mut of_vendors = all_codes(Facet::Vendor, vendors);
    of_vendors["aggs"] = of_vendor.into();
    query.aggregate(json!({ VENDORS: of_vendors }))
}

fn read_vendors(
    response: &SearchResponse,
    year_of_code: &[Option<i32>],
    counts: &mut MarketCounts,
    sums: &mut Vec<Money>,
) -> Result<(), Error> {
    let found: TermsResult = response.aggregations.read(VENDORS)?;
    found.check(VENDORS)?;
    for vendor in &found.buckets {
        sums.push(bucket_sum(vendor)?.total_value);
        let mut first: Option<i32> = None;
        for bucket in vendor.years.iter().flat_map(|years| &years.buckets) {
            let code = parse_facet_code(&bucket.key);
            let code = code.ok_or_else(|| unreadable(format!("'{}' is not a code", bucket.key)))?;
            let Some(year) = year_of_code.get(code as usize).copied().flatten() else {
                continue;
            };
            *counts.vendors_by_year.entry(year).or_default() += 1;
            first = Some(first.map_or(year, |first| first.min(year)));
        }
        if let Some(first) = first {
            *counts.new_vendors.entry(first).or_default() += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::opensearch::response::HitList;

    #[test]
    fn the_vendors_of_a_response_are_counted_by_year() {
        let aggregations = r#"{"vendors":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[
            {"key":"00000000","doc_count":3,"value_dollars":{"value":10.0},"years":{"sum_other_doc_count":0,"buckets":[
                {"key":"00000001","doc_count":2},{"key":"00000000","doc_count":1}]}},
            {"key":"00000007","doc_count":1,"value_dollars":{"value":30.0},"years":{"sum_other_doc_count":0,"buckets":[
                {"key":"00000001","doc_count":1}]}},
            {"key":"00000009","doc_count":1,"value_dollars":{"value":0.0},"years":{"sum_other_doc_count":0,"buckets":[]}}]}}"#;
        let response = SearchResponse {
            hits: HitList::default(),
            aggregations: serde_json::from_str(aggregations).unwrap(),
        };
        let (mut counts, mut sums) = (MarketCounts::default(), Vec::new());
        read_vendors(&response, &[Some(2020), Some(2021)], &mut counts, &mut sums).unwrap();
        assert_eq!(sums, [10.0, 30.0, 0.0].map(Money::of));
        assert_eq!(Vec::from_iter(counts.vendors_by_year), [(2020, 1), (2021, 2)]);
        assert_eq!(Vec::from_iter(counts.new_vendors), [(2020, 1), (2021, 1)]);
    }

    #[test]
    fn every_vendor_of_a_range_is_a_bucket() {
        let search = vendor_search(&CompiledQuery::default(), 16, 3, true);
        let vendors = &search["aggs"]["vendors"];
        assert_eq!(
            vendors["terms"],
            json!({ "field": "facet_vendor", "size": 16, "shard_size": 17 })
        );
        assert_eq!(vendors["aggs"]["years"]["terms"]["size"], 3);
        assert_eq!(
            vendors["aggs"]["value_dollars"],
            json!({ "sum": { "field": "value_dollars" } })
        );
        let without = vendor_search(&CompiledQuery::default(), 16, 0, false);
        assert_eq!(without["aggs"]["vendors"]["aggs"], json!({}));
    }
}
