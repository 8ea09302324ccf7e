//! Whether a public body outside Quebec is municipal or provincial, from its name and a table.

use crate::model::{
    fold::fold,
    municipality::{is_unknown_city, of_buyer},
};

/// A municipality's slug and the level of government.
pub(crate) type Jurisdiction = (String, &'static str);

/// Types of municipality before a name, folded.
const PREFIXES: [&str; 15] = [
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

/// Types of municipality after a name, folded.
const SUFFIXES: [&str; 3] = [" municipality", " municipal district", " county"];

/// Bodies that several municipalities run together and whose names do not show that, folded, by
/// province. Both report to the councils of Wolfville and of the County of Kings as their
/// authorities (agendas of these councils, 2017).
const INTERMUNICIPAL: [(&str, &str); 2] = [
    ("NS", "kings transit authority"),
    ("NS", "valley waste resource management"),
];

/// The jurisdiction of a public body: the city that the table of municipalities finds in the name;
/// for a county, or a town that is too small for the table, the province's slug for municipal
/// bodies; for any other body, the province.
pub(crate) fn of_body(name: &str, province: &str) -> Jurisdiction {
    let slug = of_buyer(province, name, "");
    let folded = fold(name);
    if !is_unknown_city(slug) || is_municipal(&folded) || INTERMUNICIPAL.contains(&(province, &folded)) {
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
    let has_prefix = |prefix: &&str| {
        bare.split_once(prefix)
            .is_some_and(|(before, name)| is_at_most_one_word(before) && name.len() > 1)
    };
    PREFIXES.iter().any(has_prefix) || SUFFIXES.iter().any(|suffix| bare.ends_with(suffix))
}

/// Whether the text before a prefix is empty or one word, as in `summer village of` and `resort
/// municipality of`.
fn is_at_most_one_word(before: &str) -> bool {
    before.is_empty() || (before.ends_with(' ') && before.trim_end().split(' ').count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_municipal_or_provincial() {
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
