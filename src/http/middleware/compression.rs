//! Content codings: which one a client takes, and the body in it.
//!
//! The framework's own middleware is not used: it answers 406, codes the smallest bodies, streams (so that HEAD tells no length) and fixes its levels. The codecs are the
//! well-kept crates; only the choice is made here. Coding a page costs about as much as finding it, so it is done where searches run.

use std::io::Write;

use actix_web::{
    HttpMessage, HttpRequest,
    http::header::{self, AcceptEncoding, ContentEncoding, Encoding, HeaderValue, Preference, Quality},
};
use bytes::Bytes;

use crate::http::Reply;

/// A coding, in the order they are preferred among those a client likes equally: by what a page of 100 records costs.
///
/// Spec silent: the levels. On one core, 113 KB: zstd 0.12 ms to 13 %, br 1.1 ms to 12 %, gzip 0.7 ms to 14 %. Higher ones cost more than the bytes they save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Zstd,
    Brotli,
    Gzip,
}

/// What a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The coding it gets; none where it wants none, or none of ours.
    coding: Option<Coding>,
    refuses_plain: bool,
}

/// Spec silent: a smaller body fits into a packet anyway.
const SMALLEST: usize = 1024;

/// A larger body is not coded on the async workers.
pub const LARGEST_INLINE: usize = 16 * 1024;

const ZSTD_LEVEL: i32 = 1;
const BROTLI_QUALITY: u32 = 4;
/// The logarithm of the window, which holds the records that resemble each other.
const BROTLI_WINDOW: u32 = 18;
const GZIP_LEVEL: u32 = 3;

impl Coding {
    const ALL: [Coding; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];

    const fn name(self) -> ContentEncoding {
        match self {
            Coding::Zstd => ContentEncoding::Zstd,
            Coding::Brotli => ContentEncoding::Brotli,
            Coding::Gzip => ContentEncoding::Gzip,
        }
    }

    fn code(self, body: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Coding::Zstd => zstd::bulk::compress(body, ZSTD_LEVEL),
            Coding::Brotli => {
                let mut coded = Vec::with_capacity(body.len() / 4);
                let buffer = body.len().clamp(SMALLEST, LARGEST_INLINE);
                let mut writer = brotli::CompressorWriter::new(&mut coded, buffer, BROTLI_QUALITY, BROTLI_WINDOW);
                writer.write_all(body)?;
                drop(writer);
                Ok(coded)
            }
            Coding::Gzip => {
                let coded = Vec::with_capacity(body.len() / 4);
                let mut writer = flate2::write::GzEncoder::new(coded, flate2::Compression::new(GZIP_LEVEL));
                writer.write_all(body)?;
                writer.finish()
            }
        }
    }
}

impl Accepted {
    /// Reads `Accept-Encoding`. What is malformed in it counts as not said. It is never a reason for 406: a client that takes nothing we have gets the plain body.
    pub fn of(request: &HttpRequest) -> Accepted {
        let Some(AcceptEncoding(items)) = request.get_header::<AcceptEncoding>() else {
            return Accepted::plain();
        };
        let said = |wanted: Preference<Encoding>| {
            let item = items.iter().find(|item| item.item == wanted);
            item.map(|item| item.quality)
        };
        let any = said(Preference::Any);
        let quality = |coding: ContentEncoding| said(Preference::Specific(Encoding::Known(coding))).or(any);
        let liked = |coding: Coding| quality(coding.name()).unwrap_or(Quality::ZERO);
        // `max_by_key` gives the last of equals, and the first is preferred.
        let best = Coding::ALL.into_iter().rev().max_by_key(|coding| liked(*coding));
        let best = best.filter(|coding| liked(*coding) > Quality::ZERO);
        // Plain is taken unless refused, but wanted only where it is named above a coding.
        let plain = said(Preference::Specific(Encoding::Known(ContentEncoding::Identity)));
        Accepted {
            coding: best.filter(|coding| plain.is_none_or(|plain| plain <= liked(*coding))),
            refuses_plain: plain.or(any) == Some(Quality::ZERO),
        }
    }

    const fn plain() -> Accepted {
        Accepted {
            coding: None,
            refuses_plain: false,
        }
    }

    /// The coding for a body of this size, if any.
    pub fn coding_for(self, bytes: usize) -> Option<Coding> {
        let is_worth_it = bytes >= SMALLEST || (self.refuses_plain && bytes > 0);
        self.coding.filter(|_| is_worth_it)
    }

    /// The reply, its body in the coding it gets. One that cannot be coded goes out plain, one that is coded already as it is.
    pub fn code(self, mut reply: Reply) -> Reply {
        let is_coded = reply.headers.iter().any(|(name, _)| *name == header::CONTENT_ENCODING);
        if !is_coded
            && let Some(coding) = self.coding_for(reply.body.len())
            && let Ok(body) = coding.code(&reply.body)
        {
            reply.body = Bytes::from(body);
            let name = HeaderValue::from_static(coding.name().as_str());
            reply.headers.push((header::CONTENT_ENCODING, name));
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

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
    fn the_coding_is_the_clients_choice_and_ours_among_equals() {
        use Coding::*;
        for (value, coding, refuses_plain) in [
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
            let expected = Accepted { coding, refuses_plain };
            assert_eq!(accepted(value.as_bytes()), expected, "{value}");
        }
        assert_eq!(
            Accepted::of(&TestRequest::default().to_http_request()),
            Accepted::plain()
        );
    }

    #[test]
    fn a_small_body_stays_plain_unless_plain_is_refused() {
        for (value, bytes, is_coded) in [
            ("gzip", SMALLEST - 1, false),
            ("gzip", SMALLEST, true),
            ("gzip, identity;q=0", 1, true),
            ("gzip, identity;q=0", 0, false),
            ("identity;q=0", SMALLEST, false),
        ] {
            assert_eq!(
                accepted(value.as_bytes()).coding_for(bytes).is_some(),
                is_coded,
                "{value} {bytes}"
            );
        }
    }

    #[test]
    fn every_coding_gives_the_body_back() {
        let body: Vec<u8> = (0..60_000u32)
            .flat_map(|n| (n % 251).to_string().into_bytes())
            .collect();
        for coding in Coding::ALL {
            let coded = coding.code(&body).unwrap();
            assert!(coded.len() < body.len() / 2, "{coding:?}");
            let mut plain = Vec::new();
            match coding {
                Coding::Zstd => plain = zstd::decode_all(&coded[..]).unwrap(),
                Coding::Brotli => drop(
                    brotli::Decompressor::new(&coded[..], 4096)
                        .read_to_end(&mut plain)
                        .unwrap(),
                ),
                Coding::Gzip => drop(
                    flate2::read::GzDecoder::new(&coded[..])
                        .read_to_end(&mut plain)
                        .unwrap(),
                ),
            }
            assert_eq!(plain, body, "{coding:?}");
        }
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic(value in prop::collection::vec(any::<u8>(), 0..60)) {
            accepted(&value).coding_for(SMALLEST);
        }

        #[test]
        fn nor_does_one_that_looks_like_codings(value in "((gzip|br|zstd|identity|\\*|x)?(;? ?q=?[0-9.\"\\\\]{0,5})?,? ?){0,5}") {
            accepted(value.as_bytes()).coding_for(SMALLEST);
        }
    }
}
