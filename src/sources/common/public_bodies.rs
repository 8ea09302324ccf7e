//! Whether a public body outside Quebec is a municipality's or the province's, as far as its name tells it or a table.

use crate::model::{
    fold::fold,
    municipality::{is_unknown_city, of_buyer},
};

/// A place: its slug and its level of government.
pub type Place = (String, &'static str);

/// Kinds of municipality that stand before a name, folded.
const KINDS: [&str; 15] = [
    "city of",
    "county municipality of",
    "county of",
    "district municipality of",
    "hamlet of",
    "improvement district of",
    "m d of",
    "md of",
    "municipal district of",
    "municipality of",
    "regional municipality of",
    "special areas of",
    "specialized municipality of",
    "town of",
    "village of",
];

/// Those that stand behind one.
const ENDINGS: [&str; 3] = [" municipality", " municipal district", " county"];

/// Bodies that municipalities run together and whose names do not tell it, folded, by province: both report to the councils of
/// Wolfville and of the County of Kings as authorities of theirs (the councils' agendas of 2017).
const JOINT: [(&str, &str); 2] = [
    ("NS", "kings transit authority"),
    ("NS", "valley waste resource management"),
];

/// The city that the table of municipalities finds in the name; of a county, or of a town too small for the table, the slug of the
/// province's municipal bodies; of any other body the province's own.
pub fn of_body(name: &str, province: &str) -> Place {
    let slug = of_buyer(province, name, "");
    let folded = fold(name);
    if !is_unknown_city(slug) || is_municipal(&folded) || JOINT.contains(&(province, &folded)) {
        return (slug.to_owned(), "municipal");
    }
    (format!("{}-provincial", province.to_lowercase()), "provincial")
}

fn is_municipal(folded: &str) -> bool {
    // `County of Barrhead No. 11`
    let bare = match folded.rsplit_once(" no ") {
        Some((name, number)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => folded,
    };
    let has_kind = |kind: &&str| {
        bare.split_once(kind)
            .is_some_and(|(before, name)| is_short(before) && name.len() > 1)
    };
    KINDS.iter().any(has_kind) || ENDINGS.iter().any(|ending| bare.ends_with(ending))
}

/// Nothing, or a word that says what kind of the kind it is: `summer village of`, `resort municipality of`.
fn is_short(before: &str) -> bool {
    before.is_empty() || (before.ends_with(' ') && before.trim_end().split(' ').count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_its_towns_or_its_provinces() {
        for (name, province, slug, level) in [
            ("Town of Claresholm", "AB", "ab-municipal", "municipal"),
            ("City of Edmonton", "AB", "edmonton", "municipal"),
            ("Red Deer County", "AB", "ab-municipal", "municipal"),
            ("County of Grande Prairie No. 1", "AB", "ab-municipal", "municipal"),
            (
                "Municipal District of Bonnyville No. 87",
                "AB",
                "ab-municipal",
                "municipal",
            ),
            ("M.D. of Foothills", "AB", "ab-municipal", "municipal"),
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
            ("Municipality of the County of Kings", "NS", "ns-municipal", "municipal"),
            ("Town of Windsor", "NS", "ns-municipal", "municipal"),
            ("Region of Queens Municipality", "NS", "ns-municipal", "municipal"),
            (
                "Region of Windsor and West Hants Municipality",
                "NS",
                "ns-municipal",
                "municipal",
            ),
            ("Valley Waste-Resource Management", "NS", "ns-municipal", "municipal"),
            ("Kings Transit Authority", "NS", "ns-municipal", "municipal"),
            ("Kings Transit Authority", "AB", "ab-provincial", "provincial"),
            (
                "Service N.S. and Municipal Relations",
                "NS",
                "ns-provincial",
                "provincial",
            ),
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
