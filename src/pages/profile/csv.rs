//! The records of a vendor, of a supplier or of a department as a file for spreadsheets.

use crate::{
    api::analysis::{
        profile::{self, entity_types},
        supplier::{self, find},
    },
    catalog::suppliers::Party,
    http::{error::ApiError, quoted::quoted, work::Work},
    model::Facet,
    pages::{
        department_names::names_facet,
        page::PageCall,
        spreadsheet::record_file::{Subject, file_of},
    },
};

/// The records of one entity type that have exactly this name, as the page counts them. Without `kind`, those that the
/// page shows first.
pub(super) fn records(call: &PageCall, facet: Facet, name: &str) -> Result<Work, ApiError> {
    let subject = Subject {
        what: format!("the {} {}", facet.name(), quoted(name)),
        cure: match facet {
            Facet::Vendor => "find names with /vendors?q=…",
            _ => "find names with /departments?q=…",
        },
        entity_types: entity_types(facet).collect(),
    };
    let (facet, name) = (names_facet(facet), name.to_owned());
    file_of(call, subject, move |ask, entity_type| {
        let named = ask.resolve_name(entity_type, facet, &name)?;
        Ok(named.map(|named| profile::filter(facet, &named)))
    })
}

/// The records of one entity type under all names of a supplier or a body.
pub(super) fn party_records(call: &PageCall, party: Party, id: &str) -> Result<Work, ApiError> {
    let found = find(&call.generation, party, id)?;
    let subject = Subject {
        what: format!("the {} {}", party.noun(), quoted(id)),
        cure: match party {
            Party::Supplier => "find suppliers with /suppliers?q=…",
            Party::Body => "find bodies with /bodies?q=…",
        },
        entity_types: entity_types(party.facet()).collect(),
    };
    file_of(call, subject, move |_, entity_type| {
        let has_records = found.by_entity_type.iter().any(|row| row.entity_type == entity_type);
        Ok(has_records.then(|| supplier::filter(party, &found)))
    })
}
