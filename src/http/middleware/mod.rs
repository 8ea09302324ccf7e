//! Concerns of every request: compression, conditional requests, CORS, rate limits, request ids,
//! timing and the request log.

pub(crate) mod compression;
pub(crate) mod conditional;
pub(crate) mod content_coding;
pub(crate) mod cors;
pub(crate) mod limits;
pub(crate) mod request_id;
pub(crate) mod timing;
pub(crate) mod trace;
