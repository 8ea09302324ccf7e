//! `GET /openapi.json`, and `GET /docs` with the files it loads.

use actix_web::http::header::{self, HeaderName, HeaderValue};
use schemars::json_schema;

use crate::http::{
    call::Call,
    error::ApiError,
    pages::Page,
    params::read,
    route::{Access, Answer, Endpoint, Route},
    work::Work,
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
        file(call, &call.state.pages.script, JAVASCRIPT, [])
    }),
    ..PAGE
};

pub(crate) const STYLE: Route = Route {
    endpoint: Endpoint::Fixed("/docs/page.css", |call| file(call, &call.state.pages.style, CSS, [])),
    ..PAGE
};

pub(crate) const SWAGGER_UI_SCRIPT: Route = Route {
    endpoint: Endpoint::Fixed("/docs/swagger-ui-bundle.js", |call| {
        file(
            call,
            &call.state.pages.swagger_ui_script,
            JAVASCRIPT,
            [(header::CONTENT_ENCODING, GZIP)],
        )
    }),
    ..PAGE
};

pub(crate) const SWAGGER_UI_STYLE: Route = Route {
    endpoint: Endpoint::Fixed("/docs/swagger-ui.css", |call| {
        file(
            call,
            &call.state.pages.swagger_ui_style,
            CSS,
            [(header::CONTENT_ENCODING, GZIP)],
        )
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

/// Decision D-126: the Swagger UI files are sent as gzip to every client: they are for browsers, which all accept it.
/// Compressing megabytes anew for any client without a key would be a way to overload the server.
const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// The page may only load its own files and call this server. Swagger UI has its icons in `data:` addresses.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

fn description(call: &Call) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    Ok(call.state.pages.description.work(Vec::new()))
}

fn docs(call: &Call) -> Result<Work, ApiError> {
    let policy = (header::CONTENT_SECURITY_POLICY, POLICY);
    file(call, &call.state.pages.docs, HTML, [policy])
}

fn file<const N: usize>(
    call: &Call,
    page: &Page,
    content_type: HeaderValue,
    more: [(HeaderName, HeaderValue); N],
) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let mut headers = vec![
        (header::CONTENT_TYPE, content_type),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    headers.extend(more);
    Ok(page.work(headers))
}
