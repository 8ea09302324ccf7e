//! The place of a public body outside Quebec, as far as its name tells it.
//!
//! A name that begins or ends with a kind of municipality is that municipality's; any other body is the province's. A
//! county or rural district often shares its name with the town inside it, so its slug says what it is. The slug of a name that
//! the table knows from another province gets its province behind it (`windsor-ns`).

use crate::{
    fold::fold,
    municipality::{by_slug, slug},
};

/// A place: its slug and its level of government.
pub type Place = (String, &'static str);

/// Kinds that stand before a town's name, folded, the longer first.
const TOWNS: [&str; 12] = [
    "regional municipality of",
    "specialized municipality of",
    "municipality of the district of",
    "municipality of the town of",
    "district municipality of",
    "summer village of",
    "municipality of",
    "resort municipality of",
    "city of",
    "town of",
    "village of",
    "hamlet of",
];

/// Kinds that stand before the name of a county or a rural district.
const COUNTIES: [(&str, &str); 8] = [
    ("municipality of the county of", "county"),
    ("county municipality of", "county"),
    ("county of", "county"),
    ("municipal district of", "district"),
    ("m d of", "district"),
    ("md of", "district"),
    ("improvement district of", "district"),
    ("special areas of", "district"),
];

/// Kinds that stand behind a name, and what remains of them in the slug.
const ENDINGS: [(&str, &str); 4] = [
    (" regional municipality", ""),
    (" municipal district", "district"),
    (" county", "county"),
    (" district municipality", ""),
];

/// Bodies of a city whose name does not say so.
const OF_CITIES: [(&str, &str, &str); 4] = [
    ("NS", "halifax water", "halifax"),
    ("NS", "halifax regional water commission", "halifax"),
    ("NS", "halifax public libraries", "halifax"),
    ("NS", "halifax harbour bridges", "halifax"),
];

pub fn of_body(name: &str, province: &str) -> Place {
    match municipality(name, province) {
        Some(slug) => (slug, "municipal"),
        None => (format!("{}-provincial", province.to_lowercase()), "provincial"),
    }
}

fn municipality(name: &str, province: &str) -> Option<String> {
    let folded = fold(name);
    if let Some((.., city)) = OF_CITIES
        .iter()
        .find(|(of, body, _)| *of == province && *body == folded)
    {
        return Some((*city).to_owned());
    }
    let bare = without_number(&folded);
    let after = |kind: &str| bare.strip_prefix(kind)?.strip_prefix(' ');
    let county = COUNTIES.iter().find_map(|(kind, word)| Some((after(kind)?, *word)));
    let town = || TOWNS.iter().find_map(|kind| Some((after(kind)?, "")));
    let ending = || {
        ENDINGS
            .iter()
            .find_map(|(kind, word)| Some((bare.strip_suffix(kind)?, *word)))
    };
    let (name, word) = county.or_else(town).or_else(ending)?;
    let slug = slug(&format!("{name} {word}"))?;
    match by_slug(&slug).is_some_and(|known| known.province != province) {
        true => Some(format!("{slug}-{}", province.to_lowercase())),
        false => Some(slug),
    }
}

/// `county of barrhead no 11` → `county of barrhead`
fn without_number(folded: &str) -> &str {
    match folded.rsplit_once(" no ") {
        Some((name, number)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => folded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_its_towns_or_its_provinces() {
        for (name, province, slug, level) in [
            ("Town of Claresholm", "AB", "claresholm", "municipal"),
            ("City of Edmonton", "AB", "edmonton", "municipal"),
            ("Red Deer County", "AB", "red-deer-county", "municipal"),
            (
                "County of Grande Prairie No. 1",
                "AB",
                "grande-prairie-county",
                "municipal",
            ),
            (
                "Municipal District of Bonnyville No. 87",
                "AB",
                "bonnyville-district",
                "municipal",
            ),
            ("M.D. of Foothills", "AB", "foothills-district", "municipal"),
            (
                "Regional Municipality of Wood Buffalo",
                "AB",
                "wood-buffalo",
                "municipal",
            ),
            (
                "Transportation and Economic Corridors",
                "AB",
                "ab-provincial",
                "provincial",
            ),
            ("Halifax Regional Municipality", "NS", "halifax", "municipal"),
            ("Halifax Water", "NS", "halifax", "municipal"),
            ("Municipality of the County of Kings", "NS", "kings-county", "municipal"),
            ("Town of Windsor", "NS", "windsor-ns", "municipal"),
            (
                "Halifax Regional Centre for Education",
                "NS",
                "ns-provincial",
                "provincial",
            ),
            ("City of", "NS", "ns-provincial", "provincial"),
            ("", "NS", "ns-provincial", "provincial"),
        ] {
            assert_eq!(of_body(name, province), (slug.to_owned(), level), "{name}");
        }
    }
}
