//! Concerns of every request: compression, conditional requests, CORS, rate limits, request ids,
//! timing and the request log.

pub mod compression;
pub mod conditional;
pub mod cors;
pub mod limits;
pub mod request_id;
pub mod timing;
pub mod trace;
