//! `GET /docs`: the interface for people, and what both descriptions are once the service has started.
//!
//! The page holds the plans and how to get a key; below them Swagger UI shows `/openapi.json` and tries requests. Everything comes from this binary: the
//! page reaches no other host, and its `Content-Security-Policy` keeps it so. `docs/README.md` says where the bundle comes from.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderName, HeaderValue},
};
use bytes::Bytes;

use crate::{
    http::{
        Call, Job, Reply, Work,
        auth::Gateway,
        error::ApiError,
        middleware::conditional::{Tag, Validator},
        openapi, params,
    },
    model::plans::{Plan, Plans},
};

/// What describes the service, written once: it depends on the program and on how it was started, not on the index.
pub struct Pages {
    pub description: Document,
    docs: Document,
    script: Document,
    style: Document,
    swagger_ui_script: Document,
    swagger_ui_style: Document,
}

/// A body, and what tells it from another.
#[derive(Clone)]
pub struct Document {
    pub body: Bytes,
    tag: Tag,
}

const PAGE: &str = include_str!("docs/page.html");
const SCRIPT: &[u8] = include_bytes!("docs/page.js");
const STYLE: &[u8] = include_bytes!("docs/page.css");
const SWAGGER_UI_SCRIPT: &[u8] = include_bytes!("docs/swagger-ui-bundle.js.gz");
const SWAGGER_UI_STYLE: &[u8] = include_bytes!("docs/swagger-ui.css.gz");

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const JAVASCRIPT: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");
const CSS: HeaderValue = HeaderValue::from_static("text/css; charset=utf-8");
const GZIP: HeaderValue = HeaderValue::from_static("gzip");
const NO_SNIFFING: HeaderValue = HeaderValue::from_static("nosniff");

/// What the page may do: nothing but load its own parts and ask this server. Swagger UI draws its icons from `data:` addresses.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The page's address as some write it. The page is not served there: what it is made of is named relative to its own.
pub const SLASHED: &str = "/docs/";

/// The part of the page that tells the plans.
pub const PLANS: &str = "/docs#plans";

/// Spec silent: where [`SLASHED`] leads, relative, so that it holds behind a proxy that serves all this below a path of its own.
pub fn redirect() -> HttpResponse {
    HttpResponse::PermanentRedirect()
        .insert_header((header::LOCATION, "../docs"))
        .finish()
}

impl Pages {
    pub fn write(gateway: &Gateway, plans: &Plans) -> anyhow::Result<Pages> {
        let description = serde_json::to_vec(&openapi::document(gateway, plans))?;
        let docs = PAGE
            .replace("{plans}", &plan_rows(plans))
            .replace("{key-header}", gateway.key.as_str());
        Ok(Pages {
            description: Document::from(Bytes::from(description)),
            docs: Document::from(Bytes::from(docs)),
            script: Document::from(Bytes::from_static(SCRIPT)),
            style: Document::from(Bytes::from_static(STYLE)),
            swagger_ui_script: Document::from(Bytes::from_static(SWAGGER_UI_SCRIPT)),
            swagger_ui_style: Document::from(Bytes::from_static(SWAGGER_UI_STYLE)),
        })
    }
}

impl From<Bytes> for Document {
    fn from(body: Bytes) -> Document {
        let tag = Tag::of_content(&body);
        Document { body, tag }
    }
}

impl Document {
    /// The document as an answer, with these headers.
    pub fn answer(&self, headers: Vec<(HeaderName, HeaderValue)>) -> Work {
        let body = self.body.clone();
        Work::from(Job::Ready(Reply { body, headers })).validated_by(Validator::Document(self.tag.clone()))
    }
}

pub fn get(call: &Call) -> Result<Work, ApiError> {
    let policy = (header::CONTENT_SECURITY_POLICY, POLICY);
    part(call, &call.state.pages.docs, HTML, [policy])
}

pub fn script(call: &Call) -> Result<Work, ApiError> {
    part(call, &call.state.pages.script, JAVASCRIPT, [])
}

pub fn style(call: &Call) -> Result<Work, ApiError> {
    part(call, &call.state.pages.style, CSS, [])
}

pub fn swagger_ui_script(call: &Call) -> Result<Work, ApiError> {
    packed(call, &call.state.pages.swagger_ui_script, JAVASCRIPT)
}

pub fn swagger_ui_style(call: &Call) -> Result<Work, ApiError> {
    packed(call, &call.state.pages.swagger_ui_style, CSS)
}

/// Spec silent: the bundle is sent as gzip, whatever the request accepts: it is for browsers, which all do, and packing megabytes anew for
/// whoever asks, without a key, would be a way to tire the server.
fn packed(call: &Call, document: &Document, mime: HeaderValue) -> Result<Work, ApiError> {
    part(call, document, mime, [(header::CONTENT_ENCODING, GZIP)])
}

fn part<const N: usize>(
    call: &Call,
    document: &Document,
    mime: HeaderValue,
    more: [(HeaderName, HeaderValue); N],
) -> Result<Work, ApiError> {
    params::none(call.query)?;
    let mut headers = vec![
        (header::CONTENT_TYPE, mime),
        (header::X_CONTENT_TYPE_OPTIONS, NO_SNIFFING),
    ];
    headers.extend(more);
    Ok(document.answer(headers))
}

/// A row of the table a plan. Nothing in it needs an escape: names are ours, figures are figures.
fn plan_rows(plans: &Plans) -> String {
    let row = |plan: Plan| {
        let terms = plans.limits(plan);
        let pro = if terms.paid { "yes" } else { "no" };
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{pro}</td></tr>\n",
            plan.name(),
            grouped(terms.requests_per_minute.get()),
            grouped(terms.requests_per_day.get()),
            terms.page_cap
        )
    };
    Plan::ALL.map(row).concat()
}

/// `1000000` → `1,000,000`.
fn grouped(figure: u32) -> String {
    let digits = figure.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_grouped() {
        for (figure, text) in [(7, "7"), (999, "999"), (1_000, "1,000"), (1_000_000, "1,000,000")] {
            assert_eq!(grouped(figure), text);
        }
    }

    #[test]
    fn the_page_tells_the_plans_and_the_header_in_force() {
        let gateway = Gateway::new("x-market", None).unwrap();
        let pages = Pages::write(&gateway, &Plans::default()).unwrap();
        let page = std::str::from_utf8(&pages.docs.body).unwrap();
        assert!(page.contains("<th scope=\"row\">MEGA</th><td>1,200</td><td>1,000,000</td><td>500</td><td>yes</td>"));
        assert!(page.contains("id=\"plans\"") && page.contains("x-market-key"));
        assert!(!page.contains('{'), "a placeholder is left");
    }
}
