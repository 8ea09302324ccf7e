//! `POST /tender/alerts/subscribe` and `/tender/alerts/unsubscribe`: subscriptions to digests of new tenders.
//!
//! Writes go to the [state database](crate::http::state_writer); no mail is sent here. A subscription contains personal data: no part of it is in an
//! error or a log line.

use std::collections::BTreeSet;

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::json;

use crate::{
    http::{
        call::Call,
        error::ApiError,
        json,
        params::{
            alerts::{
                MAX_KEYWORDS, SUBSCRIBE as TABLE, SubscribeBody, SubscribeParams, UNSUBSCRIBE as TOKEN,
                UnsubscribeParams,
            },
            param::describe,
            read::read_all,
            resolve::check_slug,
            value::Given,
        },
        route::{Access, Answer, Body, Endpoint, ErrorResponse, Parameters, RateLimitHeaders, Route, Tag, Verb},
        state_writer::failed,
        work::{Reply, Work, WriteJob},
    },
    model::{entity_type::EntityType, fold::fold, stem::Language},
    query::keyword::Keyword,
    state::{
        consent::ConsentRecord,
        database::StateDb,
        subscription::{Frequency, Locale, SubscriptionRequest},
        unsubscribe::UnsubscribeOutcome,
    },
};

pub const SUBSCRIBE: Route = Route {
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
             'frequency', 'locale'"
                .to_owned()
        },
        rate_limit: RateLimitHeaders::Always,
    }],
    is_cacheable: false,
    ..Route::DEFAULT
};

pub const UNSUBSCRIBE: Route = Route {
    id: "unsubscribe",
    tag: Tag::Alerts,
    endpoint: Endpoint::Fixed("/tender/alerts/unsubscribe", unsubscribe),
    access: Access::Keyless,
    about: "End the subscriptions that the link in a mail stands for, at once",
    parameters: Parameters::Table("unsubscribe", || describe(TOKEN)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Ended>),
    errors: &[
        ErrorResponse {
            status: "404",
            name: "NoSubscription",
            about: "No subscription has that token",
            example: |_| "no subscription has this token; use the whole link from the mail".to_owned(),
            rate_limit: RateLimitHeaders::Never,
        },
        ErrorResponse {
            status: "422",
            name: "NoToken",
            about: "The token is missing, or another parameter was given",
            example: |_| "parameter 'token': is required; it is in the link of the mail".to_owned(),
            rate_limit: RateLimitHeaders::Never,
        },
    ],
    is_cacheable: false,
    ..Route::DEFAULT
};

pub const UNSUBSCRIBE_ONE_CLICK: Route = Route {
    id: "unsubscribeOneClick",
    verb: Verb::Post,
    about: "End the subscriptions that the link in a mail stands for, with one click in a mail program (RFC 8058)",
    body: Body::Ignored,
    ..UNSUBSCRIBE
};

/// Spec silent: `Retry-After` of a 429 for too many subscriptions, which waiting does not change, in seconds: a day.
const RETRY_AFTER: u64 = 86_400;

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

/// The response is the same for a new and for an existing subscription, so that it does not reveal who is subscribed.
fn subscribe(call: &Call) -> Result<Work, ApiError> {
    let query: SubscribeParams = read_all(TABLE, call.query)?;
    let body: SubscribeBody = match &call.body {
        Some(body) => json::parse(body)?,
        None => SubscribeBody::default(),
    };
    let wanted = wanted(query, body, call)?;
    let words = words(&wanted);
    Ok(Work::write(write_job(call, words, move |state, evidence| {
        let written = state.subscribe(&wanted, &evidence).map_err(failed)?;
        match written {
            Ok(_) => Reply::json(&Subscribed { status: "subscribed" }),
            Err(full) => Err(ApiError::too_many_requests(full.to_string(), RETRY_AFTER)),
        }
    })))
}

/// Needs no key: the token is the authorization.
///
/// Spec silent: HEAD changes nothing. GET acts at once, as specified, so a program that opens every link of a mail ends its subscriptions.
fn unsubscribe(call: &Call) -> Result<Work, ApiError> {
    let given: UnsubscribeParams = read_all(TOKEN, call.query)?;
    let Some(Given { value: token, .. }) = given.token else {
        return Err(ApiError::invalid("token", "is required; it is in the link of the mail"));
    };
    let is_head = call.is_head;
    Ok(Work::write(write_job(call, String::new(), move |state, evidence| {
        let found = if is_head {
            state.find_token(&token)
        } else {
            state.unsubscribe(&token, &evidence)
        };
        match found.map_err(failed)? {
            UnsubscribeOutcome::Ended | UnsubscribeOutcome::AlreadyEnded => {
                Reply::json(&Ended { status: "unsubscribed" })
            }
            UnsubscribeOutcome::UnknownToken => Err(ApiError::not_found(
                "no subscription has this token; use the whole link from the mail",
            )),
        }
    })))
}

/// A write to the state database, with the request itself as evidence of consent.
fn write_job(
    call: &Call,
    words: String,
    write: impl FnOnce(&mut StateDb, ConsentRecord) -> Result<Reply, ApiError> + Send + 'static,
) -> WriteJob {
    let (caller, at) = (call.caller.clone(), (call.state.now)());
    Box::new(move |state| {
        let evidence = ConsentRecord {
            at,
            key_id: caller.key_id,
            request_id: caller.request_id.as_str(),
            peer: caller.peer,
            forwarded_for: caller.forwarded_for.as_deref(),
            words: &words,
        };
        write(state, evidence)
    })
}

/// Combines the query string and the body.
fn wanted(query: SubscribeParams, body: SubscribeBody, call: &Call) -> Result<SubscriptionRequest, ApiError> {
    let keyword = agreed("keyword", query.keyword, body.keyword.0, |a, b| a.term() == b.term())?;
    let keywords = keywords(keyword, body.keywords.0.into_iter().map(|keyword| keyword.0))?;
    let slug = body.municipality.0.map(|slug| slug.0);
    let municipality = agreed("municipality", query.municipality, slug, |a, b| a == b)?;
    if let Some(given) = &municipality {
        let coverage = &call.generation.manifest_of(EntityType::Tender).coverage;
        check_slug(given, EntityType::Tender, coverage)?;
    }
    let email = agreed("email", query.email, body.email.0, |a, b| a == b)?;
    let part = body.department.0.map(|part| part.0);
    let department = agreed("department", query.department, part, |a, b| fold(a) == fold(b))?;
    let category = body.category.0.map(|category| category.0);
    let category = agreed("category", query.category, category, |a, b| a == b)?;
    let frequency = body.frequency.0.map(Frequency::name);
    let frequency = agreed("frequency", query.frequency, frequency, |a, b| a == b)?;
    let locale = body.locale.0.map(Locale::name);
    let locale = agreed("locale", query.locale, locale, |a, b| a == b)?;
    let email = email.ok_or_else(|| ApiError::invalid("email", "is required, in the query string or the body"))?;
    let languages: BTreeSet<Language> = body.languages.0.into_iter().map(|language| language.0).collect();
    Ok(SubscriptionRequest {
        email: email.value,
        keywords,
        department: department.map(|given| given.value),
        municipality: municipality.map(|given| given.value),
        category: category.map(|given| given.value.to_owned()),
        languages: if languages.is_empty() {
            Language::ALL.into()
        } else {
            languages
        },
        // Only names of the closed lists get here.
        frequency: frequency
            .and_then(|given| Frequency::parse(given.value))
            .unwrap_or_default(),
        locale: locale.and_then(|given| Locale::parse(given.value)).unwrap_or_default(),
    })
}

/// The value of the query string or of the body; both may state it if they agree.
fn agreed<T>(
    name: &'static str,
    query: Option<Given<T>>,
    body: Option<T>,
    is_same: fn(&T, &T) -> bool,
) -> Result<Option<Given<T>>, ApiError> {
    match (query, body) {
        (Some(query), Some(body)) if !is_same(&query.value, &body) => Err(ApiError::invalid(
            query.name,
            "the body has another value; give it once",
        )),
        (None, Some(value)) => Ok(Some(Given { name, value })),
        (query, _) => Ok(query),
    }
}

/// The keywords in their order, each once.
fn keywords(one: Option<Given<Keyword>>, list: impl Iterator<Item = Keyword>) -> Result<Vec<Keyword>, ApiError> {
    let mut keywords: Vec<Keyword> = one.map(|given| given.value).into_iter().collect();
    for keyword in list {
        if keywords.iter().all(|known| known.term() != keyword.term()) {
            keywords.push(keyword);
        }
    }
    match keywords.len() {
        ..=MAX_KEYWORDS => Ok(keywords),
        count => Err(ApiError::unprocessable(format!(
            "member 'keywords': {count} keywords were given; the maximum is {MAX_KEYWORDS}; make two subscriptions"
        ))),
    }
}

/// The subscription as it is kept for proof of consent, in the spelling of the request. The address is stored next to it.
fn words(wanted: &SubscriptionRequest) -> String {
    let keywords: Vec<&str> = wanted.keywords.iter().map(Keyword::text).collect();
    let languages: Vec<&str> = wanted.languages.iter().map(|language| language.code()).collect();
    json!({
        "keywords": keywords,
        "department": wanted.department,
        "municipality": wanted.municipality,
        "category": wanted.category,
        "languages": languages,
        "frequency": wanted.frequency.name(),
        "locale": wanted.locale.name(),
    })
    .to_string()
}
