//! English and French (Snowball) stemming, so that `roads` finds `road` and `chemins` finds
//! `chemin`.
//!
//! Index and query both stem folded words. A word with a digit or `&` is a code: it has no stem and
//! matches only itself.

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

    /// The ISO 639-1 code: the suffix of field names, and the form in requests and in the state
    /// database.
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::French => "fr",
        }
    }

    /// The other of the two.
    pub(crate) const fn other(self) -> Language {
        match self {
            Language::English => Language::French,
            Language::French => Language::English,
        }
    }

    pub(crate) fn parse(code: &str) -> Option<Language> {
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

/// A cache of stems. A lookup costs a tenth of stemming, and a few thousand words make up most of
/// any text.
#[derive(Default)]
pub(crate) struct StemCache {
    known: [FxHashMap<String, Option<String>>; Language::ALL.len()],
    /// The last stem computed after the cache was full.
    last: Option<String>,
}

/// The maximum number of cached words of a language: about 3 MB.
const CACHED_WORDS: usize = 1 << 15;

impl StemCache {
    /// The stem of a word, as [`stem`] returns it.
    pub(crate) fn stem(&mut self, language: Language, word: &str) -> Option<&str> {
        let known = &mut self.known[language as usize];
        if !known.contains_key(word) {
            self.last = stem(language, word);
            if known.len() == CACHED_WORDS {
                return self.last.as_deref();
            }
            known.insert(word.to_owned(), self.last.take());
        }
        known.get(word)?.as_deref()
    }
}

/// Whether a word of `q` matches a word of a record: the same word, or the same stem in either
/// language.
pub fn words_match(queried: &str, stored: &str) -> bool {
    queried == stored
        || Language::ALL.into_iter().any(|language| {
            let stems = (stem(language, queried), stem(language, stored));
            matches!(stems, (Some(a), Some(b)) if a == b)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_returns_the_same_stems() {
        let mut cache = StemCache::default();
        // More words than the cache holds, each some letters and a plural s.
        let digits = |n: usize| {
            n.to_string()
                .bytes()
                .map(|digit| char::from(digit - b'0' + b'a'))
                .collect::<String>()
        };
        let words: Vec<String> = (0..CACHED_WORDS + 99).map(|n| format!("{}s", digits(n))).collect();
        for word in words.iter().chain(&words[..9]).chain(&["w8482".to_owned()]) {
            for language in Language::ALL {
                assert_eq!(
                    cache.stem(language, word).map(str::to_owned),
                    stem(language, word),
                    "{word}"
                );
            }
        }
    }

    #[test]
    fn words_match_by_either_stem_and_codes_only_themselves() {
        for (queried, stored, expected) in [
            ("road", "roads", true),
            ("roads", "road", true),
            ("deneigement", "deneigements", true),
            ("travaux", "travail", false),
            ("w8482", "w8482", true),
            ("r&d", "r&ds", false),
            ("snow", "neige", false),
        ] {
            assert_eq!(words_match(queried, stored), expected, "{queried} {stored}");
        }
    }
}
