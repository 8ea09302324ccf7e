//! The levels of government among the words of a search.

use std::ops::Range;

use crate::{
    query::translate::is_function_word,
    question::{
        asked_for::{CONTRACTS, RANKED, asks_for_contracts},
        words::{Word, elided, is_in, ranges, remove_phrase, remove_phrase_between},
    },
};

/// What asks for the records of a level of government.
const LEVELS: [(&str, &str); 3] = [
    (
        "federal",
        "federal government|federal agencies|federal agency|federal bodies|federal body|federal department|\
        federal departments|government of canada|gouvernement du canada|gouvernement federal|ministere federal|\
        ministeres federaux|organisme federal|organismes federaux|federal|federale|federales|\
        federaux|feds",
    ),
    (
        "provincial",
        "provincial government|provincial bodies|provincial body|provincial ministries|provincial ministry|\
        ministere provincial|ministeres provinciaux|organisme provincial|organismes provinciaux|\
        gouvernement provincial|provincial|provinciale|provinciales|provinciaux",
    ),
    (
        "municipal",
        "municipal government|municipal|municipale|municipales|municipaux",
    ),
];

/// What says that cities buy.
const BY_CITIES: &str = "\
    by a city|by a municipality|by cities|by municipalities|par des municipalites|par des villes|\
    par les municipalites|par les villes|par une municipalite|par une ville";

/// The same in a question: "which city pays most for snow clearing".
const CITIES: &str = "\
    a city|a municipality|cities|municipalites|municipalities|quelle municipalite|quelle ville|\
    quelles municipalites|quelles villes|une municipalite|une ville|villes|what cities|what city|\
    which cities|which city|which municipalities|which municipality|which town|which towns";

/// The same next to a word for contracts: "contrats des villes".
const OF_CITIES: &str = "des municipalites|des villes|of cities|of municipalities|of towns";

/// Removes the words that ask what cities buy.
pub(super) fn take_cities(written: &mut Vec<Word>, is_question: bool) -> bool {
    remove_phrase(written, BY_CITIES)
        || asks_for_contracts(written) && remove_phrase_between(written, OF_CITIES, |before, _| !ends_with_name(before))
        || is_question && remove_phrase(written, CITIES)
}

/// Whether words end with one that begins with a capital, and is no word for contracts: "l'Union des municipalités".
fn ends_with_name(written: &[Word]) -> bool {
    let is_name = |(word, folded): &Word| elided(word).starts_with(char::is_uppercase) && !says_nothing(folded);
    written.last().is_some_and(is_name)
}

/// A government without its level.
const GOVERNMENT: &str = "gouvernement|government";

/// What may stand between "government" and the name of its region. "Government buildings in Nunavut" are not its own.
const OF_REGION: &str = "de|des|du|la|le|les|of|province|the";

/// Removes the only level of government of the words, unless a name begins with it: "Federal Express", of a known firm
/// or as it is written.
///
/// `is_start_of_firm`: whether folded words begin the name of a firm. `has_names`: whether the text distinguishes names
/// by capitals ([`has_lower_case`]).
pub(super) fn take_level(
    written: &mut Vec<Word>,
    has_names: bool,
    is_start_of_firm: impl Fn(&str) -> bool,
) -> Option<&'static str> {
    let named = named_levels(written);
    let mut firms = ranges(written).into_iter().filter(|(text, range)| {
        let first = written[range.start].1.as_str();
        let is_level = LEVELS.iter().any(|(_, phrases)| is_in(phrases, first));
        let is_name = || has_names && is_written_as_name(&written[range.clone()]);
        range.len() > 1 && is_level && (is_start_of_firm(text) || is_name())
    });
    if firms.next().is_some() {
        return None;
    }
    let &[(level, phrases)] = &named[..] else { return None };
    remove_phrase(written, phrases);
    Some(level)
}

/// Whether two words begin with capitals, and the second one is neither a function word nor a word for contracts, their
/// parties or a government.
fn is_written_as_name(words: &[Word]) -> bool {
    let begins = |(word, _): &Word| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase)
    };
    let is_thing = |(_, folded): &Word| says_nothing(folded) || is_in("tenders|awards|spending", folded);
    matches!(words, [first, next] if begins(first) && begins(next) && !is_thing(next))
}

/// Whether a word of a text begins with a small letter although titles would write it with a capital one: only then do
/// capitals say that something is a name.
pub(super) fn has_lower_case(written: &[Word]) -> bool {
    let is_small = |(word, folded): &Word| !says_nothing(folded) && elided(word).starts_with(char::is_lowercase);
    written.iter().any(is_small)
}

/// Whether a word does not distinguish the name of a firm or of a thing.
fn says_nothing(folded: &str) -> bool {
    is_function_word(folded) || is_in(RANKED, folded) || is_in(GOVERNMENT, folded) || CONTRACTS.contains(&folded)
}

/// The levels that the words name.
fn named_levels(written: &[Word]) -> Vec<(&'static str, &'static str)> {
    let is_named = |phrases: &str| remove_phrase(&mut written.to_vec(), phrases);
    LEVELS.into_iter().filter(|(_, phrases)| is_named(phrases)).collect()
}

/// Which word is "government" right before or after the name of a province: "gouvernement du Québec". None if the words
/// name a level.
pub(super) fn government_of(written: &[Word], region: &Range<usize>) -> Option<usize> {
    let is_government = |number: &usize| {
        written
            .get(*number)
            .is_some_and(|(_, folded)| is_in(GOVERNMENT, folded))
    };
    let before = (0..region.start)
        .rev()
        .find(|number| !is_in(OF_REGION, &written[*number].1));
    let found = before.into_iter().chain([region.end]).find(is_government);
    found.filter(|_| named_levels(written).is_empty())
}
