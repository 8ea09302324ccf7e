//! Which years a chart draws, and which of them the sources do not cover.

use std::{collections::BTreeMap, ops::RangeInclusive};

use crate::{
    catalog::generation::{Extent, SourceCoverage},
    pages::{messages::Texts, source_names::source_name},
};

/// The records of a year.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct YearValue {
    pub(crate) year: i32,
    /// Number of records.
    pub(crate) count: u64,
    /// Sum of their values, in Canadian dollars; may be negative.
    pub(crate) total: f64,
    /// Whether the year is not over; its bars are hatched.
    pub(crate) is_running: bool,
}

/// A year that sources of the records do not cover, or of which they have a small part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YearGap {
    pub(super) year: i32,
    /// Whether no source covers it. Otherwise `sources` are those that do not; none if all have a small part.
    pub(crate) is_whole: bool,
    /// The identifiers of the sources that do not cover it, if they are few enough to be named.
    pub(super) sources: Vec<String>,
}

impl YearValue {
    /// Whether none of its records states a value, or only zero: no sum is known.
    pub(super) fn has_no_value(&self) -> bool {
        self.count > 0 && self.total == 0.0
    }
}

impl YearGap {
    /// What is said of a year, with what the sources lack of it.
    fn added_to(&self, t: Texts, about: &str) -> String {
        if self.is_whole {
            t.with("chart-year-stray", &[("about", &about)])
        } else if self.sources.is_empty() {
            t.with("chart-year-few", &[("about", &about)])
        } else {
            let names: Vec<String> = self.sources.iter().map(|id| source_name(t, id)).collect();
            t.with("chart-year-part", &[("about", &about), ("sources", &names.join(", "))])
        }
    }

    /// What is said of a year without records: it may have had purchases.
    pub(super) fn instead_of_none(&self, t: Texts) -> String {
        if self.is_whole {
            t.text("chart-uncovered")
        } else {
            t.text("chart-covered-part")
        }
    }
}

/// The gap of a year. It may have single records all the same.
pub(crate) fn gap_of(gaps: &[YearGap], year: i32) -> Option<&YearGap> {
    gaps.iter().find(|gap| gap.year == year)
}

/// What is said of a year, with what the sources lack of it if it has a gap.
pub(crate) fn with_gap(t: Texts, gap: Option<&YearGap>, about: String) -> String {
    gap.map_or(about.clone(), |gap| gap.added_to(t, &about))
}

/// Up to this many publishers are looked at one by one. Of more, some do not cover almost every year, so only the
/// large ones are: those with at least one in [`LARGE_PART`] of the records.
const MAX_NAMED: usize = 3;
const LARGE_PART: u64 = 4;

/// A publisher is looked at only if it has at least one in this many of the records.
const MIN_PART: u64 = 20;

/// Up to this many years are drawn. The table has all.
const MAX_YEARS: i32 = 40;

/// The years that a chart draws: from the first to the last, or the [`MAX_YEARS`] with most records. Publishers write
/// years such as 2202 by mistake, and such a year must not hide the others. Of equal periods it is the last one.
pub(crate) fn usual_years(counts: impl Iterator<Item = (i32, u64)>) -> Option<RangeInclusive<i32>> {
    let mut by_year: BTreeMap<i32, u64> = BTreeMap::new();
    for (year, count) in counts {
        let sum = by_year.entry(year).or_default();
        *sum = sum.saturating_add(count);
    }
    let by_year: Vec<(i32, u64)> = by_year.into_iter().collect();
    let mut best: Option<(u64, RangeInclusive<i32>)> = None;
    // The period that ends with each year, from the first year on.
    let (mut start, mut records) = (0, 0_u64);
    for (end, count) in &by_year {
        records = records.saturating_add(*count);
        while end.saturating_sub(by_year[start].0) >= MAX_YEARS {
            records = records.saturating_sub(by_year[start].1);
            start += 1;
        }
        if best.as_ref().is_none_or(|(most, _)| records >= *most) {
            best = Some((records, by_year[start].0..=*end));
        }
    }
    best.map(|(_, period)| period)
}

/// The years from the first to the last of these that these sources do not cover: all of them, or those of one of few
/// publishers. None in an index of an older program, which has no numbers by year.
pub(crate) fn gaps(sources: &[&SourceCoverage], years: impl Iterator<Item = i32>) -> Vec<YearGap> {
    let drawn = usual_years(years.map(|year| (year, 1)));
    let (Some(drawn), false) = (drawn, sources.is_empty()) else {
        return Vec::new();
    };
    let publishers = named_publishers(sources);
    let covers = |source: &&SourceCoverage, year: i32| source.extent(year) != Extent::No;
    let gap = |year: i32| {
        let is_whole = !sources.iter().any(|source| covers(source, year));
        let without = publishers
            .iter()
            .filter(|of_one| !of_one.iter().any(|source| covers(source, year)));
        let missing: Vec<String> = without
            .filter_map(|of_one| Some(of_one.first()?.source_id.clone()))
            .collect();
        let has_few = !is_whole
            && !sources
                .iter()
                .any(|source| covers(source, year) && !source.has_few(year));
        (is_whole || has_few || !missing.is_empty()).then_some(YearGap {
            year,
            is_whole,
            sources: missing,
        })
    };
    drawn.filter_map(gap).collect()
}

/// The sources of each publisher that is looked at one by one.
fn named_publishers<'s>(sources: &[&'s SourceCoverage]) -> Vec<Vec<&'s SourceCoverage>> {
    let publishers = publishers(sources, MIN_PART);
    if publishers.len() <= MAX_NAMED {
        publishers
    } else {
        self::publishers(sources, LARGE_PART)
    }
}

/// The sources of each publisher with at least one in `part` of the records. A publisher may follow one source with
/// another, such as `seao-xml` with `seao-ocds`.
fn publishers<'s>(sources: &[&'s SourceCoverage], part: u64) -> Vec<Vec<&'s SourceCoverage>> {
    let mut by_publisher: BTreeMap<&str, Vec<&SourceCoverage>> = BTreeMap::new();
    for source in sources {
        let publisher = source.source_id.split('-').next().unwrap_or_default();
        by_publisher.entry(publisher).or_default().push(source);
    }
    let records = |of_one: &[&SourceCoverage]| -> u64 { of_one.iter().map(|source| source.records()).sum() };
    let all = records(sources);
    let is_large = |of_one: &Vec<&SourceCoverage>| records(of_one).saturating_mul(part) >= all;
    by_publisher.into_values().filter(is_large).collect()
}

/// The years as text under the axis: up to this many on a wide and on a narrow screen.
pub(super) const WIDE_LABELS: usize = 14;
pub(super) const NARROW_LABELS: usize = 6;

/// The class of the text of a year: shown on all screens, on wide or on narrow ones only, or on none.
pub(super) fn label_class(year: i32, years: usize) -> Option<&'static str> {
    let is_shown = |labels: usize| {
        let step = [1, 2, 5, 10]
            .into_iter()
            .find(|step| years.div_ceil(*step) <= labels)
            .unwrap_or(20);
        year.rem_euclid(step as i32) == 0
    };
    match (is_shown(WIDE_LABELS), is_shown(NARROW_LABELS)) {
        (true, true) => Some(""),
        (true, false) => Some("wide-only"),
        (false, true) => Some("narrow-only"),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    #[test]
    fn a_wrong_year_does_not_hide_the_others() {
        let drawn = |counts: &[(i32, u64)]| usual_years(counts.iter().copied());
        assert_eq!(drawn(&[]), None);
        assert_eq!(drawn(&[(2020, 0)]), Some(2020..=2020));
        assert_eq!(drawn(&[(2026, 5), (2009, 1)]), Some(2009..=2026));
        assert_eq!(drawn(&[(1, 1), (2009, 50), (2026, 9), (2202, 1)]), Some(2009..=2026));
        let long: Vec<(i32, u64)> = (1900..=2026).map(|year| (year, 3)).collect();
        assert_eq!(drawn(&long), Some(1987..=2026));
        assert_eq!(drawn(&[(i32::MIN, 1), (i32::MAX, 1)]), Some(i32::MAX..=i32::MAX));
    }

    fn source(id: &str, years: &[(i32, u64)]) -> SourceCoverage {
        SourceCoverage::of(id, EntityType::Contract, years, None)
    }

    fn twos(id: &str, years: &[i32]) -> SourceCoverage {
        let years: Vec<(i32, u64)> = years.iter().map(|year| (*year, 2)).collect();
        source(id, &years)
    }

    #[test]
    fn a_gap_names_the_sources_that_do_not_cover_a_year() {
        let contents = [twos("a", &[2019, 2020, 2022]), twos("b", &[2020, 2022])];
        let sources: Vec<&SourceCoverage> = contents.iter().collect();
        let shown = |sources: &[&SourceCoverage]| -> Vec<(i32, bool, String)> {
            let gaps = gaps(sources, [2022, 2019].into_iter()).into_iter();
            gaps.map(|gap| (gap.year, gap.is_whole, gap.sources.join(",")))
                .collect()
        };
        assert_eq!(
            shown(&sources),
            [(2019, false, "b".to_owned()), (2021, true, "a,b".to_owned())]
        );
        assert_eq!(shown(&sources[..1]), [(2021, true, "a".to_owned())]);
        let more = [twos("c", &[2020]), twos("d", &[2022])];
        let many: Vec<&SourceCoverage> = contents.iter().chain(&more).collect();
        let large = "of too many only the large ones are named";
        assert_eq!(
            shown(&many),
            [(2019, false, "b".to_owned()), (2021, true, "a,b".to_owned())],
            "{large}"
        );
        // A later source of the same publisher, and one with few records.
        let other = [twos("a-new", &[2021]), twos("tiny", &[2022])];
        assert!(shown(&[sources[0], &other[0]]).is_empty());
        let large = source("a-new", &[(2021, 1), (2022, 100)]);
        assert_eq!(
            shown(&[sources[0], &large, &other[1]]),
            [(2021, true, "a".to_owned())],
            "one record of 2021 is not a hundred"
        );
        assert!(shown(&[]).is_empty());
        assert!(gaps(&sources, [].into_iter()).is_empty());
    }
}
