//! The figures of one vendor or department: what the engine counts for a name.

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline,
        aggregation::{Aggregation, FacetBucket, FacetBuckets, TermsAggregation, ValueAggregation},
        names::{BodyKind, ResolvedName},
    },
    http::{
        cost::Counting,
        error::ApiError,
        explorer::{charts::largest, department_names::names_facet, messages::Texts, record::listed::ListedRecord},
        findings::{
            commodity::PREFERRED,
            competition::Competition,
            currencies::{CURRENCY_TERMS, CurrencySum, currencies_of},
            market::{self, MarketFigures, market_figures},
            quality::{QUALITY_TERMS, Quality, quality_of},
        },
        handlers::counts::terms,
    },
    model::{Date, EntityType, Facet, Role, Schema},
    query::{Filter, Page, SearchQuery, Start},
};

/// A name, and its records of each entity type.
#[derive(Debug)]
pub(super) struct Found {
    facet: Facet,
    /// Entity types with at least one record, in the order of [`PREFERRED`].
    pub(super) kinds: Vec<KindCount>,
}

#[derive(Debug)]
pub(super) struct KindCount {
    pub(super) entity_type: EntityType,
    pub(super) records: u64,
    named: ResolvedName,
}

/// What a page shows of the records of one entity type.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) entity_type: EntityType,
    pub(super) name: String,
    pub(super) name_fr: Option<String>,
    pub(super) total: u64,
    /// In dollars; `None` for an entity type without values.
    pub(super) amount: Option<f64>,
    /// How many records state a value.
    pub(super) with_value: u64,
    pub(super) first: Option<Date>,
    pub(super) last: Option<Date>,
    /// Year, number of records, and sum of their values.
    pub(super) years: Vec<(i32, u64, f64)>,
    /// The other side, the largest first: by value, or by number for an entity type without values.
    pub(super) others: Vec<FacetBucket>,
    /// How many names the other side has.
    pub(super) distinct_others: u64,
    pub(super) categories: Vec<FacetBucket>,
    /// `None` for an entity type without methods of procurement.
    pub(super) competition: Option<Competition>,
    pub(super) newest: Vec<ListedRecord>,
    /// The places that the records are of.
    pub(super) places: FacetBuckets,
    /// Whether the name is that of a buyer or of a part of one; `None` for a vendor.
    pub(super) body: Option<BodyKind>,
    pub(super) market: MarketFigures,
    pub(super) quality: Quality,
    /// The sums of other currencies, which the amount leaves out.
    pub(super) currencies: Vec<CurrencySum>,
}

/// How many names of the other side are shown.
pub(super) const TOP: usize = 10;

/// How many records are shown.
const NEWEST: usize = 10;

/// How many similar names the page of an unknown name lists.
const MAX_SIMILAR: usize = 8;

/// The facet of the other side: the buyers of a vendor, the suppliers of a department.
fn other_side(facet: Facet) -> Facet {
    match facet {
        Facet::Vendor => Facet::Department,
        _ => Facet::Vendor,
    }
}

/// The entity types in which a name can be looked up.
pub(super) fn kinds(facet: Facet) -> impl Iterator<Item = EntityType> {
    let has_names =
        move |entity_type: &EntityType| facet != Facet::Vendor || Schema::of(*entity_type).has_role(Role::Vendor);
    PREFERRED.into_iter().filter(has_names)
}

/// All facets are counted completely, because the largest by value need not be among the most frequent.
fn facets(facet: Facet, entity_type: EntityType) -> Vec<TermsAggregation> {
    let schema = Schema::of(entity_type);
    let mut facets = vec![terms(Facet::Year, usize::MAX), terms(Facet::Category, usize::MAX)];
    if facet == Facet::Vendor || schema.has_role(Role::Vendor) {
        facets.push(terms(other_side(facet), usize::MAX));
    }
    if schema.has_role(Role::ProcurementMethod) {
        facets.push(terms(Facet::ProcurementMethod, usize::MAX));
    }
    // The places tell the sources of the records, and so the years without data.
    facets.push(terms(Facet::Municipality, usize::MAX));
    facets.push(QUALITY_TERMS);
    if schema.has_role(Role::Value) {
        facets.push(CURRENCY_TERMS);
    }
    facets
}

/// What the figures of so many names cost: the counting of their facets, and of their records of every entity type.
pub(super) fn counting(generation: &Generation, facet: Facet, kind: Option<EntityType>, names: usize) -> Counting {
    let entity_type = kind.unwrap_or(PREFERRED[0]);
    let of_figures = facets(facet, entity_type).len() + market::COUNTS;
    let mut counts = vec![(entity_type, of_figures * names)];
    counts.extend(kinds(facet).map(|entity_type| (entity_type, names)));
    Counting::of(generation, &counts)
}

impl Found {
    /// Looks a name up; `None` if no record has it.
    pub(super) fn find(
        generation: &Generation,
        facet: Facet,
        name: &str,
        deadline: &Deadline,
    ) -> Result<Option<Found>, ApiError> {
        let mut found = Found {
            facet,
            kinds: Vec::new(),
        };
        for entity_type in kinds(facet) {
            let named = generation
                .engine
                .resolve_name(entity_type, names_facet(facet), name, deadline.clone())?;
            let Some(named) = named else { continue };
            let query = query(facet, entity_type, &named);
            let aggregation = generation
                .engine
                .aggregate(&query, &[], ValueAggregation::None, deadline.clone())?;
            if aggregation.total > 0 {
                found.kinds.push(KindCount {
                    entity_type,
                    records: aggregation.total,
                    named,
                });
            }
        }
        Ok((!found.kinds.is_empty()).then_some(found))
    }

    /// The figures of one entity type: the requested one, else the first with records. `None` if the name has no records
    /// of the requested one.
    pub(super) fn figures(
        &self,
        generation: &Generation,
        kind: Option<EntityType>,
        t: Texts,
        deadline: &Deadline,
    ) -> Result<Option<Figures>, ApiError> {
        let chosen = match kind {
            Some(kind) => self.kinds.iter().find(|count| count.entity_type == kind),
            None => self.kinds.first(),
        };
        match chosen {
            Some(chosen) => figures(generation, self.facet, chosen, t, deadline).map(Some),
            None => Ok(None),
        }
    }
}

fn query(facet: Facet, entity_type: EntityType, named: &ResolvedName) -> SearchQuery {
    let (facet, key) = (names_facet(facet), named.key.clone());
    SearchQuery::newest(entity_type, vec![Filter::FacetValue { facet, key }])
}

fn figures(
    generation: &Generation,
    facet: Facet,
    chosen: &KindCount,
    t: Texts,
    deadline: &Deadline,
) -> Result<Figures, ApiError> {
    let entity_type = chosen.entity_type;
    let query = query(facet, entity_type, &chosen.named);
    let facets = facets(facet, entity_type);
    let engine = &generation.engine;
    let mut counted = engine.aggregate(&query, &facets, ValueAggregation::Sum, deadline.clone())?;
    let page = Page {
        limit: NEWEST,
        start: Start::Offset(0),
    };
    let hits = engine.search(&query, &page, deadline.clone())?;
    let market = market_figures(generation, &query, deadline)?;
    let newest = hits.records.iter().map(|bytes| ListedRecord::of(t, entity_type, bytes));
    let has_values = counted.values.is_some();
    let amount = counted.values.as_ref().map(|values| values.total_value);
    let (quality, currencies) = (quality_of(&counted), currencies_of(&counted));
    let others = take(&mut counted, other_side(facet));
    let methods = counted.facets.remove(&Facet::ProcurementMethod);
    let mut years: Vec<(i32, u64, f64)> = take(&mut counted, Facet::Year)
        .buckets
        .into_iter()
        .filter_map(|year| Some((year.value.parse().ok()?, year.count, year.total_value.dollars())))
        .collect();
    years.sort_by_key(|(year, ..)| *year);
    let total = counted.total;
    Ok(Figures {
        entity_type,
        name: chosen.named.name.clone(),
        name_fr: chosen.named.name_fr.clone(),
        total,
        amount: amount.map(|amount| amount.dollars()),
        with_value: counted.values.as_ref().map_or(0, |values| values.records_with_value),
        first: counted.earliest_date,
        last: counted.latest_date,
        years,
        distinct_others: others.distinct,
        others: largest(others, has_values, TOP),
        categories: largest(take(&mut counted, Facet::Category), has_values, usize::MAX),
        places: take(&mut counted, Facet::Municipality),
        competition: methods.map(|methods| Competition::of(methods, total, amount.unwrap_or_default())),
        newest: newest.collect::<Result<_, _>>()?,
        body: chosen.named.kind,
        market,
        quality,
        currencies,
    })
}

/// The buckets of a facet; none if it was not counted.
fn take(counted: &mut Aggregation, facet: Facet) -> FacetBuckets {
    counted.facets.remove(&facet).unwrap_or_default()
}

/// Known names that are similar to one that does not exist, the most similar first: first the best of each entity type,
/// then the second ones.
pub(super) fn similar(
    generation: &Generation,
    facet: Facet,
    name: &str,
    deadline: &Deadline,
) -> Result<Vec<String>, ApiError> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for entity_type in kinds(facet) {
        let engine = &generation.engine;
        let names = engine.suggest_names(entity_type, names_facet(facet), name, MAX_SIMILAR, deadline.clone())?;
        found.extend(names.into_iter().enumerate());
    }
    found.sort_by_key(|(rank, _)| *rank);
    let mut similar: Vec<String> = Vec::new();
    for (_, name) in found {
        if similar.len() < MAX_SIMILAR && !similar.contains(&name) {
            similar.push(name);
        }
    }
    Ok(similar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_are_looked_up_where_there_are_vendors() {
        assert_eq!(kinds(Facet::Department).count(), 6);
        assert!(kinds(Facet::Vendor).all(|entity_type| entity_type != EntityType::Tender));
        let tenders = facets(Facet::Department, EntityType::Tender);
        assert!(tenders.iter().all(|terms| terms.facet != Facet::Vendor));
    }
}
