//! `POST /tender/alerts/subscribe` and `/tender/alerts/unsubscribe`: who wants to be told of new tenders, and who no longer does.
//!
//! What is asked for is understood here and written at the [desk](crate::http::state_writer); nobody is mailed here. What was said names a person: nothing of it is
//! in an error or a log line.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{
    http::{
        Call, Reply, Work, WriteJob,
        error::ApiError,
        params::{
            Said,
            alerts::{BODY, QUERY, SubscribeParams, UNSUBSCRIBE, UnsubscribeParams},
            not_in_list, read,
            resolve::check_slug,
        },
        state_writer::failed,
    },
    model::{entity_type::EntityType, fold::fold, stem::Language},
    query::keyword::Keyword,
    state::{
        State,
        subscriptions::{Evidence, Frequency, Locale, Wanted},
        tokens::Unsubscribed,
    },
};

/// Spec silent: the most keywords of a subscription.
pub const MOST_KEYWORDS: usize = 20;

/// Spec silent: when to ask again after a 429 that no waiting cures, in seconds: a day.
const TOMORROW: u64 = 86_400;

#[derive(Serialize, JsonSchema)]
#[schemars(description = "That the address is subscribed, from now on or already")]
pub struct Subscribed {
    /// Always `subscribed`.
    status: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "Unsubscribed",
    description = "That what the token stands for is ended, from now on or already"
)]
pub struct Ended {
    /// Always `unsubscribed`.
    status: &'static str,
}

/// Any key may subscribe. The answer is the same for what is new and for what was known, so that it tells nobody who is subscribed.
pub fn subscribe(call: &Call) -> Result<Work, ApiError> {
    let query = read(QUERY, |_| None, call.query)?;
    let body = match &call.body {
        Some(body) => body.clone().read(BODY)?,
        None => SubscribeParams::default(),
    };
    let wanted = wanted(query, body, call)?;
    let words = words(&wanted);
    let entry = entry(call, words, move |state, evidence| {
        let written = state.subscribe(&wanted, &evidence).map_err(failed)?;
        match written {
            Ok(_) => Reply::json(&Subscribed { status: "subscribed" }),
            Err(full) => Err(ApiError::too_many_requests(full.to_string(), TOMORROW)),
        }
    });
    Ok(Work::written(entry))
}

/// Takes no key: the token is what opens.
///
/// Spec silent: HEAD only looks. GET acts at once, as specified, which means that a program that opens every link of a mail ends its subscriptions.
pub fn unsubscribe(call: &Call) -> Result<Work, ApiError> {
    let said: UnsubscribeParams = read(UNSUBSCRIBE, |_| None, call.query)?;
    let Some(Said { value: token, .. }) = said.token else {
        return Err(ApiError::invalid(
            "token",
            "is required; take it from the link in the mail",
        ));
    };
    let is_head = call.is_head;
    let entry = entry(call, String::new(), move |state, evidence| {
        let found = match is_head {
            true => state.find_token(&token),
            false => state.unsubscribe(&token, &evidence),
        };
        match found.map_err(failed)? {
            Unsubscribed::Done | Unsubscribed::Already => Reply::json(&Ended { status: "unsubscribed" }),
            Unsubscribed::Unknown => Err(ApiError::not_found(
                "no subscription has this token; take the whole link from the mail",
            )),
        }
    });
    Ok(Work::written(entry))
}

/// What is to be done at the desk, with the evidence that the request itself is.
fn entry(
    call: &Call,
    words: String,
    write: impl FnOnce(&mut State, Evidence) -> Result<Reply, ApiError> + Send + 'static,
) -> WriteJob {
    let (caller, at) = (call.caller.clone(), (call.state.now)());
    Box::new(move |state| {
        let evidence = Evidence {
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

/// What both say together.
fn wanted(query: SubscribeParams, body: SubscribeParams, call: &Call) -> Result<Wanted, ApiError> {
    let keywords = keywords(query.keyword, body.keyword, &body.keywords)?;
    let coverage = &call.generation.kind(EntityType::Tender).coverage;
    let municipality = agreed(query.municipality, body.municipality, |a, b| a == b)?;
    if let Some(said) = &municipality {
        check_slug(said, EntityType::Tender, coverage)?;
    }
    let email = agreed(query.email, body.email, |a, b| a == b)?;
    let department = agreed(query.department, body.department, |a, b| fold(a) == fold(b))?;
    let category = agreed(query.category, body.category, |a, b| a == b)?;
    let frequency = agreed(query.frequency, body.frequency, |a, b| a == b)?;
    let locale = agreed(query.locale, body.locale, |a, b| a == b)?;
    Ok(Wanted {
        email: email
            .ok_or_else(|| ApiError::invalid("email", "is required; give it in the address or in the body"))?
            .value,
        keywords,
        department: department.map(|said| said.value),
        municipality: municipality.map(|said| said.value),
        category: category.map(|said| said.value.to_owned()),
        languages: languages(&body.languages)?,
        // The words are of closed lists: an unknown one was refused.
        frequency: frequency
            .and_then(|said| Frequency::parse(said.value))
            .unwrap_or_default(),
        locale: locale.and_then(|said| Locale::parse(said.value)).unwrap_or_default(),
    })
}

/// What address and body say, who must not contradict each other.
fn agreed<T>(
    query: Option<Said<T>>,
    body: Option<Said<T>>,
    is_same: impl Fn(&T, &T) -> bool,
) -> Result<Option<Said<T>>, ApiError> {
    match (query, body) {
        (Some(query), Some(body)) if !is_same(&query.value, &body.value) => Err(ApiError::invalid(
            query.name,
            "the body says something else; give it once",
        )),
        (query, body) => Ok(query.or(body)),
    }
}

/// Each once, as it was first written.
fn keywords(
    query: Option<Said<Keyword>>,
    body: Option<Said<Keyword>>,
    list: &[String],
) -> Result<Vec<Keyword>, ApiError> {
    let one = agreed(query, body, |a, b| a.term() == b.term())?;
    let mut keywords: Vec<Keyword> = one.map(|said| said.value).into_iter().collect();
    for (number, text) in list.iter().enumerate() {
        let keyword = Keyword::parse(text)
            .map_err(|why| ApiError::unprocessable(format!("member 'keywords[{number}]': the text {why}")))?;
        if keywords.iter().all(|known| known.term() != keyword.term()) {
            keywords.push(keyword);
        }
    }
    match keywords.len() {
        ..=MOST_KEYWORDS => Ok(keywords),
        count => Err(ApiError::unprocessable(format!(
            "member 'keywords': there are {count} keywords, and {MOST_KEYWORDS} are the most; make two subscriptions of them"
        ))),
    }
}

fn languages(list: &[String]) -> Result<BTreeSet<Language>, ApiError> {
    let codes = Language::ALL.map(Language::code);
    let language = |(number, text): (usize, &String)| {
        Language::parse(&text.to_lowercase()).ok_or_else(|| {
            let why = not_in_list(text, codes.into_iter());
            ApiError::unprocessable(format!("member 'languages[{number}]': {why}"))
        })
    };
    match list.is_empty() {
        true => Ok(Language::ALL.into()),
        false => list.iter().enumerate().map(language).collect(),
    }
}

/// The wish as it is kept for proof: what was understood, in the words it was written in. The address stands beside it.
fn words(wanted: &Wanted) -> String {
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
