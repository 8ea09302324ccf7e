//! Where a request came from. Stored with a subscription as the evidence of consent that the law
//! requires.

use std::net::IpAddr;

use actix_web::{
    HttpRequest,
    http::header::{self, HeaderName},
};

use crate::http::{
    middleware::{request_id::RequestId, trace::Trace},
    range::RangeRequest,
};

/// The origin of a request, as far as the server knows it.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The database id of the API key.
    pub(crate) key_id: Option<i64>,
    pub(crate) request_id: RequestId,
    /// The address at the other end of the connection: the client's or its last proxy's.
    pub(crate) peer: Option<IpAddr>,
    /// The client's address as the last proxy reported it.
    pub(crate) forwarded_for: Option<String>,
    /// Whether the client accepts HTML, as a browser states it.
    pub(crate) accepts_html: bool,
    /// The part of a file that the client asks for.
    pub(crate) range: RangeRequest,
}

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The length of the longest IP address in text form.
const MAX_ADDRESS_CHARS: usize = 45;

impl Caller {
    pub(crate) fn of(request: &HttpRequest, trace: &Trace) -> Caller {
        Caller {
            key_id: trace.key,
            request_id: trace.id.clone(),
            peer: request.peer_addr().map(|peer| peer.ip().to_canonical()),
            forwarded_for: forwarded_for(request),
            accepts_html: accepts_html(request),
            range: RangeRequest::of(request),
        }
    }
}

/// The last entry of `X-Forwarded-For`, which the nearest proxy wrote. The entries before it are
/// under the client's control. It is only recorded and decides nothing, so it need not be trusted.
fn forwarded_for(request: &HttpRequest) -> Option<String> {
    let line = request.headers().get_all(&FORWARDED_FOR).last()?;
    let last = line.to_str().ok()?.rsplit(',').next()?.trim();
    let is_address = !last.is_empty() && last.len() <= MAX_ADDRESS_CHARS && last.bytes().all(|b| b.is_ascii_graphic());
    if is_address { Some(last.to_owned()) } else { None }
}

fn accepts_html(request: &HttpRequest) -> bool {
    let lines = request.headers().get_all(header::ACCEPT);
    let mut lines = lines.filter_map(|line| line.to_str().ok());
    lines.any(|line| line.to_ascii_lowercase().contains("text/html"))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_entry_of_the_nearest_proxy_is_recorded() {
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
