//! What is learnt of a request on its way, and the one log line it ends as.
//!
//! Spec silent: what the line tells. Nothing in it names a person or opens a door: of parameters the names only; never a header; the key's number, not the key; and the path only
//! of a request that a handler took, since any other's may hold anything, a key pasted into the wrong place included. The form of path is there in any case.

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
        params::pairs,
    },
};

/// The log lines of requests are of this target: `PROCURE_LOG=info,request=off` leaves them out.
pub const TARGET: &str = "request";

pub struct Trace {
    pub id: RequestId,
    arrived: Instant,
    /// The form of the path, where it has one.
    pub route: Option<&'static str>,
    /// The number of the key.
    pub key: Option<i64>,
    pub generation: Option<Arc<Generation>>,
    /// Whether a handler took it: its key was accepted, if it needed one, and its path and parameters were understood.
    pub is_taken: bool,
    pub timing: Timing,
}

impl Trace {
    pub fn begin(request: &HttpRequest) -> Trace {
        Trace {
            id: RequestId::of(request.headers()),
            arrived: Instant::now(),
            route: None,
            key: None,
            generation: None,
            is_taken: false,
            timing: Timing::default(),
        }
    }

    /// How long the request has been here.
    pub fn elapsed(&self) -> Duration {
        self.arrived.elapsed()
    }

    /// Writes the line.
    pub fn log(&self, request: &HttpRequest, status: StatusCode, bytes: u64, took: Duration) {
        if !log::log_enabled!(target: TARGET, log::Level::Info) {
            return;
        }
        let uri = request.uri();
        let is_understood = self.is_taken && !status.is_client_error();
        let path = is_understood.then(|| uri.path());
        let params = uri.query().filter(|_| is_understood).map(names);
        log::info!(
            target: TARGET,
            id = self.id.as_str(),
            method = method(request.method()),
            route = self.route,
            path = path,
            params = params.as_deref(),
            status = status.as_u16(),
            bytes = bytes,
            ms = (milliseconds(took) * 1000.0).round() / 1000.0,
            key = self.key,
            generation = self.generation.as_ref().map(|generation| generation.id.as_str());
            "answered"
        );
    }
}

fn names(query: &str) -> String {
    let said = pairs(query).unwrap_or_default();
    let names: Vec<&str> = said.iter().map(|(name, _)| name.as_str()).collect();
    names.join(",")
}

/// A method is any word a client likes: only the well-known ones are written out.
fn method(method: &Method) -> &str {
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
