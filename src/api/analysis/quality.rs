//! Which share of the records and of their value is doubtful.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::analysis::market_figures::rounded,
    engine::aggregation::{Aggregation, Money},
    model::{Facet, vocabulary::NO_QUALITY_FLAG},
};

/// How much of the matching records, and of their total value, has a quality flag.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Quality {
    /// Records with at least one flag.
    pub(crate) flagged_records: u64,
    /// Their share of the records; null without a record.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) share_of_records: Option<f64>,
    /// The sum of their values; null for an entity type without a value.
    pub(crate) flagged_value: Option<Money>,
    /// Their share of the total value; null where the sums make no share, because amounts below zero are among them.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) share_of_value: Option<f64>,
    /// The flags that occur, the most frequent first. A record with several flags counts for each.
    pub(crate) flags: Vec<FlagCount>,
}

/// The records that have a flag.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FlagCount {
    pub(crate) flag: String,
    pub(crate) records: u64,
    /// Null for an entity type without a value.
    pub(crate) total_value: Option<Money>,
}

/// The quality of the records of an aggregation of all quality flags and sums of values.
pub(crate) fn quality_of(aggregation: &Aggregation) -> Quality {
    let Some(counted) = aggregation.facets.get(&Facet::QualityFlag) else {
        return Quality::default();
    };
    let whole = aggregation.values.as_ref().map(|values| values.total_value);
    let none = counted.buckets.iter().find(|bucket| bucket.value == NO_QUALITY_FLAG);
    let (sound, sound_value) = none.map_or((0, Money::default()), |none| (none.count, none.total_value));
    let flagged_records = aggregation.total.saturating_sub(sound);
    let flagged_value = whole.map(|whole| Money::of(whole.dollars() - sound_value.dollars()));
    let share_of_records = (aggregation.total > 0).then(|| flagged_records as f64 / aggregation.total as f64);
    let share_of_value = flagged_value.zip(whole).and_then(|(part, whole)| share(part, whole));
    let flags = counted.buckets.iter().filter(|bucket| bucket.value != NO_QUALITY_FLAG);
    Quality {
        flagged_records,
        share_of_records: share_of_records.map(rounded),
        flagged_value,
        share_of_value: share_of_value.map(rounded),
        flags: flags
            .map(|bucket| FlagCount {
                flag: bucket.value.clone(),
                records: bucket.count,
                total_value: whole.map(|_| bucket.total_value),
            })
            .collect(),
    }
}

/// `None` where the parts make no share of the whole.
fn share(part: Money, whole: Money) -> Option<f64> {
    let share = part.dollars() / whole.dollars();
    (whole.dollars() > 0.0 && (0.0..=1.0).contains(&share)).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::aggregation::{FacetBucket, FacetBuckets, ValueStats};

    fn counted(total: u64, dollars: Option<f64>, buckets: &[(&str, u64, f64)]) -> Quality {
        let bucket = |(flag, count, dollars): &(&str, u64, f64)| FacetBucket {
            value: (*flag).to_owned(),
            count: *count,
            total_value: Money::of(*dollars),
        };
        let flags = FacetBuckets {
            buckets: buckets.iter().map(bucket).collect(),
            ..FacetBuckets::default()
        };
        let values = dollars.map(|dollars| ValueStats {
            total_value: Money::of(dollars),
            ..ValueStats::default()
        });
        quality_of(&Aggregation {
            total,
            values,
            facets: [(Facet::QualityFlag, flags)].into(),
            ..Aggregation::default()
        })
    }

    #[test]
    fn a_record_with_two_flags_is_one_doubtful_record() {
        let quality = counted(
            8,
            Some(100.0),
            &[("none", 6, 60.0), ("no_vendor", 2, 40.0), ("future_date", 1, 15.0)],
        );
        assert_eq!((quality.flagged_records, quality.share_of_records), (2, Some(0.25)));
        assert_eq!(
            (quality.flagged_value, quality.share_of_value),
            (Some(Money::of(40.0)), Some(0.4))
        );
        let flags: Vec<(&str, u64)> = quality.flags.iter().map(|of| (of.flag.as_str(), of.records)).collect();
        assert_eq!(flags, [("no_vendor", 2), ("future_date", 1)]);
    }

    #[test]
    fn without_records_or_values_there_is_no_share() {
        let none = counted(0, Some(0.0), &[]);
        assert_eq!((none.share_of_records, none.share_of_value), (None, None));
        let without_values = counted(2, None, &[("none", 1, 0.0), ("no_vendor", 1, 0.0)]);
        assert_eq!(
            (
                without_values.flagged_value,
                without_values.share_of_value,
                without_values.flags[0].total_value
            ),
            (None, None, None)
        );
        let negative = counted(2, Some(10.0), &[("none", 1, 30.0), ("no_vendor", 1, -20.0)]);
        assert_eq!(negative.share_of_value, None);
        let all = counted(1, Some(10.0), &[("no_vendor", 1, 10.0)]);
        assert_eq!((all.share_of_records, all.share_of_value), (Some(1.0), Some(1.0)));
    }
}
