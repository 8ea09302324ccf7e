//! The table of municipalities, its slugs, and the provinces.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;

use crate::model::fold::fold;

pub const FEDERAL: &str = "federal";
pub const QUEBEC_PROVINCIAL: &str = "qc-provincial";
/// A Quebec municipal body whose city is unknown.
pub const QUEBEC_MUNICIPAL: &str = "qc-municipal";

/// One row of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "MunicipalityRow")]
pub struct Municipality {
    pub(crate) slug: String,
    pub(crate) name_en: String,
    pub(crate) name_fr: String,
    /// Two letters; empty for federal bodies.
    pub(crate) province: String,
    pub(crate) government_level: String,
    /// The legal form (`paroisse`); only homonyms have one.
    pub(super) designation: String,
    /// Former and usual names, merged municipalities, boroughs, and city bodies that do not name the city.
    other_names: Vec<String>,
}

/// A row as written. Cells that follow from the others are empty.
#[derive(Deserialize)]
struct MunicipalityRow {
    slug: String,
    name_fr: String,
    name_en: String,
    province: String,
    designation: String,
    other_names: String,
}

impl From<MunicipalityRow> for Municipality {
    fn from(row: MunicipalityRow) -> Municipality {
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
    /// Whether the row is a city, not a group of government bodies.
    pub(super) fn is_city(&self) -> bool {
        self.government_level == "municipal" && !is_unknown_city(&self.slug)
    }

    /// All names: first [the municipality's own](Municipality::own_names), then the others.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.own_names().chain(self.other_names.iter().map(String::as_str))
    }

    /// The names of the municipality itself, with and without the suffix that distinguishes homonyms
    /// (`Hatley (canton)`).
    pub(crate) fn own_names(&self) -> impl Iterator<Item = &str> {
        let own = [self.name_fr.as_str(), &self.name_en];
        let short = own.map(|name| name.split(" (").next().unwrap_or(name));
        own.into_iter().chain(short)
    }
}

pub fn by_slug(slug: &str) -> Option<&'static Municipality> {
    TABLE.get(slug)
}

/// Whether the slug is for the bodies of a province whose city is unknown.
pub fn is_unknown_city(slug: &str) -> bool {
    slug.ends_with("-municipal")
}

/// The slug for a province's municipal bodies whose city is unknown; for an unknown province,
/// Quebec's.
pub(super) fn unknown_city(province: &str) -> &'static str {
    let slug = format!("{}-municipal", province.to_ascii_lowercase());
    by_slug(&slug).map_or(QUEBEC_MUNICIPAL, |row| &row.slug)
}

/// The slug of a city's name; `None` without letters and digits.
pub(super) fn slug(city: &str) -> Option<String> {
    slug_of_words(fold(city).split(' '))
}

pub(super) fn slug_of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<String> {
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

/// The two-letter code of a Canadian province or territory, from its code or its English or French
/// name.
pub fn province_code(name: &str) -> Option<&'static str> {
    static CODES: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
        let names = |(code, english, french)| [code, english, french].map(|name| (fold(name), code));
        PROVINCES.into_iter().flat_map(names).collect()
    });
    CODES.get(&fold(name)).copied()
}

/// Code, English and French name.
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

/// The province of a Canadian postal code, or of its first three characters.
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

pub(super) static TABLE: LazyLock<HashMap<String, Municipality>> = LazyLock::new(|| {
    rows()
        .map(|row| row.expect("the table is part of the binary, and a test reads every row"))
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
    fn every_row_of_the_table_is_valid() {
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
    fn slugs_follow_the_rule() {
        // The slug of Greater Sudbury is older than the rule.
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
    fn only_homonyms_with_a_designation_share_a_name() {
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
    fn provinces_are_found_by_name_code_and_postal_code() {
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
