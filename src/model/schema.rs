//! What a record of each kind is made of, read from `index-schema/<entity_type>.json`, the single source of truth.
//!
//! A schema file declares the record's fields (in the words of Quickwit's `doc_mapping`), the [`Role`] that some of
//! them play in a search, those that every record has, and the parameters the kind takes. The files are embedded in the binary and checked when first
//! used. **Invariant:** every field a role names is declared, and of a type the role can use; a test loads all six.

use std::{collections::HashMap, sync::LazyLock};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::model::entity_type::EntityType;

/// The type of a record's field. `datetime` is a day, `YYYY-MM-DD`, possibly with a time behind it.
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
    pub name: String,
    #[serde(rename = "type")]
    pub field_type: FieldType,
    pub description: String,
}

/// What fields are to a search. One index field stands behind each role that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The identifier, taken verbatim.
    RecordId,
    /// The event date: the default order, `issued_after`, `issued_before`.
    Date,
    ClosingDate,
    /// The money `value_min`, `value_max` and `sort_by=value` speak of: the first of the fields that holds a number.
    Value,
    Municipality,
    Category,
    Status,
    ProcurementMethod,
    NoticeType,
    VendorProvince,
    ReferenceNumber,
    /// What the records of one solicitation share, folded.
    SolicitationNumber,
    Department,
    Vendor,
    /// What `q` searches.
    Text,
    /// What a purchase is about, as [`crate::model::similarity_terms`] cuts it into words: records alike are told by it.
    Subject,
    /// Codes of what is bought, as [`crate::model::commodity`] keys them: found by the start of a key.
    Commodity,
    /// Fields that hold a natural person: `q` never sees them.
    Person,
}

/// A kind of record: its fields, their roles, the parameters it takes.
#[derive(Debug)]
pub struct Schema {
    pub entity_type: EntityType,
    pub fields: Vec<Field>,
    pub parameters: Vec<String>,
    /// The numbers of the fields that the specification says every record has.
    pub always: Vec<usize>,
    roles: HashMap<Role, Vec<usize>>,
    by_name: FxHashMap<String, usize>,
    fingerprint: String,
}

impl Schema {
    pub fn of(entity_type: EntityType) -> &'static Schema {
        &SCHEMAS[entity_type as usize]
    }

    /// The number of a declared field.
    pub fn field_number(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub fn field(&self, name: &str) -> Option<&Field> {
        self.field_number(name).map(|number| &self.fields[number])
    }

    /// The numbers of the fields that play a role, the one to prefer first; empty where the kind has none.
    pub fn role(&self, role: Role) -> &[usize] {
        self.roles.get(&role).map_or(&[], Vec::as_slice)
    }

    pub fn has_role(&self, role: Role) -> bool {
        !self.role(role).is_empty()
    }

    /// Whether a search can ask for the role. What is only asked *with*, and never *for*, lies in no index: the subject and the codes of a kind that has no
    /// vendor, since what is alike is looked for among what was sold.
    pub fn finds_by(&self, role: Role) -> bool {
        let is_asked_for = match role {
            Role::Subject | Role::Commodity => self.has_role(Role::Vendor),
            _ => true,
        };
        is_asked_for && self.has_role(role)
    }

    pub fn accepts(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|accepted| accepted == parameter)
    }

    /// Changes whenever an index built before would no longer answer rightly: with the fields, their types and roles,
    /// and with [`INDEX_FORMAT`]. Descriptions and parameters do not count.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn parse(entity_type: EntityType, json: &str) -> Result<Schema, String> {
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
                return Err(format!("declares field {:?}; a name is of a-z, 0-9 and _", field.name));
            }
            if by_name.insert(field.name.clone(), number).is_some() {
                return Err(format!("declares field {} twice", field.name));
            }
        }
        let mut roles = HashMap::new();
        for (role, names) in &file.roles {
            let mut numbers = Vec::new();
            for name in names {
                let number = *by_name
                    .get(name)
                    .ok_or(format!("role {role:?} names {name}, which is not declared"))?;
                if fields[number].field_type != role.field_type() {
                    return Err(format!(
                        "role {role:?} cannot use {name}: it is no {:?}",
                        role.field_type()
                    ));
                }
                numbers.push(number);
            }
            roles.insert(*role, numbers);
        }
        let mut always = Vec::new();
        for name in &file.always {
            let number = by_name.get(name);
            always.push(*number.ok_or(format!("always names {name}, which is not declared"))?);
        }
        let stored: Vec<(&str, FieldType)> = fields.iter().map(|f| (f.name.as_str(), f.field_type)).collect();
        let mut played: Vec<_> = file.roles.iter().collect();
        played.sort();
        let facts = serde_json::to_vec(&(INDEX_FORMAT, stored, played)).map_err(|e| e.to_string())?;
        Ok(Schema {
            entity_type,
            fingerprint: format!("{:08x}", crc32fast::hash(&facts)),
            parameters: file.parameters,
            always,
            fields,
            roles,
            by_name,
        })
    }
}

impl Role {
    /// The type a field must have to play the role.
    const fn field_type(self) -> FieldType {
        match self {
            Role::Date | Role::ClosingDate => FieldType::Date,
            Role::Value => FieldType::Number,
            _ => FieldType::Text,
        }
    }
}

/// Raised when the engine lays out the same fields in another way, and when keys or words come out of the same text differently: with the folding, the
/// stems, the closed lists.
pub const INDEX_FORMAT: u32 = 4;

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

/// The name of a declared field of any kind, by its number among them all: as good as the text, and quicker to compare and to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name(u16);

impl Name {
    /// A name that no kind declares is none, and no dump takes it.
    pub fn of(text: &str) -> Name {
        let known = NAMES.numbers.get(text).copied();
        debug_assert!(known.is_some(), "no file of index-schema declares {text}");
        Name(known.unwrap_or(u16::MAX))
    }

    pub fn text(self) -> &'static str {
        NAMES.texts.get(usize::from(self.0)).copied().unwrap_or("(undeclared)")
    }

    pub fn number(self) -> u16 {
        self.0
    }

    /// The name of this [`Name::number`].
    pub fn numbered(number: u16) -> Name {
        Name(number)
    }

    /// Its number among the fields of a kind, where that declares it.
    pub fn field_of(self, entity_type: EntityType) -> Option<usize> {
        NAMES.fields.get(usize::from(self.0))?[entity_type as usize]
    }
}

/// Every [`Name`]: its text, its number, and its number in each kind.
#[derive(Default)]
struct Names {
    texts: Vec<&'static str>,
    numbers: FxHashMap<&'static str, u16>,
    fields: Vec<[Option<usize>; EntityType::ALL.len()]>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names::default();
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

macro_rules! embedded {
    ($kind:expr, $file:literal) => {
        ($kind, include_str!(concat!("../../index-schema/", $file, ".json")))
    };
}

static SCHEMAS: LazyLock<Vec<Schema>> = LazyLock::new(|| {
    [
        embedded!(EntityType::Contract, "contract"),
        embedded!(EntityType::Tender, "tender"),
        embedded!(EntityType::Award, "award"),
        embedded!(EntityType::Disclosure, "disclosure"),
        embedded!(EntityType::StandingOffer, "standing_offer"),
        embedded!(EntityType::PreSolicitation, "pre_solicitation"),
    ]
    .into_iter()
    .map(|(kind, json)| {
        // The files are part of the binary: a mistake in one is a mistake in the build, and the test below finds it.
        Schema::parse(kind, json).unwrap_or_else(|why| panic!("index-schema/{kind}.json {why}"))
    })
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_six_files_load_and_agree_with_their_kind() {
        for kind in EntityType::ALL {
            let schema = Schema::of(kind);
            assert_eq!(schema.entity_type, kind);
            for role in [
                Role::RecordId,
                Role::Date,
                Role::Municipality,
                Role::Department,
                Role::Text,
            ] {
                assert!(schema.has_role(role), "{kind} lacks {role:?}");
            }
            let persons = schema.role(Role::Person);
            assert!(
                schema.role(Role::Text).iter().all(|field| !persons.contains(field)),
                "{kind}: q sees a person"
            );
        }
    }

    #[test]
    fn acceptance_is_the_specifications() {
        let takes = |name: &str| -> Vec<&str> {
            EntityType::ALL
                .into_iter()
                .filter(|k| Schema::of(*k).accepts(name))
                .map(EntityType::name)
                .collect()
        };
        assert_eq!(takes("municipality").len(), 6);
        assert_eq!(
            takes("vendor"),
            ["contract", "award", "disclosure", "standing_offer", "pre_solicitation"]
        );
        assert_eq!(
            takes("status"),
            ["contract", "tender", "award", "disclosure", "pre_solicitation"]
        );
        assert_eq!(takes("notice_type"), ["tender", "pre_solicitation"]);
        assert_eq!(
            takes("vendor_province"),
            ["contract", "award", "disclosure", "pre_solicitation"]
        );
    }

    #[test]
    fn a_schema_that_contradicts_itself_is_refused() {
        let check = |json: &str, why: &str| {
            let error = Schema::parse(EntityType::Award, json).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        let file = |fields: &str, roles: &str| {
            format!(
                r#"{{"entity_type":"award","doc_mapping":{{"field_mappings":[{fields}]}},"roles":{{{roles}}},"parameters":[]}}"#
            )
        };
        let title = r#"{"name":"title","type":"text","description":""}"#;
        check(&file(title, r#""text":["titel"]"#), "titel, which is not declared");
        check(&file(title, r#""value":["title"]"#), "Value cannot use title");
        check(&file(&format!("{title},{title}"), ""), "title twice");
        check("{", "EOF");
    }
}
