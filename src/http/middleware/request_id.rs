//! `X-Request-Id`: an id for each request, the client's own or a generated one, by which a response
//! can be found in the log.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

use crate::state::keys::PREFIX;

/// The id of one request: visible ASCII, so that it fits into a header, a log line and an error
/// text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RequestId(String);

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The maximum length of a client's id. A longer or malformed one is replaced.
const MAX_LENGTH: usize = 128;

impl RequestId {
    /// The client's id, or a new one if it sent none that is acceptable.
    pub(crate) fn of(headers: &HeaderMap) -> RequestId {
        let sent = headers.get(&REQUEST_ID).map(HeaderValue::as_bytes);
        match sent.and_then(accepted) {
            Some(id) => RequestId(id.to_owned()),
            None => RequestId::random(),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as a header value.
    pub(crate) fn value(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).expect("visible ASCII is a valid header value")
    }

    fn random() -> RequestId {
        let mut random = [0; 16];
        // Without random bytes the id is not unique. That is no reason to refuse the request.
        let _ = getrandom::fill(&mut random);
        RequestId(format!("{:032x}", u128::from_be_bytes(random)))
    }
}

/// A client's id if it is well formed and can be logged: it contains neither an API key nor an e-mail address.
fn accepted(id: &[u8]) -> Option<&str> {
    let id = std::str::from_utf8(id).ok()?;
    let is_well_formed = (1..=MAX_LENGTH).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    let lower = id.to_ascii_lowercase();
    let is_private = [PREFIX, "@", "%40"].iter().any(|part| lower.contains(part));
    (is_well_formed && !is_private).then_some(id)
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
            ("id-pk_0123456789abcdef", false),
            ("{\"key\":\"PK_0123456789ABCDEF\"}", false),
            ("jane.doe@example.org", false),
            ("jane.doe%40example.org", false),
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
        fn arbitrary_headers_do_not_panic(value in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(id) = of(&value) {
                let value = id.value();
                prop_assert_eq!(value.as_bytes(), id.as_str().as_bytes());
            }
        }
    }
}
