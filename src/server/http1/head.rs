//! Validates one request head and finds out how its body is framed. Everything that the framework
//! would reject, and more, is rejected here.

use actix_http::{Method, Uri};
use httparse::Status;

use super::error::RequestError;

/// Decision D-113: the maximum length of the request line and the headers together, in bytes.
pub(crate) const MAX_HEAD_BYTES: usize = 16 << 10;

/// Decision D-113: the maximum number of headers of a request.
pub(crate) const MAX_HEADERS: usize = 64;

/// A complete head.
pub(crate) struct Head {
    /// In bytes, with the empty line at its end.
    pub(crate) length: usize,
    pub(crate) body: BodyFraming,
}

/// What follows a head.
pub(crate) enum BodyFraming {
    /// Nothing: the next request.
    Empty,
    /// A body of this many bytes, more than 0.
    Length(u64),
    Chunked,
    /// Another protocol: the client asked for a tunnel (`CONNECT`) or a WebSocket.
    OtherProtocol,
}

/// Parses the head that `bytes` start with; `None` if it is incomplete.
pub(crate) fn parse(bytes: &[u8], max_body_bytes: u64) -> Result<Option<Head>, RequestError> {
    // Bytes beyond the limit are ignored, so that the result does not depend on how many arrived at
    // once.
    let window = bytes.get(..MAX_HEAD_BYTES).unwrap_or(bytes);
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(window) {
        Ok(Status::Complete(length)) => {
            let body = body_framing(&request, max_body_bytes)?;
            Ok(Some(Head { length, body }))
        }
        Ok(Status::Partial) if window.len() < MAX_HEAD_BYTES => Ok(None),
        Ok(Status::Partial) | Err(httparse::Error::TooManyHeaders) => Err(RequestError::HeadTooLong),
        Err(httparse::Error::HeaderName | httparse::Error::HeaderValue) => Err(RequestError::Header),
        // A malformed line end belongs to the request line unless that one is parsed already.
        Err(httparse::Error::NewLine) if request.version.is_some() => Err(RequestError::Header),
        Err(_) => Err(RequestError::RequestLine),
    }
}

fn body_framing(request: &httparse::Request, max_body_bytes: u64) -> Result<BodyFraming, RequestError> {
    let [mut host, mut length, mut coding] = [None; 3];
    let mut is_other_protocol = request.method == Some("CONNECT");
    for header in request.headers.iter() {
        let value = header.value.trim_ascii();
        let (field, error_if_repeated) = match header.name.to_ascii_lowercase().as_str() {
            "host" => (&mut host, RequestError::Host),
            "content-length" => (&mut length, RequestError::BodyLength),
            "transfer-encoding" => (&mut coding, RequestError::BodyLength),
            "upgrade" => {
                is_other_protocol |= value.eq_ignore_ascii_case(b"websocket");
                continue;
            }
            _ => continue,
        };
        if field.replace(value).is_some() {
            return Err(error_if_repeated);
        }
    }
    let is_http_1_0 = request.version == Some(0);
    // About methods and targets the framework is stricter than httparse, its parser.
    if Method::from_bytes(request.method.unwrap_or_default().as_bytes()).is_err() {
        return Err(RequestError::RequestLine);
    }
    if Uri::try_from(request.path.unwrap_or_default()).is_err() {
        return Err(RequestError::Target);
    }
    if host.is_none() && !is_http_1_0 {
        return Err(RequestError::Host);
    }
    let framing = match (length, coding) {
        (None, None) if is_http_1_0 && request.method == Some("POST") => return Err(RequestError::BodyLength),
        (None, None) => BodyFraming::Empty,
        (Some(length), None) => match content_length(length, max_body_bytes)? {
            0 => BodyFraming::Empty,
            length => BodyFraming::Length(length),
        },
        (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") && !is_http_1_0 => BodyFraming::Chunked,
        (_, Some(_)) => return Err(RequestError::BodyLength),
    };
    Ok(if is_other_protocol {
        BodyFraming::OtherProtocol
    } else {
        framing
    })
}

fn content_length(value: &[u8], max_body_bytes: u64) -> Result<u64, RequestError> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(RequestError::BodyLength);
    }
    // A number that does not fit is too long, too.
    let length = str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
    length
        .filter(|length| *length <= max_body_bytes)
        .ok_or(RequestError::BodyTooLong)
}
