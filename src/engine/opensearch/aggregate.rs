//! Aggregations over all matches.
//!
//! The first round counts everything. A second one reads the sums of the most frequent vendors, and
//! starts to find the percentiles; further rounds find the rest of these. A round is one
//! request.

use serde_json::{Map, Value, json};

use super::{
    aggregation_results::{AggregationResults, unreadable},
    counts::{
        CountJob, Counted, SEARCHES, add_counts, batches, code_range, entry_buckets, jobs, read_counts, read_sum, sums,
        sums_of_codes,
    },
    mapping::record,
    percentiles::{self, Finder},
    query::{CompiledQuery, dates, term},
    response::SearchResponse,
    searcher::{Searcher, total},
    vendor_counts::VendorCounts,
};
use crate::{
    engine::{
        aggregation::{Aggregation, TermsAggregation, ValueAggregation, ValueDistribution, ValueStats},
        error::Error,
    },
    model::{Date, Facet, Role, Schema},
};

/// Names of aggregations.
const DATED: &str = "dated";
const EARLIEST: &str = "earliest";
const LATEST: &str = "latest";
const CANADIAN: &str = "canadian";
const VALUES: &str = "values";
const MIN: &str = "min";
const MAX: &str = "max";
const HINTS: &str = "hints";

pub(crate) fn aggregate(
    searcher: &Searcher,
    query: &CompiledQuery,
    terms: &[TermsAggregation],
    values: ValueAggregation,
) -> Result<Aggregation, Error> {
    let has_values = values != ValueAggregation::None && Schema::of(searcher.index.entity_type).has_role(Role::Value);
    let values_of_type = if has_values { values } else { ValueAggregation::None };
    let batches = batches(jobs(searcher, terms));
    let mut responses = Vec::new();
    for searches in count_searches(query, &batches, values_of_type).chunks(SEARCHES) {
        responses.extend(searcher.multi_search(searches.to_vec())?);
    }
    let Some(response) = responses.first() else {
        return Err(unreadable("there is no response"));
    };
    let first = &response.aggregations;
    let mut aggregation = Aggregation::empty(searcher.index.entity_type, terms, values);
    aggregation.total = total(response)?;
    let dated: AggregationResults = first.read(DATED)?;
    aggregation.earliest_date = date(dated.metric(EARLIEST)?);
    aggregation.latest_date = date(dated.metric(LATEST)?);
    let mut vendors = None;
    for TermsAggregation { facet, size, is_summed } in terms {
        let counted = read_facet(facet.stored(), &batches, &responses)?;
        if *facet == Facet::Vendor {
            vendors = Some(VendorCounts::new(counted, *size, has_values && *is_summed));
        } else if *facet == Facet::Body {
            if let Some(departments) = searcher.index.values(facet.stored()) {
                aggregation.combinations = departments.combinations(&sums_of_codes(departments, &counted)?);
            }
        } else if let Some(values) = searcher.index.values(*facet) {
            let mut buckets = entry_buckets(values, &counted, *size)?;
            // Another aggregation of the same entries may have sums.
            if !is_summed {
                buckets.clear_sums();
            }
            aggregation.facets.insert(*facet, buckets);
        }
    }
    let (mut stats, mut finder) = if has_values {
        read_values(query, first, values)?
    } else {
        (None, None)
    };
    refine(searcher, query, &mut aggregation, vendors, finder.as_mut())?;
    if let (Some(stats), Some(finder)) = (&mut stats, &finder)
        && let Some(distribution) = &mut stats.distribution
    {
        let found = finder.percentiles();
        distribution.percentiles = found.ok_or_else(|| unreadable("a percentile is missing"))?;
    }
    aggregation.values = stats;
    Ok(aggregation)
}

/// The searches of the first round, one for each batch.
fn count_searches(query: &CompiledQuery, batches: &[Vec<CountJob>], values: ValueAggregation) -> Vec<Value> {
    let mut searches = Vec::new();
    for batch in batches {
        let mut aggregations = Map::new();
        if searches.is_empty() {
            add_totals(&mut aggregations, values);
        }
        let mut query = query.clone();
        for job in batch {
            if !job.is_whole {
                query = query.require(code_range(job));
            }
            add_counts(&mut aggregations, job, values != ValueAggregation::None);
        }
        searches.push(json!({
            "query": query.to_json(),
            "size": 0,
            "track_total_hits": true,
            "aggs": aggregations,
        }));
    }
    searches
}

/// The counts of a facet from all searches.
fn read_facet(facet: Facet, batches: &[Vec<CountJob>], responses: &[SearchResponse]) -> Result<Vec<Counted>, Error> {
    let mut counted = Vec::new();
    for (batch, response) in batches.iter().zip(responses) {
        for job in batch.iter().filter(|job| job.facet == facet) {
            counted.push(read_counts(job, &response.aggregations)?);
        }
    }
    Ok(counted)
}

/// The rounds after the first one, until nothing is missing.
fn refine(
    searcher: &Searcher,
    query: &CompiledQuery,
    aggregation: &mut Aggregation,
    mut vendors: Option<VendorCounts>,
    mut finder: Option<&mut Finder>,
) -> Result<(), Error> {
    loop {
        let mut searches = vendors
            .as_ref()
            .map_or_else(Vec::new, |vendors| vendors.searches(query));
        let of_vendors = searches.len();
        if let Some(finder) = finder.as_mut().filter(|finder| finder.percentiles().is_none()) {
            searches.extend(finder.searches());
        }
        if searches.is_empty() && vendors.is_none() {
            return Ok(());
        }
        let responses = searcher.multi_search(searches)?;
        let (of_vendors, of_percentiles) = responses.split_at(of_vendors);
        if let (Some(vendors), Some(values)) = (vendors.take(), searcher.index.values(Facet::Vendor)) {
            aggregation
                .facets
                .insert(Facet::Vendor, vendors.finish(values, of_vendors)?);
        }
        if let Some(finder) = finder.as_mut().filter(|_| !of_percentiles.is_empty()) {
            finder.read(of_percentiles)?;
        }
    }
}

fn add_totals(aggregations: &mut Map<String, Value>, values: ValueAggregation) {
    let (date, value) = (Role::Date.name(), Role::Value.name());
    let dated = json!({
        "filter": dates(Role::Date, None, None),
        "aggs": { EARLIEST: { "min": { "field": date } }, LATEST: { "max": { "field": date } } },
    });
    aggregations.insert(DATED.to_owned(), dated);
    if values == ValueAggregation::None {
        return;
    }
    let mut of_values = sums(record::VALUE);
    of_values.insert(VALUES.to_owned(), json!({ "value_count": { "field": value } }));
    if values == ValueAggregation::Percentiles {
        of_values.insert(MIN.to_owned(), json!({ "min": { "field": value } }));
        of_values.insert(MAX.to_owned(), json!({ "max": { "field": value } }));
        of_values.insert(HINTS.to_owned(), percentiles::hints());
    }
    let canadian = json!({
        "filter": CompiledQuery::default().exclude(term(record::FOREIGN, true)).to_json(),
        "aggs": of_values,
    });
    aggregations.insert(CANADIAN.to_owned(), canadian);
}

/// The statistics of the values in Canadian dollars, and what finds their percentiles if these were
/// requested.
fn read_values(
    query: &CompiledQuery,
    results: &AggregationResults,
    aggregation: ValueAggregation,
) -> Result<(Option<ValueStats>, Option<Finder>), Error> {
    let results: AggregationResults = results.read(CANADIAN)?;
    let records_with_value = results.metric(VALUES)?.map_or(0, |count| count as u64);
    let total_value = read_sum(&results)?;
    let mut stats = ValueStats {
        records_with_value,
        total_value,
        distribution: None,
    };
    if aggregation != ValueAggregation::Percentiles || records_with_value == 0 {
        return Ok((Some(stats), None));
    }
    let (Some(min), Some(max)) = (results.metric(MIN)?, results.metric(MAX)?) else {
        return Err(unreadable("there are values, but no smallest one"));
    };
    stats.distribution = Some(ValueDistribution {
        min,
        max,
        mean: total_value.dollars() / records_with_value as f64,
        percentiles: Default::default(),
    });
    let canadian = query.clone().exclude(term(record::FOREIGN, true));
    let finder = Finder::new(&canadian, records_with_value, min..=max, &results.read(HINTS)?);
    Ok((Some(stats), Some(finder)))
}

fn date(days: Option<f64>) -> Option<Date> {
    Date::from_days(days? as i32)
}
