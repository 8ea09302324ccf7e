//! The error responses, and the only place that writes their body, `{"detail": …}`.
//!
//! While a request is handled, every failure becomes an [`ApiError`]. Elsewhere `anyhow` carries
//! errors to `main`. **Invariant:** a `detail` contains no internals (file paths, texts of the
//! engine); those go to the log.

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
    http::{
        encoding::EncodingError,
        middleware::request_id::RequestId,
        parameter_error::{ParameterError, Reason},
        quoted::quoted,
    },
    state::keys::KeyError,
};

/// An error response.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    pub(crate) status: StatusCode,
    /// What is wrong and how to fix it, for the client.
    pub(crate) detail: String,
    /// What is wrong as data, for texts in other languages.
    pub(crate) problem: Option<Box<Problem>>,
    /// In a box, because every result of a handler is as large as an error.
    header: Option<Box<(HeaderName, HeaderValue)>>,
    /// The internal cause, for the log only.
    pub(crate) cause: Option<Box<str>>,
    /// Whether work was done for it, so that it counts although others with its status are free.
    pub(crate) is_charged: bool,
}

/// What is wrong with a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Problem {
    Parameter(ParameterError),
    Encoding(EncodingError),
    Key(KeyError),
    Form(FormError),
    /// The text that asks for an older generation, and why there is none.
    Generation(String, GenerationError),
    /// The path exists, but not with this method.
    Method {
        method: String,
        allow: String,
    },
}

/// Why a form of a page is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormError {
    OtherSite,
    OtherSession,
    NotUtf8,
}

/// Why an older generation cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GenerationError {
    /// The text has not the form of an id.
    Form,
    /// It is later than `current`, the newest one.
    Unknown { current: String },
    /// It was removed; `oldest` is kept.
    Removed { oldest: String },
    /// Another version of the program has written it.
    Unreadable,
}

/// `Cache-Control` of errors and of responses that change by themselves: what failed now may work
/// in a moment.
pub(crate) const NOT_STORED: HeaderValue = HeaderValue::from_static("no-store");

/// How long a client should wait before it retries on a busy server, in seconds.
pub(super) const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// The maximum of that time, in seconds. The load of a server is hard to foresee.
const LONGEST_RETRY_AFTER: u64 = 30;

/// How long a client should wait while the server has no generation to serve, in seconds. The server
/// looks for one every few seconds.
const NO_GENERATION_RETRY: u64 = 5;

impl ApiError {
    /// 400: the request is well formed but cannot be served.
    pub(crate) fn bad_request(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, detail)
    }

    /// 403: no valid API key, or its plan does not include the endpoint.
    pub(crate) fn forbidden(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, detail)
    }

    /// 404: no such endpoint or record.
    pub(crate) fn not_found(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, detail)
    }

    /// 404, 410 or 422: the older generation that a request asks for cannot be asked.
    pub(crate) fn refused_generation(id: &str, error: GenerationError) -> ApiError {
        let name = quoted(id);
        let (status, detail) = match &error {
            GenerationError::Form => (
                StatusCode::UNPROCESSABLE_ENTITY,
                format!("parameter 'generation': {name} is not the id of an index, such as 20260131T235959123Z"),
            ),
            GenerationError::Unknown { current } => (
                StatusCode::NOT_FOUND,
                format!("there is no index {name}; the current one is {}", quoted(current)),
            ),
            GenerationError::Removed { oldest } => (
                StatusCode::GONE,
                format!(
                    "the index {name} is no longer kept; the oldest that is available is {}",
                    quoted(oldest)
                ),
            ),
            GenerationError::Unreadable => (
                StatusCode::GONE,
                format!(
                    "the index {name} can no longer be read by this version; leave out 'generation' for the current one"
                ),
            ),
        };
        ApiError::new(status, detail).with_problem(Problem::Generation(id.to_owned(), error))
    }

    /// 405: the path exists, but not with this method. `allow` is the list of its methods.
    pub(crate) fn method_not_allowed(method: &str, allow: &str) -> ApiError {
        let detail = format!("method {} is not allowed here; use {allow}", quoted(method));
        let error = ApiError::new(StatusCode::METHOD_NOT_ALLOWED, detail).with_problem(Problem::Method {
            method: method.to_owned(),
            allow: allow.to_owned(),
        });
        let allow = HeaderValue::from_str(allow).expect("method names and commas are a valid header value");
        error.with_header(header::ALLOW, allow)
    }

    /// 415: the endpoint does not take a body of this type.
    pub(crate) fn unsupported_media_type(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
    }

    /// 422: the request is invalid, but not because of a single parameter.
    pub(crate) fn unprocessable(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// 422: a parameter is invalid; 400 if paging does not fit together. `parameter` is its name as the client wrote
    /// it.
    pub(crate) fn invalid(parameter: &str, reason: Reason) -> ApiError {
        ApiError::from(ParameterError {
            parameter: parameter.to_owned(),
            is_member: false,
            reason,
        })
    }

    /// 422: a member of a body is invalid.
    pub(crate) fn invalid_member(path: &str, reason: Reason) -> ApiError {
        ApiError::from(ParameterError {
            parameter: path.to_owned(),
            is_member: true,
            reason,
        })
    }

    /// 403 or 422: a form of a page is refused.
    pub(crate) fn refused_form(error: FormError) -> ApiError {
        let refused = match error {
            FormError::OtherSite => ApiError::forbidden(
                "the form was not sent from a page of this site; open the page again and send it from there",
            ),
            FormError::OtherSession => {
                ApiError::forbidden("the form belongs to another session; open the page again and send it from there")
            }
            FormError::NotUtf8 => ApiError::unprocessable("the form is not UTF-8; send it again"),
        };
        refused.with_problem(Problem::Form(error))
    }

    /// 429: a limit of the key's plan is reached and resets after `seconds`.
    pub(crate) fn too_many_requests(detail: impl Into<String>, seconds: u64) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, detail).with_header(header::RETRY_AFTER, seconds.into())
    }

    /// 503: the server has too much to do at the moment.
    pub(crate) fn busy() -> ApiError {
        ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is busy; try again in a second",
        )
        .with_header(header::RETRY_AFTER, RETRY_AFTER)
    }

    /// 503: the server expects to have time for the request after so many seconds. They are at least 1 and at most
    /// [`LONGEST_RETRY_AFTER`].
    pub(crate) fn busy_for(seconds: u64) -> ApiError {
        let seconds = seconds.min(LONGEST_RETRY_AFTER);
        if seconds <= 1 {
            return ApiError::busy();
        }
        let detail = format!("the server is busy; try again in {seconds} seconds");
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, detail).with_header(header::RETRY_AFTER, seconds.into())
    }

    /// 503: the disk refused to store what the request asks for. The log gets the cause.
    pub(crate) fn not_stored(why: impl std::fmt::Display) -> ApiError {
        let error = ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server cannot store anything at the moment; try again in 30 seconds",
        );
        ApiError {
            cause: Some(why.to_string().into()),
            ..error.with_header(header::RETRY_AFTER, LONGEST_RETRY_AFTER.into())
        }
    }

    /// 503: the index cannot be read at the moment. The log gets the cause.
    pub(crate) fn index_unavailable(why: impl std::fmt::Display) -> ApiError {
        let error = ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the records cannot be searched at the moment; try again in a second",
        );
        ApiError {
            cause: Some(why.to_string().into()),
            ..error.with_header(header::RETRY_AFTER, RETRY_AFTER)
        }
    }

    /// 503: the server waits for a generation that it can serve. `why` is a sentence for clients.
    pub(crate) fn no_generation(why: Option<&str>) -> ApiError {
        let why = why.unwrap_or("no generation of the records is in service yet");
        let detail = format!("{why}; try again in {NO_GENERATION_RETRY} seconds");
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, detail)
            .with_header(header::RETRY_AFTER, NO_GENERATION_RETRY.into())
    }

    /// 503: the server is shutting down.
    pub(crate) fn draining() -> ApiError {
        ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is stopping; try again in a second",
        )
        .with_header(header::RETRY_AFTER, RETRY_AFTER)
    }

    /// 504: the search exceeded its deadline.
    pub(crate) fn timeout() -> ApiError {
        ApiError::new(
            StatusCode::GATEWAY_TIMEOUT,
            "The query took too long; narrow it with a municipality or a date range",
        )
    }

    /// 504: a request of several items exceeded its deadline.
    pub(crate) fn batch_timeout() -> ApiError {
        ApiError::new(
            StatusCode::GATEWAY_TIMEOUT,
            "The query took too long; send fewer items at once",
        )
    }

    /// 500: an internal error. The client gets no details; the log gets the cause.
    pub(crate) fn internal(why: impl std::fmt::Display) -> ApiError {
        let error = ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "unexpected server error");
        ApiError {
            cause: Some(why.to_string().into()),
            ..error
        }
    }

    /// The response. If the log knows the cause, the text names the request id by which to find it
    /// there.
    pub(crate) fn response(&self, id: &RequestId) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        response.insert_header((header::CACHE_CONTROL, NOT_STORED));
        if let Some((name, value)) = self.header.as_deref() {
            response.insert_header((name.clone(), value.clone()));
        }
        response.content_type(mime_json()).body(match self.cause {
            Some(_) => body(&format!("{}; it was logged as request {}", self.detail, id.as_str())),
            None => body(&self.detail),
        })
    }

    /// The body, and the seconds after which to try again, for a connection that no framework serves.
    pub(crate) fn unframed(&self) -> (String, &str) {
        let seconds = self.header.as_deref().and_then(|(_, value)| value.to_str().ok());
        (body(&self.detail), seconds.unwrap_or("1"))
    }

    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> ApiError {
        ApiError {
            status,
            detail: detail.into(),
            problem: None,
            header: None,
            cause: None,
            is_charged: false,
        }
    }

    /// The same error, with what is wrong as data.
    pub(crate) fn with_problem(self, problem: Problem) -> ApiError {
        ApiError {
            problem: Some(Box::new(problem)),
            ..self
        }
    }

    /// The refused parameter, if the error is about one.
    pub(crate) fn parameter_error(&self) -> Option<&ParameterError> {
        match self.problem.as_deref() {
            Some(Problem::Parameter(error)) => Some(error),
            _ => None,
        }
    }

    /// The same error, of a request that counts.
    pub(crate) fn charged(self) -> ApiError {
        ApiError {
            is_charged: true,
            ..self
        }
    }

    pub(super) fn with_header(self, name: HeaderName, value: HeaderValue) -> ApiError {
        ApiError {
            header: Some(Box::new((name, value))),
            ..self
        }
    }
}

impl From<ParameterError> for ApiError {
    fn from(error: ParameterError) -> ApiError {
        let status = if error.is_about_paging() {
            StatusCode::BAD_REQUEST
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        };
        ApiError::new(status, error.to_string()).with_problem(Problem::Parameter(error))
    }
}

impl From<engine::Error> for ApiError {
    fn from(error: engine::Error) -> ApiError {
        match error {
            engine::Error::Timeout => ApiError::timeout(),
            engine::Error::Unavailable(why) => ApiError::index_unavailable(why),
            inner @ engine::Error::Internal(_) => ApiError::internal(inner),
        }
    }
}

/// The content type of all JSON bodies.
pub(crate) fn mime_json() -> HeaderValue {
    HeaderValue::from_static("application/json")
}

impl From<EncodingError> for ApiError {
    fn from(error: EncodingError) -> ApiError {
        ApiError::unprocessable(error.to_string()).with_problem(Problem::Encoding(error))
    }
}

/// The body of every error response.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(crate) struct Body<'a> {
    /// What is wrong and, if possible, how to fix it.
    detail: &'a str,
}

fn body(detail: &str) -> String {
    serde_json::to_string(&Body { detail }).expect("a struct of one string serializes")
}

#[cfg(test)]
mod tests {
    use actix_web::{body::MessageBody, http::header::HeaderMap};

    use super::*;
    use crate::http::middleware::request_id::REQUEST_ID;

    #[test]
    fn internal_causes_are_not_sent_to_the_client() {
        for (error, status, detail) in [
            (
                engine::Error::Internal("/var/lib/secret".into()),
                StatusCode::INTERNAL_SERVER_ERROR,
                "unexpected server error",
            ),
            (
                engine::Error::Unavailable("/var/lib/secret".into()),
                StatusCode::SERVICE_UNAVAILABLE,
                "the records cannot be searched at the moment; try again in a second",
            ),
        ] {
            let error = ApiError::from(error);
            assert_eq!(error.status, status);
            assert!(!error.detail.contains("secret"));
            assert!(error.cause.as_ref().is_some_and(|cause| cause.contains("secret")));
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_static("trace-7"));
            let response = error.response(&RequestId::of(&headers));
            let is_retried = response.headers().contains_key(header::RETRY_AFTER);
            assert_eq!(is_retried, status == StatusCode::SERVICE_UNAVAILABLE);
            let Ok(bytes) = response.into_body().try_into_bytes() else {
                panic!("the body is not available");
            };
            let expected = format!(r#"{{"detail":"{detail}; it was logged as request trace-7"}}"#);
            assert_eq!(bytes, expected);
        }
        assert_eq!(
            ApiError::from(engine::Error::Timeout).status,
            StatusCode::GATEWAY_TIMEOUT
        );
    }

    #[test]
    fn the_body_is_valid_json_for_any_text() {
        let text = body("a \"b\" \u{1} é\n");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap()["detail"],
            "a \"b\" \u{1} é\n"
        );
        assert_eq!(quoted(&"é".repeat(200)), format!("'{}…'", "é".repeat(80)));
    }
}
