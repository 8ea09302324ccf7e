//! Where clients reach this service.

use actix_web::{
    HttpRequest,
    http::header::{self, HeaderName},
};

/// What an operator states of the service's address.
#[derive(Debug, Default)]
pub(crate) struct OwnAddress {
    /// The public address, such as `https://example.org/api`, without a slash at its end.
    public_url: Option<String>,
    /// Whether there are pages for people.
    pub(crate) has_pages: bool,
}

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

impl OwnAddress {
    pub(crate) fn new(public_url: Option<&str>, has_pages: bool) -> OwnAddress {
        OwnAddress {
            public_url: public_url.map(|url| url.trim_end_matches('/').to_owned()),
            has_pages,
        }
    }

    /// Where the client of a request reaches this service: the public address if the operator stated it, otherwise what
    /// the client asked for. A client that states another host changes its own response only.
    pub(crate) fn of(&self, request: &HttpRequest) -> String {
        if let Some(url) = &self.public_url {
            return url.clone();
        }
        let text = |name: HeaderName| request.headers().get_all(name).last()?.to_str().ok();
        let is_plain = |host: &&str| {
            let is_of_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
            !host.is_empty() && host.bytes().all(is_of_host)
        };
        let host = text(header::HOST).filter(is_plain).unwrap_or("localhost");
        // The nearest proxy wrote the last entry.
        let nearest = text(FORWARDED_PROTO).and_then(|entries| entries.rsplit(',').next());
        let is_tls = nearest.is_some_and(|scheme| scheme.trim().eq_ignore_ascii_case("https"));
        format!("{}://{host}", if is_tls { "https" } else { "http" })
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_stated_address_counts_or_else_what_the_client_asked_for() {
        for (public_url, host, scheme, expected) in [
            (
                Some("https://example.org/api/"),
                "here:80",
                "http",
                "https://example.org/api",
            ),
            (None, "here:8080", "", "http://here:8080"),
            (None, "[::1]:80", "http", "http://[::1]:80"),
            (None, "example.org", "http, HTTPS", "https://example.org"),
            (None, "example.org", "https, http", "http://example.org"),
            (None, "x/\"><b>", "", "http://localhost"),
            (None, "", "", "http://localhost"),
        ] {
            let mut request = TestRequest::default().insert_header((header::HOST, host));
            if !scheme.is_empty() {
                request = request.insert_header((FORWARDED_PROTO, scheme));
            }
            let found = OwnAddress::new(public_url, true).of(&request.to_http_request());
            assert_eq!(found, expected, "{host} {scheme}");
        }
    }
}
