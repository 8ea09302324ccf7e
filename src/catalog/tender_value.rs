//! The value of a tender that states none, estimated from comparable contracts.

use bytes::Bytes;

use crate::{
    catalog::{
        generation::Generation,
        market::{
            answer::{EstimateItem, TenderItem},
            limits::DEFAULT_YEARS_BACK,
        },
    },
    engine::{Deadline, Error},
    model::Date,
};

/// The estimated value in Canadian dollars; `None` if there are too few comparable contracts.
///
/// It never changes for one day and generation, so it is computed once and cached.
pub(crate) fn tender_value(
    generation: &Generation,
    today: Date,
    record_id: &str,
    deadline: &Deadline,
) -> Result<Option<f64>, Error> {
    let internal = |error: serde_json::Error| Error::Internal(error.to_string());
    let value = generation.cached(&format!("value {today} {record_id}"), || {
        let market = generation.market(today, DEFAULT_YEARS_BACK, deadline.clone());
        let record_id = record_id.to_owned();
        let estimates = market.estimate(&[EstimateItem::Tender(TenderItem { record_id })])?;
        let value = estimates.first().and_then(|estimate| estimate.estimated_value);
        serde_json::to_vec(&value).map(Bytes::from).map_err(internal)
    })?;
    serde_json::from_slice(&value).map_err(internal)
}
