//! Which years a chart draws, and in which of them no source has data.

use std::{collections::BTreeMap, ops::RangeInclusive};

use crate::catalog::generation::SourceContents;

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

/// The years from the first to the last of these for which no source has a record of the entity type. None in an index
/// of an older program, which has no numbers by year.
pub(crate) fn gaps(contents: &[SourceContents], years: impl Iterator<Item = i32>) -> Vec<i32> {
    let drawn = usual_years(years.map(|year| (year, 1)));
    let (Some(drawn), false) = (drawn, contents.is_empty()) else {
        return Vec::new();
    };
    let has_records = |year: &i32| contents.iter().any(|source| source.years.contains_key(year));
    drawn.filter(|year| !has_records(year)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_gap_is_a_year_without_any_record() {
        let source = |years: &[i32]| SourceContents {
            years: years.iter().map(|year| (*year, 1)).collect(),
            ..SourceContents::default()
        };
        let contents = [source(&[2019, 2022]), source(&[2020])];
        assert_eq!(gaps(&contents, [2022, 2019].into_iter()), [2021]);
        assert_eq!(gaps(&[], [2022, 2019].into_iter()), Vec::<i32>::new());
        assert_eq!(gaps(&contents, [].into_iter()), Vec::<i32>::new());
    }
}
