//! Which years a source covers, from its own numbers of records by year.
//!
//! Files have single records of years that they are not about: a wrong date, a late amendment. So one record does not
//! make a year covered; the rule is in `docs/data.md`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{manifest::EntityTypeManifest, source_contents::Abroad};
use crate::model::{Date, EntityType, timestamp};

/// A year is covered as a whole if it has at least one in this many of the records of a usual year, and in part if it
/// has one in so many.
const WHOLE: u64 = 4;
const PART: u64 = 20;

/// The days of a year, for the share of the year that a file can have.
const YEAR_DAYS: u64 = 365;

/// The records of one entity type from one source, by year.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SourceCoverage {
    pub(crate) source_id: String,
    pub(crate) entity_type: EntityType,
    /// The usual number of records of a year: that of the year in which the median record is. Null without dated
    /// records.
    pub(crate) usual_records: Option<u64>,
    /// The day of the newest file: it covers nothing later. Null if no record states it.
    #[schemars(extend("format" = "date"))]
    pub(crate) until: Option<String>,
    /// The years with records, the oldest first. A year that is not listed has none.
    pub(crate) years: Vec<CoveredYear>,
    #[serde(skip)]
    pub(crate) abroad: Option<Abroad>,
}

/// A year of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "YearCoverage")]
pub(crate) struct CoveredYear {
    pub(crate) year: i32,
    pub(crate) records: u64,
    pub(crate) covered: Extent,
}

/// How much of a year a source covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "YearExtent")]
pub(crate) enum Extent {
    /// Single records only.
    No,
    /// The year of the newest file, which was not over; or less than a quarter of a usual year.
    Part,
    Whole,
}

impl SourceCoverage {
    /// Of each source of an entity type, in the order of the manifest. Empty for a generation of an older program.
    pub(super) fn all_of(part: &EntityTypeManifest) -> Vec<SourceCoverage> {
        let updated = |source_id: &str| {
            let source = part.sources.iter().find(|source| source.source_id == source_id)?;
            let moment = source.last_updated.as_deref().and_then(timestamp::parse)?;
            Some(Date::in_toronto(moment))
        };
        let sources = part.contents.iter();
        let covered = sources.map(|source| {
            let counts: Vec<(i32, u64)> = source.years.iter().map(|(year, records)| (*year, *records)).collect();
            SourceCoverage {
                abroad: source.abroad.clone(),
                ..SourceCoverage::of(&source.source_id, part.entity_type, &counts, updated(&source.source_id))
            }
        });
        covered.collect()
    }

    /// `counts` are the records by year, `until` is the day of the newest file.
    pub(crate) fn of(
        source_id: &str,
        entity_type: EntityType,
        counts: &[(i32, u64)],
        until: Option<Date>,
    ) -> SourceCoverage {
        let usual = usual_records(counts);
        let year = |(year, records): &(i32, u64)| CoveredYear {
            year: *year,
            records: *records,
            covered: extent(*year, *records, usual.unwrap_or(0), until),
        };
        SourceCoverage {
            source_id: source_id.to_owned(),
            entity_type,
            usual_records: usual,
            until: until.map(|day| day.to_string()),
            years: counts.iter().map(year).collect(),
            abroad: None,
        }
    }

    /// How much of a year it covers.
    pub(crate) fn extent(&self, year: i32) -> Extent {
        let found = self.years.binary_search_by_key(&year, |covered| covered.year);
        found.map_or(Extent::No, |number| self.years[number].covered)
    }

    /// Whether it has less than a quarter of the records that are usual for a year, or for its days up to the newest
    /// file.
    pub(crate) fn has_few(&self, year: i32) -> bool {
        let found = self.years.binary_search_by_key(&year, |covered| covered.year);
        let records = found.map_or(0, |number| self.years[number].records);
        let until = self.until.as_deref().and_then(|day| Date::parse(day).ok());
        !has(
            WHOLE,
            records,
            self.usual_records.unwrap_or(0),
            days_covered(year, until),
        )
    }

    pub(crate) fn records(&self) -> u64 {
        self.years.iter().map(|year| year.records).sum()
    }

    /// The years that it covers, in whole or in part.
    pub(crate) fn covered_years(&self) -> impl Iterator<Item = CoveredYear> {
        self.years.iter().copied().filter(|year| year.covered != Extent::No)
    }
}

/// The number of records of the year in which the median record is: half of all records are in years with at most so
/// many. The median of the years would be that of samples, where a set of files has one year as a whole and contracts
/// of others that later files name.
fn usual_records(counts: &[(i32, u64)]) -> Option<u64> {
    let total: u64 = counts.iter().map(|(_, records)| *records).sum();
    let mut numbers: Vec<u64> = counts.iter().map(|(_, records)| *records).collect();
    numbers.sort_unstable();
    let mut smaller = 0_u64;
    numbers.into_iter().find(|records| {
        smaller = smaller.saturating_add(*records);
        smaller.saturating_mul(2) >= total
    })
}

/// How many days of a year a file can have.
fn days_covered(year: i32, until: Option<Date>) -> u64 {
    match until {
        Some(day) if year > day.year() => 0,
        Some(day) if year == day.year() => u64::from(day.day_of_year()),
        _ => YEAR_DAYS,
    }
}

/// Whether a year has at least one in so many of the records of as many usual days.
fn has(one_in: u64, records: u64, usual: u64, days: u64) -> bool {
    days > 0 && records > 1 && records.saturating_mul(one_in * YEAR_DAYS) >= usual.saturating_mul(days)
}

fn extent(year: i32, records: u64, usual: u64, until: Option<Date>) -> Extent {
    let days = days_covered(year, until);
    let is_over = until.is_none_or(|day| year < day.year());
    if is_over && has(WHOLE, records, usual, days) {
        Extent::Whole
    } else if has(PART, records, usual, days) {
        Extent::Part
    } else {
        Extent::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(counts: &[(i32, u64)], until: Option<&str>) -> Vec<(i32, Extent)> {
        let until = until.map(|day| Date::parse(day).unwrap());
        let coverage = SourceCoverage::of("a", EntityType::Contract, counts, until);
        let years = coverage.years.iter();
        years.map(|year| (year.year, coverage.extent(year.year))).collect()
    }

    #[test]
    fn a_stray_record_covers_no_year() {
        use Extent::{No, Part, Whole};
        let counts = [
            (1921, 1),
            (2018, 2_900),
            (2019, 3_100),
            (2020, 2_000),
            (2021, 3),
            (2022, 725),
            (2023, 724),
            (2024, 144),
        ];
        assert_eq!(usual_records(&counts), Some(2_900));
        let expected = [No, Whole, Whole, Whole, No, Whole, Part, No];
        let found = extents(&counts, Some("2025-01-05"));
        assert!(found.iter().map(|(_, extent)| *extent).eq(expected), "{found:?}");
        // Many years with single records, and one year fifteen times as large as the others.
        assert_eq!(
            usual_records(&[(2009, 7), (2010, 7), (2011, 5), (2022, 150), (2023, 110)]),
            Some(150)
        );
        assert_eq!(
            usual_records(&[(2009, 14_700), (2010, 41), (2015, 980), (2016, 970)]),
            Some(14_700)
        );
        assert_eq!(extents(&[(2202, 9_999)], Some("2024-01-05")), [(2202, No)]);
        assert_eq!(extents(&[(2202, 9_999)], None), [(2202, Whole)]);
        // Contracts of earlier years, which later files name.
        let late = [(2009, 14_717), (2012, 207), (2015, 1_355), (2018, 870)];
        let found = extents(&late, None).into_iter().map(|(_, extent)| extent);
        assert!(found.eq([Whole, No, Part, Part]));
        // 36 of 365 days.
        let running = |records: u64| extents(&[(2023, 1_000), (2024, records)], Some("2024-02-05"))[1].1;
        assert_eq!([running(4), running(5), running(1_000)], [No, Part, Part]);
        assert!(extents(&[], None).is_empty());
        assert_eq!(usual_records(&[]), None);
        // A single record is a stray one, even where a year has no more than that.
        assert_eq!(
            extents(&[(1900, 1), (2020, 0), (2021, 2)], None),
            [(1900, No), (2020, No), (2021, Whole)]
        );
    }
}
