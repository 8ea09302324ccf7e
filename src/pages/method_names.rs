//! Methods of procurement in the language of the page.
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

/// The name of a method; as published, if it has none in the language.
pub(crate) fn method_name(lang: Language, method: String) -> String {
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
            ("RFT", "RFT"),
            ("Gré à gré", "Gré à gré"),
        ] {
            assert_eq!(method_name(Language::French, method.to_owned()), french);
            assert_eq!(method_name(Language::English, method.to_owned()), method);
        }
        assert!(NAMES.iter().all(|(english, _)| fold(english) == *english));
    }
}
