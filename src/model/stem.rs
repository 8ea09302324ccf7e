//! The English and French (Snowball) stems by which words meet: `road` and `roads`, `chemin` and `chemins`.
//!
//! Stems are taken of folded words, in the index and in a query alike. A word with a digit or `&` in it is a code, and stands for
//! itself only.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

/// The languages of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    English,
    French,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::French];

    /// Its ISO 639-1 code, with which field names end, and which clients and the state file write.
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::French => "fr",
        }
    }

    pub fn parse(code: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.code() == code)
    }
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

/// Stems that were asked for before: looking one up costs a tenth of making it, and a few thousand words are most of any text.
#[derive(Default)]
pub struct Memo {
    known: [FxHashMap<String, Option<String>>; Language::ALL.len()],
    /// The stem of a word there was no place for.
    last: Option<String>,
}

/// How many words of a language are remembered: some 3 MB.
const REMEMBERED: usize = 1 << 15;

impl Memo {
    /// The same as [`stem`].
    pub fn stem(&mut self, language: Language, word: &str) -> Option<&str> {
        let known = &mut self.known[language as usize];
        if !known.contains_key(word) {
            self.last = stem(language, word);
            if known.len() == REMEMBERED {
                return self.last.as_deref();
            }
            known.insert(word.to_owned(), self.last.take());
        }
        known.get(word)?.as_deref()
    }
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
    fn what_is_remembered_is_what_was_made() {
        let mut memo = Memo::default();
        // More words than it remembers, each a run of letters and a plural.
        let digits = |n: usize| {
            n.to_string()
                .bytes()
                .map(|digit| char::from(digit - b'0' + b'a'))
                .collect::<String>()
        };
        let words: Vec<String> = (0..REMEMBERED + 99).map(|n| format!("{}s", digits(n))).collect();
        for word in words.iter().chain(&words[..9]).chain(&["w8482".to_owned()]) {
            for language in Language::ALL {
                assert_eq!(
                    memo.stem(language, word).map(str::to_owned),
                    stem(language, word),
                    "{word}"
                );
            }
        }
    }

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
