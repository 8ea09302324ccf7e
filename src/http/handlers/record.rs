//! `GET /{entity_type}/{record_id}`: the record itself, the bytes it was indexed from.

use crate::{
    http::{
        Call, Reply, Work,
        error::{ApiError, quoted},
        params,
    },
    model::entity_type::EntityType,
};

pub fn get(call: &Call, entity_type: EntityType, record_id: String) -> Result<Work, ApiError> {
    params::none(call.query)?;
    let generation = call.generation.clone();
    Work::pooled(move |_| {
        let record = generation.engine.record(entity_type, &record_id)?;
        let absent = || ApiError::not_found(format!("no {entity_type} record has the id {}", quoted(&record_id)));
        record.map(Reply::from).ok_or_else(absent)
    })
}
