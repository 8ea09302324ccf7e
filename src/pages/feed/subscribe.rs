//! Subscribing to the feed by e-mail with the form of the page: the same as `POST /tender/alerts/subscribe`.
//!
//! The answer is the same for a new and for an existing subscription, so it does not reveal who is subscribed.
//! Nothing of the form is repeated in it.

use actix_web::http::{
    StatusCode,
    header::{self, HeaderValue},
};
use askama::Template;

use super::form::SUBSCRIBED;
use crate::{
    api::{
        json::{Boolean, FromText, List, Optional, Required},
        params::alerts::{SubscribeBody, SubscribeParams},
        subscriptions::{self, RETRY_AFTER, subscription_request},
    },
    http::{
        error::ApiError,
        parameter_error::Reason,
        work::{Job, Reply, Work},
    },
    model::Language,
    pages::{
        address::{self, Parameters},
        messages::Texts,
        page::{HTML, Layout, PageCall, Section, render},
        paid,
        problem::{self, mail_safety_key},
    },
    state::subscription::Locale,
};

#[derive(Clone, Template)]
#[template(path = "feed/subscribed.html")]
struct SubscribedPage {
    layout: Layout,
    t: Texts,
    /// The end of the key of the text that says what happened.
    outcome: &'static str,
    /// What is wrong; empty where it adds nothing.
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
    let body = subscription(&fields, call.lang);
    let api = call.as_api_call("");
    match body.and_then(|body| subscription_request(SubscribeParams::default(), body, &api)) {
        Ok(request) => Ok(subscriptions::subscribe(&api, request, move |stored| match stored {
            Ok(()) => render(&page),
            Err(full) => page.refused("limit", &full),
        })),
        Err(error) => Ok(Work::new(Job::Ready(page.refused(outcome(&error), &error)?))),
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

    fn parsed<T: FromText>(&self, name: &str) -> Result<Optional<T>, ApiError> {
        self.get(name).map(|text| parsed(name, text)).transpose().map(Optional)
    }

    /// The parts of a value that are separated by commas.
    fn parsed_list<T: FromText>(&self, name: &str) -> Result<List<Required<T>>, ApiError> {
        let parts = self.get(name).unwrap_or_default().split(',').map(str::trim);
        let parts = parts.filter(|part| !part.is_empty()).enumerate();
        let parts = parts.map(|(number, part)| parsed(&format!("{name}[{number}]"), part).map(Required));
        parts.collect::<Result<_, _>>().map(List)
    }
}

/// Parses a member of the subscription.
fn parsed<T: FromText>(member: &str, text: &str) -> Result<T, ApiError> {
    T::from_text(text).map_err(|reason| ApiError::invalid_member(member, reason))
}

/// The end of the key of the text for a refused subscription. The address and the words have texts of their own.
fn outcome(error: &ApiError) -> &'static str {
    match error.parameter_error().map(|error| &error.reason) {
        Some(Reason::Email(_)) => "email",
        Some(Reason::MailSafety(error)) => mail_safety_key(*error),
        _ => "conditions",
    }
}

/// The subscription that the form describes, as the API takes it.
fn subscription(fields: &Fields, language: Language) -> Result<SubscribeBody, ApiError> {
    // A form without an address has an invalid one.
    let email = parsed("email", fields.get("email").unwrap_or_default())?;
    Ok(SubscribeBody {
        email: Optional(Some(email)),
        keywords: fields.parsed_list("keywords")?,
        department: fields.parsed("department")?,
        municipality: fields.parsed("municipality")?,
        category: fields.parsed("category")?,
        languages: fields.parsed_list("languages")?,
        translate: Boolean(fields.get("translate").map(|value| value == "true")),
        frequency: fields.parsed("frequency")?,
        locale: Optional(Locale::parse(language.code())),
        ..SubscribeBody::default()
    })
}

impl SubscribedPage {
    /// The page for a subscription that is not stored, with the status of the error.
    fn refused(self, outcome: &'static str, error: &ApiError) -> Result<Reply, ApiError> {
        let title = self.t.text("feed-not-subscribed-title");
        let page = SubscribedPage {
            layout: Layout { title, ..self.layout },
            outcome,
            detail: if outcome == "conditions" {
                problem::detail(self.t, error)
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
