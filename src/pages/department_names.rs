//! Names of suppliers and departments: the facet that they are looked up by, and departments in the language of the
//! page.

use crate::{
    catalog::ask::Ask,
    http::error::ApiError,
    model::{EntityType, Facet, Language},
};

/// The facet whose values are the names of pages: a department has all records that name it, as a buyer or as a part of
/// one.
pub(crate) fn names_facet(facet: Facet) -> Facet {
    match facet {
        Facet::NamedDepartment => Facet::Department,
        other => other,
    }
}

/// The name of a department in the language of the page, if it is known; otherwise the name that is given, which is
/// English where that is known.
pub(crate) fn department_in(
    ask: &Ask,
    entity_type: EntityType,
    name: String,
    lang: Language,
) -> Result<String, ApiError> {
    if lang == Language::English {
        return Ok(name);
    }
    let named = ask.resolve_name(entity_type, Facet::Department, &name)?;
    Ok(named.and_then(|named| named.name_fr).unwrap_or(name))
}
