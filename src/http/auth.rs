//! Authentication by an API key in a header, which a gateway or the client itself sends.

use std::sync::Arc;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use anyhow::Context;
use chrono::{DateTime, Utc};

use crate::{
    http::error::{ApiError, Problem},
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

/// Whether a request states a key.
pub(crate) fn has_key(gateway: &Gateway, headers: &HeaderMap) -> bool {
    headers.get_all(&gateway.key).any(|value| !value.is_empty())
}

/// The value of an authentication header.
///
/// Decision D-257: two of them are an error, because a gateway that adds its own after the client's would be overruled
/// or believed by chance.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h HeaderValue>, ApiError> {
    let mut values = headers.get_all(name);
    let value = values.next();
    match values.next() {
        Some(_) => Err(ApiError::bad_request(format!(
            "the header '{name}' is given more than once; send it once"
        ))),
        None => Ok(value),
    }
}

/// An error if the host header is checked and does not have its value.
fn check_host(gateway: &Gateway, headers: &HeaderMap) -> Result<(), ApiError> {
    if let Some(expected) = &gateway.expected_host {
        let host = &gateway.host;
        let given = single(headers, host)?.and_then(|value| value.to_str().ok());
        if !given.is_some_and(|given| given.eq_ignore_ascii_case(expected)) {
            return Err(ApiError::forbidden(format!(
                "header '{host}' is missing or wrong; it must be '{expected}'"
            )));
        }
    }
    Ok(())
}

/// The account of a request's key, or a 403 with the reason, or a 400 if there are two keys. A refused
/// request counts against no account.
pub(crate) fn check(
    gateway: &Gateway,
    keys: &KeyRing,
    headers: &HeaderMap,
    now: DateTime<Utc>,
) -> Result<Arc<Account>, ApiError> {
    check_host(gateway, headers)?;
    let header = &gateway.key;
    let Some(key) = single(headers, header)?.filter(|value| !value.is_empty()) else {
        return Err(no_key(gateway));
    };
    // Keys are ASCII, so any other text is an unknown key.
    let key = key.to_str().unwrap_or_default();
    keys.check(key, now).map_err(|error| {
        let refused = ApiError::forbidden(match error {
            KeyError::Unknown => {
                format!("the API key in the header '{header}' is not valid; check it, or ask the operator for a key")
            }
            KeyError::Revoked => "this API key was revoked; ask the operator for a new one".to_owned(),
            KeyError::Expired(end) => format!(
                "this API key expired at {}; ask the operator for a new one",
                timestamp::format_seconds(end)
            ),
        });
        refused.with_problem(Problem::Key(error))
    })
}

/// The account of the token in a request's path, or a 403 with the reason, which does not repeat the token. No header
/// is read: programs that need a token send none.
pub(crate) fn check_token(keys: &KeyRing, token: &str, now: DateTime<Utc>) -> Result<Arc<Account>, ApiError> {
    keys.check_token(token, now).map_err(|error| {
        let refused = ApiError::forbidden(match error {
            KeyError::Unknown => {
                "the token in the address is not valid; check the address, or ask the operator for one".to_owned()
            }
            KeyError::Revoked => "this address or its key was revoked; ask the operator for a new address".to_owned(),
            KeyError::Expired(end) => format!(
                "the key of this address expired at {}; ask the operator for a new address",
                timestamp::format_seconds(end)
            ),
        });
        refused.with_problem(Problem::Key(error))
    })
}
