//! Methods of procurement in the language of the page, and abbreviations in words.
//!
//! An index counts a method by the first text that a record states, which is English where the publisher has both. The
//! French words here are the publishers' own.

use crate::model::{Language, fold::fold};

/// A method in English, folded, and in French as published.
const NAMES: [(&str, &str); 19] = [
    ("advance contract award notice", "Préavis d’adjudication de contrat"),
    ("call for tenders by invitation", "Appel d’offres sur invitation"),
    ("competitive", "Concurrentielle"),
    (
        "competitive limited tendering",
        "Concurrentielle – Appel d’offres restreint",
    ),
    (
        "competitive open bidding",
        "Concurrentielle – Invitation ouverte à soumissionner",
    ),
    (
        "competitive open bidding gets",
        "Concurrentielle – Invitation ouverte à soumissionner (SEAOG)",
    ),
    (
        "competitive selective tendering",
        "Concurrentielle – Appel d’offres sélectif",
    ),
    ("competitive traditional", "Concurrentielle – Traditionnelle"),
    ("contract by mutual agreement", "Contrat de gré à gré"),
    (
        "mandated purchase or grouping of bodies",
        "Achat mandaté ou regroupement d’organismes",
    ),
    ("non competitive", "Non concurrentielle"),
    ("open bidding", "Invitation ouverte"),
    ("open competitive", "Concurrence ouverte"),
    ("public call for tenders", "Appel d’offres public"),
    ("selective tendering", "Appel d’offres sélectif"),
    ("sole source", "Fournisseur unique"),
    ("traditional competitive", "Méthode concurrentielle traditionnelle"),
    (
        "traditional non competitive",
        "Méthode non concurrentielle traditionnelle",
    ),
    (
        "transport infrastructure contract",
        "Contrat relatif aux infrastructures de transport",
    ),
];

/// What some publishers state instead of a name: the abbreviation, folded, and its words in English and French.
#[rustfmt::skip]
const ABBREVIATIONS: [(&str, [&str; 2]); 11] = [
    ("eoi", ["Expression of interest", "Déclaration d’intérêt"]),
    ("itb", ["Invitation to bid", "Invitation à soumissionner"]),
    ("itt", ["Invitation to tender", "Appel d’offres par invitation à soumissionner"]),
    ("nrfp", ["Negotiated request for proposals", "Demande de propositions négociées"]),
    ("reoi", ["Request for expressions of interest", "Demande de déclarations d’intérêt"]),
    ("rfei", ["Request for expressions of interest", "Demande de déclarations d’intérêt"]),
    ("rfi", ["Request for information", "Demande de renseignements"]),
    ("rfp", ["Request for proposals", "Demande de propositions"]),
    ("rfq", ["Request for quotations", "Demande de prix"]),
    ("rfsq", ["Request for supplier qualifications", "Demande de qualification des fournisseurs"]),
    ("rft", ["Request for tenders", "Demande de soumissions"]),
];

/// An abbreviation in words, followed by itself; `None` if the text is none.
pub(crate) fn abbreviation(lang: Language, text: &str) -> Option<String> {
    let folded = fold(text);
    let (_, words) = ABBREVIATIONS.iter().find(|(short, _)| *short == folded)?;
    Some(format!("{} ({text})", words[lang as usize]))
}

/// The fewest characters of a part of a name that finds the method.
const MIN_PART_CHARS: usize = 8;

/// The method that a visitor means by words that publishers do not begin its name with: the French name, the words of
/// an abbreviation, or a part of either that no other has. `None` if the words are not certain.
pub(crate) fn published_method(written: &str) -> Option<&'static str> {
    let folded = fold(written);
    let french = NAMES.iter().map(|(method, french)| (*method, fold(french)));
    let words = ABBREVIATIONS.iter();
    let words = words.flat_map(|(short, words)| words.map(|words| (*short, fold(words))));
    let known: Vec<(&str, String)> = french.chain(words).collect();
    if let Some((method, _)) = known.iter().find(|(_, name)| *name == folded) {
        return Some(method);
    }
    if folded.len() < MIN_PART_CHARS {
        return None;
    }
    let mut having = known.iter().filter(|(_, name)| name.contains(&folded));
    let (method, _) = having.next()?;
    having.all(|(other, _)| other == method).then_some(*method)
}

/// The name of a method; as published, if it has none in the language.
pub(crate) fn method_name(lang: Language, method: String) -> String {
    if let Some(words) = abbreviation(lang, &method) {
        return words;
    }
    if lang != Language::French {
        return method;
    }
    let folded = fold(&method);
    let found = NAMES.iter().find(|(english, _)| *english == folded);
    found.map_or(method, |(_, french)| (*french).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn french_pages_have_french_methods() {
        for (method, french) in [
            ("Public call for tenders", "Appel d’offres public"),
            (
                "Competitive – Open Bidding (GETS)",
                "Concurrentielle – Invitation ouverte à soumissionner (SEAOG)",
            ),
            ("Non-Competitive", "Non concurrentielle"),
            ("Gré à gré", "Gré à gré"),
        ] {
            assert_eq!(method_name(Language::French, method.to_owned()), french);
            assert_eq!(method_name(Language::English, method.to_owned()), method);
        }
        assert!(NAMES.iter().all(|(english, _)| fold(english) == *english));
        assert!(ABBREVIATIONS.iter().all(|(short, _)| fold(short) == *short));
    }

    #[test]
    fn abbreviations_are_explained() {
        for (lang, expected) in [
            (Language::English, "Request for supplier qualifications (RFSQ)"),
            (Language::French, "Demande de qualification des fournisseurs (RFSQ)"),
        ] {
            assert_eq!(method_name(lang, "RFSQ".to_owned()), expected);
        }
        assert_eq!(abbreviation(Language::English, "OTP"), None);
    }
}
