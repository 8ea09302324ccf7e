//! `X-Request-Id`: a name for each request, the client's own or made here, by which an answer is found again in the log.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

use crate::state::keys::PREFIX;

/// The name of one request: visible ASCII, so that it can stand in a header, in a log line and in a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestId(String);

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Spec silent: the longest id that is taken over from a client; a longer one, like an ill-formed one, is replaced.
const LONGEST: usize = 128;

impl RequestId {
    /// The client's id where it is well formed and no key in the wrong place, else a new one.
    pub fn of(headers: &HeaderMap) -> RequestId {
        let sent = headers.get(&REQUEST_ID).map(HeaderValue::as_bytes);
        match sent.and_then(accepted) {
            Some(id) => RequestId(id.to_owned()),
            None => RequestId::random(),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as a header's value. What was accepted or made always is one.
    pub fn value(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).unwrap_or(HeaderValue::from_static("-"))
    }

    fn random() -> RequestId {
        let mut random = [0; 16];
        // Without random bytes an id is not unique, which is no reason to refuse the request.
        let _ = getrandom::fill(&mut random);
        RequestId(format!("{:032x}", u128::from_be_bytes(random)))
    }
}

fn accepted(id: &[u8]) -> Option<&str> {
    let is_well_formed = (1..=LONGEST).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic);
    let id = std::str::from_utf8(id).ok().filter(|_| is_well_formed)?;
    // An id is logged, and a key must not be.
    (!id.starts_with(PREFIX)).then_some(id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(value: &[u8]) -> Option<RequestId> {
        let mut headers = HeaderMap::new();
        headers.insert(REQUEST_ID, HeaderValue::from_bytes(value).ok()?);
        Some(RequestId::of(&headers))
    }

    #[test]
    fn a_well_formed_id_is_kept_and_any_other_replaced() {
        let longest = "x".repeat(128);
        for (sent, is_kept) in [
            ("4bf92f35-77b3", true),
            ("{\"a\":1}", true),
            (longest.as_str(), true),
            ("", false),
            ("pk_0123456789abcdef", false),
            ("a b", false),
            ("a\tb", false),
            ("é", false),
            (&"x".repeat(129), false),
        ] {
            let id = of(sent.as_bytes()).unwrap();
            assert_eq!(id.as_str() == sent, is_kept, "{sent}");
            assert!(is_kept || id.as_str().len() == 32, "{sent}");
        }
        assert_ne!(RequestId::of(&HeaderMap::new()), RequestId::of(&HeaderMap::new()));
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic(value in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(id) = of(&value) {
                let value = id.value();
                prop_assert_eq!(value.as_bytes(), id.as_str().as_bytes());
            }
        }
    }
}
