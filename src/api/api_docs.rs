//! The OpenAPI document and the documentation page, rendered once at startup: they depend on the program and its
//! options, not on the index.
//!
//! The page shows the plans and how to get a key; below, Swagger UI shows `/openapi.json` and sends requests. All files
//! come from this binary: the page contacts no other host, and its `Content-Security-Policy` enforces that.
//! `docs_page/README.md` states where the Swagger UI bundle comes from.

use std::num::NonZeroU32;

use actix_web::{HttpResponse, http::header};
use bytes::Bytes;

use crate::{
    http::{
        auth::Gateway,
        static_body::{ApiDocs, StaticBody},
    },
    model::{Plan, Plans, digit_groups::grouped},
};

const DOCS: &str = include_str!("docs_page/page.html");
const SCRIPT: &[u8] = include_bytes!("docs_page/page.js");
const STYLE: &[u8] = include_bytes!("docs_page/page.css");
const SWAGGER_UI_SCRIPT: &[u8] = include_bytes!("docs_page/swagger-ui-bundle.js.gz");
const SWAGGER_UI_STYLE: &[u8] = include_bytes!("docs_page/swagger-ui.css.gz");

/// The page's address with a slash. The page is not served there, because its relative links would break.
pub(crate) const SLASHED: &str = "/docs/";

/// The section of the page about plans.
pub(crate) const PLANS: &str = "/docs#plans";

/// The redirect from [`SLASHED`]. It is relative, so that it works behind a proxy with a path prefix.
pub(crate) fn redirect() -> HttpResponse {
    HttpResponse::PermanentRedirect()
        .insert_header((header::LOCATION, "../docs"))
        .finish()
}

/// Renders the documents; `description` is the OpenAPI document.
pub(crate) fn render(description: &serde_json::Value, gateway: &Gateway, plans: &Plans) -> ApiDocs {
    let docs = DOCS
        .replace("{plans}", &plan_rows(plans))
        .replace("{key-header}", gateway.key.as_str());
    ApiDocs {
        description: StaticBody::from(Bytes::from(description.to_string())),
        page: StaticBody::from(Bytes::from(docs)),
        script: StaticBody::from(Bytes::from_static(SCRIPT)),
        style: StaticBody::from(Bytes::from_static(STYLE)),
        swagger_ui_script: StaticBody::of_gzip(SWAGGER_UI_SCRIPT).expect("the file in the program is gzip"),
        swagger_ui_style: StaticBody::of_gzip(SWAGGER_UI_STYLE).expect("the file in the program is gzip"),
    }
}

/// One table row for each plan. Nothing has to be escaped: names are constants, the rest are numbers.
fn plan_rows(plans: &Plans) -> String {
    let with_commas = |number: NonZeroU32| grouped(&number.to_string(), ',');
    let row = |plan: Plan| {
        let limits = plans.limits(plan);
        let pro = if limits.paid { "yes" } else { "no" };
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{pro}</td></tr>\n",
            plan.name(),
            with_commas(limits.requests_per_minute),
            with_commas(limits.requests_per_day),
            limits.page_cap
        )
    };
    Plan::ALL.map(row).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_the_plans_and_the_key_header() {
        let gateway = Gateway::new("x-market", None).unwrap();
        let docs = render(&serde_json::Value::Null, &gateway, &Plans::default());
        let page = std::str::from_utf8(&docs.page.body).unwrap();
        assert!(page.contains("<th scope=\"row\">MEGA</th><td>1,200</td><td>1,000,000</td><td>500</td><td>yes</td>"));
        assert!(page.contains("id=\"plans\"") && page.contains("x-market-key"));
        assert!(!page.contains('{'), "a placeholder was not replaced");
    }
}
