//! CORS: scripts of any origin may read responses. The service uses no cookies, so there is nothing
//! to protect by origin.

use std::sync::LazyLock;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{self, HeaderValue},
    },
};

use crate::http::{auth::Gateway, response_headers::names};

/// How long a browser may cache a preflight response, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

const ANY: HeaderValue = HeaderValue::from_static("*");
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST");

/// The response headers that a script may read.
static EXPOSED: LazyLock<HeaderValue> = LazyLock::new(|| {
    let names = names().collect::<Vec<_>>().join(", ").to_lowercase();
    HeaderValue::try_from(names).expect("header names and commas are a valid header value")
});

/// Whether the request is a browser's preflight, which never carries a key.
pub(crate) fn is_preflight(request: &HttpRequest) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

pub(crate) fn preflight(gateway: &Gateway) -> HttpResponse {
    HttpResponse::NoContent()
        .insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, METHODS))
        .insert_header((
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            format!(
                "content-type, if-none-match, x-request-id, {}, {}",
                gateway.key, gateway.host
            ),
        ))
        .insert_header((header::ACCESS_CONTROL_MAX_AGE, MAX_AGE))
        .finish()
}

/// Lets scripts of any origin read a response. If the path of its request grants access, no `Referer` may repeat it.
pub(crate) fn open(response: &mut HttpResponse, is_secret: bool) {
    let headers = response.headers_mut();
    if is_secret {
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED.clone());
}
