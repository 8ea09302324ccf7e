//! `GET /openapi.json`, and `GET /docs` with the files it loads.

use actix_web::http::header::{self, HeaderName, HeaderValue};
use schemars::json_schema;

use crate::{
    api::{
        params::read,
        route::{Access, Answer, Endpoint, Route},
    },
    http::{call::Call, error::ApiError, static_body::StaticBody, work::Work},
};

pub(crate) const DESCRIPTION: Route = Route {
    id: "getDescription",
    endpoint: Endpoint::Fixed("/openapi.json", description),
    about: "This description",
    answer: Answer::Json(|_| json_schema!({"type": "object", "required": ["openapi", "info", "paths"]})),
    ..PAGE
};

pub(crate) const DOCS: Route = Route {
    id: "getDocs",
    endpoint: Endpoint::Fixed("/docs", docs),
    about: "A page that shows this description and sends requests; plans and limits",
    answer: Answer::Html,
    ..PAGE
};

pub(crate) const SCRIPT: Route = Route {
    endpoint: Endpoint::Fixed("/docs/page.js", |call| {
        file(call, &call.state.api_docs.script, JAVASCRIPT, [])
    }),
    ..PAGE
};

pub(crate) const STYLE: Route = Route {
    endpoint: Endpoint::Fixed("/docs/page.css", |call| file(call, &call.state.api_docs.style, CSS, [])),
    ..PAGE
};

pub(crate) const SWAGGER_UI_SCRIPT: Route = Route {
    endpoint: Endpoint::Fixed("/docs/swagger-ui-bundle.js", |call| {
        file(call, &call.state.api_docs.swagger_ui_script, JAVASCRIPT, [])
    }),
    ..PAGE
};

pub(crate) const SWAGGER_UI_STYLE: Route = Route {
    endpoint: Endpoint::Fixed("/docs/swagger-ui.css", |call| {
        file(call, &call.state.api_docs.swagger_ui_style, CSS, [])
    }),
    ..PAGE
};

const PAGE: Route = Route {
    access: Access::Keyless,
    ..Route::DEFAULT
};

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const JAVASCRIPT: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");
const CSS: HeaderValue = HeaderValue::from_static("text/css; charset=utf-8");

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The page may only load its own files and call this server. Swagger UI has its icons in `data:` addresses.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

fn description(call: &Call) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    Ok(call.state.api_docs.description.work(Vec::new()))
}

fn docs(call: &Call) -> Result<Work, ApiError> {
    let policy = (header::CONTENT_SECURITY_POLICY, POLICY);
    file(call, &call.state.api_docs.page, HTML, [policy])
}

fn file<const N: usize>(
    call: &Call,
    page: &StaticBody,
    content_type: HeaderValue,
    more: [(HeaderName, HeaderValue); N],
) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let mut headers = vec![
        (header::CONTENT_TYPE, content_type),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
        (RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
    ];
    headers.extend(more);
    Ok(page.work(headers))
}
