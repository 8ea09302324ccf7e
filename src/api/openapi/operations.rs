//! `paths`: each route under every path it has, GET also as HEAD.

use serde_json::{Map, Value, json};

use crate::{
    api::{
        examples,
        openapi::{parameters, responses, schemas},
        route::{Access, Answer, Body, Link, Route, Verb},
        routes::ROUTES,
        schema_refs::{component, type_name},
    },
    model::EntityType,
};

pub(crate) fn paths() -> Value {
    let mut paths = json!({});
    for route in ROUTES.iter().filter(|route| route.is_described()) {
        for (path, of) in route.endpoint.templates() {
            let item = &mut paths[path];
            let responses = responses::of(route, content(route, of), links(route, of));
            item[route.verb.as_str().to_lowercase()] = operation(route, of, "", "", responses);
            if route.verb == Verb::Get {
                let responses = responses::of_head(route);
                item["head"] = operation(route, of, "Head", ", headers only", responses);
            }
        }
    }
    paths
}

fn operation(route: &Route, of: Option<EntityType>, suffix: &str, note: &str, responses: Value) -> Value {
    let mut operation = json!({
        "operationId": id(route, of) + suffix,
        "tags": [of.map_or(route.tag.name(), EntityType::name)],
        "summary": format!("{}{note}", route.about),
        "parameters": parameters::of(route, of),
        "responses": responses,
    });
    if !route.access.is_in_header() {
        operation["security"] = json!([]);
    }
    if let Some(body) = request_body(route) {
        operation["requestBody"] = body;
    }
    operation
}

fn id(route: &Route, of: Option<EntityType>) -> String {
    let by_token = if route.access == Access::Token { "ByToken" } else { "" };
    route.id.to_owned() + &of.map(type_name).unwrap_or_default() + by_token
}

fn request_body(route: &Route) -> Option<Value> {
    match route.body {
        Body::None => None,
        // Mail programs send a form, whose members are ignored.
        Body::Ignored => Some(json!({
            "required": false,
            "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}},
        })),
        Body::Form(members) => {
            let member = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
            let properties: Map<String, Value> = members.iter().map(member).collect();
            let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
            Some(json!({"required": false, "content": {"application/x-www-form-urlencoded": {"schema": schema}}}))
        }
        Body::Json {
            is_required,
            schema,
            example,
        } => {
            let schema = schema(&mut schemas::request_generator());
            let content = json!({"application/json": {"schema": schema, "example": example()}});
            Some(json!({"required": is_required, "content": content}))
        }
    }
}

/// The content of the 200 response.
fn content(route: &Route, of: Option<EntityType>) -> Value {
    let of_entity_type = |suffix: &str| component("schemas", &(of.map(type_name).unwrap_or_default() + suffix));
    let (schema, example) = match route.answer {
        Answer::Record => (of_entity_type(""), of.map(|of| examples::record(of).clone())),
        Answer::Page => (of_entity_type("Page"), of.map(examples::page)),
        Answer::Json(schema) | Answer::JsonOrText(schema, _) => {
            let schema = schema(&mut schemas::response_generator());
            (schema.to_value(), examples::response(&id(route, of)).cloned())
        }
        Answer::Export => {
            let text = |about: &str| json!({"schema": {"type": "string", "description": about}});
            return json!({
                "application/x-ndjson": text("One record on each line, in the bytes of the search"),
                "application/vnd.apache.parquet": text("Apache Parquet: typed columns"),
                "text/csv": text("A row of names, and a row for each record (RFC 4180)"),
            });
        }
        Answer::Html | Answer::Asset | Answer::File => return json!({"text/html": responses::page()}),
    };
    let mut body = json!({"schema": schema});
    if let Some(example) = example {
        body["example"] = example;
    }
    let mut content = json!({"application/json": body});
    if let Answer::JsonOrText(_, types) = route.answer {
        for media_type in types {
            let is_json = media_type.ends_with("+json");
            content[*media_type] = json!({"schema": {"type": if is_json { "array" } else { "string" }}});
        }
    }
    if route.shows_pages {
        content["text/html"] = responses::page();
    }
    content
}

fn links(route: &Route, of: Option<EntityType>) -> Map<String, Value> {
    let links = route.links.iter().filter(|link| of.is_none_or(link.of));
    links.map(|row| (row.name.to_owned(), link(row, of))).collect()
}

fn link(link: &Link, of: Option<EntityType>) -> Value {
    let target = ROUTES.iter().find(|route| route.id == link.to);
    let target = target.expect("a link names a route of the table");
    let has_entity_type = target.endpoint.templates().iter().any(|(_, of)| of.is_some());
    let mut parameters = Map::new();
    for (name, value) in link.parameters {
        parameters.insert((*name).to_owned(), json!(value));
    }
    if link.repeats_query {
        for name in of.into_iter().flat_map(parameters::search_names) {
            if !matches!(name, "cursor" | "offset") {
                parameters.insert(name.to_owned(), json!(format!("$request.query.{name}")));
            }
        }
    }
    json!({
        "operationId": id(target, of.filter(|_| has_entity_type)),
        "description": link.about,
        "parameters": parameters,
    })
}
