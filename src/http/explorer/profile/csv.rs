//! The records of a vendor or of a department as a file for spreadsheets.

use super::figures::kinds;
use crate::{
    http::{
        error::{ApiError, quoted},
        explorer::{
            department_names::names_facet,
            page::PageCall,
            spreadsheet::matching::{Subject, file_of},
        },
        work::Work,
    },
    model::Facet,
    query::Filter,
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
        entity_types: kinds(facet).collect(),
    };
    let (facet, name) = (names_facet(facet), name.to_owned());
    file_of(call, subject, move |generation, entity_type, deadline| {
        let named = generation
            .engine
            .resolve_name(entity_type, facet, &name, deadline.clone())?;
        Ok(named.map(|named| Filter::FacetValue { facet, key: named.key }))
    })
}
