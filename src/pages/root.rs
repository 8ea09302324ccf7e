//! What is outside of a language: `/`, which leads to one, and `/robots.txt`.

use actix_web::http::header::{self, HeaderMap, HeaderValue};
use bytes::Bytes;

use crate::{
    http::{error::ApiError, work::Reply},
    model::Language,
    pages::{address, page::see_other, settings::PagesState},
};

/// Leads to the home page in the language that the browser prefers.
pub(crate) fn redirect(headers: &HeaderMap) -> Result<Reply, ApiError> {
    see_other(&address::page(preferred_language(headers), ""))
}

/// What search engines may list.
pub(crate) fn robots(pages: &PagesState) -> Reply {
    let text = if pages.is_indexed {
        "User-agent: *\nDisallow: /en/account\nDisallow: /fr/account\n"
    } else {
        "User-agent: *\nDisallow: /\n"
    };
    let content_type = HeaderValue::from_static("text/plain; charset=utf-8");
    Reply::from(Bytes::from_static(text.as_bytes())).with_headers(vec![(header::CONTENT_TYPE, content_type)])
}

/// The language with the highest weight in `Accept-Language`, English if it has neither.
pub(crate) fn preferred_language(headers: &HeaderMap) -> Language {
    let lines = headers.get_all(header::ACCEPT_LANGUAGE);
    let ranges = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','));
    let weighted = ranges.filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let code = parts.next()?.split('-').next()?.to_ascii_lowercase();
        let weight = parts
            .find_map(|part| part.strip_prefix("q="))
            .map_or(Some(1.0), |q| q.parse::<f64>().ok())?;
        Some((Language::parse(&code)?, weight)).filter(|(_, weight)| *weight > 0.0)
    });
    // The first one of equal weight.
    let best = weighted.reduce(|best, other| if other.1 > best.1 { other } else { best });
    best.map_or(Language::English, |(language, _)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_with_the_highest_weight_is_preferred() {
        for (value, expected) in [
            ("", Language::English),
            ("fr", Language::French),
            ("fr-CA,fr;q=0.9,en;q=0.8", Language::French),
            ("en;q=0.5, fr;q=0.9", Language::French),
            ("de, EN-ca;q=0.3, fr;q=0.2", Language::English),
            ("en, fr", Language::English),
            ("fr;q=0, en;q=0.1", Language::English),
            ("fr;q=x", Language::English),
            ("*", Language::English),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, HeaderValue::from_static(value));
            assert_eq!(preferred_language(&headers), expected, "{value}");
        }
        assert_eq!(preferred_language(&HeaderMap::new()), Language::English);
    }
}
