//! Errors as pages: what is wrong in the visitor's language, and a way on. The status is that of the error.

use actix_web::{HttpRequest, HttpResponse, body::BoxBody, http::header};
use askama::Template;

use crate::{
    http::{error::ApiError, middleware::request_id::RequestId, work::Reply},
    model::Language,
    pages::{
        address,
        messages::Texts,
        page::{HTML, Layout, NavigationLinks, Section, other, render},
        problem,
        visitor::VisitorKind,
    },
};

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    layout: Layout,
    t: Texts,
    /// The end of the keys of the error's texts.
    kind: &'static str,
    /// What is wrong; empty where it adds nothing.
    detail: String,
    /// How long to wait before trying again; empty if that is not known.
    wait: String,
    /// By which the request is found in the log; empty if nothing was logged.
    request_id: &'a str,
}

/// Whether the client takes a page. One that says nothing of what it accepts is not a browser, and gets JSON as from
/// the API.
pub(crate) fn is_for(request: &HttpRequest) -> bool {
    let lines = request.headers().get_all(header::ACCEPT);
    let mut lines = lines.filter_map(|line| line.to_str().ok());
    lines.any(|line| line.contains("*/*") || line.to_ascii_lowercase().contains("text/html"))
}

/// Whether the client is a browser that shows a page: it names HTML among what it accepts.
pub(crate) fn is_browser(request: &HttpRequest) -> bool {
    let mut lines = request
        .headers()
        .get_all(header::ACCEPT)
        .filter_map(|line| line.to_str().ok());
    lines.any(|line| line.to_ascii_lowercase().contains("text/html"))
}

/// The response of an error, with the headers that it has in the API.
pub(crate) fn response(error: &ApiError, language: Language, request: &HttpRequest, id: &RequestId) -> HttpResponse {
    let plain = error.response(id);
    let uri = request.uri();
    let wait = plain.headers().get(header::RETRY_AFTER);
    let wait = wait.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
    let address = (uri.path(), uri.query().unwrap_or_default());
    match error_page(language, error, wait, address, id.as_str()) {
        Ok(page) => {
            let mut response = plain.set_body(BoxBody::new(page.body));
            response.headers_mut().insert(header::CONTENT_TYPE, HTML);
            response
        }
        Err(_) => plain,
    }
}

/// The page of an error. It needs no index and no visitor, because either may be what is missing.
fn error_page(
    language: Language,
    error: &ApiError,
    wait: Option<u64>,
    (path, query): (&str, &str),
    request_id: &str,
) -> Result<Reply, ApiError> {
    let t = Texts::of(language);
    let kind = kind(error.status.as_u16());
    let page = ErrorPage {
        layout: Layout::bare(
            language,
            t.keyed("error-title-", kind),
            Section::Other,
            address::in_language(other(language), path, query),
            NavigationLinks::of(language),
            VisitorKind::Unknown,
        ),
        t,
        kind,
        // The texts of client errors name the parameter that is wrong; others say nothing to a visitor.
        detail: match kind {
            "invalid" | "forbidden" | "missing" => sentence(&problem::detail(t, error)),
            _ => String::new(),
        },
        wait: wait.map_or_else(String::new, |seconds| waiting_time(t, seconds)),
        request_id: if error.cause.is_some() { request_id } else { "" },
    };
    Ok(render(&page)?.with_status(error.status))
}

/// A text that begins with a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// A time in the largest unit that it fills twice, rounded up.
pub(super) fn waiting_time(t: Texts, seconds: u64) -> String {
    if seconds < 120 {
        t.with("error-wait-seconds", &[("count", &seconds)])
    } else if seconds < 7_200 {
        t.with("error-wait-minutes", &[("count", &seconds.div_ceil(60))])
    } else {
        t.with("error-wait-hours", &[("count", &seconds.div_ceil(3_600))])
    }
}

/// The families of texts that errors have.
fn kind(status: u16) -> &'static str {
    match status {
        403 => "forbidden",
        404 | 410 => "missing",
        429 => "limit",
        503 => "busy",
        504 => "timeout",
        400..=499 => "invalid",
        _ => "server",
    }
}
