//! Who is asking: the key that a gateway, or the client itself, sends in a header.

use std::sync::Arc;

use actix_web::{
    HttpRequest,
    http::header::{HeaderMap, HeaderName},
};
use anyhow::Context;

use crate::{
    http::{AppState, error::ApiError, handlers::docs::PLANS, routes::Route},
    model::plans::Plan,
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

    /// The value the host header must have, where one is set.
    pub fn expected_host(&self) -> Option<&str> {
        self.expected_host.as_deref()
    }
}

/// What a request without a key is told.
pub fn no_key(gateway: &Gateway) -> ApiError {
    ApiError::forbidden(format!("no API key; send yours in the header '{}'", gateway.key))
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
        return Err(no_key(gateway));
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

/// What a key is told whose plan does not include an endpoint. Where the operator names no page to upgrade at it is the service's own, at the address
/// the client knows it by.
pub fn unpaid(state: &AppState, request: &HttpRequest, plan: Plan, route: &Route) -> ApiError {
    let link = state.upgrade_url.clone().unwrap_or_else(|| {
        let known_as = request.connection_info();
        format!("{}://{}{PLANS}", known_as.scheme(), known_as.host())
    });
    let (plan, method, endpoint) = (plan.name(), &route.method, route.endpoint.template());
    ApiError::forbidden(format!(
        "the plan {plan} does not include {method} {endpoint}; upgrade at {link}"
    ))
}
