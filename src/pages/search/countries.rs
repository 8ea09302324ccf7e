//! The country of the firms that words ask for: "American companies", "fournisseurs du Mexique".

use crate::{
    model::countries::{ABROAD, of_adjective, of_name},
    pages::search::{
        places::is_firms,
        written_words::{Word, elided, is_in, joined},
    },
};

/// The most words of an adjective, and of the name of a country with those before it: "in the United Arab Emirates".
const MAX_ADJECTIVE_WORDS: usize = 2;
const MAX_NAME_WORDS: usize = 8;

/// What is between firms and the name of their country, and before the name.
const OF_COUNTRY: &str =
    "a|au|aux|based in|d|de|des|du|en|from|from the|in|in the|located in|located in the|of the|situees aux|situes aux";

/// What says that firms are not in Canada.
const OUTSIDE: &str = "a etranger|a l etranger|hors canada|hors du canada|outside canada|outside of canada";

/// Removes the words for firms of a country, and returns the key of the country. `is_start_of_firm`: whether folded
/// words begin the name of a firm, in which a country says nothing: "American Companies Inc."
pub(super) fn take_country(written: &mut Vec<Word>, is_start_of_firm: impl Fn(&str) -> bool) -> Option<String> {
    let firms = (0..written.len()).filter(|number| is_firms(&written[*number].1));
    let found = firms.into_iter().find_map(|firms| {
        let before = (1..=MAX_ADJECTIVE_WORDS.min(firms)).find_map(|length| {
            let from = firms - length;
            let key = of_adjective(&joined(&written[from..firms]))?;
            let is_name = is_start_of_firm(&joined(&written[from..=firms]));
            (!is_name).then(|| (key.to_owned(), from..firms + 1))
        });
        before.or_else(|| {
            let last = written.len().min(firms + 1 + MAX_NAME_WORDS);
            // The longest name: "Papua New Guinea" is not Papua.
            (firms + 2..=last)
                .rev()
                .find_map(|end| Some((after_firms(&written[firms + 1..end])?, firms..end)))
        })
    });
    let (key, range) = found?;
    written.drain(range);
    Some(key)
}

/// The country that all words after firms stand for.
fn after_firms(words: &[Word]) -> Option<String> {
    let text = joined(words);
    if is_in(OUTSIDE, &text) {
        return Some(ABROAD.to_owned());
    }
    let of_joint = |joint: usize| {
        // Folding leaves out the article of "d'Allemagne".
        let is_elided = joint == 0 && words.first().is_some_and(|(word, _)| elided(word) != *word);
        let is_joint = is_elided || is_in(OF_COUNTRY, &joined(&words[..joint]));
        is_joint.then(|| of_name(&joined(&words[joint..]))).flatten()
    };
    of_adjective(&text)
        .map(str::to_owned)
        .or_else(|| (0..words.len()).find_map(of_joint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::search::written_words::{without_marks, words};

    #[test]
    fn firms_next_to_a_country_are_those_of_the_country() {
        for (text, country, rest) in [
            ("American companies", Some("us"), ""),
            ("U.S. firms consulting", Some("us"), "consulting"),
            ("IT companies", None, "IT companies"),
            ("entreprises américaines informatique", Some("us"), "informatique"),
            ("contracts to foreign suppliers", Some("abroad"), "contracts to"),
            ("fournisseurs à l'étranger", Some("abroad"), ""),
            ("suppliers outside of Canada", Some("abroad"), ""),
            (
                "suppliers in the United States of furniture",
                Some("us"),
                "of furniture",
            ),
            ("fournisseurs des États-Unis", Some("us"), ""),
            ("fournisseurs d'Allemagne", Some("de"), ""),
            ("companies in Laval", None, "companies in Laval"),
            ("American Airlines", None, "American Airlines"),
            ("American Suppliers", None, "American Suppliers"),
            ("Canadian vendors of boots", Some("ca"), "of boots"),
            ("consulting firms", None, "consulting firms"),
        ] {
            let mut written = words(text);
            let country_of = take_country(&mut written, |name| {
                name == "american suppliers" && text.contains("Sup")
            });
            assert_eq!(country_of.as_deref(), country, "{text}");
            assert_eq!(without_marks(&written), rest, "{text}");
        }
    }
}
