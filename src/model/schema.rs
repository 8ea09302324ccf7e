//! The record schema of each entity type, read from `index-schema/<entity_type>.json`, the single
//! source of truth.
//!
//! A schema file declares the fields of a record (in the terms of Quickwit's `doc_mapping`), the
//! [`Role`] of some fields in a search, the fields that every record has, and the parameters that
//! the entity type accepts. The files are embedded in the binary and checked on first use.
//! **Invariant:** every field that a role names is declared, and has a type that the role can use;
//! a test loads all six.

use std::{collections::HashMap, sync::LazyLock};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::model::{entity_type::EntityType, role::RoleStorage, stem::Language};

pub use crate::model::role::Role;

/// The type of a record's field. `datetime` is a day, `YYYY-MM-DD`, possibly followed by a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldType {
    #[serde(rename = "text")]
    Text,
    #[serde(rename = "datetime")]
    Date,
    #[serde(rename = "f64")]
    Number,
    #[serde(rename = "u64")]
    Count,
    #[serde(rename = "json")]
    Object,
    #[serde(rename = "array<text>")]
    TextArray,
    #[serde(rename = "array<json>")]
    ObjectArray,
}

/// One declared field of a record.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub field_type: FieldType,
    /// Its name for people. The two fields of a text in both languages have the same labels.
    label_en: String,
    label_fr: String,
    pub(crate) group: FieldGroup,
    pub(crate) description: String,
}

/// The part of a record that a page shows a field in. The groups are in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FieldGroup {
    /// What was bought, by whom, from whom, for how much and when.
    Key,
    Description,
    Parties,
    /// How it was bought.
    Procedure,
    /// What amendments changed.
    History,
    Classification,
    Documents,
    Numbers,
    /// Where the record comes from.
    Source,
}

impl Field {
    pub(crate) fn label(&self, language: Language) -> &str {
        match language {
            Language::English => &self.label_en,
            Language::French => &self.label_fr,
        }
    }
}

/// The language that the name of a text states, and the name without it: `title_fr` → French and
/// `title`.
pub(crate) fn language_of_name(name: &str) -> Option<(Language, &str)> {
    let (base, code) = name.rsplit_once('_')?;
    Some((Language::parse(code)?, base))
}

/// An entity type: its fields, their roles, the parameters that it accepts.
#[derive(Debug)]
pub struct Schema {
    pub(crate) entity_type: EntityType,
    pub(crate) fields: Vec<Field>,
    pub(crate) parameters: Vec<String>,
    /// The numbers of the fields that every record has by the specification.
    pub(crate) always_present: Vec<usize>,
    /// By role: the numbers of its fields. Records are asked for them dozens of times each.
    roles: [Vec<usize>; Role::COUNT],
    by_name: FxHashMap<String, usize>,
    fingerprint: String,
}

impl Schema {
    pub fn of(entity_type: EntityType) -> &'static Schema {
        &SCHEMAS[entity_type as usize]
    }

    /// The number of a declared field: its index in `fields`.
    pub fn field_number(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub fn field(&self, name: &str) -> Option<&Field> {
        self.field_number(name).map(|number| &self.fields[number])
    }

    /// The numbers of the fields with a role, the preferred one first; empty where the entity type
    /// has none.
    pub(crate) fn role(&self, role: Role) -> &[usize] {
        &self.roles[role as usize]
    }

    pub fn has_role(&self, role: Role) -> bool {
        !self.role(role).is_empty()
    }

    /// Whether the role is indexed for this entity type. `Subject` is indexed only for entity types
    /// with vendors: estimates search these for records that are similar to a tender, and never the
    /// reverse.
    pub fn is_searchable_by(&self, role: Role) -> bool {
        self.has_role(role) && (role != Role::Subject || self.has_role(Role::Vendor))
    }

    pub(crate) fn accepts(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|accepted| accepted == parameter)
    }

    /// A checksum that identifies the indexes that this schema can read, 8 hexadecimal digits. It
    /// changes with the fields, their types and roles, and with [`INDEX_FORMAT`], but not with
    /// labels, groups, descriptions and parameters.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Reads a schema file.
    pub(crate) fn parse(entity_type: EntityType, json: &str) -> Result<Schema, String> {
        let file: SchemaFile = serde_json::from_str(json).map_err(|e| e.to_string())?;
        if file.entity_type != entity_type {
            return Err(format!("declares entity_type {}", file.entity_type));
        }
        let fields = file.doc_mapping.field_mappings;
        let mut by_name = FxHashMap::default();
        for (number, field) in fields.iter().enumerate() {
            if !field
                .name
                .bytes()
                .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
            {
                return Err(format!(
                    "declares field {:?}; a field name has only a-z, 0-9 and _",
                    field.name
                ));
            }
            if by_name.insert(field.name.clone(), number).is_some() {
                return Err(format!("declares field {} twice", field.name));
            }
        }
        let mut roles = [const { Vec::new() }; Role::COUNT];
        for (role, names) in &file.roles {
            let mut numbers = Vec::new();
            for name in names {
                let number = *by_name
                    .get(name)
                    .ok_or(format!("role {role:?} names {name}, which is not declared"))?;
                // Numbers and texts say that a contract was amended.
                if *role != Role::Amended && fields[number].field_type != field_type(*role) {
                    return Err(format!(
                        "role {role:?} cannot use {name}: its type is not {:?}",
                        field_type(*role)
                    ));
                }
                numbers.push(number);
            }
            roles[*role as usize] = numbers;
        }
        let mut always_present = Vec::new();
        for name in &file.always {
            let number = by_name.get(name);
            always_present.push(*number.ok_or(format!("always names {name}, which is not declared"))?);
        }
        let field_types: Vec<(&str, FieldType)> = fields.iter().map(|f| (f.name.as_str(), f.field_type)).collect();
        let mut sorted_roles: Vec<_> = file.roles.iter().collect();
        sorted_roles.sort();
        let index_definition =
            serde_json::to_vec(&(INDEX_FORMAT, field_types, sorted_roles)).map_err(|e| e.to_string())?;
        Ok(Schema {
            entity_type,
            fingerprint: format!("{:08x}", crc32fast::hash(&index_definition)),
            parameters: file.parameters,
            always_present,
            fields,
            roles,
            by_name,
        })
    }
}

/// The type that a field must have for a role.
const fn field_type(role: Role) -> FieldType {
    match role.storage() {
        RoleStorage::Day => FieldType::Date,
        RoleStorage::Amount => FieldType::Number,
        _ if matches!(role, Role::QualityFlag) => FieldType::TextArray,
        _ => FieldType::Text,
    }
}

/// The version of the index format. Raise it when the index stores the same fields in another
/// layout, or when folding, stemming or a vocabulary returns other keys or words for the same text.
pub(crate) const INDEX_FORMAT: u32 = 16;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemaFile {
    entity_type: EntityType,
    doc_mapping: DocMapping,
    roles: HashMap<Role, Vec<String>>,
    #[serde(default)]
    always: Vec<String>,
    parameters: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocMapping {
    field_mappings: Vec<Field>,
}

/// The name of a field that some schema declares, stored as a number: smaller than the text, and
/// faster to compare and copy. Fields of several entity types with the same name have one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldName(u16);

impl FieldName {
    /// The name of a declared field. Panics for any other text: callers use literals and the
    /// columns of their tables.
    pub(crate) fn of(text: &str) -> FieldName {
        match NAMES.numbers.get(text) {
            Some(number) => FieldName(*number),
            None => panic!("no file of index-schema declares the field {text}"),
        }
    }

    pub(crate) fn text(self) -> &'static str {
        NAMES.texts[usize::from(self.0)]
    }

    pub(crate) fn number(self) -> u16 {
        self.0
    }

    /// The name with a [`FieldName::number`]; `None` for a number that no field has.
    pub(crate) fn from_number(number: u16) -> Option<FieldName> {
        (usize::from(number) < NAMES.texts.len()).then_some(FieldName(number))
    }

    /// The [`Schema::field_number`] of the name for an entity type, if its schema declares the field.
    pub(crate) fn field_of(self, entity_type: EntityType) -> Option<usize> {
        NAMES.fields[usize::from(self.0)][entity_type as usize]
    }
}

/// All [`FieldName`]s: their texts, numbers, and numbers in the schema of each entity type.
#[derive(Default)]
struct FieldNames {
    texts: Vec<&'static str>,
    numbers: FxHashMap<&'static str, u16>,
    fields: Vec<[Option<usize>; EntityType::ALL.len()]>,
}

static NAMES: LazyLock<FieldNames> = LazyLock::new(|| {
    let mut names = FieldNames::default();
    for schema in SCHEMAS.iter() {
        for (number, field) in schema.fields.iter().enumerate() {
            let name = *names.numbers.entry(&field.name).or_insert_with(|| {
                names.texts.push(&field.name);
                names.fields.push(Default::default());
                (names.texts.len() - 1) as u16
            });
            names.fields[usize::from(name)][schema.entity_type as usize] = Some(number);
        }
    }
    names
});

/// In the order of [`EntityType::ALL`].
const FILES: [&str; EntityType::ALL.len()] = [
    include_str!("../../index-schema/contract.json"),
    include_str!("../../index-schema/tender.json"),
    include_str!("../../index-schema/award.json"),
    include_str!("../../index-schema/disclosure.json"),
    include_str!("../../index-schema/standing_offer.json"),
    include_str!("../../index-schema/pre_solicitation.json"),
];

static SCHEMAS: LazyLock<Vec<Schema>> = LazyLock::new(|| {
    let files = EntityType::ALL.into_iter().zip(FILES);
    let schemas = files.map(|(entity_type, json)| {
        // The files are part of the binary: an error in one is an error of the build, which the
        // tests below find.
        Schema::parse(entity_type, json).unwrap_or_else(|why| panic!("index-schema/{entity_type}.json {why}"))
    });
    schemas.collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_six_files_load_and_match_their_entity_type() {
        for entity_type in EntityType::ALL {
            let schema = Schema::of(entity_type);
            assert_eq!(schema.entity_type, entity_type);
            for role in [
                Role::RecordId,
                Role::Date,
                Role::Municipality,
                Role::Department,
                Role::Text,
            ] {
                assert!(schema.has_role(role), "{entity_type} lacks {role:?}");
            }
            let persons = schema.role(Role::Person);
            assert!(
                schema.role(Role::Text).iter().all(|field| !persons.contains(field)),
                "{entity_type}: q searches a person"
            );
        }
    }

    #[test]
    fn accepted_parameters_are_those_of_the_specification() {
        let accepting = |name: &str| -> Vec<&str> {
            EntityType::ALL
                .into_iter()
                .filter(|entity_type| Schema::of(*entity_type).accepts(name))
                .map(EntityType::name)
                .collect()
        };
        assert_eq!(accepting("municipality").len(), 6);
        assert_eq!(
            accepting("vendor"),
            ["contract", "award", "disclosure", "standing_offer", "pre_solicitation"]
        );
        assert_eq!(
            accepting("status"),
            ["contract", "tender", "award", "disclosure", "pre_solicitation"]
        );
        assert_eq!(accepting("notice_type"), ["tender", "pre_solicitation"]);
        assert_eq!(
            accepting("vendor_province"),
            ["contract", "award", "disclosure", "pre_solicitation"]
        );
    }

    /// Indexes that were built before stay readable when only labels, groups or descriptions change.
    #[test]
    fn labels_groups_and_descriptions_are_not_part_of_the_fingerprint() {
        let fingerprint = |label: &str, group: &str, description: &str, field_type: &str| {
            let file = format!(
                r#"{{"entity_type":"award","doc_mapping":{{"field_mappings":[
                {{"name":"title","type":"{field_type}","label_en":"{label}","label_fr":"","group":"{group}","description":"{description}"}}
                ]}},"roles":{{}},"parameters":[]}}"#
            );
            let schema = Schema::parse(EntityType::Award, &file).unwrap();
            schema.fingerprint().to_owned()
        };
        let one = fingerprint("Title", "key", "", "text");
        assert_eq!(fingerprint("Name", "source", "What it is", "text"), one);
        assert_ne!(fingerprint("Title", "key", "", "datetime"), one);
    }

    #[test]
    fn every_field_has_a_label_of_its_own_in_each_language() {
        for schema in EntityType::ALL.map(Schema::of) {
            for language in Language::ALL {
                let mut labels: HashMap<&str, &str> = HashMap::new();
                for field in &schema.fields {
                    let label = field.label(language);
                    assert!(!label.trim().is_empty(), "{}: {}", schema.entity_type, field.name);
                    let base = language_of_name(&field.name).map_or(field.name.as_str(), |(_, base)| base);
                    let other = labels.insert(label, base).unwrap_or(base);
                    assert_eq!(other, base, "{}: two fields have the label {label}", schema.entity_type);
                }
            }
        }
    }

    #[test]
    fn a_contradictory_schema_is_refused() {
        let check = |json: &str, why: &str| {
            let error = Schema::parse(EntityType::Award, json).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        let file = |fields: &str, roles: &str| {
            format!(
                r#"{{"entity_type":"award","doc_mapping":{{"field_mappings":[{fields}]}},"roles":{{{roles}}},"parameters":[]}}"#
            )
        };
        let title = r#"{"name":"title","type":"text","label_en":"","label_fr":"","group":"key","description":""}"#;
        check(&file(title, r#""text":["titel"]"#), "titel, which is not declared");
        check(&file(title, r#""value":["title"]"#), "Value cannot use title");
        check(&file(&format!("{title},{title}"), ""), "title twice");
        check("{", "EOF");
    }
}
