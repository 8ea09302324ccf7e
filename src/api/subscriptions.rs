//! Subscriptions to digests of new tenders, from a request of the API or from a form of a page.
//!
//! A subscription contains personal data: no part of it is in an error or a log line.

use std::collections::BTreeSet;

use serde_json::json;

use crate::{
    api::params::{
        alerts::{MAX_KEYWORDS, SubscribeBody, SubscribeParams},
        parse::Given,
        resolve::unknown_municipality,
    },
    http::{
        call::Call,
        error::ApiError,
        parameter_error::{ParameterError, Reason},
        state_writer::failed,
        work::{Reply, Work, WriteJob},
    },
    model::{EntityType, Language},
    query::keyword::Keyword,
    state::{
        consent::ConsentRecord,
        database::StateDb,
        subscription::{Frequency, Locale, SubscriptionRequest},
    },
};

/// `Retry-After` of a 429 for too many subscriptions, which a short wait does not change, in seconds: a
/// day.
pub(crate) const RETRY_AFTER: u64 = 86_400;

/// Stores a subscription. `done` writes the reply; it gets the error if a limit is reached.
pub(crate) fn subscribe(
    call: &Call,
    request: SubscriptionRequest,
    done: impl FnOnce(Result<(), ApiError>) -> Result<Reply, ApiError> + Send + 'static,
) -> Work {
    let words = words(&request);
    Work::write(write_job(call, words, move |state, consent| {
        let written = state.subscribe(&request, &consent).map_err(failed)?;
        done(match written {
            Ok(_) => Ok(()),
            Err(full) => Err(ApiError::too_many_requests(full.to_string(), RETRY_AFTER)),
        })
    }))
}

/// A write to the state database, with the request itself as evidence of consent.
pub(crate) fn write_job(
    call: &Call,
    words: String,
    write: impl FnOnce(&mut StateDb, ConsentRecord) -> Result<Reply, ApiError> + Send + 'static,
) -> WriteJob {
    let (caller, at) = (call.caller.clone(), (call.state.now)());
    Box::new(move |state| {
        let consent = ConsentRecord {
            at,
            key_id: caller.key_id,
            request_id: caller.request_id.as_str(),
            peer: caller.peer,
            forwarded_for: caller.forwarded_for.as_deref(),
            words: &words,
        };
        write(state, consent)
    })
}

/// Combines the query string and the body.
pub(crate) fn subscription_request(
    query: SubscribeParams,
    mut body: SubscribeBody,
    call: &Call,
) -> Result<SubscriptionRequest, ApiError> {
    let list = std::mem::take(&mut body.keywords.0);
    let mut languages: BTreeSet<Language> = body.languages.0.drain(..).map(|language| language.0).collect();
    if languages.is_empty() {
        languages.extend(Language::ALL);
    }
    let is_in_query = query.municipality.is_some();
    let given = query.merge(body)?;
    let keywords = keywords(given.keyword, list.into_iter().map(|keyword| keyword.0))?;
    if let Some(Given { name, value }) = &given.municipality {
        let coverage = &call.generation.manifest_of(EntityType::Tender).coverage;
        if let Some(reason) = unknown_municipality(value, EntityType::Tender, coverage) {
            return Err(ApiError::from(ParameterError {
                parameter: (*name).to_owned(),
                is_member: !is_in_query,
                reason,
            }));
        }
    }
    let no_email = || ApiError::invalid("email", Reason::Required(", in the query string or the body"));
    Ok(SubscriptionRequest {
        email: given.email.ok_or_else(no_email)?.value,
        keywords,
        department: given.department.map(|given| given.value),
        municipality: given.municipality.map(|given| given.value),
        category: given.category.map(|given| given.value.to_owned()),
        languages,
        translate: given.translate.is_some_and(|given| given.value),
        frequency: given.frequency.map(frequency).unwrap_or_default(),
        locale: given.locale.map(locale).unwrap_or_default(),
    })
}

fn frequency(given: Given<&str>) -> Frequency {
    Frequency::parse(given.value).expect("the parameter's list has names of frequencies only")
}

fn locale(given: Given<&str>) -> Locale {
    Locale::parse(given.value).expect("the parameter's list has names of locales only")
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
        count => {
            let max = MAX_KEYWORDS;
            Err(ApiError::invalid_member(
                "keywords",
                Reason::TooManyOfSubscription { count, max },
            ))
        }
    }
}

/// The subscription as it is kept for proof of consent, in the spelling of the request. The address is stored next to
/// it.
fn words(request: &SubscriptionRequest) -> String {
    let keywords: Vec<&str> = request.keywords.iter().map(Keyword::text).collect();
    let languages: Vec<&str> = request.languages.iter().map(|language| language.code()).collect();
    let mut words = json!({
        "keywords": keywords,
        "department": request.department,
        "municipality": request.municipality,
        "category": request.category,
        "languages": languages,
        "frequency": request.frequency.name(),
        "locale": request.locale.name(),
    });
    if request.translate {
        words["translate"] = json!(true);
    }
    words.to_string()
}
