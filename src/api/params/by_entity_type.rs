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
        ("ending", SortKey::EndDate, schema.has_role(Role::EndDate)),
        ("relevance", SortKey::Relevance, true),
    ];
    let valid = all.into_iter().filter(|(_, _, has_field)| *has_field);
    valid.map(|(name, key, _)| (name, key)).collect()
}

/// The values of `facets` for an entity type.
pub(crate) fn facets_of(schema: &Schema) -> Vec<Facet> {
    let all = [
        (Facet::Status, schema.has_role(Role::Status)),
        (Facet::Category, schema.has_role(Role::Category)),
        (Facet::Municipality, schema.has_role(Role::Municipality)),
        (Facet::NamedDepartment, schema.has_role(Role::Department)),
        (Facet::Body, schema.has_role(Role::Department)),
        (Facet::Vendor, schema.has_role(Role::Vendor)),
        (Facet::Supplier, schema.has_role(Role::Vendor)),
        (Facet::Year, schema.has_role(Role::Date)),
        (Facet::Commodity, schema.has_role(Role::Commodity)),
        (Facet::QualityFlag, schema.has_role(Role::QualityFlag)),
        (Facet::Currency, schema.field("currency").is_some()),
        (Facet::Competition, schema.has_role(Role::Competition)),
        (Facet::GovernmentLevel, schema.has_role(Role::GovernmentLevel)),
        (Facet::BodyClass, schema.has_role(Role::BodyClass)),
    ];
    let valid = all.into_iter().filter(|(_, has_field)| *has_field);
    valid.map(|(facet, _)| facet).collect()
}

/// The names of [`sorts`]. Without `q`, nothing can be sorted by relevance.
pub(crate) fn sort_names(schema: &Schema, has_text: bool) -> Vec<&'static str> {
    let valid = sorts(schema).into_iter();
    let valid = valid.filter(|(_, key)| has_text || *key != SortKey::Relevance);
    valid.map(|(name, _)| name).collect()
}

/// The JSON schema of `sort_by`. An endpoint without `q` cannot sort by relevance.
pub(crate) fn sort_by_schema(schema: &Schema, has_text: bool) -> Json {
    json!({"type": "string", "enum": sort_names(schema, has_text)})
}

/// The description of `sort_by`: only what the entity type can be sorted by.
pub(crate) fn sort_by_about(schema: &Schema, has_text: bool) -> String {
    let about = |name: &'static str| match name {
        "published" => "`published` (the day of publication)",
        "date" => "`date` (of the event)",
        "value" => "`value`",
        "closing" => "`closing` (the last day for bids)",
        "ending" => "`ending` (the last day of the contract or offer)",
        "relevance" => "`relevance` (with `q`: the best matches first)",
        other => other,
    };
    let parts: Vec<&str> = sort_names(schema, has_text).into_iter().map(about).collect();
    parts.join(", ")
}

/// The JSON schema of `facets`.
pub(crate) fn facets_schema(schema: &Schema, _: bool) -> Json {
    let names: Vec<&str> = facets_of(schema).into_iter().map(Facet::name).collect();
    json!({"type": "string", "pattern": list_pattern(&names)})
}

/// The pattern of a list of names separated by commas. Such a list is not an array: many client generators send an
/// array as a repeated parameter.
pub(crate) fn list_pattern(names: &[&str]) -> String {
    let name = format!(" *({})? *", names.join("|"));
    format!("^{name}(,{name})*$")
}
