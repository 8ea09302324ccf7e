//! The known name that is most similar to what a client sent.

use crate::model::fold::fold;

/// The maximum number of characters of a client's text that are compared, so that the work does not grow with the text.
const MAX_COMPARED: usize = 64;

/// The candidate most similar to `text`, ignoring accents and case; `None` only if there is no candidate.
pub(crate) fn nearest<'c>(text: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let text: String = fold(text).chars().take(MAX_COMPARED).collect();
    let similarity = |candidate: &str| strsim::jaro_winkler(&text, &fold(candidate));
    candidates
        .into_iter()
        .map(|candidate| (similarity(candidate), candidate))
        // Of equally similar candidates the first, so that the result follows the table's order.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, candidate)| candidate)
}

/// Decision D-20: the [`nearest`] candidate if it is near: at most a third of the letters differ, or the text begins
/// with it. `ottawa` is not near `oka`.
pub(crate) fn near<'c>(text: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let text: String = fold(text).chars().take(MAX_COMPARED).collect();
    let is_near = |candidate: &&str| {
        let candidate = fold(candidate);
        let letters = text.chars().count().max(candidate.chars().count());
        let begins = text
            .strip_prefix(candidate.as_str())
            .is_some_and(|rest| rest.starts_with(' '));
        begins || 3 * strsim::osa_distance(&text, &candidate) <= letters
    };
    nearest(&text, candidates.into_iter().filter(is_near))
}

/// Decision D-17: the name of a parameter that a client probably meant: one that is [`near`], or else one that has all
/// words of the text, or only words of it. `sort` may mean `sort_by`, `min_value` means `value_min`.
pub(crate) fn near_name<'c>(text: &str, names: &[&'c str]) -> Option<&'c str> {
    near(text, names.iter().copied()).or_else(|| {
        let text: String = fold(text).chars().take(MAX_COMPARED).collect();
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        let shares_words = |name: &&str| {
            let name = fold(name);
            let own: Vec<&str> = name.split(' ').collect();
            let (has_all, has_only) = (
                words.iter().all(|word| own.contains(word)),
                own.iter().all(|word| words.contains(word)),
            );
            !words.is_empty() && (has_all || has_only)
        };
        nearest(&text, names.iter().copied().filter(shares_words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_candidate_has_most_letters_of_the_text() {
        let slugs = ["laval", "levis", "montreal", "oka", "quebec", "saint-jerome"];
        for (text, expected) in [
            ("montrael", Some("montreal")),
            ("Montréal", Some("montreal")),
            ("st-jerome", Some("saint-jerome")),
            ("QUEBEC CITY", Some("quebec")),
            ("laval-ouest", Some("laval")),
            ("lavla", Some("laval")),
            ("ottawa", None),
            ("quebecois de l'ouest", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(near(text, slugs), expected, "{text}");
        }
        let long = "z".repeat(10_000);
        assert_eq!(near(&long, ["z"]), None, "the work does not grow with the text");
    }

    #[test]
    fn a_name_is_near_by_its_letters_or_by_its_words() {
        let names = [
            "q",
            "municipality",
            "city",
            "value_min",
            "notice_type",
            "sort_by",
            "limit",
            "offset",
        ];
        for (text, expected) in [
            ("Q", Some("q")),
            ("munipality", Some("municipality")),
            ("City", Some("city")),
            ("city_slug", Some("city")),
            ("min_value", Some("value_min")),
            ("sort", Some("sort_by")),
            ("limits", Some("limit")),
            ("foo", None),
            ("include_total", None),
            ("entity_type", None),
            ("department", None),
            ("", None),
            ("__", None),
        ] {
            assert_eq!(near_name(text, &names), expected, "{text}");
        }
        assert_eq!(near_name("foo", &[]), None);
        assert_eq!(near_name(&"q_".repeat(10_000), &["limit"]), None);
    }

    #[test]
    fn the_most_similar_candidate_is_found() {
        let slugs = ["laval", "montreal", "quebec", "saint-jerome"];
        for (text, expected) in [
            ("montrael", "montreal"),
            ("Montréal", "montreal"),
            ("st-jerome", "saint-jerome"),
            ("QUEBEC CITY", "quebec"),
        ] {
            assert_eq!(nearest(text, slugs), Some(expected), "{text}");
        }
        assert_eq!(nearest("x", []), None);
    }
}
