//! Licences and attributions of sources in the language of a page.

use crate::{model::Language, pages::bilingual::Shown};

/// The texts of licences that have a French one. The others prescribe their English text.
const FRENCH: [(&str, &str); 4] = [
    (
        "Open Government Licence – Canada",
        "Licence du gouvernement ouvert – Canada",
    ),
    (
        "Contains information licensed under the Open Government Licence – Canada.",
        "Contient de l’information visée par la Licence du gouvernement ouvert – Canada.",
    ),
    (
        "Système électronique d'appel d'offres (SEAO), Secrétariat du Conseil du trésor du Québec, CC BY 4.0, adapted.",
        "Système électronique d’appel d’offres (SEAO), Secrétariat du Conseil du trésor du Québec, CC BY 4.0, données adaptées.",
    ),
    (
        "Contrats octroyés, Ville de Montréal, CC BY 4.0, adapted.",
        "Contrats octroyés, Ville de Montréal, CC BY 4.0, données adaptées.",
    ),
];

/// The name of a licence that is the same in both languages.
const IN_BOTH_LANGUAGES: &str = "CC BY 4.0";

/// A licence or an attribution of a published source: in French where there is a French text, else marked as English.
pub(crate) fn licence_text(text: &str, lang: Language) -> Shown {
    let french = FRENCH.iter().find(|(english, _)| *english == text);
    match (lang, french) {
        (Language::French, Some((_, french))) => Shown::plain(*french),
        _ if text == IN_BOTH_LANGUAGES => Shown::plain(text),
        _ => Shown::of(text, Language::English, lang),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::published_sources::PUBLISHED_SOURCES;

    #[test]
    fn each_french_text_is_one_of_a_source() {
        let is_of_source = |text: &str| {
            let mut sources = PUBLISHED_SOURCES.iter();
            sources.any(|source| source.licence == text || source.attribution == text)
        };
        for (english, french) in FRENCH {
            assert!(is_of_source(english), "{english}");
            let shown = licence_text(english, Language::French);
            assert_eq!((shown.text.as_str(), shown.lang_code()), (french, None));
            let shown = licence_text(english, Language::English);
            assert_eq!((shown.text.as_str(), shown.lang_code()), (english, None));
        }
        assert!(is_of_source(IN_BOTH_LANGUAGES));
        assert_eq!(licence_text(IN_BOTH_LANGUAGES, Language::French).lang_code(), None);
        let only_english = licence_text("Open Government Licence – Alberta", Language::French);
        assert_eq!(only_english.lang_code(), Some("en"));
    }
}
