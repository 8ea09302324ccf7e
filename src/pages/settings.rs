//! What an operator sets of the pages, and what all their requests share ([`PagesState`]).

use std::sync::{Arc, Mutex, PoisonError};

use actix_web::{HttpRequest, http::header::HeaderName};
use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::pages::{
    charts::YearValue,
    client_address::ClientAddress,
    per_generation::PerGeneration,
    session::{Secret, Sessions},
    sign_in_limit::SignInLimit,
    visitors::Visitors,
};

/// Who may see the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PagesMode {
    /// Visitors who signed in with an API key.
    #[default]
    Key,
    /// Everybody. Visitors without a key have a plan of their own.
    Open,
    /// There are no pages.
    Off,
}

impl PagesMode {
    pub(crate) fn parse(name: &str) -> Option<PagesMode> {
        match name {
            "key" => Some(PagesMode::Key),
            "open" => Some(PagesMode::Open),
            "off" => Some(PagesMode::Off),
            _ => None,
        }
    }
}

/// What an operator sets of the pages.
#[derive(Clone, Debug, Default)]
pub struct PagesSettings {
    pub mode: PagesMode,
    /// The header in which the nearest proxy states the client's address. Without it, the address of the connection
    /// counts.
    pub client_address_header: Option<String>,
    /// Whether search engines may list the pages.
    pub is_indexed: bool,
    /// The public address of the service, such as `https://example.org`.
    pub public_url: Option<String>,
    /// A link that signs in once, without a key.
    pub one_time_link: Option<OneTimeLink>,
}

/// A link that signs its first visitor in.
#[derive(Clone, Debug)]
pub struct OneTimeLink {
    token_hash: [u8; 32],
    key_id: i64,
}

/// What all requests of pages share.
pub(crate) struct PagesState {
    pub(crate) mode: PagesMode,
    pub(crate) is_indexed: bool,
    /// The public address without a slash at its end.
    pub(crate) public_url: Option<String>,
    pub(crate) sessions: Sessions,
    /// The accounts of visitors without a key.
    pub(crate) visitors: Visitors,
    pub(crate) sign_in_limit: SignInLimit,
    /// Number and value of all contracts by year.
    pub(crate) contract_years: Arc<PerGeneration<Vec<YearValue>>>,
    client_address_header: Option<HeaderName>,
    one_time_link: Mutex<Option<OneTimeLink>>,
}

impl OneTimeLink {
    /// A link for the account of a key. `token` is what the link's address states.
    pub fn new(token: &str, key_id: i64) -> OneTimeLink {
        OneTimeLink {
            token_hash: Sha256::digest(token).into(),
            key_id,
        }
    }
}

impl PagesState {
    /// `None` if there are no pages.
    pub(crate) fn new(settings: &PagesSettings, secret: Secret) -> anyhow::Result<Option<PagesState>> {
        if settings.mode == PagesMode::Off {
            return Ok(None);
        }
        let header = settings.client_address_header.as_deref().map(|name| {
            let header = HeaderName::try_from(name.to_ascii_lowercase());
            header.with_context(|| format!("invalid header name '{name}' for the client's address"))
        });
        let public_url = settings
            .public_url
            .as_deref()
            .map(|url| url.trim_end_matches('/').to_owned());
        let is_secure = public_url.as_deref().is_some_and(|url| url.starts_with("https://"));
        Ok(Some(PagesState {
            mode: settings.mode,
            is_indexed: settings.is_indexed,
            public_url,
            sessions: Sessions::new(secret, is_secure),
            visitors: Visitors::new(),
            sign_in_limit: SignInLimit::new(),
            contract_years: Arc::default(),
            client_address_header: header.transpose()?,
            one_time_link: Mutex::new(settings.one_time_link.clone()),
        }))
    }

    /// The address that limits are counted by.
    pub(crate) fn client_address(&self, request: &HttpRequest) -> ClientAddress {
        ClientAddress::of(request, self.client_address_header.as_ref())
    }

    /// The key id of the one-time link with this token, which works no more afterwards.
    pub(crate) fn take_one_time_link(&self, token: &str) -> Option<i64> {
        let hash: [u8; 32] = Sha256::digest(token).into();
        let mut link = self.one_time_link.lock().unwrap_or_else(PoisonError::into_inner);
        // The time of the comparison reveals bits of a hash only, from which no token follows.
        let link = link.take_if(|link| link.token_hash == hash)?;
        Some(link.key_id)
    }
}
