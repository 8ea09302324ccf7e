//! Reads a request body: completely, up to the maximum size of its endpoint and within a time limit.

use std::{
    future::{pending, poll_fn},
    pin::pin,
};

use actix_web::{
    HttpMessage, HttpRequest,
    body::{BodyStream, MessageBody},
    http::header,
    web::Payload,
};
use bytes::Bytes;

use crate::{
    api::route::{Body, MAX_BODY_BYTES, Route},
    http::{
        byte_budget::{Owner, Reservation},
        call::AppState,
        connection::ConnectionState,
        error::ApiError,
        quoted::quoted,
        refusal::Refusal,
    },
};

/// The memory of a body grows by this many bytes, so that it is never much larger than what has arrived.
const GROWTH_BYTES: usize = 16 << 10;

/// The memory that the framework has for a request while its body arrives: two buffers of 8 KiB, one with the head. The
/// body's share of the budget includes it.
const FRAMEWORK_BYTES: usize = 16 << 10;

/// Reads the body of a request within a time limit. Returns the JSON text, not yet parsed, if the endpoint takes one
/// and the client sent one. Its bytes count against the budget of `owner` until they are dropped.
///
/// A body without a content type is taken for JSON; a blank one counts as absent.
pub(crate) async fn read(
    route: &Route,
    request: &HttpRequest,
    payload: Payload,
    state: &AppState,
    owner: Owner,
) -> Result<Option<Bytes>, ApiError> {
    let read = async {
        match route.body {
            Body::None => Ok(None),
            Body::Ignored => receive(request, payload, route.max_body_bytes, |_| Ok(()))
                .await
                .map(|()| None),
            Body::Json { .. } | Body::Form(_) => {
                let mut body = HeldBody::new(request, state.request_bytes.reservation(owner));
                receive(request, payload, route.max_body_bytes, |part| body.append(part)).await?;
                Ok(Some(Bytes::from_owner(body)))
            }
        }
    };
    let read = tokio::time::timeout(state.body_time, read).await;
    let read = read.unwrap_or_else(|_| Err(Refusal::Timeout.into()));
    // If the server has cut the body off, the connection knows why.
    let refusal = ConnectionState::of(request).and_then(|connection| connection.refusal(request.path()));
    let bytes = read.map_err(|error| refusal.map_or(error, ApiError::from))?;
    let bytes = bytes.filter(|bytes| !bytes.trim_ascii().is_empty());
    match (&bytes, &route.body) {
        (Some(_), Body::Form(_)) => check_form(request)?,
        (Some(_), _) => check_type(request)?,
        (None, Body::Json { is_required: true, .. }) => {
            return Err(ApiError::unprocessable(
                "a body is required: a JSON object, sent as application/json",
            ));
        }
        (None, _) => {}
    }
    Ok(bytes)
}

/// Reads the body of a form that a page sent, within a time limit, as [`read`] reads a body of JSON.
pub(crate) async fn read_form(
    request: &HttpRequest,
    payload: Payload,
    state: &AppState,
    owner: Owner,
) -> Result<Bytes, ApiError> {
    let read = async {
        let mut body = HeldBody::new(request, state.request_bytes.reservation(owner));
        receive(request, payload, MAX_BODY_BYTES, |part| body.append(part)).await?;
        Ok(Bytes::from_owner(body))
    };
    let read = tokio::time::timeout(state.body_time, read).await;
    let read = read.unwrap_or_else(|_| Err(Refusal::Timeout.into()));
    let refusal = ConnectionState::of(request).and_then(|connection| connection.refusal(request.path()));
    let bytes = read.map_err(|error| refusal.map_or(error, ApiError::from))?;
    if is_form(request) {
        Ok(bytes)
    } else {
        Err(ApiError::unsupported_media_type(
            "the body is not a form; send it from the page",
        ))
    }
}

fn is_form(request: &HttpRequest) -> bool {
    let stated = request.content_type();
    stated.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

fn check_form(request: &HttpRequest) -> Result<(), ApiError> {
    if is_form(request) {
        Ok(())
    } else {
        let why = "the body is not a form; send it as application/x-www-form-urlencoded";
        Err(ApiError::unsupported_media_type(why))
    }
}

/// Gives the parts of a body to `take`, as they arrive. Fails as soon as it is known that the body is too long: a chunk
/// states its size before its data.
async fn receive(
    request: &HttpRequest,
    payload: Payload,
    max_bytes: usize,
    take: impl FnMut(&[u8]) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    let too_long = async {
        match ConnectionState::of(request) {
            Some(connection) => connection.body_too_long().await,
            None => pending().await,
        }
    };
    tokio::select! {
        biased;
        () = too_long => Err(Refusal::BodyTooLong(max_bytes).into()),
        received = receive_parts(payload, max_bytes, take) => received,
    }
}

async fn receive_parts(
    payload: Payload,
    max_bytes: usize,
    mut take: impl FnMut(&[u8]) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    let mut parts = pin!(BodyStream::new(payload));
    let mut length = 0;
    while let Some(part) = poll_fn(|cx| parts.as_mut().poll_next(cx)).await {
        let part = part.map_err(|_| ApiError::bad_request("the body ended early; send all of it"))?;
        length += part.len();
        if length > max_bytes {
            return Err(Refusal::BodyTooLong(max_bytes).into());
        }
        take(&part)?;
    }
    Ok(())
}

/// A body as far as it has arrived, and its share of the memory for all bodies.
struct HeldBody {
    bytes: Vec<u8>,
    held: Reservation,
    /// The memory that the request takes besides its body.
    besides: usize,
}

impl HeldBody {
    fn new(request: &HttpRequest, held: Reservation) -> HeldBody {
        HeldBody {
            bytes: Vec::new(),
            held,
            // The buffer of a long head grows by doubling.
            besides: FRAMEWORK_BYTES + 2 * head_bytes(request),
        }
    }

    fn append(&mut self, part: &[u8]) -> Result<(), ApiError> {
        let length = self.bytes.len() + part.len();
        if length > self.bytes.capacity() {
            let capacity = length.next_multiple_of(GROWTH_BYTES);
            if !self.held.grow_to(self.besides + capacity) {
                return Err(Refusal::TooManyBodies.into());
            }
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
        self.bytes.extend_from_slice(part);
        Ok(())
    }
}

/// About how long the head of a request is, in bytes.
fn head_bytes(request: &HttpRequest) -> usize {
    let headers = request.headers().iter();
    let headers: usize = headers.map(|(name, value)| name.as_str().len() + value.len()).sum();
    let target = request.uri().path_and_query();
    headers + target.map_or(0, |target| target.as_str().len())
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Checks that the headers state JSON in UTF-8 without a content coding, or nothing.
fn check_type(request: &HttpRequest) -> Result<(), ApiError> {
    let text = |name| {
        let value = request.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    if let Some(coding) =
        text(header::CONTENT_ENCODING).filter(|coding| !coding.trim().eq_ignore_ascii_case("identity"))
    {
        return Err(ApiError::unsupported_media_type(format!(
            "the body has the content coding {}; send it without",
            quoted(&coding)
        )));
    }
    let is_json = match request.mime_type() {
        Ok(None) => true,
        Ok(Some(mime)) => {
            let is_utf8 = mime.get_param("charset").is_none_or(|charset| charset == "utf-8");
            let is_json = mime.subtype() == "json" || mime.suffix().is_some_and(|suffix| suffix == "json");
            mime.type_() == "application" && is_json && is_utf8
        }
        Err(_) => false,
    };
    if is_json {
        return Ok(());
    }
    let content_type = text(header::CONTENT_TYPE).unwrap_or_default();
    Err(ApiError::unsupported_media_type(format!(
        "the body has the content type {}; send application/json, in UTF-8",
        quoted(&content_type)
    )))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::http::byte_budget::ByteBudget;

    #[test]
    fn a_body_counts_with_what_its_request_takes() {
        let budget = ByteBudget::new(1 << 20);
        let cookie = "x".repeat(5_000);
        let request = TestRequest::post().insert_header(("cookie", cookie)).to_http_request();
        let mut body = HeldBody::new(&request, budget.reservation(None));
        body.append(b"{").unwrap();
        let least = FRAMEWORK_BYTES + 10_000 + GROWTH_BYTES;
        assert!((least..least + 100).contains(&budget.used()), "{}", budget.used());
        drop(body);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn json_types_are_accepted() {
        for (header, is_accepted) in [
            (None, true),
            (Some("application/json"), true),
            (Some("Application/JSON; charset=UTF-8"), true),
            (Some("application/vnd.x+json"), true),
            (Some("application/json; charset=latin1"), false),
            (Some("text/json"), false),
            (Some("application/x-www-form-urlencoded"), false),
            (Some("multipart/form-data; boundary=x"), false),
            (Some("json"), false),
            (Some(""), false),
        ] {
            let mut request = TestRequest::post();
            if let Some(header) = header {
                request = request.insert_header(("content-type", header));
            }
            let checked = check_type(&request.to_http_request());
            assert_eq!(checked.is_ok(), is_accepted, "{header:?} {checked:?}");
            assert!(checked.is_ok() || checked.is_err_and(|error| error.status == 415));
        }
        for (coding, is_accepted) in [("identity", true), ("gzip", false)] {
            let request = TestRequest::post().insert_header(("content-encoding", coding));
            assert_eq!(check_type(&request.to_http_request()).is_ok(), is_accepted, "{coding}");
        }
    }
}
