//! A record, and the records of a solicitation, as files for spreadsheets.

use crate::{
    http::{
        error::{ApiError, quoted},
        explorer::{
            page::PageCall,
            spreadsheet::{file, rows},
        },
        handlers::procurement,
        params::{
            paging::{MAX_LIMIT, limit_applied},
            procurement::{ProcurementParams, TABLE},
            read::{self, read_all},
        },
        work::Work,
    },
    model::{EntityType, Role, Schema, record::query_key},
};

/// One record: the names of its fields, and one row.
pub(super) fn record(call: &PageCall, entity_type: EntityType, record_id: &str) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let (generation, record_id) = (call.generation.clone(), record_id.to_owned());
    let work = Work::search(move |deadline| {
        let Some(bytes) = generation.engine.record(entity_type, &record_id, deadline)? else {
            let text = format!("no {entity_type} record has the id {}", quoted(&record_id));
            return Err(ApiError::not_found(text));
        };
        let rows = rows::records(Schema::of(entity_type), std::iter::once(bytes.as_ref()));
        file::reply(entity_type.name(), rows)
    });
    call.validated(work, &(call.path, call.query))
}

/// The records of a solicitation, of every entity type.
pub(super) fn solicitation(call: &PageCall, number: &str) -> Result<Work, ApiError> {
    let given: ProcurementParams = read_all(TABLE, call.query)?;
    let longest = MAX_LIMIT.min(call.plan_limits.page_cap.into());
    let requested = given.limit.map_or(longest, |given| given.value);
    let limit = requested.min(longest);
    let buyer = given.department.map(|given| query_key(Role::Department, &given.value));
    let (generation, number) = (call.generation.clone(), number.to_owned());
    let work = Work::search(move |deadline| {
        let found = procurement::find(&generation, &number, buyer.as_deref(), limit, deadline)?;
        if found.is_empty() {
            let text = format!("no record has the solicitation number {}", quoted(&number));
            return Err(ApiError::not_found(text));
        }
        let of_type = found.iter().flat_map(|matches| {
            let records = matches.records.iter();
            records.map(|record| (matches.entity_type, Vec::new(), record.as_ref()))
        });
        let mut reply = file::reply("solicitation", rows::records_of_several(&[], of_type.collect()))?;
        reply.headers.extend((limit < requested).then(|| limit_applied(limit)));
        Ok(reply)
    });
    call.validated(work, &(call.path, call.query))
}
