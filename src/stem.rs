//! The English and French (Snowball) stems by which words meet: `road` and `roads`, `chemin` and `chemins`.
//!
//! Stems are taken of folded words, in the index and in a query alike. A word with a digit or `&` in it is a code, and stands for
//! itself only.

use rust_stemmers::{Algorithm, Stemmer};

/// The languages of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    French,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::French];
}

/// The stem of a folded word; `None` for a code.
pub fn stem(language: Language, word: &str) -> Option<String> {
    if !word.chars().all(char::is_alphabetic) {
        return None;
    }
    let algorithm = match language {
        Language::English => Algorithm::English,
        Language::French => Algorithm::French,
    };
    Some(Stemmer::create(algorithm).stem(word).into_owned())
}

/// Whether a word of `q` finds a word of a record: the same word, or one of the same stem in either language.
pub fn meet(asked: &str, stored: &str) -> bool {
    asked == stored
        || Language::ALL.into_iter().any(|language| {
            let stems = (stem(language, asked), stem(language, stored));
            matches!(stems, (Some(a), Some(b)) if a == b)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_meet_by_either_stem_and_codes_only_by_themselves() {
        for (asked, stored, expected) in [
            ("road", "roads", true),
            ("roads", "road", true),
            ("deneigement", "deneigements", true),
            ("travaux", "travail", false),
            ("w8482", "w8482", true),
            ("r&d", "r&ds", false),
            ("snow", "neige", false),
        ] {
            assert_eq!(meet(asked, stored), expected, "{asked} {stored}");
        }
    }
}
