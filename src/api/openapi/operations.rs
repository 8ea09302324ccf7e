//! Paths, from the route table: each row is described under every path it has, with GET also as HEAD.

use serde_json::{Map, Value, json};

use crate::{
    api::{
        openapi::{SERVICE, answers, component, object, parameters, type_name},
        routes::{Access, Operation, ROUTES, Route},
    },
    entity::EntityType,
};

/// `paths`.
pub fn paths() -> Value {
    let mut paths = Map::new();
    for route in ROUTES.iter().filter(|route| route.operation != Operation::PageAsset) {
        for (path, kind) in route.endpoint.templates() {
            let item = paths.entry(path).or_insert_with(|| json!({}));
            item[route.method.as_str().to_lowercase()] = get(route, kind);
            if route.method == "GET" {
                item["head"] = head(route, kind);
            }
        }
    }
    Value::Object(paths)
}

fn get(route: &Route, kind: Option<EntityType>) -> Value {
    let answers = answers::of(route, content(route, kind), links(route, kind));
    operation(route, kind, "", "", answers)
}

fn head(route: &Route, kind: Option<EntityType>) -> Value {
    operation(route, kind, "Head", ", the headers only", answers::of_head(route))
}

fn operation(route: &Route, kind: Option<EntityType>, suffix: &str, note: &str, answers: Value) -> Value {
    let mut operation = json!({
        "operationId": id(route.operation, kind) + suffix,
        "tags": [kind.map_or(SERVICE, EntityType::name)],
        "summary": format!("{}{note}", route.about),
        "parameters": parameters::of(route, kind),
        "responses": answers,
    });
    if route.access == Access::Keyless {
        operation["security"] = json!([]);
    }
    operation
}

/// What generated clients call an operation; it never changes.
fn id(operation: Operation, kind: Option<EntityType>) -> String {
    let verb = match operation {
        Operation::Health => "getHealth",
        Operation::Sources => "listSources",
        Operation::Vendors => "listVendors",
        Operation::Departments => "listDepartments",
        Operation::VendorProfile => "getVendor",
        Operation::DepartmentProfile => "getDepartment",
        Operation::Procurement => "getProcurement",
        Operation::Stats => "statsOf",
        Operation::Document => "getDocumentOf",
        Operation::Search => "search",
        Operation::Coverage => "coverageOf",
        Operation::Record => "get",
        Operation::Description => "getDescription",
        Operation::Docs | Operation::PageAsset => "getDocs",
    };
    verb.to_owned() + &kind.map(type_name).unwrap_or_default()
}

/// Records of the sample data, one a kind.
const EXAMPLES: &str = include_str!("examples.json");

/// A cursor as the service hands them out.
const CURSOR: &str = "AfxZA-CzAfzycgEACWVkZ2V8aHVnZQ";

fn content(route: &Route, kind: Option<EntityType>) -> Value {
    let of_kind = |suffix: &str| kind.map(type_name).unwrap_or_default() + suffix;
    let schema = match route.operation {
        Operation::Health => component("schemas", "Health"),
        Operation::Sources => component("schemas", "Sources"),
        Operation::Search => component("schemas", &of_kind("Page")),
        Operation::Coverage => component("schemas", "KindCoverage"),
        Operation::Record => component("schemas", &of_kind("")),
        Operation::Vendors
        | Operation::Departments
        | Operation::VendorProfile
        | Operation::DepartmentProfile
        | Operation::Procurement
        | Operation::Stats
        | Operation::Document => json!({"type": "object"}),
        Operation::Description => json!({"type": "object", "required": ["openapi", "info", "paths"]}),
        Operation::Docs | Operation::PageAsset => return json!({"text/html": {"schema": {"type": "string"}}}),
    };
    let mut body = json!({"schema": schema});
    if let Some(example) = kind.and_then(|kind| example(route.operation, kind)) {
        body["example"] = example;
    }
    json!({"application/json": body})
}

fn example(operation: Operation, kind: EntityType) -> Option<Value> {
    // The file is part of the binary; a test finds each of its records in the sample.
    let records: Value = serde_json::from_str(EXAMPLES).ok()?;
    let record = records.get(kind.name())?;
    match operation {
        Operation::Record => Some(record.clone()),
        Operation::Search => Some(json!({
            "entity_type": kind,
            "count": 1,
            "offset": 0,
            "next_cursor": CURSOR,
            "results": [record],
        })),
        _ => None,
    }
}

/// Where an answer leads: from a page to its records and the next page, from the covered slugs to a search.
fn links(route: &Route, kind: Option<EntityType>) -> Option<Value> {
    let kind = kind?;
    let search = id(Operation::Search, Some(kind));
    let links = match route.operation {
        Operation::Search => {
            let asked = parameters::taken_by(kind).filter(|(param, _)| !matches!(param.name, "cursor" | "offset"));
            let repeated = asked.map(|(_, name)| (name, json!(format!("$request.query.{name}"))));
            let cursor = ("cursor", json!("$response.body#/next_cursor"));
            [
                (
                    "record",
                    json!({
                        "operationId": id(Operation::Record, Some(kind)),
                        "description": "The first record of the page",
                        "parameters": {"record_id": "$response.body#/results/0/record_id"},
                    }),
                ),
                (
                    "next",
                    json!({
                        "operationId": search,
                        "description": "The next page: the same search, with the cursor",
                        "parameters": object(repeated.chain([cursor])),
                    }),
                ),
            ]
            .to_vec()
        }
        Operation::Coverage => vec![(
            "search",
            json!({
                "operationId": search,
                "description": "The records of the first municipality",
                "parameters": {"municipality": "$response.body#/results/0/municipality"},
            }),
        )],
        _ => return None,
    };
    Some(object(links))
}
