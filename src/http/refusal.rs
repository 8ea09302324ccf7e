//! Errors of requests that the framework never parses, or whose body or response does not fit: a malformed or oversized
//! request, one that arrives too slowly, one connection too many.

use actix_web::http::{StatusCode, header};

use crate::http::error::{ApiError, RETRY_AFTER};

/// Why a request is refused before it is routed, or because of the size of its body or response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    RequestLine,
    RequestTarget,
    Header,
    Host,
    BodyLength,
    HeadTooLong,
    /// With the maximum size of the endpoint's body, in bytes.
    BodyTooLong(usize),
    Timeout,
    TooManyConnections,
    /// The bodies that are being read use up the memory for them.
    TooManyBodies,
    /// The responses that clients have not read yet use up the memory for them.
    TooManyResponses,
    /// The server stops, and the body has not arrived in the time that it still waits.
    Stopping,
}

/// Statuses and texts of requests that are not valid HTTP.
impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        let error = ApiError::new(status(refusal), detail(refusal));
        if error.status == StatusCode::SERVICE_UNAVAILABLE {
            error.with_header(header::RETRY_AFTER, RETRY_AFTER)
        } else {
            error
        }
    }
}

fn status(refusal: Refusal) -> StatusCode {
    match refusal {
        Refusal::RequestLine | Refusal::RequestTarget | Refusal::Header | Refusal::Host | Refusal::BodyLength => {
            StatusCode::BAD_REQUEST
        }
        Refusal::HeadTooLong => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        Refusal::BodyTooLong(_) => StatusCode::PAYLOAD_TOO_LARGE,
        Refusal::Timeout => StatusCode::REQUEST_TIMEOUT,
        Refusal::TooManyConnections | Refusal::TooManyBodies | Refusal::TooManyResponses | Refusal::Stopping => {
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}

fn detail(refusal: Refusal) -> String {
    let text = match refusal {
        Refusal::RequestLine => {
            "invalid request line; send 'METHOD /path HTTP/1.1', with each space in the path or query written as %20 or +"
        }
        Refusal::RequestTarget => "invalid address in the request line; send a path that starts with '/'",
        Refusal::Header => {
            "invalid header line; send each header as 'name: value' on a line of its own that ends with CR LF"
        }
        Refusal::Host => "the header 'host' is missing or repeated; send it exactly once",
        Refusal::BodyLength => {
            "invalid body length; send either one 'content-length' with a number of bytes or 'transfer-encoding: chunked', not both"
        }
        Refusal::HeadTooLong => {
            "the request line and the headers are longer than 16 KiB, or there are more than 64 headers; send less"
        }
        Refusal::BodyTooLong(max) => {
            return format!(
                "the body is longer than {} KiB, the maximum of this endpoint; send a shorter one",
                max / 1024
            );
        }
        Refusal::Timeout => "the request took too long to arrive; send it without pauses",
        Refusal::TooManyConnections => "too many connections are open; try again in a second",
        Refusal::TooManyBodies => "too many request bodies are arriving; try again in a second",
        Refusal::TooManyResponses => {
            "too many large responses wait to be read by their clients; read yours, then try again in a second"
        }
        // As every request that comes now.
        Refusal::Stopping => return ApiError::draining().detail,
    };
    text.to_owned()
}
