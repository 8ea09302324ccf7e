//! What is wrong with the parameters of a search, in the language of the page, for the field that it is about.
//!
//! The API states errors in English. The same checks are made here again on the one parameter that the API refused, to
//! find the sentence in the page's own messages. An error without a message is shown in English, marked as such.

use crate::{
    http::{
        error::ApiError,
        explorer::{
            messages::Texts,
            search::{
                asked::{Asked, canonical, names},
                context::shortened,
            },
        },
        params::{
            paging::MAX_OFFSET,
            value::{MIN_NAME_LENGTH, integer, name_part, start},
        },
    },
    model::{Date, Language, Schema, date::DateError},
    query::text::{MAX_QUERY_CHARS, MAX_QUERY_WORDS, TextError, TextQuery},
};

/// A refused parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wrong {
    /// Its canonical name; `None` if the search has no such parameter.
    pub(crate) parameter: Option<&'static str>,
    pub(crate) text: String,
    /// Whether the text is English, although the page is not.
    pub(crate) is_english: bool,
    /// The search without it.
    pub(crate) without: String,
}

/// Explains an error of the parameters of a search.
pub(crate) fn explain(asked: &Asked, error: &ApiError, t: Texts) -> Wrong {
    let refused = |name: &&str| {
        error.detail.starts_with(&format!("parameter '{name}':"))
            || error.detail.starts_with(&format!("unknown parameter '{name}'"))
    };
    let written = asked.parameters.iter().map(|(name, _)| name).find(refused);
    let parameter = written.and_then(canonical);
    let text = match (written, parameter) {
        (Some(written), None) => Some(t.with("search-wrong-unknown", &[("name", &quoted(t, written))])),
        (Some(written), Some(parameter)) => sentence(asked, parameter, written, t),
        (None, _) => None,
    };
    let is_english = text.is_none() && t.language() != Language::English;
    let without = match (written, parameter) {
        (_, Some(parameter)) => asked.dropping(&[parameter]),
        (Some(written), None) => Asked {
            parameters: asked.parameters.without(&[written]),
            ..asked.clone()
        },
        (None, None) => asked.clone(),
    };
    Wrong {
        parameter,
        text: text.unwrap_or_else(|| error.detail.clone()),
        is_english,
        without: without.address(),
    }
}

/// A `kind` that is not an entity type.
pub(crate) fn unknown_kind(asked: &Asked, kind: &str, t: Texts) -> Wrong {
    Wrong {
        parameter: None,
        text: t.with("search-wrong-kind", &[("value", &quoted(t, kind))]),
        is_english: false,
        without: asked.address(),
    }
}

/// The sentence for a parameter that the API refused; `None` if no message says it.
fn sentence(asked: &Asked, parameter: &str, written: &str, t: Texts) -> Option<String> {
    let value = asked.parameters.get(written)?;
    let schema = Schema::of(asked.entity_type);
    let about_value = |key: &str| Some(t.with(key, &[("value", &quoted(t, value))]));
    let about_name = |key: &str| Some(t.with(key, &[("name", &quoted(t, written))]));
    let up_to = |key: &str, count: usize| Some(t.with(key, &[("value", &quoted(t, value)), ("count", &count)]));
    if !schema.accepts(parameter) {
        return about_name("search-wrong-refused");
    }
    let names = names(parameter);
    if asked.parameters.iter().filter(|(name, _)| names.contains(name)).count() > 1 {
        return about_name("search-wrong-twice");
    }
    match parameter {
        "issued_after" | "issued_before" | "closing_after" | "closing_before" => match Date::parse(value) {
            Err(DateError::Form) => about_value("search-wrong-date"),
            Err(DateError::NoSuchDay) => about_value("search-wrong-day"),
            Ok(_) => Some(t.text("search-wrong-date-order")),
        },
        "value_min" | "value_max" => match value.parse::<f64>() {
            Ok(number) if number.is_finite() => Some(t.text("search-wrong-value-order")),
            _ => about_value("search-wrong-number"),
        },
        "department" | "vendor" if name_part(value).is_err() => up_to("search-wrong-short", MIN_NAME_LENGTH),
        "procurement_method" if start(value).is_err() => about_value("search-wrong-empty"),
        "q" => match TextQuery::parse(value) {
            Err(TextError::TooLong(length)) => {
                Some(t.with("search-wrong-long", &[("length", &length), ("count", &MAX_QUERY_CHARS)]))
            }
            Err(TextError::TooManyTerms(_)) => Some(t.with("search-wrong-words", &[("count", &MAX_QUERY_WORDS)])),
            Ok(_) => None,
        },
        "municipality" => about_value("search-wrong-place"),
        "category" | "status" | "sort_order" | "quality_flag" | "translate" => about_value("search-wrong-choice"),
        "commodity" => about_value("search-wrong-commodity"),
        "sort_by" => Some(t.text("search-wrong-sort")),
        "cursor" => Some(t.text("search-wrong-cursor")),
        "offset" if integer(0, u64::MAX, value).is_ok_and(|offset| offset > MAX_OFFSET) => {
            Some(t.with("search-wrong-offset", &[("count", &MAX_OFFSET)]))
        }
        "offset" => about_value("search-wrong-number"),
        "limit" => about_value("search-wrong-limit"),
        _ => None,
    }
}

/// A client's text between quotes, in its own direction: its right-to-left marks end with it.
fn quoted(t: Texts, text: &str) -> String {
    const ISOLATE: char = '\u{2068}';
    const END: char = '\u{2069}';
    let text = format!("{ISOLATE}{}{END}", shortened(text));
    t.with("search-wrong-quoted", &[("text", &text)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{http::params::resolve::ResolveContext, model::Schema};

    fn wrong(lang: Language, query: &str) -> Wrong {
        let (asked, _) = Asked::read(lang, query).unwrap();
        let context = ResolveContext {
            schema: Schema::of(asked.entity_type),
            page_cap: 100,
            coverage: &[],
            translator: None,
        };
        let error = asked.resolve(&context, 25).expect_err(query);
        let wrong = explain(&asked, &error, Texts::of(lang));
        Wrong {
            text: wrong.text.replace(['\u{2068}', '\u{2069}'], ""),
            ..wrong
        }
    }

    #[test]
    fn each_error_has_a_sentence_in_both_languages() {
        for (query, parameter, english) in [
            (
                "date_from=x",
                Some("issued_after"),
                "“x” is not a date. Dates are written YYYY-MM-DD, for example 2026-03-31.",
            ),
            (
                "issued_before=2023-02-30",
                Some("issued_before"),
                "“2023-02-30” is not a day that exists.",
            ),
            (
                "issued_after=2024-02-02&issued_before=2024-02-01",
                Some("issued_after"),
                "The first day is after the last. Exchange the two.",
            ),
            (
                "value_min=5 000",
                Some("value_min"),
                "“5 000” is not a number. Write it without spaces or a currency, for example 25000.",
            ),
            (
                "value_min=2&value_max=1",
                Some("value_min"),
                "The lowest value is above the highest. Exchange the two.",
            ),
            (
                "vendor=ab",
                Some("vendor"),
                "“ab” is too short. Give at least 3 letters or digits.",
            ),
            (
                "procurement_method=--",
                Some("procurement_method"),
                "“--” has no letter or digit.",
            ),
            ("status=x", Some("status"), "“x” is not one of the choices."),
            (
                "municipality=x",
                Some("municipality"),
                "There are no such records of “x”. Choose from the list.",
            ),
            ("vendr=x", None, "“vendr” is not a parameter of this search."),
            (
                "kind=tender&vendor=abc",
                Some("vendor"),
                "These records cannot be searched by “vendor”.",
            ),
            ("vendor=abc&vendor=abd", Some("vendor"), "“vendor” is given twice."),
            (
                "commodity=snow",
                Some("commodity"),
                "“snow” is not a commodity code. Write 2 to 8 digits of UNSPSC, such as 7210, or a GSIN, such as N7030.",
            ),
            ("quality_flag=x", Some("quality_flag"), "“x” is not one of the choices."),
            (
                "sort_by=closing",
                Some("sort_by"),
                "These records cannot be sorted that way.",
            ),
            (
                "cursor=x",
                Some("cursor"),
                "This link to a page of results is not valid, or no longer valid. Start at the first page.",
            ),
            (
                "limit=x",
                Some("limit"),
                "“x” is not a number of records for a page. Write a whole number from 1, up to what your plan allows.",
            ),
            (
                "offset=9501",
                Some("offset"),
                "Pages end at record 9,500. Add a condition to see the others.",
            ),
        ] {
            let in_english = wrong(Language::English, query);
            assert_eq!(
                (in_english.parameter, in_english.text.as_str()),
                (parameter, english),
                "{query}"
            );
            let in_french = wrong(Language::French, query);
            assert!(
                !in_french.is_english && in_french.text != english,
                "{query}: {in_french:?}"
            );
        }
        let long = wrong(Language::English, &format!("q={}", "a".repeat(600)));
        assert_eq!(long.text, "The text is too long: 600 characters; the maximum is 512.");
    }

    #[test]
    fn another_error_is_shown_in_english() {
        let french = wrong(Language::French, "facets=x");
        assert!(
            french.is_english && french.text.starts_with("parameter 'facets':"),
            "{french:?}"
        );
        assert_eq!(french.without, "/fr/search?kind=contract");
        assert!(!wrong(Language::English, "facets=x").is_english);
    }
}
