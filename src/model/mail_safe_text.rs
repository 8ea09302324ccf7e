//! Which texts of a client may appear in a mail to another person: short ones that no mail program
//! shows as a link or an address.
//!
//! Decision D-169: refused are control characters and invisible ones, `://`, `www.`, `@`, a dot
//! between a letter, a digit or another sign and a word (`evil.example`), a word and a colon before
//! anything but a blank (`tel:1`), four numbers with dots, telephone numbers, and every character that
//! is neither a letter, a digit nor common punctuation, such as pictures and other dots.
//! Abbreviations (`H.V.A.C.`, `U.S.`), initials, decimal numbers and a dot before a blank (`St. John's`)
//! are words; codes are too, however many digits they have. Characters that look like a dot count as a
//! dot. A dot and a blank both separate words, so a refused keyword finds the same with a blank in
//! place of the dot.

use std::fmt;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The maximum length of a text in characters.
pub(crate) const MAX_CHARS: usize = 80;

/// Why a text is refused. The caller names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MailSafetyError {
    TooLong,
    /// A control character, or one that is invisible or changes the reading direction.
    Invisible,
    /// A mail program could show the text as a link or an address.
    Link,
    /// A mail program could show the text as a telephone number.
    Telephone,
    /// A picture or another sign that is in no word.
    Sign,
}

/// Checks a text that is already trimmed.
pub(crate) fn check(text: &str) -> Result<(), MailSafetyError> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return Err(MailSafetyError::TooLong);
    }
    if text.chars().any(|c| c.is_control() || is_invisible(c)) {
        return Err(MailSafetyError::Invisible);
    }
    // NFKD makes them letters.
    if text.chars().any(is_picture) {
        return Err(MailSafetyError::Sign);
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
    if ["://", ":\\\\", "www.", "@"].into_iter().any(contains)
        || has_domain(&plain)
        || has_spaced_domain(&plain)
        || has_path(&plain)
        || has_token(&plain)
        || has_scheme(&plain)
        || has_network_address(&plain)
    {
        Err(MailSafetyError::Link)
    } else if has_telephone_number(&plain) {
        Err(MailSafetyError::Telephone)
    } else if !plain.iter().all(|c| is_of_words(*c)) || ["$$", "!!"].into_iter().any(contains) {
        Err(MailSafetyError::Sign)
    } else {
        Ok(())
    }
}

/// Whether the text has a dot between a character other than a blank and a word of two or more letters:
/// the form of every domain name, and of what a mail program may take for one.
fn has_domain(text: &[char]) -> bool {
    text.windows(4).any(|run| {
        let [before, dot, first, second] = run else {
            return false;
        };
        // Encoded international names begin with `xn--`.
        !before.is_whitespace() && *before != '.' && *dot == '.' && first.is_alphabetic() && second.is_alphabetic()
    })
}

/// Whether the text has a word, a blank, a dot and two letters, with or without a blank in between: `evil .com`.
fn has_spaced_domain(text: &[char]) -> bool {
    let dots = text.iter().enumerate().filter(|(_, c)| **c == '.');
    let mut dots = dots.map(|(at, _)| text.split_at(at));
    dots.any(|(before, after)| {
        let is_spaced = before.last().is_some_and(|c| c.is_whitespace());
        let mut words = before.iter().rev().skip_while(|c| c.is_whitespace());
        let mut after = after.iter().skip(1).skip_while(|c| c.is_whitespace());
        is_spaced
            && words.next().is_some_and(|c| c.is_alphanumeric())
            && after.next().is_some_and(|c| c.is_alphabetic())
            && after.next().is_some_and(|c| c.is_alphabetic())
    })
}

/// Whether the text has two slashes in a row, a backslash, or a slash between two words of at least [`PATH_LETTERS`]
/// letters: `evil/login`. `and/or`, `w/o` and `km/h` are words.
fn has_path(text: &[char]) -> bool {
    if text.contains(&'\\') || text.windows(2).any(|pair| pair == ['/', '/']) {
        return true;
    }
    let slashes = text.iter().enumerate().filter(|(_, c)| **c == '/');
    let mut slashes = slashes.map(|(at, _)| text.split_at(at));
    slashes.any(|(before, after)| {
        let before = before.iter().rev().take_while(|c| c.is_alphabetic()).count();
        let after = after.iter().skip(1).take_while(|c| c.is_alphabetic()).count();
        before >= PATH_LETTERS && after >= PATH_LETTERS
    })
}

const PATH_LETTERS: usize = 4;

/// Whether the text has a run of letters and digits that is longer than any word or code, such as the address of an
/// account.
fn has_token(text: &[char]) -> bool {
    let mut runs = text.split(|c| !c.is_alphanumeric());
    runs.any(|run| {
        run.len() >= TOKEN_CHARACTERS && run.iter().any(|c| c.is_numeric()) && run.iter().any(|c| c.is_alphabetic())
    })
}

const TOKEN_CHARACTERS: usize = 26;

/// Whether the text has a word of letters, a colon, and no blank after it, as `tel:` and `javascript:`
/// before what they name. Standards have digits before the colon (`ISO 9001:2015`, `S16:19`).
fn has_scheme(text: &[char]) -> bool {
    let colons = text.windows(2).enumerate();
    let mut colons = colons.filter(|(_, pair)| pair[0] == ':' && !pair[1].is_whitespace());
    colons.any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default().iter().rev();
        let mut word = before.take_while(|c| c.is_alphanumeric() || matches!(**c, '+' | '-'));
        word.next().is_some_and(|last| last.is_alphabetic()) && word.all(|c| !c.is_numeric())
    })
}

/// Whether the text has a telephone number: a `+` and at least seven digits, or a number as it is
/// written in North America (`555 123 4567`), in France (`01 23 45 67 89`) or from abroad (`011 44 …`).
/// Codes of goods, years and the numbers of solicitations, with any number of digits, are none.
fn has_telephone_number(text: &[char]) -> bool {
    let mut start = 0;
    while let Some(found) = text
        .get(start..)
        .and_then(|rest| rest.iter().position(char::is_ascii_digit))
    {
        let (before, rest) = text.split_at(start + found);
        let length = rest
            .iter()
            .take_while(|c| c.is_ascii_digit() || is_between_digits(**c))
            .count();
        let run = rest.get(..length).unwrap_or_default();
        if is_telephone_number(before, run) {
            return true;
        }
        start = before.len() + length;
    }
    false
}

/// Whether digits and what separates them are a telephone number after what is before them.
fn is_telephone_number(before: &[char], run: &[char]) -> bool {
    let groups = run.split(|c| is_between_digits(*c));
    let groups: Vec<&[char]> = groups.filter(|group| !group.is_empty()).collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let digits: usize = lengths.iter().sum();
    let mut signs = before.iter().rev().skip_while(|c| **c == '(');
    // In `C++20` it is a part of a name.
    let has_plus = signs.next() == Some(&'+') && signs.next().is_none_or(|c| !c.is_alphanumeric() && *c != '+');
    // The first digits of `EN578-170-4321` belong to a code.
    let is_code = before.last().is_some_and(|c| c.is_alphanumeric());
    let own = lengths.get(usize::from(is_code)..).unwrap_or_default();
    // A number of North America with its country code, without blanks. Codes of goods have 8 or 10 digits.
    let is_whole = |group: &&[char]| {
        let [first, area, _, _, office, ..] = group[..] else {
            return false;
        };
        group.len() == 11 && first == '1' && area >= '2' && office >= '2'
    };
    let is_undivided = !is_code && groups.len() == 1 && groups.iter().any(is_whole);
    let is_national = is_undivided
        || own.windows(3).any(|three| three == [3, 3, 4])
        || own.windows(2).any(|two| two == [3, 7])
        || own.windows(5).any(|five| five == [2; 5]);
    let leads_abroad = groups
        .first()
        .is_some_and(|group| **group == ['0', '1', '1'] || **group == ['0', '0']);
    (has_plus && digits >= 7) || is_national || (leads_abroad && !is_code && digits >= 10)
}

/// What people write between the digits of a telephone number.
fn is_between_digits(c: char) -> bool {
    let is_dash = matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    is_dash || matches!(c, ' ' | '.' | '(' | ')' | '/' | '_' | ',' | '*')
}

/// Whether a character is in words, in numbers or between them: a letter, a digit 0 to 9, a blank or
/// common punctuation. Other digits are refused, because some look like dots. The text has passed NFKD,
/// so that a letter in a circle, for example, is the letter.
fn is_of_words(c: char) -> bool {
    c.is_alphabetic()
        || c.is_ascii_digit()
        || c.is_ascii_punctuation()
        || matches!(
            c,
            ' ' | '\u{2018}'..='\u{201f}' // quotation marks
                | '\u{ab}' | '\u{bb}' | '\u{2039}' | '\u{203a}'
                | '\u{2010}'..='\u{2015}' | '\u{2212}' // dashes
                | '\u{2032}' // minutes and, twice, seconds
                | '°' | '±' | '×' | '÷' | '≤' | '≥' | '§' | '¶' | '®' | '©' | '€' | '£' | '¢' | '‰'
        )
}

/// Pictures, and letters in squares and the like.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}')
}

/// Whether the text has four numbers with dots between them.
fn has_network_address(text: &[char]) -> bool {
    let runs = text.split(|c| !c.is_numeric() && *c != '.');
    let mut numbers = runs.map(|run| -> Vec<&[char]> {
        let numbers = run.split(|c| *c == '.');
        numbers.filter(|number| !number.is_empty()).collect()
    });
    // Codes of goods have longer ones (`8471.30.00.00`).
    numbers.any(|numbers| numbers.len() == 4 && numbers.iter().all(|number| number.len() <= 3))
}

/// Characters that NFKD keeps although they look like a separator of an address.
fn looks_like(c: char) -> char {
    match c {
        // Ideographic and other full stops; domain names accept the first ones in place of a dot.
        '\u{3002}' | '\u{ff61}' | '\u{fe12}' | '\u{06d4}' | '\u{0701}' | '\u{0702}' | '\u{a4f8}' | '\u{2e3c}' => '.',
        // Dots at half height, and a decimal separator. The last four count as letters.
        '\u{b7}' | '\u{387}' | '\u{2022}' | '\u{2027}' | '\u{2219}' | '\u{22c5}' | '\u{30fb}' | '\u{2e31}'
        | '\u{2e33}' => '.',
        '\u{66b}' | '\u{a78f}' | '\u{1427}' | '\u{2d1}' | '\u{971}' => '.',
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

impl fmt::Display for MailSafetyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MailSafetyError::TooLong => write!(f, "is longer than {MAX_CHARS} characters; shorten it"),
            MailSafetyError::Invisible => {
                f.write_str("has a control character or an invisible one; type it again without")
            }
            MailSafetyError::Telephone => {
                f.write_str("looks like a telephone number, which no mail may show; leave it out")
            }
            MailSafetyError::Sign => f.write_str(
                "has a sign that is in no word, such as a picture; write a blank in its place, which finds the same",
            ),
            MailSafetyError::Link => f.write_str(
                "looks like a link or an address, which no mail may show; write blanks in place of dots, colons, slashes and '@', which find the same",
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
            "C++",
            "C++ 2017 20240101",
            "100 %",
            "± 5 °C",
            "16'-0\" × 20′",
            "section 9.4",
            "N° 5",
            "GSIN N7030",
            "72141100",
            "UNSPSC 72141100, 72141200",
            "8471.30.00.00",
            "2023 2024 2025",
            "60139003-1",
            "2023-0012345-01",
            "EN578-170-4321",
            "W8486-217654/001/B",
            "5551234567890",
            "ISO 9001:2015",
            "CSA S16:19",
            "ratio 3:1",
            "Objet : travaux",
            "note: urgent",
            ".NET",
            "A + B",
            "Velcro®",
            "m² 10 µm",
            "Œuvre d’art",
            "peut-être (s’il y a lieu)",
            "« guillemets »",
            "$ 5,000",
            "w/o, km/h",
            "10012345678",
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
            // A sign before the dot.
            "evil-.com",
            "_.com",
            "evil'.com",
            // Other dots.
            "evil·example",
            "evil‧com",
            "evil⋅com",
            "evil•com",
            "evil・com",
            "evil٫com",
            "evil\u{1427}com",
            "evil\u{a78f}com",
            // A scheme.
            "tel:+15551234567",
            "javascript:alert(1)",
            "mailto:x",
            "call tel：5",
            "x-y:z",
            // Blanks around the dot, and paths without a domain.
            "evil .com",
            "evil . com",
            "evil/login",
            "//evil",
            "evil\\login",
            "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
        ] {
            assert_eq!(check(text), Err(MailSafetyError::Link), "{text}");
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
            assert_eq!(check(text), Err(MailSafetyError::Invisible), "{text:?}");
        }
        assert_eq!(check(&"é".repeat(MAX_CHARS + 1)), Err(MailSafetyError::TooLong));
        for text in [
            "+1 555 123 4567",
            "18005551234",
            "１８００５５５１２３４",
            "+15551234567",
            "＋1 555 123 4567",
            "call +(33) 1 23 45 67 89",
            "555 123 4567",
            "call (555) 123-4567 now",
            "1-800-555-1234",
            "1.800.555.1234",
            "555-1234567",
            "01 23 45 67 89",
            "011 44 20 7946 0958",
            "00 33 1 2345 6789",
            "snow 555\u{2013}123\u{2013}4567",
        ] {
            assert_eq!(check(text), Err(MailSafetyError::Telephone), "{text}");
        }
        for text in [
            "word 🇨🇦🇱🇱",
            "☎ ★★★ $$$",
            "snow $$$",
            "snow!!",
            "⠓⠑⠇⠇⠕",
            "snow ➜ here",
            "🅴🆅🅸🅻",
            "evil٠com",
            "evil ● com",
        ] {
            assert_eq!(check(text), Err(MailSafetyError::Sign), "{text}");
        }
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
