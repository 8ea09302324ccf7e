//! What a client is told whose bytes never became a request: a malformed or endless head, one that came too slowly, one connection too many.
//!
//! [`crate::server`] finds these before the framework reads a byte, and hands on a request of its own in their place, whose path names the
//! refusal. So they are answered, logged and counted where all requests are, in their turn. No client can send such a path: it holds a quotation
//! mark, which is escaped in every address that came over the wire.

use actix_web::http::{StatusCode, header};

use crate::http::error::{ApiError, RETRY_AFTER};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Line,
    Address,
    Header,
    Host,
    Length,
    HeadTooLong,
    BodyTooLong,
    Slow,
    Crowded,
}

impl Refusal {
    pub const ALL: [Refusal; 9] = [
        Refusal::Line,
        Refusal::Address,
        Refusal::Header,
        Refusal::Host,
        Refusal::Length,
        Refusal::HeadTooLong,
        Refusal::BodyTooLong,
        Refusal::Slow,
        Refusal::Crowded,
    ];

    /// The refusal a path stands for.
    pub fn of(path: &str) -> Option<Refusal> {
        let name = path.strip_prefix("/\"")?.strip_suffix('"')?;
        Refusal::ALL.into_iter().find(|refusal| refusal.name() == name)
    }

    /// The path that stands for it.
    pub fn path(self) -> String {
        format!("/\"{}\"", self.name())
    }

    fn name(self) -> &'static str {
        match self {
            Refusal::Line => "request-line",
            Refusal::Address => "address",
            Refusal::Header => "header",
            Refusal::Host => "host",
            Refusal::Length => "length",
            Refusal::HeadTooLong => "head-too-long",
            Refusal::BodyTooLong => "body-too-long",
            Refusal::Slow => "slow",
            Refusal::Crowded => "crowded",
        }
    }
}

/// Spec silent: the statuses and sentences of requests that are none.
impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        let (status, detail) = match refusal {
            Refusal::Line => (
                StatusCode::BAD_REQUEST,
                "the first line is not 'METHOD address HTTP/1.1'; a blank in an address is written %20 or +",
            ),
            Refusal::Address => (
                StatusCode::BAD_REQUEST,
                "the address in the first line is none; it is a path that starts with '/'",
            ),
            Refusal::Header => (
                StatusCode::BAD_REQUEST,
                "a header is malformed; each is 'name: value', on a line of its own",
            ),
            Refusal::Host => (StatusCode::BAD_REQUEST, "the header 'host' must be given, once"),
            Refusal::Length => (
                StatusCode::BAD_REQUEST,
                "the body's length is not told as it must be: by one 'content-length', a number, or by 'transfer-encoding: chunked', not both",
            ),
            Refusal::HeadTooLong => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "the address and the headers are over 16 KiB, or there are over 64 headers; send less",
            ),
            Refusal::BodyTooLong => (StatusCode::PAYLOAD_TOO_LARGE, "the body is over 1 MiB; send less"),
            Refusal::Slow => (
                StatusCode::REQUEST_TIMEOUT,
                "the request took too long to arrive; send it at once",
            ),
            Refusal::Crowded => (
                StatusCode::SERVICE_UNAVAILABLE,
                "too many connections are open; try again in a second",
            ),
        };
        let error = ApiError::new(status, detail);
        match status {
            StatusCode::SERVICE_UNAVAILABLE => error.with_header(header::RETRY_AFTER, RETRY_AFTER),
            _ => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_its_refusal() {
        for refusal in Refusal::ALL {
            assert_eq!(Refusal::of(&refusal.path()), Some(refusal));
        }
        assert_eq!(Refusal::of("/slow"), None);
        assert_eq!(Refusal::of("/\"other\""), None);
    }
}
