//! Which years the sources cover that a query asks: what a zero, a total or a chart says nothing about.

use std::collections::BTreeSet;

use crate::{
    catalog::{
        ask::Ask,
        generation::{EntityTypeManifest, Generation, SourceCoverage},
    },
    engine::{
        Error,
        aggregation::{Aggregation, FacetBuckets, TermsAggregation, ValueAggregation},
    },
    model::{EntityType, Facet, Role},
    query::{Filter, SearchQuery},
};

/// How often [`coverage_of`] scans the records.
pub(crate) const SCANS: usize = 1;

/// The coverage of the sources that a query touches: those with records in the places of the records that meet all of
/// its conditions but the days. So a year without any record is compared with the source that would have it.
pub(crate) fn coverage_of(ask: &Ask, query: &SearchQuery) -> Result<Vec<SourceCoverage>, Error> {
    Ok(asked_sources(ask, query)?.into_iter().cloned().collect())
}

/// [`coverage_of`] without copies of the sources.
fn asked_sources<'a>(ask: &'a Ask, query: &SearchQuery) -> Result<Vec<&'a SourceCoverage>, Error> {
    Ok(match without_days(ask, query)? {
        Some(found) => sources_among(&ask.generation, query, &found),
        None => sources_of_places(&ask.generation, query),
    })
}

/// What the search finds without its days, by place. `None` if that is all records.
pub(crate) fn without_days(ask: &Ask, query: &SearchQuery) -> Result<Option<Aggregation>, Error> {
    let is_day = |filter: &Filter| matches!(filter, Filter::Dates { role: Role::Date, .. });
    let filters = query.filters.iter().filter(|filter| !is_day(filter));
    let undated = SearchQuery {
        filters: filters.cloned().collect(),
        ..query.clone()
    };
    if undated.matches_all() {
        return Ok(None);
    }
    let terms = [TermsAggregation::all(Facet::Municipality)];
    ask.aggregate(&undated, &terms, ValueAggregation::None).map(Some)
}

/// The sources of what [`without_days`] found; of nothing, those of the places of the search.
pub(crate) fn sources_among<'g>(
    generation: &'g Generation,
    query: &SearchQuery,
    found: &Aggregation,
) -> Vec<&'g SourceCoverage> {
    match found
        .facets
        .get(&Facet::Municipality)
        .filter(|places| !places.buckets.is_empty())
    {
        Some(places) => sources_of(generation, query.entity_type, Some(places)),
        None => sources_of_places(generation, query),
    }
}

/// The sources of the places of the filter by municipality.
pub(crate) fn sources_of_places<'g>(generation: &'g Generation, query: &SearchQuery) -> Vec<&'g SourceCoverage> {
    let (part, sources) = of_type(generation, query.entity_type);
    sources_in(part, sources, places_of(query))
}

/// The places of the filter by municipality.
pub(crate) fn places_of(query: &SearchQuery) -> impl Iterator<Item = &str> {
    let keys = query.filters.iter().flat_map(|filter| match filter {
        Filter::Term {
            role: Role::Municipality,
            key,
        } => std::slice::from_ref(key),
        Filter::AnyTerm {
            role: Role::Municipality,
            keys,
        } => keys.as_slice(),
        _ => &[],
    });
    keys.map(String::as_str)
}

/// The sources that records of these places come from. All sources of the entity type, if not all places are known.
pub(crate) fn sources_of<'g>(
    generation: &'g Generation,
    entity_type: EntityType,
    places: Option<&FacetBuckets>,
) -> Vec<&'g SourceCoverage> {
    let known = places.filter(|places| places.other == 0);
    let slugs = known.into_iter().flat_map(|places| &places.buckets);
    let (part, sources) = of_type(generation, entity_type);
    sources_in(part, sources, slugs.map(|place| place.value.as_str()))
}

/// Whether an entity type is a selection: nine tenths of its dated records are from sources of which nearly all
/// suppliers are in another country.
pub(crate) fn is_selection(generation: &Generation, of: EntityType) -> bool {
    let (mut all, mut selected) = (0, 0);
    for source in generation.coverage_of(of) {
        let records: u64 = source.years.iter().map(|year| year.records).sum();
        all += records;
        selected += if source.abroad.is_some() { records } else { 0 };
    }
    selected > 0 && selected * 10 >= all * 9
}

fn of_type(generation: &Generation, entity_type: EntityType) -> (&EntityTypeManifest, &[SourceCoverage]) {
    (generation.manifest_of(entity_type), generation.coverage_of(entity_type))
}

/// The sources with records of one of these places; all sources of the entity type if there are none.
fn sources_in<'g, 'p>(
    part: &EntityTypeManifest,
    sources: &'g [SourceCoverage],
    places: impl Iterator<Item = &'p str>,
) -> Vec<&'g SourceCoverage> {
    let rows = places.filter_map(|place| part.place(place));
    let ids: BTreeSet<&str> = rows.flat_map(|row| &row.source_ids).map(String::as_str).collect();
    let is_known = |source: &&SourceCoverage| ids.contains(source.source_id.as_str());
    let known: Vec<&SourceCoverage> = sources.iter().filter(is_known).collect();
    if known.is_empty() {
        sources.iter().collect()
    } else {
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::generation::Coverage;

    #[test]
    fn the_sources_of_records_follow_from_their_places() {
        let row = |place: &str, source: &str| Coverage {
            source_ids: vec![source.to_owned()],
            ..Coverage::of_place(place)
        };
        let part = EntityTypeManifest {
            entity_type: EntityType::Contract,
            fingerprint: String::new(),
            records: 2,
            sources: Vec::new(),
            coverage: vec![row("laval", "seao"), row("toronto", "toronto")],
            contents: Vec::new(),
        };
        let sources = ["seao", "toronto"].map(|id| SourceCoverage::of(id, EntityType::Contract, &[(2020, 1)], None));
        let ids = |places: &[&str]| -> Vec<String> {
            let found = sources_in(&part, &sources, places.iter().copied());
            found.iter().map(|source| source.source_id.clone()).collect()
        };
        assert_eq!(ids(&["laval"]), ["seao"]);
        assert_eq!(ids(&["toronto", "laval"]), ["seao", "toronto"]);
        assert_eq!(ids(&["nowhere"]), ["seao", "toronto"]);
        assert_eq!(ids(&[]), ["seao", "toronto"]);
    }
}
