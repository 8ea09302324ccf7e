//! The indexes of the cluster: their names, fields and settings. Field names are declared here and
//! nowhere else.
//!
//! | index | documents | found by |
//! |---|---|---|
//! | `{prefix}-{entity_type}-{generation}` | one per record, numbered in the default order | keys, words, dates, values, facet codes |
//! | `{prefix}-names-{generation}` | one per vendor of an entity type, and one per long key of a role that is searched by a part | a part of the key, rank, code |
//! | `{prefix}-vocabulary-{generation}` | one per stem and one per word of an entity type | its id; a word also by its spelling |
//! | `{prefix}-catalog` | one per generation and part of its stored files, and the lock of the build in progress | its id |
//!
//! The alias `{prefix}-{entity_type}`, `{prefix}-names` or `{prefix}-vocabulary` names the index
//! that is in service. Only [`super::generations`] changes aliases. A server resolves them once and
//! then names the indexes, so that a request sees one generation.

use serde_json::{Map, Value, json};

use crate::model::{EntityType, Facet, Role, Schema};

/// The index of one entity type, or one of the two indexes that every generation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexKind {
    Records(EntityType),
    Names,
    Vocabulary,
}

impl IndexKind {
    pub(crate) fn all() -> impl Iterator<Item = IndexKind> {
        let records = EntityType::ALL.into_iter().map(IndexKind::Records);
        records.chain([IndexKind::Names, IndexKind::Vocabulary])
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            IndexKind::Records(entity_type) => entity_type.name(),
            IndexKind::Names => "names",
            IndexKind::Vocabulary => "vocabulary",
        }
    }

    /// The alias of the index that is in service.
    pub(crate) fn alias(self, prefix: &str) -> String {
        format!("{prefix}-{}", self.name())
    }

    /// The index of a generation. An index name has no capital letters.
    pub(crate) fn index(self, prefix: &str, generation: &str) -> String {
        format!("{prefix}-{}-{}", self.name(), generation.to_ascii_lowercase())
    }

    /// The kind and the generation of an index; `None` if it is not an index of this prefix.
    pub(crate) fn parse(prefix: &str, index: &str) -> Option<(IndexKind, String)> {
        let (kind, generation) = index.strip_prefix(prefix)?.strip_prefix('-')?.split_once('-')?;
        let kind = IndexKind::all().find(|known| known.name() == kind)?;
        let generation = generation.to_ascii_uppercase();
        is_generation_id(&generation).then_some((kind, generation))
    }

    /// The body that creates the index.
    pub(crate) fn definition(self, shards: u32) -> Value {
        let mut settings = json!({
            "number_of_shards": shards,
            // Copies are made when the index is complete.
            "number_of_replicas": 0,
            // Documents are made visible once, after the last one.
            "refresh_interval": "-1",
            "max_result_window": MAX_RESULT_WINDOW,
            // A shard may move when it is complete (`recovery_source`).
            "routing.allocation.enable": "new_primaries",
        });
        if let IndexKind::Records(_) = self {
            settings["sort.field"] = json!(SORT_FIELDS);
            settings["sort.order"] = json!(SORT_ORDERS);
        }
        json!({
            "settings": { "index": settings },
            "mappings": self.mapping(),
        })
    }

    /// Settings that answers depend on, by their names below `index`, in the form in which the
    /// cluster returns them.
    pub(crate) fn fixed_settings(self) -> Vec<(&'static str, Value)> {
        let mut settings = vec![("max_result_window", json!(MAX_RESULT_WINDOW.to_string()))];
        if let IndexKind::Records(_) = self {
            settings.push(("sort.field", json!(SORT_FIELDS)));
            settings.push(("sort.order", json!(SORT_ORDERS)));
        }
        settings
    }

    /// The mapping, in the form in which the cluster returns it: without members that have their
    /// default.
    pub(crate) fn mapping(self) -> Value {
        match self {
            IndexKind::Records(entity_type) => records_mapping(Schema::of(entity_type)),
            IndexKind::Names => names_mapping(),
            IndexKind::Vocabulary => vocabulary_mapping(),
        }
    }
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
pub(crate) const FORMAT: u32 = 3;

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

/// A code as a keyword: the order of the keywords is that of the codes.
pub(crate) fn facet_code(code: u32) -> String {
    format!("{code:08x}")
}

pub(crate) fn parse_facet_code(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok()
}

/// The fields of a document of the names index.
pub(crate) mod names {
    /// Which list it belongs to: [`vendor_list`](super::vendor_list) or
    /// [`key_list`](super::key_list).
    pub(crate) const LIST: &str = "list";
    /// The key, searched by a part. Its type is `wildcard`.
    pub(crate) const KEY: &str = "key";
    /// The words of the key, in [`KEY`]: `key.words`.
    pub(crate) const WORDS: &str = "words";
    /// The number of the value in its list: by descending number of records, then by name, then by
    /// key. The rank of a list of keys is by key.
    pub(crate) const RANK: &str = "rank";
    /// Vendors only: [`facet_code`](super::facet_code) in the documents of the records.
    pub(crate) const CODE: &str = "code";
}

/// The list of the vendors of an entity type, by [`Facet::Vendor`]. Its documents are
/// [`VendorName`](super::document::VendorName).
pub(crate) fn vendor_list(entity_type: EntityType) -> String {
    format!("{entity_type}/vendors")
}

/// The list of the distinct keys that the records of an entity type have for a role of
/// [`NAMES`](crate::engine::names::NAMES), of those with more than
/// [`MAX_PATTERN_CHARS`](super::query::MAX_PATTERN_CHARS) characters:
/// a shorter one is found by a pattern.
/// Its documents are [`RoleKey`](super::document::RoleKey).
pub(crate) fn key_list(entity_type: EntityType, role: Role) -> String {
    format!("{entity_type}/keys/{}", role.name())
}

/// The id of the vocabulary's document with the words that have a stem in some language, and with
/// the number of records that have the stem as a similarity term.
/// Its source is [`StemEntry`](super::document::StemEntry).
pub(crate) fn stem_id(entity_type: EntityType, stem: &str) -> String {
    format!("{entity_type}/{stem}")
}

/// The fields of the document of a word in the vocabulary.
pub(crate) mod word {
    /// Which list it belongs to: [`word_list`](super::word_list).
    pub(crate) const LIST: &str = "list";
    pub(crate) const WORD: &str = "word";
    /// The number of the word in its list: by descending number of records, then by alphabet.
    pub(crate) const RANK: &str = "rank";
}

/// The words of the texts of an entity type. Its documents are
/// [`WordEntry`](super::document::WordEntry).
pub(crate) fn word_list(entity_type: EntityType) -> String {
    format!("{entity_type}/words")
}

/// The id of a word's document. No stem has a slash.
pub(crate) fn word_id(entity_type: EntityType, word: &str) -> String {
    format!("{}/{word}", word_list(entity_type))
}

const ROLES: [Role; 18] = [
    Role::RecordId,
    Role::Date,
    Role::ClosingDate,
    Role::Value,
    Role::Municipality,
    Role::Category,
    Role::Status,
    Role::ProcurementMethod,
    Role::NoticeType,
    Role::VendorProvince,
    Role::ReferenceNumber,
    Role::SolicitationNumber,
    Role::Department,
    Role::Vendor,
    Role::Text,
    Role::Subject,
    Role::Commodity,
    Role::QualityFlag,
];

/// The roles that the documents of an entity type have a field for.
pub(crate) fn roles(schema: &Schema) -> impl Iterator<Item = Role> {
    // Every document has a date, because the index is sorted by it.
    let has_field = |role: &Role| schema.is_searchable_by(*role) || *role == Role::Date;
    ROLES.into_iter().filter(has_field)
}

fn records_mapping(schema: &Schema) -> Value {
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
    match role {
        // The default order reads it.
        Role::RecordId => json!({ "type": "keyword" }),
        // Days since 1970-01-01, or `NO_DATE`.
        Role::Date | Role::ClosingDate => json!({ "type": "integer" }),
        // In dollars; absent where the record has none.
        Role::Value => json!({ "type": "double" }),
        // The folded words of each text, joined by blanks. The gap between two texts is larger than
        // any phrase may skip.
        Role::Text => json!({ "type": "text", "norms": false, "analyzer": "whitespace" }),
        // Keys and similarity terms are only searched.
        _ => only_searched(),
    }
}

/// The type of a text that is neither sorted by nor counted.
fn only_searched() -> Value {
    json!({ "type": "keyword", "doc_values": false })
}

fn names_mapping() -> Value {
    json!({
        "dynamic": "false",
        "_meta": meta(),
        "properties": {
            names::LIST: only_searched(),
            names::KEY: {
                "type": "wildcard",
                "fields": { names::WORDS: {
                    "type": "text", "norms": false, "index_options": "docs", "analyzer": "whitespace",
                } },
            },
            names::RANK: { "type": "integer" },
            names::CODE: only_searched(),
        },
    })
}

fn vocabulary_mapping() -> Value {
    json!({
        "dynamic": "false",
        "_meta": meta(),
        "properties": {
            word::LIST: only_searched(),
            word::WORD: only_searched(),
            word::RANK: { "type": "integer", "index": false },
        },
    })
}

fn meta() -> Value {
    json!({ "format": FORMAT })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_index_states_kind_and_generation() {
        let generation = "20260131T235959123Z";
        for kind in IndexKind::all() {
            let index = kind.index("procure-test", generation);
            assert_eq!(index, index.to_lowercase());
            assert_eq!(
                IndexKind::parse("procure-test", &index),
                Some((kind, generation.to_owned()))
            );
        }
        for other in [
            "procure-test-catalog",
            "procure-test-contract",
            "procure-test-contract-1",
            "procure-test-other-20260131t235959123z",
            "procure-tests-contract-20260131t235959123z",
            "contract-20260131t235959123z",
        ] {
            assert_eq!(IndexKind::parse("procure-test", other), None, "{other}");
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
            let mapping = IndexKind::Records(entity_type).mapping();
            let has_field = |name: &str| mapping["properties"].get(name).is_some();
            assert!(has_field("date") && has_field("record_id") && has_field("record"));
            let has_subject = Schema::of(entity_type).is_searchable_by(Role::Subject);
            assert_eq!(has_field("subject"), has_subject, "{entity_type}");
        }
    }
}
