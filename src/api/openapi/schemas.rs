//! `components/schemas`: records from `index-schema/*.json`, request bodies and computed responses from their structs.
//!
//! A record is returned as the bytes of its dump. So only `record_id` is required, a declared field may be null, and
//! there may be undeclared fields.

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    api::{
        analysis::facet_counts::{CommodityFacetCounts, FacetCounts},
        analysis::{explanation::Explanation, suggestions::Suggestion},
        params::by_entity_type::facets_of,
        route::{Answer, Body},
        routes::ROUTES,
        schema_refs::{component, type_name},
    },
    http::error,
    model::{EntityType, Facet, Field, FieldType, Role, Schema, record::MAX_ID_BYTES},
};

/// The members of `eligibility`: name, whether it is a list, and description.
const ELIGIBILITY: [(&str, bool, &str); 10] = [
    (
        "trade_agreements",
        true,
        "Trade agreements that apply, by abbreviation: CFTA, CETA, CPTPP, WTO-AGP …",
    ),
    (
        "limited_tendering_reason_en",
        false,
        "Reason for limiting who may bid, English",
    ),
    (
        "limited_tendering_reason_fr",
        false,
        "Reason for limiting who may bid, French",
    ),
    ("regions_of_opportunity", true, "Regions from which suppliers may bid"),
    ("selection_criteria_en", false, "How bids are evaluated, English"),
    ("selection_criteria_fr", false, "How bids are evaluated, French"),
    ("indigenous_set_aside", false, "`none`, `mandatory` or `voluntary`"),
    (
        "land_claims_agreements",
        true,
        "Comprehensive land claims agreements that apply",
    ),
    ("disposition", false, "Legal basis of the procurement (SEAO)"),
    (
        "procurement_method_rationale_fr",
        false,
        "Reason for the procurement method, French",
    ),
];

/// The schemas of all components, by name.
pub(crate) fn components() -> Map<String, Value> {
    let mut schemas = Map::new();
    for of in EntityType::ALL {
        schemas.insert(type_name(of), record(of));
    }
    for of in EntityType::ALL {
        schemas.insert(format!("{}Page", type_name(of)), page(of));
    }
    schemas.insert("Eligibility".to_owned(), eligibility());
    schemas.insert("Document".to_owned(), document());
    let (mut requests, mut responses) = (request_generator(), response_generator());
    responses.subschema_for::<FacetCounts>();
    responses.subschema_for::<CommodityFacetCounts>();
    responses.subschema_for::<Suggestion>();
    responses.subschema_for::<Explanation>();
    responses.subschema_for::<error::Body>();
    for route in ROUTES.iter().filter(|route| route.is_described()) {
        if let Body::Json { schema, .. } = route.body {
            schema(&mut requests);
        }
        if let Answer::Json(schema) | Answer::JsonOrText(schema, _) = route.answer {
            schema(&mut responses);
        }
    }
    for mut generator in [requests, responses] {
        let definitions = generator.take_definitions(true).into_iter();
        schemas.extend(definitions.map(|(name, schema)| (name, single_enum(schema))));
    }
    schemas
}

/// A generator for what is parsed.
pub(crate) fn request_generator() -> SchemaGenerator {
    generator(SchemaSettings::draft2020_12().for_deserialize())
}

/// A generator for what is written.
pub(crate) fn response_generator() -> SchemaGenerator {
    generator(SchemaSettings::draft2020_12().for_serialize())
}

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    let settings = settings.with(|settings| settings.definitions_path = "/components/schemas".into());
    settings.into_generator()
}

fn record(of: EntityType) -> Value {
    let schema = Schema::of(of);
    let ids = schema.role(Role::RecordId);
    let mut properties = Map::new();
    for (number, field) in schema.fields.iter().enumerate() {
        let member = if ids.contains(&number) {
            json!({"type": "string", "minLength": 1, "maxLength": MAX_ID_BYTES})
        } else {
            member(field)
        };
        properties.insert(field.name.clone(), described(member, &field.description));
    }
    let supplier = json!({
        "type": ["object", "null"],
        "description": "The supplier of the record, null if it names no vendor; only with `include=supplier`",
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
        "required": ["id", "name"],
    });
    properties.insert("supplier".to_owned(), supplier);
    let required: Vec<&str> = ids.iter().map(|number| schema.fields[*number].name.as_str()).collect();
    json!({
        "type": "object",
        "description": of.about(),
        "required": required,
        "properties": properties,
    })
}

fn member(field: &Field) -> Value {
    match (field.field_type, field.name.as_str()) {
        (FieldType::Text, "fetched_at") => json!({"type": ["string", "null"], "format": "date-time"}),
        (FieldType::Text, _) => json!({"type": ["string", "null"]}),
        // Not `format: date`: a date may be followed by a time.
        (FieldType::Date, _) => json!({"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}"}),
        (FieldType::Number, _) => json!({"type": ["number", "null"]}),
        (FieldType::Count, _) => json!({"type": ["integer", "null"], "minimum": 0}),
        (FieldType::TextArray, _) => json!({"type": ["array", "null"], "items": {"type": "string"}}),
        (FieldType::Object, "eligibility") => {
            json!({"anyOf": [component("schemas", "Eligibility"), {"type": "null"}]})
        }
        (FieldType::Object, _) => json!({"type": ["object", "null"]}),
        (FieldType::ObjectArray, "documents") => {
            json!({"type": ["array", "null"], "items": component("schemas", "Document")})
        }
        (FieldType::ObjectArray, _) => json!({"type": ["array", "null"], "items": {"type": "object"}}),
    }
}

fn page(of: EntityType) -> Value {
    let count = |about| json!({"type": "integer", "minimum": 0, "description": about});
    let facets = facets_of(Schema::of(of)).into_iter();
    let counts = |facet: &Facet| match facet {
        Facet::Commodity => "CommodityFacetCounts",
        _ => "FacetCounts",
    };
    let facets: Map<String, Value> = facets
        .map(|facet| (facet.name().to_owned(), component("schemas", counts(&facet))))
        .collect();
    json!({
        "type": "object",
        "description": "A page of records",
        "required": ["entity_type", "count", "offset", "results"],
        "properties": {
            "entity_type": {"type": "string", "enum": [of.name()]},
            "count": count("Records in this page"),
            "offset": count("Records skipped"),
            "next_cursor": {
                "type": "string",
                "description": "Pass it as `cursor` for the next page; absent if there is no further record, and with `sort_by=value` or `sort_by=relevance`",
            },
            "total": count("Number of all matches, on all pages; only with `include_total`"),
            "facets": {
                "type": "object",
                "description": "Counts of all matches by each requested facet; only with `facets`",
                "properties": facets,
                "additionalProperties": false,
            },
            "suggestions": {
                "type": "array",
                "description": "Words that occur and are spelled nearly like those of `q`; only with `suggest` or `explain`, and only if nothing is found",
                "items": component("schemas", "Suggestion"),
            },
            "explain": component("schemas", "Explanation"),
            "coverage": {
                "type": "array",
                "description": "Which years the sources of the records cover; only with `include=coverage`",
                "items": component("schemas", "SourceCoverage"),
            },
            "results": {"type": "array", "items": component("schemas", &type_name(of))},
        },
    })
}

fn eligibility() -> Value {
    let mut properties = Map::new();
    for (name, is_list, about) in ELIGIBILITY {
        let schema = if is_list {
            json!({"type": "array", "items": {"type": "string"}})
        } else {
            json!({"type": "string"})
        };
        properties.insert(name.to_owned(), described(schema, about));
    }
    json!({
        "type": "object",
        "description": "Conditions on bidders as stated by the source; a condition that is not stated is absent",
        "properties": properties,
    })
}

fn document() -> Value {
    let text = |about| json!({"type": "string", "description": about});
    json!({
        "type": "object",
        "description": "A document of a notice",
        "required": ["doc_index", "url"],
        "properties": {
            "doc_index": {"type": "integer", "minimum": 0, "description": "Index in the list, from 0"},
            "url": text("Address at the publisher"),
            "title": text("Title"),
            "document_type": text("OCDS code of the document type"),
            "language": text("`en` or `fr`"),
            "format": text("Media type"),
            "date_published": text("Day of publication"),
        },
    })
}

/// Turns an enum whose values are described one by one (`oneOf` constants) into one `enum`, which generated clients
/// support better.
fn single_enum(mut schema: Value) -> Value {
    let Some(choices) = schema.get("oneOf").and_then(Value::as_array) else {
        return schema;
    };
    let mut about = schema["description"].as_str().unwrap_or_default().to_owned();
    let mut values: Vec<Value> = Vec::new();
    for choice in choices {
        let of_choice = match (choice.get("const"), choice.get("enum")) {
            (Some(value), _) => vec![value.clone()],
            (None, Some(Value::Array(values))) => values.clone(),
            _ => return schema,
        };
        if let (Some(Value::String(value)), Some(text)) = (of_choice.first(), choice["description"].as_str()) {
            about.push_str(&format!("\n- `{value}`: {text}"));
        }
        values.extend(of_choice);
    }
    if let Some(members) = schema.as_object_mut() {
        members.remove("oneOf");
    }
    schema["type"] = json!("string");
    schema["enum"] = json!(values);
    described(schema, about.trim())
}

fn described(mut schema: Value, about: &str) -> Value {
    schema["description"] = json!(about);
    schema
}
