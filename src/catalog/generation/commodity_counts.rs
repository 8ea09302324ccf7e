//! The commodity codes that the records of a generation have, with their numbers of records and sums of values.
//!
//! Decision D-253: a generation never changes, so each entity type is counted once, on first use.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use crate::{
    catalog::value_cache::CacheSize,
    engine::{
        Deadline, Engine, Error,
        aggregation::{FacetBucket, Money, TermsAggregation, ValueAggregation},
    },
    model::{EntityType, Facet, commodity::CommodityCode},
    query::SearchQuery,
};

/// The codes that the records of an entity type have, or those of all entity types, and all codes above them.
#[derive(Debug, Default)]
pub(crate) struct CommodityCounts {
    /// Codes with most records first; of equal ones, in the order of their schemes and codes.
    codes: Vec<CodeCount>,
    /// Where the codes right below a code are in `codes`; under `None`, those of the first level.
    below: HashMap<Option<CommodityCode>, Vec<usize>>,
}

/// A code and its records. A record counts for each of its codes, and for all codes above them.
#[derive(Debug, PartialEq)]
pub(crate) struct CodeCount {
    pub(crate) code: CommodityCode,
    pub(crate) records: u64,
    /// The sum of the records' values: of all entity types together, that of the first of [`MONEY`] with records of
    /// the code. `None` if there are none of these, and for an entity type without a value.
    pub(crate) total_value: Option<Money>,
}

/// The entity types whose values make up the total of all, the first with records of a code.
const MONEY: [EntityType; 3] = [EntityType::Contract, EntityType::Award, EntityType::Disclosure];

impl CommodityCounts {
    fn new(mut codes: Vec<CodeCount>) -> CommodityCounts {
        codes.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.code.cmp(&b.code)));
        let mut below: HashMap<_, Vec<usize>> = HashMap::new();
        for (number, count) in codes.iter().enumerate() {
            below.entry(count.code.parent()).or_default().push(number);
        }
        CommodityCounts { codes, below }
    }

    pub(super) fn of_records(
        engine: &dyn Engine,
        entity_type: EntityType,
        deadline: &Deadline,
    ) -> Result<CommodityCounts, Error> {
        let query = SearchQuery::newest(entity_type, Vec::new());
        let all_codes = TermsAggregation::all(Facet::Commodity);
        let mut counted = engine.aggregate(&query, &[all_codes], ValueAggregation::Sum, deadline.clone())?;
        let has_values = counted.values.is_some();
        let code = |bucket: FacetBucket| {
            Some(CodeCount {
                code: CommodityCode::of_key(&bucket.value)?,
                records: bucket.count,
                total_value: has_values.then_some(bucket.total_value),
            })
        };
        let buckets = counted.take(Facet::Commodity).buckets;
        Ok(CommodityCounts::new(buckets.into_iter().filter_map(code).collect()))
    }

    /// The counts of several entity types together.
    fn together(parts: &[(EntityType, Arc<CommodityCounts>)]) -> CommodityCounts {
        let mut sums: HashMap<&CommodityCode, (u64, Option<Money>)> = HashMap::new();
        for count in parts.iter().flat_map(|(_, part)| &part.codes) {
            sums.entry(&count.code).or_default().0 += count.records;
        }
        for money in MONEY {
            let of_money = parts.iter().filter(|(entity_type, _)| *entity_type == money);
            for count in of_money.flat_map(|(_, part)| &part.codes) {
                let (_, value) = sums.entry(&count.code).or_default();
                *value = value.or(count.total_value);
            }
        }
        let code = |(code, (records, total_value)): (&CommodityCode, _)| CodeCount {
            code: code.clone(),
            records,
            total_value,
        };
        CommodityCounts::new(sums.into_iter().map(code).collect())
    }

    /// Codes of all levels, those with most records first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &CodeCount> {
        self.codes.iter()
    }

    /// The codes right below a code, or those of the first level, with most records first.
    pub(crate) fn level(&self, parent: Option<&CommodityCode>) -> impl Iterator<Item = &CodeCount> {
        let numbers = self.below.get(&parent.cloned()).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|number| &self.codes[*number])
    }

    /// About what they take in memory.
    fn bytes(&self) -> usize {
        let code = |code: &CommodityCode| code.key().len() + code.code().len();
        let count = |count: &CodeCount| size_of::<CodeCount>() + size_of::<usize>() + code(&count.code);
        let parent = |parent: &Option<CommodityCode>| {
            2 * size_of::<(Option<CommodityCode>, Vec<usize>)>() + parent.as_ref().map_or(0, code)
        };
        self.codes.iter().map(count).sum::<usize>() + self.below.keys().map(parent).sum::<usize>()
    }
}

/// The codes of each entity type and, last, those of all together.
#[derive(Default)]
pub(super) struct CommodityCache([OnceLock<Arc<CommodityCounts>>; EntityType::ALL.len() + 1]);

impl CommodityCache {
    /// One entity type, or all.
    fn place(&self, of: Option<EntityType>) -> &OnceLock<Arc<CommodityCounts>> {
        &self.0[of.map_or(EntityType::ALL.len(), |entity_type| entity_type as usize)]
    }

    /// The counts, if they were made already.
    pub(super) fn known(&self, of: Option<EntityType>) -> Option<Arc<CommodityCounts>> {
        self.place(of).get().cloned()
    }

    /// Counts those that are not known.
    pub(super) fn get(
        &self,
        engine: &dyn Engine,
        of: Option<EntityType>,
        deadline: &Deadline,
    ) -> Result<Arc<CommodityCounts>, Error> {
        if let Some(known) = self.known(of) {
            return Ok(known);
        }
        let counted = match of {
            Some(entity_type) => CommodityCounts::of_records(engine, entity_type, deadline)?,
            None => {
                let part = |entity_type| Ok((entity_type, self.get(engine, Some(entity_type), deadline)?));
                let parts = EntityType::ALL
                    .into_iter()
                    .map(part)
                    .collect::<Result<Vec<_>, Error>>()?;
                CommodityCounts::together(&parts)
            }
        };
        Ok(Arc::clone(self.place(of).get_or_init(|| Arc::new(counted))))
    }

    pub(super) fn size(&self) -> CacheSize {
        let counted = || self.0.iter().filter_map(OnceLock::get);
        CacheSize {
            entries: counted().count(),
            bytes: counted().map(|counts| counts.bytes()).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> CommodityCode {
        CommodityCode::parse(text).unwrap()
    }

    fn counts(codes: &[(&str, u64, Option<f64>)]) -> Arc<CommodityCounts> {
        let count = |(key, records, value): &(&str, u64, Option<f64>)| CodeCount {
            code: code(key),
            records: *records,
            total_value: value.map(Money::of),
        };
        Arc::new(CommodityCounts::new(codes.iter().map(count).collect()))
    }

    fn rows<'c>(counts: impl Iterator<Item = &'c CodeCount>) -> Vec<(&'c str, u64, Option<f64>)> {
        let row = |count: &'c CodeCount| {
            let value = count.total_value.map(Money::dollars);
            (count.code.key(), count.records, value)
        };
        counts.map(row).collect()
    }

    #[test]
    fn codes_of_several_entity_types_are_added_and_their_money_is_not() {
        let tenders = counts(&[("72", 5, Some(1000.0)), ("gsin:n70", 4, Some(1.0))]);
        let awards = counts(&[("72", 1, Some(7.0)), ("7210", 1, Some(7.0)), ("gsin:n70", 1, Some(3.0))]);
        let contracts = counts(&[("72", 2, Some(20.0)), ("7214", 1, Some(20.0)), ("7210", 1, Some(0.0))]);
        let both = CommodityCounts::together(&[
            (EntityType::Tender, tenders),
            (EntityType::Award, awards),
            (EntityType::Contract, contracts),
        ]);
        assert_eq!(
            rows(both.level(None)),
            [("unspsc:72", 8, Some(20.0)), ("gsin:n70", 5, Some(3.0))]
        );
        assert_eq!(
            rows(both.level(Some(&code("72")))),
            [("unspsc:7210", 2, Some(0.0)), ("unspsc:7214", 1, Some(20.0))]
        );
        assert_eq!(both.level(Some(&code("7210"))).count(), 0);
        assert_eq!(both.all().count(), 4);
    }

    #[test]
    fn equal_codes_are_in_the_order_of_their_schemes() {
        let counts = counts(&[
            ("object:04", 1, None),
            ("gsin:k", 1, None),
            ("72", 1, None),
            ("43", 1, None),
        ]);
        let keys: Vec<&str> = counts.level(None).map(|count| count.code.key()).collect();
        assert_eq!(keys, ["unspsc:43", "unspsc:72", "gsin:k", "object:04"]);
    }

    #[test]
    fn the_size_grows_with_the_codes() {
        let cache = CommodityCache::default();
        assert_eq!(cache.size(), CacheSize::default());
        cache
            .place(Some(EntityType::Award))
            .set(counts(&[("72", 1, None)]))
            .unwrap();
        let one = cache.size();
        assert_eq!(one.entries, 1);
        assert!((100..1000).contains(&one.bytes), "{one:?}");
        cache
            .place(None)
            .set(counts(&[("72", 1, None), ("7210", 1, None)]))
            .unwrap();
        let three = cache.size();
        assert!(three.entries == 2 && three.bytes > 2 * one.bytes, "{one:?} {three:?}");
        assert!(cache.known(Some(EntityType::Tender)).is_none());
    }
}
