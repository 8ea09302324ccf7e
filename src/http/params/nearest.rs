//! The word a client most likely meant.

use crate::model::fold::fold;

/// The most characters of a client's text that are compared: the work must not grow with what a stranger sends.
const COMPARED: usize = 64;

/// The candidate most like `text`, accents and case apart; `None` only where there is no candidate.
pub fn nearest<'c>(text: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let text: String = fold(text).chars().take(COMPARED).collect();
    let likeness = |candidate: &str| strsim::jaro_winkler(&text, &fold(candidate));
    candidates
        .into_iter()
        .map(|candidate| (likeness(candidate), candidate))
        // The first of equals, so that the answer follows the table's order.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, candidate)| candidate)
}

/// Whether a text is a word with a letter or two gone wrong.
pub fn is_slip(text: &str, word: &str) -> bool {
    text.chars().count() <= COMPARED && strsim::osa_distance(text, word) <= 2
}

/// The `most` candidates most like `text`, the likest first, each once.
pub fn likest(text: &str, mut candidates: Vec<String>, most: usize) -> Vec<String> {
    let text: String = fold(text).chars().take(COMPARED).collect();
    let likeness =
        |candidate: &String| strsim::jaro_winkler(&text, &fold(candidate).chars().take(COMPARED).collect::<String>());
    candidates.sort_unstable();
    candidates.dedup();
    candidates.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    candidates.truncate(most);
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_found() {
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
