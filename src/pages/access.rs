//! Who the visitor of a page is, and what a visitor may see.

use std::sync::Arc;

use actix_web::HttpRequest;
use chrono::{DateTime, Utc};

use crate::{
    http::{
        auth,
        call::AppState,
        encoding::pairs,
        error::{ApiError, FormError},
    },
    model::Language,
    pages::{
        address, csrf,
        route::PageAccess,
        settings::{PagesMode, PagesState},
        visitor::{Visitor, VisitorKind},
    },
    state::account::Account,
};

/// The field of a form that holds the token of the session.
const FORM_TOKEN: &str = "form_token";

/// What a visitor may do with a page.
#[derive(Debug)]
pub(crate) enum Entry {
    /// See it, free of charge.
    Free,
    /// See it. The page is charged to this account.
    Charged(Arc<Account>),
    /// Sign in first.
    SignIn,
}

/// The visitor of a request: by the key in its header, by its session, or by its address where the pages are open.
///
/// # Errors
/// 403 if the key in the header is not valid, 400 if there are two. An invalid session counts as none.
pub(crate) fn visitor_of(
    request: &HttpRequest,
    pages: &PagesState,
    state: &AppState,
    access: PageAccess,
    now: DateTime<Utc>,
) -> Result<Visitor, ApiError> {
    let headers = request.headers();
    if auth::has_key(&state.gateway, headers) {
        let account = auth::check(&state.gateway, &state.keys, headers, now)?;
        return Ok(Visitor {
            kind: VisitorKind::Key,
            account: Some(account),
            ..Visitor::UNKNOWN
        });
    }
    if let Some(session) = pages.sessions.of(headers, now)
        && let Ok(account) = state.keys.by_id(session.key_id, now)
    {
        return Ok(Visitor {
            kind: VisitorKind::SignedIn {
                form_token: pages.sessions.form_token(&session),
            },
            account: Some(account),
            session: Some(session),
            number: None,
        });
    }
    if pages.mode == PagesMode::Open {
        let address = pages.client_address(request);
        let (limits, day) = (*state.plans.visitor(), now.date_naive());
        let visitor = match access {
            PageAccess::Everybody => pages.visitors.look_up(address, limits, day),
            PageAccess::Visitor => pages.visitors.account(address, limits, day),
        };
        return Ok(Visitor {
            kind: VisitorKind::Open,
            account: Some(visitor.account),
            session: None,
            number: Some(visitor.number),
        });
    }
    Ok(Visitor::UNKNOWN)
}

/// What a visitor may do with a page.
pub(crate) fn entry(access: PageAccess, visitor: &Visitor) -> Entry {
    match (access, &visitor.account) {
        (PageAccess::Everybody, _) => Entry::Free,
        (PageAccess::Visitor, Some(account)) => Entry::Charged(Arc::clone(account)),
        (PageAccess::Visitor, None) => Entry::SignIn,
    }
}

/// The sign-in page, which leads back to this page. `path` and `query` are raw.
pub(crate) fn sign_in_address(language: Language, path: &str, query: &str) -> String {
    let separator = if query.is_empty() { "" } else { "?" };
    let here = format!("{path}{separator}{query}");
    let mut parameters = address::Parameters::default();
    if let Some(here) = address::same_site_path(&here).filter(|here| *here != address::page(language, "")) {
        parameters = parameters.with("next", here);
    }
    parameters.after(&address::page(language, "account"))
}

/// Checks that a form was sent from a page of this site, and by the visitor that it was shown to.
pub(crate) fn check_form(
    request: &HttpRequest,
    pages: &PagesState,
    visitor: &Visitor,
    form: &[u8],
) -> Result<(), ApiError> {
    csrf::check_origin(request.headers(), pages.public_url.as_deref())?;
    let Some(session) = &visitor.session else {
        return Ok(());
    };
    let fields = pairs(&String::from_utf8_lossy(form))?;
    let mut tokens = fields.iter().filter(|(name, _)| name == FORM_TOKEN);
    if tokens.any(|(_, token)| pages.sessions.is_form_token(session, token)) {
        Ok(())
    } else {
        Err(ApiError::refused_form(FormError::OtherSession))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_in_page_leads_back_to_pages_only() {
        let address = |path, query| sign_in_address(Language::French, path, query);
        assert_eq!(
            address("/fr/search", "q=a%20b"),
            "/fr/account?next=%2Ffr%2Fsearch%3Fq%3Da%2520b"
        );
        assert_eq!(address("/fr", ""), "/fr/account");
        assert_eq!(address("/fr\\x", ""), "/fr/account");
    }

    #[test]
    fn unknown_visitors_sign_in_first() {
        let entry = |access| entry(access, &Visitor::UNKNOWN);
        assert!(matches!(entry(PageAccess::Everybody), Entry::Free));
        assert!(matches!(entry(PageAccess::Visitor), Entry::SignIn));
    }
}
