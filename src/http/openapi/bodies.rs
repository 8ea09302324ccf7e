//! Bodies beyond what a struct tells: what derived schemas say where a struct holds records, which it has as bytes, and what a request may send.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::{
    catalog::market::{MOST_ITEMS, SHOWN, YEARS_BACK},
    http::{
        body::{Member, Shape},
        handlers::alerts::MOST_KEYWORDS,
        openapi::{component, object, operations, parameters, type_name},
        params::{
            alerts::{BODY, SubscribeParams},
            market::{COMPS, ESTIMATE, ITEM, LONGEST_TEXT},
        },
        routes::Operation,
    },
    model::{entity_type::EntityType, stem::Language},
    query::text::MAX_QUERY_CHARS as LONGEST_KEYWORD,
};

fn records(kind: EntityType) -> Value {
    json!({"type": "array", "items": component("schemas", &type_name(kind))})
}

/// An array of contracts.
pub fn contracts(_: &mut SchemaGenerator) -> Schema {
    schema(records(EntityType::Contract))
}

/// An array a kind, named by it; none is required.
pub fn records_by_kind(_: &mut SchemaGenerator) -> Schema {
    let arrays = EntityType::ALL.map(|kind| (kind.name(), records(kind)));
    schema(json!({"type": "object", "properties": object(arrays)}))
}

/// A tender.
pub fn tender(_: &mut SchemaGenerator) -> Schema {
    schema(component("schemas", &type_name(EntityType::Tender)))
}

/// An element of a tender's `documents`.
pub fn document(_: &mut SchemaGenerator) -> Schema {
    schema(component("schemas", "Document"))
}

/// What a request sends, where the endpoint takes a body.
pub fn request(operation: Operation) -> Option<Value> {
    let batch = |name| {
        let example = json!({"record_ids": [operations::record(EntityType::Tender)["record_id"]]});
        json!({
            "required": true,
            "content": {"application/json": {"schema": component("schemas", name), "example": example}},
        })
    };
    match operation {
        Operation::Estimate => Some(batch(ESTIMATE_REQUEST)),
        Operation::Comps => Some(batch(COMPS_REQUEST)),
        Operation::Subscribe => {
            let example = json!({"email": "name@example.com", "keywords": ["snow removal", "déneigement"], "frequency": "weekly"});
            let body = json!({"application/json": {"schema": subscription(), "example": example}});
            Some(json!({"required": false, "content": body}))
        }
        // Whatever a mail program sends along.
        Operation::UnsubscribeOneClick => Some(
            json!({"required": false, "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}}),
        ),
        _ => None,
    }
}

const ESTIMATE_REQUEST: &str = "EstimateRequest";
const COMPS_REQUEST: &str = "CompsRequest";
const ITEM_SCHEMA: &str = "Item";

/// What requests send, as schemas.
pub fn requests() -> [(String, Value); 3] {
    let request = |table| {
        json!({
            "type": "object",
            "description": "What is asked about, 1 to 50 items in all, and how",
            "properties": members(table, || component("schemas", ITEM_SCHEMA)),
            "additionalProperties": false,
        })
    };
    [
        (ESTIMATE_REQUEST.to_owned(), request(ESTIMATE)),
        (COMPS_REQUEST.to_owned(), request(COMPS)),
        (ITEM_SCHEMA.to_owned(), item()),
    ]
}

/// Where nothing is said.
fn default(name: &str) -> Option<Value> {
    match name {
        "years_back" => Some(json!(YEARS_BACK)),
        "limit" => Some(json!(SHOWN)),
        _ => None,
    }
}

/// The rows of a table, each as a property; `objects` is what its lists of objects hold.
fn members<B>(table: &[Member<B>], objects: fn() -> Value) -> Value {
    let list = |items: Value| json!({"type": ["array", "null"], "maxItems": MOST_ITEMS, "items": items});
    object(table.iter().map(|member| {
        let mut described = match &member.shape {
            Shape::One(typed) => nullable(parameters::schema(typed)),
            Shape::Texts(_) if member.name == "exclude" => json!({"type": ["array", "null"], "items": text()}),
            Shape::Texts(_) => list(text()),
            Shape::Objects(_) => list(objects()),
        };
        described["description"] = json!(member.about);
        if let Some(default) = default(member.name) {
            described["default"] = default;
        }
        (member.name, described)
    }))
}

/// A tender, or a need.
fn item() -> Value {
    let described = members(ITEM, Default::default);
    let of = |required: &str, taken: fn(&str) -> bool| {
        let rows = described.as_object().into_iter().flatten();
        let rows = rows.filter(|(name, _)| taken(name));
        let mut properties = object(rows.map(|(name, row)| (name.clone(), row.clone())));
        properties[required]["type"] = json!("string");
        properties[required]["pattern"] = json!("\\S");
        json!({"type": "object", "required": [required], "properties": properties, "additionalProperties": false})
    };
    json!({"description": "A tender, or a need that is none yet", "anyOf": [of("record_id", |name| name == "record_id"), of("gsin", |name| name != "record_id")]})
}

/// A member may be null, which is as good as absent.
fn nullable(mut schema: Value) -> Value {
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    }
    schema["type"] = json!([schema["type"], "null"]);
    schema
}

fn text() -> Value {
    json!({"type": "string", "pattern": "\\S", "maxLength": LONGEST_TEXT})
}

fn subscription() -> Value {
    let words = |name: &str| match name {
        "languages" => json!({"type": "string", "enum": Language::ALL.map(Language::code)}),
        _ => json!({"type": "string", "pattern": "\\S", "maxLength": LONGEST_KEYWORD}),
    };
    let member = |member: &Member<SubscribeParams>| {
        let mut described = match &member.shape {
            Shape::One(typed) => parameters::schema(typed),
            _ => json!({"type": "array", "maxItems": MOST_KEYWORDS, "items": words(member.name)}),
        };
        described["description"] = json!(member.about);
        (member.name, described)
    };
    json!({"type": "object", "additionalProperties": false, "properties": object(BODY.iter().map(member))})
}

fn schema(value: Value) -> Schema {
    // Anything else than an object, or true or false, allows everything.
    Schema::try_from(value).unwrap_or_default()
}
