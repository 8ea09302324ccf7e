//! Reads a request body: completely, up to a maximum size and within a time limit.

use std::time::Duration;

use actix_web::{HttpMessage, HttpRequest, http::header, web::Payload};
use bytes::Bytes;

use crate::http::{
    error::{ApiError, quoted},
    refusal::Refusal,
    route::Body,
};

/// Decision D-23: the maximum size of a body, in bytes.
pub(crate) const MAX_SIZE: usize = 1 << 20;

/// Reads the body of a request within a time limit. Returns the JSON text, not yet parsed, if the endpoint takes one
/// and the client sent one.
///
/// Decision D-23: a body without a content type is taken for JSON; a blank one counts as absent.
pub(crate) async fn read(
    body: &Body,
    request: &HttpRequest,
    payload: Payload,
    time: Duration,
) -> Result<Option<Bytes>, ApiError> {
    let is_required = match body {
        Body::None => return Ok(None),
        Body::Ignored => {
            receive(payload, time).await?;
            return Ok(None);
        }
        Body::Json { is_required, .. } => *is_required,
    };
    let bytes = receive(payload, time).await?;
    if bytes.trim_ascii().is_empty() {
        return if is_required {
            Err(ApiError::unprocessable(
                "a body is required: a JSON object, sent as application/json",
            ))
        } else {
            Ok(None)
        };
    }
    check_type(request)?;
    Ok(Some(bytes))
}

async fn receive(payload: Payload, time: Duration) -> Result<Bytes, ApiError> {
    match tokio::time::timeout(time, payload.to_bytes_limited(MAX_SIZE)).await {
        Ok(Ok(Ok(bytes))) => Ok(bytes),
        Ok(Ok(Err(_))) => Err(ApiError::bad_request("the body ended early; send all of it")),
        Ok(Err(_)) => Err(Refusal::BodyTooLong.into()),
        Err(_) => Err(Refusal::Timeout.into()),
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
