//! The indexes of the cluster: their names, fields and settings. Field names are declared here and
//! nowhere else.
//!
//! | index | documents | found by |
//! |---|---|---|
//! | `{prefix}-{entity_type}-{generation}` | one per record, numbered in the default order | keys, words, dates, values, facet codes |
//! | `{prefix}-catalog` | one per generation and part of its stored files, and the lock of the build in progress | its id |
//!
//! The alias `{prefix}-{entity_type}` names the index that is in service. Only [`super::generations`] changes aliases.
//! A server resolves them once and then names the indexes, so that a request sees one generation.

use serde_json::{Map, Value, json};

use crate::model::{EntityType, Facet, Role, Schema, role::RoleStorage};

/// The alias of the index that is in service.
pub(crate) fn alias(prefix: &str, entity_type: EntityType) -> String {
    format!("{prefix}-{entity_type}")
}

/// The index of an entity type in a generation. An index name has no capital letters.
pub(crate) fn index_name(prefix: &str, entity_type: EntityType, generation: &str) -> String {
    format!("{prefix}-{entity_type}-{}", generation.to_ascii_lowercase())
}

/// The entity type and the generation of an index; `None` if it is not an index of this prefix.
pub(crate) fn parse_index_name(prefix: &str, index: &str) -> Option<(EntityType, String)> {
    let (entity_type, generation) = index.strip_prefix(prefix)?.strip_prefix('-')?.split_once('-')?;
    let generation = generation.to_ascii_uppercase();
    is_generation_id(&generation).then_some((EntityType::parse(entity_type)?, generation))
}

/// The body that creates the index of an entity type.
pub(crate) fn definition(entity_type: EntityType, shards: u32) -> Value {
    json!({
        "settings": { "index": {
            "number_of_shards": shards,
            // Copies are made when the index is complete.
            "number_of_replicas": 0,
            // Documents are made visible once, after the last one.
            "refresh_interval": "-1",
            "max_result_window": MAX_RESULT_WINDOW,
            // A shard may move when it is complete (`recovery_source`).
            "routing.allocation.enable": "new_primaries",
            "sort.field": SORT_FIELDS,
            "sort.order": SORT_ORDERS,
        } },
        "mappings": of(entity_type),
    })
}

/// Settings that answers depend on, by their names below `index`, in the form in which the cluster
/// returns them.
pub(crate) fn fixed_settings() -> [(&'static str, Value); 3] {
    [
        ("max_result_window", json!(MAX_RESULT_WINDOW.to_string())),
        ("sort.field", json!(SORT_FIELDS)),
        ("sort.order", json!(SORT_ORDERS)),
    ]
}

/// The index with the manifests and other files of all generations, and the lock.
pub(crate) fn catalog_index(prefix: &str) -> String {
    format!("{prefix}-catalog")
}

/// The body that creates [`catalog_index`].
pub(crate) fn catalog_definition(replicas: u32) -> Value {
    json!({
        "settings": { "index": {
            "number_of_shards": 1,
            // It is the only index that a build writes while it is in service.
            "number_of_replicas": replicas,
        } },
        "mappings": {
            "dynamic": "false",
            "_meta": meta(),
            "properties": {
                catalog::KIND: { "type": "keyword" },
                catalog::GENERATION: { "type": "keyword" },
            },
        },
    })
}

/// The fields of a document of the catalog index.
pub(crate) mod catalog {
    /// What the document is: a generation, a part of a file, or the lock.
    pub(crate) const KIND: &str = "kind";
    /// The id of the generation that it belongs to.
    pub(crate) const GENERATION: &str = "generation";
}

/// Whether a text is the id of a generation: its build time in UTC, `20260131T235959123Z`.
pub(crate) fn is_generation_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_valid = |(number, byte): (usize, &u8)| match number {
        8 => *byte == b'T',
        18 => *byte == b'Z',
        _ => byte.is_ascii_digit(),
    };
    bytes.len() == 19 && bytes.iter().enumerate().all(is_valid)
}

/// The version of the documents and mappings. Raise it when they change for equal records.
pub(crate) const FORMAT: u32 = 9;

/// The maximum of `from` + `size`. The API allows an offset of 9,500 and a page of 500; a search
/// asks for one more record, to know whether another page follows.
pub(crate) const MAX_RESULT_WINDOW: usize = 20_000;

/// The order of the documents in a shard: the default order.
const SORT_FIELDS: [&str; 2] = [Role::Date.name(), Role::RecordId.name()];
const SORT_ORDERS: [&str; 2] = ["desc", "asc"];

/// The value of a date field where the record has no such date. No date is as early, so these
/// records come last in a descending order. Every search for a range of dates has a lower bound,
/// which excludes them.
pub(crate) const NO_DATE: i32 = i32::MIN;

/// The fields of a record's document, in addition to one for each role that the entity type is
/// searched by ([`Role::name`]) and one for each facet ([`facet_field`]).
pub(crate) mod record {
    /// The JSON of the record, stored and never interpreted by the cluster.
    pub(crate) const RECORD: &str = "record";
    /// The length of the JSON in bytes.
    pub(crate) const BYTES: &str = "record_bytes";
    /// The number of the record in the default order of its entity type, from 0, without gaps. So
    /// a page at any depth of all records is a range. It is also the id of the document.
    pub(crate) const NUMBER: &str = "record_number";
    /// Present, and true, where the amounts are not in Canadian dollars.
    pub(crate) const FOREIGN: &str = "is_foreign";
    /// Present, and true, where value and value before amendments can be compared: both are stated
    /// in Canadian dollars.
    pub(crate) const AMENDABLE: &str = "is_amendable";
    /// What the order by relevance reads: the terms of
    /// [`index_terms`](crate::engine::relevance::index_terms).
    pub(crate) const RELEVANCE: &str = "relevance";

    /// The fields of an amount: the parts that
    /// [`split`](crate::engine::opensearch::stored_money::split) returns, then an amount that
    /// [`Money`](crate::engine::aggregation::Money) keeps apart as implausible. A part that is zero is
    /// left out.
    pub(crate) type Amount = [&'static str; crate::engine::opensearch::stored_money::PARTS + 1];
    /// The value, in Canadian dollars.
    pub(crate) const VALUE: Amount = [
        "value_millionths",
        "value_dollars",
        "value_millions",
        "value_trillions",
        "value_implausible",
    ];
    /// The value, in another currency.
    pub(crate) const FOREIGN_VALUE: Amount = [
        "foreign_millionths",
        "foreign_dollars",
        "foreign_millions",
        "foreign_trillions",
        "foreign_implausible",
    ];
    /// The value before amendments, where the record is [`AMENDABLE`].
    pub(crate) const ORIGINAL_VALUE: Amount = [
        "original_millionths",
        "original_dollars",
        "original_millions",
        "original_trillions",
        "original_implausible",
    ];
}

/// The field with the code of a record's facet entry; absent where the entry is empty.
pub(crate) fn facet_field(facet: Facet) -> String {
    format!("facet_{}", facet.name())
}

/// A code as a keyword: keywords sort like the codes.
pub(crate) fn facet_code(code: u32) -> String {
    format!("{code:08x}")
}

pub(crate) fn parse_facet_code(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok()
}

/// The roles that the documents of an entity type have a field for.
pub(crate) fn roles(schema: &Schema) -> impl Iterator<Item = Role> {
    // Every document has a date, because the index is sorted by it.
    let has_field = |role: &Role| schema.is_searchable_by(*role) || *role == Role::Date;
    // The value before amendments has fields of its own.
    let is_stored = |role: &Role| role.storage() != RoleStorage::None && *role != Role::OriginalValue;
    Role::all().filter(is_stored).filter(has_field)
}

/// The mapping of the index of an entity type, in the form in which the cluster returns it: without
/// members that have their default.
pub(crate) fn of(entity_type: EntityType) -> Value {
    let schema = Schema::of(entity_type);
    let mut fields = Map::new();
    for role in roles(schema) {
        fields.insert(role.name().to_owned(), role_mapping(role));
    }
    if schema.has_role(Role::Value) {
        add_amount(&mut fields, record::VALUE);
        add_amount(&mut fields, record::FOREIGN_VALUE);
        fields.insert(record::FOREIGN.to_owned(), mark());
    }
    if schema.has_role(Role::OriginalValue) {
        add_amount(&mut fields, record::ORIGINAL_VALUE);
        fields.insert(record::AMENDABLE.to_owned(), mark());
    }
    fields.insert(record::RELEVANCE.to_owned(), only_searched());
    for facet in Facet::ALL {
        fields.insert(facet_field(facet), json!({ "type": "keyword" }));
    }
    let json = json!({ "type": "text", "index": false, "store": true });
    fields.insert(record::RECORD.to_owned(), json);
    fields.insert(record::BYTES.to_owned(), json!({ "type": "integer", "index": false }));
    fields.insert(record::NUMBER.to_owned(), json!({ "type": "integer" }));
    json!({
        "dynamic": "strict",
        "_meta": meta(),
        "_source": { "enabled": false },
        "properties": fields,
    })
}

fn add_amount(fields: &mut Map<String, Value>, amount: record::Amount) {
    let [parts @ .., implausible] = amount;
    for part in parts {
        fields.insert(part.to_owned(), json!({ "type": "long", "index": false }));
    }
    let sum = json!({ "type": "double", "index": false });
    fields.insert(implausible.to_owned(), sum);
}

/// The type of what is true of a record, or absent.
fn mark() -> Value {
    json!({ "type": "boolean", "doc_values": false })
}

fn role_mapping(role: Role) -> Value {
    match role.storage() {
        // The default order reads it.
        RoleStorage::Id => json!({ "type": "keyword" }),
        // Days since 1970-01-01, or `NO_DATE`.
        RoleStorage::Day => json!({ "type": "integer" }),
        // In dollars; absent where the record has none.
        RoleStorage::Amount => json!({ "type": "double" }),
        // The folded words of each text, joined by blanks. The gap between two texts is larger than
        // any phrase may skip.
        RoleStorage::Words => json!({ "type": "text", "norms": false, "analyzer": "whitespace" }),
        RoleStorage::Key | RoleStorage::Name | RoleStorage::Terms | RoleStorage::None => only_searched(),
    }
}

/// The type of a text that is neither sorted by nor counted.
fn only_searched() -> Value {
    json!({ "type": "keyword", "doc_values": false })
}

fn meta() -> Value {
    json!({ "format": FORMAT })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stored_role_has_a_field() {
        for schema in EntityType::ALL.map(Schema::of) {
            let mapping = of(schema.entity_type);
            for role in Role::all().filter(|role| schema.is_searchable_by(*role)) {
                let name = if role == Role::OriginalValue {
                    record::AMENDABLE
                } else {
                    role.name()
                };
                let has_field = mapping["properties"].get(name).is_some();
                let is_stored = role.storage() != RoleStorage::None;
                assert_eq!(has_field, is_stored, "{}: {role:?}", schema.entity_type);
            }
        }
    }

    #[test]
    fn the_name_of_an_index_states_entity_type_and_generation() {
        let generation = "20260131T235959123Z";
        for entity_type in EntityType::ALL {
            let index = index_name("procure-test", entity_type, generation);
            assert_eq!(index, index.to_lowercase());
            let parsed = parse_index_name("procure-test", &index);
            assert_eq!(parsed, Some((entity_type, generation.to_owned())));
        }
        for other in [
            "procure-test-catalog",
            "procure-test-contract",
            "procure-test-contract-1",
            "procure-test-other-20260131t235959123z",
            "procure-tests-contract-20260131t235959123z",
            "contract-20260131t235959123z",
        ] {
            assert_eq!(parse_index_name("procure-test", other), None, "{other}");
        }
    }

    #[test]
    fn codes_sort_like_their_keywords() {
        let codes = [0, 1, 15, 16, 255, 70_000, u32::MAX];
        let keywords = codes.map(facet_code);
        assert!(keywords.is_sorted());
        for (code, keyword) in codes.into_iter().zip(&keywords) {
            assert_eq!(parse_facet_code(keyword), Some(code));
        }
    }

    #[test]
    fn every_role_that_an_entity_type_is_searched_by_has_a_field() {
        for entity_type in EntityType::ALL {
            let mapping = of(entity_type);
            let has_field = |name: &str| mapping["properties"].get(name).is_some();
            assert!(has_field("date") && has_field("record_id") && has_field("record"));
            let has_subject = Schema::of(entity_type).is_searchable_by(Role::Subject);
            assert_eq!(has_field("subject"), has_subject, "{entity_type}");
        }
    }
}
