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
    for_each_folded(name, |c| match c {
        Some(c) => {
            if gap && !folded.is_empty() {
                folded.push(' ');
            }
            gap = false;
            folded.push(c);
        }
        None => gap = true,
    });
    folded
}

/// The same, byte by byte, because most names are ASCII.
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
    while let Some(end) = rest.find(is_apostrophe) {
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

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}' | '\u{ff07}')
}

fn push_words(run: &str, word: &mut String, finish: &mut impl FnMut(&mut String)) {
    for_each_folded(run, |c| match c {
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

/// Calls `feed` with each character of the folded text; `None` is a separator.
fn for_each_folded(text: &str, mut feed: impl FnMut(Option<char>)) {
    // Most bytes are ASCII and cheap to fold. An ASCII run can be folded by itself: a combining
    // mark that follows its last letter is dropped anyway.
    let mut rest = text;
    while !rest.is_empty() {
        let ascii = rest.bytes().take_while(u8::is_ascii).count();
        for b in rest[..ascii].bytes() {
            feed(is_kept(b).then(|| b.to_ascii_lowercase() as char));
        }
        rest = &rest[ascii..];
        let other = rest.find(|c: char| c.is_ascii()).unwrap_or(rest.len());
        fold_unicode(&rest[..other], &mut feed);
        rest = &rest[other..];
    }
}

/// Whether an ASCII character is part of a word.
fn is_kept(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'&'
}

fn fold_unicode(text: &str, feed: &mut impl FnMut(Option<char>)) {
    for decomposed in text.nfkd() {
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

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in ".{0,40}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
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
