//! A reply as the response that is sent, and its size.

use actix_web::{
    HttpRequest, HttpResponse,
    body::{BodySize, MessageBody},
    http::Method,
};

use crate::http::{
    error::mime_json,
    middleware::conditional::{self, Tag},
    work::Reply,
};

/// The response with what a handler replied.
pub(crate) fn success(reply: Reply, tag: Option<&Tag>) -> HttpResponse {
    let mut response = HttpResponse::build(reply.status);
    response.content_type(mime_json());
    // After the default content type, so that a reply can replace it.
    for header in reply.headers {
        response.insert_header(header);
    }
    let mut response = response.body(reply.body);
    conditional::describe(&mut response, tag);
    response
}

/// The number of body bytes that are sent.
pub(crate) fn body_size(request: &HttpRequest, response: &HttpResponse) -> u64 {
    match response.body().size() {
        BodySize::Sized(bytes) if request.method() != Method::HEAD => bytes,
        _ => 0,
    }
}
