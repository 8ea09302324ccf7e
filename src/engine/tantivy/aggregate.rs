//! Aggregations over all matches: the codes of each facet are counted in an array, which then gives
//! the values.
//!
//! The matches are read in blocks, and all that is counted of a block is counted before the next one is read. Nothing
//! is hashed and no record is read. Only matches whose facets are summed after counting are listed. Several threads
//! share the blocks of many matches.

use std::sync::{Mutex, PoisonError};

use tantivy::DocId;

use super::{
    amounts::fitting,
    compiled_query::CompiledQuery,
    entity_index::EntityIndex,
    facet_columns::Codes,
    match_blocks::{PART, tallied},
    sort_order::SortOrder,
    tally::{FacetTally, Tally},
    value_distribution::{RankSet, distribution},
};
use crate::{
    engine::{
        aggregation::{Aggregation, FacetBuckets, Money, TermsAggregation, ValueAggregation, ValueStats},
        error::Error,
        facet_values::{FacetValues, Sum},
        helper_threads,
    },
    model::{Facet, Role},
    query::SortKey,
};

/// The amounts that do not fit into millionths, in document order.
type Large = [(DocId, Money)];

pub(crate) fn aggregate(
    index: &EntityIndex,
    query: &CompiledQuery,
    terms: &[TermsAggregation],
    values: ValueAggregation,
) -> Result<Aggregation, Error> {
    query.check()?;
    let tally = count(query, || Tally::new(index, terms, values))?;
    let date = |document: DocId| index.date(Role::Date, document);
    let mut aggregation = Aggregation {
        total: tally.total,
        // The newest come first, those without a date last.
        earliest_date: tally.ends.last_dated.and_then(date),
        latest_date: tally.ends.first.and_then(date),
        ..Aggregation::default()
    };
    let (mut large, mut large_in_currency) = (Vec::new(), Vec::new());
    if let Some(mut values) = tally.values {
        large_in_currency = values.in_currency.take().unwrap_or_default().into_large();
        let (count, millionths) = (values.amounts.count(), values.amounts.total());
        large = values.amounts.into_large();
        let mut total_value = Money::from_parts(millionths, 0.0);
        large.iter().for_each(|(_, amount)| total_value.add(*amount));
        aggregation.values = Some(value_stats(index, count, total_value, values.ranks.as_ref()));
    }
    for facet in terms
        .iter()
        .map(|terms| terms.facet)
        .filter(|facet| *facet != Facet::Body)
    {
        aggregation.facets.insert(facet, FacetBuckets::default());
    }
    let documents = tally.documents.unwrap_or_default();
    for facet in tally.facets {
        let TermsAggregation { facet: name, size, .. } = facet.terms;
        let values = facet.values;
        let is_in_currency = facet.is_in_currency;
        let large = if is_in_currency { &large_in_currency } else { &large };
        if facet.is_counted_first {
            let buckets = most_frequent(index, query, facet, &documents, large)?;
            aggregation.facets.insert(name, buckets);
        } else if name == Facet::Body {
            aggregation.combinations = values.combinations(&sums_of_codes(facet, large));
        } else {
            aggregation
                .facets
                .insert(name, values.buckets(&sums_of_codes(facet, large), size));
        }
    }
    query.check()?;
    Ok(aggregation)
}

/// Counts all matches.
fn count<'a>(query: &CompiledQuery, empty: impl Fn() -> Tally<'a> + Sync) -> Result<Tally<'a>, Error> {
    let mut tally = empty();
    if tally.reads_no_column() && !query.has_sets() && !query.has_predicates() {
        tally.add_range(&query.documents);
        return Ok(tally);
    }
    tallied(query, empty, Tally::add, Tally::merged)
}

/// `ranks` are those of the documents with a value, in the order by value.
fn value_stats(index: &EntityIndex, count: u64, total_value: Money, ranks: Option<&RankSet>) -> ValueStats {
    let by_value = SortOrder::new(index, SortKey::Value);
    ValueStats {
        records_with_value: count,
        total_value,
        distribution: ranks
            .zip(by_value.as_ref())
            .and_then(|(ranks, by_value)| distribution(by_value, ranks, count as usize, total_value)),
    }
}

/// The count and the sum of each code.
fn sums_of_codes(facet: FacetTally, large: &Large) -> Vec<Sum> {
    let counts = facet.counts.into_totals();
    let mut sums: Vec<Sum> = counts
        .into_iter()
        .map(|count| Sum {
            count: count.into(),
            total_value: Money::default(),
        })
        .collect();
    let Some(millionths) = facet.sums else {
        return sums;
    };
    for (sum, millionths) in sums.iter_mut().zip(millionths.into_totals()) {
        sum.total_value = Money::from_parts(millionths, 0.0);
    }
    for (document, amount) in large {
        sums[facet.codes.get(*document) as usize].total_value.add(*amount);
    }
    sums
}

/// Only the values that are returned are summed, once it is known which they are: most codes of many are those of other
/// values, and their amounts are not read.
fn most_frequent(
    index: &EntityIndex,
    query: &CompiledQuery,
    facet: FacetTally,
    documents: &[DocId],
    large: &Large,
) -> Result<FacetBuckets, Error> {
    let (codes, values) = (facet.codes, facet.values);
    let count_of_code = facet.counts.into_totals();
    let mut count_of_value = vec![0_u32; values.len()];
    for (code, count) in (0..).zip(&count_of_code).filter(|(_, count)| **count > 0) {
        for value in values.values_of_code(code).iter() {
            count_of_value[value as usize] += count;
        }
    }
    let found = values.most_frequent(facet.terms.size, |value| count_of_value[value as usize].into());
    if !facet.is_summed_later {
        return Ok(values.buckets_of(found, |_| Money::default()));
    }
    let wanted = found.values.iter().map(|(value, _)| *value);
    let places = PlacesOfCodes::of(values, wanted, count_of_code);
    let millionths = sums_of_places(index, query, codes, &places, documents)?;
    let mut sums: Vec<Money> = millionths.into_iter().map(|sum| Money::from_parts(sum, 0.0)).collect();
    for (document, amount) in large {
        sums[places.of_code(codes.get(*document))].add(*amount);
    }
    Ok(values.buckets_of(found, |value| {
        let mut total = Money::default();
        for code in values.codes_of_value(value).iter() {
            total.add(sums[places.of_code(code)]);
        }
        total
    }))
}

/// The places of the sums of some codes. Place 0 is that of all other codes.
struct PlacesOfCodes {
    place_of_code: Vec<u32>,
    places: u32,
}

impl PlacesOfCodes {
    /// `numbers` is used again; it has one for each code.
    fn of(values: &FacetValues, wanted: impl Iterator<Item = u32>, mut numbers: Vec<u32>) -> PlacesOfCodes {
        numbers.fill(0);
        let mut places = 1;
        for value in wanted {
            for code in values.codes_of_value(value).iter() {
                let place = &mut numbers[code as usize];
                if *place == 0 {
                    *place = places;
                    places += 1;
                }
            }
        }
        PlacesOfCodes {
            place_of_code: numbers,
            places,
        }
    }

    #[inline]
    fn of_code(&self, code: u32) -> usize {
        self.place_of_code[code as usize] as usize
    }
}

/// The sum of the amounts that fit into millionths, for each place; that of place 0 is not computed.
fn sums_of_places(
    index: &EntityIndex,
    query: &CompiledQuery,
    codes: &Codes,
    places: &PlacesOfCodes,
    documents: &[DocId],
) -> Result<Vec<i128>, Error> {
    let all = Mutex::new(vec![0_i128; places.places as usize]);
    let parts: Vec<&[DocId]> = documents.chunks(PART as usize).collect();
    helper_threads::map(&parts, |documents| -> Result<(), Error> {
        query.check()?;
        let mut sums = vec![0_i128; places.places as usize];
        codes.for_each_of_block(documents, |number, code| {
            let place = places.of_code(code);
            if place > 0 {
                let dollars = index
                    .dollars
                    .as_ref()
                    .map_or(0, |dollars| dollars.get(documents[number]));
                sums[place] += i128::from(fitting(dollars));
            }
        });
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter_mut().zip(sums).for_each(|(sum, more)| *sum += more);
        Ok(())
    })?;
    Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
}
