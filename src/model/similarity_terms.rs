//! What a purchase is about, as words: the stems of its title and description, by which records are told to be alike.
//!
//! The one place that says which words those are; what is indexed and what is asked go through it. A word of two letters or more counts, and a code
//! that holds a letter; a number alone (a lot, a year, an amount) says nothing of what is bought.

use std::cell::Cell;

use crate::model::{
    fold,
    stem::{Language, Memo},
};

thread_local! {
    static STEMS: Cell<Memo> = Cell::default();
}

/// The languages a record's field is written in, by its name; both where the name tells none.
pub fn languages(field: &str) -> &'static [Language] {
    match field.rsplit_once('_') {
        Some((_, "en")) => &[Language::English],
        Some((_, "fr")) => &[Language::French],
        _ => &Language::ALL,
    }
}

/// Calls `each` with the stems of every word of a text, in order, as often as they occur: one a language.
pub fn words(text: &str, languages: &[Language], mut each: impl FnMut(&str)) {
    // Taken, not borrowed: `each` may come here again.
    let mut stems = STEMS.take();
    fold::words(text, |word| {
        if !word.chars().any(char::is_alphabetic) || word.chars().nth(1).is_none() {
            return;
        }
        for language in languages {
            match stems.stem(*language, word) {
                Some(stem) => each(stem),
                // A code is one word in any language.
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
