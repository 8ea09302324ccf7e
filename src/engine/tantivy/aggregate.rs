//! Aggregations over all matches: the codes of each facet are counted in an array, which then gives
//! the values.
//!
//! Each facet is one pass over memory: its codes are in document order, and so are the matches.
//! Nothing is hashed and no record is read. The facets of many matches are counted in parallel.

use std::collections::BTreeMap;

use super::{
    amounts::Amounts, entity_index::EntityIndex, facet_columns::Codes, matching_documents::MatchingDocuments,
    value_distribution::distribution,
};
use crate::{
    engine::{
        aggregation::{
            Aggregation, Combination, FacetBuckets, Money, TermsAggregation, ValueAggregation, ValueStats,
        },
        deadline::Deadline,
        error::Error,
        facet_values::{FacetValues, Sum},
        helper_threads,
    },
    model::{Facet, Role},
};

pub(crate) fn aggregate(
    index: &EntityIndex,
    documents: &MatchingDocuments,
    terms: &[TermsAggregation],
    value_aggregation: ValueAggregation,
    deadline: &Deadline,
) -> Result<Aggregation, Error> {
    deadline.check()?;
    let amounts = match value_aggregation {
        ValueAggregation::None => None,
        ValueAggregation::Sum | ValueAggregation::Percentiles => documents.dollars(index),
    };
    let is_by_currency = terms
        .iter()
        .any(|terms| terms.facet == Facet::Currency && terms.is_summed);
    let in_currency = if amounts.is_some() && is_by_currency && index.has_foreign_values() {
        documents.values(index)
    } else {
        None
    };
    let count = |terms: &TermsAggregation| {
        deadline.check()?;
        let amounts = match terms.facet {
            // Each currency is summed for itself.
            Facet::Currency => in_currency.as_ref().or(amounts.as_ref()),
            _ => amounts.as_ref(),
        };
        let amounts = amounts.filter(|_| terms.is_summed);
        let buckets = match index.facet(terms.facet) {
            Some((codes, facet)) => count_facet(codes, facet, documents, amounts, terms.size),
            None => FacetBuckets::default(),
        };
        Ok((terms.facet, buckets))
    };
    let (of_bodies, terms): (Vec<TermsAggregation>, Vec<TermsAggregation>) =
        terms.iter().partition(|terms| terms.facet == Facet::Body);
    let facets: BTreeMap<Facet, FacetBuckets> = if documents.len() < PARALLEL {
        terms.iter().map(count).collect::<Result<_, Error>>()?
    } else {
        helper_threads::map(&terms, count)?.into_iter().collect()
    };
    deadline.check()?;
    let combinations = if of_bodies.is_empty() {
        Vec::new()
    } else {
        combinations(index, documents, amounts.as_ref())
    };
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
        combinations,
        values: amounts.map(|amounts| value_stats(index, documents, &amounts, value_aggregation)),
    })
}

/// From this many matches on, counting a facet takes longer than starting a thread for it.
const PARALLEL: usize = 50_000;

/// A facet with more codes is counted first, and then only the values that are returned are summed. The counts of so
/// many codes and their sums are in the fastest cache.
const FEW_CODES: usize = 512;

fn count_facet(
    codes: &Codes,
    facet: &FacetValues,
    documents: &MatchingDocuments,
    amounts: Option<&Amounts>,
    size: usize,
) -> FacetBuckets {
    if facet.code_count() > FEW_CODES && size < facet.len() {
        return count_then_sum(codes, facet, documents, amounts, size);
    }
    facet.buckets(&sum_codes(codes, facet, documents, amounts), size)
}

/// The combinations of departments that records name.
fn combinations(index: &EntityIndex, documents: &MatchingDocuments, amounts: Option<&Amounts>) -> Vec<Combination> {
    let Some((codes, departments)) = index.facet(Facet::Body.stored()) else {
        return Vec::new();
    };
    departments.combinations(&sum_codes(codes, departments, documents, amounts))
}

/// Count and sum of each code.
fn sum_codes(codes: &Codes, facet: &FacetValues, documents: &MatchingDocuments, amounts: Option<&Amounts>) -> Vec<Sum> {
    let mut sum_of_code = vec![Sum::default(); facet.code_count()];
    let mut place = 0;
    documents.for_each_code(codes, |code| {
        let sum = &mut sum_of_code[code as usize];
        sum.count += 1;
        if let Some(amount) = amounts.and_then(|amounts| amounts.get(place)) {
            sum.total_value.add(amount);
        }
        place += 1;
    });
    sum_of_code
}

fn count_then_sum(
    codes: &Codes,
    facet: &FacetValues,
    documents: &MatchingDocuments,
    amounts: Option<&Amounts>,
    size: usize,
) -> FacetBuckets {
    let mut count_of_code = vec![0_u32; facet.code_count()];
    documents.for_each_code(codes, |code| count_of_code[code as usize] += 1);
    let mut count_of_value = vec![0_u32; facet.len()];
    for (code, count) in (0..).zip(&count_of_code).filter(|(_, count)| **count > 0) {
        for value in facet.values_of_code(code).iter() {
            count_of_value[value as usize] += count;
        }
    }
    let found = facet.most_frequent(size, |value| count_of_value[value as usize].into());
    // From now on, the place of the sum of each code that is wanted.
    let mut sum_of_code = count_of_code;
    sum_of_code.fill(0);
    let mut sums = vec![Money::default()];
    if let Some(amounts) = amounts {
        for (value, _) in &found.values {
            for code in facet.codes_of_value(*value).iter() {
                let place = &mut sum_of_code[code as usize];
                if *place == 0 {
                    *place = sums.len() as u32;
                    sums.push(Money::default());
                }
            }
        }
        let mut document = 0;
        documents.for_each_code(codes, |code| {
            let place = sum_of_code[code as usize] as usize;
            if place > 0
                && let Some(amount) = amounts.get(document)
            {
                sums[place].add(amount);
            }
            document += 1;
        });
    }
    facet.buckets_of(found, |value| {
        let mut total = Money::default();
        for code in facet.codes_of_value(value).iter() {
            total.add(sums[sum_of_code[code as usize] as usize]);
        }
        total
    })
}

fn value_stats(
    index: &EntityIndex,
    documents: &MatchingDocuments,
    amounts: &Amounts,
    aggregation: ValueAggregation,
) -> ValueStats {
    let total = amounts.total();
    ValueStats {
        records_with_value: total.count,
        total_value: total.total_value,
        distribution: match aggregation {
            ValueAggregation::Percentiles => distribution(index, documents, amounts, total.total_value),
            ValueAggregation::None | ValueAggregation::Sum => None,
        },
    }
}
