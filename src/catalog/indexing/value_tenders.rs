//! Decision D-153: the values of open tenders are estimated when an index is built, so that the
//! first feeds of a generation need not wait for them.

use rayon::prelude::*;

use crate::{
    catalog::{
        estimates::{Market, calibration::Calibration, limits::DEFAULT_YEARS_BACK},
        feed,
        generation::TenderValues,
        notices::NewestStatuses,
        tender_value::estimate,
        value_cache,
    },
    engine::{Deadline, Engine, Error},
    model::Date,
};

/// Estimates the open tenders of the longest feed that state no value: the newest ones, as many as
/// a server keeps in memory.
pub(super) fn value_open_tenders(
    engine: &dyn Engine,
    calibration: &Calibration,
    newest_statuses: &NewestStatuses,
    today: Date,
) -> Result<TenderValues, Error> {
    let never = Deadline::never();
    let mut tenders = feed::tenders_without_value(engine, newest_statuses, today, &never)?;
    value_cache::truncate_to_a_day(&mut tenders);
    let market = Market {
        engine,
        calibration,
        today,
        years_back: DEFAULT_YEARS_BACK,
        deadline: never,
    };
    let valued = tenders.into_par_iter().map(|record_id| {
        let value = estimate(&market, &record_id)?;
        Ok((record_id, value))
    });
    Ok(TenderValues {
        day: today,
        values: valued.collect::<Result<_, Error>>()?,
    })
}
