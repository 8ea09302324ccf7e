//! The error statuses that answers share: one table, walked by every operation. To tell of a status: a row here, which says which operations can answer it.

use crate::http::{
    auth::{Gateway, no_key},
    body::Takes,
    error::ApiError,
    refusal::Refusal,
    routes::{Access, Operation, Route},
};

/// An error status.
pub struct Status {
    pub code: &'static str,
    /// Of the component.
    pub name: &'static str,
    pub about: &'static str,
    /// A `detail`, in the service's own words.
    pub example: fn(&Gateway) -> String,
    /// Whether it tells how the key stands.
    pub standing: Standing,
    /// Whether an endpoint can answer it.
    pub of: fn(&Route) -> bool,
}

/// Whether an error came after the request was counted against its key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Told,
    /// Told by some of its causes.
    Maybe,
    Untold,
}

pub static STATUSES: &[Status] = &[
    Status {
        code: "400",
        name: "BadRequest",
        about: "Not served as asked: an `offset` above 9500, a `cursor` with `sort_by=value`, with an `offset`, or of another search. Also bytes that are no \
HTTP request: a malformed first line, header or body length, a `host` that is missing",
        example: |_| "parameter 'offset': must not be above 9500; use 'cursor' for deep paging".to_owned(),
        standing: Standing::Maybe,
        of: |route| SEARCHES.contains(&route.operation),
    },
    Status {
        code: "400",
        name: "Malformed",
        about: "No HTTP request: a malformed first line, header or body length, a `host` that is missing",
        example: |_| ApiError::from(Refusal::RequestLine).detail,
        standing: Standing::Untold,
        of: |route| !SEARCHES.contains(&route.operation),
    },
    Status {
        code: "403",
        name: "Forbidden",
        about: "No valid API key",
        example: |gateway| no_key(gateway).detail,
        standing: Standing::Untold,
        of: |route| route.access == Access::Keyed,
    },
    Status {
        code: "403",
        name: "NotIncluded",
        about: "No valid API key, or one whose plan does not include this endpoint; the sentence names the plan and where to upgrade",
        example: |_| {
            "the plan BASIC does not include GET /tender/feed; upgrade at https://procure.example/docs#plans".to_owned()
        },
        standing: Standing::Maybe,
        of: |route| route.access == Access::Paid,
    },
    Status {
        code: "404",
        name: "NoRecord",
        about: "No record of the kind has that id",
        example: |_| "no contract record has the id 'nope'".to_owned(),
        standing: Standing::Told,
        of: |route| route.operation == Operation::Record,
    },
    Status {
        code: "404",
        name: "NoName",
        about: "No contract has that name; the sentence tells up to three that are near",
        example: |_| "no vendor has the name 'Acme Pavin'; near are 'Acme Paving', 'Acme'".to_owned(),
        standing: Standing::Told,
        of: |route| matches!(route.operation, Operation::VendorProfile | Operation::DepartmentProfile),
    },
    Status {
        code: "404",
        name: "NoSolicitation",
        about: "No record has that solicitation number, or none of that department",
        example: |_| "no record has the solicitation number 'nope'".to_owned(),
        standing: Standing::Told,
        of: |route| route.operation == Operation::Procurement,
    },
    Status {
        code: "404",
        name: "NoDocument",
        about: "No tender has that id, or it has no document at that place; the sentence tells how many it has",
        example: |_| "tender 't/1' lists 2 documents, from 0 to 1".to_owned(),
        standing: Standing::Told,
        of: |route| route.operation == Operation::Document,
    },
    Status {
        code: "404",
        name: "NoSubscription",
        about: "No subscription has that token",
        example: |_| "no subscription has this token; take the whole link from the mail".to_owned(),
        standing: Standing::Untold,
        of: is_unsubscribe,
    },
    Status {
        code: "408",
        name: "RequestTimeout",
        about: "The request took too long to arrive",
        example: |_| ApiError::from(Refusal::Timeout).detail,
        standing: Standing::Untold,
        of: |_| true,
    },
    Status {
        code: "413",
        name: "BodyTooLong",
        about: "The request's body is over 1 MiB",
        example: |_| ApiError::from(Refusal::BodyTooLong).detail,
        standing: Standing::Untold,
        of: |_| true,
    },
    Status {
        code: "415",
        name: "UnsupportedMediaType",
        about: "The body is of another type than JSON, or coded",
        example: |_| "the body is of the type 'text/plain'; send application/json, in UTF-8".to_owned(),
        standing: Standing::Told,
        of: |route| takes_json(route),
    },
    Status {
        code: "422",
        name: "InvalidBody",
        about: "The body is missing or no JSON, or a member of it is invalid, unknown, missing or given twice; the sentence names it, or the line and column. Or a \
parameter was given",
        example: |_| "unknown member 'item'; nearest is 'items'".to_owned(),
        standing: Standing::Told,
        of: |route| route.takes == Takes::Json,
    },
    Status {
        code: "422",
        name: "InvalidSubscription",
        about: "The body is missing or no JSON, or a member of it or a parameter is invalid, unknown, missing or given twice; the sentence names it, or the line \
 and column",
        example: |_| "unknown member 'emial'; nearest is 'email'".to_owned(),
        standing: Standing::Told,
        of: |route| route.operation == Operation::Subscribe,
    },
    Status {
        code: "422",
        name: "NoToken",
        about: "The token is missing, or something else was given",
        example: |_| "parameter 'token': is required; take it from the link in the mail".to_owned(),
        standing: Standing::Untold,
        of: is_unsubscribe,
    },
    Status {
        code: "422",
        name: "Unprocessable",
        about: "A parameter is invalid, unknown, missing, or given twice; the sentence names it, and the nearest valid name or value where there is one",
        example: |_| "unknown parameter 'munipality'; nearest is 'municipality'".to_owned(),
        standing: Standing::Told,
        of: |route| route.access.is_keyed() && !takes_json(route),
    },
    Status {
        code: "422",
        name: "NoParameters",
        about: "A parameter was given, and this endpoint takes none",
        example: |_| "unknown parameter 'x'; this endpoint takes none".to_owned(),
        standing: Standing::Untold,
        of: |route| !route.access.is_keyed() && !is_unsubscribe(route),
    },
    Status {
        code: "429",
        name: "TooManyRequests",
        about: "The plan's limit a minute or a day is reached; the sentence says which, and when it resets. To subscribe: also the most subscriptions of an \
 address or of a key",
        example: |_| "the plan BASIC allows 60 requests per minute; try again in 1 s".to_owned(),
        standing: Standing::Told,
        of: |route| route.access.is_keyed(),
    },
    Status {
        code: "431",
        name: "HeadersTooLarge",
        about: "The request's address or headers are too long",
        example: |_| ApiError::from(Refusal::HeadTooLong).detail,
        standing: Standing::Untold,
        of: |_| true,
    },
    Status {
        code: "500",
        name: "Unexpected",
        about: "Something failed inside; it was logged under the request's id",
        example: |_| "unexpected server error; it was logged as request 4bf92f3577b34da6a3ce929d0e0e4736".to_owned(),
        standing: Standing::Maybe,
        of: |_| true,
    },
    Status {
        code: "503",
        name: "Unavailable",
        about: "The server is busy, has too many connections, or is about to stop",
        example: |_| ApiError::busy().detail,
        standing: Standing::Maybe,
        of: |_| true,
    },
    Status {
        code: "504",
        name: "Timeout",
        about: "The query took too long",
        example: |_| ApiError::timeout().detail,
        standing: Standing::Told,
        of: |route| route.access.is_keyed(),
    },
];

fn takes_json(route: &Route) -> bool {
    matches!(route.takes, Takes::Json | Takes::MaybeJson)
}

pub fn is_unsubscribe(route: &Route) -> bool {
    matches!(route.operation, Operation::Unsubscribe | Operation::UnsubscribeOneClick)
}

/// The endpoints that page through records.
pub const SEARCHES: &[Operation] = &[
    Operation::Search,
    Operation::VendorProfile,
    Operation::DepartmentProfile,
    Operation::Feed,
];
