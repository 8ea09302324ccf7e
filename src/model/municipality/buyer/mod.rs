//! The city of a municipal body, from its name, else from its address.

use std::{collections::HashMap, sync::LazyLock};

use super::{TABLE, by_slug, slug, slug_of_words, untold};
use crate::model::fold::fold;

/// The city of a Quebec municipal body.
pub fn of_quebec_buyer(name: &str, city_of_address: &str) -> &'static str {
    of_buyer("QC", name, city_of_address)
}

/// The city of a municipal body of a province: the one its name tells (`Ville de X`, `Office municipal d'habitation de
/// X`), else the one of its address, else the province's bodies whose city cannot be told.
///
/// The name comes first because every era of the data has it, and because a body's address may lie in the town next door.
///
/// Spec silent: whose the bodies of several cities are (a county, an intermunicipal board). Their names tell no city, as
/// `MRC de Montcalm` has nothing to do with Montcalm; they are among the records of the city they sit in, where stated.
pub fn of_buyer(province: &str, name: &str, city_of_address: &str) -> &'static str {
    let Some(names) = NAMES.get(province) else {
        return untold(province);
    };
    let of_address = || slug(city_of_address).and_then(|city| names.get(&city));
    city_in_name(names, name)
        .or_else(|| of_address().map(|homonyms| homonyms.alone))
        .unwrap_or_else(|| untold(province))
}

/// Those of a province that have one name.
struct Homonyms {
    /// Whom the name alone tells; the untold slug where it tells none.
    alone: &'static str,
    /// The designation and slug of each, where there are several.
    each: Vec<(&'static str, &'static str)>,
}

impl Homonyms {
    /// The one that a name with a designation tells. `Municipalité` is said of every kind, of a ville the least.
    fn told_by(&self, designation: &str) -> &'static str {
        let has = |kind: &str| self.each.iter().any(|(known, _)| *known == kind);
        let any_but_ville = designation == MUNICIPALITE && !has(MUNICIPALITE);
        let fits = |known: &str| known == designation || (any_but_ville && known != VILLE);
        let mut fitting = self.each.iter().filter(|(known, _)| fits(known));
        match (fitting.next(), fitting.next()) {
            (Some((_, slug)), None) => slug,
            _ => self.alone,
        }
    }
}

type Names = HashMap<String, Homonyms>;

/// By province: every name of the table, as a slug.
static NAMES: LazyLock<HashMap<&str, Names>> = LazyLock::new(|| {
    let mut provinces: HashMap<&str, Names> = HashMap::new();
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
            let bearer = by_slug(name).filter(|row| row.province == *province);
            homonyms.alone = bearer.map_or_else(|| untold(province), |row| &row.slug);
        }
    }
    provinces
});

/// `Ville de Montréal - Arrondissement de Lachine` → `montreal`, `Municipalité de la paroisse de X` → `x`.
///
/// The whole name is looked up before its parts: a dash may belong to it (`Saint-Côme–Linière` is not Saint-Côme).
fn city_in_name(names: &Names, name: &str) -> Option<&'static str> {
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

fn city_in_words(names: &Names, words: &[&str]) -> Option<&'static str> {
    let as_it_stands = slug_of_words(words.iter().copied()).and_then(|name| names.get(&name));
    if let Some(homonyms) = as_it_stands {
        return Some(homonyms.alone);
    }
    // `Bibliothèque de la Ville de X`: whatever it is, it is the city's.
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

/// The city after one or more titles. Each title may be the last, for a city's name may begin like one (`Ville-Marie`).
fn after_titles(names: &Names, words: &[&str]) -> Option<&'static str> {
    let (mut rest, mut designation) = (words, "");
    loop {
        let title = TITLES.iter().find(|title| starts_with(rest, title.words))?;
        // `Municipalité de la paroisse de X` is a paroisse; `Corporation de la ville de X` a ville.
        designation = if title.designation.is_empty() {
            designation
        } else {
            title.designation
        };
        rest = rest.get(title.words.split(' ').count()..)?;
        if let Some(homonyms) = named(names, rest) {
            return Some(homonyms.told_by(designation));
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

/// The city named by the words after a title. `du` and `des` hold the name's article (`des Îles-de-la-Madeleine`), which
/// may also be none of its own (`Société de transport du Saguenay`).
fn named<'a>(names: &'a Names, after_title: &[&str]) -> Option<&'a Homonyms> {
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

/// What begins the name of a city's government, or of a body that one city has, folded; and the designation it tells.
/// Counties, regions and rural municipalities are none: they have a city's name and are next to it.
struct Title {
    words: &'static str,
    designation: &'static str,
}

const VILLE: &str = "ville";
const MUNICIPALITE: &str = "municipalité";

/// A title before those it begins with.
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

/// What may stand between two titles; not `the`, for the Municipality of the District of Yarmouth is not Yarmouth.
const LINKS: [&str; 7] = ["de", "du", "des", "d", "la", "l", "of"];

/// Signs that a part of the body follows.
const SIGNS: [&str; 10] = [" -", "- ", " .", "/", "\\", "(", ",", ";", "–", "—"];

/// Words that begin a part of the body.
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

#[cfg(test)]
mod tests;
