//! The error responses that endpoints share. To document one, add a row here with the endpoints that can return it.

use crate::{
    api::route::{Access, Body, ErrorResponse, MAX_BODY_BYTES, RateLimitHeaders, Route},
    http::{
        auth::{Gateway, no_key},
        error::ApiError,
        refusal::Refusal,
    },
};

/// An error response and the endpoints that can return it, unless their route has its own for that status.
pub(crate) struct SharedError {
    pub(crate) response: ErrorResponse,
    of: fn(&Route) -> bool,
}

/// All error responses of an endpoint, by status.
pub(crate) fn of(route: &'static Route) -> Vec<&'static ErrorResponse> {
    let is_own = |status: &str| route.errors.iter().any(|own| own.status == status);
    let shared = SHARED
        .iter()
        .filter(|shared| (shared.of)(route) && !is_own(shared.response.status));
    let mut errors: Vec<_> = shared.map(|shared| &shared.response).chain(route.errors).collect();
    errors.sort_by_key(|error| error.status);
    errors
}

const fn shared(
    status: &'static str,
    name: &'static str,
    rate_limit: RateLimitHeaders,
    of: fn(&Route) -> bool,
    about: &'static str,
    example: fn(&Gateway) -> String,
) -> SharedError {
    let response = ErrorResponse {
        status,
        name,
        about,
        example,
        rate_limit,
    };
    SharedError { response, of }
}

pub(crate) static SHARED: [SharedError; 14] = [
    shared(
        "400",
        "Malformed",
        RateLimitHeaders::Never,
        |_| true,
        "Not an HTTP request: a malformed request line, header or body length, or a missing `host`",
        |_| ApiError::from(Refusal::RequestLine).detail,
    ),
    shared(
        "403",
        "Forbidden",
        RateLimitHeaders::Never,
        |route| matches!(route.access, Access::Keyed | Access::Uncounted | Access::Token),
        "No valid API key",
        |gateway| no_key(gateway).detail,
    ),
    shared(
        "403",
        "NotIncluded",
        RateLimitHeaders::Sometimes,
        |route| route.access == Access::Paid,
        "No valid API key, or its plan does not include this endpoint; the message names the plan and where to upgrade",
        |_| "the plan BASIC does not include GET /tender/feed; upgrade at /docs#plans".to_owned(),
    ),
    shared(
        "408",
        "RequestTimeout",
        RateLimitHeaders::Never,
        |_| true,
        "The request took too long to arrive",
        |_| ApiError::from(Refusal::Timeout).detail,
    ),
    shared(
        "410",
        "Gone",
        RateLimitHeaders::Always,
        Route::takes_generation,
        "The index that `generation` asks for is no longer kept; the message names the oldest that is",
        |_| {
            "the index '20260101T000000000Z' is no longer kept; the oldest that is available is '20260131T235959123Z'"
                .to_owned()
        },
    ),
    shared(
        "413",
        "BodyTooLong",
        RateLimitHeaders::Never,
        |_| true,
        "The request body is larger than this endpoint permits; the message states its maximum",
        |_| ApiError::from(Refusal::BodyTooLong(MAX_BODY_BYTES)).detail,
    ),
    shared(
        "415",
        "UnsupportedMediaType",
        RateLimitHeaders::Always,
        |route| matches!(route.body, Body::Json { .. } | Body::Form(_)),
        "The body is not JSON, or not a form where one is expected, or has a content coding",
        |_| "the body has the content type 'text/plain'; send application/json, in UTF-8".to_owned(),
    ),
    shared(
        "422",
        "Unprocessable",
        RateLimitHeaders::Always,
        |route| route.access.is_keyed(),
        "A parameter is invalid, unknown, missing, or given twice; the message names it, and the nearest valid name or value if there is one",
        |_| "unknown parameter 'munipality'; nearest is 'municipality'".to_owned(),
    ),
    shared(
        "422",
        "NoParameters",
        RateLimitHeaders::Never,
        |route| !route.access.is_keyed(),
        "A parameter was given, but this endpoint accepts no parameters",
        |_| "unknown parameter 'x'; this endpoint accepts no parameters".to_owned(),
    ),
    shared(
        "429",
        "TooManyRequests",
        RateLimitHeaders::Always,
        |route| route.access.is_keyed(),
        "The plan's limit per minute or per day is reached; the message states which one, and when it resets. For subscriptions also the maximum \
number of an address or of a key",
        |_| "the plan BASIC allows 60 requests per minute; try again in 1 s".to_owned(),
    ),
    shared(
        "431",
        "HeadersTooLarge",
        RateLimitHeaders::Never,
        |_| true,
        "The request's address or headers are too long",
        |_| ApiError::from(Refusal::HeadTooLong).detail,
    ),
    shared(
        "500",
        "Unexpected",
        RateLimitHeaders::Sometimes,
        |_| true,
        "Unexpected failure; it was logged under the request's id",
        |_| "unexpected server error; it was logged as request 4bf92f3577b34da6a3ce929d0e0e4736".to_owned(),
    ),
    shared(
        "503",
        "Unavailable",
        RateLimitHeaders::Sometimes,
        |_| true,
        "The server is busy, cannot search its records at the moment, has too many connections, or is shutting down; costs nothing. `Retry-After` states when to try again",
        |_| ApiError::busy().detail,
    ),
    shared(
        "504",
        "Timeout",
        RateLimitHeaders::Always,
        |route| route.access.is_keyed(),
        "The query took too long",
        |_| ApiError::timeout().detail,
    ),
];
