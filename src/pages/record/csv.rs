//! A record, and the records of a solicitation, as files for spreadsheets.

use crate::{
    api::{
        analysis::solicitation::Solicitation,
        export::csv_rows::Rows,
        params::{
            paging::{MAX_LIMIT, limit_applied},
            procurement::TABLE,
            read::{self, read_all},
        },
    },
    http::{error::ApiError, quoted::quoted, work::Work},
    model::{EntityType, Schema},
    pages::{page::PageCall, spreadsheet::file},
};

/// One record: the names of its fields, and one row.
pub(super) fn record(call: &PageCall, entity_type: EntityType, record_id: &str) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let record_id = record_id.to_owned();
    let lang = call.lang;
    let work = Work::search(&call.generation, move |ask| {
        let Some(bytes) = ask.record(entity_type, &record_id)? else {
            let text = format!("no {entity_type} record has the id {}", quoted(&record_id));
            return Err(ApiError::not_found(text));
        };
        let rows = Rows(lang).records(Schema::of(entity_type), std::iter::once(bytes.as_ref()));
        file::reply(entity_type.name(), rows)
    });
    call.validated(work, &(call.path, call.query))
}

/// The records of a solicitation, of every entity type.
pub(super) fn solicitation(call: &PageCall, number: &str) -> Result<Work, ApiError> {
    let longest = MAX_LIMIT.min(call.plan_limits.page_cap.into());
    let asked = Solicitation::new(number, read_all(TABLE, call.query)?, longest, longest);
    let lang = call.lang;
    let work = Work::search(&call.generation, move |ask| {
        let found = asked.find(ask)?;
        if found.is_empty() {
            let text = format!("no record has the solicitation number {}", quoted(&asked.number));
            return Err(ApiError::not_found(text));
        }
        let of_type = found.iter().flat_map(|matches| {
            let records = matches.records.iter();
            records.map(|record| (matches.entity_type, Vec::new(), record.as_ref()))
        });
        let mut reply = file::reply("solicitation", Rows(lang).records_of_several(&[], of_type.collect()))?;
        reply.headers.extend(asked.lowered_limit.map(limit_applied));
        Ok(reply)
    });
    call.validated(work, &(call.path, call.query))
}
