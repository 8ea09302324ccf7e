//! Why an address gave no answer, in words, with what an operator can do about it.

use std::io;

use ureq::{Error, Timeout};

/// Why a certificate or a handshake failed: what the error of `rustls` contains, and the same in
/// words. `rustls` is known only through its texts, because `ureq` does not expose it.
const TLS_FAILURES: [(&str, &str); 7] = [
    (
        "UnknownIssuer",
        "its certificate is signed by an authority that is not trusted; pass the certificate of this authority with --engine-ca",
    ),
    (
        "BadSignature",
        "its certificate is signed by another authority with the name of a trusted one; pass the certificate of its authority with --engine-ca",
    ),
    (
        "CaUsedAsEndEntity",
        "its certificate is that of an authority; give the node a certificate of its own",
    ),
    (
        "certificate not valid for name",
        "its certificate is for another host name; use a name of the certificate in --engine-url, or give the node a certificate with this one",
    ),
    (
        "certificate expired",
        "its certificate has expired, or the clock of this machine is wrong; give the node a new certificate",
    ),
    (
        "certificate not valid yet",
        "its certificate is not valid yet; check the clock of this machine, and the certificate",
    ),
    (
        "InvalidContentType",
        "it does not speak TLS; turn TLS on there, or write http:// in --engine-url",
    ),
];

/// What the error for a host without an address contains.
const UNKNOWN_HOST: &str = "failed to lookup address";

/// What the error of a certificate that was refused contains.
const REFUSED_CERTIFICATE: &str = "invalid peer certificate";

/// How a connection ends that the node closes.
const CLOSED: [io::ErrorKind; 2] = [io::ErrorKind::UnexpectedEof, io::ErrorKind::ConnectionReset];

/// What to do where a node may expect TLS: such a node closes the connection, or answers with bytes
/// that are no HTTP.
pub(crate) const MAY_NEED_TLS: &str = "if TLS is on there, write https:// in --engine-url";

/// The reason of an attempt without an answer, with its cure where one is known. It begins with the
/// address.
pub(crate) fn describe(url: &str, error: &Error) -> String {
    match error {
        Error::Io(why) => {
            let text = why.to_string();
            let is_of_tls = why.kind() == io::ErrorKind::InvalidData;
            let tls = TLS_FAILURES.iter().find(|(part, _)| is_of_tls && text.contains(part));
            match tls {
                Some((_, words)) => format!("{url}: {words} ({text})"),
                None if text.contains(UNKNOWN_HOST) => {
                    format!("{url}: the host name is unknown; correct --engine-url ({text})")
                }
                None if why.kind() == io::ErrorKind::ConnectionRefused => {
                    format!("{url}: nothing listens there; start the node, or correct --engine-url ({text})")
                }
                None if is_plain(url) && CLOSED.contains(&why.kind()) => {
                    format!("{url}: the connection was closed without an answer; {MAY_NEED_TLS}")
                }
                None => format!("{url}: {text}"),
            }
        }
        Error::Timeout(Timeout::Connect) => {
            format!("{url}: no connection in time; check the address, and the firewalls on the way")
        }
        Error::Protocol(why) if is_plain(url) => format!("{url}: the answer is not HTTP; {MAY_NEED_TLS} ({why})"),
        error => format!("{url}: {error}"),
    }
}

/// Whether the node cannot have received the request.
pub(crate) fn is_unsent(error: &Error) -> bool {
    match error {
        Error::Timeout(phase) => matches!(phase, Timeout::Connect | Timeout::Resolve),
        Error::Io(why) => {
            let is_refused =
                || why.kind() == io::ErrorKind::InvalidData && why.to_string().contains(REFUSED_CERTIFICATE);
            why.kind() == io::ErrorKind::ConnectionRefused || is_refused() || why.to_string().contains(UNKNOWN_HOST)
        }
        Error::HostNotFound | Error::ConnectionFailed => true,
        _ => false,
    }
}

/// Whether an address is without TLS.
pub(crate) fn is_plain(url: &str) -> bool {
    url.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid(text: &str) -> Error {
        Error::Io(io::Error::new(io::ErrorKind::InvalidData, text))
    }

    #[test]
    fn a_certificate_that_is_refused_is_explained_and_nothing_was_sent() {
        for (part, words) in TLS_FAILURES {
            let error = invalid(&format!("{REFUSED_CERTIFICATE}: {part}"));
            let text = describe("https://a:1", &error);
            assert!(text.starts_with(&format!("https://a:1: {words} (")), "{text}");
            assert!(is_unsent(&error), "{part}");
        }
        let other = invalid("decompression failed");
        assert_eq!(describe("https://a:1", &other), "https://a:1: decompression failed");
        assert!(!is_unsent(&other));
    }

    #[test]
    fn a_connection_without_tls_that_is_closed_may_need_it() {
        let closed = Error::Io(io::Error::from(io::ErrorKind::UnexpectedEof));
        assert!(describe("http://a:1", &closed).ends_with(MAY_NEED_TLS));
        assert!(!describe("https://a:1", &closed).contains(MAY_NEED_TLS));
        assert!(!is_unsent(&closed), "the node may have executed it");
    }
}
