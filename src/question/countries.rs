//! The country of the firms that words ask for: "American companies", "fournisseurs du Mexique".

use crate::{
    model::countries::{ABROAD, of_adjective, of_name},
    query::translate::is_function_word,
    question::{
        places::is_firms,
        words::{Word, elided, is_in, is_mark, joined, remove_phrase},
    },
};

/// The maximum number of words of an adjective, and of the name of a country with the words before it: "in the United
/// Arab Emirates".
const MAX_ADJECTIVE_WORDS: usize = 2;
const MAX_NAME_WORDS: usize = 8;

/// What is between firms and the name of their country, and before the name.
const OF_COUNTRY: &str =
    "a|au|aux|based in|d|de|des|du|en|from|from the|in|in the|located in|located in the|of the|situees aux|situes aux";

/// What says that firms are not in Canada.
const OUTSIDE: &str = "a etranger|a l etranger|abroad|hors canada|hors du canada|outside canada|outside of canada";

/// The same without a word for firms.
const FROM_ABROAD: &str = "de etranger|from abroad|from foreign countries|from outside canada";

/// Before an adjective, these change what it says: "North American", "not Canadian", "American and Canadian".
const CHANGES: &str = "\
    african|and|central|et|latin|native|no|non|nord|north|not|or|ou|south|sud";

/// Nouns that French adjectives follow.
const FRENCH_FIRMS: &str = "compagnies|entrepreneurs|entreprise|entreprises|firmes|fournisseurs";

/// Removes the words for firms of a country, and returns the key of the country. `is_start_of_firm`: whether folded
/// words begin the name of a firm, in which a country says nothing: "American Companies Inc."
pub(super) fn take_country(written: &mut Vec<Word>, is_start_of_firm: impl Fn(&str) -> bool) -> Option<String> {
    let firms = (0..written.len()).filter(|number| is_firms(&written[*number].1));
    let found = firms.into_iter().find_map(|firms| {
        let before = (1..=MAX_ADJECTIVE_WORDS.min(firms)).find_map(|length| {
            let from = firms - length;
            let key = adjective(&written[from..firms])?;
            let is_changed = from > 0 && changes(&written[from - 1]);
            (!is_changed).then(|| (key.to_owned(), from..firms + 1))
        });
        let after = || {
            let last = written.len().min(firms + 1 + MAX_NAME_WORDS);
            // The longest name: "Papua New Guinea" is not Papua.
            let mut ends = (firms + 2..=last).rev();
            ends.find_map(|end| Some((after_firms(written, firms, end)?, firms..end)))
        };
        let (key, range) = before.or_else(after)?;
        (!is_start_of_firm(&joined(&written[range.clone()]))).then_some((key, range))
    });
    if let Some((key, range)) = found {
        written.drain(range);
        return Some(key);
    }
    // "What did the RCMP buy from abroad"
    remove_phrase(written, FROM_ABROAD).then(|| ABROAD.to_owned())
}

/// The key of the country that an adjective means, or [`ABROAD`]. "Us" is one only in capitals: not in "show us
/// companies".
fn adjective(words: &[Word]) -> Option<&'static str> {
    let is_code = joined(words).len() <= MAX_CODE_CHARS;
    let is_capital = words.iter().all(|(word, _)| word.starts_with(char::is_uppercase));
    of_adjective(&joined(words)).filter(|_| !is_code || is_capital)
}

/// The maximum length of an adjective that is a code: "usa", or "U.S.", folded.
const MAX_CODE_CHARS: usize = 3;

/// Whether a word changes the meaning of an adjective next to it.
fn changes((_, folded): &Word) -> bool {
    is_in(CHANGES, folded) || of_adjective(folded).is_some()
}

/// The key of the country that the words from a word for firms up to `end` name; `None` if any of them says something
/// else.
fn after_firms(written: &[Word], firms: usize, end: usize) -> Option<String> {
    let words = &written[firms + 1..end];
    let text = joined(words);
    if is_in(OUTSIDE, &text) {
        return Some(ABROAD.to_owned());
    }
    let next = written.get(end);
    if is_in(FRENCH_FIRMS, &written[firms].1)
        && let Some(key) = adjective(words).filter(|_| next.is_none_or(|next| !changes(next)))
    {
        return Some(key.to_owned());
    }
    // "In US dollars" and "in Holland Landing" are about something else.
    let is_whole = next.is_none_or(|(_, folded)| is_function_word(folded))
        || words.last().is_some_and(|(word, _)| word.ends_with(is_mark));
    let of_joint = |joint: usize| {
        // Folding leaves out the article of "d'Allemagne".
        let is_elided = joint == 0 && words.first().is_some_and(|(word, _)| elided(word) != *word);
        let is_joint = is_elided || is_in(OF_COUNTRY, &joined(&words[..joint]));
        is_joint.then(|| of_name(&joined(&words[joint..]))).flatten()
    };
    (0..words.len()).find_map(of_joint).filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::words::{without_marks, words};

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
            ("show us companies that paved", None, "show us companies that paved"),
            ("US companies", Some("us"), ""),
            ("non Canadian suppliers", None, "non Canadian suppliers"),
            ("North American suppliers", None, "North American suppliers"),
            (
                "American and Canadian companies",
                None,
                "American and Canadian companies",
            ),
            ("suppliers Chinese food", None, "suppliers Chinese food"),
            ("contractors Foreign Affairs", None, "contractors Foreign Affairs"),
            ("suppliers in US dollars", None, "suppliers in US dollars"),
            ("companies in Holland Landing", None, "companies in Holland Landing"),
            ("suppliers in Georgia", None, "suppliers in Georgia"),
            ("companies in China, steel", Some("cn"), "steel"),
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
