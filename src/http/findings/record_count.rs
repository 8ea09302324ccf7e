//! The number of records that match a search, and the numbers of several searches.

use crate::{
    catalog::generation::Generation,
    engine::{Deadline, Error, aggregation::ValueAggregation},
    query::SearchQuery,
};

/// The number of records that match.
pub(crate) fn count(generation: &Generation, query: &SearchQuery, deadline: &Deadline) -> Result<u64, Error> {
    if query.matches_all() {
        return Ok(generation.manifest_of(query.entity_type).records);
    }
    let none = ValueAggregation::None;
    let counted = generation.engine.aggregate(query, &[], none, deadline.clone())?;
    Ok(counted.total)
}

/// The number of records that match each query, in the order of the queries. The engine counts them together: on a
/// cluster, a request for each of them would take too long.
pub(crate) fn counts(
    generation: &Generation,
    queries: Vec<SearchQuery>,
    deadline: &Deadline,
) -> Result<Vec<u64>, Error> {
    let all = |query: &SearchQuery| generation.manifest_of(query.entity_type).records;
    let mut counts: Vec<u64> = queries.iter().map(all).collect();
    let queries = queries.into_iter().enumerate();
    let (numbers, counted): (Vec<usize>, Vec<SearchQuery>) = queries.filter(|(_, query)| !query.matches_all()).unzip();
    let found = generation.engine.counts(&counted, deadline.clone())?;
    for (number, count) in numbers.into_iter().zip(found) {
        counts[number] = count;
    }
    Ok(counts)
}
