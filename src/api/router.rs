//! Matches a request's path with the route table.
//!
//! The framework's router is not used: it normalizes paths and decodes them partly, but a `record_id` may contain any
//! character. The raw path is split here: its first segment is the entity type, all the rest is the id, percent-decoded
//! once.

use std::sync::LazyLock;

use actix_web::http::Method;

use crate::{
    api::{
        api_docs,
        params::nearest::nearest,
        reconciliation::{Service, TokenPath, without_tokens},
        route::{Access, Endpoint, MAX_BODY_BYTES, Route, Verb},
        routes::ROUTES,
    },
    http::{call::Call, encoding::decode, error::ApiError, quoted::quoted, work::Work},
    model::{EntityType, record::RESERVED_IDS},
};

/// The path templates of the rows, in the table's order, as log lines and metrics show them.
static TEMPLATES: LazyLock<Vec<String>> =
    LazyLock::new(|| ROUTES.iter().map(|route| route.endpoint.template()).collect());

/// The rows whose path matches that of a request.
pub(crate) struct Found {
    rows: Vec<(&'static Route, Target)>,
    with_token: Option<TokenPath>,
}

/// A handler with the variable parts of the path.
pub(crate) enum Target {
    Fixed(fn(&Call) -> Result<Work, ApiError>),
    EntityType(fn(&Call, EntityType) -> Result<Work, ApiError>, EntityType),
    Record(
        fn(&Call, EntityType, String) -> Result<Work, ApiError>,
        EntityType,
        String,
    ),
    Named(fn(&Call, String) -> Result<Work, ApiError>, String),
    Document(fn(&Call, String, String) -> Result<Work, ApiError>, String, String),
    OfTender(fn(&Call, String) -> Result<Work, ApiError>, String),
    Reconciliation(fn(&Call, &Service) -> Result<Work, ApiError>, Service),
}

/// A path, split and decoded in the ways that the forms of endpoints need.
struct Path {
    whole: String,
    entity_type: Option<EntityType>,
    /// Everything after the first segment.
    rest: Option<String>,
    /// The record id, if the path is that of a record.
    record_id: Option<String>,
    /// The record id and the suffix, if the path is that of something about a tender.
    of_tender: Option<(String, &'static str)>,
    /// The record id and the index, if the path is that of a tender's document.
    document: Option<(String, String)>,
    /// The token and the rest, if the path is one of a reconciliation service with a token.
    with_token: Option<TokenPath>,
}

/// Finds the rows for a raw path. Malformed percent-encoding is an error.
pub(crate) fn find(path: &str) -> Result<Found, ApiError> {
    let path = Path::parse(path)?;
    let rows = ROUTES
        .iter()
        .filter_map(|route| Some((route, path.target(route.endpoint)?)));
    Ok(Found {
        rows: rows.collect(),
        with_token: path.with_token,
    })
}

/// Whether an endpoint has the raw path, with any method, or the path has a token, of which no page must know.
pub(crate) fn has_endpoint(path: &str) -> bool {
    let is_found = |found: Found| !found.rows.is_empty() || found.with_token.is_some();
    path == api_docs::SLASHED || find(path).is_ok_and(is_found)
}

/// The maximum size of the body of a request, in bytes. `path` is raw.
pub(crate) fn max_body_bytes(method: &Method, path: &str) -> usize {
    let route = find(path).and_then(|found| found.for_method(method, path));
    route.map_or(MAX_BODY_BYTES, |(route, _)| route.max_body_bytes)
}

impl Path {
    fn parse(path: &str) -> Result<Path, ApiError> {
        let decoded = |text: &str| Ok::<_, ApiError>(decode(text)?.into_owned());
        let whole = decoded(path)?;
        let segments = path.strip_prefix('/').unwrap_or(path);
        let (first, rest) = match segments.split_once('/') {
            Some((first, rest)) => (first, Some(rest)),
            None => (segments, None),
        };
        let entity_type = EntityType::parse(&decode(first)?);
        let (mut record_id, mut of_tender, mut document) = (None, None, None);
        if let (Some(entity_type), Some(rest)) = (entity_type, rest) {
            if let Some((id, index)) = split_document(entity_type, rest) {
                document = Some((decoded(id)?, decoded(index)?));
            } else if let Some((id, suffix)) = split_suffix(entity_type, rest) {
                of_tender = Some((decoded(id)?, suffix));
            } else if is_id(rest) {
                record_id = Some(decoded(rest)?);
            }
        }
        Ok(Path {
            whole,
            entity_type,
            rest: rest.map(decoded).transpose()?,
            record_id,
            of_tender,
            document,
            with_token: TokenPath::parse(path)?,
        })
    }

    /// The handler and its arguments, if the path has the form of the endpoint.
    fn target(&self, endpoint: Endpoint) -> Option<Target> {
        match endpoint {
            Endpoint::Fixed(path, handler) => (self.whole == path).then_some(Target::Fixed(handler)),
            Endpoint::EntityType(suffix, handler) => {
                let is_suffix = suffix.strip_prefix('/') == self.rest.as_deref();
                let entity_type = self.entity_type.filter(|_| is_suffix)?;
                Some(Target::EntityType(handler, entity_type))
            }
            Endpoint::Record(handler) => Some(Target::Record(handler, self.entity_type?, self.record_id.clone()?)),
            Endpoint::Named(prefix, _, handler) => {
                let name = self.whole.strip_prefix(prefix)?;
                (!name.trim().is_empty()).then(|| Target::Named(handler, name.to_owned()))
            }
            Endpoint::OfTender(suffix, handler) => {
                let (id, found) = self.of_tender.clone()?;
                (found == suffix).then_some(Target::OfTender(handler, id))
            }
            Endpoint::Document(handler) => {
                let (id, index) = self.document.clone()?;
                Some(Target::Document(handler, id, index))
            }
            Endpoint::Reconciliation(endpoint) => {
                let service = endpoint.service(&self.whole, self.with_token.as_ref())?;
                Some(Target::Reconciliation(endpoint.handler, service))
            }
        }
    }
}

/// Whether what follows an entity type is a record id. It is still raw, so a client can escape the slashes of an id.
fn is_id(rest: &str) -> bool {
    let is_alerts = rest.split('/').next() == Some("alerts");
    let is_reserved = decode(rest).is_ok_and(|rest| RESERVED_IDS.contains(&&*rest));
    !rest.is_empty() && !is_alerts && !is_reserved
}

/// The record id and the index of a tender's document, both still raw.
fn split_document(entity_type: EntityType, rest: &str) -> Option<(&str, &str)> {
    if entity_type != EntityType::Tender {
        return None;
    }
    let (before, index) = rest.rsplit_once('/')?;
    let id = before.strip_suffix("/documents").filter(|id| !id.is_empty())?;
    Some((id, index))
}

/// The record id, still raw, and the suffix of an endpoint about a tender.
fn split_suffix(entity_type: EntityType, rest: &str) -> Option<(&str, &'static str)> {
    if entity_type != EntityType::Tender {
        return None;
    }
    let suffixes = ROUTES.iter().filter_map(|route| match route.endpoint {
        Endpoint::OfTender(suffix, _) => Some(suffix),
        _ => None,
    });
    let mut split = suffixes.filter_map(|suffix| Some((rest.strip_suffix(suffix)?, suffix)));
    split.find(|(id, _)| is_id(id))
}

impl Found {
    /// The template of the path, without anything the client sent.
    pub(crate) fn template(&self) -> Option<&'static str> {
        let (route, _) = self.rows.first()?;
        let row = ROUTES.iter().position(|row| std::ptr::eq(row, *route))?;
        TEMPLATES.get(row).map(String::as_str)
    }

    pub(crate) fn is_keyless(&self) -> bool {
        self.rows.first().is_some_and(|(route, _)| !route.access.is_keyed())
    }

    /// Whether a request to it counts only against the rate limit.
    pub(crate) fn is_uncounted(&self) -> bool {
        self.rows
            .first()
            .is_some_and(|(route, _)| route.access == Access::Uncounted)
    }

    /// The token in the path, which is sent instead of a key.
    pub(crate) fn token(&self) -> Option<&str> {
        self.with_token.as_ref().map(|path| path.token.as_str())
    }

    /// The row and the handler for a method. Errors: 404 if no row has the path, 405 if only other methods have it.
    pub(crate) fn for_method(self, method: &Method, path: &str) -> Result<(&'static Route, Target), ApiError> {
        let mut allowed: Vec<&str> = Vec::new();
        for (route, target) in self.rows {
            if route.verb.serves(method) {
                return Ok((route, target));
            }
            allowed.push(route.verb.as_str());
            if route.verb == Verb::Get {
                allowed.push("HEAD");
            }
        }
        if allowed.is_empty() {
            Err(not_found(path, self.with_token))
        } else {
            Err(ApiError::method_not_allowed(method.as_str(), &allowed.join(", ")))
        }
    }
}

impl Target {
    pub(crate) fn call(self, call: &Call) -> Result<Work, ApiError> {
        match self {
            Target::Fixed(handler) => handler(call),
            Target::EntityType(handler, entity_type) => handler(call, entity_type),
            Target::Record(handler, entity_type, id) => handler(call, entity_type, id),
            Target::Named(handler, name) => handler(call, name),
            Target::Document(handler, id, index) => handler(call, id, index),
            Target::OfTender(handler, id) => handler(call, id),
            Target::Reconciliation(handler, service) => handler(call, &service),
        }
    }
}

/// The 404 for a path without a row: it names the nearest path, unless the path starts with an entity type or has a
/// token, which the text does not repeat.
fn not_found(path: &str, with_token: Option<TokenPath>) -> ApiError {
    let first = path.split('/').nth(1).unwrap_or_default();
    let shown = with_token.as_ref().map(TokenPath::shown);
    let shown = shown.unwrap_or_else(|| without_tokens(path));
    let mut message = format!("no endpoint {}", quoted(&shown));
    if with_token.is_none() && EntityType::parse(first).is_none() {
        let described = ROUTES.iter().zip(TEMPLATES.iter());
        let described = described.filter(|(route, template)| route.is_described() && !template.contains('{'));
        let fixed = described.filter_map(|(_, template)| template.strip_prefix('/'));
        if let Some(near) = nearest(first, EntityType::ALL.iter().map(|of| of.name()).chain(fixed)) {
            message.push_str(&format!("; nearest is '/{near}'"));
        }
    } else {
        message.push_str("; /docs lists all endpoints");
    }
    ApiError::not_found(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares how a path is parsed: the form, and the variable parts.
    fn check(path: &str, expected: &str) {
        let found = find(path).and_then(|found| found.for_method(&Method::GET, path));
        let shown = match found {
            Ok((_, Target::Fixed(_))) => "fixed".to_owned(),
            Ok((_, Target::EntityType(_, entity_type))) => format!("{entity_type}"),
            Ok((_, Target::Record(_, entity_type, id))) => format!("{entity_type} {id}"),
            Ok((_, Target::Named(_, name))) => format!("named {name}"),
            Ok((_, Target::Document(_, id, index))) => format!("document {index} of {id}"),
            Ok((_, Target::OfTender(_, id))) => format!("of {id}"),
            Ok((_, Target::Reconciliation(_, service))) => format!("{service:?}"),
            Err(error) => format!("{} {}", error.status.as_u16(), error.detail),
        };
        assert_eq!(shown, expected, "{path}");
    }

    #[test]
    fn paths_are_parsed() {
        for (path, expected) in [
            ("/health", "fixed"),
            ("/tender", "tender"),
            ("/%74ender", "tender"),
            ("/tender/coverage", "tender"),
            ("/tender/a%7Cb:c%2Fd/e%25", "tender a|b:c/d/e%"),
            ("/tender/a//b+c/", "tender a//b+c/"),
            ("/tender/%C3%A9t%C3%A9%201", "tender été 1"),
            ("/tender/coverage/x", "tender coverage/x"),
            ("/tender/a%7Cb/c/bids", "of a|b/c"),
            ("/tender/a%2Fbids", "tender a/bids"),
            ("/contract/a/bids", "contract a/bids"),
            ("/tender/x%2Fdocuments%2F1", "tender x/documents/1"),
            ("/award/x/documents/1", "award x/documents/1"),
            ("/tender/..", "tender .."),
            ("/tender/x%2Fy/documents/1", "document 1 of x/y"),
            ("/tender/a/b/documents/x", "document x of a/b"),
            ("/vendor/R%26D%20Inc./Ltd", "named R&D Inc./Ltd"),
            ("/vendor/", "404 no endpoint '/vendor/'; nearest is '/vendors'"),
            ("/procurement/EN578-123/A", "named EN578-123/A"),
            ("/tender/feed", "fixed"),
            ("/tender/%66eed", "fixed"),
            ("/tender/stats", "tender"),
            ("/tender/alerts/unsubscribe", "fixed"),
            (
                "/tender/alerts/subscribers",
                "404 no endpoint '/tender/alerts/subscribers'; /docs lists all endpoints",
            ),
            (
                "/tender/alerts/subscribe",
                "405 method 'GET' is not allowed here; use POST",
            ),
            ("/reconcile/supplier", "Service { party: Supplier, token: None }"),
            (
                "/reconcile/rpk%5F1/department/suggest/entity",
                "Service { party: Body, token: Some(\"rpk_1\") }",
            ),
            (
                "/reconcile/rpk_1/contract",
                "404 no endpoint '/reconcile/{token}/contract'; /docs lists all endpoints",
            ),
            (
                "//reconcile/rpk_1/supplier",
                "404 no endpoint '//reconcile/{token}/supplier'; nearest is '/contract'",
            ),
            ("/tender/", "404 no endpoint '/tender/'; /docs lists all endpoints"),
            ("/contracts", "404 no endpoint '/contracts'; nearest is '/contract'"),
            ("/helth", "404 no endpoint '/helth'; nearest is '/health'"),
            ("/", "404 no endpoint '/'; nearest is '/contract'"),
            ("//tender", "404 no endpoint '//tender'; nearest is '/contract'"),
            (
                "/tender/%zz",
                "422 invalid percent-encoding '%zz'; write a percent sign as %25",
            ),
            (
                "/tender/%FF",
                "422 the address is not valid UTF-8 after percent-decoding; encode its text as UTF-8",
            ),
        ] {
            check(path, expected);
        }
    }

    #[test]
    fn a_body_is_limited_by_its_endpoint() {
        for (path, max) in [
            ("/tender/estimate", 640 << 10),
            ("/tender/%65stimate", 640 << 10),
            ("/tender/comps", 640 << 10),
            ("/tender/alerts/subscribe", 16 << 10),
            ("/tender/alerts/unsubscribe", 4 << 10),
            ("/tender/alerts/confirm", 4 << 10),
            ("/tender/alerts/decline", 4 << 10),
            ("/contract", 16 << 10),
            ("/nope", 16 << 10),
            ("/%zz", 16 << 10),
        ] {
            assert_eq!(max_body_bytes(&Method::POST, path), max, "{path}");
        }
        assert_eq!(max_body_bytes(&Method::GET, "/tender/alerts/confirm"), 16 << 10);
    }

    #[test]
    fn a_405_lists_the_allowed_methods() {
        let error = find("/award/x")
            .unwrap()
            .for_method(&Method::POST, "/award/x")
            .err()
            .unwrap();
        assert_eq!(error.status.as_u16(), 405);
        assert_eq!(error.detail, "method 'POST' is not allowed here; use GET, HEAD");
    }
}
