//! A refused parameter of a search, for the field that it is about.

use crate::{
    http::parameter_error::ParameterError,
    pages::{
        messages::Texts,
        problem,
        search::search_address::{SearchAddress, canonical},
    },
};

/// A refused parameter as the page shows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownError {
    /// Its canonical name; `None` if the search has no such parameter.
    pub(crate) parameter: Option<&'static str>,
    pub(crate) text: String,
    /// The search without it.
    pub(crate) without: String,
}

impl ShownError {
    pub(crate) fn of(asked: &SearchAddress, error: &ParameterError, t: Texts) -> ShownError {
        let parameter = canonical(&error.parameter);
        let without = match parameter {
            Some(parameter) => asked.dropping(&[parameter]),
            None => SearchAddress {
                parameters: asked.parameters.without(&[&error.parameter]),
                ..asked.clone()
            },
        };
        ShownError {
            parameter,
            text: problem::sentence(t, error),
            without: without.address(),
        }
    }

    /// A `kind` that is not an entity type.
    pub(crate) fn of_kind(asked: &SearchAddress, kind: &str, t: Texts) -> ShownError {
        ShownError {
            parameter: None,
            text: problem::about_value(t, "problem-kind", kind),
            without: asked.address(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::params::resolve::ResolveContext,
        model::{Language, Schema},
    };

    fn shown(lang: Language, query: &str) -> ShownError {
        let (asked, _) = SearchAddress::read(lang, query).unwrap();
        let context = ResolveContext {
            schema: Schema::of(asked.entity_type),
            page_cap: 100,
            coverage: &[],
            translator: None,
            generation: None,
        };
        let error = asked.resolve(&context, 25).expect_err(query);
        let parameter = error.parameter_error().expect("an error of a parameter");
        let shown = ShownError::of(&asked, parameter, Texts::of(lang));
        ShownError {
            text: shown.text.replace(['\u{2068}', '\u{2069}'], ""),
            ..shown
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
                "value_min=5 dollars",
                Some("value_min"),
                "“5 dollars” is not a number. Write it without spaces or a currency, for example 25000.",
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
            let in_english = shown(Language::English, query);
            assert_eq!(
                (in_english.parameter, in_english.text.as_str()),
                (parameter, english),
                "{query}"
            );
            let in_french = shown(Language::French, query);
            assert_ne!(in_french.text, english, "{query}");
        }
        let long = shown(Language::English, &format!("q={}", "a".repeat(600)));
        assert_eq!(long.text, "The text is too long: 600 characters; the maximum is 512.");
    }

    #[test]
    fn a_parameter_without_a_field_has_a_sentence_too() {
        let french = shown(Language::French, "facets=x");
        assert_eq!(french.text, "«\u{a0}x\u{a0}» ne fait pas partie des choix.");
        assert_eq!(french.without, "/fr/search?kind=contract");
    }
}
