//! `components/headers`, and the headers of each kind of response.

use serde_json::{Map, Value, json};

use crate::{
    api::{
        route::{RateLimitHeaders, Route},
        schema_refs::component,
    },
    http::response_headers::{HEADERS, Header, On},
};

/// `components/headers`.
pub(crate) fn components() -> Map<String, Value> {
    let component = |header: &Header| (header.name.to_owned(), description(header, header.on != On::Listed));
    HEADERS.iter().map(component).collect()
}

/// The headers of the 200 response of an endpoint.
pub(crate) fn of_success(route: &Route) -> Value {
    of(rate_limit(route), |header| match header.on {
        On::Every => true,
        On::Cacheable => route.is_cacheable,
        On::Listed => route.headers.contains(&header.name),
        On::Counted | On::Retry => false,
    })
}

/// The headers of a 304 response.
pub(crate) fn of_not_modified(rate_limit: RateLimitHeaders) -> Value {
    of(rate_limit, |header| matches!(header.on, On::Every | On::Cacheable))
}

/// The headers of an error response; `None` means any status.
pub(crate) fn of_error(status: Option<&str>, rate_limit: RateLimitHeaders) -> Value {
    let is_retry = matches!(status, Some("429" | "503"));
    of(rate_limit, |header| {
        header.on == On::Every || (header.on == On::Retry && is_retry)
    })
}

/// Whether a 200 or 304 response of an endpoint has the rate limit headers.
pub(crate) fn rate_limit(route: &Route) -> RateLimitHeaders {
    if route.access.is_keyed() {
        RateLimitHeaders::Always
    } else {
        RateLimitHeaders::Never
    }
}

fn of(rate_limit: RateLimitHeaders, has: impl Fn(&Header) -> bool) -> Value {
    let mut headers = Map::new();
    for header in &HEADERS {
        let described = match (header.on, rate_limit) {
            (On::Counted, RateLimitHeaders::Sometimes) => description(header, false),
            (On::Counted, RateLimitHeaders::Always) => component("headers", header.name),
            _ if has(header) => component("headers", header.name),
            _ => continue,
        };
        headers.insert(header.name.to_owned(), described);
    }
    Value::Object(headers)
}

fn description(header: &Header, is_required: bool) -> Value {
    json!({"description": header.about, "required": is_required, "schema": {"type": header.value}})
}
