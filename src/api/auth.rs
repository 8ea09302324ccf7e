//! Who is asking: the key that a gateway, or the client itself, sends in a header.

use std::sync::Arc;

use actix_web::http::header::{HeaderMap, HeaderName};
use anyhow::Context;

use crate::{
    api::{AppState, error::ApiError},
    state::{account::Account, keys::KeyError},
};

/// The headers a key comes in.
#[derive(Clone, Debug)]
pub struct Gateway {
    pub key: HeaderName,
    pub host: HeaderName,
    /// The value the host header must have; not looked at where none is set.
    expected_host: Option<String>,
}

impl Gateway {
    /// The headers `<prefix>-key` and `<prefix>-host`.
    pub fn new(prefix: &str, expected_host: Option<String>) -> anyhow::Result<Gateway> {
        let header = |part: &str| {
            let name = format!("{prefix}-{part}").to_lowercase();
            HeaderName::try_from(&name)
                .with_context(|| format!("the gateway prefix makes '{name}', which is no header"))
        };
        Ok(Gateway {
            key: header("key")?,
            host: header("host")?,
            expected_host,
        })
    }
}

/// The account of a request's key, or the 403 that says what is the matter with it. A refusal counts against nobody and is not logged here.
pub fn check(state: &AppState, headers: &HeaderMap) -> Result<Arc<Account>, ApiError> {
    let gateway = &state.gateway;
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
        return Err(ApiError::forbidden(format!(
            "no API key; send yours in the header '{header}'"
        )));
    };
    // A key is ASCII: what is not, is no key.
    let key = key.to_str().unwrap_or_default();
    state.keys.check(key, (state.now)()).map_err(|error| {
        ApiError::forbidden(match error {
            KeyError::Unknown => format!("the API key in the header '{header}' is not valid"),
            KeyError::Revoked => "this API key was revoked; ask for a new one".to_owned(),
            KeyError::Expired(end) => format!(
                "this API key expired at {}; ask for a new one",
                end.format("%Y-%m-%dT%H:%M:%SZ")
            ),
        })
    })
}
