//! Conditions among the words of a search: "who won paving in Toronto 2015" asks for paving, in a place and a year, and
//! "gré à gré" for a method. As words, each of them would have to be in the text of a record.

use std::{
    collections::HashMap,
    ops::{Range, RangeInclusive},
};

use crate::{
    catalog::generation::{Coverage, Generation},
    model::{Date, EntityType, Language, Schema, fold::word_list},
    pages::{
        messages::Texts,
        place_names::place_name,
        search::{context::shortened, search_address::SearchAddress},
    },
    query::{SearchQuery, translate::is_function_word},
};

/// The same search with conditions in place of words.
pub(crate) struct Split {
    pub(crate) asked: SearchAddress,
    pub(crate) query: SearchQuery,
    /// The words, the place, the year and the method.
    pub(crate) label: String,
    /// Whether words became conditions; else the words of a question are left out.
    pub(crate) has_conditions: bool,
}

/// What a text says.
#[derive(Debug, Default, PartialEq)]
struct Parts<'a> {
    words: String,
    place: Option<&'a Coverage>,
    year: Option<&'a str>,
    /// Whether it asks for what was bought without competition.
    without_competition: bool,
    /// Whether it asks for tenders that take bids.
    open: bool,
}

/// The conditions that a search can still take. Its words are kept where it has such a condition already.
#[derive(Clone, Copy)]
struct Takes<'a> {
    places: &'a [Coverage],
    year: bool,
    competition: bool,
    open: bool,
}

/// Years that a search may be about.
const YEARS: RangeInclusive<u16> = 1990..=2099;

/// The maximum number of words in the name of a place.
const MAX_NAME_WORDS: usize = 8;

/// Words that begin a question. Folded, in both languages, separated by `|` and without elided
/// articles ("sans appel d'offres"), as in all lists here.
const QUESTION_WORDS: &str = "\
    combien|est ce|how|que|quel|quelle|quelles|quels|qui|quoi|what|when|where|which|who|whose";

/// Verbs and adverbs of questions, which do not describe what was bought.
const WORDS_OF_QUESTIONS: &str = "\
    a t elle|a t il|a t on|achete|achetent|all|are|awarded|bought|buys|coute|coutent|currently|\
    depense|did|do|does|else|est|eu|get|gets|got|had|has|is|many|most|much|now|obtenu|ont|paid|plus|sells|\
    sold|sont|soumissionne|spend|spends|spent|to|today|un|une|vend|vendent|vendu|was|were|won";

/// Words that ask in a question and describe a purchase elsewhere: "price adjustment".
const WORDS_IN_QUESTIONS: &str = "\
    against|autre|autres|bid|bids|buy|cost|costs|cout|couts|il|pay|price|prices|prix|sell|still|there|\
    they|we";

/// What asks for contracts, among contracts. In a name, only the plural is one.
const CONTRACTS: [&str; 4] = ["contrats", "contracts", "contrat", "contract"];

/// What asks for purchases without competition, the longest first.
const WITHOUT_COMPETITION: &str = "\
    awarded without competition|sans mise en concurrence|without competition|without a tender|\
    without tendering|without tenders|without tender|sans appels offres|sans appel offres|\
    sans appel offre|sans concurrence|non competitive|de gre a gre|gre a gre|sole sourced|sole sourcing|\
    sole source|single source";

/// What asks for tenders that take bids, the longest first.
const OPEN_TENDERS: &str = "\
    avis appels offres ouverts|appels offres ouverts|appels offres en cours|\
    open calls for tenders|open call for tenders|open tenders|tenders open";

/// Words before a city that belong to its name.
const CITY_WORDS: [&str; 4] = ["city", "ville", "town", "municipalite"];

impl Split {
    /// `None` if the words state no further condition, or nothing else.
    pub(crate) fn of(asked: &SearchAddress, generation: &Generation, today: Date) -> Option<Split> {
        let coverage = &generation.manifest_of(asked.entity_type).coverage;
        let (tenders, has_all) = asked.of_other(EntityType::Tender);
        let takes = Takes {
            places: if asked.value("municipality").is_some() {
                &[]
            } else {
                coverage
            },
            year: asked.value("issued_after").or(asked.value("issued_before")).is_none(),
            competition: asked.value("competition").is_none() && Schema::of(asked.entity_type).accepts("competition"),
            open: has_all && asked.value("status").or(asked.value("closing_after")).is_none(),
        };
        let t = Texts::of(asked.lang);
        let text = asked.value("q")?;
        let parts = parts(text, takes)?;
        let (mut values, mut label) = (Vec::new(), Vec::new());
        if !parts.words.is_empty() {
            values.push(("q", parts.words.as_str()));
            label.push(shortened(&parts.words));
        }
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
        if parts.without_competition {
            values.push(("competition", "none"));
            label.push(t.text("search-competition-none"));
        }
        let today = today.to_string();
        if parts.open {
            values.extend([("status", "Open"), ("closing_after", today.as_str())]);
            label.push(t.text("search-open-today"));
        }
        let conditions = values.iter().filter(|(name, _)| *name != "q").count();
        if parts.words == text && conditions == 0 {
            return None;
        }
        let asked = if parts.open { tenders } else { asked.clone() };
        let asked = asked.dropping(if parts.words.is_empty() { &["q"] } else { &[] });
        let asked = asked.setting(&values);
        Some(Split {
            has_conditions: conditions > 0,
            query: asked.query_in(generation)?,
            asked,
            label: label.join(", "),
        })
    }
}

/// A text without the words of a question, a year and a method: the names and the things that it is about, among which
/// a year or "how much" would count as rare words. `None` if that is the text itself, or nothing.
pub(crate) fn subject(text: &str) -> Option<String> {
    let takes = Takes {
        places: &[],
        year: true,
        competition: true,
        open: true,
    };
    let words = parts(text, takes)?.words;
    (!words.is_empty() && words != text.trim()).then_some(words)
}

/// A word as it was written, and folded.
type Word<'a> = (&'a str, String);

/// The parts of a text.
///
/// `None` for a text with operators of the query language, and if neither words nor two conditions are left.
fn parts<'a>(text: &'a str, takes: Takes<'a>) -> Option<Parts<'a>> {
    let is_operator = |word: &str| word == "OR" || word.starts_with('-') || word.contains('"');
    if text.split_whitespace().any(is_operator) {
        return None;
    }
    let mut written: Vec<Word> = text
        .split_whitespace()
        .map(|word| (word, word_list(word).join(" ")))
        .filter(|(_, folded)| !folded.is_empty())
        .collect();
    let is_year = |(_, folded): &Word| folded.parse().is_ok_and(|year| YEARS.contains(&year));
    let years: Vec<usize> = (0..written.len()).filter(|number| is_year(&written[*number])).collect();
    let year = match years[..] {
        [number] if takes.year => Some(written.remove(number).0.trim_matches(|c: char| !c.is_ascii_digit())),
        _ => None,
    };
    let first = written.iter().find(|(_, folded)| !is_function_word(folded));
    let is_question = first.is_some_and(|(_, folded)| is_in(QUESTION_WORDS, folded));
    let place = place(&written, takes.places).map(|(place, Range { start: mut from, end })| {
        let is_of_name = |folded: &str| is_function_word(folded) || CITY_WORDS.contains(&folded);
        while from > 0 && is_of_name(&written[from - 1].1) {
            from -= 1;
        }
        written.drain(from..end);
        place
    });
    let without_competition = takes.competition && remove_phrase(&mut written, WITHOUT_COMPETITION);
    // "Which tenders are open?"
    let is_word = |(_, folded): &Word| !is_of_question(folded, is_question);
    let without_question: Vec<Word> = written.iter().filter(|word| is_word(word)).cloned().collect();
    let mut tenders = without_question.clone();
    let open = takes.open && remove_phrase(&mut tenders, OPEN_TENDERS);
    let conditions = [place.is_some(), year.is_some(), without_competition, open];
    let conditions = conditions.into_iter().filter(|is_one| *is_one).count();
    if conditions == 0 && !is_question {
        return None;
    }
    let words = content(if open { tenders } else { without_question });
    (!words.is_empty() || conditions > 1 || without_competition || open).then_some(Parts {
        words,
        place,
        year,
        without_competition,
        open,
    })
}

/// Removes the first of the phrases that the words have.
fn remove_phrase(written: &mut Vec<Word>, phrases: &str) -> bool {
    let phrases: Vec<&str> = phrases.split('|').collect();
    let found = ranges(written).into_iter().filter_map(|(text, range)| {
        let order = phrases.iter().position(|phrase| *phrase == text)?;
        Some((order, range))
    });
    let first = found.min_by_key(|(order, range)| (*order, range.start));
    if let Some((_, range)) = &first {
        written.drain(range.clone());
    }
    first.is_some()
}

/// Up to [`MAX_NAME_WORDS`] words that follow each other, folded, and which they are.
fn ranges(written: &[Word]) -> Vec<(String, Range<usize>)> {
    let starts = 0..written.len();
    let of_start = |from: usize| {
        let last = written.len().min(from + MAX_NAME_WORDS);
        (from + 1..=last).map(move |to| (joined(&written[from..to]), from..to))
    };
    starts.flat_map(of_start).collect()
}

fn joined(written: &[Word]) -> String {
    let words: Vec<&str> = written.iter().map(|(_, folded)| folded.as_str()).collect();
    words.join(" ")
}

/// The words without function words, and words for contracts, at their ends: "sel de route".
fn content(mut written: Vec<Word>) -> String {
    if written
        .iter()
        .all(|(_, folded)| CONTRACTS.contains(&folded.as_str()) || is_function_word(folded))
    {
        return String::new();
    }
    let is_left_out = |(_, folded): &Word| is_function_word(folded) || CONTRACTS[..2].contains(&folded.as_str());
    while written.first().is_some_and(is_left_out) {
        written.remove(0);
    }
    while written.last().is_some_and(is_left_out) {
        written.pop();
    }
    let ends = |c: char| matches!(c, '?' | ',' | ';' | ':' | '!');
    let words: Vec<&str> = written.iter().map(|(word, _)| word.trim_matches(ends)).collect();
    words.join(" ")
}

fn is_of_question(word: &str, is_question: bool) -> bool {
    let is_asking = is_in(QUESTION_WORDS, word) || is_in(WORDS_IN_QUESTIONS, word);
    is_in(WORDS_OF_QUESTIONS, word) || (is_question && is_asking)
}

fn is_in(list: &str, word: &str) -> bool {
    list.split('|').any(|one| one == word)
}

/// The place with the longest name among the words, and which words these are.
fn place<'a>(written: &[Word], coverage: &'a [Coverage]) -> Option<(&'a Coverage, Range<usize>)> {
    let ranges: HashMap<String, Range<usize>> = ranges(written).into_iter().collect();
    let names = coverage.iter().flat_map(|row| {
        let languages = [Language::English, Language::French].into_iter();
        languages.filter_map(move |lang| Some((row, word_list(place_name(row, lang)?).join(" "))))
    });
    let found = names.filter_map(|(row, name)| Some((row, ranges.get(&name)?.clone())));
    found.max_by_key(|(row, range)| (range.len(), range.start, row.records))
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
        let takes = |places, year| Takes {
            places,
            year,
            competition: true,
            open: true,
        };
        let split = |text: &str| {
            let parts = parts(text, takes(&places, true))?;
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
            ("qui vend du sel de route", "sel de route", "", ""),
            ("how much did Acme get in 2018", "Acme", "", "2018"),
            (
                "À qui Montréal a-t-elle acheté du sel de route ?",
                "sel de route",
                "montreal",
                "",
            ),
            ("what is the price of asphalt in Toronto", "asphalt", "toronto", ""),
            ("price adjustment Toronto", "price adjustment", "toronto", ""),
            ("how many contracts did Acme Ltd get", "Acme Ltd", "", ""),
            ("contracts in Toronto 2015", "", "toronto", "2015"),
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
        assert_eq!(parts("paving 2015", takes(&places, false)), None);
        assert_eq!(parts("paving Toronto", takes(&[], true)), None);
        let parts = parts("paving Toronto 2015", takes(&places, false)).unwrap();
        assert_eq!((parts.words.as_str(), parts.year), ("paving 2015", None));
        // Two years are no year.
        assert_eq!(split("audit 2015 2016"), None);
    }

    #[test]
    fn a_method_and_open_tenders_among_words_are_conditions() {
        let places = [row("montreal", "Montreal", "Montréal")];
        let takes = Takes {
            places: &places,
            year: true,
            competition: true,
            open: true,
        };
        for (text, words, without_competition, open) in [
            ("contrats de gré à gré, Montréal", "", true, false),
            ("gré à gré", "", true, false),
            ("déneigement de gré à gré", "déneigement", true, false),
            ("sole-source consulting", "consulting", true, false),
            (
                "who got contracts without competition for snow removal",
                "snow removal",
                true,
                false,
            ),
            ("logiciels sans appel d’offres", "logiciels", true, false),
            ("open tenders", "", false, true),
            ("which tenders are open for snow removal?", "snow removal", false, true),
            (
                "appels d'offres ouverts à Montréal pour le pavage",
                "pavage",
                false,
                true,
            ),
        ] {
            let parts = parts(text, takes).unwrap_or_default();
            let found = (parts.words.as_str(), parts.without_competition, parts.open);
            assert_eq!(found, (words, without_competition, open), "{text}");
        }
        // A search that has such a condition keeps the words as they are.
        let taken = Takes {
            competition: false,
            open: false,
            ..takes
        };
        let parts = parts("travaux de gré à gré, Montréal", taken).unwrap();
        assert_eq!(parts.words, "travaux de gré à gré");
    }

    #[test]
    fn the_subject_of_a_question_is_its_names_and_things() {
        for (text, expected) in [
            ("how much did Acme get in 2018", Some("Acme")),
            ("acme 2024", Some("acme")),
            ("who won paving in Toronto in 2015?", Some("paving in Toronto")),
            ("which tenders are open in Toronto?", Some("Toronto")),
            ("Acme", None),
            ("open tenders", None),
            ("2018", None),
            ("who won", None),
        ] {
            assert_eq!(subject(text).as_deref(), expected, "{text}");
        }
    }
}
