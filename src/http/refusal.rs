//! Errors of requests that the framework never parses: a malformed or oversized request, one that
//! arrives too slowly, one connection too many.
//!
//! [`crate::server`] detects most of them on the connection's bytes. It stores the reason in the
//! connection's [`ConnectionRefusal`] and passes a stand-in request to the framework. The pipeline
//! answers that request with the reason. So these errors are answered in order, logged and counted
//! like all others.

use std::{cell::OnceCell, rc::Rc};

use actix_web::{
    HttpRequest,
    http::{StatusCode, header},
};

use crate::http::error::{ApiError, RETRY_AFTER};

/// Why a request is refused before it is routed, or while its body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    RequestLine,
    RequestTarget,
    Header,
    Host,
    BodyLength,
    HeadTooLong,
    BodyTooLong,
    Timeout,
    TooManyConnections,
}

/// Why the last request of a connection is refused. The connection's stream sets it, at most once;
/// each of its requests can read it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionRefusal(Rc<OnceCell<Refusal>>);

impl ConnectionRefusal {
    /// Stores the reason. A second reason is ignored: the first one already ends the connection.
    pub(crate) fn set(&self, refusal: Refusal) {
        self.0.get_or_init(|| refusal);
    }

    /// The reason to refuse this request, if its connection has one.
    ///
    /// The server stores a reason only when the responses to all earlier requests of the connection
    /// are written, so it belongs to the request that is being handled.
    pub(crate) fn of(request: &HttpRequest) -> Option<Refusal> {
        request.conn_data::<ConnectionRefusal>()?.0.get().copied()
    }
}

/// Decision D-112: statuses and texts of requests that are not valid HTTP.
impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        let (status, detail) = match refusal {
            Refusal::RequestLine => (
                StatusCode::BAD_REQUEST,
                "invalid request line; send 'METHOD /path HTTP/1.1', with each space in the path or query written as %20 or +",
            ),
            Refusal::RequestTarget => (
                StatusCode::BAD_REQUEST,
                "invalid address in the request line; send a path that starts with '/'",
            ),
            Refusal::Header => (
                StatusCode::BAD_REQUEST,
                "invalid header line; send each header as 'name: value' on a line of its own",
            ),
            Refusal::Host => (
                StatusCode::BAD_REQUEST,
                "the header 'host' is missing or repeated; send it exactly once",
            ),
            Refusal::BodyLength => (
                StatusCode::BAD_REQUEST,
                "invalid body length; send either one 'content-length' with a number of bytes or 'transfer-encoding: chunked', not both",
            ),
            Refusal::HeadTooLong => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "the request line and the headers are longer than 16 KiB, or there are more than 64 headers; send less",
            ),
            Refusal::BodyTooLong => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "the body is longer than 1 MiB; send a shorter one",
            ),
            Refusal::Timeout => (
                StatusCode::REQUEST_TIMEOUT,
                "the request took too long to arrive; send it without pauses",
            ),
            Refusal::TooManyConnections => (
                StatusCode::SERVICE_UNAVAILABLE,
                "too many connections are open; try again in a second",
            ),
        };
        let error = ApiError::new(status, detail);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            error.with_header(header::RETRY_AFTER, RETRY_AFTER)
        } else {
            error
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_request_has_the_refusal_of_its_connection() {
        let refusal = ConnectionRefusal::default();
        refusal.set(Refusal::Timeout);
        refusal.set(Refusal::Host);
        assert_eq!(refusal.0.get(), Some(&Refusal::Timeout));
        assert_eq!(ConnectionRefusal::of(&TestRequest::default().to_http_request()), None);
    }
}
