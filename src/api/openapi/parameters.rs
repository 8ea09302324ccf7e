//! `components/parameters`: a component for each row of a parameter table and each alias, for the parts of paths, and
//! for request headers.

use serde_json::{Map, Value, json};

use crate::{
    api::{
        examples,
        params::{
            param::{Parameter, describe},
            search::TABLE,
        },
        route::{Parameters, PathParam, Route},
        routes::ROUTES,
        schema_refs::{component, type_name},
    },
    http::{auth::Gateway, kept_generations::PARAMETER},
    model::{EntityType, Plan, Plans, Schema},
};

/// References to the parameters of an operation.
pub(crate) fn of(route: &Route, of: Option<EntityType>) -> Vec<Value> {
    let mut names: Vec<String> = match route.parameters {
        Parameters::None => Vec::new(),
        Parameters::Search(taken, fixed) => {
            let of = fixed.or(of).expect("a search has an entity type");
            let is_taken = |row: &Parameter| match taken {
                Some(taken) => taken.contains(&row.name),
                None => row.docs.is_of_search(),
            };
            let form = Form {
                of,
                has_text: taken.is_none_or(|taken| taken.contains(&"q")),
                is_search: taken.is_none(),
            };
            let rows = search_rows(of).filter(is_taken);
            rows.flat_map(|row| component_names(&row, "", Some(form))).collect()
        }
        Parameters::Table(prefix, rows) => {
            let rows = rows().into_iter();
            rows.flat_map(|row| component_names(&row, prefix, None)).collect()
        }
    };
    names.extend(route.path_params.iter().map(|param| match param {
        PathParam::Text { component, .. } | PathParam::Fixed { component, .. } => (*component).to_owned(),
        PathParam::RecordId => record_id_component(of.expect("a record has an entity type")),
        PathParam::DocIndex => "doc_index".to_owned(),
    }));
    if route.takes_generation() {
        names.push(PARAMETER.to_owned());
    }
    if route.access.is_keyed() {
        names.push("host".to_owned());
    }
    if route.is_cacheable {
        names.push("if_none_match".to_owned());
    }
    names.push("request_id".to_owned());
    names.iter().map(|name| component("parameters", name)).collect()
}

/// The names and aliases of the parameters of a search.
pub(crate) fn search_names(of: EntityType) -> Vec<&'static str> {
    let rows = search_rows(of).filter(|row| row.docs.is_of_search());
    rows.flat_map(|row| row.names()).collect()
}

/// The rows that an entity type accepts, or that only some endpoints accept, whatever the entity type.
fn search_rows(of: EntityType) -> impl Iterator<Item = Parameter> {
    let schema = Schema::of(of);
    let is_accepted = |row: &Parameter| row.docs.is_only_where_listed || schema.accepts(row.name);
    describe(TABLE).into_iter().filter(is_accepted)
}

/// Which endpoints the valid values of a parameter are for.
#[derive(Clone, Copy)]
struct Form {
    of: EntityType,
    /// Whether the endpoint accepts `q`.
    has_text: bool,
    /// Whether it is the search of records.
    is_search: bool,
}

impl Form {
    const SEARCH: Form = Form {
        of: EntityType::Contract,
        has_text: true,
        is_search: true,
    };

    /// The schema of a row that differs between entity types.
    fn schema(self, row: &Parameter) -> Option<Value> {
        let schema = row.docs.by_entity_type?;
        Some(schema(Schema::of(self.of), self.has_text))
    }

    /// The description of a row that differs between entity types.
    fn about(self, row: &Parameter) -> Option<String> {
        let about = row.docs.about_by_entity_type?;
        Some(about(Schema::of(self.of), self.has_text))
    }

    /// What the component of a row has after its name.
    fn suffix(self, row: &Parameter) -> String {
        let with_text = Form { has_text: true, ..self };
        match self.schema(row) {
            None if self.is_search && row.docs.search_bounds.is_some() => "OfSearch".to_owned(),
            None => String::new(),
            schema if schema == with_text.schema(row) => type_name(self.of),
            _ => format!("{}WithoutText", type_name(self.of)),
        }
    }
}

/// The components of a row, one for each of its names. A row that differs between entity types has components for each.
fn component_names(row: &Parameter, prefix: &str, form: Option<Form>) -> Vec<String> {
    let suffix = form.map(|form| form.suffix(row)).unwrap_or_default();
    let separator = if prefix.is_empty() { "" } else { "_" };
    let component = |name| format!("{prefix}{separator}{name}{suffix}");
    row.names().map(component).collect()
}

/// The parameter that asks for an older generation.
fn generation() -> Value {
    json!({
        "name": PARAMETER,
        "in": "query",
        "description": "Id of the index to ask, as `X-Index-Generation` states it; the current one without it. One that is no longer kept gives 410",
        "schema": {"type": "string"},
        "allowEmptyValue": true,
    })
}

fn record_id_component(of: EntityType) -> String {
    format!("record_id{}", type_name(of))
}

/// `components/parameters`.
pub(crate) fn components(gateway: &Gateway, plans: &Plans) -> Map<String, Value> {
    let mut components = Map::new();
    let (varying, common): (Vec<_>, Vec<_>) = describe(TABLE)
        .into_iter()
        .partition(|row| row.docs.by_entity_type.is_some());
    add_rows(&mut components, &common, "", None, plans);
    let of_search = common.into_iter().filter(|row| row.docs.search_bounds.is_some());
    let of_search: Vec<Parameter> = of_search.collect();
    add_rows(&mut components, &of_search, "", Some(Form::SEARCH), plans);
    for of in EntityType::ALL {
        add_rows(&mut components, &varying, "", Some(Form { of, ..Form::SEARCH }), plans);
    }
    // Profiles, which are of contracts, have no text.
    let of = EntityType::Contract;
    let without_text = Form {
        of,
        has_text: false,
        is_search: false,
    };
    add_rows(&mut components, &varying, "", Some(without_text), plans);
    for route in ROUTES.iter().filter(|route| route.is_described()) {
        if let Parameters::Table(prefix, rows) = route.parameters {
            add_rows(&mut components, &rows(), prefix, None, plans);
        }
    }
    for route in ROUTES.iter().filter(|route| route.is_described()) {
        for (_, of) in route.endpoint.templates() {
            components.extend(route.path_params.iter().map(|param| path_param(param, of)));
        }
    }
    components.insert(PARAMETER.to_owned(), generation());
    components.extend(request_headers(gateway));
    components
}

fn add_rows(components: &mut Map<String, Value>, rows: &[Parameter], prefix: &str, form: Option<Form>, plans: &Plans) {
    for row in rows {
        for (component, name) in component_names(row, prefix, form).into_iter().zip(row.names()) {
            components.insert(component, query_param(row, name, form, plans));
        }
    }
}

/// A row under one of its names.
fn query_param(row: &Parameter, name: &str, form: Option<Form>, plans: &Plans) -> Value {
    let docs = &row.docs;
    let of_form = form.and_then(|form| form.about(row));
    let mut about = of_form.unwrap_or_else(|| row.about.to_owned());
    if name != row.name {
        about = format!("Another name of `{}`; give one of them", row.name);
    }
    if docs.is_capped_by_plan {
        let caps = Plan::ALL.map(|plan| format!("{} {}", plan.name(), plans.limits(plan).page_cap));
        about.push_str(&format!(". Maximum by plan: {}", caps.join(", ")));
    }
    let of_form = form.and_then(|form| form.schema(row));
    let mut schema = of_form.unwrap_or_else(|| row.schema.clone());
    let of_search = docs.search_bounds.filter(|_| form.is_some_and(|form| form.is_search));
    if let Some(Value::Object(bounds)) = of_search.or(docs.bounds).map(|bounds| bounds()) {
        for (keyword, bound) in bounds {
            schema[keyword] = bound;
        }
    }
    if let Some(default) = docs.default {
        schema["default"] = default();
    }
    let mut described = json!({"name": name, "in": "query", "description": about, "schema": schema});
    if docs.is_required {
        described["required"] = json!(true);
    } else {
        described["allowEmptyValue"] = json!(true);
    }
    if let Some((of, field)) = docs.example {
        described["example"] = examples::record(of)[field].clone();
    }
    for (key, summary, value) in docs.examples {
        described["examples"][key] = json!({"summary": summary, "value": value});
    }
    described
}

/// The component of a part of a path, with an example from the sample data.
fn path_param(param: &PathParam, of: Option<EntityType>) -> (String, Value) {
    let text = |component: &str, name: &str, about: &str, example: &Value| {
        let described = json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": format!("{about}. Percent-encoded: it may contain any character, including `/`"),
            "schema": {"type": "string", "minLength": 1},
            "example": example,
        });
        (component.to_owned(), described)
    };
    match param {
        PathParam::Text {
            component,
            name,
            about,
            example,
        } => text(component, name, about, &examples::record(EntityType::Contract)[example]),
        PathParam::Fixed {
            component,
            name,
            about,
            example,
        } => text(component, name, about, &json!(example)),
        PathParam::RecordId => {
            let of = of.expect("a record has an entity type");
            let about = "A record's `record_id`; `stats` and `coverage` are endpoints instead";
            let example = &examples::record(of)["record_id"];
            text(&record_id_component(of), "record_id", about, example)
        }
        PathParam::DocIndex => {
            let described = json!({
                "name": "doc_index",
                "in": "path",
                "required": true,
                "description": "Index of the document in the tender's list, from 0",
                "schema": {"type": "integer", "minimum": 0},
                "example": 0,
            });
            ("doc_index".to_owned(), described)
        }
    }
}

/// The headers of a request.
fn request_headers(gateway: &Gateway) -> [(String, Value); 3] {
    let header = |component: &str, name: &str, about: &str| {
        let described = json!({
            "name": name,
            "in": "header",
            "description": about,
            "required": false,
            "schema": {"type": "string"},
        });
        (component.to_owned(), described)
    };
    let mut host = header(
        "host",
        gateway.host.as_str(),
        "The service's host, as a gateway sends it",
    );
    if let Some(expected) = gateway.expected_host() {
        host.1["required"] = json!(true);
        host.1["schema"]["enum"] = json!([expected]);
    }
    let if_none_match = header(
        "if_none_match",
        "If-None-Match",
        "`ETag` of a previous response to the same request",
    );
    let request_id = header(
        "request_id",
        "X-Request-Id",
        "Your own id of the request: up to 128 visible ASCII characters, without `@` and without an API key; the response repeats it, or has a new one in place of any other",
    );
    [host, if_none_match, request_id]
}
