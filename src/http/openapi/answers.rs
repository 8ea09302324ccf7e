//! What an operation answers: the statuses of [`statuses`](super::statuses), and the headers of the table here.
//!
//! To tell of a header: a row here, which says which answers carry it.

use serde_json::{Value, json};

use crate::http::{
    auth::Gateway,
    middleware::conditional::is_read,
    openapi::{
        component, object,
        statuses::{STATUSES, Standing, Status, is_unsubscribe},
    },
    routes::{Access, Operation, Route},
};

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
        on: On::Found(&[Operation::Search, Operation::Feed]),
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
            Operation::Feed,
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
    is_read(&route.method) && route.operation != Operation::Health && !is_unsubscribe(route)
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
        Access::Keyed | Access::Paid => "NotModified",
        Access::Keyless => "NotModifiedPage",
    };
    is_cacheable(route).then(|| ("304", component("responses", name)))
}

/// `components/responses`.
pub fn components(gateway: &Gateway) -> Value {
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
            "example": {"detail": (status.example)(gateway)},
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
        Access::Keyed | Access::Paid => Standing::Told,
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
