//! The page of a one-time link, which signs its first visitor in without a key. `procure demo` prints such a link.

use actix_web::http::header;

use crate::{
    http::{
        error::ApiError,
        middleware::conditional::Validator,
        work::{Job, Work},
    },
    pages::{
        address::{self, Parameters},
        page::{PageCall, see_other},
        route::Page,
    },
};

pub(crate) const PAGE: Page = Page::fixed("/{lang}/welcome", page).for_everybody();

pub(crate) fn page(call: &PageCall) -> Result<Work, ApiError> {
    let parameters = Parameters::parse(call.query)?;
    let token = parameters.get("token").unwrap_or_default();
    // A program that only looks whether the link works must not use it up.
    let key_id = if call.is_head {
        None
    } else {
        call.pages.take_one_time_link(token)
    };
    let mut reply = see_other(&match key_id {
        Some(_) => address::page(call.lang, ""),
        None => Parameters::default()
            .with("notice", "link")
            .after(&address::page(call.lang, "account")),
    })?;
    if let Some(key_id) = key_id {
        let cookie = call.pages.sessions.start(key_id, call.now);
        reply
            .headers
            .push((header::SET_COOKIE, cookie.map_err(ApiError::internal)?));
    }
    Ok(Work::new(Job::Ready(reply)).with_validator(Validator::None))
}
