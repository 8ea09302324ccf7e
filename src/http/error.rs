//! What a client is told when it gets no answer, and the one place that writes `{"detail": …}`.
//!
//! On the request path everything that fails becomes an [`ApiError`], made by one of a few constructors; off it, `anyhow`
//! carries errors to `main`. **Invariant:** nothing of the inside (paths, engine texts) is in a `detail`; it goes to the log.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    engine,
    http::middleware::{conditional::NOT_STORED, request_id::RequestId},
};

/// A status, a sentence, at most one header that goes with them, and what only the log is told.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    pub status: StatusCode,
    pub detail: String,
    header: Option<(HeaderName, HeaderValue)>,
    /// Why something failed inside.
    pub cause: Option<Box<str>>,
}

/// Spec silent: how long a client waits before it asks a busy server again, in seconds.
pub(super) const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// Spec silent: the most characters of a client's own text that an error repeats.
const LONGEST_QUOTE: usize = 80;

impl ApiError {
    /// The request is understood but cannot be served as asked.
    pub fn bad_request(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, detail)
    }

    /// No valid key, or not the plan it takes.
    pub fn forbidden(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, detail)
    }

    /// No such endpoint or record.
    pub fn not_found(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, detail)
    }

    /// The path exists, but not for this method; `allow` lists those it exists for.
    pub fn method_not_allowed(method: &str, allow: &str) -> ApiError {
        let detail = format!("method {} is not allowed here; use {allow}", quoted(method));
        let error = ApiError::new(StatusCode::METHOD_NOT_ALLOWED, detail);
        match HeaderValue::from_str(allow) {
            Ok(allow) => error.with_header(header::ALLOW, allow),
            Err(_) => error,
        }
    }

    /// The body is of a type that is not read here.
    pub fn unsupported_media_type(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
    }

    /// The request is malformed in a way no single parameter is to blame for.
    pub fn unprocessable(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// A parameter, named as the client wrote it, has something wrong.
    pub fn invalid(param: &str, why: impl std::fmt::Display) -> ApiError {
        ApiError::unprocessable(format!("parameter '{param}': {why}"))
    }

    /// A limit of the key's plan is reached, for so many seconds more.
    pub fn too_many_requests(detail: impl Into<String>, seconds: u64) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, detail).with_header(header::RETRY_AFTER, seconds.into())
    }

    /// More requests wait than the server will hold.
    pub fn busy() -> ApiError {
        ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is busy; try again in a second",
        )
        .with_header(header::RETRY_AFTER, RETRY_AFTER)
    }

    /// The server is about to stop.
    pub fn draining() -> ApiError {
        ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is stopping; try again in a second",
        )
        .with_header(header::RETRY_AFTER, RETRY_AFTER)
    }

    pub fn timeout() -> ApiError {
        ApiError::new(
            StatusCode::GATEWAY_TIMEOUT,
            "The query took too long; narrow it with a municipality or a date range",
        )
    }

    /// Something failed inside: the client learns only that, the log learns why.
    pub fn internal(why: impl std::fmt::Display) -> ApiError {
        let error = ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "unexpected server error");
        ApiError {
            cause: Some(why.to_string().into()),
            ..error
        }
    }

    /// The answer. Where the log knows more than the client may, the sentence names what to look for there.
    pub fn response(&self, id: &RequestId) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        response.insert_header((header::CACHE_CONTROL, NOT_STORED));
        if let Some((name, value)) = &self.header {
            response.insert_header((name.clone(), value.clone()));
        }
        response.content_type(mime_json()).body(match self.cause {
            Some(_) => body(&format!("{}; it was logged as request {}", self.detail, id.as_str())),
            None => body(&self.detail),
        })
    }

    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> ApiError {
        ApiError {
            status,
            detail: detail.into(),
            header: None,
            cause: None,
        }
    }

    pub(super) fn with_header(self, name: HeaderName, value: HeaderValue) -> ApiError {
        ApiError {
            header: Some((name, value)),
            ..self
        }
    }
}

impl From<engine::Error> for ApiError {
    fn from(error: engine::Error) -> ApiError {
        match error {
            engine::Error::Timeout => ApiError::timeout(),
            inner => ApiError::internal(inner),
        }
    }
}

/// The type of every body this service writes.
pub fn mime_json() -> HeaderValue {
    HeaderValue::from_static("application/json")
}

/// A client's text as an error repeats it: between quotes, cut when it is long.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("'{}…'", &text[..end]),
        None => format!("'{text}'"),
    }
}

/// The body of every error.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub struct Body<'a> {
    /// What is wrong, and the cure where there is one.
    detail: &'a str,
}

fn body(detail: &str) -> String {
    // A struct of one string always serializes.
    serde_json::to_string(&Body { detail }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use actix_web::{body::MessageBody, http::header::HeaderMap};

    use super::*;
    use crate::http::middleware::request_id::REQUEST_ID;

    #[test]
    fn the_inside_stays_inside() {
        for error in [
            engine::Error::Internal("/var/lib/secret".into()),
            engine::Error::Unavailable("/var/lib/secret".into()),
        ] {
            let answer = ApiError::from(error);
            assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
            assert!(!answer.detail.contains("secret"));
            assert!(answer.cause.as_ref().is_some_and(|cause| cause.contains("secret")));
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_static("trace-7"));
            let response = answer.response(&RequestId::of(&headers));
            let Ok(bytes) = response.into_body().try_into_bytes() else {
                panic!("a body that is not at hand");
            };
            assert_eq!(
                bytes,
                r#"{"detail":"unexpected server error; it was logged as request trace-7"}"#
            );
        }
        assert_eq!(
            ApiError::from(engine::Error::Timeout).status,
            StatusCode::GATEWAY_TIMEOUT
        );
    }

    #[test]
    fn the_body_is_json_whatever_the_text() {
        let text = body("a \"b\" \u{1} é\n");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap()["detail"],
            "a \"b\" \u{1} é\n"
        );
        assert_eq!(quoted(&"é".repeat(200)), format!("'{}…'", "é".repeat(80)));
    }
}
