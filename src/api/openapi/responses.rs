//! The responses of an operation, and the components they share.

use serde_json::{Map, Value, json};

use crate::{
    api::{
        openapi::{errors, headers},
        route::{ErrorResponse, RateLimitHeaders, Route},
        routes::ROUTES,
        schema_refs::component,
    },
    http::auth::Gateway,
};

/// The responses of an endpoint, by status; `content` and `links` are those of the 200.
pub(crate) fn of(route: &'static Route, content: Value, links: Map<String, Value>) -> Value {
    let mut success = json!({"description": "Found", "headers": headers::of_success(route), "content": content});
    if !links.is_empty() {
        success["links"] = Value::Object(links);
    }
    let mut responses = success_and_not_modified(route, success);
    for error in errors::of(route) {
        responses[error.status] = component("responses", error.name);
    }
    responses
}

/// The responses to HEAD, which have no bodies.
pub(crate) fn of_head(route: &Route) -> Value {
    let success = json!({"description": "Found", "headers": headers::of_success(route)});
    let mut responses = success_and_not_modified(route, success);
    responses["4XX"] = component("responses", "Bodiless");
    responses["5XX"] = component("responses", "Bodiless");
    responses
}

fn success_and_not_modified(route: &Route, success: Value) -> Value {
    let mut responses = json!({"200": success});
    if route.is_cacheable {
        let name = if route.access.is_keyed() {
            "NotModified"
        } else {
            "NotModifiedPage"
        };
        responses["304"] = component("responses", name);
    }
    responses
}

/// `components/responses`.
pub(crate) fn components(gateway: &Gateway) -> Map<String, Value> {
    let mut components = Map::new();
    let shared = errors::SHARED.iter().map(|shared| (&shared.response, false));
    let own = ROUTES.iter().filter(|route| route.is_described()).flat_map(|route| {
        let is_page = move |error: &ErrorResponse| route.shows_pages && error.status == "404";
        route.errors.iter().map(move |error| (error, is_page(error)))
    });
    for (error, is_page) in shared.chain(own) {
        components.insert(error.name.to_owned(), error_response(error, is_page, gateway));
    }
    let not_modified = |rate_limit| {
        json!({
            "description": "The response that `If-None-Match` names is still current",
            "headers": headers::of_not_modified(rate_limit),
        })
    };
    let bodiless = json!({
        "description": "As for GET, without the body",
        "headers": headers::of_error(None, RateLimitHeaders::Sometimes),
    });
    components.insert("NotModified".to_owned(), not_modified(RateLimitHeaders::Always));
    components.insert("NotModifiedPage".to_owned(), not_modified(RateLimitHeaders::Never));
    components.insert("Bodiless".to_owned(), bodiless);
    components
}

/// The content of a page for people.
pub(crate) fn page() -> Value {
    json!({"schema": {"type": "string"}})
}

/// `is_page` states that a client that accepts HTML gets a page instead of JSON.
fn error_response(error: &ErrorResponse, is_page: bool, gateway: &Gateway) -> Value {
    let mut response = json!({
        "description": error.about,
        "headers": headers::of_error(Some(error.status), error.rate_limit),
        "content": {
            "application/json": {
                "schema": component("schemas", "Error"),
                "example": {"detail": (error.example)(gateway)},
            },
        },
    });
    if is_page {
        response["content"]["text/html"] = page();
    }
    response
}
