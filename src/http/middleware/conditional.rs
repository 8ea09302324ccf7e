//! Conditional requests: computes each response's `ETag`, and answers 304 when `If-None-Match`
//! matches.
//!
//! The tag is known before the search runs. A generation never changes, so the generation and the
//! request determine the response. A client that sends the current tag is answered without a
//! search.

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    http::{
        Method,
        header::{self, EntityTag, HeaderValue, IfNoneMatch},
    },
};
use sha2::{Digest, Sha256};

use crate::{
    http::{
        encoding::{decode, pairs},
        error::{ApiError, NOT_STORED},
    },
    storage::hex::hex,
};

/// Decision D-124: how long a client may reuse a response without revalidation. `private`, since a
/// response depends on the plan and counts against the key.
pub(crate) const STORED: HeaderValue = HeaderValue::from_static("private, max-age=60");

/// A cache must keep the codings of a response apart.
pub(crate) const VARY: HeaderValue = HeaderValue::from_static("accept-encoding");

/// What determines the body of a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Validator {
    /// The time of the request: the response must not be stored.
    None,
    /// The generation, the path and the sorted parameters as they were written.
    Address,
    /// The generation and this normal form of the request.
    Request(Vec<u8>),
    /// The content of a document that is part of the program, and so depends on neither key nor
    /// generation.
    Document(Tag),
}

/// The value of an `ETag`.
///
/// Decision D-125: weak (`W/"…"`), because one tag is valid for all codings of a response, whose
/// bytes differ. It depends on the program's version, since another version may serialize the same
/// records differently. It is the same for every key: what depends on the plan is part of the
/// normalized request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tag {
    text: String,
    /// Whether equal tags mean equal bytes: those of a file, which has no codings.
    is_strong: bool,
}

impl Tag {
    /// The tag of a document that does not depend on the index.
    pub(crate) fn of_content(content: &[u8]) -> Tag {
        Tag::of(&[b"content", content])
    }

    /// The strong tag of a file, from what distinguishes it from others of its name.
    pub(crate) fn of_file(version: &[u8]) -> Tag {
        let tag = Tag::of(&[b"file", version]);
        Tag { is_strong: true, ..tag }
    }

    /// As the header states it.
    pub(crate) fn header(&self) -> String {
        self.entity_tag().to_string()
    }

    fn of(parts: &[&[u8]]) -> Tag {
        let mut hash = Sha256::new_with_prefix(env!("CARGO_PKG_VERSION"));
        for part in parts {
            // The lengths distinguish ("ab", "c") from ("a", "bc").
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        let digest = hash.finalize();
        Tag {
            text: hex(&digest[..16]),
            is_strong: false,
        }
    }

    fn entity_tag(&self) -> EntityTag {
        EntityTag::new(!self.is_strong, self.text.clone())
    }
}

impl Validator {
    /// The tag of the response to a request of `route` (the path template); `None` if the response
    /// must not be stored. `path` and `query` are as the client wrote them.
    pub(crate) fn tag(&self, generation: &str, route: &str, path: &str, query: &str) -> Result<Option<Tag>, ApiError> {
        let generation = generation.as_bytes();
        Ok(match self {
            Validator::None => None,
            Validator::Document(tag) => Some(tag.clone()),
            Validator::Request(normal) => Some(Tag::of(&[generation, route.as_bytes(), normal])),
            Validator::Address => {
                let path = decode(path)?;
                let mut pairs = pairs(query)?;
                pairs.retain(|(_, value)| !value.trim().is_empty());
                pairs.sort();
                let mut parts = vec![generation, route.as_bytes(), path.as_bytes()];
                for (name, value) in &pairs {
                    parts.extend([name.as_bytes(), value.trim().as_bytes()]);
                }
                Some(Tag::of(&parts))
            }
        })
    }
}

/// The `If-None-Match` of a GET or HEAD request. A malformed one is ignored.
pub(crate) struct Precondition(Option<IfNoneMatch>);

impl Precondition {
    pub(crate) fn of(request: &HttpRequest) -> Precondition {
        if is_read(request.method()) {
            Precondition(request.get_header())
        } else {
            Precondition(None)
        }
    }

    /// Whether the client sent this tag, by weak comparison (RFC 9110, 13.1.2).
    pub(crate) fn names(&self, tag: &Tag) -> bool {
        let tag = tag.entity_tag();
        matches!(&self.0, Some(IfNoneMatch::Items(tags)) if tags.iter().any(|known| known.weak_eq(&tag)))
    }

    /// Whether it is `*`, which matches any response. So the response has to be found to exist
    /// first.
    pub(crate) fn is_any(&self) -> bool {
        matches!(self.0, Some(IfNoneMatch::Any))
    }
}

/// Whether responses to this method may be stored.
pub(crate) fn is_read(method: &Method) -> bool {
    *method == Method::GET || *method == Method::HEAD
}

pub(crate) fn not_modified(tag: &Tag) -> HttpResponse {
    let mut response = HttpResponse::NotModified().finish();
    describe(&mut response, Some(tag));
    response
}

/// Adds the caching headers: how long the response may be stored, and the tag to revalidate it
/// with.
pub(crate) fn describe(response: &mut HttpResponse, tag: Option<&Tag>) {
    let tag = tag.and_then(|tag| HeaderValue::from_str(&tag.header()).ok());
    let headers = response.headers_mut();
    headers.insert(header::VARY, VARY);
    match tag {
        Some(tag) => {
            headers.insert(header::CACHE_CONTROL, STORED);
            headers.insert(header::ETAG, tag);
        }
        None => {
            headers.insert(header::CACHE_CONTROL, NOT_STORED);
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use proptest::prelude::*;

    use super::*;

    fn condition(values: &[&[u8]]) -> Precondition {
        let mut request = TestRequest::default();
        for value in values {
            if let Ok(value) = HeaderValue::from_bytes(value) {
                request = request.append_header((header::IF_NONE_MATCH, value));
            }
        }
        Precondition::of(&request.to_http_request())
    }

    #[test]
    fn a_listed_tag_matches() {
        let tag = Tag {
            text: "0a1b".into(),
            is_strong: false,
        };
        for (value, is_listed, is_any) in [
            ("\"0a1b\"", true, false),
            ("W/\"0a1b\"", true, false),
            ("\"x\", W/\"0a1b\"", true, false),
            ("\"x\",\"0a1b\" , W/\"y\"", true, false),
            ("\"a,b\", \"0a1b\"", true, false),
            ("w/\"0a1b\"", false, false),
            ("\"0a1\"", false, false),
            ("0a1b", false, false),
            ("", false, false),
            ("*", false, true),
            ("\"*\"", false, false),
        ] {
            let condition = condition(&[value.as_bytes()]);
            assert_eq!(
                (condition.names(&tag), condition.is_any()),
                (is_listed, is_any),
                "{value}"
            );
        }
        assert!(
            condition(&[b"\"x\"", b"\"0a1b\""]).names(&tag),
            "two header lines are one list"
        );
        assert!(!condition(&[]).names(&tag));
        let post = TestRequest::post().insert_header((header::IF_NONE_MATCH, "\"0a1b\""));
        assert!(!Precondition::of(&post.to_http_request()).names(&tag));
    }

    #[test]
    fn the_boundaries_between_parts_matter() {
        assert_ne!(Tag::of(&[b"ab", b"c"]), Tag::of(&[b"a", b"bc"]));
        assert_eq!(Tag::of_content(b"x"), Tag::of_content(b"x"));
        assert_eq!(Tag::of_content(b"x").text.len(), 32);
    }

    proptest! {
        #[test]
        fn arbitrary_headers_do_not_panic(values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..3)) {
            let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
            prop_assert!(!condition(&values).names(&Tag::of_content(b"")));
        }

        #[test]
        fn similar_headers_do_not_panic(value in "(W?/?\"?[a-z,*]{0,3}\"?,? ?){0,5}") {
            condition(&[value.as_bytes()]).names(&Tag::of_content(b""));
        }
    }
}
