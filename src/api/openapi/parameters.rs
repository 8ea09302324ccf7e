//! Parameters, from the table that reads them: each row a component, each alias one of its own, and which a kind takes from its schema.

use serde_json::{Value, json};

use crate::{
    api::{
        auth::Gateway,
        openapi::{answers, component, object, type_name},
        params::{
            Param, SHORTEST_NAME, Value as Typed,
            resolve::{DEEPEST_OFFSET, DEFAULT_LIMIT, sorts},
            search::{SearchParams, TABLE},
        },
        routes::{Access, Operation, Route},
    },
    entity::EntityType,
    plans::{Plan, Plans},
    query::text::LONGEST_TEXT,
    schema::Schema,
};

/// The parameter whose words depend on the kind.
const SORT_BY: &str = "sort_by";

/// Texts for `q`, the first asking for nothing: a page that fills in the first example then fills in none.
const QUERIES: [(&str, &str, &str); 5] = [
    ("none", "No text", ""),
    ("words", "All words, in either language, plural or not", "snow removal"),
    ("either", "Either word", "snow OR neige"),
    ("phrase", "An exact phrase", "\"snow removal\""),
    ("without", "The first word without the second", "snow -roof"),
];

/// Headers of a request, by component name.
const HOST: &str = "host";
const IF_NONE_MATCH: &str = "if_none_match";
const REQUEST_ID: &str = "request_id";

/// What an endpoint takes besides the id in its path.
pub fn of(route: &Route, kind: Option<EntityType>) -> Vec<Value> {
    let mut taken = Vec::new();
    if let (Operation::Search, Some(kind)) = (route.operation, kind) {
        taken.extend(taken_by(kind).flat_map(|(param, name)| {
            let sorts = (param.name == SORT_BY).then(|| component("parameters", &sort_by(kind)));
            sorts.or_else(|| Some(component("parameters", name)))
        }));
    }
    if route.operation == Operation::Record {
        taken.push(component("parameters", "record_id"));
    }
    if route.access == Access::Keyed {
        taken.push(component("parameters", HOST));
    }
    if answers::is_cacheable(route) {
        taken.push(component("parameters", IF_NONE_MATCH));
    }
    taken.push(component("parameters", REQUEST_ID));
    taken
}

/// The rows a kind takes, under each of their names.
pub fn taken_by(kind: EntityType) -> impl Iterator<Item = (&'static Param<SearchParams>, &'static str)> {
    let accepted = TABLE.iter().filter(move |param| Schema::of(kind).accepts(param.name));
    accepted.flat_map(|param| param.names().map(move |name| (param, name)))
}

/// `components/parameters`.
pub fn components(gateway: &Gateway, plans: &Plans) -> Value {
    let shared = TABLE.iter().filter(|param| param.name != SORT_BY);
    let shared = shared.flat_map(|param| param.names().map(|name| (name.to_owned(), query(param, name, plans))));
    let sorts = EntityType::ALL.map(|kind| (sort_by(kind), sorted(kind)));
    object(shared.chain(sorts).chain(others(gateway)))
}

fn sort_by(kind: EntityType) -> String {
    format!("{SORT_BY}{}", type_name(kind))
}

fn query(param: &'static Param<SearchParams>, name: &str, plans: &Plans) -> Value {
    let mut about = param.about.to_owned();
    if name != param.name {
        about = format!("Another name of `{}`; give one of them", param.name);
    }
    let mut schema = schema(&param.value);
    match name {
        "limit" => {
            schema["default"] = json!(DEFAULT_LIMIT);
            about.push_str(&page_caps(plans));
        }
        "offset" => {
            schema["default"] = json!(0);
            schema["maximum"] = json!(DEEPEST_OFFSET);
        }
        "sort_order" => schema["default"] = json!("desc"),
        _ => {}
    }
    let mut described =
        json!({"name": name, "in": "query", "description": about, "allowEmptyValue": true, "schema": schema});
    if let Typed::Query(_) = param.value {
        let examples = QUERIES.map(|(key, summary, text)| (key, json!({"summary": summary, "value": text})));
        described["examples"] = object(examples);
    }
    described
}

/// What a value may be, as far as a schema can tell.
fn schema(value: &Typed<SearchParams>) -> Value {
    match value {
        Typed::Text(_) => json!({"type": "string"}),
        Typed::NamePart(_) => json!({"type": "string", "minLength": SHORTEST_NAME}),
        Typed::Start(_) => json!({"type": "string", "minLength": 1}),
        Typed::Query(_) => json!({"type": "string", "maxLength": LONGEST_TEXT}),
        Typed::OneOf { list, .. } => json!({"type": "string", "enum": list}),
        Typed::Integer { min, max: u64::MAX, .. } => json!({"type": "integer", "minimum": min}),
        Typed::Integer { min, max, .. } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Typed::Number(_) => json!({"type": "number"}),
        Typed::Date(_) => json!({"type": "string", "format": "date"}),
    }
}

fn page_caps(plans: &Plans) -> String {
    let caps = Plan::ALL.map(|plan| format!("{} {}", plan.name(), plans.terms(plan).page_cap));
    format!(". At most, by plan: {}", caps.join(", "))
}

/// `sort_by` with the words this kind has fields for.
fn sorted(kind: EntityType) -> Value {
    let words: Vec<&str> = sorts(Schema::of(kind)).into_iter().map(|(word, _)| word).collect();
    let about = TABLE
        .iter()
        .find(|param| param.name == SORT_BY)
        .map(|param| param.about);
    json!({
        "name": SORT_BY,
        "in": "query",
        "description": about,
        "allowEmptyValue": true,
        "schema": {"type": "string", "enum": words, "default": "date"},
    })
}

/// What no table rules: the id in a path, and the headers of a request.
fn others(gateway: &Gateway) -> [(String, Value); 4] {
    let mut host = json!({"type": "string"});
    if let Some(expected) = gateway.expected_host() {
        host["enum"] = json!([expected]);
    }
    let header = |name: &str, about: &str, required: bool, schema: Value| json!({"name": name, "in": "header", "description": about, "required": required, "schema": schema});
    let record_id = json!({
        "name": "record_id",
        "in": "path",
        "required": true,
        "description": "A record's `record_id`, percent-encoded: it may hold any character, `/`, `|` and `:` among them",
        "schema": {"type": "string", "minLength": 1},
    });
    let host = header(
        gateway.host.as_str(),
        "The service's host, as a gateway sends it",
        gateway.expected_host().is_some(),
        host,
    );
    let if_none_match = header(
        "If-None-Match",
        "`ETag` of an earlier answer to the same request",
        false,
        json!({"type": "string"}),
    );
    let request_id = header(
        "X-Request-Id",
        "Your own id of the request, at most 128 visible ASCII characters; the answer repeats it",
        false,
        json!({"type": "string"}),
    );
    [
        ("record_id".to_owned(), record_id),
        (HOST.to_owned(), host),
        (IF_NONE_MATCH.to_owned(), if_none_match),
        (REQUEST_ID.to_owned(), request_id),
    ]
}
