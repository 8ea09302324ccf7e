//! `/tender/alerts/confirm` and `/tender/alerts/decline`: the links of a confirmation mail.
//!
//! Decision D-166: GET shows a page and changes nothing; POST acts. A browser gets a page in any case, other clients
//! get JSON for a POST and for an error.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use crate::{
    api::{
        handlers::{
            alerts::{MAX_ONE_CLICK_BYTES, NO_TOKEN, token},
            confirmation_page::ConfirmationPage,
        },
        params::{alerts::UNSUBSCRIBE as TOKEN, param::describe},
        route::{Access, Answer, Body, Endpoint, ErrorResponse, Parameters, RateLimitHeaders, Route, Tag, Verb},
        subscriptions::write_job,
    },
    http::{
        call::Call,
        error::ApiError,
        state_writer::failed,
        work::{Reply, Work},
    },
    state::{confirmations::ConfirmationState, database::StateDb},
};

pub(crate) const CONFIRM_PAGE: Route = Route {
    id: "getConfirmation",
    endpoint: Endpoint::Fixed("/tender/alerts/confirm", confirm_page),
    about: "The page of a confirmation mail's link; its button confirms",
    answer: Answer::Html,
    ..LINK
};

pub(crate) const CONFIRM: Route = Route {
    id: "confirm",
    verb: Verb::Post,
    endpoint: Endpoint::Fixed("/tender/alerts/confirm", confirm),
    about: "Confirm all subscriptions that wait at the address of a confirmation mail",
    body: Body::Ignored,
    max_body_bytes: MAX_ONE_CLICK_BYTES,
    answer: Answer::Json(SchemaGenerator::subschema_for::<Confirmed>),
    ..LINK
};

pub(crate) const DECLINE_PAGE: Route = Route {
    id: "getDecline",
    endpoint: Endpoint::Fixed("/tender/alerts/decline", decline_page),
    about: "The page of a confirmation mail's link to decline; its button declines",
    answer: Answer::Html,
    ..LINK
};

pub(crate) const DECLINE: Route = Route {
    id: "decline",
    verb: Verb::Post,
    endpoint: Endpoint::Fixed("/tender/alerts/decline", decline),
    about: "End all subscriptions of the address of a confirmation mail, and send it no further one, also by one click (RFC 8058)",
    body: Body::Ignored,
    max_body_bytes: MAX_ONE_CLICK_BYTES,
    answer: Answer::Json(SchemaGenerator::subschema_for::<Declined>),
    ..LINK
};

/// What the links of a confirmation mail have in common.
const LINK: Route = Route {
    tag: Tag::Alerts,
    access: Access::Keyless,
    parameters: Parameters::Table("unsubscribe", || describe(TOKEN)),
    shows_pages: true,
    errors: &[
        ErrorResponse {
            status: "404",
            name: "NoConfirmation",
            about: "The token is unknown, or nothing waits for its confirmation",
            example: |_| UNKNOWN.to_owned(),
            rate_limit: RateLimitHeaders::Never,
        },
        NO_TOKEN,
    ],
    is_cacheable: false,
    ..Route::DEFAULT
};

const UNKNOWN: &str = "this link does not work; it works for 7 days and only as a whole: use the whole link from the mail, or subscribe again";

#[derive(Serialize, JsonSchema)]
#[schemars(description = "The subscriptions of the address are confirmed, from now on or already")]
struct Confirmed {
    /// Always `confirmed`.
    status: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(description = "The address gets no further mail, from now on or already")]
struct Declined {
    /// Always `declined`.
    status: &'static str,
}

fn confirm_page(call: &Call) -> Result<Work, ApiError> {
    let (token, is_browser) = (token(call)?, call.caller.accepts_html);
    Ok(Work::write(write_job(call, String::new(), move |state, consent| {
        let page = match state.find_confirmation(&token, consent.at).map_err(failed)? {
            ConfirmationState::Pending => ConfirmationPage::AskConfirm,
            ConfirmationState::Confirmed => ConfirmationPage::Confirmed,
            ConfirmationState::Expired | ConfirmationState::UnknownToken => {
                return unknown(state, &token, is_browser);
            }
        };
        show(page, state, &token)
    })))
}

fn confirm(call: &Call) -> Result<Work, ApiError> {
    let (token, is_browser) = (token(call)?, call.caller.accepts_html);
    Ok(Work::write(write_job(
        call,
        String::new(),
        move |state, consent| match state.confirm(&token, &consent).map_err(failed)? {
            ConfirmationState::Confirmed if is_browser => show(ConfirmationPage::Confirmed, state, &token),
            ConfirmationState::Confirmed => Reply::json(&Confirmed { status: "confirmed" }),
            _ => unknown(state, &token, is_browser),
        },
    )))
}

fn decline_page(call: &Call) -> Result<Work, ApiError> {
    let (token, is_browser) = (token(call)?, call.caller.accepts_html);
    Ok(Work::write(write_job(
        call,
        String::new(),
        move |state, consent| match state.find_confirmation(&token, consent.at).map_err(failed)? {
            ConfirmationState::UnknownToken => unknown(state, &token, is_browser),
            _ => show(ConfirmationPage::AskDecline, state, &token),
        },
    )))
}

fn decline(call: &Call) -> Result<Work, ApiError> {
    let (token, is_browser) = (token(call)?, call.caller.accepts_html);
    Ok(Work::write(write_job(
        call,
        String::new(),
        move |state, consent| match state.decline(&token, &consent).map_err(failed)? {
            true if is_browser => show(ConfirmationPage::Declined, state, &token),
            true => Reply::json(&Declined { status: "declined" }),
            false => unknown(state, &token, is_browser),
        },
    )))
}

fn show(page: ConfirmationPage, state: &StateDb, token: &str) -> Result<Reply, ApiError> {
    let sender = state.mail_sender().map_err(failed)?;
    Ok(page.reply(token, sender.as_ref()))
}

fn unknown(state: &StateDb, token: &str, is_browser: bool) -> Result<Reply, ApiError> {
    if is_browser {
        show(ConfirmationPage::Expired, state, token)
    } else {
        Err(ApiError::not_found(UNKNOWN))
    }
}
