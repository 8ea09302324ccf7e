//! The value of a tender that states none, estimated from comparable contracts.

use std::time::Instant;

use crate::{
    catalog::{
        estimates::{
            Market,
            answer::{EstimateItem, TenderItem},
            limits::DEFAULT_YEARS_BACK,
        },
        generation::Generation,
    },
    engine::{Deadline, Error},
    model::Date,
};

/// The estimated value in Canadian dollars; `None` if there are too few comparable contracts.
///
/// It never changes for one day and generation, so it is cached. Two threads may compute it at the
/// same time; both get the same value.
pub(crate) fn tender_value(
    generation: &Generation,
    today: Date,
    record_id: &str,
    deadline: &Deadline,
) -> Result<Option<f64>, Error> {
    if let Some(value) = generation.values.get(today, record_id) {
        return Ok(value);
    }
    deadline.check()?;
    let market = generation.market(today, DEFAULT_YEARS_BACK, deadline.clone());
    let begun = Instant::now();
    let value = estimate(&market, record_id)?;
    generation.values.pace.measured(begun.elapsed());
    generation.values.insert(today, record_id, value);
    Ok(value)
}

/// Estimates a tender, without any cache.
pub(crate) fn estimate(market: &Market, record_id: &str) -> Result<Option<f64>, Error> {
    let item = EstimateItem::Tender(TenderItem {
        record_id: record_id.to_owned(),
    });
    Ok(market.estimate(&item)?.estimated_value)
}
