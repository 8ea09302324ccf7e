//! The headers of responses. To document a header, add a row here; a header that only some endpoints send is also listed in their routes.

use serde_json::{Map, Value, json};

use crate::http::{
    route::{RateLimitHeaders, Route},
    schema_refs::component,
};

struct Header {
    name: &'static str,
    about: &'static str,
    /// The JSON type of its value.
    value: &'static str,
    on: On,
}

/// The responses that have a header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Every,
    /// Those to requests that were counted against their key.
    Counted,
    /// 200 and 304 of cacheable endpoints.
    Cacheable,
    /// 200 of the endpoints whose route lists it, and there not always.
    Listed,
    /// 429 and 503.
    Retry,
}

const fn header(name: &'static str, value: &'static str, on: On, about: &'static str) -> Header {
    Header { name, about, value, on }
}

static HEADERS: [Header; 14] = [
    header(
        "X-Request-Id",
        "string",
        On::Every,
        "The request's own id if it sent a valid one, else a new one; the operator can find the request by it",
    ),
    header(
        "Server-Timing",
        "string",
        On::Every,
        "Durations in milliseconds: `queue`, `search`, `coding`, `total`",
    ),
    header(
        "Cache-Control",
        "string",
        On::Every,
        "How long the response may be stored",
    ),
    header(
        "RateLimit-Policy",
        "string",
        On::Counted,
        "The plan's limits (draft-ietf-httpapi-ratelimit-headers-10)",
    ),
    header(
        "RateLimit",
        "string",
        On::Counted,
        "The remaining requests of each limit (draft-ietf-httpapi-ratelimit-headers-10)",
    ),
    header(
        "X-RateLimit-Limit",
        "integer",
        On::Counted,
        "Number of requests that the tighter limit allows",
    ),
    header(
        "X-RateLimit-Remaining",
        "integer",
        On::Counted,
        "Remaining requests of that limit",
    ),
    header(
        "X-RateLimit-Reset",
        "integer",
        On::Counted,
        "Seconds until that limit resets",
    ),
    header(
        "ETag",
        "string",
        On::Cacheable,
        "Identifies this response; `If-None-Match` with it gives 304 until the response changes",
    ),
    header(
        "Link",
        "string",
        On::Listed,
        "The address of the next page, `rel=\"next\"`, if there is one",
    ),
    header(
        "X-Total-Count",
        "integer",
        On::Listed,
        "Number of all matches: with `include_total`, and always for HEAD",
    ),
    header(
        "X-Limit-Applied",
        "integer",
        On::Listed,
        "The page size that was applied, if the plan lowered the requested `limit`",
    ),
    header(
        "X-Ignored-Parameters",
        "string",
        On::Listed,
        "Parameters that the entity type takes but has no field for",
    ),
    header(
        "Retry-After",
        "integer",
        On::Retry,
        "Seconds to wait before the next attempt",
    ),
];

pub fn names() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|header| header.name)
}

/// `components/headers`.
pub fn components() -> Map<String, Value> {
    let component = |header: &Header| (header.name.to_owned(), header.description(header.on != On::Listed));
    HEADERS.iter().map(component).collect()
}

/// The headers of the 200 response of an endpoint.
pub fn of_success(route: &Route) -> Value {
    of(rate_limit(route), |header| match header.on {
        On::Every => true,
        On::Cacheable => route.is_cacheable,
        On::Listed => route.headers.contains(&header.name),
        On::Counted | On::Retry => false,
    })
}

/// The headers of a 304 response.
pub fn of_not_modified(rate_limit: RateLimitHeaders) -> Value {
    of(rate_limit, |header| matches!(header.on, On::Every | On::Cacheable))
}

/// The headers of an error response; `None` stands for any status.
pub fn of_error(status: Option<&str>, rate_limit: RateLimitHeaders) -> Value {
    let is_retry = matches!(status, Some("429" | "503"));
    of(rate_limit, |header| {
        header.on == On::Every || (header.on == On::Retry && is_retry)
    })
}

/// Whether a 200 or 304 response of an endpoint has the rate limit headers.
pub fn rate_limit(route: &Route) -> RateLimitHeaders {
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
            (On::Counted, RateLimitHeaders::Sometimes) => header.description(false),
            (On::Counted, RateLimitHeaders::Always) => component("headers", header.name),
            _ if has(header) => component("headers", header.name),
            _ => continue,
        };
        headers.insert(header.name.to_owned(), described);
    }
    Value::Object(headers)
}

impl Header {
    fn description(&self, is_required: bool) -> Value {
        json!({"description": self.about, "required": is_required, "schema": {"type": self.value}})
    }
}
