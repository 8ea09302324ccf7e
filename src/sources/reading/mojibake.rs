//! Text that was encoded twice: UTF-8 taken for Latin-1 or Windows-1252 and written as UTF-8 again
//! (`Ã©` for `é`).
//!
//! A run of characters outside ASCII is repaired only where the error is certain: each character
//! corresponds to a byte, the bytes are valid UTF-8, and all characters that they encode occur in
//! English and French texts. Anything else stays as it is. No French word ends in `Â` or `â` or
//! contains `Ã`, so correct French is never changed.

use std::borrow::Cow;

/// The text with each twice encoded run decoded.
pub(crate) fn repaired(text: &str) -> Cow<'_, str> {
    if !may_be_double(text) {
        return Cow::Borrowed(text);
    }
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| !c.is_ascii()) {
        let (ascii, after) = rest.split_at(start);
        let end = after.find(|c: char| c.is_ascii()).unwrap_or(after.len());
        let (run, tail) = after.split_at(end);
        whole.push_str(ascii);
        match decoded(run) {
            Some(repaired) => whole.push_str(&repaired),
            None => whole.push_str(run),
        }
        rest = tail;
    }
    whole.push_str(rest);
    Cow::Owned(whole)
}

/// Whether the text has a character with which a twice encoded one begins: `Â`, `Ã`, `Å`, `â`.
fn may_be_double(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(0xC3, bytes).any(|at| matches!(bytes.get(at + 1), Some(0x82 | 0x83 | 0x85 | 0xA2)))
}

fn decoded(run: &str) -> Option<String> {
    // A Scandinavian name before a quotation mark looks the same.
    if run.contains("Å’") || run.contains("Å“") {
        return None;
    }
    let bytes: Vec<u8> = run.chars().map(byte).collect::<Option<_>>()?;
    let text = String::from_utf8(bytes).ok()?;
    text.chars().all(is_plausible).then_some(text)
}

/// The byte of a character in Latin-1 or Windows-1252.
fn byte(c: char) -> Option<u8> {
    if let Ok(latin_1) = u8::try_from(c) {
        return Some(latin_1);
    }
    let (_, byte) = WINDOWS_1252.chars().zip(0x80..).find(|(known, _)| *known == c)?;
    Some(byte)
}

/// The characters of the bytes from 0x80 to 0x9F in Windows-1252.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

fn is_plausible(c: char) -> bool {
    let latin = '\u{a0}'..='ÿ';
    let dashes_and_quotes = '\u{2010}'..='•';
    latin.contains(&c) || dashes_and_quotes.contains(&c) || "ŒœŸ…‰′″‹›€™≤≥".contains(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text encoded a second time: its bytes taken for characters.
    fn doubled(text: &str, by_windows: bool) -> String {
        let character = |b: u8| match b {
            0x80..=0x9F if by_windows => WINDOWS_1252.chars().nth(usize::from(b) - 0x80).unwrap(),
            _ => char::from(b),
        };
        text.bytes().map(character).collect()
    }

    #[test]
    fn certain_errors_are_repaired() {
        for (double, text) in [
            ("Competitive â\u{80}\u{93} Traditional", "Competitive – Traditional"),
            ("GÃ©rald", "Gérald"),
            ("Ã\u{89}quipement", "Équipement"),
            ("Ã‰quipement", "Équipement"),
            ("itâ€™s", "it’s"),
            ("20Â\u{a0}m â\u{80}¢ 3 mÂ³", "20\u{a0}m • 3 m³"),
            ("Windowsâ\u{84}¢", "Windows™"),
            ("CÅ\u{92}UR", "CŒUR"),
            ("créé, crÃ©Ã©", "créé, créé"),
        ] {
            assert_eq!(repaired(double), text);
        }
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "",
            "CHÂTEAU, PÂTÉ",
            "SÃO PAULO",
            "« Âge »",
            "bâtiment",
            "Måløy",
            "KLÅ’S",
            "ï\u{82}§",
            "Ã",
            "Ã©é",
            "日本",
        ] {
            assert_eq!(repaired(text), text);
        }
    }

    proptest! {
        /// Words of French letters, with French punctuation between them.
        #[test]
        fn correct_french_never_changes(
            words in prop::collection::vec((
                "[a-zA-Z0-9àâäæçéèêëîïôœùûüÿÀÂÄÆÇÉÈÊËÎÏÔŒÙÛÜŸ'’]{0,6}[a-zA-Z0-9àçéèêëîïôùûüÿÀÇÉÈÊËÎÏÔÙÛÜŸ]",
                "[ \u{a0}\u{202f}.,;:!?()«»“”\"–—…°€$%™½²\n-]{1,3}",
            ), 0..12),
        ) {
            let text: String = words.into_iter().flat_map(|(word, gap)| [word, gap]).collect();
            prop_assert_eq!(repaired(&text).into_owned(), text);
        }

        #[test]
        fn a_text_encoded_twice_is_restored(
            text in "[a-z ÀÂÇÉÈÊËÎÏÔÙÛÜàâäçéèêëîïôùûü«»“”’–—…°€²½™]{0,30}",
            by_windows: bool,
        ) {
            prop_assert_eq!(repaired(&doubled(&text, by_windows)).into_owned(), text);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}", odd in "[ÂÃÅâ\u{80}-\u{bf}€™“’a]{0,20}") {
            let _ = (repaired(&text), repaired(&odd));
        }
    }
}
