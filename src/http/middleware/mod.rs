//! What every response shares: compression, conditional requests, CORS, rate limits, request ids, timing and the access log.

pub mod compression;
pub mod conditional;
pub mod cors;
pub mod limits;
pub mod request_id;
pub mod timing;
pub mod trace;
