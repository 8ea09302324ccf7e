//! What a source's text means, whatever the source: one rule each for absence, HTML, lists, days and money.
//!
//! Text that was certainly encoded twice is repaired first. A *line* is a text without line breaks, its blanks collapsed; a *block* keeps its paragraphs. Both are `None` where the
//! publisher wrote one of [`ABSENT`] instead of leaving the field empty. Every function is total: odd input gives odd
//! text or an [`Unreadable`], never a panic.

use std::{borrow::Cow, collections::HashSet};

use html_escape::NAMED_ENTITIES;

use super::mojibake::repaired;
use crate::model::{date::Date, vocabulary::ABSENT};

/// Something is written where a day or an amount belongs, but it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

pub fn line(raw: &str) -> Option<String> {
    as_line(raw).map(Cow::into_owned)
}

/// A line, copied only where it is none as it stands.
pub fn as_line(raw: &str) -> Option<Cow<'_, str>> {
    match is_line(raw) {
        true => is_present(raw).then_some(Cow::Borrowed(raw)),
        false => made_line(raw).map(Cow::Owned),
    }
}

/// A line by all rules.
fn made_line(raw: &str) -> Option<String> {
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

/// Whether a text is a line as it stands, as most cells are; false where only a closer look can tell: at what may be an
/// entity, a tag, encoded twice, or a blank beyond ASCII.
fn is_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    *first != b' ' && *last != b' ' && (is_plain_line(bytes) || is_accented_line(bytes))
}

/// The same of what is ASCII alone, as most is: without branches, so that many bytes are looked at at once.
fn is_plain_line(bytes: &[u8]) -> bool {
    let is_odd = |b: u8| !(b' '..0x7F).contains(&b) | (b == b'<');
    // Before a blank `&` begins no entity.
    let is_odd_pair = |a: u8, b: u8| ((a == b' ') & (b == b' ')) | ((a == b'&') & (b != b' '));
    let odd = bytes.iter().fold(0, |odd, b| odd | u8::from(is_odd(*b)));
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let odd_pairs = pairs.fold(0, |odd, (a, b)| odd | u8::from(is_odd_pair(*a, *b)));
    (odd | odd_pairs) == 0
}

fn is_accented_line(bytes: &[u8]) -> bool {
    let mut before = (0, 0);
    bytes.iter().all(|byte| {
        let (second, last) = before;
        before = (last, *byte);
        match byte {
            b' ' => last != b' ',
            b'<' => false,
            // Blanks: U+0085, U+00A0; U+2000 to U+200A, U+2028, U+2029, U+202F; U+205F; U+1680 and U+3000 by their first bytes.
            0x85 | 0xA0 if last == 0xC2 => false,
            0x80..=0x8A | 0xA8 | 0xA9 | 0xAF if (second, last) == (0xE2, 0x80) => false,
            0x9F if (second, last) == (0xE2, 0x81) => false,
            0xE1 | 0xE3 => false,
            // Â, Ã, Å and â begin what was encoded twice.
            0x82 | 0x83 | 0x85 | 0xA2 => last != 0xC3,
            // An entity begins with `&` before anything but a blank.
            byte => *byte > b' ' && *byte != 0x7F && last != b'&',
        }
    })
}

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

/// The members of `*one\n*two`, in the publisher's order, each once.
pub fn list(raw: &str) -> Vec<Cow<'_, str>> {
    let mut members: Vec<Cow<str>> = Vec::new();
    let mut met = HashSet::new();
    let mut rest = raw;
    // `split` looks at every character; most cells are one member.
    while !rest.is_empty() {
        let end = memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let part = rest[..end].trim_start();
        rest = rest.get(end + 1..).unwrap_or_default();
        let Some(member) = as_line(part.strip_prefix('*').unwrap_or(part)) else {
            continue;
        };
        // Few are sooner looked through than hashed.
        let is_new = match members.len() {
            0..FEW => !members.contains(&member),
            _ => {
                if met.is_empty() {
                    met.extend(members.iter().cloned());
                }
                met.insert(member.clone())
            }
        };
        if is_new {
            members.push(member);
        }
    }
    members
}

const FEW: usize = 16;

/// The members of a list as one text; `None` where there are none.
pub fn joined<'a>(mut members: Vec<Cow<'a, str>>, separator: &str) -> Option<Cow<'a, str>> {
    match members.len() {
        0 | 1 => members.pop(),
        _ => Some(Cow::Owned(members.join(separator))),
    }
}

/// Whether a line or a block says something.
fn is_present(text: &str) -> bool {
    // No word for nothing is so long, not even behind `*` and an empty line.
    if text.len() > 17 {
        return true;
    }
    let bare = text.strip_prefix('*').unwrap_or(text).trim();
    !bare.is_empty() && !ABSENT.iter().any(|marker| marker.eq_ignore_ascii_case(bare))
}

/// A [`date`] as it is written in records: the start of what was read, where that is one.
pub fn day(raw: &str) -> Result<Option<Cow<'_, str>>, Unreadable> {
    let Some(day) = date(raw)? else { return Ok(None) };
    let is_as_written = |start: &&str| start.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let start = raw.get(.."2024-01-31".len()).filter(is_as_written);
    Ok(Some(start.map_or_else(|| day.to_string().into(), Cow::from)))
}

/// A day: `2024-01-31`, `2024/01/31`, or the day a timestamp begins with. The first day of all is how databases write
/// "none"; other days of other centuries are typing errors.
pub fn date(raw: &str) -> Result<Option<Date>, Unreadable> {
    let Some(text) = as_line(raw).filter(|text| !text.starts_with("0001-01-01")) else {
        return Ok(None);
    };
    let text = match text.contains('/') {
        true => Cow::Owned(text.replace('/', "-")),
        false => text,
    };
    let day = Date::parse_prefix(&text).map_err(|_| Unreadable)?;
    match text.get(..2) {
        Some("19" | "20" | "21") => Ok(Some(day)),
        _ => Err(Unreadable),
    }
}

/// An amount in dollars and cents: `1234.50`, `1,234.50 $`, `3 500,25 $`, `-12`. More than cents are two amounts run together
/// (`500.00500`) or none, unless zeros: `500.000000`. Zero is an amount; see [`given_amount`].
pub fn amount(raw: &str) -> Result<Option<f64>, Unreadable> {
    let amount = number(raw)?;
    match amount {
        Some(amount) if ((amount * 100.0).round() / 100.0 - amount).abs() > amount.abs() * f64::EPSILON => {
            Err(Unreadable)
        }
        amount => Ok(amount),
    }
}

/// An amount, a rate or a factor, of any fineness. Commas before a point part thousands; one behind it is none of ours.
fn number(raw: &str) -> Result<Option<f64>, Unreadable> {
    let Some(text) = as_line(raw) else { return Ok(None) };
    if is_plain(&text) {
        return parsed(&text);
    }
    let mut digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != '$').collect();
    match (digits.rfind(','), digits.contains('.')) {
        (Some(_), true) if !parts_thousands(&digits) => return Err(Unreadable),
        (Some(_), true) => digits = digits.replace(',', ""),
        (Some(comma), false) if digits.len() - comma == 4 => digits = digits.replace(',', ""),
        (Some(_), false) => digits = digits.replace(',', "."),
        (None, _) => {}
    }
    match is_plain(&digits) {
        true => parsed(&digits),
        false => Err(Unreadable),
    }
}

/// Whether nothing but digits, signs and points are there.
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

/// Whether every comma stands before the point, with three digits up to the next sign behind it.
fn parts_thousands(digits: &str) -> bool {
    let (whole, cents) = digits.split_once('.').unwrap_or((digits, ""));
    let three = |group: &str| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
    !cents.contains(',') && whole.split(',').skip(1).all(three)
}

/// An amount where the publisher writes `0.000000` for "not given", or a rate of more than cents.
pub fn given_amount(raw: &str) -> Result<Option<f64>, Unreadable> {
    Ok(number(raw)?.filter(|amount| *amount != 0.0))
}

/// An organization's name without the full stops and blanks that registrars leave behind: `Ville de Mascouche.`,
/// `Municipalité de Lanoraie .`; the one of an abbreviation stays (`Décarel Inc..` → `Décarel Inc.`).
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
        // The one sign cut off is the abbreviation's stop.
        (0, _) | (1, true) => name,
        (_, true) => Cow::Owned(format!("{bare}.")),
        (_, false) => Cow::Owned(bare.to_owned()),
    };
    is_present(&name).then_some(name)
}

const ABBREVIATIONS: [&str; 9] = ["inc", "ltd", "co", "corp", "enr", "c", "l", "p", "a"];

/// A postal code without its blank.
pub fn postal_code(raw: &str) -> Option<String> {
    let code = line(raw)?.replace(' ', "").to_uppercase();
    (code != "NA").then_some(code)
}

/// HTML's entities to characters and `<br>` to a line break; anything else as it is.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'&', b'<', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr2(b'&', b'<', rest.as_bytes()) {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        rest = match entity(after).or_else(|| line_break(after)) {
            Some((c, length)) => {
                text.push(c);
                &after[length..]
            }
            None => {
                text.push_str(&after[..1]);
                &after[1..]
            }
        };
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character that the entity at the start of `text` stands for, and the entity's length.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(LONGEST_ENTITY).position(|b| b == b';')?;
    let c = entity_character(text.get(1..end)?)?;
    Some((c, end + 1))
}

/// As long as the longest of HTML's names, `CounterClockwiseContourIntegral`, with its signs.
const LONGEST_ENTITY: usize = 33;

/// `eacute`, `#233` or `#xE9` → `é`.
pub fn entity_character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| !c.is_control() || c.is_whitespace());
    }
    let at = NAMED_ENTITIES
        .binary_search_by_key(&name.as_bytes(), |(known, _)| known)
        .ok()?;
    let mut text = NAMED_ENTITIES[at].1.chars();
    // A few stand for a letter and a mark; no publisher's text has them.
    text.next().filter(|_| text.next().is_none())
}

fn line_break(text: &str) -> Option<(char, usize)> {
    ["<br>", "<br/>", "<br />"]
        .iter()
        .find(|tag| {
            text.get(..tag.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(tag))
        })
        .map(|tag| ('\n', tag.len()))
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
    fn html_is_read_and_blanks_collapse() {
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
    fn a_line_as_it_stands_has_no_blank_but_one() {
        for blank in (char::MIN..=char::MAX).filter(|c| c.is_whitespace() && *c != ' ') {
            assert!(
                !is_line(&format!("a{blank}b")) && !is_line(&format!("é{blank}b")),
                "{blank:?}"
            );
            assert_eq!(line(&format!("a{blank}b")).as_deref(), Some("a b"), "{blank:?}");
        }
        for as_it_stands in ["l’été – à 20 °C", "«R & D», 5 € …", "fin &", "a b"] {
            assert!(is_line(as_it_stands), "{as_it_stands}");
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
    fn a_list_loses_stars_doubles_and_absence() {
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
    fn a_day_is_written_as_it_was_where_it_was_written_so() {
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
        fn every_rule_is_total(raw in "[&;#xa-z0-9<>br/*\\-., \u{e9}\n$]{0,40}") {
            let _ = (line(&raw), block(&raw), list(&raw), date(&raw), amount(&raw), organization(&raw));
        }

        /// What is taken for a line as it stands is one by all rules: signs of each, and what text encoded twice is made of.
        #[test]
        fn a_line_as_it_stands_is_one(raw in "[a<&; \t\u{7f}\u{0}\u{a0}\u{85}\u{c2}\u{c3}\u{c5}\u{e2}\u{82}\u{83}\u{a2}\u{e9}\u{a9}\u{20ac}\u{1680}\u{2009}\u{2019}\u{2028}\u{202f}\u{205f}\u{2082}\u{3000}]{0,12}") {
            prop_assert_eq!(as_line(&raw).map(Cow::into_owned), made_line(&raw));
        }

        /// Whoever looks at bytes one by one agrees with who looks at many at once.
        #[test]
        fn a_plain_line_is_one_by_all_rules(raw in "[ -~]{0,40}|[a-c ]{0,40}") {
            prop_assert_eq!(as_line(&raw).map(Cow::into_owned), made_line(&raw));
            prop_assert!(!is_plain_line(raw.as_bytes()) || is_accented_line(raw.as_bytes()));
        }
    }
}
