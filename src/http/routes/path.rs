//! The one place that reads a path.
//!
//! The framework's own router is not used: it normalizes and half-decodes paths, and a `record_id` may hold anything. A path is read raw: its
//! first segment says the kind, the whole rest is the id, percent-decoded once.

use std::sync::LazyLock;

use actix_web::http::Method;

use crate::{
    http::{
        Call, Work,
        error::{ApiError, quoted},
        is_method,
        params::{decode, nearest},
        routes::{Endpoint, Operation, ROUTES, Route},
    },
    model::entity_type::EntityType,
};

/// The rows' paths as the log and the metrics write them, in the table's order.
static TEMPLATES: LazyLock<Vec<String>> =
    LazyLock::new(|| ROUTES.iter().map(|route| route.endpoint.template()).collect());

/// Words behind a kind that are endpoints, and never ids.
const RESERVED: [&str; 6] = ["stats", "coverage", "feed", "estimate", "comps", "alerts"];

/// The rows whose path a request has.
pub struct Found(Vec<(&'static Route, Target)>);

/// A handler with what its path held.
pub enum Target {
    Plain(fn(&Call) -> Result<Work, ApiError>),
    Kind(fn(&Call, EntityType) -> Result<Work, ApiError>, EntityType),
    Record(
        fn(&Call, EntityType, String) -> Result<Work, ApiError>,
        EntityType,
        String,
    ),
    Named(fn(&Call, String) -> Result<Work, ApiError>, String),
    Document(fn(&Call, String, String) -> Result<Work, ApiError>, String, String),
}

/// Reads a raw path; an error is a malformed one.
pub fn find(path: &str) -> Result<Found, ApiError> {
    let decoded = decode(path)?;
    let segments = path.strip_prefix('/').unwrap_or(path);
    let (first, rest) = match segments.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (segments, None),
    };
    let kind = EntityType::parse(&decode(first)?);
    let id = kind.zip(rest).filter(|(kind, rest)| is_id(*kind, rest));
    let id = match id {
        Some((kind, rest)) => Some((kind, decode(rest)?)),
        None => None,
    };
    let behind = rest.map(decode).transpose()?;
    let document = kind.zip(rest).and_then(|(kind, rest)| document(kind, rest));
    let document = match document {
        Some((id, index)) => Some((decode(id)?, decode(index)?)),
        None => None,
    };
    let target = |endpoint: Endpoint| match endpoint {
        Endpoint::Named(before, _, get) => decoded
            .strip_prefix(before)
            .filter(|name| !name.trim().is_empty())
            .map(|name| Target::Named(get, name.to_owned())),
        Endpoint::Document(get) => document
            .as_ref()
            .map(|(id, index)| Target::Document(get, id.clone().into_owned(), index.clone().into_owned())),
        Endpoint::Plain(fixed, get) => (decoded == fixed).then_some(Target::Plain(get)),
        Endpoint::Kind(suffix, get) => {
            let is_suffix = suffix.strip_prefix('/') == behind.as_deref();
            kind.filter(|_| is_suffix).map(|kind| Target::Kind(get, kind))
        }
        Endpoint::Record(get) => id
            .as_ref()
            .map(|(kind, id)| Target::Record(get, *kind, id.clone().into_owned())),
    };
    let rows = ROUTES.iter().filter_map(|route| Some((route, target(route.endpoint)?)));
    Ok(Found(rows.collect()))
}

/// Whether what stands behind a kind is an id; `rest` is raw, so that an id's own slashes can be told apart by escaping them.
fn is_id(kind: EntityType, rest: &str) -> bool {
    let first = rest.split('/').next().unwrap_or_default();
    let is_alerts = first == "alerts";
    let is_reserved = decode(rest).is_ok_and(|rest| RESERVED.contains(&&*rest));
    !rest.is_empty() && !is_alerts && !is_reserved && document(kind, rest).is_none()
}

/// The id and the index of a tender's document, both still raw.
fn document(kind: EntityType, rest: &str) -> Option<(&str, &str)> {
    let (before, index) = rest.rsplit_once('/').filter(|_| kind == EntityType::Tender)?;
    let id = before.strip_suffix("/documents").filter(|id| !id.is_empty())?;
    Some((id, index))
}

impl Found {
    /// The form of the path, which says nothing of what a client put into it.
    pub fn template(&self) -> Option<&'static str> {
        let (route, _) = self.0.first()?;
        let row = ROUTES.iter().position(|row| std::ptr::eq(row, *route))?;
        TEMPLATES.get(row).map(String::as_str)
    }

    pub fn is_keyless(&self) -> bool {
        self.0.first().is_some_and(|(route, _)| !route.access.is_keyed())
    }

    /// The row and the handler for the method; else 404 where no row has the path, 405 where rows have it for other methods.
    pub fn for_method(self, method: &Method, path: &str) -> Result<(&'static Route, Target), ApiError> {
        let mut allowed: Vec<&str> = Vec::new();
        for (route, target) in self.0 {
            if is_method(method, &route.method) {
                return Ok((route, target));
            }
            allowed.push(route.method.as_str());
            if route.method == Method::GET {
                allowed.push("HEAD");
            }
        }
        match allowed.is_empty() {
            true => Err(not_found(path)),
            false => Err(ApiError::method_not_allowed(method.as_str(), &allowed.join(", "))),
        }
    }
}

impl Target {
    pub fn call(self, call: &Call) -> Result<Work, ApiError> {
        match self {
            Target::Plain(get) => get(call),
            Target::Kind(get, kind) => get(call, kind),
            Target::Record(get, kind, id) => get(call, kind, id),
            Target::Named(get, name) => get(call, name),
            Target::Document(get, id, index) => get(call, id, index),
        }
    }
}

fn not_found(path: &str) -> ApiError {
    let first = path.split('/').nth(1).unwrap_or_default();
    let kinds = EntityType::ALL.iter().map(|kind| kind.name());
    let described = ROUTES.iter().filter(|route| route.operation != Operation::PageAsset);
    let fixed = described.filter_map(|route| match route.endpoint {
        Endpoint::Plain(path, _) => path.strip_prefix('/'),
        _ => None,
    });
    let mut message = format!("no endpoint {}", quoted(path));
    let is_kind = EntityType::parse(first).is_some();
    if let Some(near) = nearest(first, kinds.chain(fixed)).filter(|_| !is_kind) {
        message.push_str(&format!("; nearest is '/{near}'"));
    }
    ApiError::not_found(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a path is read as: the fixed path's method, the kind and its suffix's place, or the id.
    fn check(path: &str, expected: &str) {
        let found = find(path).and_then(|found| found.for_method(&Method::GET, path));
        let shown = match found {
            Ok((_, Target::Plain(_))) => "plain".to_owned(),
            Ok((_, Target::Kind(_, kind))) => format!("{kind}"),
            Ok((_, Target::Record(_, kind, id))) => format!("{kind} {id}"),
            Ok((_, Target::Named(_, name))) => format!("named {name}"),
            Ok((_, Target::Document(_, id, index))) => format!("document {index} of {id}"),
            Err(error) => format!("{} {}", error.status.as_u16(), error.detail),
        };
        assert_eq!(shown, expected, "{path}");
    }

    #[test]
    fn paths_are_read() {
        for (path, expected) in [
            ("/health", "plain"),
            ("/tender", "tender"),
            ("/%74ender", "tender"),
            ("/tender/coverage", "tender"),
            ("/tender/a%7Cb:c%2Fd/e%25", "tender a|b:c/d/e%"),
            ("/tender/a//b+c/", "tender a//b+c/"),
            ("/tender/%C3%A9t%C3%A9%201", "tender été 1"),
            ("/tender/coverage/x", "tender coverage/x"),
            ("/tender/x%2Fdocuments%2F1", "tender x/documents/1"),
            ("/award/x/documents/1", "award x/documents/1"),
            ("/tender/..", "tender .."),
            ("/tender/x%2Fy/documents/1", "document 1 of x/y"),
            ("/tender/a/b/documents/x", "document x of a/b"),
            ("/vendor/R%26D%20Inc./Ltd", "named R&D Inc./Ltd"),
            ("/vendor/", "404 no endpoint '/vendor/'; nearest is '/vendors'"),
            ("/procurement/EN578-123/A", "named EN578-123/A"),
            ("/tender/feed", "plain"),
            ("/tender/%66eed", "plain"),
            ("/tender/stats", "tender"),
            ("/tender/alerts/unsubscribe", "plain"),
            (
                "/tender/alerts/subscribers",
                "404 no endpoint '/tender/alerts/subscribers'",
            ),
            (
                "/tender/alerts/subscribe",
                "405 method 'GET' is not allowed here; use POST",
            ),
            ("/tender/", "404 no endpoint '/tender/'"),
            ("/contracts", "404 no endpoint '/contracts'; nearest is '/contract'"),
            ("/helth", "404 no endpoint '/helth'; nearest is '/health'"),
            ("/", "404 no endpoint '/'; nearest is '/contract'"),
            ("//tender", "404 no endpoint '//tender'; nearest is '/contract'"),
            (
                "/tender/%zz",
                "422 '%zz' is no percent-encoding; write a percent sign as %25",
            ),
            ("/tender/%FF", "422 the address is not UTF-8 once percent-decoded"),
        ] {
            check(path, expected);
        }
    }

    #[test]
    fn another_method_is_told_what_is_allowed() {
        let error = find("/award/x")
            .unwrap()
            .for_method(&Method::POST, "/award/x")
            .err()
            .unwrap();
        assert_eq!(error.status.as_u16(), 405);
        assert_eq!(error.detail, "method 'POST' is not allowed here; use GET, HEAD");
    }
}
