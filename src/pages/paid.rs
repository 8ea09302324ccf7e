//! What a visitor sees of a page that the plan of the visitor's key does not include: what it is, and how to get it.

use actix_web::http::StatusCode;
use askama::Template;

use crate::{
    api::api_docs,
    http::{
        error::ApiError,
        middleware::conditional::Validator,
        work::{Job, Work},
    },
    pages::{
        address,
        messages::Texts,
        page::{Layout, PageCall, Section, render},
    },
};

#[derive(Template)]
#[template(path = "paid.html")]
struct PaidPage {
    layout: Layout,
    t: Texts,
    /// The end of the keys of the page's texts.
    name: &'static str,
    /// The name of the visitor's plan; `None` for a visitor without a key.
    plan: Option<String>,
    upgrade_href: String,
    search_href: String,
}

/// The page in place of the one with this name. Its status is 403, like that of the API's endpoint.
pub(crate) fn page(call: &PageCall, section: Section, name: &'static str) -> Result<Work, ApiError> {
    let account = call.visitor.account.as_ref().filter(|_| call.visitor.has_key());
    let upgrade = call.state.upgrade_url.as_deref().unwrap_or(api_docs::PLANS);
    let page = PaidPage {
        layout: call.layout(call.t.keyed("paid-title-", name), section),
        t: call.t,
        name,
        plan: account.map(|account| account.plan_name().to_owned()),
        upgrade_href: upgrade.to_owned(),
        search_href: address::page(call.lang, "search?kind=tender"),
    };
    let reply = render(&page)?.with_status(StatusCode::FORBIDDEN);
    Ok(Work::new(Job::Ready(reply)).with_validator(Validator::None))
}
