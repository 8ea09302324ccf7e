//! The text files under `lists/`: one entry a line, `|` between its parts, `#` before a comment.

use crate::model::Language;

/// The same text in both official languages.
#[derive(Clone, Copy, Debug)]
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
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let parts: Vec<&str> = line.split('|').collect();
        parts
            .try_into()
            .unwrap_or_else(|_| panic!("an entry has {N} parts: {line}"))
    })
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
