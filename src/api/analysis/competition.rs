//! How much of the money was awarded without competition, as far as the publishers state the method of procurement.
//!
//! The rule is described in `docs/pages.md` and `docs/api.md`. Publishers have lists of methods of their own, in two
//! languages, which [`procurement_method`] sorts into classes.

use std::collections::BTreeMap;

use crate::{
    engine::aggregation::{FacetBuckets, Money},
    model::procurement_method,
};

/// A class of methods of procurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MethodClass {
    /// The contract was negotiated with one supplier.
    WithoutCompetition,
    /// One supplier was announced, and others could object before the award.
    AdvanceNotice,
    /// More than one supplier could bid: all, or those that were invited.
    Competitive,
    /// The method is stated, but does not say whether others could bid.
    Unclear,
}

impl MethodClass {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            MethodClass::WithoutCompetition => "without",
            MethodClass::AdvanceNotice => "advance",
            MethodClass::Competitive => "competitive",
            MethodClass::Unclear => "unclear",
        }
    }

    fn of(method: &str) -> MethodClass {
        match procurement_method::MethodClass::of(method) {
            procurement_method::MethodClass::None => MethodClass::WithoutCompetition,
            procurement_method::MethodClass::AdvanceNotice => MethodClass::AdvanceNotice,
            procurement_method::MethodClass::Unclear => MethodClass::Unclear,
            _ => MethodClass::Competitive,
        }
    }
}

/// The records of one class, or those without a method.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct MethodShare {
    pub(crate) count: u64,
    pub(crate) amount: Money,
    /// The methods as published, those with most records first.
    pub(crate) methods: Vec<String>,
}

/// The records of a name by class of method.
#[derive(Debug, PartialEq)]
pub(crate) struct Competition {
    /// Only classes with records.
    pub(crate) classes: BTreeMap<MethodClass, MethodShare>,
    pub(crate) not_published: MethodShare,
}

/// The maximum number of methods that a class lists.
const MAX_METHODS: usize = 6;

/// A share is stated only if at least this share of the records states a method: below it, the publishers that state
/// none decide what the share would be.
pub(crate) const MIN_COVERAGE: f64 = 0.5;

impl Competition {
    /// Sorts the counts of all methods. `total` and `amount` are those of all records, with a method or without.
    pub(crate) fn of(methods: FacetBuckets, total: u64, amount: Money) -> Competition {
        let mut classes: BTreeMap<MethodClass, MethodShare> = BTreeMap::new();
        let mut stated = MethodShare::default();
        for bucket in methods.buckets {
            let share = classes.entry(MethodClass::of(&bucket.value)).or_default();
            for sum in [&mut *share, &mut stated] {
                sum.count += bucket.count;
                sum.amount.add(bucket.total_value);
            }
            if share.methods.len() < MAX_METHODS {
                share.methods.push(bucket.value);
            }
        }
        let rest = amount.dollars() - stated.amount.dollars();
        Competition {
            classes,
            not_published: MethodShare {
                count: total.saturating_sub(stated.count),
                amount: Money::of(rest),
                methods: Vec::new(),
            },
        }
    }

    /// The share of the amounts, or of the records without amounts, that was awarded without competition, among those
    /// whose method is stated. `None` below [`MIN_COVERAGE`], or if the amounts have no positive sum.
    pub(crate) fn share_without(&self, by_amount: bool) -> Option<f64> {
        if self.coverage() < MIN_COVERAGE {
            return None;
        }
        let part = self.classes.get(&MethodClass::WithoutCompetition);
        let (part, whole) = if by_amount {
            let part = part.map_or(0.0, |share| share.amount.dollars());
            let whole: f64 = self.classes.values().map(|share| share.amount.dollars()).sum();
            (part, whole)
        } else {
            let whole: u64 = self.classes.values().map(|share| share.count).sum();
            (part.map_or(0, |share| share.count) as f64, whole as f64)
        };
        let share = part / whole;
        (whole > 0.0 && (0.0..=1.0).contains(&share)).then_some(share)
    }

    /// The share of the records whose method is stated.
    pub(crate) fn coverage(&self) -> f64 {
        let stated: u64 = self.classes.values().map(|share| share.count).sum();
        let all = stated + self.not_published.count;
        if all == 0 { 0.0 } else { stated as f64 / all as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::aggregation::FacetBucket;

    #[test]
    fn invited_suppliers_compete_too() {
        for method in ["RFT", "Call for tenders by invitation", "Competitive"] {
            assert_eq!(MethodClass::of(method), MethodClass::Competitive, "{method}");
        }
    }

    fn bucket(method: &str, count: u64, dollars: f64) -> FacetBucket {
        FacetBucket {
            value: method.to_owned(),
            count,
            total_value: Money::of(dollars),
        }
    }

    fn competition(buckets: Vec<FacetBucket>, total: u64, dollars: f64) -> Competition {
        let methods = FacetBuckets {
            buckets,
            ..FacetBuckets::default()
        };
        Competition::of(methods, total, Money::of(dollars))
    }

    #[test]
    fn the_share_is_of_what_is_stated() {
        let buckets = vec![
            bucket("RFT", 6, 300.0),
            bucket("Non-competitive", 2, 75.0),
            bucket("Gré à gré", 1, 25.0),
        ];
        let all = competition(buckets, 12, 1000.0);
        assert_eq!(all.share_without(true), Some(0.25));
        assert_eq!(all.share_without(false), Some(3.0 / 9.0));
        assert_eq!(all.coverage(), 0.75);
        let buckets = || vec![bucket("RFT", 3, 300.0), bucket("Gré à gré", 1, 100.0)];
        assert_eq!(competition(buckets(), 8, 1000.0).share_without(true), Some(0.25));
        let few = competition(buckets(), 9, 1000.0);
        assert_eq!((few.share_without(true), few.share_without(false)), (None, None));
        assert_eq!(
            (all.not_published.count, all.not_published.amount.dollars()),
            (3, 600.0)
        );
        assert_eq!(
            all.classes[&MethodClass::WithoutCompetition].methods,
            ["Non-competitive", "Gré à gré"]
        );
    }

    #[test]
    fn without_any_method_there_is_no_share() {
        let none = competition(Vec::new(), 5, 100.0);
        assert_eq!((none.share_without(true), none.share_without(false)), (None, None));
        assert_eq!(none.coverage(), 0.0);
        let negative = competition(vec![bucket("RFT", 1, -5.0), bucket("TN", 1, 2.0)], 2, -3.0);
        assert_eq!(negative.share_without(true), None);
        assert_eq!(competition(Vec::new(), 0, 0.0).coverage(), 0.0);
    }
}
