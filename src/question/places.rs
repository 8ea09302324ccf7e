//! The places and regions among the words of a search.

use std::{collections::HashMap, ops::Range};

use crate::{
    catalog::{generation::Coverage, suppliers::is_legal_form},
    model::{
        Language,
        fold::word_list,
        municipality,
        vocabulary::{known_province, region},
    },
    query::translate::is_function_word,
    question::{
        levels::government_of,
        words::{Word, is_in, ranges, without_marks},
    },
};

/// The most words in the name of a province.
const MAX_PROVINCE_WORDS: usize = 4;

/// Words before a city, and before a region, that belong to its name.
pub(crate) const CITY_WORDS: [&str; 4] = ["city", "ville", "town", "municipalite"];
const REGION_WORDS: [&str; 2] = ["province", "region"];

/// Removes the place with the longest name among the words, and a province after it. The name of a province is a place
/// only in "à Québec" and "ville de Québec".
///
/// `regions`: whether the search takes regions as well, which provinces are.
pub(crate) fn take_place<'a>(written: &mut Vec<Word>, coverage: &'a [Coverage], regions: bool) -> Option<&'a Coverage> {
    let is_place = |range: &Range<usize>| !regions || !is_province(written, range) || is_city(written, range);
    let found = places(written, coverage).filter(|(_, range)| is_place(range));
    let (place, range) = found.max_by_key(|(row, range)| (range.len(), range.start, row.records))?;
    let left = written.len() - range.end;
    take_name(written, range);
    // "Toronto, Ontario"
    let next = written.len() - left;
    let provinces = (next + 1..=written.len().min(next + MAX_PROVINCE_WORDS)).rev();
    let province = provinces.map(|end| next..end).find(|range| is_province(written, range));
    if let Some(range) = province.filter(|_| regions) {
        written.drain(range);
    }
    Some(place)
}

/// A city where suppliers are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct City {
    pub(crate) en: String,
    /// Publishers of Quebec state the French name, and other cities have one name.
    pub(crate) fr: String,
}

impl City {
    pub(crate) fn of(place: &Coverage) -> City {
        let name = |language| place.name(language).unwrap_or(&place.municipality).to_owned();
        City {
            en: name(Language::English),
            fr: name(Language::French),
        }
    }

    /// The city that folded words name.
    pub(crate) fn named(folded: &str) -> Option<City> {
        let mut names = municipality::named_cities(folded).first()?.own_names();
        Some(City {
            fr: names.next()?.to_owned(),
            en: names.next()?.to_owned(),
        })
    }
}

/// What asks for firms that are somewhere: "companies in Laval", "entreprises d'Alma". Suppliers of a place sell to it.
const COMPANIES: &str = "businesses|companies|company|compagnies|entreprise|entreprises|firmes|firms";
const SUPPLIERS: &str = "contractors|entrepreneurs|fournisseurs|suppliers|vendors";

/// What is between companies, or any firms, and where they are. Elided articles are left out.
const OF_PLACE: [&str; 4] = [" ", " de ", " en ", " of "];
const IN_PLACE: [&str; 8] = [
    " a ",
    " based in ",
    " from ",
    " in ",
    " located in ",
    " near ",
    " situees a ",
    " situes a ",
];

/// The word for firms among folded words that ask for those in a place of these names.
pub(crate) fn firms_of_place(folded: &str, names: [&str; 2]) -> Option<&'static str> {
    let text = format!(" {folded} ");
    let asks = |firms: &str, own: &str| {
        let is_company = is_in(COMPANIES, firms);
        let joints = IN_PLACE.iter().chain(OF_PLACE.iter().filter(|_| is_company));
        // "Firmes d'ingénierie de Laval"
        let is_first = is_company && text.starts_with(&format!(" {firms} "));
        joints.into_iter().any(|of| {
            text.contains(&format!(" {firms}{of}{own} ")) || is_first && text.ends_with(&format!("{of}{own} "))
        })
    };
    let names = names.map(|name| word_list(name).join(" "));
    let mut firms = COMPANIES.split('|').chain(SUPPLIERS.split('|'));
    firms.find(|firms| names.iter().any(|own| asks(firms, own)))
}

/// Whether a folded word means firms.
pub(crate) fn is_firms(folded: &str) -> bool {
    [COMPANIES, SUPPLIERS].iter().any(|list| is_in(list, folded))
}

fn is_province(written: &[Word], range: &Range<usize>) -> bool {
    known_province(&without_marks(&written[range.clone()])).is_some()
}

/// Whether words are the name of a place: "ville de Montréal".
pub(crate) fn is_place(words: &[Word], coverage: &[Coverage]) -> bool {
    let mut names = places(words, coverage).filter(|(_, range)| range.end == words.len());
    names.any(|(_, range)| words[..range.start].iter().all(|(_, folded)| is_of_name(folded)))
}

/// Whether words are called a city's: "ville de Montréal", "the City of Toronto".
pub(crate) fn is_of_city(words: &[Word]) -> bool {
    let first = words.iter().find(|(_, folded)| !is_function_word(folded));
    first.is_some_and(|(_, folded)| CITY_WORDS.contains(&folded.as_str()))
}

/// Whether the words before a name say that it is that of a city.
pub(crate) fn is_city(written: &[Word], range: &Range<usize>) -> bool {
    let before = &written[range.start.saturating_sub(2)..range.start];
    let is_at = before.last().is_some_and(|(word, _)| word.to_lowercase() == "à");
    is_at || before.iter().any(|(_, word)| CITY_WORDS.contains(&word.as_str()))
}

/// Removes the region with the longest name among the words, unless there are two, or it is in the name of a firm:
/// "9534-5322 Québec inc.". The code of a province may be a word: "on".
///
/// `levels`: whether the search takes levels as well. Then "government" next to the name is removed, too, and is the
/// level that is returned.
pub(crate) fn take_region(written: &mut Vec<Word>, levels: bool) -> Option<(String, Option<&'static str>)> {
    let found = ranges(written).into_iter().filter_map(|(_, range)| {
        let name = without_marks(&written[range.clone()]);
        Some((region(&name).filter(|_| name.len() > 2)?, range))
    });
    let found: Vec<(&str, Range<usize>)> = found.collect();
    let (key, range) = found.iter().max_by_key(|(_, range)| range.len())?;
    let is_other = |other: &Range<usize>| other.end <= range.start || other.start >= range.end;
    let has_two = found.iter().any(|(other, words)| other != key && is_other(words));
    let is_of_firm = written.get(range.end).is_some_and(|(_, word)| is_legal_form(word));
    let mut range = range.clone();
    if has_two || is_of_firm {
        return None;
    }
    let government = government_of(written, &range).filter(|_| levels);
    if let Some(number) = government {
        written.remove(number);
        let moved = usize::from(number < range.start);
        range = range.start - moved..range.end - moved;
    }
    Some((take_name(written, range), government.map(|_| "provincial")))
}

/// Whether a word before a name belongs to it.
fn is_of_name(folded: &str) -> bool {
    is_function_word(folded) || CITY_WORDS.contains(&folded) || REGION_WORDS.contains(&folded)
}

/// Removes a name with the words before it that belong to it, and returns it.
fn take_name(written: &mut Vec<Word>, range: Range<usize>) -> String {
    let mut from = range.start;
    while from > 0 && is_of_name(&written[from - 1].1) {
        from -= 1;
    }
    let name = without_marks(&written[range.clone()]);
    written.drain(from..range.end);
    name
}

/// The places that the words name, and which words these are.
fn places<'a>(written: &[Word], coverage: &'a [Coverage]) -> impl Iterator<Item = (&'a Coverage, Range<usize>)> {
    let ranges: HashMap<String, Range<usize>> = ranges(written).into_iter().collect();
    let names = coverage.iter().flat_map(|row| {
        let languages = [Language::English, Language::French].into_iter();
        languages.filter_map(move |lang| Some((row, word_list(row.name(lang)?).join(" "))))
    });
    names.filter_map(move |(row, name)| Some((row, ranges.get(&name)?.clone())))
}
