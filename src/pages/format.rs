//! Numbers, money, dates and names as Canadian English and Canadian French write them.
//!
//! Small enough to be the project's own: two languages, one calendar, one currency in almost every record.

use crate::model::{Date, Language, digit_groups, fold::fold};

const NO_BREAK: char = '\u{a0}';
const THIN_NO_BREAK: char = '\u{202f}';
const MINUS: char = '\u{2212}';

/// Dollars; larger amounts are written with a power of ten.
const MAX_IN_DIGITS: f64 = 1e15;

/// The currency of a record that states none.
pub(crate) const CAD: &str = "CAD";

const MONTHS: [[&str; 12]; 2] = [
    [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
];

/// As the axis of a chart shows them.
const SHORT_MONTHS: [[&str; 12]; 2] = [
    [
        "Jan", "Feb", "Mar", "Apr", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec",
    ],
    [
        "janv.", "févr.", "mars", "avril", "mai", "juin", "juill.", "août", "sept.", "oct.", "nov.", "déc.",
    ],
];

/// A whole number: `1,234,567` or `1 234 567`.
pub(crate) fn count(language: Language, number: u64) -> String {
    grouped(language, &number.to_string())
}

/// A number with at most so many decimals, without zeros at its end.
pub(crate) fn decimal(language: Language, number: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", number.abs());
    let text = match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.'),
        None => text.as_str(),
    };
    signed(number, text, fixed(language, text))
}

/// An exact amount, to the cent: `$1,234,567.89` or `1 234 567,89 $`.
pub(crate) fn money(language: Language, amount: f64, currency: &str) -> String {
    if amount.abs() >= MAX_IN_DIGITS {
        return in_powers_of_ten(language, amount, currency);
    }
    let digits = format!("{:.2}", amount.abs());
    signed(
        amount,
        &digits,
        with_symbol(language, &fixed(language, &digits), "", currency),
    )
}

/// An amount for sentences: `$1.2 million` or `1,2 M$`. Below a million, to the dollar.
pub(crate) fn money_rounded(language: Language, amount: f64, currency: &str) -> String {
    if amount.abs() >= MAX_IN_DIGITS {
        return in_powers_of_ten(language, amount, currency);
    }
    let (digits, unit) = scaled(amount, 1e6);
    let number = fixed(language, &digits);
    let text = match language {
        Language::English => {
            let word = match unit {
                Unit::Giga => "\u{a0}billion",
                Unit::Mega => "\u{a0}million",
                Unit::Kilo | Unit::One => "",
            };
            format!("{}{word}", with_symbol(language, &number, "", currency))
        }
        Language::French => with_symbol(language, &number, unit.letter(language), currency),
    };
    signed(amount, &digits, text)
}

/// A short amount for the axis of a chart: `$1.2M` or `1,2 M$`.
pub(crate) fn money_short(language: Language, amount: f64) -> String {
    if amount.abs() >= MAX_IN_DIGITS {
        return in_powers_of_ten(language, amount, CAD);
    }
    let (digits, unit) = scaled(amount, 1e3);
    let number = fixed(language, &digits);
    let text = match language {
        Language::English => format!("${number}{}", unit.letter(language)),
        Language::French => with_symbol(language, &number, unit.letter(language), CAD),
    };
    signed(amount, &digits, text)
}

/// An amount that no contract has, such as a mistyped one: `$1.0 × 10³⁰⁰`. All its digits would not fit on a page, and
/// most of them would be invented by the conversion.
fn in_powers_of_ten(language: Language, amount: f64, currency: &str) -> String {
    let scientific = format!("{:.1e}", amount.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: String = exponent.chars().map(superscript).collect();
    let number = format!("{}{NO_BREAK}×{NO_BREAK}10{power}", fixed(language, mantissa));
    signed(amount, mantissa, with_symbol(language, &number, "", currency))
}

fn superscript(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        '4'..='9' => char::from_u32('⁴' as u32 + (digit as u32 - '4' as u32)).unwrap_or(digit),
        other => other,
    }
}

/// A share from 0 to 1 in percent: `12%` or `12 %`. A small share has a decimal, and one that would be written as zero
/// is `<0.1%`, so that nothing that exists is shown as zero. A share just below the whole has a decimal too, up to
/// `>99.9%`: only the whole is `100%`.
pub(crate) fn percent(language: Language, share: f64) -> String {
    let percent = share * 100.0;
    // A share of sums may differ from the whole by a rounding error.
    let is_part = percent < 100.0 - 1e-9;
    let (shown, sign) = match percent {
        tiny if tiny > 0.0 && tiny < 0.05 => (0.1, "<"),
        nearly if nearly >= 99.95 && is_part => (99.9, ">"),
        other => (other, ""),
    };
    let has_decimal = (percent > 0.0 && percent < 9.95) || (percent >= 99.5 && is_part);
    let number = decimal(language, shown, usize::from(has_decimal));
    match language {
        Language::English => format!("{sign}{number}%"),
        Language::French if sign.is_empty() => format!("{number}{NO_BREAK}%"),
        Language::French => format!("{sign}{NO_BREAK}{number}{NO_BREAK}%"),
    }
}

/// The year, the name of the month and the day of a date; `None` for a year of more than four digits.
fn named_month(months: &[&'static str; 12], date: Date) -> Option<(usize, &'static str, usize)> {
    let iso = date.to_string();
    let part = |from: usize, to: usize| iso.get(from..to)?.parse::<usize>().ok();
    let name = months.get(part(5, 7)?.wrapping_sub(1))?;
    Some((part(0, 4)?, name, part(8, 10)?))
}

/// `November 22, 2026` or `22 novembre 2026`.
pub(crate) fn date(language: Language, date: Date) -> String {
    let Some((year, name, day)) = named_month(&MONTHS[language as usize], date) else {
        return date.to_string();
    };
    match language {
        Language::English => format!("{name}{NO_BREAK}{day}, {year}"),
        Language::French => {
            let ordinal = if day == 1 { "er" } else { "" };
            format!("{day}{ordinal}{NO_BREAK}{name} {year}")
        }
    }
}

/// A month, 1 to 12, on the axis of a chart: `Nov 2026` or `nov. 2026`.
pub(crate) fn short_month(language: Language, year: i32, month: u32) -> String {
    let name = SHORT_MONTHS[language as usize].get(month.wrapping_sub(1) as usize);
    match name {
        Some(name) => format!("{name}{NO_BREAK}{year}"),
        None => format!("{year:04}-{month:02}"),
    }
}

/// A day on the axis of a chart: `Nov 22, 2026` or `22 nov. 2026`.
pub(crate) fn short_date(language: Language, date: Date) -> String {
    let Some((year, name, day)) = named_month(&SHORT_MONTHS[language as usize], date) else {
        return date.to_string();
    };
    match language {
        Language::English => format!("{name}{NO_BREAK}{day}, {year}"),
        Language::French => format!("{day}{NO_BREAK}{name}{NO_BREAK}{year}"),
    }
}

/// A time of day: `5:00 p.m.` or `17 h`.
pub(crate) fn time(language: Language, hour: u32, minute: u32) -> String {
    match language {
        Language::English => {
            let half = if hour < 12 { "a.m." } else { "p.m." };
            let shown = if hour.is_multiple_of(12) { 12 } else { hour % 12 };
            format!("{shown}:{minute:02}{NO_BREAK}{half}")
        }
        Language::French if minute == 0 => format!("{hour}{NO_BREAK}h"),
        Language::French => format!("{hour}{NO_BREAK}h{NO_BREAK}{minute:02}"),
    }
}

/// Names sort by this key: without accents, case and punctuation, then by their own characters.
pub(crate) fn sort_key(name: &str) -> (String, String) {
    (fold(name), name.to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    One,
    Kilo,
    Mega,
    Giga,
}

impl Unit {
    const ALL: [Unit; 4] = [Unit::One, Unit::Kilo, Unit::Mega, Unit::Giga];

    fn size(self) -> f64 {
        match self {
            Unit::One => 1.0,
            Unit::Kilo => 1e3,
            Unit::Mega => 1e6,
            Unit::Giga => 1e9,
        }
    }

    fn letter(self, language: Language) -> &'static str {
        match (self, language) {
            (Unit::One, _) => "",
            (Unit::Kilo, _) => "k",
            (Unit::Mega, _) => "M",
            (Unit::Giga, Language::English) => "B",
            (Unit::Giga, Language::French) => "G",
        }
    }
}

/// The digits of an amount in the largest unit of at least `smallest` that is not above it. Two significant digits at
/// least; below `smallest`, whole dollars.
fn scaled(amount: f64, smallest: f64) -> (String, Unit) {
    let amount = amount.abs();
    let mut unit = Unit::One;
    for larger in Unit::ALL {
        // 999,950 is shown as 1 million: it would be rounded to it.
        if larger.size() >= smallest && amount >= larger.size() * 0.99995 {
            unit = larger;
        }
    }
    if unit == Unit::One {
        return (format!("{amount:.0}"), unit);
    }
    let number = amount / unit.size();
    let decimals = usize::from(number < 99.95);
    let text = format!("{number:.decimals$}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    (text.to_owned(), unit)
}

/// Digits with a point as the language writes them.
fn fixed(language: Language, digits: &str) -> String {
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let mut text = grouped(language, whole);
    if !decimals.is_empty() {
        text.push(match language {
            Language::English => '.',
            Language::French => ',',
        });
        text.push_str(decimals);
    }
    text
}

/// Digits in groups of three. French writes four digits without a space only in years, which are not numbers here.
fn grouped(language: Language, digits: &str) -> String {
    let separator = match language {
        Language::English => ',',
        Language::French => THIN_NO_BREAK,
    };
    digit_groups::grouped(digits, separator)
}

fn with_symbol(language: Language, number: &str, unit: &str, currency: &str) -> String {
    match (language, currency) {
        (Language::English, "" | CAD) => format!("${number}{unit}"),
        (Language::English, "USD") => format!("US${number}{unit}"),
        (Language::French, "" | CAD) => format!("{number}{NO_BREAK}{unit}$"),
        (Language::French, "USD") => format!("{number}{NO_BREAK}{unit}${NO_BREAK}US"),
        (_, other) => format!("{number}{unit}{NO_BREAK}{other}"),
    }
}

/// The text with a minus sign, if the number is negative and not shown as zero.
fn signed(number: f64, digits: &str, text: String) -> String {
    let is_zero = digits.bytes().all(|digit| matches!(digit, b'0' | b'.'));
    if number < 0.0 && !is_zero {
        format!("{MINUS}{text}")
    } else {
        text
    }
}

/// The maximum number of characters shown of a name or of a client's text on one line.
const MAX_SHOWN_CHARS: usize = 80;

/// A text that is cut where it is too long for a line.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use Language::{English, French};

    use super::*;

    #[test]
    fn numbers_follow_the_language() {
        assert_eq!(count(English, 1_234_567), "1,234,567");
        assert_eq!(count(French, 1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!((count(English, 0), count(French, 999)), ("0".into(), "999".into()));
        assert_eq!(decimal(English, -1234.50, 2), "\u{2212}1,234.5");
        assert_eq!(decimal(French, 0.25, 2), "0,25");
        assert_eq!(decimal(French, 1000.0, 2), "1\u{202f}000");
        assert_eq!(decimal(English, -0.001, 2), "0");
    }

    #[test]
    fn money_follows_the_language() {
        let amount = 1_234_567.891;
        assert_eq!(money(English, amount, CAD), "$1,234,567.89");
        assert_eq!(money(French, amount, CAD), "1\u{202f}234\u{202f}567,89\u{a0}$");
        assert_eq!(money(French, -5.0, ""), "\u{2212}5,00\u{a0}$");
        assert_eq!(money(English, 5.0, "USD"), "US$5.00");
        assert_eq!(money(English, 5.0, "EUR"), "5.00\u{a0}EUR");
        for (amount, english, french) in [
            (0.0, "$0", "0\u{a0}$"),
            (950.4, "$950", "950\u{a0}$"),
            (12_345.0, "$12,345", "12\u{202f}345\u{a0}$"),
            (999_960.0, "$1\u{a0}million", "1\u{a0}M$"),
            (1_234_567.0, "$1.2\u{a0}million", "1,2\u{a0}M$"),
            (412_345_678.0, "$412\u{a0}million", "412\u{a0}M$"),
            (-3_400_000_000.0, "\u{2212}$3.4\u{a0}billion", "\u{2212}3,4\u{a0}G$"),
        ] {
            assert_eq!(money_rounded(English, amount, CAD), english);
            assert_eq!(money_rounded(French, amount, CAD), french);
        }
        assert_eq!(money_short(English, 1_234_567.0), "$1.2M");
        assert_eq!(money_short(French, 12_000.0), "12\u{a0}k$");
        assert_eq!(money_short(French, 3e9), "3\u{a0}G$");
        assert_eq!(money_short(English, 3e9), "$3B");
    }

    #[test]
    fn any_float_is_written() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE] {
            for language in Language::ALL {
                assert!(!money(language, number, CAD).is_empty());
                assert!(!money_rounded(language, number, CAD).is_empty());
                assert!(!money_short(language, number).is_empty());
                assert!(!percent(language, number).is_empty());
            }
        }
    }

    #[test]
    fn an_absurd_amount_is_short() {
        for (amount, english, french) in [
            (1e15, "$1.0 × 10¹⁵", "1,0 × 10¹⁵ $"),
            (-4.56e29, "−$4.6 × 10²⁹", "−4,6 × 10²⁹ $"),
            (7.8e300, "$7.8 × 10³⁰⁰", "7,8 × 10³⁰⁰ $"),
        ] {
            for (language, expected) in [(Language::English, english), (Language::French, french)] {
                let shown = [
                    money(language, amount, CAD),
                    money_rounded(language, amount, CAD),
                    money_short(language, amount),
                ];
                for shown in shown {
                    assert_eq!(shown.replace([NO_BREAK, THIN_NO_BREAK], " "), expected);
                }
            }
        }
    }

    #[test]
    fn shares_and_dates_follow_the_language() {
        assert_eq!(percent(English, 0.123), "12%");
        assert_eq!(percent(French, 0.0123), "1,2\u{a0}%");
        assert_eq!(percent(French, 0.0), "0\u{a0}%");
        assert_eq!(
            (percent(English, 0.0005), percent(English, 0.000_499)),
            ("0.1%".into(), "<0.1%".into())
        );
        assert_eq!(percent(French, 1e-9), "<\u{a0}0,1\u{a0}%");
        // Only the whole is 100%.
        for (share, expected) in [
            (0.994, "99%"),
            (0.996, "99.6%"),
            (0.999_4, "99.9%"),
            (0.999_6, ">99.9%"),
            (1.0, "100%"),
            (1.0 - 1e-13, "100%"),
            (1.2, "120%"),
        ] {
            assert_eq!(percent(English, share), expected, "{share}");
        }
        assert_eq!(percent(French, 0.999_9), ">\u{a0}99,9\u{a0}%");
        let day = |text: &str| Date::parse(text).unwrap();
        assert_eq!(date(English, day("2026-11-22")), "November\u{a0}22, 2026");
        assert_eq!(date(French, day("2026-11-22")), "22\u{a0}novembre 2026");
        assert_eq!(date(French, day("2026-08-01")), "1er\u{a0}août 2026");
        assert_eq!(short_month(English, 2026, 7), "July\u{a0}2026");
        assert_eq!(short_month(French, 2026, 2), "févr.\u{a0}2026");
        assert_eq!(short_month(French, 2026, 13), "2026-13");
        assert_eq!(short_date(English, day("2026-11-02")), "Nov\u{a0}2, 2026");
        assert_eq!(short_date(French, day("2026-12-22")), "22\u{a0}déc.\u{a0}2026");
        assert_eq!(time(English, 17, 0), "5:00\u{a0}p.m.");
        assert_eq!(time(English, 0, 5), "12:05\u{a0}a.m.");
        assert_eq!(time(French, 17, 0), "17\u{a0}h");
        assert_eq!(time(French, 9, 30), "9\u{a0}h\u{a0}30");
    }

    #[test]
    fn names_sort_without_accents_and_case() {
        let mut names = ["Zone", "école", "Eau", "Édifice"];
        names.sort_by_key(|name| sort_key(name));
        assert_eq!(names, ["Eau", "école", "Édifice", "Zone"]);
    }
}
