//! Authentication by an API key in a header, which a gateway or the client itself sends.

use std::sync::Arc;

use actix_web::http::header::{HeaderMap, HeaderName};
use anyhow::Context;
use chrono::{DateTime, Utc};

use crate::{
    http::error::ApiError,
    model::timestamp,
    state::{account::Account, keys::KeyError, sync::KeyRing},
};

/// The names of the authentication headers.
#[derive(Clone, Debug)]
pub(crate) struct Gateway {
    pub(crate) key: HeaderName,
    pub(crate) host: HeaderName,
    /// The value that the host header must have; not checked if `None`.
    expected_host: Option<String>,
}

impl Gateway {
    /// The headers `<prefix>-key` and `<prefix>-host`.
    pub(crate) fn new(prefix: &str, expected_host: Option<String>) -> anyhow::Result<Gateway> {
        let header = |part: &str| {
            let name = format!("{prefix}-{part}").to_lowercase();
            HeaderName::try_from(&name)
                .with_context(|| format!("invalid gateway prefix '{prefix}': '{name}' is not a valid header name"))
        };
        Ok(Gateway {
            key: header("key")?,
            host: header("host")?,
            expected_host,
        })
    }

    /// The value that the host header must have, if it is checked.
    pub(crate) fn expected_host(&self) -> Option<&str> {
        self.expected_host.as_deref()
    }
}

/// The error for a request without a key.
pub(crate) fn no_key(gateway: &Gateway) -> ApiError {
    ApiError::forbidden(format!("no API key; send yours in the header '{}'", gateway.key))
}

/// The account of a request's key, or a 403 with the reason. A refused request counts against no
/// account.
pub(crate) fn check(
    gateway: &Gateway,
    keys: &KeyRing,
    headers: &HeaderMap,
    now: DateTime<Utc>,
) -> Result<Arc<Account>, ApiError> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(expected) = &gateway.expected_host
        && !text(&gateway.host).is_some_and(|host| host.eq_ignore_ascii_case(expected))
    {
        let host = &gateway.host;
        return Err(ApiError::forbidden(format!(
            "header '{host}' is missing or wrong; it must be '{expected}'"
        )));
    }
    let header = &gateway.key;
    let Some(key) = headers.get(header).filter(|value| !value.is_empty()) else {
        return Err(no_key(gateway));
    };
    // Keys are ASCII, so any other text is an unknown key.
    let key = key.to_str().unwrap_or_default();
    keys.check(key, now).map_err(|error| {
        ApiError::forbidden(match error {
            KeyError::Unknown => {
                format!("the API key in the header '{header}' is not valid; check it, or ask the operator for a key")
            }
            KeyError::Revoked => "this API key was revoked; ask the operator for a new one".to_owned(),
            KeyError::Expired(end) => format!(
                "this API key expired at {}; ask the operator for a new one",
                timestamp::format_seconds(end)
            ),
        })
    })
}
