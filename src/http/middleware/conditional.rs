//! Caching: what tells an answer from the next one (`ETag`), and the 304 for a client that has it already.
//!
//! A tag is known before the search runs: a generation never changes, so the generation and what was asked decide the answer. A client that
//! names the tag is answered without a search.

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    http::{
        Method,
        header::{self, EntityTag, HeaderValue, IfNoneMatch},
    },
};
use sha2::{Digest, Sha256};

use crate::http::{
    Call,
    error::ApiError,
    params::{decode, pairs},
};

/// Spec silent: how long a client may use an answer without asking again; for its own use, since a plan caps it and a key pays for it.
pub const STORED: HeaderValue = HeaderValue::from_static("private, max-age=60");

/// Of what changes by itself, and of errors: what failed now may work in a moment.
pub const NOT_STORED: HeaderValue = HeaderValue::from_static("no-store");

/// An answer in one coding is not for a client that asked for another.
pub const VARY: HeaderValue = HeaderValue::from_static("accept-encoding");

/// What decides the body of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Validator {
    /// The moment: it is not to be stored.
    None,
    /// The generation, the path and the parameters as they were written, sorted.
    Address,
    /// The generation and this, a normal form of what was asked.
    Request(Vec<u8>),
    /// Neither key nor generation: a document that is part of the program, by its content.
    Document(Tag),
}

/// Tells answers apart.
///
/// Spec silent: weak (`W/"…"`), because one tag stands for all codings of an answer, whose bytes differ; and of this version of the program, whose
/// next may write the same records differently. It is the same for every key: what differs by plan is part of what was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag(String);

impl Tag {
    /// Of a document that does not depend on the index.
    pub fn of_content(content: &[u8]) -> Tag {
        Tag::of(&[b"content", content])
    }

    fn of(parts: &[&[u8]]) -> Tag {
        let mut hash = Sha256::new_with_prefix(env!("CARGO_PKG_VERSION"));
        for part in parts {
            // Lengths keep ("ab", "c") and ("a", "bc") apart.
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        let digest = hash.finalize();
        Tag(digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }

    fn entity_tag(&self) -> EntityTag {
        EntityTag::new_weak(self.0.clone())
    }
}

impl Validator {
    /// The tag of the answer to this call on this form of path; none where it is not to be stored.
    pub fn tag(&self, call: &Call, route: &str) -> Result<Option<Tag>, ApiError> {
        let generation = call.generation.id.as_bytes();
        Ok(match self {
            Validator::None => None,
            Validator::Document(tag) => Some(tag.clone()),
            Validator::Request(normal) => Some(Tag::of(&[generation, route.as_bytes(), normal])),
            Validator::Address => {
                let path = decode(call.path)?;
                let mut said = pairs(call.query)?;
                said.retain(|(_, value)| !value.trim().is_empty());
                said.sort();
                let mut parts = vec![generation, route.as_bytes(), path.as_bytes()];
                for (name, value) in &said {
                    parts.extend([name.as_bytes(), value.trim().as_bytes()]);
                }
                Some(Tag::of(&parts))
            }
        })
    }
}

/// The `If-None-Match` of a request that reads; a malformed one is none.
pub struct Precondition(Option<IfNoneMatch>);

impl Precondition {
    pub fn of(request: &HttpRequest) -> Precondition {
        Precondition(
            request
                .get_header::<IfNoneMatch>()
                .filter(|_| is_read(request.method())),
        )
    }

    /// Whether the client named this tag: weakly, as the header's rules have it.
    pub fn names(&self, tag: &Tag) -> bool {
        let tag = tag.entity_tag();
        matches!(&self.0, Some(IfNoneMatch::Items(tags)) if tags.iter().any(|known| known.weak_eq(&tag)))
    }

    /// Whether it was `*`: any answer there is, is known already. Whether there is one shows only once it was looked for.
    pub fn is_any(&self) -> bool {
        matches!(self.0, Some(IfNoneMatch::Any))
    }
}

/// Whether an answer to this method may be stored at all.
pub fn is_read(method: &Method) -> bool {
    *method == Method::GET || *method == Method::HEAD
}

pub fn not_modified(tag: &Tag) -> HttpResponse {
    let mut response = HttpResponse::NotModified().finish();
    describe(&mut response, Some(tag));
    response
}

/// Says how long an answer keeps, and by which tag to ask whether it still does.
pub fn describe(response: &mut HttpResponse, tag: Option<&Tag>) {
    let tag = tag.and_then(|tag| HeaderValue::from_str(&tag.entity_tag().to_string()).ok());
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
    fn a_tag_is_known_when_it_is_listed() {
        let tag = Tag("0a1b".into());
        for (value, is_named, is_any) in [
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
                (is_named, is_any),
                "{value}"
            );
        }
        assert!(
            condition(&[b"\"x\"", b"\"0a1b\""]).names(&tag),
            "two lines are one list"
        );
        assert!(!condition(&[]).names(&tag));
        let post = TestRequest::post().insert_header((header::IF_NONE_MATCH, "\"0a1b\""));
        assert!(!Precondition::of(&post.to_http_request()).names(&tag));
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(Tag::of(&[b"ab", b"c"]), Tag::of(&[b"a", b"bc"]));
        assert_eq!(Tag::of_content(b"x"), Tag::of_content(b"x"));
        assert_eq!(Tag::of_content(b"x").0.len(), 32);
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic(values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..3)) {
            let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
            prop_assert!(!condition(&values).names(&Tag::of_content(b"")));
        }

        #[test]
        fn nor_does_one_that_looks_like_tags(value in "(W?/?\"?[a-z,*]{0,3}\"?,? ?){0,5}") {
            condition(&[value.as_bytes()]).names(&Tag::of_content(b""));
        }
    }
}
