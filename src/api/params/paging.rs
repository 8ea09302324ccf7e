//! Page sizes, and the errors and headers about pages that several endpoints share.

use actix_web::http::header::{HeaderName, HeaderValue};

use crate::{
    api::params::{
        param::Param,
        parse::Given,
        value::{ParamType, Slot},
    },
    http::{
        error::ApiError,
        parameter_error::{OffsetCure, Reason},
    },
};

/// The records of a page if `limit` is not given.
pub(crate) const DEFAULT_LIMIT: u64 = 100;

/// The maximum number of records of a page, on any plan.
pub(crate) const MAX_LIMIT: u64 = 500;

/// The maximum number of records that an offset skips. A cursor has no maximum.
pub(crate) const MAX_OFFSET: u64 = 9500;

/// Decision D-150: the limit that was applied, if it is not the requested one.
const LIMIT_APPLIED: HeaderName = HeaderName::from_static("x-limit-applied");

/// The number of all matches, if it was requested or the response has no body to hold it.
pub(crate) const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// The parameter for the number of records of a page.
pub(crate) const fn limit<P>(about: &'static str, slot: Slot<P, u64>) -> Param<P> {
    Param::new("limit", about, ParamType::Integer(1, MAX_LIMIT, slot))
        .default(|| DEFAULT_LIMIT.into())
        .capped_by_plan()
}

/// The header for a limit that the plan lowered to this, or that the records' size allowed.
pub(crate) fn limit_applied(limit: u64) -> (HeaderName, HeaderValue) {
    (LIMIT_APPLIED, HeaderValue::from(limit))
}

/// The 400 for an offset above [`MAX_OFFSET`].
pub(crate) fn offset_too_deep(offset: u64, cure: OffsetCure) -> ApiError {
    let max = MAX_OFFSET;
    ApiError::invalid("offset", Reason::OffsetTooDeep { offset, max, cure })
}

pub(crate) fn invalid_cursor(given: &Given<String>) -> ApiError {
    ApiError::invalid(given.name, Reason::Cursor(given.value.clone()))
}

pub(crate) fn cursor_of_another_query() -> ApiError {
    ApiError::invalid("cursor", Reason::CursorOfOtherSearch)
}
