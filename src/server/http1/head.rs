//! Validates one request head and finds out how its body is framed. Everything that the framework
//! would reject, and more, is rejected here.

use actix_http::{Method, Uri};
use httparse::Status;

use super::error::RequestError;

/// The maximum length of the request line and the headers together, in bytes.
pub(crate) const MAX_HEAD_BYTES: usize = 16 << 10;

/// The maximum number of headers of a request.
pub(crate) const MAX_HEADERS: usize = 64;

/// The maximum size of the body of a request, in bytes, by its method and path.
pub(crate) type MaxBodyBytes = fn(&Method, &str) -> usize;

/// A complete head.
pub(crate) struct Head {
    /// In bytes, with the empty line at its end.
    pub(crate) length: usize,
    pub(crate) body: BodyFraming,
    /// Whether the client offers another protocol for the connection.
    pub(crate) offers_upgrade: bool,
}

/// What follows a head.
pub(crate) enum BodyFraming {
    /// Nothing: the next request.
    Empty,
    /// A body of this many bytes, more than 0.
    Length(u64),
    /// A chunked body with up to this many bytes of data.
    Chunked(u64),
    /// Another protocol: the client asked for a tunnel (`CONNECT`).
    OtherProtocol,
}

/// Parses the head that `bytes` start with; `None` if it is incomplete.
pub(crate) fn parse(bytes: &[u8], max_body_bytes: MaxBodyBytes) -> Result<Option<Head>, RequestError> {
    // Bytes beyond the limit are ignored, so that the result does not depend on how many arrived at
    // once.
    let window = bytes.get(..MAX_HEAD_BYTES).unwrap_or(bytes);
    let bare_line_feed = bare_line_feed(window);
    let window_before = bare_line_feed.map_or(window, |at| window.get(..at).unwrap_or(window));
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(window_before) {
        Ok(Status::Complete(length)) => Ok(Some(Head {
            length,
            body: body_framing(&request, max_body_bytes)?,
            offers_upgrade: request.headers.iter().any(offers_upgrade),
        })),
        Ok(Status::Partial) if bare_line_feed.is_some() && has_request_line(window_before) => Err(RequestError::Header),
        Ok(Status::Partial) if bare_line_feed.is_some() => Err(RequestError::RequestLine),
        Ok(Status::Partial) if window.len() < MAX_HEAD_BYTES => Ok(None),
        Ok(Status::Partial) | Err(httparse::Error::TooManyHeaders) => Err(RequestError::HeadTooLong),
        Err(httparse::Error::HeaderName | httparse::Error::HeaderValue) => Err(RequestError::Header),
        // A malformed line end belongs to the request line unless that one is parsed already.
        Err(httparse::Error::NewLine) if request.version.is_some() => Err(RequestError::Header),
        Err(_) => Err(RequestError::RequestLine),
    }
}

/// The position of the first LF without a CR before it.
///
/// Decision D-162: it is an error, though the parser takes it for the end of a line. A proxy may take it for a part of
/// a header's value, and then the two would find different headers.
fn bare_line_feed(bytes: &[u8]) -> Option<usize> {
    let mut before = None;
    bytes.iter().position(|byte| {
        let is_bare = *byte == b'\n' && before != Some(b'\r');
        before = Some(*byte);
        is_bare
    })
}

/// Whether the first line that is not empty is complete.
fn has_request_line(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().windows(2).any(|pair| pair == b"\r\n")
}

/// Whether a header offers another protocol for the connection.
fn offers_upgrade(header: &httparse::Header) -> bool {
    let is_connection = header.name.eq_ignore_ascii_case("connection");
    header.name.eq_ignore_ascii_case("upgrade") || (is_connection && options(header.value).any(is_upgrade))
}

/// The options that a `Connection` header lists.
fn options(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

fn is_upgrade(option: &[u8]) -> bool {
    option.eq_ignore_ascii_case(b"upgrade")
}

/// Appends a head without the offer of another protocol.
///
/// Decision D-163: the server ignores the offer (RFC 9110, 7.8). The framework would close the connection after the
/// response without saying so.
pub(crate) fn append_without_upgrade(head: &[u8], out: &mut Vec<u8>) {
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => line.split_at(colon),
            None => (line, &[][..]),
        };
        if name.eq_ignore_ascii_case(b"upgrade") {
            continue;
        }
        if !name.eq_ignore_ascii_case(b"connection") {
            out.extend_from_slice(line);
            continue;
        }
        let kept = options(value.get(1..).unwrap_or_default()).filter(|option| !is_upgrade(option));
        let kept: Vec<&[u8]> = kept.collect();
        out.extend_from_slice(b"connection: ");
        out.extend_from_slice(&kept.join(&b", "[..]));
        out.extend_from_slice(b"\r\n");
    }
}

fn body_framing(request: &httparse::Request, max_body_bytes: MaxBodyBytes) -> Result<BodyFraming, RequestError> {
    let [mut host, mut length, mut coding] = [None; 3];
    for header in request.headers.iter() {
        let value = header.value.trim_ascii();
        let (field, error_if_repeated) = match header.name.to_ascii_lowercase().as_str() {
            "host" => (&mut host, RequestError::Host),
            "content-length" => (&mut length, RequestError::BodyLength),
            "transfer-encoding" => (&mut coding, RequestError::BodyLength),
            _ => continue,
        };
        if field.replace(value).is_some() {
            return Err(error_if_repeated);
        }
    }
    let is_http_1_0 = request.version == Some(0);
    // About methods and targets the framework is stricter than httparse, its parser.
    let method = request.method.unwrap_or_default().as_bytes();
    let method = Method::from_bytes(method).map_err(|_| RequestError::RequestLine)?;
    let target = Uri::try_from(request.path.unwrap_or_default()).map_err(|_| RequestError::Target)?;
    // A host alone, such as `health` for `/health`: only a tunnel has such a target.
    if target.scheme().is_none() && target.authority().is_some() && method != Method::CONNECT {
        return Err(RequestError::Target);
    }
    if host.is_none() && !is_http_1_0 {
        return Err(RequestError::Host);
    }
    let max_bytes = || max_body_bytes(&method, target.path());
    let framing = match (length, coding) {
        (None, None) if is_http_1_0 && method == Method::POST => return Err(RequestError::BodyLength),
        (None, None) => BodyFraming::Empty,
        (Some(length), None) => match content_length(length, max_bytes())? {
            0 => BodyFraming::Empty,
            length => BodyFraming::Length(length),
        },
        (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") && !is_http_1_0 => {
            BodyFraming::Chunked(max_bytes() as u64)
        }
        (_, Some(_)) => return Err(RequestError::BodyLength),
    };
    Ok(if method == Method::CONNECT {
        BodyFraming::OtherProtocol
    } else {
        framing
    })
}

fn content_length(value: &[u8], max_bytes: usize) -> Result<u64, RequestError> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(RequestError::BodyLength);
    }
    // A number that does not fit is too long, too.
    let length = str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
    length
        .filter(|length| *length <= max_bytes as u64)
        .ok_or(RequestError::BodyTooLong(max_bytes))
}
