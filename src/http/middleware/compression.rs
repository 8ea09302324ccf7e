//! Response compression: chooses a content coding from `Accept-Encoding` and encodes the body with
//! it.
//!
//! The framework's own middleware is not used: it answers 406, encodes even the smallest bodies,
//! streams (so that HEAD has no `Content-Length`) and does not let one choose levels. Encoding a
//! page costs about as much as finding it, so large bodies are encoded on the search threads.

use actix_web::{
    HttpMessage, HttpRequest,
    http::header::{self, AcceptEncoding, ContentEncoding, Encoding, HeaderName, HeaderValue, Preference, Quality},
};
use bytes::Bytes;

use crate::{
    engine::Deadline,
    http::{
        error::ApiError,
        middleware::content_coding::{ContentCoding, MAX_INLINE_BYTES, MIN_BYTES, StreamEncoder},
        work::Reply,
    },
};

/// The choice for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// The coding to use; `None` if the client accepts none that is supported here.
    coding: Option<ContentCoding>,
    /// Whether the client rejects an uncompressed body.
    rejects_identity: bool,
}

/// The largest body that is encoded with brotli or gzip, in bytes. A larger one takes longer than 40 ms;
/// clients that do not accept zstd get it plain.
const MAX_SLOW_BYTES: usize = 4 << 20;

impl Accepted {
    /// Parses `Accept-Encoding` and ignores malformed parts of it. Never a reason for a 406: a
    /// client that accepts no supported coding gets the plain body.
    pub(crate) fn of(request: &HttpRequest) -> Accepted {
        let Some(AcceptEncoding(items)) = request.get_header::<AcceptEncoding>() else {
            return Accepted::identity();
        };
        let stated = |wanted: Preference<Encoding>| {
            let item = items.iter().find(|item| item.item == wanted);
            item.map(|item| item.quality)
        };
        let any = stated(Preference::Any);
        let quality = |coding: ContentEncoding| stated(Preference::Specific(Encoding::Known(coding))).or(any);
        let weight = |coding: ContentCoding| quality(coding.name()).unwrap_or(Quality::ZERO);
        // `max_by_key` returns the last of equals, but the first one is preferred.
        let best = ContentCoding::ALL
            .into_iter()
            .rev()
            .max_by_key(|coding| weight(*coding));
        let best = best.filter(|coding| weight(*coding) > Quality::ZERO);
        // The identity is acceptable unless rejected, but preferred only if it is stated with a
        // higher weight than the coding.
        let identity = stated(Preference::Specific(Encoding::Known(ContentEncoding::Identity)));
        Accepted {
            coding: best.filter(|coding| identity.is_none_or(|identity| identity <= weight(*coding))),
            rejects_identity: identity.or(any) == Some(Quality::ZERO),
        }
    }

    const fn identity() -> Accepted {
        Accepted {
            coding: None,
            rejects_identity: false,
        }
    }

    /// The coding for a body of this size in bytes.
    pub(crate) fn coding_for(self, bytes: usize) -> Option<ContentCoding> {
        let is_worth_it = bytes >= MIN_BYTES || (self.rejects_identity && bytes > 0);
        let is_bounded = |coding: &ContentCoding| coding.is_fast() || self.rejects_identity || bytes <= MAX_SLOW_BYTES;
        if is_worth_it {
            self.coding.filter(is_bounded)
        } else {
            None
        }
    }

    /// The encoder of a body that is sent chunk by chunk, and the header that names its coding.
    pub(crate) fn stream_encoder(self) -> std::io::Result<Option<(StreamEncoder, (HeaderName, HeaderValue))>> {
        let Some(coding) = self.coding else {
            return Ok(None);
        };
        let name = HeaderValue::from_static(coding.name().as_str());
        Ok(Some((StreamEncoder::new(coding)?, (header::CONTENT_ENCODING, name))))
    }

    /// Whether a body of this size in bytes may be encoded on an async worker.
    pub(crate) fn encodes_inline(self, bytes: usize) -> bool {
        bytes <= MAX_INLINE_BYTES || self.coding_for(bytes).is_none()
    }

    /// Whether the body of a page, which is not known yet, may be encoded on an async worker.
    pub(crate) fn encodes_pages_inline(self) -> bool {
        self.coding.is_none_or(ContentCoding::is_fast)
    }

    /// Encodes the reply's body. It stays plain if encoding fails, and as it is if it is encoded
    /// already.
    ///
    /// # Errors
    /// If the deadline has passed.
    pub(crate) fn encode(self, mut reply: Reply, deadline: &Deadline) -> Result<Reply, ApiError> {
        // The ranges of a file are ranges of its own bytes.
        let names = [header::CONTENT_ENCODING, header::ACCEPT_RANGES];
        let is_encoded = reply.headers.iter().any(|(name, _)| names.contains(name));
        let is_encoded = is_encoded || reply.rest.is_some();
        let coding = self.coding_for(reply.body.len()).filter(|_| !is_encoded);
        if let Some(coding) = coding {
            deadline.check()?;
            let encode = || coding.encode(&reply.body, deadline);
            let encoded = match &reply.kept_codings {
                Some(kept) => kept.get(coding, encode),
                None => encode().map(Bytes::from),
            };
            match encoded {
                Ok(body) => {
                    reply.body = body;
                    let name = HeaderValue::from_static(coding.name().as_str());
                    reply.headers.push((header::CONTENT_ENCODING, name));
                }
                Err(_) => deadline.check()?,
            }
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use proptest::prelude::*;

    use super::*;

    fn accepted(value: &[u8]) -> Accepted {
        let mut request = TestRequest::default();
        if let Ok(value) = HeaderValue::from_bytes(value) {
            request = request.insert_header((header::ACCEPT_ENCODING, value));
        }
        Accepted::of(&request.to_http_request())
    }

    #[test]
    fn the_heaviest_coding_wins_and_among_equals_the_fastest() {
        use ContentCoding::*;
        for (value, coding, rejects_identity) in [
            ("", None, false),
            ("gzip, deflate, br, zstd", Some(Zstd), false),
            ("gzip, deflate, br", Some(Brotli), false),
            ("GZip", Some(Gzip), false),
            ("gzip;q=1.0, br;q=0.9, *;q=0.1", Some(Gzip), false),
            ("zstd;q=0.5, br;q=0.6", Some(Brotli), false),
            ("*", Some(Zstd), false),
            ("*;q=0", None, true),
            ("*;q=0, identity", None, false),
            ("zstd;q=0, *", Some(Brotli), false),
            ("identity;q=0", None, true),
            ("identity;q=0, gzip;q=0.1", Some(Gzip), true),
            ("identity, gzip", Some(Gzip), false),
            ("identity;q=0.9, gzip;q=0.5", None, false),
            ("gzip;q=0", None, false),
            ("gzip;q=0.000, br;q=0.001", Some(Brotli), false),
            ("deflate, compress", None, false),
            ("gzip;q=2, br;q=x", None, false),
            ("gzip ; q=0.3 , br;q=0.2", Some(Gzip), false),
            (",,;q=1,,gzip,", Some(Gzip), false),
        ] {
            let expected = Accepted {
                coding,
                rejects_identity,
            };
            assert_eq!(accepted(value.as_bytes()), expected, "{value}");
        }
        assert_eq!(
            Accepted::of(&TestRequest::default().to_http_request()),
            Accepted::identity()
        );
    }

    #[test]
    fn a_small_body_stays_plain_unless_the_client_rejects_that() {
        for (value, bytes, is_encoded) in [
            ("gzip", MIN_BYTES - 1, false),
            ("gzip", MIN_BYTES, true),
            ("gzip, identity;q=0", 1, true),
            ("gzip, identity;q=0", 0, false),
            ("identity;q=0", MIN_BYTES, false),
        ] {
            assert_eq!(
                accepted(value.as_bytes()).coding_for(bytes).is_some(),
                is_encoded,
                "{value} {bytes}"
            );
        }
    }

    #[test]
    fn compression_ends_at_the_deadline_and_large_bodies_stay_plain_without_zstd() {
        let encoded = |value: &str, bytes: usize, deadline: Deadline| {
            let reply = Reply::from(Bytes::from(vec![b'x'; bytes]));
            let reply = accepted(value.as_bytes()).encode(reply, &deadline);
            reply
                .map(|reply| reply.body.len() < bytes)
                .map_err(|error| error.status.as_u16())
        };
        let over = || Deadline::after(std::time::Duration::ZERO);
        for coding in ["br", "gzip", "zstd"] {
            assert_eq!(encoded(coding, 1 << 20, over()), Err(504), "{coding}");
            assert_eq!(encoded(coding, 1 << 20, Deadline::never()), Ok(true), "{coding}");
        }
        assert_eq!(encoded("gzip", 100, over()), Ok(false), "nothing to compress");
        for (value, is_encoded) in [("br, gzip", false), ("br, zstd", true), ("br, identity;q=0", true)] {
            assert_eq!(
                encoded(value, MAX_SLOW_BYTES + 1, Deadline::never()),
                Ok(is_encoded),
                "{value}"
            );
        }
        // A body that takes longer than its deadline is given up in the middle.
        let body = vec![b'x'; 64 << 20];
        let soon = Deadline::after(std::time::Duration::from_millis(1));
        assert!(ContentCoding::Brotli.encode(&body, &soon).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_headers_do_not_panic(value in prop::collection::vec(any::<u8>(), 0..60)) {
            accepted(&value).coding_for(MIN_BYTES);
        }

        #[test]
        fn similar_headers_do_not_panic(value in "((gzip|br|zstd|identity|\\*|x)?(;? ?q=?[0-9.\"\\\\]{0,5})?,? ?){0,5}") {
            accepted(value.as_bytes()).coding_for(MIN_BYTES);
        }
    }
}
