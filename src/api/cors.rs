//! Browsers of any origin may read: no cookie is used, so there is nothing to protect by origin.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{self, HeaderValue},
    },
};

use crate::api::auth::Gateway;

/// Spec silent: how long a browser may remember a preflight, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

const ANY: HeaderValue = HeaderValue::from_static("*");
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST");

/// The headers of an answer that a script may read.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "link, x-limit-applied, x-ignored-parameters, retry-after, ratelimit-policy, ratelimit, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset",
);

/// A browser's question before the request itself; it can carry no key.
pub fn is_preflight(request: &HttpRequest) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

pub fn preflight(gateway: &Gateway) -> HttpResponse {
    HttpResponse::NoContent()
        .insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, METHODS))
        .insert_header((
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            format!("content-type, {}, {}", gateway.key, gateway.host),
        ))
        .insert_header((header::ACCESS_CONTROL_MAX_AGE, MAX_AGE))
        .finish()
}

/// Lets any origin read an answer.
pub fn open(response: &mut HttpResponse) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}
