//! The period among the words of a search: a year, a month, or several years.

use std::ops::RangeInclusive;

use crate::{
    model::Date,
    question::{
        amounts,
        words::{MAX_NAME_WORDS, Word, is_in, joined, remove_phrase, without_marks},
    },
};

/// Years that a search may be about.
const YEARS: RangeInclusive<i32> = 1990..=2099;

/// This year and the one before.
const THIS_YEAR: &str = "cette annee|this year";
const LAST_YEAR: &str = "annee derniere|annee passee|an dernier|an passe|last year";

/// The months in the order of the year, in both languages.
const MONTHS: [[&str; 2]; 12] = [
    ["january", "janvier"],
    ["february", "fevrier"],
    ["march", "mars"],
    ["april", "avril"],
    ["may", "mai"],
    ["june", "juin"],
    ["july", "juillet"],
    ["august", "aout"],
    ["september", "septembre"],
    ["october", "octobre"],
    ["november", "novembre"],
    ["december", "decembre"],
];

/// What comes before a year: the first of a period without an end, the first of two, and others that do not name the
/// period ("before 2015").
pub(crate) const SINCE: &str = "a compter de|a partir de|depuis|since";
pub(crate) const BETWEEN: &str = "between|de|entre|from";
const OTHER_BOUNDS: &str = "after|apres|avant|before|moins de|over|plus de|than|to|under|until";

/// What is between the months or the years of a period.
const TO: &str = "a|and|et|to|until";

/// What else is between years that are asked for together: with [`TO`], or nothing, each of them or a period.
const TOGETHER: &str = "against|compare a|compared to|compared with|contre|or|ou|par rapport a|versus|vs";

/// What is before a year, and before several.
const IN: &str = "de|en|in|of";
const YEARS_ARE: &str = "annees|years";

/// What is before the two years of a fiscal year, or the first of them. The federal government and provinces count
/// from April to March; municipalities mostly count calendar years, which people do not call so.
const FISCAL: &str = "\
    annee financiere|annee fiscale|annees financieres|exercice|exercice financier|financial year|fiscal|fiscal year|\
    fiscal years|fy";

/// A period, as the words state it. A day is written as `2015`, `2015-03` or `2015-04-01`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Period {
    pub(crate) first: String,
    /// `None` if it has no end.
    pub(crate) last: Option<String>,
    pub(crate) label: String,
}

impl Period {
    /// Removes the only period of the words.
    pub(crate) fn take(written: &mut Vec<Word>, today: Date) -> Option<Period> {
        if (0..written.len()).any(|number| is_fiscal(written, number).is_some()) {
            return Period::take_fiscal(written);
        }
        let is_year = |number: &usize| is_year(&written[*number].1) && !amounts::has_unit(&written[*number..]);
        let years: Vec<usize> = (0..written.len()).filter(is_year).collect();
        match years[..] {
            [] => Period::take_relative(written, today.year()),
            [year] => Period::take_one(written, year),
            _ => Period::take_several(written, &years),
        }
    }

    /// Whether it is of more than one year, and has an end.
    pub(crate) fn has_several_years(&self) -> bool {
        let year = |day: &str| day.get(..4).map(str::to_owned);
        let last = self.last.as_deref();
        last.is_some_and(|last| year(last) != year(&self.first))
    }

    fn take_relative(written: &mut Vec<Word>, this_year: i32) -> Option<Period> {
        let year = if remove_phrase(written, THIS_YEAR) {
            this_year
        } else if remove_phrase(written, LAST_YEAR) {
            this_year - 1
        } else {
            return None;
        };
        Some(Period {
            first: year.to_string(),
            last: Some(year.to_string()),
            label: year.to_string(),
        })
    }

    /// "2023-24", "fiscal year 2023-2024", "since FY 2023".
    fn take_fiscal(written: &mut Vec<Word>) -> Option<Period> {
        let mut found = (0..written.len()).filter_map(|number| Some((is_fiscal(written, number)?, number)));
        let (Some(((year, from), last)), None) = (found.next(), found.next()) else {
            return None;
        };
        let has_other = written
            .iter()
            .enumerate()
            .any(|(number, (_, folded))| number != last && is_year(folded));
        if has_other {
            return None;
        }
        if ends_with(written, from, OTHER_BOUNDS).is_some() || is_until(written, from) {
            return None;
        }
        let since = ends_with(written, from, SINCE).filter(|_| from > 0);
        let named = without_marks(&written[since.unwrap_or(from)..=last]);
        let label = match since {
            Some(_) => format!("{named} ({year}-04)"),
            None => format!("{named} ({year}-04–{}-03)", year + 1),
        };
        written.drain(since.unwrap_or(from)..=last);
        Some(Period {
            first: format!("{year}-04-01"),
            last: since.is_none().then(|| format!("{}-03-31", year + 1)),
            label,
        })
    }

    /// "2015", "March 2015", "since 2015". `None` if the words state more: "15 March 2015", "May to July 2015".
    fn take_one(written: &mut Vec<Word>, year: usize) -> Option<Period> {
        let month_of = |number: usize| month(&written[number].1);
        let month = year.checked_sub(1).and_then(month_of);
        let from = year - usize::from(month.is_some());
        let is_day = |number: usize| written[number].1.parse().is_ok_and(|day: u32| (1..=31).contains(&day));
        let has_day = from > 0 && is_day(from - 1);
        let has_months = month.is_some() && from > 1 && is_in(TO, &written[from - 1].1) && month_of(from - 2).is_some();
        let has_bound = ends_with(written, from, OTHER_BOUNDS).is_some();
        if has_bound || has_day || has_months || is_until(written, from) {
            return None;
        }
        let since = ends_with(written, from, SINCE);
        let first = match month {
            Some(month) => format!("{}-{month:02}", written[year].1),
            None => written[year].1.clone(),
        };
        let from = since.unwrap_or(from);
        let label = without_marks(&written[from..=year]);
        written.drain(from..=year);
        Some(Period {
            last: since.is_none().then(|| first.clone()),
            first,
            label,
        })
    }

    /// "2015 to 2018", "entre 2015 et 2018", "2023 vs 2024", "2022, 2023 ou 2024": all years from the first to the
    /// last. `None` if the words state more, or other words are between the years.
    fn take_several(written: &mut Vec<Word>, years: &[usize]) -> Option<Period> {
        let is_together = |pair: &[usize]| is_between_years(&written[pair[0] + 1..pair[1]]);
        let (from, to) = (*years.first()?, *years.last()?);
        let has_bound = ends_with(written, from, OTHER_BOUNDS).is_some() || ends_with(written, from, SINCE).is_some();
        let is_part = from > 0 && (month(&written[from - 1].1).is_some() || is_until(written, from));
        if has_bound || is_part || !years.windows(2).all(is_together) {
            return None;
        }
        let named = years.iter().map(|number| written[*number].1.clone());
        let (first, last) = (named.clone().min()?, named.max()?);
        if first == last {
            return None;
        }
        let mut start = from;
        for list in [YEARS_ARE, BETWEEN] {
            start -= usize::from(start > 0 && is_in(list, &written[start - 1].1));
        }
        written.drain(start..=to);
        Some(Period {
            label: format!("{first}–{last}"),
            first,
            last: Some(last),
        })
    }
}

/// Whether words between two years only join these: "vs", "et en".
fn is_between_years(words: &[Word]) -> bool {
    let is_joint = |words: &[Word]| words.is_empty() || [TO, TOGETHER].iter().any(|list| is_in(list, &joined(words)));
    let before_in = words.split_last().filter(|((_, last), _)| is_in(IN, last));
    is_joint(words) || before_in.is_some_and(|(_, rest)| is_joint(rest))
}

/// Where the words of a list begin that end before a word.
fn ends_with(written: &[Word], end: usize, list: &str) -> Option<usize> {
    let mut starts = end.saturating_sub(MAX_NAME_WORDS)..end;
    starts.find(|start| is_in(list, &joined(&written[*start..end])))
}

/// "jusqu’en 2015"
fn is_until(written: &[Word], year: usize) -> bool {
    year > 0 && written[year - 1].0.to_lowercase().starts_with("jusqu")
}

/// What numbers are after: "appel d'offres 2009-10".
const NUMBERED: &str = "\
    appel|avis|contract|contrat|dossier|file|no|notice|number|numero|offre|offres|project|projet|rfp|rfq|solicitation|\
    soumission|tender";

/// The first year of the fiscal year at a word, and where its words begin.
fn is_fiscal(written: &[Word], number: usize) -> Option<(i32, usize)> {
    let named = ends_with(written, number, FISCAL);
    let year = fiscal_year(&written[number].1, named.is_some())?;
    let is_number = number > 0 && is_in(NUMBERED, &written[number - 1].1);
    (!is_number).then_some((year, named.unwrap_or(number)))
}

/// Whether a folded word begins, or is, a fiscal year.
pub(crate) fn begins_fiscal_year(folded: &str) -> bool {
    is_in(FISCAL, folded) || fiscal_year(folded, false).is_some()
}

/// The first year of a fiscal year: "2023-24", "FY2023-24"; "2023-2024" and a single year only if they are called
/// fiscal.
fn fiscal_year(folded: &str, is_called_so: bool) -> Option<i32> {
    let years = folded.strip_prefix("fy").unwrap_or(folded);
    let is_called_so = is_called_so || years != folded;
    let (first, next) = years
        .split_once(' ')
        .map_or((years, None), |(first, next)| (first, Some(next)));
    let year: i32 = first.parse().ok().filter(|_| is_year(first))?;
    let is_next =
        |next: &str| is_called_so && next == (year + 1).to_string() || next == format!("{:02}", (year + 1) % 100);
    next.map_or(is_called_so, is_next).then_some(year)
}

/// Whether a folded word is a year that a search may be about.
pub(crate) fn is_year(folded: &str) -> bool {
    folded.len() == 4 && folded.parse().is_ok_and(|year| YEARS.contains(&year))
}

pub(crate) fn month(word: &str) -> Option<usize> {
    MONTHS
        .iter()
        .position(|names| names.contains(&word))
        .map(|number| number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::words::words;

    /// The first and the last day of a period, its label, and the words that are left.
    type Expected = Option<(&'static str, Option<&'static str>, &'static str, &'static str)>;

    #[track_caller]
    fn assert_period(text: &str, expected: Expected) {
        let mut written = words(text);
        let found = Period::take(&mut written, Date::parse("2026-11-29").unwrap());
        let found = found
            .as_ref()
            .map(|of| (of.first.as_str(), of.last.as_deref(), of.label.as_str()));
        let left: Vec<&str> = written.iter().map(|(word, _)| *word).collect();
        let left = left.join(" ");
        let expected_period = expected.map(|(first, last, label, _)| (first, last, label));
        assert_eq!(found, expected_period, "{text}");
        assert_eq!(left, expected.map_or(text, |(.., left)| left), "{text}");
    }

    #[test]
    fn a_period_is_one_year_or_month_or_what_is_between_two_years() {
        for (text, expected) in [
            ("paving 2015?", Some(("2015", Some("2015"), "2015", "paving"))),
            (
                "closing in March 2024",
                Some(("2024-03", Some("2024-03"), "March 2024", "closing in")),
            ),
            ("août, 2016", Some(("2016-08", Some("2016-08"), "août 2016", ""))),
            ("may 2015", Some(("2015-05", Some("2015-05"), "may 2015", ""))),
            ("depuis 2019", Some(("2019", None, "depuis 2019", ""))),
            ("since May 2019", Some(("2019-05", None, "since May 2019", ""))),
            (
                "sel entre 2015 et 2018",
                Some(("2015", Some("2018"), "2015–2018", "sel")),
            ),
            ("salt 2015 to 2018", Some(("2015", Some("2018"), "2015–2018", "salt"))),
            ("paving this year", Some(("2026", Some("2026"), "2026", "paving"))),
            ("l’an dernier", Some(("2025", Some("2025"), "2025", ""))),
            ("sel à partir de 2019", Some(("2019", None, "à partir de 2019", "sel"))),
            ("before 2015", None),
            ("more than 2000 litres of diesel", None),
            ("prior to 2015", None),
            ("jusqu’en 2015", None),
            ("closing 15 mars 2024", None),
            ("March 15, 2024", None),
            ("between March and May 2024", None),
            ("over $2000", None),
            ("moins de 2000 $", None),
            ("2000 dollars", None),
            ("contract 02015", None),
            ("après mars 2015", None),
            ("march", None),
        ] {
            assert_period(text, expected);
        }
    }

    #[test]
    fn a_fiscal_year_ends_in_march() {
        let of_2023 = |label, left| Some(("2023-04-01", Some("2024-03-31"), label, left));
        let text = "exercice 2023-2024 (2023-04–2024-03)";
        for (text, expected) in [
            (
                "salt fiscal year 2023-24",
                of_2023("fiscal year 2023-24 (2023-04–2024-03)", "salt"),
            ),
            ("exercice 2023-2024 sel", of_2023(text, "sel")),
            ("salt FY2023/24", of_2023("FY2023/24 (2023-04–2024-03)", "salt")),
            ("salt 2023-24", of_2023("2023-24 (2023-04–2024-03)", "salt")),
            ("fiscal 2023", of_2023("fiscal 2023 (2023-04–2024-03)", "")),
            (
                "since FY 2023-24",
                Some(("2023-04-01", None, "since FY 2023-24 (2023-04)", "")),
            ),
            ("before 2023-24", None),
            ("before fiscal 2023", None),
            ("fiscal years 2021 and 2022", None),
            ("salt 2023-2024", None),
            ("appel d'offres 2009-10", None),
            ("call 2023-27", None),
            ("call 2023-2400", None),
        ] {
            assert_period(text, expected);
        }
    }

    #[test]
    fn years_that_only_joining_words_separate_are_a_period() {
        for (text, expected) in [
            ("audit 2015 2016", Some(("2015", Some("2016"), "2015–2016", "audit"))),
            ("2018 to 2015", Some(("2015", Some("2018"), "2015–2018", ""))),
            ("2014 to 2015 or 2016", Some(("2014", Some("2016"), "2014–2016", ""))),
            (
                "salt in 2023 vs 2024",
                Some(("2023", Some("2024"), "2023–2024", "salt in")),
            ),
            ("2023 vs. in 2024", Some(("2023", Some("2024"), "2023–2024", ""))),
            ("sel de 2022 à 2024", Some(("2022", Some("2024"), "2022–2024", "sel"))),
            (
                "sel, années 2022, 2023 ou 2024",
                Some(("2022", Some("2024"), "2022–2024", "sel,")),
            ),
            ("2015 2015", None),
            ("before 2015 or 2016", None),
            ("since 2015 or 2016", None),
            ("2015 salt 2016", None),
            ("March 2015 to 2016", None),
            ("2015 to March 2016", None),
            ("moins de 2000 ou 2001", None),
        ] {
            assert_period(text, expected);
        }
    }
}
