//! The typical value of records in a sentence: the average and the median of the values that are not in doubt; and
//! that one record has most of their total.
//!
//! Decision D-292: one rule for all pages. Values with a flag in [`FLAGS_OF_VALUES`] do not count, fewer than
//! [`MIN_VALUES`] values have neither figure, and no average is stated without the median, because few large values
//! make an average.

use crate::{
    api::analysis::quality::quality_of,
    catalog::ask::Ask,
    engine::{
        Error,
        aggregation::{Aggregation, PERCENTS, ValueAggregation, ValueStats},
    },
    http::error::ApiError,
    model::{
        Facet, Role,
        vocabulary::{IMPLAUSIBLE_VALUE, PLACEHOLDER_VALUE},
    },
    pages::{
        bilingual::title,
        first_record::{CENT, of_first},
        format::shortened,
        messages::Texts,
    },
    query::{Order, SearchQuery, Sort, SortKey},
};

/// The quality flags that doubt a value. The others doubt a date or a name, or that a record is the only one of its
/// purchase: such a value is a price.
const FLAGS_OF_VALUES: [&str; 2] = [PLACEHOLDER_VALUE, IMPLAUSIBLE_VALUE];

/// The minimum number of values. The average and the median of fewer say no more than the values do.
const MIN_VALUES: u64 = 3;

/// The maximum number of matches for whose median a search is counted once more.
const MAX_COUNTED: u64 = 100_000;

/// The place of the median among [`PERCENTS`].
const MEDIAN: usize = 2;
const _: () = assert!(PERCENTS[MEDIAN] == 50);

/// How often the records of a search are scanned for the sentences: for the values, and for the largest one. Charged
/// whether it is needed or not, because the cost of a page is known before any work.
pub(crate) const SCANS: usize = 2;

/// The smallest share of a total that is stated of one record.
const MUCH_OF_TOTAL: f64 = 0.5;

/// The same of one record that decides who comes first.
const SOME_OF_TOTAL: f64 = 0.1;

/// The parameters of a search that shows the highest value first.
pub(crate) const BY_VALUE: [(&str, &str); 2] = [("sort_by", "value"), ("sort_order", "desc")];

/// What a page states of the values of its records.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct TypicalValue {
    /// The average and the median, or that there are too few values.
    pub(crate) average: Option<String>,
    pub(crate) largest: Option<LargestValue>,
}

/// A note that one record has [`MUCH_OF_TOTAL`] or more, or as much of the sum of who comes first.
#[derive(Debug, PartialEq)]
pub(crate) struct LargestValue {
    pub(crate) sentence: String,
    /// The search that shows this record first.
    pub(crate) href: String,
}

/// The sentences. None without values, of fewer than [`MIN_VALUES`] records, of more than [`MAX_COUNTED`] unless
/// `found` has the median, and if counting takes too long.
///
/// `found`: what was counted of `query`, with all quality flags and the values, and with percentiles or without. The
/// search is counted once more if `found` has no percentiles, and if a value is in doubt: then without the records that
/// have any flag, so that the figures are those of the search to which the note about the doubt leads.
///
/// `by_value`: the address of `query` with [`BY_VALUE`]. `leading`: the sum of who comes first, in dollars, if a page
/// names one with several records.
pub(crate) fn typical_value(
    ask: &Ask,
    t: Texts,
    query: &SearchQuery,
    (found, leading): (&Aggregation, Option<f64>),
    by_value: String,
) -> Result<TypicalValue, ApiError> {
    let (values, is_part) = match source(found) {
        None => return Ok(TypicalValue::default()),
        Some(Source::Found(values)) => (values.clone(), false),
        Some(Source::Counted { without_flags }) => match counted_values(ask, query, without_flags) {
            Ok(values) => (values, without_flags),
            // The rest of the page does not wait for it.
            Err(Error::Timeout) => return Ok(TypicalValue::default()),
            Err(error) => return Err(error.into()),
        },
    };
    let shown = match largest(t, &values, (found, leading)) {
        Some(([value, share], largest)) => Some(LargestValue {
            sentence: with_about(t, [&value, &share], about_largest(ask, t, (query, is_part), largest)?),
            href: by_value,
        }),
        None => None,
    };
    Ok(TypicalValue {
        average: sentence(t, &values, found.total, is_part),
        largest: shown,
    })
}

fn with_about(t: Texts, [value, share]: [&str; 2], about: Option<String>) -> String {
    match about {
        Some(about) => t.with(
            "average-largest-about",
            &[("value", &value), ("share", &share), ("about", &about)],
        ),
        None => t.with("average-largest", &[("value", &value), ("share", &share)]),
    }
}

/// What the record with the highest value is about, and its supplier: its words may be a small part of it. `None` if it
/// states neither, if finding it takes too long, and if the first record has another value: in the order by value, an
/// amount in another currency may come before `largest`, in Canadian dollars.
fn about_largest(
    ask: &Ask,
    t: Texts,
    (query, without_flags): (&SearchQuery, bool),
    largest: f64,
) -> Result<Option<String>, ApiError> {
    let query = SearchQuery {
        sort: Sort {
            key: SortKey::Value,
            order: Order::Desc,
        },
        ..query.clone()
    };
    let query = if without_flags { query.without_doubts() } else { query };
    of_first(ask, &query, |record| {
        record.dollars().filter(|dollars| (dollars - largest).abs() < CENT)?;
        let title = title(record, t.language());
        let title = title.map(|title| t.with("average-largest-title", &[("title", &shortened(&title.text))]));
        let supplier = record.texts(Role::Vendor).next().map(shortened);
        let about: Vec<String> = title.into_iter().chain(supplier).collect();
        (!about.is_empty()).then(|| about.join(", "))
    })
}

/// Where the values of the sentence come from.
#[derive(Debug, PartialEq)]
enum Source<'f> {
    /// The values are those that were found.
    Found(&'f ValueStats),
    /// The search is counted once more, with percentiles.
    Counted { without_flags: bool },
}

/// `None` if too few records state a value, or if too many records match for another count.
fn source(found: &Aggregation) -> Option<Source<'_>> {
    let values = found.values.as_ref().filter(|values| values.records_with_value > 0)?;
    let has_median = values.distribution.is_some();
    let is_counted = has_median || found.total <= MAX_COUNTED;
    if found.total < MIN_VALUES || !is_counted {
        return None;
    }
    let without_flags = has_doubtful_values(found);
    let is_found = !without_flags && (has_median || values.records_with_value < MIN_VALUES);
    Some(if is_found {
        Source::Found(values)
    } else {
        Source::Counted { without_flags }
    })
}

fn has_doubtful_values(found: &Aggregation) -> bool {
    let flags = found.facets.get(&Facet::QualityFlag);
    let mut flags = flags.iter().flat_map(|counts| &counts.buckets);
    flags.any(|flag| FLAGS_OF_VALUES.contains(&flag.value.as_str()))
}

/// The values with their percentiles, of all records or of those without a flag.
fn counted_values(ask: &Ask, query: &SearchQuery, without_flags: bool) -> Result<ValueStats, Error> {
    let query = query.clone();
    let query = if without_flags { query.without_doubts() } else { query };
    let counted = ask.aggregate(&query, &[], ValueAggregation::Percentiles)?;
    Ok(counted.values.unwrap_or_default())
}

/// What `values` are of `total` records. `is_part`: whether records with flags do not count.
fn sentence(t: Texts, values: &ValueStats, total: u64, is_part: bool) -> Option<String> {
    let count = values.records_with_value;
    if count < MIN_VALUES {
        let key = if is_part {
            "average-too-few-sound"
        } else {
            "average-too-few"
        };
        return Some(t.with(key, &[("count", &count), ("total", &total)]));
    }
    let distribution = values.distribution?;
    let average = t.money_rounded(distribution.mean);
    let median = t.money_rounded(distribution.percentiles[MEDIAN]);
    let key = if is_part { "average-sound" } else { "average-all" };
    Some(t.with(key, &[("average", &average), ("median", &median), ("count", &count)]))
}

/// The largest of `values` and its share, if it has much of the total of `found`. `None` for fewer than [`MIN_VALUES`]
/// values; where amounts below zero leave no share; and for the only record with a flag, because the note about the
/// doubt states its share.
fn largest(t: Texts, values: &ValueStats, (found, leading): (&Aggregation, Option<f64>)) -> Option<([String; 2], f64)> {
    let largest = values.distribution?.max;
    let all = found.values.as_ref()?;
    let share = largest / all.total_value.dollars();
    let leads = leading.is_some_and(|sum| largest >= MUCH_OF_TOTAL * sum);
    let is_much = (MUCH_OF_TOTAL..=1.0).contains(&share) || leads && (SOME_OF_TOTAL..=1.0).contains(&share);
    if all.records_with_value < MIN_VALUES || !is_much {
        return None;
    }
    let quality = quality_of(found);
    let is_stated = quality.flagged_records == 1 && quality.share_of_value.is_some_and(|share| share >= MUCH_OF_TOTAL);
    (!is_stated).then(|| ([t.money_rounded(largest), t.percent(share)], largest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::aggregation::{FacetBucket, FacetBuckets, Money, ValueDistribution},
        model::Language::{English, French},
    };

    fn values(count: u64) -> ValueStats {
        let distribution = ValueDistribution {
            min: 10.0,
            max: 500.0,
            mean: 200.0,
            percentiles: [10.0, 10.0, 90.0, 500.0, 500.0],
        };
        ValueStats {
            records_with_value: count,
            distribution: (count > 0).then_some(distribution),
            ..ValueStats::default()
        }
    }

    #[test]
    fn fewer_than_three_values_have_no_average() {
        for (count, is_part, english, french) in [
            (
                3,
                false,
                "Average value: $200. Median: $90, of 3 published values.",
                "Valeur moyenne\u{a0}: 200\u{a0}$. Médiane\u{a0}: 90\u{a0}$, sur 3\u{a0}valeurs publiées.",
            ),
            (
                3,
                true,
                "Without the records in doubt: average value $200, median $90, of 3 published values.",
                "Sans les fiches douteuses\u{a0}: valeur moyenne de 200\u{a0}$, médiane de 90\u{a0}$, sur 3\u{a0}valeurs publiées.",
            ),
            (
                2,
                false,
                "Only 2 of 19 records state a value: no average.",
                "Seulement 2 fiches sur 19 indiquent une valeur\u{a0}: pas de moyenne.",
            ),
            (
                1,
                true,
                "Without the records in doubt, only 1 value is left: no average.",
                "Sans les fiches douteuses, il ne reste que 1 valeur\u{a0}: pas de moyenne.",
            ),
            (
                0,
                true,
                "Without the records in doubt, no value is left: no average.",
                "Sans les fiches douteuses, il ne reste aucune valeur\u{a0}: pas de moyenne.",
            ),
        ] {
            let shown = |language| sentence(Texts::of(language), &values(count), 19, is_part).unwrap();
            assert_eq!((shown(English).as_str(), shown(French).as_str()), (english, french));
        }
    }

    #[test]
    fn a_search_is_counted_once_more_for_its_median_or_without_doubts() {
        let counted = |without_flags| Some(Source::Counted { without_flags });
        let few = values(2);
        let many = values(3);
        let uncounted = |records_with_value| ValueStats {
            records_with_value,
            ..ValueStats::default()
        };
        for (total, stated, flag, expected) in [
            (9, &many, "none", Some(Source::Found(&many))),
            (9, &many, "duplicate_suspect", Some(Source::Found(&many))),
            (9, &many, "placeholder_value", counted(true)),
            (9, &many, "implausible_value", counted(true)),
            (9, &few, "none", Some(Source::Found(&few))),
            (2, &few, "none", None),
            (9, &uncounted(2), "none", Some(Source::Found(&uncounted(2)))),
            (9, &uncounted(0), "none", None),
            (MAX_COUNTED, &uncounted(3), "none", counted(false)),
            (MAX_COUNTED + 1, &uncounted(3), "none", None),
            (MAX_COUNTED + 1, &uncounted(3), "placeholder_value", None),
            (MAX_COUNTED + 1, &many, "none", Some(Source::Found(&many))),
            (MAX_COUNTED + 1, &many, "placeholder_value", counted(true)),
        ] {
            let bucket = FacetBucket {
                value: flag.to_owned(),
                count: 1,
                total_value: Money::default(),
            };
            let flags = FacetBuckets {
                buckets: vec![bucket],
                ..FacetBuckets::default()
            };
            let found = Aggregation {
                total,
                values: Some(stated.clone()),
                facets: [(Facet::QualityFlag, flags)].into(),
                ..Aggregation::default()
            };
            assert_eq!(source(&found), expected, "{flag}, {stated:?} of {total}");
        }
        assert_eq!(source(&Aggregation::default()), None);
    }

    #[test]
    fn one_record_with_half_of_a_total_is_stated() {
        let bucket = |(flag, count, dollars): (&str, u64, f64)| FacetBucket {
            value: flag.to_owned(),
            count,
            total_value: Money::of(dollars),
        };
        // The largest value is 500.
        let shown_next_to = |leading, count, total, flags: &[(&str, u64, f64)], language| {
            let flags = FacetBuckets {
                buckets: flags.iter().copied().map(bucket).collect(),
                ..FacetBuckets::default()
            };
            let found = Aggregation {
                total: 9,
                values: Some(ValueStats {
                    total_value: Money::of(total),
                    ..values(count)
                }),
                facets: [(Facet::QualityFlag, flags)].into(),
                ..Aggregation::default()
            };
            let t = Texts::of(language);
            let shown = largest(t, &values(count), (&found, leading));
            shown.map(|([value, share], _)| with_about(t, [&value, &share], None))
        };
        let shown =
            |count, total, flags: &[(&str, u64, f64)], language| shown_next_to(None, count, total, flags, language);
        let sound = [("none", 9, 602.0)];
        // A small part of all is most of what the first one has.
        for (leading, is_shown) in [(None, false), (Some(900.0), true), (Some(1_001.0), false)] {
            let of = shown_next_to(leading, 3, 4_000.0, &[("none", 9, 4_000.0)], English);
            assert_eq!(of.is_some(), is_shown, "{leading:?}");
        }
        assert_eq!(
            shown(3, 602.0, &sound, English).as_deref(),
            Some("One record has $500 of this value (83%).")
        );
        assert_eq!(
            shown(3, 602.0, &sound, French).as_deref(),
            Some("Une seule fiche représente 500\u{a0}$ de cette valeur (83\u{a0}%).")
        );
        for (count, total, flags, is_shown) in [
            (3, 1000.0, &[("none", 9, 1000.0)][..], true),
            (3, 1001.0, &[("none", 9, 1001.0)], false),
            (2, 602.0, &sound, false),
            (0, 0.0, &[("none", 9, 0.0)], false),
            // Amounts below zero.
            (3, 499.0, &[("none", 9, 499.0)], false),
            (3, -499.0, &[("none", 9, -499.0)], false),
            // The note about the doubt has the share of one record, but not that of one of two.
            (3, 602.0, &[("none", 8, 102.0), ("no_vendor", 1, 500.0)], false),
            (3, 602.0, &[("none", 7, 101.0), ("no_vendor", 2, 501.0)], true),
            (3, 602.0, &[("none", 8, 601.0), ("no_vendor", 1, 1.0)], true),
        ] {
            assert_eq!(
                shown(count, total, flags, English).is_some(),
                is_shown,
                "{total}: {flags:?}"
            );
        }
    }

    #[test]
    fn a_median_that_was_not_counted_has_no_average() {
        let values = ValueStats {
            distribution: None,
            ..values(3)
        };
        assert_eq!(sentence(Texts::of(English), &values, 3, false), None);
    }
}
