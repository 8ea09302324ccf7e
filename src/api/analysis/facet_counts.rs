//! The facets of a page of records.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::{
        analysis::{
            commodity::{described, one_level},
            figures::first,
            shares::{Share, shares},
            supplier_counts::{Rank, SupplierCounts, count_all_vendors},
        },
        params::resolve::ResolvedSearch,
    },
    catalog::generation::{CodeCount, Generation},
    engine::aggregation::{Aggregation, FacetBucket, FacetBuckets, Money, TermsAggregation},
    model::{Facet, commodity::CommodityCode},
};

/// The maximum number of values returned for a facet; `distinct` and `other` count the rest.
const MAX_VALUES: usize = 50;

/// The counts of one facet, over all matches.
#[derive(Serialize, JsonSchema)]
#[schemars(description = "The counts of one facet, over all matches")]
pub(crate) struct FacetCounts {
    /// The most frequent values, up to 50.
    values: Vec<Share>,
    /// Number of distinct values.
    distinct: u64,
    /// Sum of the counts of all values that are not in `values`.
    other: u64,
}

/// Decision D-243: the counts of one level of commodity codes: those right below the code that the search names, or the
/// highest ones.
#[derive(Serialize, JsonSchema)]
#[schemars(
    description = "The counts of one level of commodity codes, over all matches: those right below the code of `commodity`, or the highest ones without it. A record counts for each of its codes"
)]
pub(crate) struct CommodityFacetCounts {
    /// The most frequent codes, up to 50.
    values: Vec<CommodityShare>,
    /// Number of distinct codes of the level.
    distinct: u64,
    /// Sum of the counts of all codes of the level that are not in `values`.
    other: u64,
}

/// A commodity code, and the number of records that have it or a code below it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CommodityShare {
    /// The code with its scheme: a value of `commodity`.
    value: String,
    /// The code without its scheme.
    code: String,
    title_en: Option<String>,
    title_fr: Option<String>,
    count: u64,
}

/// The counts of a facet, in the form that it has.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum CountedFacet {
    Values(FacetCounts),
    Commodities(CommodityFacetCounts),
}

/// What the aggregation of a search must count for facets.
pub(crate) fn counted_terms(facets: impl Iterator<Item = Facet>) -> Vec<TermsAggregation> {
    let facets: Vec<Facet> = facets.collect();
    let term = |facet: Facet| match facet {
        // One level of all; and combinations.
        Facet::Commodity | Facet::Body => TermsAggregation::all(facet),
        facet => TermsAggregation::top(MAX_VALUES, facet),
    };
    let stored = facets.iter().copied().filter(|facet| *facet != Facet::Supplier);
    let mut terms: Vec<TermsAggregation> = stored.map(term).collect();
    if facets.contains(&Facet::Supplier) {
        count_all_vendors(&mut terms);
    }
    terms
}

/// The facet that needs no search, with its counts: the codes of all records, once a list of codes has counted them.
pub(crate) fn kept_facet(generation: &Generation, search: &ResolvedSearch) -> Option<(Facet, FacetBuckets)> {
    let is_of_all = search.query.matches_all() && search.facets.contains(&Facet::Commodity);
    let of = is_of_all.then_some(search.query.entity_type)?;
    let counts = generation.known_commodity_counts(Some(of))?;
    let bucket = |count: &CodeCount| FacetBucket {
        value: count.code.key().to_owned(),
        count: count.records,
        total_value: Money::default(),
    };
    let mut buckets: Vec<FacetBucket> = counts.level(None).map(bucket).collect();
    // In the order of a facet: a list has equal codes in the order of their schemes.
    buckets.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    let counts = FacetBuckets {
        distinct: buckets.len() as u64,
        other: 0,
        buckets,
    };
    Some((Facet::Commodity, counts))
}

impl CountedFacet {
    /// From the counts of [`counted_terms`].
    pub(crate) fn all(
        generation: &Generation,
        search: &ResolvedSearch,
        mut aggregation: Aggregation,
    ) -> BTreeMap<&'static str, CountedFacet> {
        let mut found = BTreeMap::new();
        if search.facets.contains(&Facet::Supplier) {
            let vendors = aggregation.take(Facet::Vendor);
            if search.facets.contains(&Facet::Vendor) {
                aggregation.facets.insert(Facet::Vendor, first(&vendors, MAX_VALUES));
            }
            let suppliers = SupplierCounts::of(&generation.suppliers, vendors, Rank::Count, MAX_VALUES);
            found.insert(Facet::Supplier.name(), CountedFacet::Values(suppliers.into()));
        }
        if search.facets.contains(&Facet::Body) {
            let (bodies, departments) = (&generation.bodies, &aggregation.combinations);
            let bodies = SupplierCounts::of_combinations(bodies, departments, Rank::Count, MAX_VALUES);
            found.insert(Facet::Body.name(), CountedFacet::Values(bodies.into()));
        }
        for (facet, counts) in aggregation.facets {
            let counted = if facet == Facet::Commodity {
                let level = CommodityFacetCounts::new(generation, counts, search.commodity.as_ref());
                CountedFacet::Commodities(level)
            } else {
                CountedFacet::Values(FacetCounts::new(counts))
            };
            found.insert(facet.name(), counted);
        }
        found
    }
}

impl From<SupplierCounts> for FacetCounts {
    fn from(counts: SupplierCounts) -> FacetCounts {
        FacetCounts {
            values: counts.rows.into_iter().map(Share::from).collect(),
            distinct: counts.distinct,
            other: counts.other,
        }
    }
}

impl CommodityFacetCounts {
    /// `counts` are those of all codes.
    fn new(generation: &Generation, counts: FacetBuckets, parent: Option<&CommodityCode>) -> CommodityFacetCounts {
        let mut level = one_level(counts, parent);
        let distinct = level.len() as u64;
        let rest = level.split_off(level.len().min(MAX_VALUES));
        let share = |(code, bucket): (CommodityCode, FacetBucket)| {
            let commodity = described(generation, &code);
            CommodityShare {
                value: commodity.key,
                code: commodity.code,
                title_en: commodity.title_en,
                title_fr: commodity.title_fr,
                count: bucket.count,
            }
        };
        CommodityFacetCounts {
            values: level.into_iter().map(share).collect(),
            distinct,
            other: rest.iter().map(|(_, bucket)| bucket.count).sum(),
        }
    }
}

impl FacetCounts {
    fn new(counts: FacetBuckets) -> FacetCounts {
        FacetCounts {
            distinct: counts.distinct,
            other: counts.other,
            values: shares(counts),
        }
    }
}
