//! Page sizes, and the errors and headers about pages that several endpoints share.

use actix_web::http::header::{HeaderName, HeaderValue};

use crate::http::{
    error::{ApiError, quoted},
    params::value::Given,
};

/// Decision D-25: the records of a page if `limit` is not given.
pub(crate) const DEFAULT_LIMIT: u64 = 100;

/// The maximum number of records of a page, on any plan.
pub(crate) const MAX_LIMIT: u64 = 500;

/// The maximum number of records that an offset skips. A cursor has no maximum.
pub(crate) const MAX_OFFSET: u64 = 9500;

/// Decisions D-10 and D-150: the limit that was applied, if it is not the requested one.
const LIMIT_APPLIED: HeaderName = HeaderName::from_static("x-limit-applied");

/// The header for a limit that the plan lowered to this, or that the records' size allowed.
pub(crate) fn limit_applied(limit: u64) -> (HeaderName, HeaderValue) {
    (LIMIT_APPLIED, HeaderValue::from(limit))
}

/// The 400 for an offset above [`MAX_OFFSET`]. A number that does not fit into a u64 was not kept as the client wrote it.
pub(crate) fn offset_too_deep(offset: u64, cure: &str) -> ApiError {
    let what = match offset {
        u64::MAX => format!("must not be above {MAX_OFFSET}"),
        _ => format!("'{offset}' is above {MAX_OFFSET}"),
    };
    ApiError::bad_request(format!("parameter 'offset': {what}; {cure}"))
}

pub(crate) fn invalid_cursor(given: &Given<String>) -> ApiError {
    let why = format!(
        "invalid cursor {}; pass `next_cursor` from a previous response unchanged",
        quoted(&given.value)
    );
    ApiError::invalid(given.name, why)
}

pub(crate) fn cursor_of_another_query() -> ApiError {
    ApiError::bad_request(
        "parameter 'cursor': it belongs to a search with other filters or another sort order; repeat that search, or start without a cursor",
    )
}
