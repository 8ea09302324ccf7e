//! Text folding, shared by index and query so that both compare the same form.
//!
//! The rule for every name filter and every word of `q`: NFKD; combining marks dropped;
//! lower-cased; œ→oe, æ→ae, ø→o, ß→ss, ł→l, đ→d; every run of other characters than Unicode
//! letters, digits and `&` becomes one space; trimmed. [`fold`] folds a name; [`words`] splits a
//! text into folded words and strips French elisions.

use unicode_normalization::UnicodeNormalization;

/// A name as filters compare it: `Québec (Ville)` → `quebec ville`, `R&D Inc.` → `r&d inc`.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return fold_ascii(name);
    }
    let mut folded = String::with_capacity(name.len());
    let mut gap = false;
    for c in name.chars() {
        fold_character(c, &mut |c| match c {
            Some(c) => {
                if gap && !folded.is_empty() {
                    folded.push(' ');
                }
                gap = false;
                folded.push(c);
            }
            None => gap = true,
        });
    }
    folded
}

/// [`fold`] for ASCII, byte by byte: most names are ASCII.
fn fold_ascii(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for part in name.split(|c: char| !is_kept(c as u8)).filter(|part| !part.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(part);
    }
    folded.make_ascii_lowercase();
    folded
}

/// The maximum length of a word in bytes. Longer words are truncated, in the index and in a query.
pub const MAX_WORD_BYTES: usize = 64;

/// Calls `each` with every folded word of `text`, in order. A word has at least one letter or digit
/// (`&` alone is not a word). An elided article before an apostrophe (`l'`, `d'`, `qu'`, …) is
/// dropped.
pub(crate) fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut finish = |word: &mut String| {
        if word.bytes().any(|b| b != b'&') {
            each(word);
        }
        word.clear();
    };
    let mut rest = text;
    while let Some(end) = find_apostrophe(rest) {
        let (run, after) = rest.split_at(end);
        push_words(run, &mut word, &mut finish);
        let apostrophe = after.chars().next().map_or(0, char::len_utf8);
        rest = &after[apostrophe..];
        let elides = rest.chars().next().is_some_and(char::is_alphabetic);
        if elides && ELIDED.contains(&word.as_str()) {
            word.clear();
        }
        finish(&mut word);
    }
    push_words(rest, &mut word, &mut finish);
    finish(&mut word);
}

/// The folded words of `text`.
pub fn word_list(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    words(text, |word| list.push(word.to_owned()));
    list
}

const ELIDED: [&str; 13] = [
    "l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu",
];

/// Where the first apostrophe is. Only the first bytes of the four are looked for, which begin few
/// other characters.
fn find_apostrophe(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let begins = |b: &u8| matches!(b, b'\'' | 0xca | 0xe2 | 0xef);
        from += text.as_bytes()[from..].iter().position(begins)?;
        let c = text[from..].chars().next()?;
        if is_apostrophe(c) {
            return Some(from);
        }
        from += c.len_utf8();
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}' | '\u{ff07}')
}

fn push_words(run: &str, word: &mut String, finish: &mut impl FnMut(&mut String)) {
    let mut rest = run;
    loop {
        // Most words are ASCII: they are copied at once.
        let kept = rest.bytes().take_while(|b| is_kept(*b)).count();
        let start = word.len();
        word.push_str(&rest[..kept.min(MAX_WORD_BYTES - start)]);
        word[start..].make_ascii_lowercase();
        rest = &rest[kept..];
        let mut characters = rest.chars();
        let Some(other) = characters.next() else {
            return;
        };
        rest = characters.as_str();
        fold_character(other, &mut |c| match c {
            Some(c) => {
                if word.len() + c.len_utf8() <= MAX_WORD_BYTES {
                    word.push(c);
                }
            }
            None => {
                if !word.is_empty() {
                    finish(word);
                }
            }
        });
    }
}

/// Whether an ASCII character is part of a word.
fn is_kept(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'&'
}

/// U+00C0 to U+00FF, folded: the accented letters of French. Two of them are signs (× and ÷), which
/// separate words.
const FOLDED_LATIN: [&str; 64] = [
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i", //
    "ð", "n", "o", "o", "o", "o", "o", "", "o", "u", "u", "u", "u", "y", "þ", "ss", //
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i", //
    "ð", "n", "o", "o", "o", "o", "o", "", "o", "u", "u", "u", "u", "y", "þ", "y",
];

/// Calls `feed` with each character that `c` folds to; `None` is a separator. A text can be folded
/// character by character, because the marks that follow a letter are dropped.
fn fold_character(c: char, feed: &mut impl FnMut(Option<char>)) {
    match c {
        '\0'..='\x7f' => feed(is_kept(c as u8).then(|| c.to_ascii_lowercase())),
        'À'..='ÿ' => match FOLDED_LATIN[c as usize - 'À' as usize] {
            "" => feed(None),
            folded => folded.chars().for_each(|c| feed(Some(c))),
        },
        _ => fold_by_rule(std::iter::once(c).nfkd(), feed),
    }
}

/// The rule, after the decomposition.
fn fold_by_rule(decomposed: impl Iterator<Item = char>, feed: &mut impl FnMut(Option<char>)) {
    for decomposed in decomposed {
        if unicode_normalization::char::is_combining_mark(decomposed) {
            continue;
        }
        for c in decomposed.to_lowercase() {
            match c {
                'œ' => "oe".chars().for_each(|c| feed(Some(c))),
                'æ' => "ae".chars().for_each(|c| feed(Some(c))),
                'ß' => "ss".chars().for_each(|c| feed(Some(c))),
                'ø' => feed(Some('o')),
                'ł' => feed(Some('l')),
                'đ' => feed(Some('d')),
                c if unicode_normalization::char::is_combining_mark(c) => {}
                // Unicode calls it a letter, but it is an apostrophe. Characters that decompose to
                // it (ŉ) must split a word too.
                '\u{2bc}' => feed(None),
                c if c.is_alphanumeric() || c == '&' => feed(Some(c)),
                _ => feed(None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_fold() {
        for (name, folded) in [
            ("Québec (Ville)", "quebec ville"),
            ("R&D Inc.", "r&d inc"),
            ("½ ™", "1 2 tm"),
            ("  Œuvre d'Ærø ", "oeuvre d aero"),
            ("STRASSE/Straße", "strasse strasse"),
            ("Łódź Đorđe", "lodz dorde"),
            ("Que\u{301}bec", "quebec"),
            ("İstanbul", "istanbul"),
            ("\u{fb01}n", "fin"),
            ("", ""),
            ("—", ""),
        ] {
            assert_eq!(fold(name), folded, "{name}");
        }
    }

    #[test]
    fn texts_split_into_words() {
        for (text, expected) in [
            ("l'eau, d’été", vec!["eau", "ete"]),
            ("jusqu'à l'école", vec!["a", "ecole"]),
            ("O'Brien & Sons", vec!["o", "brien", "sons"]),
            ("Men's room", vec!["men", "s", "room"]),
            ("rock 'n' roll", vec!["rock", "n", "roll"]),
            ("EN578-123/A", vec!["en578", "123", "a"]),
            ("R&D", vec!["r&d"]),
            ("ŉa", vec!["na"]),
            ("vol 3l'", vec!["vol", "3l"]),
        ] {
            assert_eq!(word_list(text), expected, "{text}");
        }
        assert_eq!(word_list(&"x".repeat(500)), ["x".repeat(MAX_WORD_BYTES)]);
    }

    /// The words, by the rule for every character and without shortcuts.
    fn words_by_rule(text: &str) -> Vec<String> {
        // The last one is being read.
        let mut words = vec![String::new()];
        for (start, c) in text.char_indices() {
            let last = words.len() - 1;
            if is_apostrophe(c) {
                let next = text[start + c.len_utf8()..].chars().next();
                if next.is_some_and(char::is_alphabetic) && ELIDED.contains(&words[last].as_str()) {
                    words[last].clear();
                }
                words.push(String::new());
            } else {
                fold_by_rule(std::iter::once(c).nfkd(), &mut |c| match c {
                    Some(c) => {
                        let word = words.last_mut().unwrap();
                        if word.len() + c.len_utf8() <= MAX_WORD_BYTES {
                            word.push(c);
                        }
                    }
                    None => words.push(String::new()),
                });
            }
        }
        words.retain(|word| word.bytes().any(|b| b != b'&'));
        words
    }

    #[test]
    fn the_table_of_letters_follows_the_rule() {
        for c in 'À'..='ÿ' {
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            fold_by_rule(std::iter::once(c).nfkd(), &mut |c| expected.push(c));
            fold_character(c, &mut |c| found.push(c));
            assert_eq!(found, expected, "{c}");
        }
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in ".{0,40}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn words_are_those_of_the_rule(
            text in "[a-zA-Z0-9&'’ʼ.\\- éÉèçœŒßðÞ×÷ÿŉﬁ½\u{301}İŁ–…ǅ漢]{0,40}|.{0,40}|[a-zé]{60,70}",
        ) {
            prop_assert_eq!(word_list(&text), words_by_rule(&text));
        }

        #[test]
        fn a_text_folds_character_by_character(text in "[a-zé\u{301}\u{327}\u{315}ờ각\u{1100}\u{1161}½]{0,20}|.{0,40}") {
            let (mut whole, mut singly) = (Vec::new(), Vec::new());
            fold_by_rule(text.nfkd(), &mut |c| whole.push(c));
            for c in text.chars() {
                fold_character(c, &mut |c| singly.push(c));
            }
            prop_assert_eq!(singly, whole);
        }

        /// The ASCII shortcut gives what the general rule gives; a Greek letter enforces the
        /// general rule.
        #[test]
        fn the_ascii_shortcut_folds_like_the_general_rule(text in "[\\x00-\\x7f]{0,40}|[a-zA-Z&. ]{0,40}") {
            let general = fold(&format!("{text} \u{3b1}"));
            prop_assert_eq!(fold(&text), general.strip_suffix('\u{3b1}').unwrap().trim_end());
        }

        #[test]
        fn a_folded_word_is_one_word(text in ".{0,40}") {
            for word in word_list(&text) {
                prop_assert_eq!(word_list(&word), vec![word.clone()]);
            }
        }
    }
}
