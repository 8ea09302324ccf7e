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

/// Whether a text is a word with at most two letters wrong.
pub(crate) fn is_slip(text: &str, word: &str) -> bool {
    text.chars().count() <= MAX_COMPARED && strsim::osa_distance(text, word) <= 2
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
