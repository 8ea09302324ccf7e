//! Whether a form was sent from a page of this site.
//!
//! Three checks protect forms: the session cookie is `SameSite=Strict`, the browser states where the form was sent
//! from, and the form of a session holds a token that only its pages have.

use actix_web::http::header::{self, HeaderMap, HeaderName};

use crate::http::error::{ApiError, FormError};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Checks that the browser sent the form from this site. `public_url` is the address of this site, if it is known; a
/// proxy may have changed the `Host`.
///
/// Programs send neither header; they use a key in a header instead of forms.
pub(crate) fn check_origin(headers: &HeaderMap, public_url: Option<&str>) -> Result<(), ApiError> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_own = match (text(FETCH_SITE), text(header::ORIGIN)) {
        (Some(site), _) => site == "same-origin",
        (None, Some(origin)) => {
            let host = origin.split_once("://").map(|(_, host)| host);
            let is_host = host.is_some() && host == text(header::HOST);
            is_host || public_url.is_some_and(|url| is_origin_of(origin, url))
        }
        (None, None) => false,
    };
    if is_own {
        Ok(())
    } else {
        Err(ApiError::refused_form(FormError::OtherSite))
    }
}

/// Whether the visitor followed a link of another site. The browser then sends no cookie of this site.
pub(crate) fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    headers.get(FETCH_SITE).is_some_and(|site| site == "cross-site")
}

fn is_origin_of(origin: &str, url: &str) -> bool {
    let rest = url.strip_prefix(origin);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn only_forms_of_this_site_are_accepted() {
        for (pairs, is_accepted) in [
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "none")], false),
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "http://here:80"),
                    ("host", "here:80"),
                ],
                false,
            ),
            (&[("origin", "http://here:80"), ("host", "here:80")], true),
            (&[("origin", "http://there"), ("host", "here")], false),
            (&[("origin", "null"), ("host", "null")], false),
            (&[("origin", "https://public.example"), ("host", "inner")], true),
            (&[("origin", "https://public.example.evil"), ("host", "inner")], false),
            (&[("host", "here")], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            let checked = check_origin(&headers, Some("https://public.example"));
            assert_eq!(checked.is_ok(), is_accepted, "{pairs:?}");
        }
    }
}
