//! Aggregations over all matches: the codes of each facet are counted in an array, which then gives
//! the values.
//!
//! Each facet is one pass over memory: its codes are in document order, and so are the matches.
//! Nothing is hashed and no record is read. The facets of many matches are counted in parallel.

use std::{collections::BTreeMap, ops::Range};

use tantivy::DocId;

use super::{
    collect::collect_all, compiled_query::CompiledQuery, entity_index::EntityIndex, facet_columns::Codes,
    helper_threads,
};
use crate::{
    engine::{
        aggregation::{
            Aggregation, FacetBuckets, Money, PERCENTS, TermsAggregation, ValueAggregation, ValueDistribution,
            ValueStats, nearest_rank,
        },
        deadline::Deadline,
        error::Error,
        facet_values::{FacetValues, Sum},
    },
    model::{Facet, Role},
};

/// The matching documents, in their order.
pub(crate) enum MatchingDocuments {
    Range(Range<DocId>),
    List(Vec<DocId>),
}

impl MatchingDocuments {
    pub(crate) fn of(query: &CompiledQuery) -> Result<MatchingDocuments, Error> {
        if !query.has_sets() && !query.has_predicates() {
            return Ok(MatchingDocuments::Range(query.documents.clone()));
        }
        let mut list = Vec::new();
        collect_all(query, |document| list.push(document))?;
        Ok(MatchingDocuments::List(list))
    }

    fn len(&self) -> usize {
        match self {
            MatchingDocuments::Range(range) => range.len(),
            MatchingDocuments::List(list) => list.len(),
        }
    }

    fn get(&self, index: usize) -> Option<DocId> {
        match self {
            MatchingDocuments::Range(range) => range.clone().nth(index),
            MatchingDocuments::List(list) => list.get(index).copied(),
        }
    }

    /// How many matches are before a document.
    fn count_before(&self, end: DocId) -> usize {
        match self {
            MatchingDocuments::Range(range) => range.end.min(end).saturating_sub(range.start) as usize,
            MatchingDocuments::List(list) => list.partition_point(|document| *document < end),
        }
    }

    pub(crate) fn for_each(&self, visit: impl FnMut(DocId)) {
        match self {
            MatchingDocuments::Range(range) => range.clone().for_each(visit),
            MatchingDocuments::List(list) => list.iter().copied().for_each(visit),
        }
    }

    pub(crate) fn for_each_code(&self, codes: &Codes, visit: impl FnMut(u32)) {
        match self {
            MatchingDocuments::Range(range) => codes.for_each(range.clone(), visit),
            MatchingDocuments::List(list) => codes.for_each(list.iter().copied(), visit),
        }
    }
}

pub(crate) fn aggregate(
    index: &EntityIndex,
    documents: &MatchingDocuments,
    terms: &[TermsAggregation],
    value_aggregation: ValueAggregation,
    deadline: &Deadline,
) -> Result<Aggregation, Error> {
    deadline.check()?;
    let values = match value_aggregation {
        ValueAggregation::None => None,
        ValueAggregation::Sum | ValueAggregation::Percentiles => index.dollars_of(|visit| documents.for_each(visit)),
    };
    let is_by_currency = terms.iter().any(|terms| terms.facet == Facet::Currency);
    let in_currency = if values.is_some() && is_by_currency && index.has_foreign_values() {
        index.values_of(|visit| documents.for_each(visit))
    } else {
        None
    };
    let count = |terms: &TermsAggregation| {
        deadline.check()?;
        let values = match terms.facet {
            // Each currency is summed for itself.
            Facet::Currency => in_currency.as_deref().or(values.as_deref()),
            _ => values.as_deref(),
        };
        let buckets = match index.facet(terms.facet) {
            Some((codes, facet)) => count_facet(codes, facet, documents, values, terms.size),
            None => FacetBuckets::default(),
        };
        Ok((terms.facet, buckets))
    };
    let facets: BTreeMap<Facet, FacetBuckets> = if documents.len() < PARALLEL {
        terms.iter().map(count).collect::<Result<_, Error>>()?
    } else {
        helper_threads::map(terms, count)?.into_iter().collect()
    };
    deadline.check()?;
    // The newest come first, those without a date last.
    let dated = documents.count_before(index.dated);
    let date = |number: usize| {
        let document = documents.get(number).filter(|_| number < dated)?;
        index.date(Role::Date, document)
    };
    Ok(Aggregation {
        total: documents.len() as u64,
        earliest_date: dated.checked_sub(1).and_then(date),
        latest_date: date(0),
        facets,
        values: values.map(|values| value_stats(values, value_aggregation)),
    })
}

/// From this many matches on, counting a facet takes longer than starting a thread for it.
const PARALLEL: usize = 50_000;

fn count_facet(
    codes: &Codes,
    facet: &FacetValues,
    documents: &MatchingDocuments,
    values: Option<&[f64]>,
    size: usize,
) -> FacetBuckets {
    let mut sum_of_code = vec![Sum::default(); facet.code_count()];
    let mut values = values.unwrap_or(&[]).iter();
    documents.for_each_code(codes, |code| {
        sum_of_code[code as usize].add_record(values.next());
    });
    facet.buckets(&sum_of_code, size)
}

fn value_stats(mut values: Vec<f64>, aggregation: ValueAggregation) -> ValueStats {
    values.retain(|value| !value.is_nan());
    let mut total_value = Money::default();
    for value in &values {
        total_value.add(Money::of(*value));
    }
    ValueStats {
        records_with_value: values.len() as u64,
        total_value,
        distribution: match aggregation {
            ValueAggregation::Percentiles => distribution(&mut values, total_value),
            ValueAggregation::None | ValueAggregation::Sum => None,
        },
    }
}

/// `None` without a single value.
fn distribution(values: &mut [f64], total_value: Money) -> Option<ValueDistribution> {
    let size = values.len();
    let min = values.iter().copied().min_by(f64::total_cmp)?;
    let max = values.iter().copied().max_by(f64::total_cmp)?;
    let mut percentiles = [0.0; PERCENTS.len()];
    let mut from = 0;
    for (percent, percentile) in PERCENTS.into_iter().zip(&mut percentiles) {
        // Everything before the last percentile is smaller and need not be partitioned again.
        let index = nearest_rank(percent, size);
        let (_, value, _) = values[from..].select_nth_unstable_by(index - from, f64::total_cmp);
        *percentile = *value;
        from = index;
    }
    Some(ValueDistribution {
        min,
        max,
        mean: total_value.dollars() / size as f64,
        percentiles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_is_that_of_the_sorted_values() {
        for size in 1..40 {
            let mut values: Vec<f64> = (0..size).map(|n| f64::from((n * 37) % 11) - 3.0).collect();
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let found = distribution(&mut values, Money::default()).unwrap();
            assert_eq!((found.min, found.max), (sorted[0], sorted[sorted.len() - 1]));
            assert_eq!(
                found.percentiles,
                PERCENTS.map(|percent| sorted[nearest_rank(percent, sorted.len())])
            );
        }
        assert_eq!(distribution(&mut [], Money::default()), None);
    }
}
