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
        search::{
            context::shortened,
            question::{Asking, Word, content, is_question, ranges, without_question, words},
            search_address::SearchAddress,
        },
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

/// The parts of a text.
///
/// `None` for a text with operators of the query language, and if neither words nor two conditions are left.
fn parts<'a>(text: &'a str, takes: Takes<'a>) -> Option<Parts<'a>> {
    let is_operator = |word: &str| word == "OR" || word.starts_with('-') || word.contains('"');
    if text.split_whitespace().any(is_operator) {
        return None;
    }
    let mut written = words(text);
    let is_year = |(_, folded): &Word| folded.parse().is_ok_and(|year| YEARS.contains(&year));
    let years: Vec<usize> = (0..written.len()).filter(|number| is_year(&written[*number])).collect();
    let year = match years[..] {
        [number] if takes.year => Some(written.remove(number).0.trim_matches(|c: char| !c.is_ascii_digit())),
        _ => None,
    };
    let is_question = is_question(&written);
    let place = place(&written, takes.places).map(|(place, Range { start: mut from, end })| {
        let is_of_name = |folded: &str| is_function_word(folded) || CITY_WORDS.contains(&folded);
        while from > 0 && is_of_name(&written[from - 1].1) {
            from -= 1;
        }
        written.drain(from..end);
        place
    });
    let without_competition = takes.competition && Asking::WithoutCompetition.take(&mut written);
    // "Which tenders are open?"
    let without_question = without_question(&written, is_question);
    let mut tenders = without_question.clone();
    let open = takes.open && Asking::OpenTenders.take(&mut tenders);
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
