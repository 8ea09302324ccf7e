//! The rules for text, dates and amounts that hold for all publishers.
//!
//! Text that was certainly encoded twice is repaired first. A *line* is a text without line breaks
//! and with single spaces; a *block* keeps its paragraphs. Both are `None` if the publisher wrote
//! one of [`ABSENT`] instead of leaving the field empty. No input causes a panic: odd input gives
//! odd text or [`Unreadable`].

use std::{borrow::Cow, collections::HashSet};

use super::{html::unescape, mojibake::repaired};
use crate::model::{Date, vocabulary::ABSENT};

/// A cell for a date or an amount holds something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

pub(crate) fn line(raw: &str) -> Option<String> {
    as_line(raw).map(Cow::into_owned)
}

/// Like [`line()`], but borrows a text that is a line already.
pub fn as_line(raw: &str) -> Option<Cow<'_, str>> {
    if !is_line(raw) {
        return make_line(raw).map(Cow::Owned);
    }
    if is_present(raw) {
        Some(Cow::Borrowed(raw))
    } else {
        None
    }
}

/// Makes a line by all rules.
fn make_line(raw: &str) -> Option<String> {
    let repaired = repaired(raw);
    let text = unescape(&repaired);
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    is_present(&line).then_some(line)
}

/// Whether a text certainly is a line already, as most cells are. False also for a text that may
/// have an entity, a tag, white space beyond ASCII, or that may be encoded twice.
fn is_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    *first != b' ' && *last != b' ' && (is_plain_line(bytes) || is_accented_line(bytes))
}

/// [`is_line`] for ASCII, as most texts are. It has no branches, so that the compiler vectorizes
/// it.
fn is_plain_line(bytes: &[u8]) -> bool {
    let is_odd = |b: u8| !(b' '..0x7F).contains(&b) | (b == b'<');
    // `&` before a space does not begin an entity.
    let is_odd_pair = |a: u8, b: u8| ((a == b' ') & (b == b' ')) | ((a == b'&') & (b != b' '));
    let odd = bytes.iter().fold(0, |odd, b| odd | u8::from(is_odd(*b)));
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let odd_pairs = pairs.fold(0, |odd, (a, b)| odd | u8::from(is_odd_pair(*a, *b)));
    (odd | odd_pairs) == 0
}

/// [`is_line`] for any UTF-8.
fn is_accented_line(bytes: &[u8]) -> bool {
    let mut before = (0, 0);
    bytes.iter().all(|byte| {
        let (second, last) = before;
        before = (last, *byte);
        match byte {
            b' ' => last != b' ',
            b'<' => false,
            // White space: U+0085, U+00A0; U+2000 to U+200A, U+2028, U+2029, U+202F; U+205F; U+1680
            // and U+3000 by their first bytes.
            0x85 | 0xA0 if last == 0xC2 => false,
            0x80..=0x8A | 0xA8 | 0xA9 | 0xAF if (second, last) == (0xE2, 0x80) => false,
            0x9F if (second, last) == (0xE2, 0x81) => false,
            0xE1 | 0xE3 => false,
            // Â, Ã, Å and â begin characters that were encoded twice.
            0x82 | 0x83 | 0x85 | 0xA2 => last != 0xC3,
            // `&` begins an entity unless a space follows.
            byte => *byte > b' ' && *byte != 0x7F && last != b'&',
        }
    })
}

/// A text whose lines have single spaces, with at most one empty line between paragraphs.
pub fn block(raw: &str) -> Option<String> {
    let repaired = repaired(raw);
    let text = unescape(&repaired);
    let mut block = String::with_capacity(text.len());
    let mut blank_lines = 0;
    for text_line in text.lines() {
        if text_line.trim().is_empty() {
            blank_lines += 1;
            continue;
        }
        if !block.is_empty() {
            block.push_str(if blank_lines > 0 { "\n\n" } else { "\n" });
        }
        blank_lines = 0;
        if is_line(text_line) {
            block.push_str(text_line);
            continue;
        }
        for (number, word) in text_line.split_whitespace().enumerate() {
            if number > 0 {
                block.push(' ');
            }
            block.push_str(word);
        }
    }
    is_present(&block).then_some(block)
}

/// The different members of `*one\n*two`, in the publisher's order.
pub fn list(raw: &str) -> Vec<Cow<'_, str>> {
    let mut members: Vec<Cow<str>> = Vec::new();
    let mut seen = HashSet::new();
    let mut rest = raw;
    // `str::split` decodes every character; `memchr` does not, and most cells have one member.
    while !rest.is_empty() {
        let end = memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let part = rest[..end].trim_start();
        rest = rest.get(end + 1..).unwrap_or_default();
        let Some(member) = as_line(part.strip_prefix('*').unwrap_or(part)) else {
            continue;
        };
        let is_new = if members.len() < HASHED_FROM {
            !members.contains(&member)
        } else {
            if seen.is_empty() {
                seen.extend(members.iter().cloned());
            }
            seen.insert(member.clone())
        };
        if is_new {
            members.push(member);
        }
    }
    members
}

/// A list shorter than this is searched faster than hashed.
const HASHED_FROM: usize = 16;

/// The members of a list as one text; `None` for an empty list.
pub(crate) fn joined<'a>(mut members: Vec<Cow<'a, str>>, separator: &str) -> Option<Cow<'a, str>> {
    match members.len() {
        0 | 1 => members.pop(),
        _ => Some(Cow::Owned(members.join(separator))),
    }
}

/// Whether a line or a block is neither empty nor one of [`ABSENT`].
fn is_present(text: &str) -> bool {
    // No marker of absence is longer, not even after `*` and an empty line.
    if text.len() > 17 {
        return true;
    }
    let bare = text.strip_prefix('*').unwrap_or(text).trim();
    !bare.is_empty() && !ABSENT.iter().any(|marker| marker.eq_ignore_ascii_case(bare))
}

/// A [`date`] as records have it: `2024-01-31`. Borrows the start of the text if it is written so.
pub fn day(raw: &str) -> Result<Option<Cow<'_, str>>, Unreadable> {
    let Some(day) = date(raw)? else { return Ok(None) };
    let is_as_written = |start: &&str| start.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let start = raw.get(.."2024-01-31".len()).filter(is_as_written);
    Ok(Some(start.map_or_else(|| day.to_string().into(), Cow::from)))
}

/// A date: `2024-01-31`, `2024/01/31`, or the date at the start of a timestamp. `0001-01-01`, which
/// databases write for "no date", is `None`. Other dates outside the years 1900 to 2199 are typing
/// errors, so they are unreadable.
pub fn date(raw: &str) -> Result<Option<Date>, Unreadable> {
    let Some(text) = as_line(raw).filter(|text| !text.starts_with("0001-01-01")) else {
        return Ok(None);
    };
    let text = if text.contains('/') {
        Cow::Owned(text.replace('/', "-"))
    } else {
        text
    };
    let day = Date::parse_prefix(&text).map_err(|_| Unreadable)?;
    match text.get(..2) {
        Some("19" | "20" | "21") => Ok(Some(day)),
        _ => Err(Unreadable),
    }
}

/// An amount in dollars and cents: `1234.50`, `1,234.50 $`, `3 500,25 $`, `-12`. Zero is an amount;
/// see [`given_amount`].
///
/// A number with more than two decimals is unreadable, unless the others are zeros (`500.000000`):
/// it is two amounts run together (`500.00500`), or no amount.
pub fn amount(raw: &str) -> Result<Option<f64>, Unreadable> {
    let amount = number(raw)?;
    match amount {
        Some(amount) if ((amount * 100.0).round() / 100.0 - amount).abs() > amount.abs() * f64::EPSILON => {
            Err(Unreadable)
        }
        amount => Ok(amount),
    }
}

/// An amount, a rate or a factor with any number of decimals. Commas before a point separate
/// thousands; a comma after a point is unreadable. Without a point, a comma separates thousands if
/// exactly three characters follow the last one, else decimals.
fn number(raw: &str) -> Result<Option<f64>, Unreadable> {
    let Some(text) = as_line(raw) else { return Ok(None) };
    if is_plain(&text) {
        return parsed(&text);
    }
    let mut digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != '$').collect();
    match (digits.rfind(','), digits.contains('.')) {
        (Some(_), true) if !separates_thousands(&digits) => return Err(Unreadable),
        (Some(_), true) => digits = digits.replace(',', ""),
        (Some(comma), false) if digits.len() - comma == 4 => digits = digits.replace(',', ""),
        (Some(_), false) => digits = digits.replace(',', "."),
        (None, _) => {}
    }
    if is_plain(&digits) {
        parsed(&digits)
    } else {
        Err(Unreadable)
    }
}

/// Whether a text has only digits, signs and points.
fn is_plain(digits: &str) -> bool {
    digits
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.' || b == b'-' || b == b'+')
}

fn parsed(digits: &str) -> Result<Option<f64>, Unreadable> {
    match digits.parse::<f64>() {
        Ok(amount) if amount.abs() < 1e15 => Ok(Some(amount)),
        _ => Err(Unreadable),
    }
}

/// Whether every comma is before the point and followed by three digits.
fn separates_thousands(digits: &str) -> bool {
    let (whole, cents) = digits.split_once('.').unwrap_or((digits, ""));
    let three = |group: &str| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
    !cents.contains(',') && whole.split(',').skip(1).all(three)
}

/// An amount, or a rate with more than two decimals, from a publisher that writes `0.000000` for
/// "not given".
pub fn given_amount(raw: &str) -> Result<Option<f64>, Unreadable> {
    Ok(number(raw)?.filter(|amount| *amount != 0.0))
}

/// An organization's name without the full stops and spaces that were typed after it: `Ville de
/// Mascouche.`, `Municipalité de Lanoraie .`. The full stop of an abbreviation stays: `Décarel
/// Inc..` becomes `Décarel Inc.`.
pub fn organization(raw: &str) -> Option<Cow<'_, str>> {
    let name = as_line(raw)?;
    let bare = name.trim_end_matches(['.', ',', ' ']);
    let last = bare.rsplit([' ', '.']).next().unwrap_or(bare);
    // `N.S.`
    let is_initial = last.chars().count() == 1 && bare[..bare.len() - last.len()].ends_with('.');
    let abbreviated = name.len() > bare.len()
        && name[bare.len()..].contains('.')
        && (is_initial || ABBREVIATIONS.iter().any(|a| a.eq_ignore_ascii_case(last)));
    let name = match (name.len() - bare.len(), abbreviated) {
        // Only the full stop of the abbreviation was cut off.
        (0, _) | (1, true) => name,
        (_, true) => Cow::Owned(format!("{bare}.")),
        (_, false) => Cow::Owned(bare.to_owned()),
    };
    is_present(&name).then_some(name)
}

const ABBREVIATIONS: [&str; 9] = ["inc", "ltd", "co", "corp", "enr", "c", "l", "p", "a"];

/// A postal code without its space.
pub(crate) fn postal_code(raw: &str) -> Option<String> {
    let code = line(raw)?.replace(' ', "").to_uppercase();
    (code != "NA").then_some(code)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn absence_has_many_spellings() {
        for raw in [
            "",
            "  ",
            "-",
            "N/A",
            "n/d",
            "*None",
            "None",
            "*Aucun",
            "\u{a0}",
            "&nbsp;",
            "Not Applicable",
        ] {
            assert_eq!(line(raw), None, "{raw:?}");
            assert_eq!(block(raw), None, "{raw:?}");
        }
        assert_eq!(line("0").as_deref(), Some("0"));
        assert_eq!(line("NA").as_deref(), Some("NA"));
    }

    #[test]
    fn entities_are_replaced_and_spaces_collapse() {
        for (raw, text) in [
            (" Ministère  de la\tDéfense ", "Ministère de la Défense"),
            ("D&eacute;fense &amp; s&#233;curit&#xE9;", "Défense & sécurité"),
            ("Martec<br>237 Brownlow<BR/>Ave", "Martec 237 Brownlow Ave"),
            ("R&D < 5; AT&T;", "R&D < 5; AT&T;"),
            ("&bogus; &", "&bogus; &"),
            ("l&rsquo;&Eacute;tat", "l’État"),
            ("R&nbsp;&AMP;&nbsp;D", "R & D"),
            ("&lt;5 &le; 10 &Omega;&zwnj;&thinsp;&rarr;", "<5 ≤ 10 Ω\u{200c} →"),
            ("&eacute&le &NotEqualTilde; &#7;", "&eacute&le &NotEqualTilde; &#7;"),
        ] {
            assert_eq!(line(raw).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_line_has_no_white_space_but_single_spaces() {
        for blank in (char::MIN..=char::MAX).filter(|c| c.is_whitespace() && *c != ' ') {
            assert!(
                !is_line(&format!("a{blank}b")) && !is_line(&format!("é{blank}b")),
                "{blank:?}"
            );
            assert_eq!(line(&format!("a{blank}b")).as_deref(), Some("a b"), "{blank:?}");
        }
        for plain in ["l’été – à 20 °C", "«R & D», 5 € …", "fin &", "a b"] {
            assert!(is_line(plain), "{plain}");
        }
    }

    #[test]
    fn a_block_keeps_paragraphs() {
        assert_eq!(
            block("\n\tone  two\r\n\r\n\r\nthree<br>four\n").as_deref(),
            Some("one two\n\nthree\nfour")
        );
    }

    #[test]
    fn a_list_loses_stars_duplicates_and_absence_markers() {
        assert_eq!(list("*SRV\n*GD\n*SRV"), ["SRV", "GD"]);
        assert_eq!(list("*None"), [""; 0]);
        assert_eq!(list("Canada"), ["Canada"]);
        assert_eq!(list("* Alberta \r\n*\n"), ["Alberta"]);
    }

    #[test]
    fn days() {
        let day = |text| Ok(Some(Date::parse(text).unwrap()));
        for (raw, expected) in [
            ("2024-02-29", day("2024-02-29")),
            ("2007-11-06 10:52", day("2007-11-06")),
            ("2027-06-01T14:00:00", day("2027-06-01")),
            ("2026/09/11", day("2026-09-11")),
            ("", Ok(None)),
            ("0001-01-01T00:00:00Z", Ok(None)),
            ("2023-02-02 00:00:00+00:00", day("2023-02-02")),
            ("2023-02-29", Err(Unreadable)),
            ("0018-05-01", Err(Unreadable)),
            ("5 mai 2018", Err(Unreadable)),
        ] {
            assert_eq!(date(raw), expected, "{raw}");
        }
    }

    #[test]
    fn a_date_in_iso_form_is_borrowed() {
        for (raw, written) in [
            ("2024-02-29", "2024-02-29"),
            ("2007-11-06 10:52", "2007-11-06"),
            ("2026/09/11", "2026-09-11"),
            (" 2024-02-29", "2024-02-29"),
            ("2024-02-2&#57;", "2024-02-29"),
        ] {
            assert_eq!(day(raw).unwrap().as_deref(), Some(written), "{raw}");
        }
        assert!(matches!(
            day("2007-11-06T10:52:00"),
            Ok(Some(Cow::Borrowed("2007-11-06")))
        ));
        assert_eq!(day("-"), Ok(None));
        assert_eq!(day("2023-02-29"), Err(Unreadable));
    }

    #[test]
    fn amounts() {
        for (raw, expected) in [
            ("114540.720000", Ok(Some(114540.72))),
            ("0.00", Ok(Some(0.0))),
            ("-12.5", Ok(Some(-12.5))),
            ("1,234.50 $", Ok(Some(1234.5))),
            ("$1,234", Ok(Some(1234.0))),
            ("3\u{a0}500,25 $", Ok(Some(3500.25))),
            ("", Ok(None)),
            ("inf", Err(Unreadable)),
            ("1e99", Err(Unreadable)),
            ("12 ou 13 000?", Err(Unreadable)),
            ("1.234,56", Err(Unreadable)),
            ("1,317,169.922,000", Err(Unreadable)),
            ("12,34.50", Err(Unreadable)),
            ("500.00500", Err(Unreadable)),
            ("36860.990000000005", Ok(Some(36860.990000000005))),
        ] {
            assert_eq!(amount(raw), expected, "{raw}");
        }
        assert_eq!(given_amount("0.000000"), Ok(None));
        assert_eq!(given_amount("0.9903"), Ok(Some(0.9903)), "a rate");
    }

    #[test]
    fn organizations_lose_their_trailing_stops() {
        for (raw, name) in [
            ("Ville de Mascouche.", "Ville de Mascouche"),
            ("Municipalité de Lanoraie .", "Municipalité de Lanoraie"),
            ("Décarel Inc..", "Décarel Inc."),
            ("POMERLEAU INC .", "POMERLEAU INC."),
            ("Groupe Hexagone, s.e.c..", "Groupe Hexagone, s.e.c."),
            ("EBC", "EBC"),
            (
                "District Health Authorities, Western N.S.",
                "District Health Authorities, Western N.S.",
            ),
            (
                "Service N.S. and Municipal Relations.",
                "Service N.S. and Municipal Relations",
            ),
            ("Ville de Z.", "Ville de Z"),
        ] {
            assert_eq!(organization(raw).as_deref(), Some(name));
        }
        assert_eq!(organization(" . "), None);
    }

    proptest! {
        #[test]
        fn no_input_panics(raw in "[&;#xa-z0-9<>br/*\\-., \u{e9}\n$]{0,40}") {
            let _ = (line(&raw), block(&raw), list(&raw), date(&raw), amount(&raw), organization(&raw));
        }

        /// The fast check agrees with the full rules. The characters are those that any rule
        /// handles, and those of text that was encoded twice.
        #[test]
        fn as_line_equals_make_line(raw in "[a<&; \t\u{7f}\u{0}\u{a0}\u{85}\u{c2}\u{c3}\u{c5}\u{e2}\u{82}\u{83}\u{a2}\u{e9}\u{a9}\u{20ac}\u{1680}\u{2009}\u{2019}\u{2028}\u{202f}\u{205f}\u{2082}\u{3000}]{0,12}") {
            prop_assert_eq!(as_line(&raw).map(Cow::into_owned), make_line(&raw));
        }

        /// The vectorized check agrees with the one that looks at each byte.
        #[test]
        fn a_plain_line_equals_make_line(raw in "[ -~]{0,40}|[a-c ]{0,40}") {
            prop_assert_eq!(as_line(&raw).map(Cow::into_owned), make_line(&raw));
            prop_assert!(!is_plain_line(raw.as_bytes()) || is_accented_line(raw.as_bytes()));
        }
    }
}
