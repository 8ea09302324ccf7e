//! Country codes for the many names that publishers and people write.
//!
//! `data/countries.csv` has all names. [`code`] converts any of them, and the two- and three-letter
//! codes of ISO 3166-1, to the two-letter code.

use std::{borrow::Cow, sync::LazyLock};

use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::model::{fold::fold, stem::Language};

/// The folded code of Canada.
const CANADA: &str = "ca";

/// The key of every known country.
pub(crate) const STATED: &str = "stated";

/// The key of every country but Canada, and how people write it.
pub(crate) const ABROAD: &str = "abroad";
const ABROAD_WORDS: [&str; 7] = [
    ABROAD,
    "foreign",
    "etranger",
    "etrangere",
    "etrangeres",
    "etrangers",
    "a l etranger",
];

#[derive(Debug, Deserialize)]
struct Country {
    code: String,
    code3: String,
    name: String,
    name_fr: String,
    other_names: String,
    adjectives: String,
}

impl Country {
    fn names(&self) -> impl Iterator<Item = &str> {
        let first = [&self.code, &self.code3, &self.name, &self.name_fr];
        let others = self.other_names.split('|').filter(|name| !name.is_empty());
        first.into_iter().map(String::as_str).chain(others)
    }
}

/// The key of a country by any of its names or codes, or of [`ABROAD`]. For any other text: the text folded.
pub(crate) fn country_key(text: &str) -> String {
    let folded = fold(text);
    if ABROAD_WORDS.contains(&folded.as_str()) {
        return ABROAD.to_owned();
    }
    fold(&code(text.trim().into()))
}

/// The keys that a record has besides that of its country.
pub(crate) fn further_keys(key: &str) -> &'static [&'static str] {
    match key {
        CANADA => &[STATED],
        _ if key.len() == CANADA.len() && BY_NAME.contains_key(key) => &[STATED, ABROAD],
        _ => &[],
    }
}

/// A key as the value of a parameter: "US".
pub(crate) fn written(key: &str) -> &str {
    BY_NAME.get(key).map_or(key, String::as_str)
}

/// The key of the country, or of [`ABROAD`], that a folded word before or after "companies" means: "american".
pub(crate) fn of_adjective(folded: &str) -> Option<&'static str> {
    static BY_ADJECTIVE: LazyLock<FxHashMap<String, String>> = LazyLock::new(|| {
        let of_country = |country: Country| {
            let key = fold(&country.code);
            let adjectives: Vec<String> = country.adjectives.split('|').map(str::to_owned).collect();
            adjectives.into_iter().map(move |adjective| (adjective, key.clone()))
        };
        let mut all: FxHashMap<String, String> = rows().filter_map(Result::ok).flat_map(of_country).collect();
        all.extend(ABROAD_WORDS.map(|word| (word.to_owned(), ABROAD.to_owned())));
        all.remove("");
        all
    });
    BY_ADJECTIVE.get(folded).map(String::as_str)
}

/// The key of a country by its name, as people write it in a sentence: of the codes only the usual ones.
pub(crate) fn of_name(folded: &str) -> Option<String> {
    let is_usual = folded.len() > USUAL_CODES[0].len() || USUAL_CODES.contains(&folded);
    (is_usual && !OTHER_THINGS.contains(&folded))
        .then(|| BY_NAME.get(folded).map(|code| fold(code)))
        .flatten()
}

/// Names that people in Canada may mean something else by: a state, a fabric, a fruit.
const OTHER_THINGS: [&str; 5] = ["dominique", "georgia", "grenade", "jersey", "jordan"];

/// Codes that people write for the name.
const USUAL_CODES: [&str; 3] = ["usa", "uk", "us"];

/// The name of a country by its key.
pub(crate) fn name(key: &str, language: Language) -> Option<&'static str> {
    static BY_KEY: LazyLock<FxHashMap<String, [String; 2]>> = LazyLock::new(|| {
        let of_country = |country: Country| (fold(&country.code), [country.name, country.name_fr]);
        rows().filter_map(Result::ok).map(of_country).collect()
    });
    let [english, french] = BY_KEY.get(key)?;
    Some(match language {
        Language::English => english,
        Language::French => french,
    })
}

/// The country's ISO 3166-1 alpha-2 code. A name that is not in the list stays as published.
pub(crate) fn code(country: Cow<str>) -> Cow<str> {
    let by_name = &*BY_NAME;
    match by_name.get(country.as_ref()).or_else(|| by_name.get(&key(&country))) {
        Some(code) => Cow::Borrowed(code),
        None => country,
    }
}

static BY_NAME: LazyLock<FxHashMap<String, String>> = LazyLock::new(|| {
    let mut by_name = FxHashMap::default();
    for country in rows().filter_map(Result::ok) {
        by_name.extend(country.names().map(|name| (key(name), country.code.clone())));
    }
    by_name.remove("");
    // Most cells have a code, which is found without folding.
    let codes: Vec<String> = by_name.values().cloned().collect();
    by_name.extend(codes.into_iter().map(|code| (code.clone(), code)));
    by_name
});

/// A key that is equal for different ways to write one name: `St. Lucia`, `Netherlands (the)`,
/// `TRINIDAD & TOBAGO`.
fn key(name: &str) -> String {
    let folded = fold(name).replace(" & ", " and ");
    let bare = folded.strip_prefix("the ").unwrap_or(&folded);
    let bare = bare.strip_suffix(" the").unwrap_or(bare);
    match bare.strip_prefix("st ") {
        Some(saint) => format!("saint {saint}"),
        None => bare.to_owned(),
    }
}

/// The rows of `data/countries.csv`, which is part of the program; a test reads all of them.
fn rows() -> impl Iterator<Item = csv::Result<Country>> {
    csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(include_str!("../../data/countries.csv").as_bytes())
        .into_deserialize()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_name_of_a_country_has_its_code() {
        for (name, expected) in [
            ("CA", "CA"),
            ("ca", "CA"),
            ("CANADA", "CA"),
            ("USA", "US"),
            ("U.S.A.", "US"),
            ("U.S.", "US"),
            ("United States", "US"),
            ("United States of America (the)", "US"),
            ("UK", "GB"),
            ("united kingdom", "GB"),
            ("Scotland", "GB"),
            ("Korea", "KR"),
            ("Korea, Republic of", "KR"),
            ("South Korea", "KR"),
            ("Korea, Democratic People's Republic of", "KP"),
            ("Latvia", "LV"),
            ("Romania", "RO"),
            ("Czech Republic", "CZ"),
            ("The Netherlands", "NL"),
            ("Trinidad & Tobago", "TT"),
            ("St. Lucia", "LC"),
            ("Cote d’Ivoire", "CI"),
            ("Turkey", "TR"),
            ("Viet Nam", "VN"),
            ("U.K.", "GB"),
            ("Congo, The Democratic Republic of the", "CD"),
            ("United States of America (USA)", "US"),
            ("Congo", "CG"),
            ("Kosovo", "XK"),
            ("Atlantis", "Atlantis"),
            ("ON", "ON"),
            ("", ""),
        ] {
            assert_eq!(code(name.into()), expected, "{name}");
        }
    }

    #[test]
    fn no_name_belongs_to_two_countries() {
        let mut of_name: HashMap<String, String> = HashMap::new();
        for country in rows().map(Result::unwrap) {
            assert!(country.code.len() == 2 && country.code3.len() == 3, "{country:?}");
            for name in country.names() {
                let other = of_name.insert(key(name), country.code.clone());
                assert!(
                    other.is_none_or(|other| other == country.code),
                    "{name} of {}",
                    country.code
                );
            }
        }
        assert!(of_name.len() > 3 * 249, "{}", of_name.len());
    }

    #[test]
    fn adjectives_and_names_of_countries_have_their_key() {
        for (word, expected) in [
            ("american", Some("us")),
            ("us", Some("us")),
            ("americaines", Some("us")),
            ("chinoises", Some("cn")),
            ("canadian", Some("ca")),
            ("foreign", Some("abroad")),
            ("etrangers", Some("abroad")),
            ("it", None),
            ("indian", None),
            ("", None),
        ] {
            assert_eq!(of_adjective(word), expected, "{word}");
        }
        for (name, expected) in [
            ("united states", Some("us")),
            ("etats unis", Some("us")),
            ("uk", Some("gb")),
            ("allemagne", Some("de")),
            ("on", None),
            ("it", None),
            ("laval", None),
        ] {
            assert_eq!(of_name(name).as_deref(), expected, "{name}");
        }
        for (text, expected) in [("U.S.A.", "us"), ("À l’étranger", "abroad"), ("Atlantis", "atlantis")] {
            assert_eq!(country_key(text), expected);
        }
        for (key, further) in [
            ("us", &[STATED, ABROAD][..]),
            ("ca", &[STATED]),
            ("at large", &[]),
            ("zz", &[]),
        ] {
            assert_eq!(further_keys(key), further, "{key}");
        }
        assert_eq!([written("us"), written("abroad")], ["US", "abroad"]);
        assert_eq!(name("us", Language::French), Some("États-Unis"));
        let mut seen = HashMap::new();
        for country in rows().map(Result::unwrap) {
            for adjective in country.adjectives.split('|').filter(|word| !word.is_empty()) {
                assert_eq!(fold(adjective), adjective);
                assert_eq!(
                    seen.insert(adjective.to_owned(), country.code.clone()),
                    None,
                    "{adjective}"
                );
            }
        }
    }
}
