//! The text files under `lists/`: one entry a line, `|` between its parts, `#` before a comment.

use std::{collections::BTreeMap, str::FromStr};

use super::random::Random;
use crate::model::Language;

/// A text in both official languages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bilingual {
    pub(super) en: &'static str,
    pub(super) fr: &'static str,
}

impl Bilingual {
    pub(super) fn text(self, language: Language) -> &'static str {
        match language {
            Language::English => self.en,
            Language::French => self.fr,
        }
    }
}

/// The entries of a list. Panics at a line that has not `N` parts: the lists are embedded, and every run reads all.
pub(super) fn entries<const N: usize>(list: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    lines(list).map(|line| {
        // The last part may contain the separator.
        let parts: Vec<&str> = line.splitn(N, '|').collect();
        let parts = parts.try_into();
        parts.unwrap_or_else(|_| panic!("an entry has {N} parts: {line}"))
    })
}

/// The lines of a list, without comments and empty ones.
pub(super) fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// A number of a list. Panics at another text.
pub(super) fn number<T: FromStr>(text: &str) -> T {
    text.parse()
        .unwrap_or_else(|_| panic!("'{text}' in a list is not a number"))
}

/// An entry of `phrases.txt`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Phrase {
    /// Empty in most lists.
    pub(super) code: &'static str,
    pub(super) text: Bilingual,
}

/// Phrases by the list that they are in. Drawn evenly: one that comes up more often is in its list several times.
pub(super) struct Phrases(BTreeMap<&'static str, Vec<Phrase>>);

impl Phrases {
    pub(super) fn read() -> Phrases {
        let mut phrases: BTreeMap<&str, Vec<Phrase>> = BTreeMap::new();
        for [list, code, en, fr] in entries(include_str!("lists/phrases.txt")) {
            let text = Bilingual { en, fr };
            phrases.entry(list).or_default().push(Phrase { code, text });
        }
        Phrases(phrases)
    }

    /// The phrases of a list, at least one. Panics at a name that `phrases.txt` has not.
    pub(super) fn list(&self, name: &str) -> &[Phrase] {
        let list = self.0.get(name);
        list.unwrap_or_else(|| panic!("no list of phrases is called {name}"))
    }

    pub(super) fn choose(&self, list: &str, random: &mut Random) -> Phrase {
        random.choose(self.list(list))
    }
}

/// `de ` or `d'`, whichever the French noun phrase requires before it.
pub(super) fn french_de(noun: &str) -> &'static str {
    match noun.chars().next() {
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'h' | 'â' | 'é' | 'è' | 'ê' | 'î' | 'ô' | 'œ') => "d'",
        _ => "de ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn french_elides() {
        assert_eq!(french_de("élagage"), "d'");
        assert_eq!(french_de("pavage"), "de ");
    }
}
