//! The records of a vendor or of a department as a file for spreadsheets.

use super::figures::kinds;
use crate::{
    http::{
        error::{ApiError, quoted},
        explorer::{page::PageCall, spreadsheet::matching::WantedFile},
        work::Work,
    },
    model::{EntityType, Facet},
    query::Filter,
};

/// The records of one entity type that have exactly this name, as the page counts them. Without `kind`, those that the
/// page shows first.
pub(super) fn records(call: &PageCall, facet: Facet, name: &str) -> Result<Work, ApiError> {
    let wanted = WantedFile::read(call)?;
    let shown = match wanted.kind {
        Some(kind) => vec![kind],
        None => kinds(facet).collect(),
    };
    let lane = WantedFile::lane(&call.generation, shown.first().copied().unwrap_or(EntityType::Contract));
    let (generation, name) = (call.generation.clone(), name.to_owned());
    let work = Work::search(move |deadline| {
        for entity_type in shown {
            let engine = &generation.engine;
            if let Some(named) = engine.resolve_name(entity_type, facet, &name, deadline.clone())? {
                let filter = Filter::FacetValue { facet, key: named.key };
                return wanted.reply(&generation, entity_type, filter, deadline);
            }
        }
        let (what, name) = (facet.name(), quoted(&name));
        Err(ApiError::not_found(format!("no {what} has the name {name}")))
    });
    call.validated(work.in_lane(lane), &(call.path, call.query))
}
