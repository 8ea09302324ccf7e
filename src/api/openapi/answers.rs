//! The statuses and headers that answers share: one table each, walked by every operation.
//!
//! To tell of a status or a header: a row here. A status's row says which operations can answer it, a header's row which answers carry it.

use serde_json::{Value, json};

use crate::api::{
    openapi::{component, object},
    routes::{Access, Operation, Route},
};

/// An error status.
struct Status {
    code: &'static str,
    /// Of the component.
    name: &'static str,
    about: &'static str,
    /// A `detail` as the service words it.
    example: &'static str,
    /// Whether an endpoint can answer it.
    of: fn(&Route) -> bool,
}

static STATUSES: &[Status] = &[
    Status {
        code: "400",
        name: "BadRequest",
        about: "Understood, but not served as asked: an `offset` above 9500, a `cursor` with `sort_by=value`, with an `offset`, or of another search",
        example: "parameter 'offset': must not be above 9500; use 'cursor' for deep paging",
        of: |route| route.operation == Operation::Search,
    },
    Status {
        code: "403",
        name: "Forbidden",
        about: "No valid API key",
        example: "no API key; send yours in the header 'x-gateway-key'",
        of: |route| route.access == Access::Keyed,
    },
    Status {
        code: "404",
        name: "NotFound",
        about: "No record of the kind has that id",
        example: "no contract record has the id 'nope'",
        of: |route| route.operation == Operation::Record,
    },
    Status {
        code: "408",
        name: "RequestTimeout",
        about: "The request took too long to arrive",
        example: "the request took too long to arrive; send it again",
        of: |_| true,
    },
    Status {
        code: "422",
        name: "Unprocessable",
        about: "A parameter is invalid, unknown, or given twice; the sentence names it, and the nearest valid name or value where there is one",
        example: "unknown parameter 'munipality'; nearest is 'municipality'",
        of: |_| true,
    },
    Status {
        code: "429",
        name: "TooManyRequests",
        about: "The plan's limit a minute or a day is reached; the sentence says which, and when it resets",
        example: "the limit of 60 requests a minute is reached; it resets in 12 seconds",
        of: |route| route.access == Access::Keyed,
    },
    Status {
        code: "431",
        name: "HeadersTooLarge",
        about: "The request's address or headers are too long",
        example: "the request's headers are too long",
        of: |_| true,
    },
    Status {
        code: "500",
        name: "Unexpected",
        about: "Something failed inside; it was logged",
        example: "unexpected server error; it was logged",
        of: |_| true,
    },
    Status {
        code: "503",
        name: "Unavailable",
        about: "The server is busy, or about to stop",
        example: "the server is busy; try again in a second",
        of: |_| true,
    },
    Status {
        code: "504",
        name: "Timeout",
        about: "The query took too long",
        example: "The query took too long; narrow it with a municipality or a date range",
        of: |route| matches!(route.operation, Operation::Search | Operation::Record),
    },
];

/// A header of answers.
struct Header {
    name: &'static str,
    about: &'static str,
    /// JSON Schema's word for what it holds.
    holds: &'static str,
    on: On,
    /// Whether every such answer carries it.
    always: bool,
}

/// The answers that carry a header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Every,
    /// Those to a request whose key was good.
    Keyed,
    /// 200 and 304 of what a client may keep.
    Cacheable,
    /// A page of records.
    Search,
    /// 429 and 503.
    ComeBack,
}

static HEADERS: &[Header] = &[
    Header {
        name: "X-Request-Id",
        about: "The request's own id where it sent a usable one, else a new one; an operator finds the request by it",
        holds: "string",
        on: On::Every,
        always: false,
    },
    Header {
        name: "RateLimit-Policy",
        about: "The plan's limits (draft-ietf-httpapi-ratelimit-headers-10)",
        holds: "string",
        on: On::Keyed,
        always: false,
    },
    Header {
        name: "RateLimit",
        about: "What is left of them (draft-ietf-httpapi-ratelimit-headers-10)",
        holds: "string",
        on: On::Keyed,
        always: false,
    },
    Header {
        name: "X-RateLimit-Limit",
        about: "Requests that the tighter limit allows",
        holds: "integer",
        on: On::Keyed,
        always: false,
    },
    Header {
        name: "X-RateLimit-Remaining",
        about: "Requests left of it",
        holds: "integer",
        on: On::Keyed,
        always: false,
    },
    Header {
        name: "X-RateLimit-Reset",
        about: "Seconds until it resets",
        holds: "integer",
        on: On::Keyed,
        always: false,
    },
    Header {
        name: "ETag",
        about: "Names this answer; `If-None-Match` with it gives 304 until the answer changes",
        holds: "string",
        on: On::Cacheable,
        always: false,
    },
    Header {
        name: "Cache-Control",
        about: "How long the answer may be kept",
        holds: "string",
        on: On::Cacheable,
        always: false,
    },
    Header {
        name: "Link",
        about: "The address of the next page, `rel=\"next\"`, where there is one",
        holds: "string",
        on: On::Search,
        always: false,
    },
    Header {
        name: "X-Limit-Applied",
        about: "The page size applied, where the plan lowered the `limit` asked for",
        holds: "integer",
        on: On::Search,
        always: false,
    },
    Header {
        name: "X-Ignored-Parameters",
        about: "Parameters the kind takes but has no field for",
        holds: "string",
        on: On::Search,
        always: false,
    },
    Header {
        name: "Retry-After",
        about: "Seconds to wait before asking again",
        holds: "integer",
        on: On::ComeBack,
        always: true,
    },
];

/// Whether a client may keep the answer: what is served until the next index or restart, not the health of the moment.
pub fn is_cacheable(route: &Route) -> bool {
    route.operation != Operation::Health
}

/// What an endpoint answers, by status; `content` and `links` are of the 200, and a HEAD has neither.
pub fn of(route: &Route, content: Value, links: Option<Value>) -> Value {
    let mut success = json!({"description": "Found", "headers": success_headers(route), "content": content});
    if let Some(links) = links {
        success["links"] = links;
    }
    let mut answers = vec![("200", success)];
    if is_cacheable(route) {
        answers.push(("304", component("responses", "NotModified")));
    }
    let errors = STATUSES.iter().filter(|status| (status.of)(route));
    answers.extend(errors.map(|status| (status.code, component("responses", status.name))));
    object(answers)
}

/// The same without bodies.
pub fn of_head(route: &Route) -> Value {
    let success = json!({"description": "Found", "headers": success_headers(route)});
    let mut answers = vec![("200", success)];
    if is_cacheable(route) {
        answers.push(("304", component("responses", "NotModified")));
    }
    let bodiless = |range| (range, component("responses", "Bodiless"));
    answers.extend([bodiless("4XX"), bodiless("5XX")]);
    object(answers)
}

/// `components/responses`.
pub fn components() -> Value {
    let not_modified = json!({
        "description": "The answer that `If-None-Match` names still holds",
        "headers": headers(|on| matches!(on, On::Every | On::Keyed | On::Cacheable)),
    });
    let bodiless = json!({
        "description": "As for GET, without the body",
        "headers": headers(|on| matches!(on, On::Every | On::Keyed)),
    });
    let error = |status: &Status| {
        let comes_back = matches!(status.code, "429" | "503");
        let is_keyed = status.code != "403";
        let carries = |on| match on {
            On::Every => true,
            On::Keyed => is_keyed,
            On::ComeBack => comes_back,
            On::Cacheable | On::Search => false,
        };
        let body = json!({
            "schema": component("schemas", "Error"),
            "example": {"detail": status.example},
        });
        let response = json!({
            "description": status.about,
            "headers": headers(carries),
            "content": {"application/json": body},
        });
        (status.name, response)
    };
    let others = [("NotModified", not_modified), ("Bodiless", bodiless)];
    object(STATUSES.iter().map(error).chain(others))
}

/// `components/headers`.
pub fn header_components() -> Value {
    object(HEADERS.iter().map(|header| {
        let described = json!({
            "description": header.about,
            "required": header.always,
            "schema": {"type": header.holds},
        });
        (header.name, described)
    }))
}

fn success_headers(route: &Route) -> Value {
    headers(|on| match on {
        On::Every => true,
        On::Keyed => route.access == Access::Keyed,
        On::Cacheable => is_cacheable(route),
        On::Search => route.operation == Operation::Search,
        On::ComeBack => false,
    })
}

fn headers(carries: impl Fn(On) -> bool) -> Value {
    let carried = HEADERS.iter().filter(|header| carries(header.on));
    object(carried.map(|header| (header.name, component("headers", header.name))))
}
