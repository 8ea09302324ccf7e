//! Which texts of a client may appear in a mail to another person: short ones that no mail program
//! shows as a link or an address.
//!
//! Decision D-169: refused are control characters and invisible ones, `://`, `www.`, `@`, a dot
//! between a letter or digit and a word (`evil.example`), and four numbers with dots. Abbreviations
//! (`H.V.A.C.`, `U.S.`), initials, decimal numbers and a dot before a blank (`St. John's`) are words.
//! Look-alikes count as what they look like. A dot and a blank separate words alike, so a refused
//! keyword finds the same with a blank in place of the dot.

use std::fmt;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The maximum length of a text in characters.
pub(crate) const MAX_CHARS: usize = 80;

/// Why a text is refused. The caller names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainWordsError {
    TooLong,
    /// A control character, or one that is invisible or changes the reading direction.
    Invisible,
    /// It could be taken for a link or an address.
    Link,
}

/// Checks a text that is already trimmed.
pub(crate) fn check(text: &str) -> Result<(), PlainWordsError> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return Err(PlainWordsError::TooLong);
    }
    if text.chars().any(|c| c.is_control() || is_invisible(c)) {
        return Err(PlainWordsError::Invisible);
    }
    // NFKD maps full-width and other forms of a character to the plain one and separates accents,
    // which are left out, so that none hides a dot between two letters.
    let plain: Vec<char> = text
        .nfkd()
        .filter(|c| !is_combining_mark(*c))
        .map(|c| looks_like(c).to_ascii_lowercase())
        .collect();
    let contains = |what: &str| {
        let what: Vec<char> = what.chars().collect();
        plain.windows(what.len()).any(|run| run == what)
    };
    if ["://", ":\\\\", "www.", "@"].into_iter().any(contains) || has_domain(&plain) || has_network_address(&plain) {
        return Err(PlainWordsError::Link);
    }
    Ok(())
}

/// Whether the text has a dot between a letter or digit and a word of two or more letters: the form
/// of every domain name.
fn has_domain(text: &[char]) -> bool {
    text.windows(4).any(|run| {
        let [before, dot, first, second] = run else {
            return false;
        };
        // Encoded international names begin with `xn--`.
        before.is_alphanumeric() && *dot == '.' && first.is_alphabetic() && second.is_alphabetic()
    })
}

/// Whether the text has four numbers with dots between them.
fn has_network_address(text: &[char]) -> bool {
    let runs = text.split(|c| !c.is_numeric() && *c != '.');
    let mut runs = runs.map(|run| run.split(|c| *c == '.').filter(|number| !number.is_empty()).count());
    runs.any(|numbers| numbers == 4)
}

/// Characters that NFKD keeps although they look like a separator of an address.
fn looks_like(c: char) -> char {
    match c {
        // Ideographic and other full stops; domain names accept the first ones in place of a dot.
        '\u{3002}' | '\u{ff61}' | '\u{fe12}' | '\u{06d4}' | '\u{0701}' | '\u{a4f8}' | '\u{2e3c}' => '.',
        '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{2571}' => '/',
        '\u{2236}' | '\u{a789}' | '\u{02d0}' | '\u{05c3}' => ':',
        c => c,
    }
}

/// Characters without a shape of their own: marks of the reading direction, joiners, fillers, tags and
/// variation selectors.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

impl fmt::Display for PlainWordsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlainWordsError::TooLong => write!(f, "is longer than {MAX_CHARS} characters; shorten it"),
            PlainWordsError::Invisible => {
                f.write_str("has a control character or an invisible one; type it again without")
            }
            PlainWordsError::Link => f.write_str(
                "looks like a link or an address, which no mail may show; write blanks in place of dots, slashes and '@', which find the same",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_tenders_are_accepted() {
        for text in [
            "snow removal",
            "déneigement",
            "\"exact phrase\"",
            "St. John's",
            "St-Jean-sur-Richelieu",
            "H.V.A.C.",
            "U.S. Army",
            "U.S.",
            "R.D.P.R.M.",
            "C.-B.",
            "Î.-P.-É.",
            "3.5 t",
            "12.5mm",
            "1.5kV",
            "v2.0",
            "No. 5",
            "section 1.2.3",
            "EN578-123/A",
            "24/7",
            "and/or",
            "R&D",
            "10:30",
            "Ltd.",
            "etc...",
            "Public Works, Government Services",
            "l’eau (potable)",
            "№ 7",
            "½ ton",
            "道路",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        assert_eq!(check(&"é".repeat(MAX_CHARS)), Ok(()));
    }

    #[test]
    fn links_addresses_and_their_look_alikes_are_refused() {
        for text in [
            "https://evil.example/login",
            "sign in at http://127.0.0.1",
            "x://y",
            "www. evil",
            "WWW.evil",
            "evil.example",
            "EVIL.EXAMPLE/login",
            "evil.example.",
            "a.bc",
            "7.evil",
            "bit.ly/x",
            "Canada.ca",
            "ASP.NET",
            "name@example",
            "write to evil@example.org",
            "192.168.1.1",
            "at 10.0.0.1:80",
            // Full-width and small forms, which NFKD maps to the plain ones.
            "evil．example",
            "https:／／evil",
            "name＠example",
            "name\u{fe6b}example",
            "evil\u{fe52}example",
            "evil\u{2024}example",
            "ｗｗｗ．x",
            "ｅｖｉｌ.ｅｘａｍｐｌｅ",
            "𝐞𝐯𝐢𝐥.𝐞𝐱𝐚𝐦𝐩𝐥𝐞",
            // Other dots, slashes and colons.
            "evil\u{3002}example",
            "evil\u{ff61}example",
            "https:\u{2044}\u{2215}evil",
            "https\u{2236}//evil",
            // An accent after the dot or in the name.
            "evil.\u{301}example",
            "évil.éxample",
            "пример.рф",
        ] {
            assert_eq!(check(text), Err(PlainWordsError::Link), "{text}");
        }
        for text in [
            "a\r\nBcc: b",
            "a\tb",
            "evil\u{200b}.example",
            "evil.\u{200d}example",
            "\u{202e}elpmaxe",
            "a\u{2066}b",
            "so\u{ad}ft",
            "a\u{0}b",
            "a\u{85}b",
            "a\u{2028}b",
        ] {
            assert_eq!(check(text), Err(PlainWordsError::Invisible), "{text:?}");
        }
        assert_eq!(check(&"é".repeat(MAX_CHARS + 1)), Err(PlainWordsError::TooLong));
    }

    proptest! {
        #[test]
        fn no_accepted_text_has_the_form_of_a_domain(text in "\\PC{0,30}[a-z]{1,5}\\PC?[.．。][a-zé]{2,6}\\PC{0,9}") {
            let accepted = check(&text).is_ok();
            let is_domain = text.nfkc().collect::<String>().split(|c: char| !c.is_alphanumeric() && c != '.').any(|run| {
                let labels: Vec<&str> = run.split('.').collect();
                labels.windows(2).any(|pair| {
                    pair[0].ends_with(|c: char| c.is_ascii_alphanumeric())
                        && pair[1].chars().count() >= 2
                        && pair[1].chars().all(|c| c.is_ascii_alphabetic() || c == 'é')
                })
            });
            prop_assert!(!(accepted && is_domain), "{}", text);
        }
    }
}
