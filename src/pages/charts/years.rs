//! Which years a chart draws, and in which of them sources have no data.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use crate::{
    catalog::generation::{EntityTypeManifest, SourceContents},
    engine::aggregation::FacetBuckets,
};

/// A year for which sources of the records have no data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YearGap {
    pub(super) year: i32,
    /// Whether no source has data. Otherwise `sources` are those without.
    pub(super) is_whole: bool,
    /// The identifiers of the sources without data, if they are few enough to be named.
    pub(super) sources: Vec<String>,
}

/// Up to this many publishers are looked at one by one. Of more, some have no data in almost every year.
const MAX_NAMED: usize = 3;

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

/// The sources that records of these places come from: those that have records of one of them. All
/// sources of the entity type, if not all places are known.
pub(crate) fn sources_of<'m>(part: &'m EntityTypeManifest, places: Option<&FacetBuckets>) -> Vec<&'m SourceContents> {
    let all = || part.contents.iter();
    let Some(places) = places.filter(|places| places.other == 0) else {
        return all().collect();
    };
    let rows = places.buckets.iter().filter_map(|place| {
        let row = part.coverage.binary_search_by(|row| row.municipality.cmp(&place.value));
        Some(&part.coverage[row.ok()?])
    });
    let ids: BTreeSet<&str> = rows.flat_map(|row| &row.source_ids).map(String::as_str).collect();
    let known: Vec<&SourceContents> = all().filter(|source| ids.contains(source.source_id.as_str())).collect();
    if known.is_empty() { all().collect() } else { known }
}

/// The years from the first to the last of these for which these sources have no record of the entity type: all of
/// them, or those of one of few publishers. None in an index of an older program, which has no numbers by year.
pub(crate) fn gaps(sources: &[&SourceContents], years: impl Iterator<Item = i32>) -> Vec<YearGap> {
    let drawn = usual_years(years.map(|year| (year, 1)));
    let (Some(drawn), false) = (drawn, sources.is_empty()) else {
        return Vec::new();
    };
    let publishers = publishers(sources);
    let is_named = publishers.len() <= MAX_NAMED;
    let has_data = |source: &&SourceContents, year: i32| source.years.contains_key(&year);
    let gap = |year: i32| {
        let is_whole = !sources.iter().any(|source| has_data(source, year));
        let without = publishers
            .iter()
            .filter(|of_one| !of_one.iter().any(|source| has_data(source, year)));
        let without: Vec<String> = without
            .filter_map(|of_one| Some(of_one.first()?.source_id.clone()))
            .collect();
        (is_whole || (is_named && !without.is_empty())).then(|| YearGap {
            year,
            is_whole,
            sources: if is_named { without } else { Vec::new() },
        })
    };
    drawn.filter_map(gap).collect()
}

/// The sources of each publisher, without those of publishers with few of the records. A publisher may follow one
/// source with another, such as `seao-xml` with `seao-ocds`.
fn publishers<'s>(sources: &[&'s SourceContents]) -> Vec<Vec<&'s SourceContents>> {
    let mut by_publisher: BTreeMap<&str, Vec<&SourceContents>> = BTreeMap::new();
    for source in sources {
        let publisher = source.source_id.split('-').next().unwrap_or_default();
        by_publisher.entry(publisher).or_default().push(source);
    }
    let records = |of_one: &[&SourceContents]| -> u64 { of_one.iter().flat_map(|source| source.years.values()).sum() };
    let all = records(sources);
    let is_large = |of_one: &Vec<&SourceContents>| records(of_one).saturating_mul(MIN_PART) >= all;
    by_publisher.into_values().filter(is_large).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::generation::Coverage,
        engine::aggregation::{FacetBucket, Money},
        model::EntityType,
    };

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

    fn source(id: &str, years: &[i32]) -> SourceContents {
        SourceContents {
            source_id: id.to_owned(),
            years: years.iter().map(|year| (*year, 1)).collect(),
            ..SourceContents::default()
        }
    }

    #[test]
    fn a_gap_names_the_sources_without_data() {
        let contents = [source("a", &[2019, 2020, 2022]), source("b", &[2020, 2022])];
        let sources: Vec<&SourceContents> = contents.iter().collect();
        let shown = |sources: &[&SourceContents]| -> Vec<(i32, bool, String)> {
            let gaps = gaps(sources, [2022, 2019].into_iter()).into_iter();
            gaps.map(|gap| (gap.year, gap.is_whole, gap.sources.join(",")))
                .collect()
        };
        assert_eq!(
            shown(&sources),
            [(2019, false, "b".to_owned()), (2021, true, "a,b".to_owned())]
        );
        assert_eq!(shown(&sources[..1]), [(2021, true, "a".to_owned())]);
        let more = [source("c", &[2020]), source("d", &[2022])];
        let many: Vec<&SourceContents> = contents.iter().chain(&more).collect();
        assert_eq!(shown(&many), [(2021, true, String::new())], "too many to be named");
        // A later source of the same publisher, and one with few records.
        let mut other = [source("a-new", &[2021]), source("tiny", &[2022])];
        assert!(shown(&[sources[0], &other[0]]).is_empty());
        other[0].years.insert(2022, 100);
        assert!(shown(&[sources[0], &other[0], &other[1]]).is_empty());
        assert!(shown(&[]).is_empty());
        assert!(gaps(&sources, [].into_iter()).is_empty());
    }

    #[test]
    fn the_sources_of_records_follow_from_their_places() {
        let row = |place: &str, source: &str| Coverage {
            municipality: place.to_owned(),
            name_en: None,
            name_fr: None,
            province: None,
            government_level: None,
            records: 1,
            earliest_date: None,
            latest_date: None,
            last_updated: None,
            source_ids: vec![source.to_owned()],
        };
        let part = EntityTypeManifest {
            entity_type: EntityType::Contract,
            fingerprint: String::new(),
            records: 3,
            sources: Vec::new(),
            coverage: vec![row("laval", "seao"), row("toronto", "toronto")],
            contents: vec![source("seao", &[2020]), source("toronto", &[2012])],
        };
        let places = |names: &[&str], other: u64| FacetBuckets {
            buckets: names
                .iter()
                .map(|name| FacetBucket {
                    value: (*name).to_owned(),
                    count: 1,
                    total_value: Money::default(),
                })
                .collect(),
            distinct: names.len() as u64,
            other,
        };
        let ids = |places: Option<FacetBuckets>| -> Vec<&str> {
            let sources = sources_of(&part, places.as_ref());
            sources.iter().map(|source| source.source_id.as_str()).collect()
        };
        assert_eq!(ids(Some(places(&["laval"], 0))), ["seao"]);
        for unknown in [None, Some(places(&["laval"], 5)), Some(places(&["nowhere"], 0))] {
            assert_eq!(ids(unknown), ["seao", "toronto"]);
        }
    }
}
