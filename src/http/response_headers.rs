//! The headers of responses. To document a header, add a row here; a header that only some endpoints send is also
//! listed in their routes.

pub(crate) struct Header {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// The JSON type of its value.
    pub(crate) value: &'static str,
    pub(crate) on: On,
}

/// The responses that have a header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
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

pub(crate) static HEADERS: [Header; 16] = [
    header(
        "X-Request-Id",
        "string",
        On::Every,
        "The request's own id if it sent a valid one, else a new one; the operator can find the request by it",
    ),
    header(
        "X-Index-Generation",
        "string",
        On::Every,
        "Id of the index that the response is computed from; absent while there is none",
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
        "X-RateLimit-Cost",
        "integer",
        On::Counted,
        "How many requests this one counted as against the daily quota; 0 if it was refused (429) or free (304, 500, 503, `/usage`)",
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
        "The address of the next page, without scheme and host, `rel=\"next\"`, if there is one",
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
        "The page size that was applied, if the plan lowered the requested `limit` or the page ended at 8 MiB of records",
    ),
    header(
        "X-Ignored-Parameters",
        "string",
        On::Listed,
        "Parameters that the entity type accepts but has no field for",
    ),
    header(
        "Retry-After",
        "integer",
        On::Retry,
        "Seconds to wait before the next attempt",
    ),
];

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|header| header.name)
}
