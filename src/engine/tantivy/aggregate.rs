//! Aggregations over all matches: the codes of each facet are counted in an array, which then gives
//! the values.
//!
//! Each facet is one pass over memory: its codes are in document order, and so are the matches.
//! Nothing is hashed and no record is read. The facets of many matches are counted in parallel.

use super::{
    amounts::Amounts,
    counting::{FEW_CODES, count_codes, sum_codes},
    entity_index::EntityIndex,
    facet_columns::Codes,
    matching_documents::MatchingDocuments,
    value_distribution::distribution,
};
use crate::{
    engine::{
        aggregation::{Aggregation, Combination, FacetBuckets, Money, TermsAggregation, ValueAggregation, ValueStats},
        deadline::Deadline,
        error::Error,
        facet_values::FacetValues,
        helper_threads,
    },
    model::{Facet, Role},
};

/// What one thread counts at a time.
enum Part {
    Values,
    Facet(TermsAggregation),
}

enum Counted {
    Values(ValueStats),
    Facet(Facet, FacetBuckets),
    Combinations(Vec<Combination>),
}

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
    let amounts = amounts.as_ref();
    let count = |part: &Part| {
        deadline.check()?;
        Ok(match (part, amounts) {
            (Part::Values, None) => Counted::Values(ValueStats::default()),
            (Part::Values, Some(amounts)) => Counted::Values(value_stats(index, documents, amounts, value_aggregation)),
            (Part::Facet(terms), _) => count_terms(index, documents, terms, amounts),
        })
    };
    // The values take longest, so they are first.
    let values = amounts.map(|_| Part::Values);
    let parts: Vec<Part> = values
        .into_iter()
        .chain(terms.iter().copied().map(Part::Facet))
        .collect();
    let counted: Vec<Counted> = if documents.len() < PARALLEL {
        parts.iter().map(count).collect::<Result<_, Error>>()?
    } else {
        helper_threads::map(&parts, count)?
    };
    deadline.check()?;
    // The newest come first, those without a date last.
    let dated = documents.count_before(index.dated);
    let date = |number: usize| {
        let document = documents.get(number).filter(|_| number < dated)?;
        index.date(Role::Date, document)
    };
    let mut aggregation = Aggregation {
        total: documents.len() as u64,
        earliest_date: dated.checked_sub(1).and_then(date),
        latest_date: date(0),
        ..Aggregation::default()
    };
    for counted in counted {
        match counted {
            Counted::Values(values) => aggregation.values = Some(values),
            Counted::Facet(facet, buckets) => _ = aggregation.facets.insert(facet, buckets),
            Counted::Combinations(combinations) => aggregation.combinations = combinations,
        }
    }
    Ok(aggregation)
}

fn count_terms(
    index: &EntityIndex,
    documents: &MatchingDocuments,
    terms: &TermsAggregation,
    amounts: Option<&Amounts>,
) -> Counted {
    let TermsAggregation { facet, size, is_summed } = *terms;
    if facet == Facet::Body {
        return Counted::Combinations(combinations(index, documents, amounts));
    }
    let amounts = amounts.filter(|_| is_summed);
    let Some((codes, values)) = index.facet(facet) else {
        return Counted::Facet(facet, FacetBuckets::default());
    };
    // Each currency is summed for itself.
    let in_currency = if facet == Facet::Currency && amounts.is_some() && index.has_foreign_values() {
        documents.values(index)
    } else {
        None
    };
    let amounts = in_currency.as_ref().or(amounts);
    Counted::Facet(facet, count_facet(codes, values, documents, amounts, size))
}

/// From this many matches on, counting a facet takes longer than starting a thread for it.
const PARALLEL: usize = 50_000;

/// A facet with more than [`FEW_CODES`] codes is counted first, and then only the values that are returned are summed.
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

fn count_then_sum(
    codes: &Codes,
    facet: &FacetValues,
    documents: &MatchingDocuments,
    amounts: Option<&Amounts>,
    size: usize,
) -> FacetBuckets {
    let count_of_code = count_codes(codes, facet.code_count(), documents);
    let mut count_of_value = vec![0_u32; facet.len()];
    for (code, count) in (0..).zip(&count_of_code).filter(|(_, count)| **count > 0) {
        for value in facet.values_of_code(code).iter() {
            count_of_value[value as usize] += count;
        }
    }
    let found = facet.most_frequent(size, |value| count_of_value[value as usize].into());
    let Some(amounts) = amounts else {
        return facet.buckets_of(found, |_| Money::default());
    };
    // From now on, the place of the sum of each code that is wanted.
    let mut place_of_code = count_of_code;
    place_of_code.fill(0);
    let mut places = 1;
    for (value, _) in &found.values {
        for code in facet.codes_of_value(*value).iter() {
            let place = &mut place_of_code[code as usize];
            if *place == 0 {
                *place = places;
                places += 1;
            }
        }
    }
    let mut millionths = amounts.millionths();
    let mut sums = vec![0_i128; places as usize];
    documents.for_each_code(codes, |code| {
        let place = place_of_code[code as usize] as usize;
        let amount = millionths.next().unwrap_or_default();
        if place > 0 {
            sums[place] += i128::from(amount);
        }
    });
    let mut sums: Vec<Money> = sums.into_iter().map(|sum| Money::from_parts(sum, 0.0)).collect();
    for (document, amount) in amounts.large() {
        sums[place_of_code[codes.get(document) as usize] as usize].add(amount);
    }
    facet.buckets_of(found, |value| {
        let mut total = Money::default();
        for code in facet.codes_of_value(value).iter() {
            total.add(sums[place_of_code[code as usize] as usize]);
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
