//! Bodies: records from `index-schema/*.json`, computed objects from the structs that are written.
//!
//! A record is served as the bytes its dump held. So only `record_id` is promised, a declared field may be null, and others may stand beside the declared ones.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::{
    http::{
        error::Body,
        handlers::{
            alerts,
            catalog::{KindCoverage, Sources},
            documents::Document,
            feed::Feed,
            health::Health,
            market::{Comparables, Estimates},
            names,
            procurement::Procurement,
            profile,
            search::FacetCounts,
            stats::Stats,
        },
        openapi::{bodies, component, object, type_name},
        params::resolve::facets_of,
    },
    model::{
        entity_type::EntityType,
        record::MAX_ID_BYTES,
        schema::{Field, FieldType, Role, Schema},
    },
};

/// The members of `eligibility`: name, whether it is a list, what it tells.
const ELIGIBILITY: [(&str, bool, &str); 10] = [
    (
        "trade_agreements",
        true,
        "Trade agreements that apply, by short name: CFTA, CETA, CPTPP, WTO-AGP …",
    ),
    (
        "limited_tendering_reason_en",
        false,
        "Why few were asked to bid, English",
    ),
    (
        "limited_tendering_reason_fr",
        false,
        "Why few were asked to bid, French",
    ),
    ("regions_of_opportunity", true, "Where bidders may be from"),
    ("selection_criteria_en", false, "How bids are judged, English"),
    ("selection_criteria_fr", false, "How bids are judged, French"),
    ("indigenous_set_aside", false, "`none`, `mandatory` or `voluntary`"),
    (
        "land_claims_agreements",
        true,
        "Comprehensive land claims agreements that apply",
    ),
    ("disposition", false, "Legal ground of the procurement (SEAO)"),
    (
        "procurement_method_rationale_fr",
        false,
        "Why the method was chosen, French",
    ),
];

/// `components/schemas`.
pub fn components() -> Value {
    let records = EntityType::ALL.map(|kind| (type_name(kind), record(kind)));
    let pages = EntityType::ALL.map(|kind| (format!("{}Page", type_name(kind)), page(kind)));
    let shared = [
        ("Eligibility".to_owned(), eligibility()),
        ("Document".to_owned(), document()),
    ];
    let requests = bodies::requests();
    object(
        records
            .into_iter()
            .chain(pages)
            .chain(shared)
            .chain(requests)
            .chain(computed()),
    )
}

fn record(kind: EntityType) -> Value {
    let schema = Schema::of(kind);
    let ids = schema.role(Role::RecordId);
    let properties = schema.fields.iter().enumerate().map(|(number, field)| {
        let described = match ids.contains(&number) {
            true => json!({"type": "string", "minLength": 1, "maxLength": MAX_ID_BYTES}),
            false => member(field),
        };
        (field.name.as_str(), about(described, &field.description))
    });
    let required: Vec<&str> = ids.iter().map(|number| schema.fields[*number].name.as_str()).collect();
    json!({
        "type": "object",
        "description": kind.about(),
        "required": required,
        "properties": object(properties),
    })
}

fn member(field: &Field) -> Value {
    let nothing = json!({"type": "null"});
    match (field.field_type, field.name.as_str()) {
        (FieldType::Text, "fetched_at") => json!({"type": ["string", "null"], "format": "date-time"}),
        (FieldType::Text, _) => json!({"type": ["string", "null"]}),
        // No `format`: a day may have a time behind it.
        (FieldType::Date, _) => json!({"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}"}),
        (FieldType::Number, _) => json!({"type": ["number", "null"]}),
        (FieldType::Count, _) => json!({"type": ["integer", "null"], "minimum": 0}),
        (FieldType::TextArray, _) => json!({"type": ["array", "null"], "items": {"type": "string"}}),
        (FieldType::Object, "eligibility") => json!({"anyOf": [component("schemas", "Eligibility"), nothing]}),
        (FieldType::Object, _) => json!({"type": ["object", "null"]}),
        (FieldType::ObjectArray, "documents") => {
            json!({"type": ["array", "null"], "items": component("schemas", "Document")})
        }
        (FieldType::ObjectArray, _) => json!({"type": ["array", "null"], "items": {"type": "object"}}),
    }
}

fn page(kind: EntityType) -> Value {
    let facets = facets_of(Schema::of(kind));
    let facets = facets
        .iter()
        .map(|facet| (facet.name(), component("schemas", "FacetCounts")));
    json!({
        "type": "object",
        "description": "A page of records",
        "required": ["entity_type", "count", "offset", "results"],
        "properties": {
            "entity_type": {"type": "string", "enum": [kind.name()]},
            "count": {"type": "integer", "minimum": 0, "description": "Records in this page"},
            "offset": {"type": "integer", "minimum": 0, "description": "Records skipped"},
            "next_cursor": {
                "type": "string",
                "description": "Pass it back as `cursor` for the next page; absent where no further record exists, and with `sort_by=value`",
            },
            "total": {"type": "integer", "minimum": 0, "description": "All matches, on whatever page; only with `include_total`"},
            "facets": {
                "type": "object",
                "description": "All matches by each of the `facets` asked for; only with them",
                "properties": object(facets),
                "additionalProperties": false,
            },
            "results": {"type": "array", "items": component("schemas", &type_name(kind))},
        },
    })
}

fn eligibility() -> Value {
    let members = ELIGIBILITY.map(|(name, is_list, text)| {
        let described = match is_list {
            true => json!({"type": "array", "items": {"type": "string"}}),
            false => json!({"type": "string"}),
        };
        (name, about(described, text))
    });
    json!({
        "type": "object",
        "description": "What the source states of who may bid; what it does not state is left out",
        "properties": object(members),
    })
}

fn document() -> Value {
    let text = |text| json!({"type": "string", "description": text});
    json!({
        "type": "object",
        "description": "A document of a notice",
        "required": ["doc_index", "url"],
        "properties": {
            "doc_index": {"type": "integer", "minimum": 0, "description": "Its place in the list"},
            "url": text("Where its publisher keeps it"),
            "title": text("Title"),
            "document_type": text("OCDS code of its type"),
            "language": text("`en` or `fr`"),
            "format": text("Media type"),
            "date_published": text("Day it was published"),
        },
    })
}

/// The objects that are written from structs, as their derived schemas tell them.
fn computed() -> Vec<(String, Value)> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    generator.subschema_for::<Health>();
    generator.subschema_for::<Sources>();
    generator.subschema_for::<KindCoverage>();
    generator.subschema_for::<names::List<names::Vendor>>();
    generator.subschema_for::<names::List<names::Department>>();
    generator.subschema_for::<profile::Vendor>();
    generator.subschema_for::<profile::Department>();
    generator.subschema_for::<Procurement>();
    generator.subschema_for::<Feed>();
    generator.subschema_for::<Estimates>();
    generator.subschema_for::<Comparables>();
    generator.subschema_for::<Stats>();
    generator.subschema_for::<FacetCounts>();
    generator.subschema_for::<Document>();
    generator.subschema_for::<alerts::Subscribed>();
    generator.subschema_for::<alerts::Ended>();
    generator.subschema_for::<Body>();
    let definitions = generator.take_definitions(true).into_iter();
    definitions.map(|(name, schema)| (name, one_enum(schema))).collect()
}

/// A closed list of words whose words are described one by one, as one list: generated clients do not get along with a choice of constants.
fn one_enum(mut schema: Value) -> Value {
    let choices = schema.get("oneOf").and_then(Value::as_array);
    let words = |choice: &Value| match (choice.get("const"), choice.get("enum")) {
        (Some(word), _) => Some(vec![word.clone()]),
        (None, Some(Value::Array(words))) => Some(words.clone()),
        _ => None,
    };
    let Some(choices) = choices.and_then(|choices| {
        let described = |choice: &Value| Some((words(choice)?, choice["description"].as_str().map(str::to_owned)));
        choices.iter().map(described).collect::<Option<Vec<_>>>()
    }) else {
        return schema;
    };
    let mut text = schema["description"].as_str().unwrap_or_default().to_owned();
    for (words, description) in &choices {
        if let (Some(Value::String(word)), Some(description)) = (words.first(), description) {
            text.push_str(&format!("\n- `{word}`: {description}"));
        }
    }
    let words: Vec<Value> = choices.into_iter().flat_map(|(words, _)| words).collect();
    if let Some(members) = schema.as_object_mut() {
        members.remove("oneOf");
    }
    schema["type"] = json!("string");
    schema["enum"] = json!(words);
    about(schema, text.trim())
}

fn about(mut schema: Value, text: &str) -> Value {
    schema["description"] = json!(text);
    schema
}
