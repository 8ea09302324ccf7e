//! The addresses of the Reconciliation API: `/reconcile/supplier` and `/reconcile/department` for a key in a header,
//! and `/reconcile/{token}/supplier` for the token of a service address, which programs use that send no header.
//!
//! Decision D-291: a token opens these addresses and no others, and none is logged or repeated in an error.

use crate::{
    catalog::suppliers::Party,
    http::{call::Call, encoding::decode, error::ApiError, work::Work},
    state::service_addresses::PREFIX,
};

/// The first segment of the path.
const SEGMENT: &str = "reconcile";

/// The variable for the token in path templates.
const TOKEN: &str = "{token}";

/// An endpoint of a service.
#[derive(Clone, Copy)]
pub struct Reconciliation {
    pub(crate) party: Party,
    /// What follows the path of the service.
    pub(crate) suffix: &'static str,
    /// Whether the path has a token.
    pub(crate) has_token: bool,
    pub(crate) handler: fn(&Call, &Service) -> Result<Work, ApiError>,
}

/// A service as a request addresses it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Service {
    pub(crate) party: Party,
    pub(crate) token: Option<String>,
}

/// A path that has a segment in the place of a token, whether there is such a token or not. Both parts are decoded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TokenPath {
    pub(crate) token: String,
    /// What follows the token, from its slash on.
    rest: String,
}

impl Reconciliation {
    /// This endpoint for requests with a token.
    pub(crate) const fn with_token(self) -> Reconciliation {
        Reconciliation {
            has_token: true,
            ..self
        }
    }

    /// The path with a name in braces for the token.
    pub(crate) fn template(&self) -> String {
        base(self.party, self.has_token.then_some(TOKEN)) + self.suffix
    }

    /// The service, if a path leads to this endpoint. `whole` is the decoded path.
    pub(crate) fn service(&self, whole: &str, with_token: Option<&TokenPath>) -> Option<Service> {
        let token = with_token.map(|path| path.token.as_str());
        let is_near = whole.get(1..).is_some_and(|path| path.starts_with(SEGMENT));
        let is_here = is_near && self.has_token == token.is_some() && base(self.party, token) + self.suffix == whole;
        is_here.then(|| Service {
            party: self.party,
            token: token.map(str::to_owned),
        })
    }
}

impl Service {
    /// The path of the service, as its manifest states it.
    pub(crate) fn path(&self) -> String {
        base(self.party, self.token.as_deref())
    }
}

impl TokenPath {
    /// Reads a raw path. Malformed percent-encoding is an error.
    pub(crate) fn parse(path: &str) -> Result<Option<TokenPath>, ApiError> {
        let mut segments = path.strip_prefix('/').unwrap_or(path).splitn(3, '/');
        let (first, second) = (segments.next().unwrap_or_default(), segments.next().unwrap_or_default());
        let token = decode(second)?;
        let is_service = Party::ALL.iter().any(|party| party.reconciled() == token);
        if decode(first)? != SEGMENT || token.is_empty() || is_service {
            return Ok(None);
        }
        let rest = match segments.next() {
            Some(rest) => format!("/{}", decode(rest)?),
            None => String::new(),
        };
        Ok(Some(TokenPath {
            token: token.into_owned(),
            rest,
        }))
    }

    /// The path for an error text, without the token.
    pub(crate) fn shown(&self) -> String {
        format!("/{SEGMENT}/{TOKEN}{}", self.rest)
    }
}

/// A path for an error text. Also in a mistyped path, a token is not repeated.
pub(crate) fn without_tokens(path: &str) -> String {
    let segments = path.split('/');
    let shown = segments.map(|segment| if segment.contains(PREFIX) { TOKEN } else { segment });
    shown.collect::<Vec<&str>>().join("/")
}

/// The paths of all services for a token.
pub(crate) fn addresses(token: &str) -> [String; 2] {
    Party::ALL.map(|party| base(party, Some(token)))
}

fn base(party: Party, token: Option<&str>) -> String {
    let name = party.reconciled();
    match token {
        Some(token) => format!("/{SEGMENT}/{token}/{name}"),
        None => format!("/{SEGMENT}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_of_a_path_is_found_however_it_is_written() {
        for (path, expected) in [
            ("/reconcile/rpk_1/supplier", Some("rpk_1 /reconcile/{token}/supplier")),
            ("/%72econcile/%72pk_1/x%2Fy/z", Some("rpk_1 /reconcile/{token}/x/y/z")),
            ("/reconcile/rpk_1", Some("rpk_1 /reconcile/{token}")),
            ("/reconcile/rpk_1/", Some("rpk_1 /reconcile/{token}/")),
            ("/reconcile/department", None),
            ("/reconcile/supplie%72/preview", None),
            ("/reconcile//supplier", None),
            ("/reconcile", None),
            ("/contract/rpk_1/supplier", None),
            ("", None),
        ] {
            let found = TokenPath::parse(path).unwrap();
            let found = found.map(|found| format!("{} {}", found.token, found.shown()));
            assert_eq!(found.as_deref(), expected, "{path}");
        }
        assert!(TokenPath::parse("/reconcile/rpk_1/%zz").is_err());
    }
}
