//! What a sentence of a page states of the first record of a search, such as its value and its supplier.

use crate::{
    catalog::ask::Ask,
    engine::Error,
    http::error::ApiError,
    model::{Record, Schema},
    query::SearchQuery,
};

/// Two amounts in dollars are equal if they differ by less.
pub(crate) const CENT: f64 = 0.01;

/// What `read` states of the first record of a search. `None` without a record, and if finding it takes too long.
pub(crate) fn of_first<T>(
    ask: &Ask,
    query: &SearchQuery,
    read: impl FnOnce(&Record) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    let records = match ask.first(query, 1) {
        Err(Error::Timeout) => return Ok(None),
        records => records?,
    };
    let schema = Schema::of(query.entity_type);
    let record = records.first().and_then(|record| Record::parse(schema, record).ok());
    Ok(record.as_ref().and_then(read))
}
