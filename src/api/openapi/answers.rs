//! The statuses and headers that answers share: one table each, walked by every operation.
//!
//! To tell of a status or a header: a row here. A status's row says which operations can answer it, a header's row which answers carry it.

use serde_json::{Value, json};

use crate::api::{
    error::ApiError,
    openapi::{component, object},
    refusal::Refusal,
    routes::{Access, Operation, Route},
};

/// An error status.
struct Status {
    code: &'static str,
    /// Of the component.
    name: &'static str,
    about: &'static str,
    /// A `detail`, in the service's own words.
    example: fn() -> String,
    /// Whether it tells how the key stands.
    standing: Standing,
    /// Whether an endpoint can answer it.
    of: fn(&Route) -> bool,
}

/// Whether an error came after the request was counted against its key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Told,
    /// Told by some of its causes.
    Maybe,
    Untold,
}

static STATUSES: &[Status] = &[
    Status {
        code: "400",
        name: "BadRequest",
        about: "Not served as asked: an `offset` above 9500, a `cursor` with `sort_by=value`, with an `offset`, or of another search. Also bytes that are no \
HTTP request: a malformed first line, header or body length, a `host` that is missing",
        example: || "parameter 'offset': must not be above 9500; use 'cursor' for deep paging".to_owned(),
        standing: Standing::Maybe,
        of: |route| SEARCHES.contains(&route.operation),
    },
    Status {
        code: "400",
        name: "Malformed",
        about: "No HTTP request: a malformed first line, header or body length, a `host` that is missing",
        example: || ApiError::from(Refusal::Line).detail,
        standing: Standing::Untold,
        of: |route| !SEARCHES.contains(&route.operation),
    },
    Status {
        code: "403",
        name: "Forbidden",
        about: "No valid API key",
        example: || "no API key; send yours in the header 'x-gateway-key'".to_owned(),
        standing: Standing::Untold,
        of: |route| route.access == Access::Keyed,
    },
    Status {
        code: "404",
        name: "NoRecord",
        about: "No record of the kind has that id",
        example: || "no contract record has the id 'nope'".to_owned(),
        standing: Standing::Told,
        of: |route| route.operation == Operation::Record,
    },
    Status {
        code: "404",
        name: "NoName",
        about: "No contract has that name; the sentence tells up to three that are near",
        example: || "no vendor has the name 'Acme Pavin'; near are 'Acme Paving', 'Acme'".to_owned(),
        standing: Standing::Told,
        of: |route| matches!(route.operation, Operation::VendorProfile | Operation::DepartmentProfile),
    },
    Status {
        code: "404",
        name: "NoSolicitation",
        about: "No record has that solicitation number, or none of that department",
        example: || "no record has the solicitation number 'nope'".to_owned(),
        standing: Standing::Told,
        of: |route| route.operation == Operation::Procurement,
    },
    Status {
        code: "404",
        name: "NoDocument",
        about: "No tender has that id, or it has no document at that place; the sentence tells how many it has",
        example: || "tender 't/1' lists 2 documents, from 0 to 1".to_owned(),
        standing: Standing::Told,
        of: |route| route.operation == Operation::Document,
    },
    Status {
        code: "408",
        name: "RequestTimeout",
        about: "The request took too long to arrive",
        example: || ApiError::from(Refusal::Slow).detail,
        standing: Standing::Untold,
        of: |_| true,
    },
    Status {
        code: "413",
        name: "BodyTooLong",
        about: "The request has a body, which nothing here needs, and one of over 1 MiB",
        example: || ApiError::from(Refusal::BodyTooLong).detail,
        standing: Standing::Untold,
        of: |_| true,
    },
    Status {
        code: "422",
        name: "Unprocessable",
        about: "A parameter is invalid, unknown, missing, or given twice; the sentence names it, and the nearest valid name or value where there is one",
        example: || "unknown parameter 'munipality'; nearest is 'municipality'".to_owned(),
        standing: Standing::Told,
        of: |route| route.access == Access::Keyed,
    },
    Status {
        code: "422",
        name: "NoParameters",
        about: "A parameter was given, and this endpoint takes none",
        example: || "unknown parameter 'x'; this endpoint takes none".to_owned(),
        standing: Standing::Untold,
        of: |route| route.access == Access::Keyless,
    },
    Status {
        code: "429",
        name: "TooManyRequests",
        about: "The plan's limit a minute or a day is reached; the sentence says which, and when it resets",
        example: || "the plan BASIC allows 60 requests per minute; try again in 1 s".to_owned(),
        standing: Standing::Told,
        of: |route| route.access == Access::Keyed,
    },
    Status {
        code: "431",
        name: "HeadersTooLarge",
        about: "The request's address or headers are too long",
        example: || ApiError::from(Refusal::HeadTooLong).detail,
        standing: Standing::Untold,
        of: |_| true,
    },
    Status {
        code: "500",
        name: "Unexpected",
        about: "Something failed inside; it was logged under the request's id",
        example: || "unexpected server error; it was logged as request 4bf92f3577b34da6a3ce929d0e0e4736".to_owned(),
        standing: Standing::Maybe,
        of: |_| true,
    },
    Status {
        code: "503",
        name: "Unavailable",
        about: "The server is busy, has too many connections, or is about to stop",
        example: || ApiError::busy().detail,
        standing: Standing::Maybe,
        of: |_| true,
    },
    Status {
        code: "504",
        name: "Timeout",
        about: "The query took too long",
        example: || ApiError::timeout().detail,
        standing: Standing::Told,
        of: |route| route.access == Access::Keyed,
    },
];

/// The endpoints that page through records.
const SEARCHES: &[Operation] = &[
    Operation::Search,
    Operation::VendorProfile,
    Operation::DepartmentProfile,
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
    /// Those to a request that was counted against its key.
    Keyed,
    /// 200 and 304 of what a client may keep.
    Cacheable,
    /// 200 of these.
    Found(&'static [Operation]),
    /// 429 and 503.
    ComeBack,
}

static HEADERS: &[Header] = &[
    Header {
        name: "X-Request-Id",
        about: "The request's own id where it sent a usable one, else a new one; an operator finds the request by it",
        holds: "string",
        on: On::Every,
        always: true,
    },
    Header {
        name: "Server-Timing",
        about: "Where the time went, in milliseconds: `queue`, `search`, `coding`, `total`",
        holds: "string",
        on: On::Every,
        always: true,
    },
    Header {
        name: "Cache-Control",
        about: "How long the answer may be kept",
        holds: "string",
        on: On::Every,
        always: true,
    },
    Header {
        name: "RateLimit-Policy",
        about: "The plan's limits (draft-ietf-httpapi-ratelimit-headers-10)",
        holds: "string",
        on: On::Keyed,
        always: true,
    },
    Header {
        name: "RateLimit",
        about: "What is left of them (draft-ietf-httpapi-ratelimit-headers-10)",
        holds: "string",
        on: On::Keyed,
        always: true,
    },
    Header {
        name: "X-RateLimit-Limit",
        about: "Requests that the tighter limit allows",
        holds: "integer",
        on: On::Keyed,
        always: true,
    },
    Header {
        name: "X-RateLimit-Remaining",
        about: "Requests left of it",
        holds: "integer",
        on: On::Keyed,
        always: true,
    },
    Header {
        name: "X-RateLimit-Reset",
        about: "Seconds until it resets",
        holds: "integer",
        on: On::Keyed,
        always: true,
    },
    Header {
        name: "ETag",
        about: "Names this answer; `If-None-Match` with it gives 304 until the answer changes",
        holds: "string",
        on: On::Cacheable,
        always: true,
    },
    Header {
        name: "Link",
        about: "The address of the next page, `rel=\"next\"`, where there is one",
        holds: "string",
        on: On::Found(&[Operation::Search]),
        always: false,
    },
    Header {
        name: "X-Total-Count",
        about: "The number of all matches: with `include_total`, and always for HEAD",
        holds: "integer",
        on: On::Found(&[Operation::Search]),
        always: false,
    },
    Header {
        name: "X-Limit-Applied",
        about: "The page size applied, where the plan lowered the `limit` asked for",
        holds: "integer",
        on: On::Found(&[
            Operation::Search,
            Operation::VendorProfile,
            Operation::DepartmentProfile,
            Operation::Procurement,
        ]),
        always: false,
    },
    Header {
        name: "X-Ignored-Parameters",
        about: "Parameters the kind takes but has no field for",
        holds: "string",
        on: On::Found(&[
            Operation::Search,
            Operation::Stats,
            Operation::VendorProfile,
            Operation::DepartmentProfile,
        ]),
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

pub fn header_names() -> Vec<&'static str> {
    HEADERS.iter().map(|header| header.name).collect()
}

/// What an endpoint answers, by status; `content` and `links` are of the 200, and a HEAD has neither.
pub fn of(route: &Route, content: Value, links: Option<Value>) -> Value {
    let mut success = json!({"description": "Found", "headers": success_headers(route), "content": content});
    if let Some(links) = links {
        success["links"] = links;
    }
    let mut answers = vec![("200", success)];
    answers.extend(not_modified(route));
    let errors = STATUSES.iter().filter(|status| (status.of)(route));
    answers.extend(errors.map(|status| (status.code, component("responses", status.name))));
    object(answers)
}

/// The same without bodies.
pub fn of_head(route: &Route) -> Value {
    let success = json!({"description": "Found", "headers": success_headers(route)});
    let mut answers = vec![("200", success)];
    answers.extend(not_modified(route));
    let bodiless = |range| (range, component("responses", "Bodiless"));
    answers.extend([bodiless("4XX"), bodiless("5XX")]);
    object(answers)
}

fn not_modified(route: &Route) -> Option<(&'static str, Value)> {
    let name = match route.access {
        Access::Keyed => "NotModified",
        Access::Keyless => "NotModifiedPage",
    };
    is_cacheable(route).then(|| ("304", component("responses", name)))
}

/// `components/responses`.
pub fn components() -> Value {
    let not_modified = |standing: Standing| {
        json!({
            "description": "The answer that `If-None-Match` names still holds",
            "headers": headers(standing, |on| matches!(on, On::Every | On::Cacheable)),
        })
    };
    let bodiless = json!({
        "description": "As for GET, without the body",
        "headers": headers(Standing::Maybe, |on| on == On::Every),
    });
    let error = |status: &Status| {
        let comes_back = matches!(status.code, "429" | "503");
        let carries = |on| on == On::Every || (on == On::ComeBack && comes_back);
        let body = json!({
            "schema": component("schemas", "Error"),
            "example": {"detail": (status.example)()},
        });
        let response = json!({
            "description": status.about,
            "headers": headers(status.standing, carries),
            "content": {"application/json": body},
        });
        (status.name, response)
    };
    let others = [
        ("NotModified", not_modified(Standing::Told)),
        ("NotModifiedPage", not_modified(Standing::Untold)),
        ("Bodiless", bodiless),
    ];
    object(STATUSES.iter().map(error).chain(others))
}

/// `components/headers`.
pub fn header_components() -> Value {
    object(
        HEADERS
            .iter()
            .map(|header| (header.name, header.described(header.always))),
    )
}

impl Header {
    fn described(&self, always: bool) -> Value {
        json!({"description": self.about, "required": always, "schema": {"type": self.holds}})
    }
}

fn success_headers(route: &Route) -> Value {
    let standing = match route.access {
        Access::Keyed => Standing::Told,
        Access::Keyless => Standing::Untold,
    };
    headers(standing, |on| match on {
        On::Every => true,
        On::Cacheable => is_cacheable(route),
        On::Found(operations) => operations.contains(&route.operation),
        On::Keyed | On::ComeBack => false,
    })
}

/// The headers of an answer that tells how the key stands, or not, and carries these others.
fn headers(standing: Standing, carries: impl Fn(On) -> bool) -> Value {
    object(HEADERS.iter().filter_map(|header| {
        let described = match (header.on, standing) {
            (On::Keyed, Standing::Maybe) => header.described(false),
            (On::Keyed, Standing::Told) => component("headers", header.name),
            (on, _) if carries(on) => component("headers", header.name),
            _ => return None,
        };
        Some((header.name, described))
    }))
}
