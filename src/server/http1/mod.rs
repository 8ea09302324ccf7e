//! A sans-IO HTTP/1 request framer.

pub mod chunked_body;
pub mod framer;
