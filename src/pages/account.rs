//! Signing in with an API key, signing out, and what is left of the plan.

use std::time::Instant;

use actix_web::http::{StatusCode, header};
use askama::Template;

use crate::{
    http::{
        error::ApiError,
        middleware::{conditional::Validator, limits::ONE},
        work::{Job, Reply, Work},
    },
    model::Date,
    pages::{
        address::{self, Parameters},
        error_page::waiting_time,
        messages::Texts,
        page::{Layout, PageCall, Section, other, render, see_other},
        route::{Handler, Page, PageAccess},
    },
    state::account::Account,
};

/// What the address of the page may have: where to go after signing in, and what is to be said first.
pub(crate) const PARAMETERS: [&str; 2] = [NEXT, NOTICE];

const NEXT: &str = "next";

const NOTICE: &str = "notice";

pub(crate) const PAGE: Page = Page {
    template: "/{lang}/account",
    access: PageAccess::Everybody,
    handler: Handler::Fixed(page),
    post: Some(send),
};

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    layout: Layout,
    t: Texts,
    action: String,
    /// The page to go to after signing in; empty for the home page.
    next: String,
    /// The end of the key of what is to be said first; empty if there is nothing.
    notice: &'static str,
    /// How long to wait before trying again; empty if there is nothing to wait for.
    wait: String,
    /// Whether the visitor may be signed in although the browser sent no session.
    may_continue: bool,
    /// Whether the visitor can sign out.
    is_signed_in: bool,
    plan: Option<PlanView>,
    key_header: String,
}

impl AccountPage {
    /// Whether the notice says that no key was accepted.
    fn is_refused(&self) -> bool {
        ["wrong-key", "no-key", "too-many-keys"].contains(&self.notice)
    }
}

/// What the page shows of an account.
struct PlanView {
    name: &'static str,
    /// The label of the key; empty for a visitor without one.
    label: String,
    left_today: u64,
    per_day: u64,
    left_this_minute: u64,
    per_minute: u64,
    page_cap: u64,
    is_paid: bool,
    /// When the key ends; empty if it does not.
    ends: String,
}

/// The notices that an address may ask for, so that no address can put words into the page.
const NOTICES: [&str; 2] = ["link", "signed-out"];

pub(crate) fn page(call: &PageCall) -> Result<Work, ApiError> {
    let parameters = Parameters::parse(call.query)?;
    let asked = parameters.get(NOTICE).unwrap_or_default();
    let notice = NOTICES.into_iter().find(|notice| *notice == asked).unwrap_or_default();
    let next = parameters.get(NEXT).and_then(address::same_site_path);
    Ok(not_stored(shown(call, next.unwrap_or_default(), notice, None)?))
}

/// Signs in or out.
fn send(call: &PageCall) -> Result<Work, ApiError> {
    let fields = call.form_fields()?;
    let field = |name: &str| {
        let named = fields.iter().find(|(known, _)| known == name);
        named.map_or("", |(_, value)| value.trim())
    };
    if field("action") == "sign-out" {
        let cookie = call.pages.sessions.end(call.visitor.session.as_ref(), call.now);
        let away = Parameters::default().with(NOTICE, "signed-out");
        let reply = see_other(&away.after(&address::page(call.lang, "account")))?;
        return finish(reply, cookie);
    }
    let next = address::same_site_path(field(NEXT)).unwrap_or_default();
    sign_in(call, field("key"), next)
}

/// The key comes first: a right one signs in although the attempts with wrong ones are used up. Clients behind one
/// proxy may share them.
fn sign_in(call: &PageCall, key: &str, next: &str) -> Result<Work, ApiError> {
    if key.is_empty() {
        let reply = shown(call, next, "no-key", None)?;
        return Ok(not_stored(reply.with_status(StatusCode::UNPROCESSABLE_ENTITY)));
    }
    let Ok(account) = call.state.keys.check(key, call.now) else {
        let limit = &call.pages.sign_in_limit;
        if let Some(seconds) = limit.wait(call.client, Instant::now()) {
            // Not the error page of other 429 responses: that one is about the limits of a plan.
            let mut reply = shown(call, next, "too-many-keys", Some(seconds))?;
            reply.headers.push((header::RETRY_AFTER, seconds.into()));
            return Ok(not_stored(reply.with_status(StatusCode::TOO_MANY_REQUESTS)));
        }
        limit.note_wrong(call.client, Instant::now());
        let reply = shown(call, next, "wrong-key", None)?;
        return Ok(not_stored(reply.with_status(StatusCode::FORBIDDEN)));
    };
    let home = address::page(call.lang, "");
    let reply = see_other(if next.is_empty() { &home } else { next })?;
    finish(reply, call.pages.sessions.start(account.key.id, call.now))
}

fn finish(mut reply: Reply, cookie: anyhow::Result<header::HeaderValue>) -> Result<Work, ApiError> {
    let cookie = cookie.map_err(ApiError::internal)?;
    reply.headers.push((header::SET_COOKIE, cookie));
    Ok(not_stored(reply))
}

/// The page, with the seconds to wait before the next attempt.
fn shown(call: &PageCall, next: &str, notice: &'static str, wait: Option<u64>) -> Result<Reply, ApiError> {
    let layout = call.layout(call.t.text("account-title"), Section::Account);
    let mut other_page = Parameters::default();
    if !next.is_empty() {
        other_page = other_page.with(NEXT, next);
    }
    let page = AccountPage {
        layout: Layout {
            canonical: String::new(),
            // Of a form's address, only what the page needs.
            other_language_href: other_page.after(&address::page(other(call.lang), "account")),
            ..layout
        },
        t: call.t,
        action: address::page(call.lang, "account"),
        next: next.to_owned(),
        notice,
        wait: wait.map_or_else(String::new, |seconds| waiting_time(call.t, seconds)),
        may_continue: call.is_from_elsewhere && !next.is_empty(),
        is_signed_in: call.visitor.kind.is_signed_in(),
        plan: call.visitor.account.as_deref().map(|account| plan(call, account)),
        key_header: call.state.gateway.key.to_string(),
    };
    render(&page)
}

/// What is left changes with every request, so the page is not kept.
fn not_stored(reply: Reply) -> Work {
    Work::new(Job::Ready(reply)).with_validator(Validator::None)
}

/// Looks how much is left by a request that is charged to the minute and returned to the day.
fn plan(call: &PageCall, account: &Account) -> PlanView {
    let mut receipt = account.charge(ONE, call.now);
    account.refund(&mut receipt);
    let label = call.visitor.has_key().then(|| account.key.label.clone());
    let ends = account.key.expires_at.map(|end| call.t.date(Date::in_toronto(end)));
    PlanView {
        name: account.plan_name(),
        label: label.unwrap_or_default(),
        left_today: receipt.day.remaining.into(),
        per_day: account.limits.requests_per_day.get().into(),
        left_this_minute: receipt.burst.remaining.into(),
        per_minute: account.limits.requests_per_minute.get().into(),
        page_cap: account.limits.page_cap.into(),
        is_paid: account.limits.paid,
        ends: ends.unwrap_or_default(),
    }
}
