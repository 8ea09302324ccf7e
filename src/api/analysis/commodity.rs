//! Commodity codes with their words, and the records that have them.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::{
        analysis::{
            entity_type_counts::{EntityTypeCount, by_entity_type},
            figures::{FigurePlan, Figures},
        },
        cost::ScanCost,
        params::{filters::commodity_filter, include::Include},
    },
    catalog::{ask::Ask, generation::Generation},
    engine::{
        Error,
        aggregation::{FacetBucket, FacetBuckets, Money, TermsAggregation},
    },
    model::{
        EntityType, Facet, Role, Schema,
        commodity::{CommodityCode, SCHEMES},
    },
    query::{Filter, SearchQuery},
};

/// A commodity code and its words, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Commodity {
    /// The code with its scheme, such as `unspsc:7210`: a value of the parameter `commodity`.
    #[serde(rename = "commodity")]
    pub(crate) key: String,
    /// `unspsc`, `gsin`, or `object` for economic object codes.
    #[schemars(extend("enum" = SCHEMES))]
    pub(crate) scheme: &'static str,
    /// The code without its scheme.
    pub(crate) code: String,
    pub(crate) title_en: Option<String>,
    pub(crate) title_fr: Option<String>,
}

/// A commodity code and its records. A record counts for each of its codes, and for all codes above them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CommodityCount {
    #[serde(flatten)]
    pub(crate) commodity: Commodity,
    pub(crate) records: u64,
    /// Null for an entity type without a value.
    pub(crate) total_value: Option<Money>,
}

/// The profile of a commodity code, planned before anything is read.
#[derive(Debug)]
pub(crate) struct CommodityPlan {
    pub(crate) code: CommodityCode,
    /// Further filters of its records.
    pub(crate) filters: Vec<Filter>,
    /// The entity type of the figures; without one, the first of [`PREFERRED`] with records.
    pub(crate) requested: Option<EntityType>,
    /// Without a requested entity type: whether [`most_records`] chooses one instead, as on pages.
    pub(crate) of_most_records: bool,
    pub(crate) include: Include,
    /// How many names of each side are returned.
    pub(crate) names: usize,
    /// What buyers are counted by.
    pub(crate) buyers: Facet,
    /// Whether the places of the records are counted too.
    pub(crate) has_places: bool,
}

/// A commodity code with its place in the hierarchy and its records.
#[derive(Debug)]
pub(crate) struct FoundCommodity {
    pub(crate) commodity: Commodity,
    /// The codes above it, the highest first.
    pub(crate) ancestors: Vec<Commodity>,
    /// The next level below it, as far as its records have it, those with most records first.
    pub(crate) children: Vec<CommodityCount>,
    /// Its records of every entity type.
    pub(crate) by_entity_type: Vec<EntityTypeCount>,
    /// The search for its records of one entity type.
    pub(crate) query: SearchQuery,
    /// The figures of these.
    pub(crate) figures: Figures,
}

/// The entity types whose figures are shown, the best first: contracts, then what reports the same money, then the
/// rest.
pub(crate) const PREFERRED: [EntityType; EntityType::ALL.len()] = [
    EntityType::Contract,
    EntityType::Award,
    EntityType::Disclosure,
    EntityType::StandingOffer,
    EntityType::Tender,
    EntityType::PreSolicitation,
];

/// The entity type that a page shows first: of those that name a supplier the one with most records, so that a handful
/// of contracts does not hide hundreds of disclosures. Without such records, of the others. Equal ones are in the order
/// of [`PREFERRED`].
pub(crate) fn most_records(records: impl IntoIterator<Item = (EntityType, u64)>) -> Option<EntityType> {
    let place = |of: EntityType| PREFERRED.iter().position(|preferred| *preferred == of);
    let found = records.into_iter().filter(|(_, records)| *records > 0);
    let rank =
        |(of, records): &(EntityType, u64)| (Schema::of(*of).has_role(Role::Vendor), *records, Reverse(place(*of)));
    found.max_by_key(rank).map(|(of, _)| of)
}

pub(crate) fn described(generation: &Generation, code: &CommodityCode) -> Commodity {
    let words = generation.commodities.title(code);
    Commodity {
        key: code.key().to_owned(),
        scheme: code.scheme().name(),
        code: code.code().to_owned(),
        title_en: words.and_then(|words| words.en.clone()),
        title_fr: words.and_then(|words| words.fr.clone()),
    }
}

/// One level of the counts of all codes: the children of `parent`, or the highest codes without one.
pub(crate) fn one_level(counts: FacetBuckets, parent: Option<&CommodityCode>) -> Vec<(CommodityCode, FacetBucket)> {
    let of_level = |bucket: FacetBucket| {
        let code = CommodityCode::of_key(&bucket.value)?;
        (code.parent().as_ref() == parent).then_some((code, bucket))
    };
    counts.buckets.into_iter().filter_map(of_level).collect()
}

/// [`one_level`] with the words of each code.
pub(crate) fn children(
    generation: &Generation,
    counts: FacetBuckets,
    parent: &CommodityCode,
    has_values: bool,
) -> Vec<CommodityCount> {
    let row = |(code, bucket): (CommodityCode, FacetBucket)| CommodityCount {
        commodity: described(generation, &code),
        records: bucket.count,
        total_value: has_values.then_some(bucket.total_value),
    };
    one_level(counts, Some(parent)).into_iter().map(row).collect()
}

impl CommodityPlan {
    /// The figures are of any entity type: the cost is that of the largest one.
    pub(crate) fn cost(&self, generation: &Generation) -> ScanCost {
        let mut scans: Vec<_> = EntityType::ALL.map(|entity_type| (entity_type, 1)).to_vec();
        let figures = self.figures(EntityType::Contract);
        scans.push((self.largest(generation), figures.scans()));
        ScanCost::of(generation, &scans).and_bids(generation, self.include.bids.into())
    }

    /// The largest entity type that the figures may be of.
    pub(crate) fn largest(&self, generation: &Generation) -> EntityType {
        let records = |of: &EntityType| generation.manifest_of(*of).records;
        let largest = || EntityType::ALL.into_iter().max_by_key(records);
        self.requested.or_else(largest).unwrap_or(EntityType::Contract)
    }

    fn figures(&self, entity_type: EntityType) -> FigurePlan {
        let schema = Schema::of(entity_type);
        let mut terms = vec![
            TermsAggregation::all(Facet::Year),
            TermsAggregation::top(self.names, self.buyers),
            TermsAggregation::all(Facet::Commodity),
        ];
        if schema.has_role(Role::Vendor) {
            terms.push(TermsAggregation::top(self.names, Facet::Vendor));
        }
        if self.has_places {
            terms.push(TermsAggregation::all(Facet::Municipality));
        }
        FigurePlan::new(terms, self.include)
    }

    /// The code and its records. `None` if no record of any entity type has the code.
    pub(crate) fn run(&self, ask: &Ask) -> Result<Option<FoundCommodity>, Error> {
        let (generation, code) = (&ask.generation, &self.code);
        let narrowed = |entity_type: EntityType| {
            let all = std::iter::once(commodity_filter(code)).chain(self.filters.iter().cloned());
            SearchQuery::newest(entity_type, all.collect())
        };
        let by_entity_type = by_entity_type(ask, &narrowed(EntityType::Contract))?;
        if by_entity_type.is_empty() && (self.filters.is_empty() || !exists(ask, code)?) {
            return Ok(None);
        }
        let has_records = |of: &EntityType| by_entity_type.iter().any(|count| count.entity_type == *of);
        let preferred = if self.of_most_records {
            most_records(by_entity_type.iter().map(|count| (count.entity_type, count.records)))
        } else {
            PREFERRED.into_iter().find(has_records)
        };
        let entity_type = self.requested.or(preferred).unwrap_or(EntityType::Contract);
        let query = narrowed(entity_type);
        let mut figures = self.figures(entity_type).run(ask, &query)?;
        let has_values = figures.counted.values.is_some();
        let below = figures.counted.take(Facet::Commodity);
        let ancestors = code.ancestors();
        Ok(Some(FoundCommodity {
            commodity: described(generation, code),
            ancestors: ancestors.iter().rev().map(|code| described(generation, code)).collect(),
            children: children(generation, below, code, has_values),
            by_entity_type,
            query,
            figures,
        }))
    }
}

/// Whether a record of any entity type has the code or one below it.
fn exists(ask: &Ask, code: &CommodityCode) -> Result<bool, Error> {
    for entity_type in EntityType::ALL {
        if ask.count(&SearchQuery::newest(entity_type, vec![commodity_filter(code)]))? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entity_type_with_most_records_comes_first_if_it_names_suppliers() {
        use EntityType::{Award, Contract, Disclosure, PreSolicitation, Tender};
        for (records, expected) in [
            (&[(Contract, 6), (Disclosure, 602)][..], Some(Disclosure)),
            (&[(Disclosure, 6), (Award, 6), (Contract, 6)], Some(Contract)),
            (&[(Tender, 900), (Award, 1)], Some(Award)),
            (
                &[(Tender, 3), (PreSolicitation, 4), (Contract, 0)],
                Some(PreSolicitation),
            ),
            (&[], None),
        ] {
            assert_eq!(most_records(records.iter().copied()), expected, "{records:?}");
        }
    }
}
