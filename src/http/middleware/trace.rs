//! One request on its way through the service, and the log line it ends with.
//!
//! Decision D-130: the contents of the line. Nothing in it identifies a person or grants access, and a client cannot
//! write texts of its own into it, except for a short request id. So the line has declared names of parameters but not
//! their values, no header, the database id of the key but not the key, and only paths that name something that exists.

use std::{
    borrow::Cow,
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
        encoding::pairs,
        middleware::{
            request_id::RequestId,
            timing::{Timing, milliseconds},
        },
    },
};

/// The log target of the request lines. `PROCURE_LOG=info,request=off` turns them off.
pub(crate) const TARGET: &str = "request";

pub(crate) struct Trace {
    pub(crate) id: RequestId,
    arrived: Instant,
    /// The path template, if the path matches a route.
    pub(crate) route: Option<&'static str>,
    /// Whether the path has a token, which grants access.
    pub(crate) has_token: bool,
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
            has_token: false,
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

    /// Writes the log line. `declared` returns the declared name of a parameter that a client wrote.
    pub(crate) fn log(
        &self,
        request: &HttpRequest,
        declared: impl Fn(&str) -> Option<&'static str>,
        status: StatusCode,
        bytes: u64,
        duration: Duration,
    ) {
        if !log::log_enabled!(target: TARGET, log::Level::Info) {
            return;
        }
        let uri = request.uri();
        let (mut path, mut params) = (None, ParameterNames::default());
        if self.is_accepted && !status.is_client_error() {
            path = self.route.and_then(|route| shown_path(route, uri.path(), status));
            params = ParameterNames::of(uri.query().unwrap_or_default(), declared);
        }
        let names = params.joined();
        log::info!(
            target: TARGET,
            id = self.id.as_str(),
            method = method_name(request.method()),
            route = self.route,
            path = path.as_deref(),
            params = names.as_deref(),
            unknown_params = params.undeclared(),
            status = status.as_u16(),
            bytes = bytes,
            ms = (milliseconds(duration) * 1000.0).round() / 1000.0,
            key = self.key,
            generation = self.generation.as_ref().map(|generation| generation.id.as_str());
            "answered"
        );
    }
}

/// The names of a query string's parameters.
#[derive(Debug, Default, PartialEq)]
struct ParameterNames {
    /// Each name once, in the order of the query string. Endpoints and pages declare so few that their length is
    /// bounded.
    declared: Vec<&'static str>,
    /// How many parameters have other names, which may be any text.
    undeclared: u64,
}

impl ParameterNames {
    /// None if the query string cannot be decoded.
    fn of(query: &str, declared: impl Fn(&str) -> Option<&'static str>) -> ParameterNames {
        let mut names = ParameterNames::default();
        for (written, _) in pairs(query).unwrap_or_default() {
            match declared(&written) {
                Some(name) if !names.declared.contains(&name) => names.declared.push(name),
                Some(_) => {}
                None => names.undeclared += 1,
            }
        }
        names
    }

    fn joined(&self) -> Option<String> {
        (!self.declared.is_empty()).then(|| self.declared.join(","))
    }

    fn undeclared(&self) -> Option<u64> {
        (self.undeclared > 0).then_some(self.undeclared)
    }
}

/// The variable parts of path templates that have a few fixed values. Any other is a text of the client.
const FIXED_PARTS: [&str; 3] = ["lang", "entity_type", "kind"];

/// The maximum length of a logged path, in characters. Record ids and names in paths are shorter.
const MAX_PATH_CHARS: usize = 200;

/// The variable part of path templates that grants access.
const SECRET_PART: &str = "token";

/// The path for the log. A text in it must name something that was found: what a client made up is not logged.
fn shown_path<'p>(route: &str, path: &'p str, status: StatusCode) -> Option<Cow<'p, str>> {
    let mut parts = route.split('{').skip(1).filter_map(|part| part.split('}').next());
    if parts.clone().any(|part| part == SECRET_PART) {
        return None;
    }
    if !status.is_success() && !parts.all(|part| FIXED_PARTS.contains(&part)) {
        return None;
    }
    Some(match path.char_indices().nth(MAX_PATH_CHARS) {
        Some((end, _)) => format!("{}…", &path[..end]).into(),
        None => path.into(),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Declares two names.
    fn declared(written: &str) -> Option<&'static str> {
        ["q", "limit"].into_iter().find(|name| *name == written)
    }

    #[test]
    fn other_names_than_declared_ones_are_counted() {
        for (query, joined, undeclared) in [
            ("", None, None),
            ("q=a&limit=2&q=b", Some("q,limit"), None),
            ("jane@example.org=1&limit=2&pk_1", Some("limit"), Some(2)),
            ("Q=1", None, Some(1)),
            ("q=%zz", None, None),
        ] {
            let names = ParameterNames::of(query, declared);
            assert_eq!(
                (names.joined().as_deref(), names.undeclared()),
                (joined, undeclared),
                "{query}"
            );
        }
        let many = "a&".repeat(8_000);
        assert_eq!(ParameterNames::of(&many, declared).undeclared(), Some(8_000));
    }

    #[test]
    fn a_path_is_short_and_names_what_exists() {
        let (ok, busy) = (StatusCode::OK, StatusCode::SERVICE_UNAVAILABLE);
        for (route, path, status, is_shown) in [
            ("/{entity_type}", "/contract", ok, true),
            ("/{entity_type}", "/contract", busy, true),
            ("/{lang}/search", "/en/search", StatusCode::NOT_MODIFIED, true),
            ("/{entity_type}/{record_id}", "/contract/a", ok, true),
            ("/{entity_type}/{record_id}", "/contract/jane@example.org", busy, false),
            (
                "/{lang}/vendor/{name}",
                "/en/vendor/jane",
                StatusCode::NOT_MODIFIED,
                false,
            ),
            ("/reconcile/{token}/supplier", "/reconcile/rpk_1/supplier", ok, false),
        ] {
            assert_eq!(shown_path(route, path, status).is_some(), is_shown, "{route} {status}");
        }
        let path = "/é".repeat(5_000);
        let long = shown_path("/vendors/{name}", &path, ok).unwrap();
        assert_eq!(long.chars().count(), MAX_PATH_CHARS + 1);
    }
}
