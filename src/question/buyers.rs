//! The buyer among the words of a search.

use std::{cell::RefCell, collections::HashMap};

use crate::{
    api::{
        analysis::commodity::most_records,
        params::filters::{MAX_PARTIES, joined_ids},
    },
    catalog::{
        generation::Coverage,
        suppliers::{Supplier, SupplierList, divisions::divisions},
    },
    model::{
        EntityType, Language, body_names,
        fold::{fold, word_list},
        municipality::named_cities,
    },
    query::translate::{is_function_word, is_term},
    question::{
        places::{is_of_city, is_place},
        words::{Word, joined, ranges, without_marks, words},
    },
};

/// An acronym of fewer letters is one only in capitals: "CSA", but not "fin".
const MIN_ACRONYM: usize = 4;

/// The words at the end of the names of bodies that people leave out.
const LEFT_OUT: [&str; 5] = [
    "Canada",
    "of Canada",
    "du Canada",
    "du Québec",
    "et des Services sociaux",
];

/// What the names of Quebec's bodies begin with, folded, for short and in full: publishers write either.
const KINDS: [(&str, &str); 12] = [
    ("cegep", "college d enseignement general et professionnel"),
    ("chu", "centre hospitalier universitaire"),
    ("chu", "hopital"),
    ("centre hospitalier", "hopital"),
    ("cisss", "centre integre de sante et de services sociaux"),
    ("ciusss", "centre integre universitaire de sante et de services sociaux"),
    ("cpe", "centre de la petite enfance"),
    ("cs", "commission scolaire"),
    ("css", "centre de services scolaire"),
    ("csss", "centre de sante et de services sociaux"),
    ("mrc", "municipalite regionale de comte"),
    ("omh", "office municipal d habitation"),
];

/// The same folded name of a body with its kind for short or in full, and with "Saint" for short or in full.
pub(crate) fn of_other_kind(folded: &str) -> Vec<String> {
    let both = KINDS.iter().flat_map(|(short, full)| [(short, full), (full, short)]);
    let of_kind = both.filter_map(|(from, to)| {
        let rest = folded.strip_prefix(from)?.strip_prefix(' ')?;
        Some(format!("{to} {rest}"))
    });
    let mut names: Vec<String> = of_kind.collect();
    let with_saint: Vec<String> = names
        .iter()
        .map(String::as_str)
        .chain([folded])
        .filter_map(of_other_saint)
        .collect();
    names.extend(with_saint);
    names
}

/// A folded name with "st" for "saint" and "ste" for "sainte", or the reverse. `None` without either.
pub(crate) fn of_other_saint(folded: &str) -> Option<String> {
    let other = |word| match word {
        "saint" => "st",
        "sainte" => "ste",
        "st" => "saint",
        "ste" => "sainte",
        word => word,
    };
    let words: Vec<&str> = folded.split(' ').map(other).collect();
    Some(words.join(" ")).filter(|name| name != folded)
}

/// The same folded words with one of them in the singular instead of the plural, or the reverse, if they are more than
/// two: "correctional services canada".
fn of_other_number(folded: &str) -> Vec<String> {
    const SHORTEST: usize = 4;
    let words: Vec<&str> = folded.split(' ').collect();
    let other = |number: usize| {
        let word = words[number];
        let other = word.strip_suffix('s').map_or_else(|| format!("{word}s"), str::to_owned);
        let all = words.iter().enumerate();
        let all = all.map(|(at, word)| if at == number { other.as_str() } else { word });
        all.collect::<Vec<_>>().join(" ")
    };
    let is_long = |number: &usize| words[*number].len() >= SHORTEST;
    let numbers = if words.len() > 2 { 0..words.len() } else { 0..0 };
    numbers.filter(is_long).map(other).collect()
}

/// A body that buys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buyer {
    /// Its identifier, and those of its divisions, separated by commas.
    pub(crate) id: String,
    pub(crate) name: String,
    /// The entity type that it has most records of.
    pub(crate) most: Option<EntityType>,
}

impl Buyer {
    /// Whether its name has that of a place among other words.
    pub(super) fn has_in_name(&self, place: &Coverage) -> bool {
        let names = [place.name_en.as_deref(), place.name_fr.as_deref()];
        names.into_iter().flatten().any(|name| self.has_words_of(name))
    }

    /// Whether its name has all words of another one.
    pub(super) fn has_words_of(&self, name: &str) -> bool {
        let own = word_list(&self.name);
        word_list(name).iter().all(|word| own.contains(word))
    }

    /// With its divisions.
    pub(crate) fn of(body: Supplier, bodies: &SupplierList, language: Language) -> Buyer {
        let own = body.by_entity_type.iter();
        let divisions = divisions(bodies, &body, MAX_PARTIES - 1);
        let all = std::iter::once(&body).chain(&divisions);
        Buyer {
            id: joined_ids(all.map(|found| found.id.as_str())),
            name: body.name_in(language).to_owned(),
            most: most_records(own.map(|of| (of.entity_type, of.records))),
        }
    }
}

/// The bodies by their names. What is looked up for one entity type is known for the others.
pub(crate) struct BodyNames<'a> {
    bodies: &'a SupplierList,
    known: RefCell<HashMap<String, Option<Supplier>>>,
}

/// Removes the longest name or acronym of a body among the words, and returns the body. A single word is an acronym,
/// and the name of a place is the place: "Granby", but not "ville de Granby".
pub(crate) fn take_buyer(written: &mut Vec<Word>, bodies: &BodyNames, places: &[Coverage]) -> Option<Supplier> {
    let mut ranges = ranges(written);
    let capitals_tell = capitals_tell(written);
    ranges.sort_by_key(|(_, range)| std::cmp::Reverse(range.len()));
    let (body, range) = ranges.into_iter().find_map(|(folded, range)| {
        let words = &written[range.clone()];
        // The division "Technology Services" is not in "information technology services".
        let ends_term = range.start > 0 && is_term(&joined(&written[range.start - 1..range.end]));
        if ends_term || !folded.contains(' ') && !is_acronym(&words[0], capitals_tell) {
            return None;
        }
        // Few words are a name, and comparing them with all places takes long.
        let body = bodies.named(&without_marks(words), &folded)?;
        (is_of_city(words) || !is_place(words, places)).then_some((body, range))
    })?;
    written.drain(range);
    Some(body)
}

/// The longest word that is an acronym next to another one.
const MAX_SHORT: usize = 4;

/// Whether a word in capitals is more than the way in which all of them are written. Two short words are acronyms:
/// "MTQ WSP".
fn capitals_tell(written: &[Word]) -> bool {
    let is_word = |(word, _): &&Word| word.chars().any(char::is_alphabetic);
    let has_small = |(word, _): &Word| word.chars().any(char::is_lowercase);
    let names: Vec<&Word> = written.iter().filter(is_word).collect();
    let is_short = |word: &&Word| word.1.len() <= MAX_SHORT && word.1.chars().all(char::is_alphabetic);
    let are_short = names.len() <= 2 && names.iter().all(is_short);
    are_short || written.iter().any(has_small) || names.len() == 1
}

/// Whether a text is an acronym of a body, and nothing else.
pub(crate) fn is_acronym_alone(text: &str) -> bool {
    let written = words(text);
    matches!(written.as_slice(), [word] if is_acronym(word, capitals_tell(&written)))
}

/// Whether a word is an acronym next to words in small letters.
pub(crate) fn is_acronym_in_text(word: &Word) -> bool {
    is_acronym(word, true)
}

fn is_acronym((written, folded): &Word, capitals_tell: bool) -> bool {
    let is_in_capitals = capitals_tell && written.chars().all(|c| !c.is_lowercase());
    (is_in_capitals || folded.len() >= MIN_ACRONYM) && body_names::is_acronym(folded)
}

/// What the names of cities begin with in both languages.
const OF_CITIES: [(&str, &str); 3] = [
    ("city of", "ville de"),
    ("town of", "ville de"),
    ("municipality of", "municipalite de"),
];

/// The folded name of a city in the other language. None of a name that two cities have: "Ville de Windsor" is in
/// Quebec, and the City of Windsor in Ontario.
fn of_other_language(folded: &str) -> impl Iterator<Item = String> {
    let both = OF_CITIES
        .iter()
        .flat_map(|(english, french)| [(english, french), (french, english)]);
    let others = both.filter_map(|(from, to)| Some(format!("{to}{}", folded.strip_prefix(from)?)));
    others.filter(|_| named_cities(folded).len() == 1)
}

/// What names of bodies begin with before an article that people leave out: "cégep Jonquière".
const BEFORE_ARTICLES: [&str; 10] = [
    "cegep",
    "centre de services scolaire",
    "ciusss",
    "cisss",
    "college",
    "commission scolaire",
    "csss",
    "municipalite",
    "universite",
    "ville",
];
const ARTICLES: [&str; 5] = ["de", "des", "du", "d", "de la"];

/// A folded name with each article that may be missing after the kind of body. None if it has one.
fn with_articles(folded: &str) -> Vec<String> {
    let rests = BEFORE_ARTICLES.iter().filter_map(|kind| {
        let rest = folded.strip_prefix(kind)?.strip_prefix(' ')?;
        let has_article = rest.split(' ').next().is_some_and(is_function_word);
        (!has_article).then_some((kind, rest))
    });
    let with = |(kind, rest): (&&str, &str)| ARTICLES.map(|article| format!("{kind} {article} {rest}"));
    rests.flat_map(with).collect()
}

/// What a body is called that a text names: so, with the rest of its name, or with another name of the same body.
fn names_of(own: &str) -> Vec<String> {
    let whole = LEFT_OUT.map(|left_out| format!("{own} {left_out}"));
    let keys = whole.each_ref().map(|name| fold(name));
    let mut names = vec![own.to_owned()];
    names.extend_from_slice(body_names::all_names([own]));
    names.extend_from_slice(&whole);
    names.extend(
        body_names::all_names(keys.each_ref().map(String::as_str))
            .iter()
            .cloned(),
    );
    names.extend(of_other_kind(own));
    names.extend(of_other_language(own));
    for name in with_articles(own) {
        names.extend(of_other_kind(&name));
        names.push(name);
    }
    names
}

impl<'a> BodyNames<'a> {
    pub(crate) fn bodies(&self) -> &'a SupplierList {
        self.bodies
    }

    pub(crate) fn of(bodies: &'a SupplierList) -> BodyNames<'a> {
        BodyNames {
            bodies,
            known: RefCell::default(),
        }
    }

    /// The body with a name as it was written or without its article, with the rest of its name, or with another name
    /// of the same body.
    fn named(&self, name: &str, folded: &str) -> Option<Supplier> {
        if let Some(known) = self.known.borrow().get(folded) {
            return known.clone();
        }
        // "The council's contracts"
        let name = name.strip_suffix("'s").or(name.strip_suffix("’s")).unwrap_or(name);
        let own = &*word_list(name).join(" ");
        let called = |own: &str| names_of(own).iter().find_map(|name| self.bodies.with_name(name));
        let in_other_number = || of_other_number(own).iter().find_map(|own| called(own));
        let found = self.bodies.with_name(name);
        let found = found.or_else(|| called(own)).or_else(in_other_number);
        self.known.borrow_mut().insert(folded.to_owned(), found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::suppliers::Party, model::EntityType};

    #[test]
    fn each_run_of_words_is_looked_up_once_for_all_entity_types() {
        let list = SupplierList::parse(Party::Body, bytes::Bytes::new()).unwrap();
        let bodies = BodyNames::of(&list);
        let text: Vec<String> = (0..30).map(|number| format!("word{number}")).collect();
        let text = text.join(" ");
        for _ in EntityType::ALL {
            assert!(take_buyer(&mut words(&text), &bodies, &[]).is_none());
        }
        // Of two to eight words.
        assert_eq!(bodies.known.borrow().len(), 29 + 28 + 27 + 26 + 25 + 24 + 23);
    }

    #[test]
    fn a_kind_of_body_is_read_for_short_and_in_full() {
        for (short, full) in [
            ("csss du nord", "centre de sante et de services sociaux du nord"),
            ("cs de montreal", "commission scolaire de montreal"),
        ] {
            assert_eq!(of_other_kind(short), [full]);
            assert_eq!(of_other_kind(full), [short]);
        }
        for name in ["cs", "css", "cssx du nord", "ville de laval"] {
            assert_eq!(of_other_kind(name), [""; 0], "{name}");
        }
    }

    #[test]
    fn a_city_has_a_name_in_both_languages_unless_two_cities_have_it() {
        assert_eq!(
            Vec::from_iter(of_other_language("city of gatineau")),
            ["ville de gatineau"]
        );
        for name in ["city of windsor", "ville de windsor", "gatineau", "city of"] {
            assert_eq!(of_other_language(name).next(), None, "{name}");
        }
    }

    #[test]
    fn an_article_may_be_missing_after_the_kind_of_a_body() {
        let names = with_articles("commission scolaire rives du saguenay");
        assert!(names.contains(&"commission scolaire des rives du saguenay".to_owned()));
        for name in [
            "commission scolaire des rives",
            "cegep",
            "villeray",
            "cegep de jonquiere",
        ] {
            assert_eq!(with_articles(name), [""; 0], "{name}");
        }
    }

    #[test]
    fn one_of_several_words_is_read_in_the_other_number() {
        assert_eq!(
            of_other_number("correctional services of canada"),
            [
                "correctionals services of canada",
                "correctional service of canada",
                "correctional services of canadas"
            ]
        );
        assert_eq!(of_other_number("natural resource"), [""; 0]);
    }

    #[test]
    fn a_saint_is_read_for_short_and_in_full() {
        assert!(of_other_kind("hopital ste justine").contains(&"chu sainte justine".to_owned()));
        assert_eq!(of_other_saint("chu sainte justine").as_deref(), Some("chu ste justine"));
        assert_eq!(of_other_saint("ville de laval"), None);
    }

    #[test]
    fn capitals_tell_an_acronym_only_among_other_words() {
        let is_one = |text: &str| {
            let written = words(text);
            let tell = capitals_tell(&written);
            written.iter().any(|word| is_acronym(word, tell))
        };
        for (text, expected) in [
            ("paving for LAC 2015", true),
            ("LAC 2015", true),
            ("LAC WSP 2015", true),
            ("PONT LAC ST JEAN", false),
            ("CSA Z462", false),
            ("PAVAGE LAC MEGANTIC 2015", false),
            ("pavage lac mégantic", false),
            ("rcmp cars", true),
        ] {
            assert_eq!(is_one(text), expected, "{text}");
        }
    }
}
