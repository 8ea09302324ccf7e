//! Paths, from the route table: each row is described under every path it has, with GET also as HEAD.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::{
    http::{
        openapi::{ALERTS, PARTIES, PRO, SERVICE, answers, bodies, component, object, parameters, type_name},
        routes::{Operation, ROUTES, Route},
    },
    model::{
        entity_type::EntityType,
        schema::{Role, Schema},
    },
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
        "tags": [kind.map_or_else(|| tag(route.operation), EntityType::name)],
        "summary": format!("{}{note}", route.about),
        "parameters": parameters::of(route, kind),
        "responses": answers,
    });
    if !route.access.is_keyed() {
        operation["security"] = json!([]);
    }
    if let Some(body) = bodies::request(route.operation) {
        operation["requestBody"] = body;
    }
    operation
}

/// What is not of one kind belongs to.
fn tag(operation: Operation) -> &'static str {
    match operation {
        Operation::Vendors
        | Operation::Departments
        | Operation::VendorProfile
        | Operation::DepartmentProfile
        | Operation::Procurement => PARTIES,
        Operation::Feed | Operation::Estimate | Operation::Comps => PRO,
        Operation::Subscribe | Operation::Unsubscribe | Operation::UnsubscribeOneClick => ALERTS,
        _ => SERVICE,
    }
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
        Operation::Feed => "feedOfTenders",
        Operation::Estimate => "estimateTenders",
        Operation::Comps => "compareTenders",
        Operation::Subscribe => "subscribe",
        Operation::Unsubscribe => "unsubscribe",
        Operation::UnsubscribeOneClick => "unsubscribeOneClick",
        Operation::Description => "getDescription",
        Operation::Docs | Operation::PageAsset => "getDocs",
    };
    verb.to_owned() + &kind.map(type_name).unwrap_or_default()
}

/// Records of the sample data, one by kind, and what is answered about them, by operation.
static EXAMPLES: LazyLock<Value> = LazyLock::new(|| {
    // The file is part of the binary; tests find each of its records, and each of its answers, in the sample.
    serde_json::from_str(include_str!("examples.json")).unwrap_or_default()
});

/// The example of a kind.
pub fn record(kind: EntityType) -> &'static Value {
    &EXAMPLES[kind.name()]
}

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
        Operation::Vendors => component("schemas", "VendorNames"),
        Operation::Departments => component("schemas", "DepartmentNames"),
        Operation::VendorProfile => component("schemas", "VendorProfile"),
        Operation::DepartmentProfile => component("schemas", "DepartmentProfile"),
        Operation::Procurement => component("schemas", "Procurement"),
        Operation::Stats => component("schemas", "Stats"),
        Operation::Document => component("schemas", "TenderDocument"),
        Operation::Feed => component("schemas", "Feed"),
        Operation::Estimate => component("schemas", "EstimateAnswers"),
        Operation::Comps => component("schemas", "CompsAnswers"),
        Operation::Subscribe => component("schemas", "Subscribed"),
        Operation::Unsubscribe | Operation::UnsubscribeOneClick => component("schemas", "Unsubscribed"),
        Operation::Description => json!({"type": "object", "required": ["openapi", "info", "paths"]}),
        Operation::Docs | Operation::PageAsset => return json!({"text/html": {"schema": {"type": "string"}}}),
    };
    let mut body = json!({"schema": schema});
    if let Some(example) = example(route.operation, kind) {
        body["example"] = example;
    }
    json!({"application/json": body})
}

fn example(operation: Operation, kind: Option<EntityType>) -> Option<Value> {
    match (operation, kind) {
        (Operation::Record, Some(kind)) => Some(record(kind).clone()),
        (Operation::Search, Some(kind)) => Some(json!({
            "entity_type": kind,
            "count": 1,
            "offset": 0,
            "next_cursor": CURSOR,
            "results": [record(kind)],
        })),
        _ => EXAMPLES.get(id(operation, kind)).cloned(),
    }
}

/// Where an answer leads: from a page to its records and the next page, from what has a name or a number to what is known of it.
fn links(route: &Route, kind: Option<EntityType>) -> Option<Value> {
    let link = |name, to: Operation, kind, about: &str, parameters: &[(&str, &str)]| {
        let parameters = object(parameters.iter().map(|(name, value)| (*name, json!(value))));
        let link = json!({"operationId": id(to, kind), "description": about, "parameters": parameters});
        (name, link)
    };
    let links = match (route.operation, kind) {
        (Operation::Search, Some(of)) => {
            let asked = parameters::taken_by(of).filter(|(param, _)| !matches!(param.name, "cursor" | "offset"));
            let repeated: Vec<_> = asked
                .map(|(_, name)| (name, format!("$request.query.{name}")))
                .collect();
            let mut next = vec![("cursor", "$response.body#/next_cursor")];
            next.extend(repeated.iter().map(|(name, value)| (*name, value.as_str())));
            let first = [("record_id", "$response.body#/results/0/record_id")];
            vec![
                link(
                    "record",
                    Operation::Record,
                    kind,
                    "The first record of the page",
                    &first,
                ),
                link(
                    "next",
                    Operation::Search,
                    kind,
                    "The next page: the same search, with the cursor",
                    &next,
                ),
            ]
        }
        (Operation::Coverage, _) => {
            let first = [("municipality", "$response.body#/results/0/municipality")];
            let about = "The records of the first municipality";
            vec![link("search", Operation::Search, kind, about, &first)]
        }
        (Operation::Vendors, _) => {
            let first = [("name", "$response.body#/results/0/vendor")];
            vec![link(
                "vendor",
                Operation::VendorProfile,
                None,
                "The first vendor's contracts",
                &first,
            )]
        }
        (Operation::Departments, _) => {
            let first = [("name", "$response.body#/results/0/department")];
            let about = "The first department's contracts, if it has any";
            vec![link("department", Operation::DepartmentProfile, None, about, &first)]
        }
        (Operation::Record, Some(of)) => {
            let mut links = Vec::new();
            if of == EntityType::Contract {
                let vendor = [("name", "$response.body#/vendor_name")];
                links.push(link(
                    "vendor",
                    Operation::VendorProfile,
                    None,
                    "The vendor's contracts",
                    &vendor,
                ));
            }
            if Schema::of(of).has_role(Role::SolicitationNumber) {
                let number = [("solicitation_number", "$response.body#/solicitation_number")];
                let about = "All records of the same solicitation";
                links.push(link("procurement", Operation::Procurement, None, about, &number));
            }
            if of == EntityType::Tender {
                let first = [
                    ("record_id", "$request.path.record_id"),
                    ("doc_index", "$response.body#/documents/0/doc_index"),
                ];
                links.push(link(
                    "document",
                    Operation::Document,
                    kind,
                    "The first document",
                    &first,
                ));
            }
            links
        }
        _ => return None,
    };
    (!links.is_empty()).then(|| object(links))
}
