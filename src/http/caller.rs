//! Who asks, as far as a request tells: what is kept where the law wants proof of a wish.

use std::net::IpAddr;

use actix_web::{HttpRequest, http::header::HeaderName};

use crate::http::middleware::{request_id::RequestId, trace::Trace};

/// Where a request came from.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The number of the key.
    pub key_id: Option<i64>,
    pub request_id: RequestId,
    /// The other end of the connection: a proxy's where there is one.
    pub peer: Option<IpAddr>,
    /// What the last proxy on the way said of where it came from.
    pub forwarded_for: Option<String>,
}

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// No address is longer.
const LONGEST_ADDRESS: usize = 45;

impl Caller {
    pub fn of(request: &HttpRequest, trace: &Trace) -> Caller {
        Caller {
            key_id: trace.key,
            request_id: trace.id.clone(),
            peer: request.peer_addr().map(|peer| peer.ip().to_canonical()),
            forwarded_for: forwarded_for(request),
        }
    }
}

/// The last entry: the one the nearest proxy wrote, while those before it are whatever it was sent. It decides nothing, so it need not be trusted.
fn forwarded_for(request: &HttpRequest) -> Option<String> {
    let line = request.headers().get_all(&FORWARDED_FOR).last()?;
    let last = line.to_str().ok()?.rsplit(',').next()?.trim();
    let is_address = !last.is_empty() && last.len() <= LONGEST_ADDRESS && last.bytes().all(|b| b.is_ascii_graphic());
    is_address.then(|| last.to_owned())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_nearest_proxys_word_is_taken_down() {
        for (lines, expected) in [
            (&[][..], None),
            (&["203.0.113.7"], Some("203.0.113.7")),
            (&["10.0.0.1, 2001:db8::1"], Some("2001:db8::1")),
            (&["a", "b , 198.51.100.9 "], Some("198.51.100.9")),
            (&["203.0.113.7,"], None),
            (&["a b"], None),
            (&["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"], None),
        ] {
            let mut request = TestRequest::default();
            for line in lines {
                request = request.append_header((FORWARDED_FOR, *line));
            }
            assert_eq!(
                forwarded_for(&request.to_http_request()).as_deref(),
                expected,
                "{lines:?}"
            );
        }
    }
}
