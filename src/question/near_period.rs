//! Periods that begin or end today: "in the next three months", "les 5 dernières années", "next year", "before March
//! 2027".

use crate::{
    model::Date,
    question::{
        period::{Period, is_year, month},
        words::{Word, is_in, without_marks},
    },
};

/// Units of the calendar, of which one is meant without a number: "last year", not "ces dernières années".
const ONE: &str = "an|annee|mois|month|semaine|week|year";
/// What says which one, before it, and in French after it. "Past" is no direction of the calendar: the past year ends
/// today.
const BEFORE_ONE: &str = "dernier|derniere|last|next|previous|prochain|prochaine";
const AFTER_ONE: &str = "dernier|derniere|passe|passee|prochain|prochaine";
const PAST: &str = "past";

/// What a length of time is counted in.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Days(i32),
    Months(i32),
}

const UNITS: [(&str, Unit); 4] = [
    ("day|days|jour|jours", Unit::Days(1)),
    ("semaine|semaines|week|weeks", Unit::Days(7)),
    ("mois|month|months", Unit::Months(1)),
    ("an|annee|annees|ans|year|years", Unit::Months(12)),
];

/// Numbers that people write as words, from one.
const NUMBERS: [&str; 12] = [
    "one|un|une",
    "deux|two",
    "three|trois",
    "four|quatre",
    "cinq|five",
    "six",
    "sept|seven",
    "eight|huit",
    "neuf|nine",
    "dix|ten",
    "eleven|onze",
    "douze|twelve",
];

/// The longest time, in units.
const LONGEST: i32 = 120;

const NEXT: &str = "coming|following|next|prochain|prochaine|prochaines|prochains|upcoming";
const LAST: &str = "dernier|derniere|dernieres|derniers|last|past|previous";
/// What is before a number of units to come: "in 3 months", "d'ici 3 mois".
const WITHIN: &str = "dans|ici|in|within";
/// What is before the last day.
const BEFORE: &str = "avant|before";
const BY: &str = "by|ici|until";

/// What else a period begins with: "dans les", "over the", "au cours des".
const STARTS: &str = "au|dans|des|during|for|ici|in|la|le|les|over|pendant|the|within";

/// What follows words that say which days a period is about.
pub(super) const BEGINS: [&str; 5] = [NEXT, LAST, WITHIN, BEFORE, BY];

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Next,
    Last,
}

/// Removes the words of a period that ends today; of the ends of contracts or calls, also of one that begins today.
pub(super) fn take(written: &mut Vec<Word>, today: Date, may_come: bool) -> Option<Period> {
    let found = (0..written.len()).find_map(|at| length(written, at, may_come).or_else(|| calendar(written, at)))?;
    let (direction, number, unit, mut from, to) = found;
    if direction == Direction::Next && !may_come {
        return None;
    }
    let (first, last) = match (direction, number) {
        (Direction::Next, Some(number)) => (today, later(today, number, unit)),
        (Direction::Last, Some(number)) => (later(today, -number, unit), today),
        (direction, None) => calendar_days(today, direction, unit)?,
    };
    let label = format!("{} ({first}–{last})", without_marks(&written[from..=to]));
    while from > 0 && is_in(STARTS, &written[from - 1].1) {
        from -= 1;
        // "Au cours des"
        if from > 1 && written[from - 1].1 == "cours" && written[from - 2].1 == "au" {
            from -= 1;
        }
    }
    written.drain(from..=to);
    Some(Period {
        first: first.to_string(),
        last: Some(last.to_string()),
        label,
    })
}

/// Removes "before March 2027" or "by 2027": from today to the last day before, or to the last day of it.
pub(super) fn take_until(written: &mut Vec<Word>, today: Date) -> Option<Period> {
    let years = (0..written.len()).filter(|number| is_year(&written[*number].1));
    let [year] = years.collect::<Vec<_>>()[..] else {
        return None;
    };
    let month = year.checked_sub(1).and_then(|number| month(&written[number].1));
    let bound = (year - usize::from(month.is_some())).checked_sub(1)?;
    let first = Date::parse(&format!("{}-{:02}-01", written[year].1, month.unwrap_or(1))).ok()?;
    let end = if is_in(BEFORE, &written[bound].1) {
        first
    } else if is_in(BY, &written[bound].1) {
        first.months_later(if month.is_some() { 1 } else { 12 })
    } else {
        return None;
    };
    let last = end.days_before(1);
    let label = format!("{} ({today}–{last})", without_marks(&written[bound..=year]));
    if last < today {
        return None;
    }
    written.drain(bound..=year);
    Some(Period {
        first: today.to_string(),
        last: Some(last.to_string()),
        label,
    })
}

/// A direction, a number of units or a unit of the calendar, the unit, and the first and the last of the words.
type Found = (Direction, Option<i32>, Unit, usize, usize);

/// "next three months", "3 derniers mois", "within 90 days", where the unit is.
fn length(written: &[Word], at: usize, may_come: bool) -> Option<Found> {
    let unit = unit(&written[at].1)?;
    if at > 0 && is_in(PAST, &written[at - 1].1) && is_in(ONE, &written[at].1) {
        return Some((Direction::Last, Some(1), unit, at - 1, at));
    }
    let [.., (_, first), (_, second)] = &written[..at] else {
        return None;
    };
    let is_within = may_come && is_in(WITHIN, first);
    let (direction, number) = match (direction(first), direction(second)) {
        (Some(direction), None) => (direction, number(second)?),
        (None, Some(direction)) => (direction, number(first)?),
        (None, None) if is_within => (Direction::Next, number(second)?),
        _ => return None,
    };
    let from = at - if is_within { 1 } else { 2 };
    Some((direction, Some(number), unit, from, at))
}

/// "next year", "le mois dernier", where the unit is.
fn calendar(written: &[Word], at: usize) -> Option<Found> {
    let unit = unit(&written[at].1).filter(|_| is_in(ONE, &written[at].1))?;
    let of = |number: usize, list: &str| {
        let (_, folded) = written.get(number).filter(|(_, folded)| is_in(list, folded))?;
        direction(folded)
    };
    if let Some(direction) = at.checked_sub(1).and_then(|before| of(before, BEFORE_ONE)) {
        return Some((direction, None, unit, at - 1, at));
    }
    Some((of(at + 1, AFTER_ONE)?, None, unit, at, at + 1))
}

/// All days of the next or the last month or year; of a week, the seven days after or before today.
fn calendar_days(today: Date, direction: Direction, unit: Unit) -> Option<(Date, Date)> {
    let sign = if direction == Direction::Next { 1 } else { -1 };
    let Unit::Months(months) = unit else {
        let other = later(today, sign, unit);
        return Some((today.min(other), today.max(other)));
    };
    let begins = match months {
        1 => format!("{:04}-{:02}-01", today.year(), today.month()),
        _ => format!("{:04}-01-01", today.year()),
    };
    let first = Date::parse(&begins).ok()?.months_later(sign * months);
    Some((first, first.months_later(months).days_before(1)))
}

fn later(day: Date, number: i32, unit: Unit) -> Date {
    match unit {
        Unit::Days(days) => Date::from_days(day.days() + number * days).unwrap_or(day),
        Unit::Months(months) => day.months_later(number * months),
    }
}

fn unit(folded: &str) -> Option<Unit> {
    let found = UNITS.iter().find(|(names, _)| is_in(names, folded));
    found.map(|(_, unit)| *unit)
}

fn direction(folded: &str) -> Option<Direction> {
    let directions = [(NEXT, Direction::Next), (LAST, Direction::Last)];
    let found = directions.into_iter().find(|(words, _)| is_in(words, folded));
    found.map(|(_, direction)| direction)
}

fn number(folded: &str) -> Option<i32> {
    let named = NUMBERS.iter().position(|names| is_in(names, folded));
    let named = named.map(|place| place as i32 + 1);
    named.or_else(|| folded.parse().ok().filter(|number| (1..=LONGEST).contains(number)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::words::words;

    fn today() -> Date {
        Date::parse("2026-11-29").unwrap()
    }

    #[track_caller]
    fn assert_period(found: Option<Period>, expected: Option<[&str; 3]>, text: &str) {
        let found = found.map(|of| [of.first, of.last.unwrap_or_default(), of.label]);
        assert_eq!(found, expected.map(|of| of.map(str::to_owned)), "{text}");
    }

    #[test]
    fn a_length_of_time_ends_or_begins_today() {
        let to_february = |label| Some(["2026-11-29", "2027-02-28", label]);
        for (text, expected, left) in [
            (
                "salt in the next three months",
                to_february("next three months (2026-11-29–2027-02-28)"),
                "salt",
            ),
            (
                "dans les 3 prochains mois sel",
                to_february("3 prochains mois (2026-11-29–2027-02-28)"),
                "sel",
            ),
            ("d'ici 3 mois", to_february("3 mois (2026-11-29–2027-02-28)"), ""),
            (
                "within 90 days",
                Some(["2026-11-29", "2027-02-27", "90 days (2026-11-29–2027-02-27)"]),
                "",
            ),
            (
                "over the last 2 years, salt",
                Some(["2024-11-29", "2026-11-29", "last 2 years (2024-11-29–2026-11-29)"]),
                "salt",
            ),
            (
                "sel au cours des cinq dernières années",
                Some([
                    "2021-11-29",
                    "2026-11-29",
                    "cinq dernières années (2021-11-29–2026-11-29)",
                ]),
                "sel",
            ),
            (
                "next year",
                Some(["2027-01-01", "2027-12-31", "next year (2027-01-01–2027-12-31)"]),
                "",
            ),
            (
                "le mois dernier",
                Some(["2026-10-01", "2026-10-31", "mois dernier (2026-10-01–2026-10-31)"]),
                "",
            ),
            (
                "last week",
                Some(["2026-11-22", "2026-11-29", "last week (2026-11-22–2026-11-29)"]),
                "",
            ),
            (
                "salt in the past year",
                Some(["2025-11-29", "2026-11-29", "past year (2025-11-29–2026-11-29)"]),
                "salt",
            ),
            (
                "coût des cours des 3 dernières années",
                Some(["2023-11-29", "2026-11-29", "3 dernières années (2023-11-29–2026-11-29)"]),
                "coût des cours",
            ),
            ("sel ces dernières années", None, "sel ces dernières années"),
            ("accounts 3 months past due", None, "accounts 3 months past due"),
            ("next day delivery", None, "next day delivery"),
            ("three months", None, "three months"),
            ("last 500 years", None, "last 500 years"),
            ("last mile", None, "last mile"),
        ] {
            let mut written = words(text);
            assert_period(take(&mut written, today(), true), expected, text);
            assert_eq!(without_marks(&written), left, "{text}");
        }
    }

    #[test]
    fn records_are_of_no_time_to_come() {
        for text in ["in the next three months", "within 90 days", "in 2 years", "next year"] {
            let mut written = words(text);
            assert_period(take(&mut written, today(), false), None, text);
            assert_eq!(without_marks(&written), text);
        }
        assert!(take(&mut words("last 3 months"), today(), false).is_some());
    }

    #[test]
    fn a_last_day_is_before_or_in_a_month_or_a_year() {
        let until = |last, label| Some(["2026-11-29", last, label]);
        for (text, expected) in [
            (
                "before March 2027",
                until("2027-02-28", "before March 2027 (2026-11-29–2027-02-28)"),
            ),
            ("avant 2028", until("2027-12-31", "avant 2028 (2026-11-29–2027-12-31)")),
            ("by 2027", until("2027-12-31", "by 2027 (2026-11-29–2027-12-31)")),
            (
                "d'ici mars 2027",
                until("2027-03-31", "d'ici mars 2027 (2026-11-29–2027-03-31)"),
            ),
            ("before 2020", None),
            ("in 2027", None),
            ("before 15 March 2027", None),
            ("between 2027 and 2028", None),
        ] {
            assert_period(take_until(&mut words(text), today()), expected, text);
        }
    }
}
