//! What a tender is worth that states no value, as comparable contracts tell it.

use bytes::Bytes;

use crate::{
    catalog::{
        generation::Generation,
        market::{
            Market, YEARS_BACK,
            answer::{Asked, AskedRecord},
        },
    },
    engine::{Deadline, Error},
    model::date::Date,
};

/// On one day and generation that never changes, so each is found out once.
pub fn worth(generation: &Generation, today: Date, record_id: &str, deadline: &Deadline) -> Result<Option<f64>, Error> {
    let internal = |error: serde_json::Error| Error::Internal(error.to_string());
    let value = generation.once(&format!("value {today} {record_id}"), || {
        let market = Market::of(generation, today, YEARS_BACK, deadline.clone());
        let record_id = record_id.to_owned();
        let estimates = market.estimate(&[Asked::Record(AskedRecord { record_id })])?;
        let value = estimates.first().and_then(|estimate| estimate.estimated_value);
        serde_json::to_vec(&value).map(Bytes::from).map_err(internal)
    })?;
    serde_json::from_slice(&value).map_err(internal)
}
