//! The number of records that match a search.

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
