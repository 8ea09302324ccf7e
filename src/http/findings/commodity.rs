//! Commodity codes with their words, and the records that have them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline, Error,
        aggregation::{Aggregation, FacetBucket, FacetBuckets, Money, TermsAggregation, ValueAggregation},
    },
    http::{
        findings::{
            count,
            entity_type_counts::{EntityTypeCount, by_entity_type},
        },
        params::filters::commodity_filter,
    },
    model::{
        EntityType, Facet,
        commodity::{CommodityCode, Scheme},
    },
    query::{Filter, SearchQuery},
};

/// The names of the schemes.
pub(crate) const SCHEMES: [&str; 3] = [Scheme::Unspsc.name(), Scheme::Gsin.name(), Scheme::Object.name()];

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
    /// What was counted of these.
    pub(crate) counted: Aggregation,
}

/// The entity types whose figures are shown, the best first: contracts, then what reports the same money (decision
/// D-58), then the rest.
pub(crate) const PREFERRED: [EntityType; EntityType::ALL.len()] = [
    EntityType::Contract,
    EntityType::Award,
    EntityType::Disclosure,
    EntityType::StandingOffer,
    EntityType::Tender,
    EntityType::PreSolicitation,
];

/// What [`one_level`] reads of an aggregation: all codes.
pub(crate) const COMMODITY_TERMS: TermsAggregation = TermsAggregation {
    facet: Facet::Commodity,
    size: usize::MAX,
};

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

/// The records of a code that pass further filters. The figures are those of the requested entity type, or else of the
/// first preferred one with records; `terms` are counted of them. `None` if no record of any entity type has the code.
pub(crate) fn find(
    generation: &Generation,
    code: &CommodityCode,
    filters: &[Filter],
    requested: Option<EntityType>,
    terms: impl Fn(EntityType) -> Vec<TermsAggregation>,
    deadline: &Deadline,
) -> Result<Option<FoundCommodity>, Error> {
    let narrowed = |entity_type: EntityType| {
        let all = std::iter::once(commodity_filter(code)).chain(filters.iter().cloned());
        SearchQuery::newest(entity_type, all.collect())
    };
    let by_entity_type = by_entity_type(generation, &narrowed(EntityType::Contract), deadline)?;
    if by_entity_type.is_empty() && (filters.is_empty() || !exists(generation, code, deadline)?) {
        return Ok(None);
    }
    let has_records = |of: &EntityType| by_entity_type.iter().any(|count| count.entity_type == *of);
    let preferred = PREFERRED.into_iter().find(has_records);
    let entity_type = requested.or(preferred).unwrap_or(EntityType::Contract);
    let query = narrowed(entity_type);
    let mut all_terms = terms(entity_type);
    all_terms.push(COMMODITY_TERMS);
    let engine = &generation.engine;
    let mut counted = engine.aggregate(&query, &all_terms, ValueAggregation::Sum, deadline.clone())?;
    let has_values = counted.values.is_some();
    let children = children(generation, counted.take(Facet::Commodity), code, has_values);
    let ancestors = code.ancestors();
    Ok(Some(FoundCommodity {
        commodity: described(generation, code),
        ancestors: ancestors.iter().rev().map(|code| described(generation, code)).collect(),
        children,
        by_entity_type,
        query,
        counted,
    }))
}

/// Whether a record of any entity type has the code or one below it.
fn exists(generation: &Generation, code: &CommodityCode, deadline: &Deadline) -> Result<bool, Error> {
    for entity_type in EntityType::ALL {
        let query = SearchQuery::newest(entity_type, vec![commodity_filter(code)]);
        if count(generation, &query, deadline)? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
