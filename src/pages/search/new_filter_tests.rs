//! A new filter is one row of the parameter table, one line of a schema and its texts; what is left out is found here.

use std::collections::BTreeSet;

use serde_json::json;

use crate::{
    api::params::{
        filters::{FilterKind, term},
        param::{Param, describe, filter_rows},
        parse::Case,
        read::read_all,
        search::{FILTERS, SearchParams, TABLE, filter},
    },
    model::{EntityType, Language, Role, Schema, role::RoleStorage},
    pages::{
        messages::Texts,
        search::form::{label, rows},
    },
};

const KIND: FilterKind = FilterKind::OneOf(Role::NoticeType, &["RFP", "RFI"], Case::Any);

/// A table with a filter that searches do not have.
static NEW_TABLE: &[Param<SearchParams>] = &[
    filter("vendor", "The vendor", FilterKind::Part(Role::Vendor)).in_form(2),
    filter("notice_kind", "The kind of notice", KIND).in_form(1),
];

/// A schema that accepts it, with these roles.
fn schema(roles: &str) -> Schema {
    let file = format!(
        r#"{{"entity_type":"award","doc_mapping":{{"field_mappings":[
        {{"name":"kind","type":"text","label_en":"","label_fr":"","group":"key","description":""}}
        ]}},"roles":{{{roles}}},"parameters":["notice_kind"]}}"#
    );
    Schema::parse(EntityType::Award, &file).unwrap()
}

#[test]
fn a_row_and_a_line_of_a_schema_make_a_filter() {
    let read = |query: &str| read_all::<SearchParams>(NEW_TABLE, query);
    let conditions = read("notice_kind=rfp")
        .unwrap()
        .filters
        .conditions(filter_rows(NEW_TABLE))
        .unwrap();
    assert_eq!(conditions.len(), 1);
    assert_eq!(conditions[0].filter, term(Role::NoticeType, "rfp".to_owned()));
    assert_eq!(conditions[0].parameters, ["notice_kind"]);
    assert!(conditions[0].has_field(&schema(r#""notice_type":["kind"]"#)));
    assert!(!conditions[0].has_field(&schema("")));
    for (query, detail) in [
        ("notice_kind=x", "parameter 'notice_kind': 'x' is not one of RFP, RFI"),
        (
            "notice_kind=RFI&notice_kind=RFP",
            "parameter 'notice_kind': given twice; give it once",
        ),
        (
            "notice_kin=x",
            "unknown parameter 'notice_kin'; nearest is 'notice_kind'",
        ),
    ] {
        assert_eq!(read(query).unwrap_err().detail, detail);
    }
    let described = describe(NEW_TABLE);
    let described = described.iter().find(|row| row.name == "notice_kind").unwrap();
    assert_eq!(described.schema["anyOf"][0], json!({"enum": ["RFP", "RFI"]}));
    assert_eq!(
        rows(NEW_TABLE, &schema(r#""notice_type":["kind"]"#)),
        [("notice_kind", KIND)]
    );
    assert_eq!(rows(NEW_TABLE, &schema("")), []);
    assert!(NEW_TABLE.iter().all(Param::selects));
}

/// Whether both engines can compare keys that are stored like this.
fn is_searchable(kind: FilterKind) -> bool {
    let storage = kind.role().storage();
    match kind {
        FilterKind::Municipality | FilterKind::Whole(_) | FilterKind::OneOf(..) => {
            matches!(storage, RoleStorage::Key | RoleStorage::Name)
        }
        FilterKind::Start(_)
        | FilterKind::Part(_)
        | FilterKind::Name(..)
        | FilterKind::Commodity
        | FilterKind::Party(_) => storage == RoleStorage::Name,
        FilterKind::From(_) | FilterKind::To(_) => storage == RoleStorage::Day,
        FilterKind::AtLeast | FilterKind::AtMost => storage == RoleStorage::Amount,
    }
}

#[test]
fn every_filter_is_searchable_and_shown_on_the_pages() {
    let filters: Vec<_> = TABLE.iter().filter_map(|row| Some((row, row.filter()?))).collect();
    assert_eq!(filters.len() + 1, FILTERS.len(), "the filters and q select records");
    let places: BTreeSet<u8> = filters.iter().map(|(row, _)| row.form_place).collect();
    assert!(places.len() == filters.len() && !places.contains(&0), "{places:?}");
    for (row, kind) in filters {
        let name = row.name;
        assert!(
            is_searchable(kind),
            "{name}: no engine compares such keys with {kind:?}"
        );
        let schemas = EntityType::ALL.map(Schema::of).into_iter();
        let accepting: Vec<_> = schemas.filter(|schema| schema.accepts(name)).collect();
        assert!(
            accepting.iter().any(|schema| schema.has_role(kind.role())),
            "no entity type has a field for {name}"
        );
        for t in Language::ALL.map(Texts::of) {
            assert!(t.has("search-condition-", name), "{name} has no text as a condition");
            for schema in &accepting {
                assert!(t.has("search-field-", label(schema, name)), "{name} has no label");
            }
            let FilterKind::OneOf(_, values, _) = kind else {
                continue;
            };
            for value in values {
                assert!(t.has(&format!("search-{name}-"), value), "{name}: {value} has no text");
            }
        }
        for schema in accepting {
            let is_in_form = rows(TABLE, schema).iter().any(|(shown, _)| *shown == name);
            assert_eq!(
                is_in_form,
                schema.has_role(kind.role()),
                "{name} of {}",
                schema.entity_type
            );
        }
    }
}
