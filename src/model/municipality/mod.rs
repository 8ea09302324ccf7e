//! Whose records a record is among: the slugs of cities and of federal, provincial and untold municipal bodies.
//!
//! The table is `data/municipalities.csv`. Quebec's municipalities are those of the Répertoire des municipalités du Québec
//! (Ministère des Affaires municipales et de l'Habitation, Données Québec, CC BY 4.0); of the other provinces it has the
//! larger cities. [`of_buyer`] tells the city of a municipal body, and never says a slug that is not in the table.
//!
//! Spec silent: how a city's slug is made, and which of two homonyms has it. It is the folded name, ASCII letters and
//! digits joined by hyphens, `St` and `Ste` written out (`saint-jerome`). Of two municipalities of one province and name
//! the first in the order ville, municipalité, village, paroisse, canton has it, the other adds its designation
//! (`disraeli-paroisse`); of one designation, both add their county (`saint-elzear-bonaventure`), and the name alone tells
//! neither. A city outside Quebec whose slug is taken adds its province (`waterloo-on`), as do Quebec's Richmond and
//! Windsor (`windsor-qc`). A municipality merged or renamed since has its records under today's slug (`Asbestos` →
//! `val-des-sources`), and a borough under its city's.

mod buyer;

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;

pub use buyer::{of_buyer, of_quebec_buyer};

use crate::model::fold::fold;

pub const FEDERAL: &str = "federal";
pub const QUEBEC_PROVINCIAL: &str = "qc-provincial";
/// A Quebec municipal body whose city cannot be told.
pub const QUEBEC_MUNICIPAL: &str = "qc-municipal";

/// One row of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Row")]
pub struct Municipality {
    pub slug: String,
    pub name_en: String,
    pub name_fr: String,
    /// Two letters; empty for federal bodies.
    pub province: String,
    pub government_level: String,
    /// Its legal kind (`paroisse`), told only of homonyms.
    designation: String,
    /// Names it is met under besides its own.
    other_names: Vec<String>,
}

/// The table as written: what follows from the rest is left blank.
#[derive(Deserialize)]
struct Row {
    slug: String,
    name_fr: String,
    name_en: String,
    province: String,
    designation: String,
    other_names: String,
}

impl From<Row> for Municipality {
    fn from(row: Row) -> Municipality {
        let level = match row.slug.as_str() {
            FEDERAL => "federal",
            slug if slug.ends_with("-provincial") => "provincial",
            _ => "municipal",
        };
        let name_en = if row.name_en.is_empty() {
            &row.name_fr
        } else {
            &row.name_en
        };
        Municipality {
            name_en: name_en.clone(),
            government_level: level.to_owned(),
            other_names: row
                .other_names
                .split('|')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
            slug: row.slug,
            name_fr: row.name_fr,
            province: row.province,
            designation: row.designation,
        }
    }
}

impl Municipality {
    /// Whether it is one, and not a row that stands for the bodies of a government.
    fn is_city(&self) -> bool {
        self.government_level == "municipal" && !is_untold(&self.slug)
    }

    /// Its own names, with and without what tells it from a homonym (`Hatley (canton)`), and the others.
    fn names(&self) -> impl Iterator<Item = &str> {
        let own = [self.name_fr.as_str(), &self.name_en];
        let short = own.map(|name| name.split(" (").next().unwrap_or(name));
        own.into_iter()
            .chain(short)
            .chain(self.other_names.iter().map(String::as_str))
    }
}

pub fn by_slug(slug: &str) -> Option<&'static Municipality> {
    TABLE.get(slug)
}

/// Whether the slug stands for the bodies of a province whose city cannot be told.
pub fn is_untold(slug: &str) -> bool {
    slug.ends_with("-municipal")
}

/// The slug of a province's municipal bodies whose city cannot be told; of no known province, Quebec's.
fn untold(province: &str) -> &'static str {
    let slug = format!("{}-municipal", province.to_ascii_lowercase());
    by_slug(&slug).map_or(QUEBEC_MUNICIPAL, |row| &row.slug)
}

/// The slug of a city's name; `None` where no letter or digit is left.
fn slug(city: &str) -> Option<String> {
    slug_of_words(fold(city).split(' '))
}

fn slug_of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut slug = String::new();
    for word in words {
        if word.is_empty() || !word.bytes().all(|b| b.is_ascii_alphanumeric()) {
            continue;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(match word {
            "st" => "saint",
            "ste" => "sainte",
            word => word,
        });
    }
    (!slug.is_empty()).then_some(slug)
}

/// The two letters of a Canadian province or territory, from its code or its English or French name.
pub fn province_code(name: &str) -> Option<&'static str> {
    static CODES: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
        let names = |(code, english, french)| [code, english, french].map(|name| (fold(name), code));
        PROVINCES.into_iter().flat_map(names).collect()
    });
    CODES.get(&fold(name)).copied()
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
        .from_reader(include_str!("../../../data/municipalities.csv").as_bytes())
        .into_deserialize()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_of_the_table_holds() {
        let rows: Vec<Municipality> = rows().map(Result::unwrap).collect();
        assert_eq!(rows.len(), TABLE.len(), "a slug twice");
        let in_quebec = rows.iter().filter(|row| row.province == "QC").count();
        assert!(in_quebec > 1_100, "{in_quebec}");
        for row in &rows {
            assert_eq!(slug(&row.slug).as_deref(), Some(row.slug.as_str()));
            assert!(!row.name_en.is_empty() && !row.name_fr.is_empty(), "{row:?}");
            assert_eq!(row.province.is_empty(), row.slug == FEDERAL, "{row:?}");
            let known = PROVINCES.iter().any(|(code, ..)| *code == row.province);
            assert!(known || row.slug == FEDERAL, "{row:?}");
        }
        for (code, ..) in PROVINCES {
            for level in ["provincial", "municipal"] {
                let slug = format!("{}-{level}", code.to_lowercase());
                let row = by_slug(&slug).unwrap_or_else(|| panic!("{slug}"));
                assert_eq!((row.province.as_str(), row.government_level.as_str()), (code, level));
            }
        }
        assert_eq!(by_slug(FEDERAL).unwrap().government_level, "federal");
        let jerome = by_slug("saint-jerome").unwrap();
        assert_eq!(
            (jerome.name_fr.as_str(), jerome.name_en.as_str()),
            ("Saint-Jérôme", "Saint-Jérôme")
        );
        assert_eq!(by_slug("quebec").unwrap().name_en, "Quebec City");
    }

    #[test]
    fn a_slug_is_made_by_the_rule() {
        // Greater Sudbury had its slug before the rule.
        for row in cities().filter(|row| row.slug != "sudbury") {
            let parts = |name: &str| {
                let (short, county) = name.split_once(" (").unwrap_or((name, ""));
                (slug(short).unwrap_or_default(), slug(county).unwrap_or_default())
            };
            let ((english, designation), (french, county)) = (parts(&row.name_en), parts(&row.name_fr));
            let added = [english, french]
                .iter()
                .find_map(|name| row.slug.strip_prefix(name.as_str()))
                .unwrap_or_else(|| panic!("{row:?}"))
                .trim_start_matches('-');
            let known = ["", &row.province.to_lowercase(), &designation, &county];
            assert!(known.contains(&added), "{row:?}");
        }
    }

    #[test]
    fn a_name_is_of_one_municipality_but_for_homonyms_told_apart() {
        let mut names = BTreeSet::new();
        let mut homonyms = BTreeSet::new();
        for row in cities() {
            let own: BTreeSet<String> = row.names().filter_map(slug).collect();
            for name in own {
                let key = (row.province.as_str(), name);
                if row.designation.is_empty() {
                    assert!(names.insert(key.clone()), "{key:?}: {row:?}");
                } else {
                    assert!(homonyms.insert((key, row.slug.as_str())), "{row:?}");
                }
            }
        }
        for (key, slug) in &homonyms {
            assert!(
                !names.contains(key),
                "{slug} needs no designation, or its homonym lacks one"
            );
        }
    }

    fn cities() -> impl Iterator<Item = &'static Municipality> {
        TABLE.values().filter(|row| row.is_city())
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
