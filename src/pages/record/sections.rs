//! The fields of a record, grouped as `index-schema` groups them. Members that the schema does not declare are last.

use super::{
    member::Members,
    value::{LabelledValue, Presenter},
};
use crate::model::schema::{FieldGroup, language_of_name};

/// A group of fields that has at least one value.
#[derive(Debug)]
pub(super) struct Section {
    /// The name of the group: an HTML id, and the end of the key of its title.
    pub(super) id: &'static str,
    pub(super) title: String,
    pub(super) rows: Vec<LabelledValue>,
}

/// All groups, in the order of the page.
const GROUPS: [(FieldGroup, &str); 9] = [
    (FieldGroup::Key, "key"),
    (FieldGroup::Description, "description"),
    (FieldGroup::Parties, "parties"),
    (FieldGroup::Procedure, "procedure"),
    (FieldGroup::History, "history"),
    (FieldGroup::Classification, "classification"),
    (FieldGroup::Documents, "documents"),
    (FieldGroup::Numbers, "numbers"),
    (FieldGroup::Source, "source"),
];

/// The group of undeclared members.
const OTHER: &str = "other";

/// The order of the key facts. Fields of the group that are not listed follow, in the order of the schema.
const KEY_FACTS: [&str; 16] = [
    "title",
    "vendor_name",
    "department",
    "buyer_name",
    "contract_value",
    "total_contract_value",
    "currency",
    "award_date",
    "publication_date",
    "closing_date",
    "tender_close_date",
    "start_date",
    "end_date",
    "expiry_date",
    "status",
    "notice_type",
];

/// The sections of a record, without the fields that the page shows in another form.
pub(super) fn sections(presenter: &Presenter, members: &Members, shown_elsewhere: &[&str]) -> Vec<Section> {
    let mut groups: Vec<(Option<FieldGroup>, Members)> = Vec::new();
    for (group, _) in GROUPS {
        groups.push((Some(group), Members::default()));
    }
    groups.push((None, Members::default()));
    for (name, raw) in &members.0 {
        if shown_elsewhere.contains(&&**name) {
            continue;
        }
        let group = presenter.schema.field(name).map(|field| field.group);
        if let Some((_, members)) = groups.iter_mut().find(|(known, _)| *known == group) {
            members.0.push((name.clone(), raw));
        }
    }
    let names = GROUPS.iter().map(|(_, name)| *name).chain([OTHER]);
    let mut sections = Vec::new();
    for ((group, mut members), id) in groups.into_iter().zip(names) {
        if group.is_some() {
            members.0.sort_by_key(|(name, _)| place(presenter, name));
        }
        let mut rows = presenter.rows(&members, 0);
        if group == Some(FieldGroup::Key) {
            // The heading of the page is the title.
            rows.retain(|row| !TITLES.contains(&row.name.as_str()) || row.other.is_some());
            rows.extend(missing_facts(presenter, &rows));
            rows.sort_by_key(|row| place(presenter, &row.name));
        }
        if !rows.is_empty() {
            let title = presenter.t.keyed("record-group-", id);
            sections.push(Section { id, title, rows });
        }
    }
    sections
}

/// The fields of the title.
const TITLES: [&str; 2] = ["title_en", "title_fr"];

/// Facts that every record of an entity type with these fields should have. One field of each row is enough.
const EXPECTED_FACTS: [&[&str]; 4] = [
    &["vendor_name", "supplier_legal_name", "supplier_operating_name"],
    &["department_en", "department_fr", "buyer_name"],
    &["contract_value", "total_contract_value"],
    &["award_date", "publication_date"],
];

/// Rows that state that a key fact is not published: a missing value is never left out.
fn missing_facts(presenter: &Presenter, rows: &[LabelledValue]) -> Vec<LabelledValue> {
    let has = |name: &&str| rows.iter().any(|row| row.name == **name);
    let missing = EXPECTED_FACTS.into_iter().filter(|fields| !fields.iter().any(&has));
    let declared = missing.filter_map(|fields| fields.iter().find(|name| presenter.schema.field(name).is_some()));
    declared.map(|name| presenter.missing(name)).collect()
}

/// Where a declared field is in its group.
fn place(presenter: &Presenter, name: &str) -> (usize, Option<usize>) {
    let base = language_of_name(name).map_or(name, |(_, base)| base);
    let fact = KEY_FACTS.iter().position(|fact| *fact == base);
    (fact.unwrap_or(KEY_FACTS.len()), presenter.schema.field_number(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{EntityType, Language, Schema},
        pages::messages::Texts,
    };

    fn presenter() -> Presenter {
        Presenter {
            t: Texts::of(Language::English),
            schema: Schema::of(EntityType::Contract),
            currency: "CAD".to_owned(),
            pages: Vec::new(),
            place: None,
        }
    }

    #[test]
    fn key_facts_come_first_and_unknown_members_last() {
        let json = br#"{"record_id":"1","inconnu":[1],"status":"active","award_date":"2024-01-01","contract_value":1.0,
            "vendor_name":"A","title_fr":"T","file_number":"F","empty":null}"#;
        let members = Members::of(json).unwrap();
        let sections = sections(&presenter(), &members, &["file_number"]);
        let ids: Vec<&str> = sections.iter().map(|section| section.id).collect();
        assert_eq!(ids, ["key", "source", "other"]);
        let labels: Vec<&str> = sections[0].rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "Supplier",
                "Buying department",
                "Value",
                "Awarded on",
                "Status as published"
            ]
        );
        let html = sections[0].rows[1].value.to_string();
        assert!(html.contains("not published"), "{html}");
    }

    #[test]
    fn every_member_with_a_value_is_shown_once() {
        for schema in EntityType::ALL.map(Schema::of) {
            let fields = schema.fields.iter().map(|field| format!(r#""{}":"x""#, field.name));
            let json = format!("{{{}}}", fields.collect::<Vec<_>>().join(","));
            let members = Members::of(json.as_bytes()).unwrap();
            let presenter = Presenter { schema, ..presenter() };
            let shown = sections(&presenter, &members, &[]);
            let rows: usize = shown.iter().map(|section| section.rows.len()).sum();
            let is_pair = |name: &str| match language_of_name(name) {
                Some((_, base)) => schema.field(&format!("{base}_en")).is_some() && name.ends_with("_fr"),
                None => false,
            };
            let is_shown = |name: &str| !is_pair(name) && !TITLES.contains(&name);
            let expected = schema.fields.iter().filter(|field| is_shown(&field.name)).count();
            assert_eq!(rows, expected, "{}", schema.entity_type);
        }
    }
}
