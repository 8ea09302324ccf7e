//! Whose records a record is among: the slugs of cities and of federal, provincial and untold municipal bodies.
//!
//! Rule: a city's slug is its folded name, ASCII letters and digits joined by hyphens (`saint-jerome`). The table
//! `data/municipalities.csv` names the slugs known beforehand; a city that is not in it still gets its slug by the rule.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;

use crate::fold::fold;

pub const FEDERAL: &str = "federal";
pub const QUEBEC_PROVINCIAL: &str = "qc-provincial";
/// A Quebec municipal body whose city cannot be told.
pub const QUEBEC_MUNICIPAL: &str = "qc-municipal";

/// One row of the table.
#[derive(Clone, Debug, Deserialize)]
pub struct Municipality {
    pub slug: String,
    pub name_en: String,
    pub name_fr: String,
    /// Two letters; empty for federal bodies.
    pub province: String,
    pub government_level: String,
}

pub fn by_slug(slug: &str) -> Option<&'static Municipality> {
    TABLE.get(slug)
}

/// Whether the slug stands for the bodies of a province whose city cannot be told.
pub fn is_untold(slug: &str) -> bool {
    slug.ends_with("-municipal")
}

/// The slug of a city's name; `None` where no letter or digit is left.
pub fn slug(city: &str) -> Option<String> {
    let folded = fold(city);
    let words: Vec<&str> = folded
        .split(' ')
        .filter(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric()))
        .map(|word| match word {
            "st" => "saint",
            "ste" => "sainte",
            word => word,
        })
        .collect();
    (!words.is_empty()).then(|| words.join("-"))
}

/// The city of a Quebec municipal body: the one its name tells (`Ville de X`), else the one of its address, else the
/// county's (`MRC de X`).
///
/// The name comes first because every era of the data has it, and because a body's address may lie in the town next door.
pub fn of_quebec_buyer(name: &str, city_of_address: &str) -> String {
    city_in_name(name)
        .or_else(|| slug(city_of_address))
        .or_else(|| county_in_name(name))
        .unwrap_or_else(|| QUEBEC_MUNICIPAL.to_owned())
}

/// `Ville de Montréal - Arrondissement de Lachine` → `montreal`, `Municipalité de la paroisse de X` → `x`.
fn city_in_name(name: &str) -> Option<String> {
    let words = words_of_body(name);
    let mut words = words.iter().map(String::as_str).collect::<Vec<_>>();
    if is_county(&words) || !CITY_KINDS.contains(words.first()?) {
        return None;
    }
    words.remove(0);
    // `de la paroisse de`, `du village de`, `des cantons unis de`: the kind may be told twice.
    while let Some(inner) = words.iter().position(|word| !LINKS.contains(word)) {
        if !INNER_KINDS.contains(&words[inner]) {
            break;
        }
        words.drain(..=inner);
    }
    without_link(words)
}

fn county_in_name(name: &str) -> Option<String> {
    let words = words_of_body(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let after = match words.as_slice() {
        ["mrc", after @ ..] | ["municipalite", "regionale", "de", "comte", after @ ..] => after,
        _ => return None,
    };
    without_link(after.to_vec())
}

fn is_county(words: &[&str]) -> bool {
    matches!(words, ["mrc", ..] | ["municipalite", "regionale", ..])
}

/// The name's folded words, up to the first sign that a part of the body follows.
fn words_of_body(name: &str) -> Vec<String> {
    let parted = [" -", "- ", "/", "(", ",", ";", "–", "—"];
    let end = parted
        .iter()
        .filter_map(|sign| name.find(sign))
        .min()
        .unwrap_or(name.len());
    fold(&name[..end]).split(' ').map(str::to_owned).collect()
}

/// Drops the `de` or `d'` before a name; `du` and `des` hold the name's article.
fn without_link(mut words: Vec<&str>) -> Option<String> {
    match words.first().copied() {
        Some("de" | "d" | "of") => drop(words.remove(0)),
        Some("du") => words[0] = "le",
        Some("des") => words[0] = "les",
        _ => {}
    }
    slug(&words.join(" "))
}

const CITY_KINDS: [&str; 10] = [
    "ville",
    "municipalite",
    "paroisse",
    "village",
    "canton",
    "cantons",
    "cite",
    "city",
    "town",
    "municipality",
];
const INNER_KINDS: [&str; 5] = ["paroisse", "village", "canton", "cantons", "unis"];
const LINKS: [&str; 7] = ["de", "du", "des", "d", "la", "l", "of"];

/// The two letters of a Canadian province or territory, from its code or its English or French name.
pub fn province_code(name: &str) -> Option<&'static str> {
    let folded = fold(name);
    let matches = |known: &&str| fold(known) == folded;
    PROVINCES
        .iter()
        .find(|(code, english, french)| [code, english, french].into_iter().any(matches))
        .map(|(code, ..)| *code)
}

pub const PROVINCES: [(&str, &str, &str); 13] = [
    ("AB", "Alberta", "Alberta"),
    ("BC", "British Columbia", "Colombie-Britannique"),
    ("MB", "Manitoba", "Manitoba"),
    ("NB", "New Brunswick", "Nouveau-Brunswick"),
    ("NL", "Newfoundland and Labrador", "Terre-Neuve-et-Labrador"),
    ("NS", "Nova Scotia", "Nouvelle-Écosse"),
    ("NT", "Northwest Territories", "Territoires du Nord-Ouest"),
    ("NU", "Nunavut", "Nunavut"),
    ("ON", "Ontario", "Ontario"),
    ("PE", "Prince Edward Island", "Île-du-Prince-Édouard"),
    ("QC", "Quebec", "Québec"),
    ("SK", "Saskatchewan", "Saskatchewan"),
    ("YT", "Yukon", "Yukon"),
];

/// The province a Canadian postal code, or its first three characters, lies in.
pub fn province_of_postal_code(code: &str) -> Option<&'static str> {
    let [letter, digit, third, ..] = code.as_bytes() else {
        return None;
    };
    if !digit.is_ascii_digit() || !third.is_ascii_alphabetic() {
        return None;
    }
    Some(match letter.to_ascii_uppercase() {
        b'A' => "NL",
        b'B' => "NS",
        b'C' => "PE",
        b'E' => "NB",
        b'G' | b'H' | b'J' => "QC",
        b'K' | b'L' | b'M' | b'N' | b'P' => "ON",
        b'R' => "MB",
        b'S' => "SK",
        b'T' => "AB",
        b'V' => "BC",
        b'X' if (b'A'..=b'C').contains(&third.to_ascii_uppercase()) && *digit == b'0' => "NU",
        b'X' => "NT",
        b'Y' => "YT",
        _ => return None,
    })
}

static TABLE: LazyLock<HashMap<String, Municipality>> = LazyLock::new(|| {
    rows()
        .filter_map(Result::ok)
        .map(|row| (row.slug.clone(), row))
        .collect()
});

fn rows() -> impl Iterator<Item = csv::Result<Municipality>> {
    csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(include_str!("../data/municipalities.csv").as_bytes())
        .into_deserialize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_holds() {
        let rows: Vec<Municipality> = rows().map(Result::unwrap).collect();
        assert_eq!(rows.len(), TABLE.len(), "a slug twice");
        for row in &rows {
            assert!(
                ["federal", "provincial", "municipal"].contains(&row.government_level.as_str()),
                "{row:?}"
            );
            assert_eq!(slug(&row.slug).as_deref(), Some(row.slug.as_str()));
            assert!(!row.name_en.is_empty() && !row.name_fr.is_empty(), "{row:?}");
            assert_eq!(row.province.is_empty(), row.slug == FEDERAL, "{row:?}");
        }
        for (code, ..) in PROVINCES {
            for level in ["provincial", "municipal"] {
                assert!(
                    by_slug(&format!("{}-{level}", code.to_lowercase())).is_some(),
                    "{code} {level}"
                );
            }
        }
        assert_eq!(by_slug("saint-jerome").unwrap().name_fr, "Saint-Jérôme");
    }

    #[test]
    fn a_quebec_buyer_has_a_city() {
        for (name, city, slug) in [
            ("Ville de Montréal - Arrondissement de Lachine", "Lachine", "montreal"),
            ("Ville De Montréal / SITE", "", "montreal"),
            ("Ville de Montréal-Est", "Montréal-Est", "montreal-est"),
            ("Ville d'Acton Vale.", "Acton Vale", "acton-vale"),
            ("Ville de Ville-Marie .", "", "ville-marie"),
            ("Ville de l'Île-Perrot", "L'Ile-Perrot", "l-ile-perrot"),
            ("Ville Asbestos", "Asbestos", "asbestos"),
            ("Ville de St-Jérôme", "", "saint-jerome"),
            ("Ville de Sorel-Tracy (approvisionnement)", "", "sorel-tracy"),
            ("Municipalité  des Iles-de-la-Madeleine", "", "les-iles-de-la-madeleine"),
            ("Municipalité de la Paroisse de Lac-aux-Sables", "", "lac-aux-sables"),
            (
                "Municipalité du Village de Chute-aux-Outardes",
                "",
                "chute-aux-outardes",
            ),
            (
                "Municipalité Paroisse Notre-Dame-du-Bon-Conseil",
                "",
                "notre-dame-du-bon-conseil",
            ),
            ("Cantons-Unis de Stoneham-et-Tewkesbury", "", "stoneham-et-tewkesbury"),
            ("MRC de Coaticook.", "Coaticook", "coaticook"),
            (
                "Municipalité régionale de comté de Marguerite-D'Youville",
                "Verchères",
                "vercheres",
            ),
            ("MRC de La Matanie", "", "la-matanie"),
            ("Société de transport de Laval", "Laval", "laval"),
            ("Régie d'aqueduc de Grand Pré", "", QUEBEC_MUNICIPAL),
            ("Ville", "", QUEBEC_MUNICIPAL),
            ("", "", QUEBEC_MUNICIPAL),
        ] {
            assert_eq!(of_quebec_buyer(name, city), slug, "{name}");
        }
    }

    #[test]
    fn provinces_are_told_by_name_code_and_postal_code() {
        assert_eq!(province_code("québec"), Some("QC"));
        assert_eq!(province_code("Nova Scotia"), Some("NS"));
        assert_eq!(province_code("pe"), Some("PE"));
        assert_eq!(province_code("Ohio"), None);
        for (code, province) in [
            ("J7Z5L2", Some("QC")),
            ("K1A", Some("ON")),
            ("X0A", Some("NU")),
            ("X1A", Some("NT")),
            ("45433", None),
            ("", None),
        ] {
            assert_eq!(province_of_postal_code(code), province, "{code}");
        }
    }
}
