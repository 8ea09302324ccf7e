//! The city of a municipal body, from its name, else from its address.

use std::{collections::HashMap, sync::LazyLock};

use crate::model::{
    fold::fold,
    municipality::table::{Municipality, TABLE, by_slug, slug, slug_of_words, unknown_city},
};

/// The city of a Quebec municipal body.
pub fn of_quebec_buyer(name: &str, city_of_address: &str) -> &'static str {
    of_buyer("QC", name, city_of_address)
}

/// The slug of a municipal body's city: by its name (`Ville de X`, `Office municipal d'habitation
/// de X`), else by its address, else the slug for unknown cities of the province.
///
/// The name comes first because every era of the data has it, and because the address may be in a
/// neighbouring town.
///
/// A body of several cities (a county, an intermunicipal board) belongs to the city
/// of its address, where stated. Its name identifies no city: `MRC de Montcalm` has nothing to do
/// with Montcalm.
pub fn of_buyer(province: &str, name: &str, city_of_address: &str) -> &'static str {
    let Some(names) = NAMES.get(province) else {
        return unknown_city(province);
    };
    let of_address = || slug(city_of_address).and_then(|city| names.get(&city));
    city_in_name(names, name)
        .or_else(|| of_address().map(|homonyms| homonyms.alone))
        .unwrap_or_else(|| unknown_city(province))
}

/// The municipalities of a province with the same name.
struct Homonyms {
    /// The slug for the name alone; the slug of unknown cities where the name identifies none.
    alone: &'static str,
    /// The designation and slug of each.
    each: Vec<(&'static str, &'static str)>,
}

impl Homonyms {
    /// The slug for the name with a designation. `Municipalité` is used for every legal form, least
    /// for a ville.
    fn with_designation(&self, designation: &str) -> &'static str {
        let has = |designation: &str| self.each.iter().any(|(known, _)| *known == designation);
        let any_but_ville = designation == MUNICIPALITE && !has(MUNICIPALITE);
        let fits = |known: &str| known == designation || (any_but_ville && known != VILLE);
        let mut fitting = self.each.iter().filter(|(known, _)| fits(known));
        match (fitting.next(), fitting.next()) {
            (Some((_, slug)), None) => slug,
            _ => self.alone,
        }
    }
}

type CityNames = HashMap<String, Homonyms>;

/// By province: all names of the table, as slugs.
static NAMES: LazyLock<HashMap<&str, CityNames>> = LazyLock::new(|| {
    let mut provinces: HashMap<&str, CityNames> = HashMap::new();
    for row in TABLE.values().filter(|row| row.is_city()) {
        let names = provinces.entry(&row.province).or_default();
        for name in row.names().filter_map(slug) {
            let homonyms = names.entry(name).or_insert(Homonyms {
                alone: &row.slug,
                each: Vec::new(),
            });
            let member = (row.designation.as_str(), row.slug.as_str());
            if !homonyms.each.contains(&member) {
                homonyms.each.push(member);
            }
        }
    }
    for (province, names) in &mut provinces {
        for (name, homonyms) in names.iter_mut().filter(|(_, homonyms)| homonyms.each.len() > 1) {
            let holder = by_slug(name).filter(|row| row.province == *province);
            homonyms.alone = holder.map_or_else(|| unknown_city(province), |row| &row.slug);
        }
    }
    provinces
});

/// `Ville de Montréal - Arrondissement de Lachine` → `montreal`, `Municipalité de la paroisse de X`
/// → `x`.
///
/// The whole name is looked up before its parts, because a dash may belong to it
/// (`Saint-Côme–Linière` is not Saint-Côme).
fn city_in_name(names: &CityNames, name: &str) -> Option<&'static str> {
    let end = SIGNS.iter().filter_map(|sign| name.find(sign)).min();
    let (whole, cut) = (fold(name), fold(&name[..end.unwrap_or(name.len())]));
    let whole: Vec<&str> = whole.split(' ').collect();
    let cut: Vec<&str> = cut.split(' ').collect();
    let part = whole.iter().skip(1).position(|word| PARTS.contains(word));
    let before_part = part.and_then(|at| whole.get(..=at)).unwrap_or_default();
    [&whole, &cut, before_part]
        .into_iter()
        .find_map(|words| city_in_words(names, words))
}

fn city_in_words(names: &CityNames, words: &[&str]) -> Option<&'static str> {
    let whole = slug_of_words(words.iter().copied()).and_then(|name| names.get(&name));
    if let Some(homonyms) = whole {
        return Some(homonyms.alone);
    }
    // `Bibliothèque de la Ville de X`: a body of the city, whatever its title.
    let of_city = words
        .windows(3)
        .position(|three| {
            matches!(
                three,
                ["de", "la", "ville" | "municipalite"] | ["of", "the", "city" | "town"]
            )
        })
        .and_then(|at| words.get(at + 2..));
    after_titles(names, words).or_else(|| after_titles(names, of_city?))
}

/// The city after one or more titles. Each title may be the last, because a city's name may begin
/// like one (`Ville-Marie`).
fn after_titles(names: &CityNames, words: &[&str]) -> Option<&'static str> {
    let (mut rest, mut designation) = (words, "");
    loop {
        let title = TITLES.iter().find(|title| starts_with(rest, title.words))?;
        // `Municipalité de la paroisse de X` is a paroisse; `Corporation de la ville de X` a ville.
        if !title.designation.is_empty() {
            designation = title.designation;
        }
        rest = rest.get(title.words.split(' ').count()..)?;
        if let Some(homonyms) = named(names, rest) {
            return Some(homonyms.with_designation(designation));
        }
        let links = rest.iter().take_while(|word| LINKS.contains(word)).count();
        rest = rest.get(links..)?;
    }
}

fn starts_with(words: &[&str], title: &str) -> bool {
    title
        .split(' ')
        .enumerate()
        .all(|(at, word)| words.get(at) == Some(&word))
}

/// The city named by the words after a title. `du` and `des` contain an article, which may belong
/// to the name (`des Îles-de-la-Madeleine`) or not (`Société de transport du Saguenay`).
fn named<'a>(names: &'a CityNames, after_title: &[&str]) -> Option<&'a Homonyms> {
    let (article, bare) = match after_title {
        [
            "de" | "d" | "of",
            article @ ("la" | "le" | "les" | "l" | "the"),
            bare @ ..,
        ] => (Some(*article), bare),
        ["du", bare @ ..] => (Some("le"), bare),
        ["des", bare @ ..] => (Some("les"), bare),
        ["de" | "d" | "of", bare @ ..] => (None, bare),
        bare => (None, bare),
    };
    let with_article = slug_of_words(article.into_iter().chain(bare.iter().copied()));
    let without = || slug_of_words(bare.iter().copied());
    with_article
        .and_then(|name| names.get(&name))
        .or_else(|| names.get(&without()?))
}

/// A folded beginning of the name of a city's government, or of a body of one city. Counties,
/// regions and rural municipalities are not in the list: they have the name of a neighbouring city.
struct Title {
    words: &'static str,
    /// The designation of the city; empty where the title implies none.
    designation: &'static str,
}

const VILLE: &str = "ville";
const MUNICIPALITE: &str = "municipalité";

/// Sorted so that a title comes before its own prefixes.
const TITLES: [Title; 43] = [
    title("ville", VILLE),
    title("cite", VILLE),
    title("municipalite", MUNICIPALITE),
    title("paroisse", "paroisse"),
    title("village nordique", ""),
    title("village cri", ""),
    title("village naskapi", ""),
    title("village", "village"),
    title("cantons unis", "canton"),
    title("canton", "canton"),
    title("corporation municipale", ""),
    title("corporation", ""),
    title("agglomeration", ""),
    title("arrondissement", ""),
    title("office municipal d habitation", ""),
    title("omh", ""),
    title("societe de transport", ""),
    title("reseau de transport", ""),
    title("service de police", ""),
    title("service de securite incendie", ""),
    title("service de securite publique", ""),
    title("service des incendies", ""),
    title("service d incendie", ""),
    title("bibliotheque municipale", ""),
    title("bibliotheque publique", ""),
    title("commission des services electriques", ""),
    title("conseil des arts", ""),
    title("the corporation", ""),
    title("the city", "city"),
    title("the town", "town"),
    title("the township", "township"),
    title("the municipality", ""),
    title("city", "city"),
    title("town", "town"),
    title("township", "township"),
    title("district municipality", "district"),
    title("district", "district"),
    title("resort municipality", ""),
    title("municipality", ""),
    title("borough", ""),
    title("hamlet", ""),
    title("police service", ""),
    title("public library", ""),
];

const fn title(words: &'static str, designation: &'static str) -> Title {
    Title { words, designation }
}

/// Words allowed between two titles. Not `the`: the Municipality of the District of Yarmouth is not
/// Yarmouth.
const LINKS: [&str; 7] = ["de", "du", "des", "d", "la", "l", "of"];

/// Separators before a part of the body.
const SIGNS: [&str; 10] = [" -", "- ", " .", "/", "\\", "(", ",", ";", "–", "—"];

/// Words that begin the name of a part of the body.
const PARTS: [&str; 8] = [
    "arrondissement",
    "service",
    "services",
    "direction",
    "division",
    "departement",
    "bureau",
    "department",
];

/// The cities whose own name this is, in any form or language (`Ville de X`, `City of X`, `X (Ville)`); not a name of a
/// part, of a merged city or of another body.
pub(crate) fn named_cities(name: &str) -> &'static [&'static Municipality] {
    let folded = fold(name);
    let words: Vec<&str> = folded.split(' ').collect();
    let forms = |words: &[&str]| words.iter().take_while(|word| FORMS.contains(word)).count();
    let last = words.iter().rev().take_while(|word| FORMS.contains(word)).count();
    let starts = (0..=forms(&words)).map(|start| &words[start.min(words.len())..]);
    let ends = (1..=last).map(|cut| &words[..words.len() - cut]);
    let mut named = starts
        .chain(ends)
        .filter_map(|rest| OWN_NAMES.get(&slug_of_words(rest.iter().copied())?));
    named.next().map_or(&[], Vec::as_slice)
}

/// A folded name without the words that [`named_cities`] passes over.
pub(crate) fn without_forms(folded: &str) -> String {
    let words: Vec<&str> = folded.split(' ').filter(|word| !FORMS.contains(word)).collect();
    words.join(" ")
}

/// The words of the forms of a city's own name.
const FORMS: [&str; 20] = [
    "ville",
    "cite",
    "municipalite",
    "paroisse",
    "village",
    "canton",
    "corporation",
    "municipale",
    "the",
    "city",
    "town",
    "municipality",
    "de",
    "du",
    "des",
    "d",
    "la",
    "l",
    "le",
    "of",
];

/// The cities by their own names as slugs, with and without an article.
static OWN_NAMES: LazyLock<HashMap<String, Vec<&'static Municipality>>> = LazyLock::new(|| {
    let mut cities: HashMap<String, Vec<&Municipality>> = HashMap::new();
    for row in TABLE.values().filter(|row| row.is_city()) {
        for name in row.own_names().filter_map(slug) {
            let bare = name
                .split_once('-')
                .filter(|(article, _)| ["le", "la", "les", "l"].contains(article));
            let bare = bare.map(|(_, bare)| bare.to_owned());
            for name in std::iter::once(name.clone()).chain(bare) {
                let known = cities.entry(name).or_default();
                if known.iter().all(|city| city.slug != row.slug) {
                    known.push(row);
                }
            }
        }
    }
    cities
});

#[cfg(test)]
mod tests;
