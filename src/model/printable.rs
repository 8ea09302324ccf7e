//! Texts of others as a terminal, a log or a page may show them.

use std::borrow::Cow;

/// Whether a character only changes how those next to it are shown, and is invisible itself: zero-width spaces and
/// joiners, the marks and overrides of text direction, the byte order mark.
pub(crate) fn is_format_character(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}'
    )
}

/// Whether a character may move a terminal's cursor, end a line, or change the direction of the text after it.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// The text on one line, with escapes such as `\u{1b}` in place of the characters that a terminal obeys.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_harmful)
}

/// Escapes a text of several lines as [`printable`] does; line feeds and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_harmful(c) && c != '\n' && c != '\t')
}

fn escaped(text: &str, is_harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_harmful(c) {
            escaped.extend(c.escape_unicode());
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// The text with U+FFFD in place of each control character that HTML does not allow. Line ends and tabs stay.
pub(crate) fn without_control_characters(text: String) -> String {
    let is_forbidden = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if !text.contains(is_forbidden) {
        return text;
    }
    text.chars()
        .map(|c| {
            if is_forbidden(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        for (text, one_line, lines) in [
            ("déjà vu.csv", "déjà vu.csv", "déjà vu.csv"),
            ("x\u{1b}[31m\u{7}", "x\\u{1b}[31m\\u{7}", "x\\u{1b}[31m\\u{7}"),
            ("a\nb\tc\r", "a\\u{a}b\\u{9}c\\u{d}", "a\nb\tc\\u{d}"),
            (
                "\u{202e}\u{2066}\u{9b}",
                "\\u{202e}\\u{2066}\\u{9b}",
                "\\u{202e}\\u{2066}\\u{9b}",
            ),
        ] {
            assert_eq!(printable(text), one_line);
            assert_eq!(printable_lines(text), lines);
        }
    }

    #[test]
    fn control_characters_are_replaced_in_pages() {
        let page = without_control_characters("a\0b\u{1b}\u{9f}\r\n\tc".to_owned());
        assert_eq!(page, "a\u{fffd}b\u{fffd}\u{fffd}\r\n\tc");
    }
}
