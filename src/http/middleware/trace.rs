//! One request on its way through the service, and the log line it ends with.
//!
//! Decision D-130: the contents of the line. Nothing in it identifies a person or grants access:
//! the names of parameters but not their values, no header, the database id of the key but not the
//! key. The path is logged only if a handler accepted the request: any other path may contain
//! anything, such as a key pasted into the wrong place. The path template is always logged.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{
    HttpRequest,
    http::{Method, StatusCode},
};

use crate::{
    catalog::generation::Generation,
    http::{
        middleware::{
            request_id::RequestId,
            timing::{Timing, milliseconds},
        },
        params::encoding::pairs,
    },
};

/// The log target of the request lines. `PROCURE_LOG=info,request=off` turns them off.
pub(crate) const TARGET: &str = "request";

pub(crate) struct Trace {
    pub(crate) id: RequestId,
    arrived: Instant,
    /// The path template, if the path matches a route.
    pub(crate) route: Option<&'static str>,
    /// The database id of the key.
    pub(crate) key: Option<i64>,
    /// Distinguishes visitors of the pages who have no key. Not logged.
    pub(crate) visitor: Option<u64>,
    pub(crate) generation: Option<Arc<Generation>>,
    /// Whether a handler accepted the request: its key, if it needs one, its path and its
    /// parameters are valid.
    pub(crate) is_accepted: bool,
    pub(crate) timing: Timing,
}

impl Trace {
    pub(crate) fn begin(request: &HttpRequest) -> Trace {
        Trace {
            id: RequestId::of(request.headers()),
            arrived: Instant::now(),
            route: None,
            key: None,
            visitor: None,
            generation: None,
            is_accepted: false,
            timing: Timing::default(),
        }
    }

    /// The time since the request arrived.
    pub(crate) fn elapsed(&self) -> Duration {
        self.arrived.elapsed()
    }

    /// Writes the log line.
    pub(crate) fn log(&self, request: &HttpRequest, status: StatusCode, bytes: u64, duration: Duration) {
        if !log::log_enabled!(target: TARGET, log::Level::Info) {
            return;
        }
        let uri = request.uri();
        let (path, params) = if self.is_accepted && !status.is_client_error() {
            (Some(uri.path()), uri.query().map(parameter_names))
        } else {
            (None, None)
        };
        log::info!(
            target: TARGET,
            id = self.id.as_str(),
            method = method_name(request.method()),
            route = self.route,
            path = path,
            params = params.as_deref(),
            status = status.as_u16(),
            bytes = bytes,
            ms = (milliseconds(duration) * 1000.0).round() / 1000.0,
            key = self.key,
            generation = self.generation.as_ref().map(|generation| generation.id.as_str());
            "answered"
        );
    }
}

/// The names of a query string's parameters. Empty if it cannot be decoded.
fn parameter_names(query: &str) -> String {
    let pairs = pairs(query).unwrap_or_default();
    let names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    names.join(",")
}

/// The name of a well-known method. Others are arbitrary text of a client.
fn method_name(method: &Method) -> &str {
    let known = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        Method::TRACE,
        Method::CONNECT,
    ];
    if known.contains(method) {
        method.as_str()
    } else {
        "other"
    }
}
