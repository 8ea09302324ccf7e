//! Parameters, from the tables that read them: each row a component, each alias one of its own, and which a kind takes from its schema.

use serde_json::{Value, json};

use crate::{
    http::{
        auth::Gateway,
        handlers::names::{self, SHORTEST_VENDOR},
        openapi::{answers, component, object, operations::record, type_name},
        params::{
            Param, SHORTEST_NAME, Value as Typed,
            alerts::{QUERY, UNSUBSCRIBE},
            feed,
            names::{DEPARTMENTS, VENDORS},
            procurement,
            resolve::{DEEPEST_OFFSET, DEFAULT_LIMIT, facets_of, sorts},
            search::{DEPARTMENT_PROFILE, FILTERS, SearchParams, TABLE, VENDOR_PROFILE},
        },
        routes::{Operation, Route},
    },
    model::{
        entity_type::EntityType,
        facet::Facet,
        plans::{Plan, Plans},
        schema::Schema,
    },
    query::text::MAX_QUERY_CHARS,
    state::subscriptions::{Frequency, Locale},
};

/// The parameters whose words depend on the kind.
const SORT_BY: &str = "sort_by";
const FACETS: &str = "facets";

/// What stands in a path, by component name.
const RECORD_ID: &str = "record_id";
const DOC_INDEX: &str = "doc_index";
const VENDOR_NAME: &str = "vendor_name";
const DEPARTMENT_NAME: &str = "department_name";
const SOLICITATION_NUMBER: &str = "solicitation_number";

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

/// The endpoints that read one table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Search,
    Vendors,
    Departments,
    Procurement,
    Feed,
    Subscribe,
    Unsubscribe,
}

/// What an endpoint takes.
pub fn of(route: &Route, kind: Option<EntityType>) -> Vec<Value> {
    let mut taken: Vec<String> = match route.operation {
        Operation::Search => searched(kind, |_| true),
        Operation::Stats => searched(kind, |name| FILTERS.contains(&name)),
        Operation::VendorProfile => searched(Some(EntityType::Contract), |name| VENDOR_PROFILE.contains(&name)),
        Operation::DepartmentProfile => searched(Some(EntityType::Contract), |name| DEPARTMENT_PROFILE.contains(&name)),
        Operation::Vendors => components_of(Family::Vendors, VENDORS),
        Operation::Departments => components_of(Family::Departments, DEPARTMENTS),
        Operation::Procurement => components_of(Family::Procurement, procurement::TABLE),
        Operation::Feed => components_of(Family::Feed, feed::TABLE),
        Operation::Subscribe => components_of(Family::Subscribe, QUERY),
        Operation::Unsubscribe | Operation::UnsubscribeOneClick => components_of(Family::Unsubscribe, UNSUBSCRIBE),
        _ => Vec::new(),
    };
    let record_id = || kind.map(|kind| of_kind(RECORD_ID, kind));
    taken.extend(
        match route.operation {
            Operation::Record => vec![record_id()],
            Operation::Document => vec![record_id(), Some(DOC_INDEX.to_owned())],
            Operation::VendorProfile => vec![Some(VENDOR_NAME.to_owned())],
            Operation::DepartmentProfile => vec![Some(DEPARTMENT_NAME.to_owned())],
            Operation::Procurement => vec![Some(SOLICITATION_NUMBER.to_owned())],
            _ => Vec::new(),
        }
        .into_iter()
        .flatten(),
    );
    if route.access.is_keyed() {
        taken.push(HOST.to_owned());
    }
    if answers::is_cacheable(route) {
        taken.push(IF_NONE_MATCH.to_owned());
    }
    taken.push(REQUEST_ID.to_owned());
    taken.iter().map(|name| component("parameters", name)).collect()
}

/// The rows a kind takes, under each of their names.
pub fn taken_by(kind: EntityType) -> impl Iterator<Item = (&'static Param<SearchParams>, &'static str)> {
    let accepted = TABLE.iter().filter(move |param| Schema::of(kind).accepts(param.name));
    accepted.flat_map(|param| param.names().map(move |name| (param, name)))
}

/// The components of those that an endpoint takes of the rows of a search.
fn searched(kind: Option<EntityType>, is_taken: fn(&str) -> bool) -> Vec<String> {
    let rows = kind
        .into_iter()
        .flat_map(|kind| taken_by(kind).map(move |row| (kind, row)));
    rows.filter(|(_, (param, _))| is_taken(param.name))
        .map(|(kind, (param, name))| match is_of_kind(param.name) {
            true => of_kind(name, kind),
            false => name.to_owned(),
        })
        .collect()
}

fn components_of<P>(family: Family, table: &[Param<P>]) -> Vec<String> {
    let names = table.iter().flat_map(Param::names);
    names.map(|name| family.component(name)).collect()
}

/// `components/parameters`.
pub fn components(gateway: &Gateway, plans: &Plans) -> Value {
    let shared = TABLE.iter().filter(|param| !is_of_kind(param.name));
    let searches = described(Family::Search, shared, plans);
    let varying = EntityType::ALL.into_iter().flat_map(|kind| {
        let varying = TABLE.iter().filter(|param| is_of_kind(param.name));
        varying.map(move |param| (of_kind(param.name, kind), query_of_kind(param, kind)))
    });
    object(
        searches
            .into_iter()
            .chain(varying)
            .chain(described(Family::Vendors, VENDORS, plans))
            .chain(described(Family::Departments, DEPARTMENTS, plans))
            .chain(described(Family::Procurement, procurement::TABLE, plans))
            .chain(described(Family::Feed, feed::TABLE, plans))
            .chain(described(Family::Subscribe, QUERY, plans))
            .chain(described(Family::Unsubscribe, UNSUBSCRIBE, plans))
            .chain(in_paths())
            .chain(headers(gateway)),
    )
}

/// Whether a parameter's words depend on the kind.
fn is_of_kind(name: &str) -> bool {
    matches!(name, SORT_BY | FACETS)
}

fn of_kind(name: &str, kind: EntityType) -> String {
    format!("{name}{}", type_name(kind))
}

impl Family {
    fn component(self, name: &str) -> String {
        let family = match self {
            Family::Search => return name.to_owned(),
            Family::Vendors => "vendors",
            Family::Departments => "departments",
            Family::Procurement => "procurement",
            Family::Feed => "feed",
            Family::Subscribe => "subscribe",
            Family::Unsubscribe => "unsubscribe",
        };
        format!("{family}_{name}")
    }
}

fn described<P: 'static>(
    family: Family,
    table: impl IntoIterator<Item = &'static Param<P>>,
    plans: &Plans,
) -> Vec<(String, Value)> {
    let rows = table
        .into_iter()
        .flat_map(|param| param.names().map(move |name| (param, name)));
    rows.map(|(param, name)| (family.component(name), query(family, param, name, plans)))
        .collect()
}

fn query<P>(family: Family, param: &Param<P>, name: &str, plans: &Plans) -> Value {
    let mut about = param.about.to_owned();
    if name != param.name {
        about = format!("Another name of `{}`; give one of them", param.name);
    }
    let mut schema = schema(&param.value);
    // What no row says of itself: what an absent value means, and bounds that another rule sets.
    match (family, name) {
        (Family::Search | Family::Procurement | Family::Feed, "limit") => {
            schema["default"] = json!(DEFAULT_LIMIT);
            about.push_str(&page_caps(plans));
        }
        (Family::Search, "offset") => {
            schema["default"] = json!(0);
            schema["maximum"] = json!(DEEPEST_OFFSET);
        }
        (Family::Feed, "days_back") => schema["default"] = json!(feed::DAYS_BACK),
        (Family::Feed, "languages") => {
            schema["default"] = json!(feed::LANGUAGES);
            schema["pattern"] = json!("^( *,)* *(en|fr) *(, *(en|fr)? *)*$");
        }
        (Family::Feed, "keywords") => schema["maxLength"] = json!(MAX_QUERY_CHARS),
        (Family::Search, "sort_order") => schema["default"] = json!("desc"),
        (Family::Search, "include_total") => schema["default"] = json!(false),
        (Family::Vendors | Family::Departments, "limit") => schema["default"] = json!(names::DEFAULT_LIMIT),
        (Family::Vendors | Family::Departments, "offset") => schema["default"] = json!(0),
        (Family::Vendors, "q") => schema["minLength"] = json!(SHORTEST_VENDOR),
        (Family::Subscribe, "frequency") => schema["default"] = json!(Frequency::default().name()),
        (Family::Subscribe, "locale") => schema["default"] = json!(Locale::default().name()),
        _ => {}
    }
    let mut described = json!({"name": name, "in": "query", "description": about, "schema": schema});
    let contract = |field: &str| record(EntityType::Contract)[field].clone();
    match (family, name) {
        (Family::Vendors, "q") => {
            described["required"] = json!(true);
            described["example"] = contract("vendor_name");
        }
        (Family::Departments, "q") => described["example"] = contract("department_en"),
        (Family::Unsubscribe, "token") => {
            described["required"] = json!(true);
            described["schema"]["pattern"] = json!("\\S");
        }
        (_, _) => {}
    }
    if described.get("required").is_none() {
        described["allowEmptyValue"] = json!(true);
    }
    if let Typed::Query(_) = param.value {
        let examples = QUERIES.map(|(key, summary, text)| (key, json!({"summary": summary, "value": text})));
        described["examples"] = object(examples);
    }
    described
}

/// What a value may be, as far as a schema can tell.
pub fn schema<P>(value: &Typed<P>) -> Value {
    match value {
        Typed::Text(_) => json!({"type": "string"}),
        Typed::NamePart(_) => json!({"type": "string", "minLength": SHORTEST_NAME}),
        Typed::Start(_) => json!({"type": "string", "minLength": 1}),
        Typed::Keyword(_) => json!({"type": "string", "maxLength": MAX_QUERY_CHARS}),
        Typed::Email(_) => json!({"type": "string", "format": "email"}),
        Typed::Query(_) => json!({"type": "string", "maxLength": MAX_QUERY_CHARS}),
        Typed::OneOf {
            list: ["true", "false"],
            ..
        } => json!({"type": "boolean"}),
        Typed::OneOf { list, .. } => json!({"type": "string", "enum": list}),
        Typed::Integer { min, max: u64::MAX, .. } => json!({"type": "integer", "minimum": min}),
        Typed::Integer { min, max, .. } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Typed::Number(_) => json!({"type": "number"}),
        Typed::Date(_) => json!({"type": "string", "format": "date"}),
    }
}

fn page_caps(plans: &Plans) -> String {
    let caps = Plan::ALL.map(|plan| format!("{} {}", plan.name(), plans.limits(plan).page_cap));
    format!(". At most, by plan: {}", caps.join(", "))
}

/// A parameter with the words this kind has fields for.
fn query_of_kind(param: &Param<SearchParams>, kind: EntityType) -> Value {
    let of_kind = Schema::of(kind);
    let schema = match param.name {
        SORT_BY => {
            let words: Vec<&str> = sorts(of_kind).into_iter().map(|(word, _)| word).collect();
            json!({"type": "string", "enum": words, "default": "date"})
        }
        // No array: what many generators make of one is the parameter given several times.
        _ => {
            let words: Vec<&str> = facets_of(of_kind).into_iter().map(Facet::name).collect();
            let word = format!(" *({})? *", words.join("|"));
            json!({"type": "string", "pattern": format!("^{word}(,{word})*$")})
        }
    };
    let mut described = json!({"name": param.name, "in": "query", "description": param.about, "allowEmptyValue": true, "schema": schema});
    if param.name == FACETS {
        let none = json!({"summary": "None", "value": ""});
        let some = json!({"summary": "Two of them", "value": "municipality,year"});
        described["examples"] = json!({"none": none, "some": some});
    }
    described
}

/// What stands in a path, with examples out of the sample data.
fn in_paths() -> Vec<(String, Value)> {
    let text = |component: &str, name: &str, about: &str, kind: EntityType, field: &str| {
        let described = json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": format!("{about}. Percent-encoded: it may hold any character, `/` among them"),
            "schema": {"type": "string", "minLength": 1},
            "example": record(kind)[field],
        });
        (component.to_owned(), described)
    };
    let id = |kind| {
        text(
            &of_kind(RECORD_ID, kind),
            RECORD_ID,
            "A record's `record_id`; `stats` and `coverage` are endpoints instead",
            kind,
            RECORD_ID,
        )
    };
    let doc_index = json!({
        "name": DOC_INDEX,
        "in": "path",
        "required": true,
        "description": "Place of the document in the tender's list",
        "schema": {"type": "integer", "minimum": 0},
        "example": 0,
    });
    let named = [
        (DOC_INDEX.to_owned(), doc_index),
        text(
            VENDOR_NAME,
            "name",
            "A vendor's whole name, however accents, case and punctuation are written; `/vendors` finds it",
            EntityType::Contract,
            "vendor_name",
        ),
        text(
            DEPARTMENT_NAME,
            "name",
            "A department's whole name, in English, in French, or as `English | French`; `/departments` finds it",
            EntityType::Contract,
            "department_en",
        ),
        text(
            SOLICITATION_NUMBER,
            SOLICITATION_NUMBER,
            "A solicitation number, however case and punctuation are written",
            EntityType::Contract,
            SOLICITATION_NUMBER,
        ),
    ];
    EntityType::ALL.map(id).into_iter().chain(named).collect()
}

/// The headers of a request.
fn headers(gateway: &Gateway) -> [(String, Value); 3] {
    let mut host = json!({"type": "string"});
    if let Some(expected) = gateway.expected_host() {
        host["enum"] = json!([expected]);
    }
    let header = |name: &str, about: &str, required: bool, schema: Value| json!({"name": name, "in": "header", "description": about, "required": required, "schema": schema});
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
        (HOST.to_owned(), host),
        (IF_NONE_MATCH.to_owned(), if_none_match),
        (REQUEST_ID.to_owned(), request_id),
    ]
}
