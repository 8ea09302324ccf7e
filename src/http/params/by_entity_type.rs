//! What the records of an entity type can be sorted by and counted by: it depends on the fields the type has.

use serde_json::{Value as Json, json};

use crate::{
    model::{Facet, Role, Schema},
    query::SortKey,
};

/// The values of `sort_by` for an entity type. `published` is another name of its event date if that is the day of
/// publication.
pub(crate) fn sorts(schema: &Schema) -> Vec<(&'static str, SortKey)> {
    let date_field = schema
        .role(Role::Date)
        .first()
        .map(|number| schema.fields[*number].name.as_str());
    let all = [
        ("published", SortKey::Date, date_field == Some("publication_date")),
        ("date", SortKey::Date, true),
        ("value", SortKey::Value, schema.has_role(Role::Value)),
        ("closing", SortKey::ClosingDate, schema.has_role(Role::ClosingDate)),
    ];
    let valid = all.into_iter().filter(|(_, _, has_field)| *has_field);
    valid.map(|(name, key, _)| (name, key)).collect()
}

/// Decision D-33: the values of `facets` for an entity type.
pub(crate) fn facets_of(schema: &Schema) -> Vec<Facet> {
    let all = [
        (Facet::Status, Role::Status),
        (Facet::Category, Role::Category),
        (Facet::Municipality, Role::Municipality),
        (Facet::Department, Role::Department),
        (Facet::Vendor, Role::Vendor),
        (Facet::Year, Role::Date),
    ];
    let valid = all.into_iter().filter(|(_, role)| schema.has_role(*role));
    valid.map(|(facet, _)| facet).collect()
}

/// The JSON schema of `sort_by`.
pub(crate) fn sort_by_schema(schema: &Schema) -> Json {
    let names: Vec<&str> = sorts(schema).into_iter().map(|(name, _)| name).collect();
    json!({"type": "string", "enum": names})
}

/// The JSON schema of `facets`. Not an array: many client generators send an array as a repeated parameter.
pub(crate) fn facets_schema(schema: &Schema) -> Json {
    let names: Vec<&str> = facets_of(schema).into_iter().map(Facet::name).collect();
    let name = format!(" *({})? *", names.join("|"));
    json!({"type": "string", "pattern": format!("^{name}(,{name})*$")})
}
