//! The route table, and the one place that reads a path.
//!
//! The framework's own router is not used: it normalizes and half-decodes paths, and a `record_id` may hold anything. A path is read raw: its
//! first segment says the kind, the whole rest is the id, percent-decoded once. To add an endpoint: a row in [`ROUTES`].

use std::sync::LazyLock;

use actix_web::http::Method;

use crate::{
    api::{
        Call, Work, catalog, docs, documents,
        error::{ApiError, quoted},
        health, is_method, names, openapi,
        params::{decode, nearest},
        procurement, profile, record, search, stats,
    },
    entity::EntityType,
};

/// An endpoint and what it takes to use it.
pub struct Route {
    pub method: Method,
    pub endpoint: Endpoint,
    pub access: Access,
    pub operation: Operation,
    pub about: &'static str,
}

/// A form of path, and the handler that takes what the path holds.
#[derive(Clone, Copy)]
pub enum Endpoint {
    /// This path and no other.
    Plain(&'static str, fn(&Call) -> Result<Work, ApiError>),
    /// `/{entity_type}`, with this behind it.
    Kind(&'static str, fn(&Call, EntityType) -> Result<Work, ApiError>),
    /// `/{entity_type}/{record_id}`, the id being the whole rest.
    Record(fn(&Call, EntityType, String) -> Result<Work, ApiError>),
    /// This path and behind it a name, the whole rest; the second text is what the name is called.
    Named(&'static str, &'static str, fn(&Call, String) -> Result<Work, ApiError>),
    /// `/tender/{record_id}/documents/{doc_index}`, the id being all in between.
    Document(fn(&Call, String, String) -> Result<Work, ApiError>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Keyless,
    Keyed,
}

/// What an endpoint is to [`openapi`], which matches on it: none can be added without being described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Health,
    Sources,
    Vendors,
    Departments,
    VendorProfile,
    DepartmentProfile,
    Procurement,
    Search,
    Coverage,
    Stats,
    Document,
    Record,
    Description,
    Docs,
    /// What `/docs` is made of: no part of the interface, and not described.
    PageAsset,
}

pub static ROUTES: &[Route] = &[
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/health", health::get),
        access: Access::Keyless,
        operation: Operation::Health,
        about: "Whether the service is up, and what it serves",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/sources", catalog::sources),
        access: Access::Keyed,
        operation: Operation::Sources,
        about: "Data sources, with their numbers of records and ranges of dates",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/vendors", names::vendors),
        access: Access::Keyed,
        operation: Operation::Vendors,
        about: "Vendors whose name holds a keyword, those with most contracts first",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/departments", names::departments),
        access: Access::Keyed,
        operation: Operation::Departments,
        about: "Departments with their numbers of records and total values",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Named("/vendor/", "name", profile::vendor),
        access: Access::Keyed,
        operation: Operation::VendorProfile,
        about: "A vendor's contracts, their total and who awarded them",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Named("/department/", "name", profile::department),
        access: Access::Keyed,
        operation: Operation::DepartmentProfile,
        about: "A department's contracts, by year, vendor and category",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Named("/procurement/", "solicitation_number", procurement::get),
        access: Access::Keyed,
        operation: Operation::Procurement,
        about: "All records of one solicitation number, from notice to contract",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Kind("", search::get),
        access: Access::Keyed,
        operation: Operation::Search,
        about: "Search records of a kind",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Kind("/coverage", catalog::coverage),
        access: Access::Keyed,
        operation: Operation::Coverage,
        about: "City slugs that have records of the kind",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Kind("/stats", stats::get),
        access: Access::Keyed,
        operation: Operation::Stats,
        about: "Statistics of the records that match",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Document(documents::get),
        access: Access::Keyed,
        operation: Operation::Document,
        about: "One document of a tender",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Record(record::get),
        access: Access::Keyed,
        operation: Operation::Record,
        about: "One record",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/openapi.json", openapi::get),
        access: Access::Keyless,
        operation: Operation::Description,
        about: "This description",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs", docs::get),
        access: Access::Keyless,
        operation: Operation::Docs,
        about: "A page that shows this description and tries requests; plans and limits",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs/page.js", docs::script),
        access: Access::Keyless,
        operation: Operation::PageAsset,
        about: "Starts the page",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs/page.css", docs::style),
        access: Access::Keyless,
        operation: Operation::PageAsset,
        about: "What the page adds to Swagger UI's style",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs/swagger-ui-bundle.js", docs::swagger_ui_script),
        access: Access::Keyless,
        operation: Operation::PageAsset,
        about: "Swagger UI",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs/swagger-ui.css", docs::swagger_ui_style),
        access: Access::Keyless,
        operation: Operation::PageAsset,
        about: "Swagger UI's style",
    },
];

/// The rows' paths as the log and the metrics write them, in the table's order.
static TEMPLATES: LazyLock<Vec<String>> =
    LazyLock::new(|| ROUTES.iter().map(|route| route.endpoint.template()).collect());

/// Words behind a kind that are endpoints, built or to come, and never ids.
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

impl Endpoint {
    /// The one form of the path, which says nothing of a kind or of what a client put into it.
    fn template(&self) -> String {
        match self {
            Endpoint::Plain(path, _) => (*path).to_owned(),
            Endpoint::Kind(suffix, _) => format!("/{{entity_type}}{suffix}"),
            Endpoint::Record(_) => "/{entity_type}/{record_id}".to_owned(),
            Endpoint::Named(before, what, _) => format!("{before}{{{what}}}"),
            Endpoint::Document(_) => "/tender/{record_id}/documents/{doc_index}".to_owned(),
        }
    }

    /// The paths of this form, as templates, with the kind each is for.
    pub fn templates(&self) -> Vec<(String, Option<EntityType>)> {
        let template = self.template();
        match self {
            Endpoint::Plain(..) | Endpoint::Named(..) => vec![(template, None)],
            Endpoint::Document(_) => vec![(template, Some(EntityType::Tender))],
            Endpoint::Kind(..) | Endpoint::Record(_) => {
                let path = |kind: EntityType| (template.replace("{entity_type}", kind.name()), Some(kind));
                EntityType::ALL.map(path).to_vec()
            }
        }
    }
}

impl Found {
    /// The form of the path, which says nothing of what a client put into it.
    pub fn template(&self) -> Option<&'static str> {
        let (route, _) = self.0.first()?;
        let row = ROUTES.iter().position(|row| std::ptr::eq(row, *route))?;
        TEMPLATES.get(row).map(String::as_str)
    }

    pub fn is_keyless(&self) -> bool {
        self.0.first().is_some_and(|(route, _)| route.access == Access::Keyless)
    }

    /// The handler for the method; else 404 where no row has the path, 405 where rows have it for other methods.
    pub fn for_method(self, method: &Method, path: &str) -> Result<Target, ApiError> {
        let mut allowed: Vec<&str> = Vec::new();
        for (route, target) in self.0 {
            if is_method(method, &route.method) {
                return Ok(target);
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
            Ok(Target::Plain(_)) => "plain".to_owned(),
            Ok(Target::Kind(_, kind)) => format!("{kind}"),
            Ok(Target::Record(_, kind, id)) => format!("{kind} {id}"),
            Ok(Target::Named(_, name)) => format!("named {name}"),
            Ok(Target::Document(_, id, index)) => format!("document {index} of {id}"),
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
            ("/tender/feed", "404 no endpoint '/tender/feed'"),
            ("/tender/%66eed", "404 no endpoint '/tender/%66eed'"),
            ("/tender/stats", "tender"),
            ("/tender/alerts/subscribe", "404 no endpoint '/tender/alerts/subscribe'"),
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
