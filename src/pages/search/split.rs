//! Conditions among the words of a search: "who won paving in Toronto 2015" asks for paving, in a place and a year.
//! As words, each of them would have to be in the text of a record.

use std::{collections::HashMap, ops::RangeInclusive};

use crate::{
    catalog::generation::{Coverage, Generation},
    model::{Language, fold::word_list},
    pages::{
        place_names::place_name,
        search::{context::shortened, search_address::SearchAddress},
    },
    query::{SearchQuery, translate::is_function_word},
};

/// The same search with conditions in place of words.
pub(crate) struct Split {
    pub(crate) asked: SearchAddress,
    pub(crate) query: SearchQuery,
    /// The words, the place and the year.
    pub(crate) label: String,
    /// Whether a place or a year is a condition; else the words of a question are left out.
    pub(crate) has_conditions: bool,
}

/// What a text says.
#[derive(Debug, Default, PartialEq)]
struct Parts<'a> {
    words: String,
    place: Option<&'a Coverage>,
    year: Option<&'a str>,
}

/// Years that a search may be about.
const YEARS: RangeInclusive<u16> = 1990..=2099;

/// The maximum number of words in the name of a place.
const MAX_NAME_WORDS: usize = 8;

/// Words that begin a question. Folded, in both languages, as all words here.
const QUESTION_WORDS: [&str; 10] = [
    "combien", "how", "quel", "quelle", "quelles", "quels", "qui", "what", "which", "who",
];

/// Verbs and adverbs of questions, which do not describe what was bought.
const WORDS_OF_QUESTIONS: [&str; 27] = [
    "all", "are", "depense", "did", "do", "does", "est", "got", "had", "has", "is", "many", "most", "much", "obtenu",
    "ont", "paid", "plus", "sont", "spend", "spent", "to", "un", "une", "was", "were", "won",
];

/// Words before a city that belong to its name.
const CITY_WORDS: [&str; 4] = ["city", "ville", "town", "municipalite"];

impl Split {
    /// `None` if the words state no further condition, or nothing else.
    pub(crate) fn of(asked: &SearchAddress, generation: &Generation) -> Option<Split> {
        let coverage = &generation.manifest_of(asked.entity_type).coverage;
        // A word is kept where the search has such a condition already.
        let places: &[Coverage] = if asked.value("municipality").is_some() {
            &[]
        } else {
            coverage
        };
        let takes_year = asked.value("issued_after").or(asked.value("issued_before")).is_none();
        let parts = parts(asked.value("q")?, places, takes_year)?;
        let mut values = vec![("q", parts.words.as_str())];
        let mut label = vec![shortened(&parts.words)];
        if let Some(place) = parts.place {
            values.push(("municipality", &place.municipality));
            label.push(place_name(place, asked.lang).unwrap_or(&place.municipality).to_owned());
        }
        let days = parts
            .year
            .map(|year| [format!("{year}-01-01"), format!("{year}-12-31")]);
        if let Some([first, last]) = &days {
            values.extend([("issued_after", first.as_str()), ("issued_before", last.as_str())]);
            label.extend(parts.year.map(str::to_owned));
        }
        if parts.words == asked.value("q")? && values.len() == 1 {
            return None;
        }
        let has_conditions = values.len() > 1;
        let asked = asked.setting(&values);
        Some(Split {
            has_conditions,
            query: asked.query_in(generation)?,
            asked,
            label: label.join(", "),
        })
    }
}

/// The parts of a text. The place is one of `places`; a year is a part if `takes_year`.
///
/// `None` for a text with operators of the query language, and if no word is left.
fn parts<'a>(text: &'a str, places: &'a [Coverage], takes_year: bool) -> Option<Parts<'a>> {
    let is_operator = |word: &str| word == "OR" || word.starts_with('-') || word.contains('"');
    if text.split_whitespace().any(is_operator) {
        return None;
    }
    // Each as it was written, and folded.
    let mut written: Vec<(&str, String)> = text
        .split_whitespace()
        .map(|word| (word, word_list(word).join(" ")))
        .filter(|(_, folded)| !folded.is_empty())
        .collect();
    let is_year = |(_, folded): &(&str, String)| folded.parse().is_ok_and(|year| YEARS.contains(&year));
    let years: Vec<usize> = (0..written.len()).filter(|number| is_year(&written[*number])).collect();
    let year = match years[..] {
        [number] if takes_year => Some(written.remove(number).0.trim_matches(|c: char| !c.is_ascii_digit())),
        _ => None,
    };
    let is_question = written
        .first()
        .is_some_and(|(_, folded)| QUESTION_WORDS.contains(&folded.as_str()));
    let place = place(&written, places).map(|(place, mut from, to)| {
        let is_of_name = |folded: &str| is_function_word(folded) || CITY_WORDS.contains(&folded);
        while from > 0 && is_of_name(&written[from - 1].1) {
            from -= 1;
        }
        written.drain(from..to);
        place
    });
    if place.is_none() && year.is_none() && !is_question {
        return None;
    }
    written.retain(|(_, folded)| !is_function_word(folded) && !is_of_question(folded));
    let words: Vec<&str> = written.iter().map(|(word, _)| word.trim_end_matches('?')).collect();
    let words = words.join(" ");
    (!words.is_empty()).then_some(Parts { words, place, year })
}

fn is_of_question(word: &str) -> bool {
    QUESTION_WORDS.contains(&word) || WORDS_OF_QUESTIONS.contains(&word)
}

/// The place with the longest name among the words, and the range of that name's words.
fn place<'a>(written: &[(&str, String)], coverage: &'a [Coverage]) -> Option<(&'a Coverage, usize, usize)> {
    let mut ranges: HashMap<String, (usize, usize)> = HashMap::new();
    for from in 0..written.len() {
        let last = written.len().min(from + MAX_NAME_WORDS);
        for to in from + 1..=last {
            let words: Vec<&str> = written[from..to].iter().map(|(_, folded)| folded.as_str()).collect();
            ranges.insert(words.join(" "), (from, to));
        }
    }
    let names = coverage.iter().flat_map(|row| {
        let languages = [Language::English, Language::French].into_iter();
        languages.filter_map(move |lang| Some((row, word_list(place_name(row, lang)?).join(" "))))
    });
    let found = names.filter_map(|(row, name)| ranges.get(&name).map(|(from, to)| (row, *from, *to)));
    found.max_by_key(|(row, from, to)| (to - from, *from, row.records))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(slug: &str, en: &str, fr: &str) -> Coverage {
        Coverage {
            name_en: Some(en.to_owned()),
            name_fr: Some(fr.to_owned()),
            ..Coverage::of_place(slug)
        }
    }

    #[test]
    fn a_place_and_a_year_among_words_are_conditions() {
        let places = [
            row("montreal", "Montreal", "Montréal"),
            row("montreal-est", "Montréal-Est", "Montréal-Est"),
            row("quebec-city", "Quebec City", "Québec"),
            row("toronto", "Toronto", "Toronto"),
        ];
        let split = |text: &str| {
            let parts = parts(text, &places, true)?;
            let place = parts.place.map(|place| place.municipality.clone()).unwrap_or_default();
            Some((parts.words, place, parts.year.unwrap_or_default().to_owned()))
        };
        for (text, words, place, year) in [
            ("road works montreal", "road works", "montreal", ""),
            ("Who won paving in Toronto in 2015?", "paving", "toronto", "2015"),
            (
                "Combien la ville de Montréal a dépensé pour le déneigement ?",
                "déneigement",
                "montreal",
                "",
            ),
            ("pavage montréal-est", "pavage", "montreal-est", ""),
            ("pavage montréal est", "pavage", "montreal-est", ""),
            ("city planning quebec city 2019", "city planning", "quebec-city", "2019"),
            ("qui vend du sel de route", "vend sel route", "", ""),
            ("2015 audit", "audit", "", "2015"),
        ] {
            let expected = (words.to_owned(), place.to_owned(), year.to_owned());
            assert_eq!(split(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "montreal",
            "2015",
            "in Toronto",
            "snow removal",
            "the bridge",
            "\"snow\" montreal",
            "snow OR montreal",
            "snow -montreal",
            "?",
            "who won",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
        // Conditions of the search stay words.
        assert_eq!(parts("paving 2015", &places, false), None);
        assert_eq!(parts("paving Toronto", &[], true), None);
        let parts = parts("paving Toronto 2015", &places, false).unwrap();
        assert_eq!((parts.words.as_str(), parts.year), ("paving 2015", None));
        // Two years are no year.
        assert_eq!(split("audit 2015 2016"), None);
    }
}
