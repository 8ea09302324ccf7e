//! Subscribing to the feed by e-mail with the form of the page: the same as `POST /tender/alerts/subscribe`.
//!
//! The answer is the same for a new and for an existing subscription, so it does not reveal who is subscribed. Nothing of
//! the form is repeated in it.

use actix_web::http::{
    StatusCode,
    header::{self, HeaderValue},
};
use askama::Template;
use serde_json::json;

use super::form::SUBSCRIBED;
use crate::{
    http::{
        error::ApiError,
        explorer::{
            address::{self, Parameters},
            messages::Texts,
            page::{HTML, Layout, PageCall, Section, render},
            paid,
        },
        handlers::alerts::{RETRY_AFTER, subscription_request, words, write_job},
        json,
        params::{alerts::SubscribeParams, value},
        state_writer::failed,
        work::{Job, Reply, Work},
    },
    model::plain_words::{self, PlainWordsError},
    state::subscription::SubscriptionRequest,
};

#[derive(Clone, Template)]
#[template(path = "feed/subscribed.html")]
struct SubscribedPage {
    layout: Layout,
    t: Texts,
    /// The end of the key of the text that says what happened.
    outcome: &'static str,
    /// The text of the API, in English; empty where it adds nothing.
    detail: String,
    /// The feed that the form was on.
    feed_href: String,
}

pub(super) fn subscribe(call: &PageCall) -> Result<Work, ApiError> {
    if !call.visitor.has_key() {
        return paid::page(call, Section::Feed, "feed");
    }
    let fields = Fields(call.form_fields()?);
    let page = SubscribedPage {
        layout: call.layout(call.t.text("feed-subscribe-title"), Section::Feed),
        t: call.t,
        outcome: "done",
        detail: String::new(),
        feed_href: feed_href(call, &fields),
    };
    // The field that people fill in has a text of its own, in their language.
    if let Err(why) = value::email(fields.get("email").unwrap_or_default()) {
        let error = ApiError::invalid("email", why);
        return Ok(Work::new(Job::Ready(page.refused("email", &error)?)));
    }
    if let Some(outcome) = unfit_words(&fields) {
        let error = ApiError::unprocessable("a word or the department may not be in a mail");
        return Ok(Work::new(Job::Ready(page.refused(outcome, &error)?)));
    }
    match requested(call, &fields) {
        Ok(request) => write(call, page, request),
        Err(error) => Ok(Work::new(Job::Ready(page.refused("conditions", &error)?))),
    }
}

/// The fields of the form, decoded.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn get(&self, name: &str) -> Option<&str> {
        let mut values = self
            .0
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.trim());
        values.next_back().filter(|value| !value.is_empty())
    }

    /// The parts of a value that are separated by commas.
    fn list(&self, name: &str) -> Vec<&str> {
        let parts = self.get(name).unwrap_or_default().split(',').map(str::trim);
        parts.filter(|part| !part.is_empty()).collect()
    }
}

/// The end of the key that says why mails may not show a word or the buyer; `None` if they may.
fn unfit_words(fields: &Fields) -> Option<&'static str> {
    let mut texts = fields.list("keywords").into_iter().chain(fields.get("department"));
    let why = texts.find_map(|text| plain_words::check(text).err())?;
    Some(match why {
        PlainWordsError::Link => "link",
        PlainWordsError::Telephone => "telephone",
        PlainWordsError::Sign => "sign",
        PlainWordsError::TooLong => "long",
        PlainWordsError::Invisible => "invisible",
    })
}

/// The subscription that the form describes, checked as the API checks it.
fn requested(call: &PageCall, fields: &Fields) -> Result<SubscriptionRequest, ApiError> {
    // The body that the API takes.
    let body = json!({
        "email": fields.get("email"),
        "keywords": fields.list("keywords"),
        "department": fields.get("department"),
        "municipality": fields.get("municipality"),
        "category": fields.get("category"),
        "languages": fields.list("languages"),
        "translate": fields.get("translate").map(|value| value == "true"),
        "frequency": fields.get("frequency"),
        "locale": call.lang.code(),
    });
    let body = json::parse(body.to_string().as_bytes())?;
    let api = call.as_api_call("");
    subscription_request(SubscribeParams::default(), body, &api)
}

fn write(call: &PageCall, page: SubscribedPage, request: SubscriptionRequest) -> Result<Work, ApiError> {
    let api = call.as_api_call("");
    let words = words(&request);
    Ok(Work::write(write_job(&api, words, move |state, consent| {
        match state.subscribe(&request, &consent).map_err(failed)? {
            Ok(_) => render(&page),
            Err(full) => page.refused("limit", &ApiError::too_many_requests(full.to_string(), RETRY_AFTER)),
        }
    })))
}

impl SubscribedPage {
    /// The page for a subscription that is not stored, with the status of the error.
    fn refused(self, outcome: &'static str, error: &ApiError) -> Result<Reply, ApiError> {
        let title = self.t.text("feed-not-subscribed-title");
        let page = SubscribedPage {
            layout: Layout { title, ..self.layout },
            outcome,
            detail: if outcome == "conditions" {
                error.detail.clone()
            } else {
                String::new()
            },
            ..self
        };
        let mut headers = vec![(header::CONTENT_TYPE, HTML)];
        if error.status == StatusCode::TOO_MANY_REQUESTS {
            headers.push((header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER)));
        }
        Ok(render(&page)?.with_status(error.status).with_headers(headers))
    }
}

/// The feed with the conditions that the form sent along.
fn feed_href(call: &PageCall, fields: &Fields) -> String {
    let conditions = SUBSCRIBED
        .into_iter()
        .filter_map(|name| Some((name, fields.get(name)?)));
    let all = conditions.fold(Parameters::default(), |all, (name, value)| all.with(name, value));
    all.after(&address::page(call.lang, "feed"))
}
