//! Similarity terms: the stems of a record's title and description, by which similar purchases are
//! found.
//!
//! Index and query both use this module. Words of two characters or more count if they contain a
//! letter. A number alone (a lot, a year, an amount) does not describe what is bought.

use std::cell::Cell;

use crate::model::{
    fold,
    stem::{Language, StemCache},
};

thread_local! {
    static STEMS: Cell<StemCache> = Cell::default();
}

/// The languages of a record's field, by the suffix of its name; both where there is no suffix.
pub fn languages(field: &str) -> &'static [Language] {
    match field.rsplit_once('_') {
        Some((_, "en")) => &[Language::English],
        Some((_, "fr")) => &[Language::French],
        _ => &Language::ALL,
    }
}

/// Calls `each` with the stems of every word of a text, in order, one for each language; repeated
/// words repeat.
pub fn words(text: &str, languages: &[Language], mut each: impl FnMut(&str)) {
    // Taken, not borrowed, because `each` may call this function.
    let mut stems = STEMS.take();
    fold::words(text, |word| {
        if !word.chars().any(char::is_alphabetic) || word.chars().nth(1).is_none() {
            return;
        }
        for language in languages {
            match stems.stem(*language, word) {
                Some(stem) => each(stem),
                // A code is the same in both languages.
                None => return each(word),
            }
        }
    });
    STEMS.set(stems);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_yields_its_stems() {
        for (text, field, expected) in [
            ("Repair of 12 roads", "title_en", vec!["repair", "of", "road"]),
            (
                "Déneigement des rues, l'hiver 2024",
                "title_fr",
                vec!["deneig", "de", "ru", "hiv"],
            ),
            ("Roads", "title", vec!["road", "road"]),
            ("CF-18, R&D, lot A", "title", vec!["cf", "cf", "r&d", "lot", "lot"]),
            ("W8482 77", "description_en", vec!["w8482"]),
            ("", "title_en", vec![]),
        ] {
            let mut found = Vec::new();
            words(text, languages(field), |word| found.push(word.to_owned()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
