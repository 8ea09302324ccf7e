//! What a purchase and a profile come to in few figures. A figure that the records do not decide is absent.

use crate::{
    api::analysis::{
        competition::Competition,
        solicitation::{Event, Matches},
    },
    engine::aggregation::{Aggregation, Money},
    model::{Date, EntityType, Facet},
};

/// How often the headline of a page scans the records, in addition to its figures: once, for how much of the value of
/// the largest supplier or buyer is doubtful.
pub(crate) const SCANS: usize = 1;

/// The days from the first notice of a solicitation to its first award. `None` if there is no notice or no award, if
/// the award is older, or if not all records of an entity type that may have either were read.
pub(crate) fn days_to_award(found: &[Matches], events: &[Event]) -> Option<i32> {
    use EntityType::*;
    let is_whole = |of: &Matches| of.records.len() as u64 == of.total || matches!(of.entity_type, StandingOffer);
    if !found.iter().all(is_whole) {
        return None;
    }
    let first = |names: &[&str]| {
        let event = events.iter().find(|event| names.contains(&event.event))?;
        Date::parse(&event.date).ok()
    };
    let days = first(&["awarded"])?.days() - first(&["announced", "published"])?.days();
    (days >= 0).then_some(days)
}

/// What a profile mostly consists of. Shares are of the sum of the values, or of the number of records without values.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ProfileHeadline {
    /// The share of the largest of the other side, from 0 to 1.
    pub(crate) largest: Option<f64>,
    /// The largest kind of purchase.
    pub(crate) category: Option<Share>,
    /// The share without competition, as far as the method is published.
    pub(crate) without_competition: Option<f64>,
}

/// A value of a facet, and its share from 0 to 1.
#[derive(Debug, PartialEq)]
pub(crate) struct Share {
    pub(crate) value: String,
    pub(crate) share: f64,
}

impl ProfileHeadline {
    /// `largest` are the records and the value of the largest of the other side. `amount` is the sum of the values, if
    /// records have them.
    pub(crate) fn of(
        counted: &Aggregation,
        largest: Option<(u64, Money)>,
        amount: Option<Money>,
        competition: Option<&Competition>,
    ) -> ProfileHeadline {
        let amount = amount.map(Money::dollars).filter(|amount| *amount > 0.0);
        let share = |count: u64, value: Money| match amount {
            Some(amount) => value.dollars() / amount,
            None => count as f64 / counted.total as f64,
        };
        // Negative values can make a share of more than everything.
        let is_valid = |share: &f64| *share > 0.0 && *share <= 1.0;
        let largest_category = || {
            let buckets = counted.facets.get(&Facet::Category)?.buckets.iter();
            let shares = buckets.map(|bucket| (share(bucket.count, bucket.total_value), bucket));
            let (share, bucket) =
                shares.max_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| other.value.cmp(&one.value)))?;
            let value = bucket.value.clone();
            is_valid(&share).then_some(Share { value, share })
        };
        ProfileHeadline {
            largest: largest.map(|(count, value)| share(count, value)).filter(is_valid),
            category: largest_category(),
            without_competition: competition.and_then(|competition| competition.share_without(amount.is_some())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::aggregation::{FacetBucket, FacetBuckets};

    fn counted(buckets: &[(&str, u64, f64)]) -> Aggregation {
        let bucket = |(value, count, total): &(&str, u64, f64)| FacetBucket {
            value: (*value).to_owned(),
            count: *count,
            total_value: Money::of(*total),
        };
        let buckets: Vec<FacetBucket> = buckets.iter().map(bucket).collect();
        let counts = FacetBuckets {
            distinct: buckets.len() as u64,
            other: 0,
            buckets,
        };
        Aggregation {
            total: 10,
            facets: [(Facet::Category, counts)].into_iter().collect(),
            ..Aggregation::default()
        }
    }

    #[test]
    fn the_largest_is_by_value_or_by_number_and_never_more_than_everything() {
        let rows = counted(&[("Many", 7, 10.0), ("Dear", 2, 90.0), ("Back", 1, -50.0)]);
        let largest = |amount: Option<f64>| {
            let category = ProfileHeadline::of(&rows, None, amount.map(Money::of), None).category;
            category.map(|share| (share.value, share.share))
        };
        assert_eq!(largest(Some(100.0)), Some(("Dear".to_owned(), 0.9)));
        assert_eq!(largest(None), Some(("Many".to_owned(), 0.7)));
        assert_eq!(largest(Some(50.0)), None, "180 % of the total");
        let other_side = |count: u64, value: f64, amount: Option<f64>| {
            let largest = Some((count, Money::of(value)));
            ProfileHeadline::of(&counted(&[]), largest, amount.map(Money::of), None).largest
        };
        assert_eq!(other_side(2, 90.0, Some(100.0)), Some(0.9));
        assert_eq!(other_side(2, 90.0, None), Some(0.2));
        assert_eq!(other_side(2, 90.0, Some(50.0)), None);
        let none = ProfileHeadline::of(&Aggregation::default(), None, None, None);
        assert_eq!(none, ProfileHeadline::default());
    }
}
