//! `POST /tender/alerts/subscribe` and `/tender/alerts/unsubscribe`: subscriptions to digests of new tenders.
//!
//! Writes go to the [state database](crate::http::state_writer); no mail is sent here. A subscription contains personal
//! data: no part of it is in an error or a log line.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::json;

use crate::{
    api::{
        handlers::confirmation_page::ConfirmationPage,
        json,
        params::{
            alerts::{SUBSCRIBE as TABLE, SubscribeBody, SubscribeParams, UNSUBSCRIBE as TOKEN, UnsubscribeParams},
            param::describe,
            read::read_all,
        },
        route::{Access, Answer, Body, Endpoint, ErrorResponse, Parameters, RateLimitHeaders, Route, Tag, Verb},
        subscriptions::{self, subscription_request, write_job},
    },
    http::{
        call::Call,
        error::ApiError,
        parameter_error::Reason,
        state_writer::failed,
        work::{Reply, Work},
    },
    state::unsubscribe::UnsubscribeOutcome,
};

pub(crate) const SUBSCRIBE: Route = Route {
    id: "subscribe",
    tag: Tag::Alerts,
    verb: Verb::Post,
    endpoint: Endpoint::Fixed("/tender/alerts/subscribe", subscribe),
    about: "Subscribe an e-mail address to digests of new tenders; the query string and the body state which",
    parameters: Parameters::Table("subscribe", || describe(TABLE)),
    body: Body::Json {
        is_required: false,
        schema: SchemaGenerator::subschema_for::<SubscribeBody>,
        example: || json!({"email": "name@example.com", "keywords": ["snow removal", "déneigement"], "frequency": "weekly"}),
    },
    answer: Answer::Json(SchemaGenerator::subschema_for::<Subscribed>),
    errors: &[ErrorResponse {
        status: "422",
        name: "InvalidSubscription",
        about: "The body is not JSON, or a member of it or a parameter is invalid, unknown, missing or given twice; the message names it, or the line \
and column",
        example: |_| {
            "unknown member 'emial'; expected one of 'email', 'keyword', 'keywords', 'department', 'municipality', 'category', 'languages', \
             'translate', 'frequency', 'locale'"
                .to_owned()
        },
        rate_limit: RateLimitHeaders::Always,
    }],
    is_cacheable: false,
    ..Route::DEFAULT
};

pub(crate) const UNSUBSCRIBE: Route = Route {
    id: "unsubscribe",
    tag: Tag::Alerts,
    endpoint: Endpoint::Fixed("/tender/alerts/unsubscribe", unsubscribe),
    access: Access::Keyless,
    about: "End the subscriptions of a mail's unsubscribe link, at once",
    parameters: Parameters::Table("unsubscribe", || describe(TOKEN)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Ended>),
    shows_pages: true,
    errors: &[NO_SUBSCRIPTION, NO_TOKEN],
    is_cacheable: false,
    ..Route::DEFAULT
};

const NO_SUBSCRIPTION: ErrorResponse = ErrorResponse {
    status: "404",
    name: "NoSubscription",
    about: "No subscription has that token",
    example: |_| UNKNOWN.to_owned(),
    rate_limit: RateLimitHeaders::Never,
};

const UNKNOWN: &str = "no subscription has this token; use the whole link from the mail";

/// The maximum size of the body of a mail's link, which is ignored. A mail program sends 26 bytes.
pub(crate) const MAX_ONE_CLICK_BYTES: usize = 4 << 10;

pub(crate) const UNSUBSCRIBE_ONE_CLICK: Route = Route {
    id: "unsubscribeOneClick",
    verb: Verb::Post,
    about: "End the subscriptions of a mail's unsubscribe link, as a mail program does with one click (RFC 8058)",
    body: Body::Ignored,
    max_body_bytes: MAX_ONE_CLICK_BYTES,
    shows_pages: false,
    errors: &[
        ErrorResponse {
            name: "NoSubscriptionOneClick",
            ..NO_SUBSCRIPTION
        },
        NO_TOKEN,
    ],
    endpoint: Endpoint::Fixed("/tender/alerts/unsubscribe", unsubscribe_one_click),
    ..UNSUBSCRIBE
};

/// The error of a link without its token.
pub(crate) const NO_TOKEN: ErrorResponse = ErrorResponse {
    status: "422",
    name: "NoToken",
    about: "The token is missing, or another parameter was given",
    example: |_| "parameter 'token' is required; it is in the link of the mail".to_owned(),
    rate_limit: RateLimitHeaders::Never,
};

#[derive(Serialize, JsonSchema)]
#[schemars(description = "The address is subscribed, from now on or already")]
struct Subscribed {
    /// Always `subscribed`.
    status: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "Unsubscribed",
    description = "The token's subscriptions are ended, from now on or already"
)]
struct Ended {
    /// Always `unsubscribed`.
    status: &'static str,
}

/// The response is the same for a new and for an existing subscription, and whether or not the address has to confirm
/// it, so that it does not reveal who is subscribed.
fn subscribe(call: &Call) -> Result<Work, ApiError> {
    let query: SubscribeParams = read_all(TABLE, call.query)?;
    query.check_words()?;
    let body: SubscribeBody = match &call.body {
        Some(body) => json::parse(body)?,
        None => SubscribeBody::default(),
    };
    let request = subscription_request(query, body, call)?;
    Ok(subscriptions::subscribe(call, request, |stored| {
        stored?;
        Reply::json(&Subscribed { status: "subscribed" })
    }))
}

/// Needs no key: the token is the authorization.
///
/// HEAD changes nothing. GET acts at once, as specified, so a program that opens every link of a mail
/// ends its subscriptions. A browser gets a page instead of JSON.
fn unsubscribe(call: &Call) -> Result<Work, ApiError> {
    end(call, call.caller.accepts_html)
}

/// As [`unsubscribe`], for a mail program: always JSON.
fn unsubscribe_one_click(call: &Call) -> Result<Work, ApiError> {
    end(call, false)
}

fn end(call: &Call, is_browser: bool) -> Result<Work, ApiError> {
    let (token, is_head) = (token(call)?, call.is_head);
    Ok(Work::write(write_job(call, String::new(), move |state, consent| {
        let found = if is_head {
            state.find_token(&token)
        } else {
            state.unsubscribe(&token, &consent)
        };
        let has_ended = match found.map_err(failed)? {
            UnsubscribeOutcome::Ended | UnsubscribeOutcome::AlreadyEnded => true,
            UnsubscribeOutcome::UnknownToken => false,
        };
        match has_ended {
            _ if is_browser => {
                let page = if has_ended {
                    ConfirmationPage::Unsubscribed
                } else {
                    ConfirmationPage::NoSubscription
                };
                let sender = state.mail_sender().map_err(failed)?;
                Ok(page.reply(&token, sender.as_ref()))
            }
            true => Reply::json(&Ended { status: "unsubscribed" }),
            false => Err(ApiError::not_found(UNKNOWN)),
        }
    })))
}

/// The token of a link in a mail.
pub(super) fn token(call: &Call) -> Result<String, ApiError> {
    let given: UnsubscribeParams = read_all(TOKEN, call.query)?;
    let missing = || ApiError::invalid("token", Reason::Required("; it is in the link of the mail"));
    Ok(given.token.ok_or_else(missing)?.value)
}
