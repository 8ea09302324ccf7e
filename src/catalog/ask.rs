//! What a search runs on.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline, Error, Hits,
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
        names::ResolvedName,
    },
    model::{EntityType, Facet},
    query::{Page, SearchQuery, Start},
};

/// The generation that a request searches, and when its answer must be there.
pub(crate) struct Ask {
    pub(crate) generation: Arc<Generation>,
    pub(crate) deadline: Deadline,
}

impl Ask {
    pub(crate) fn search(&self, query: &SearchQuery, page: &Page) -> Result<Hits, Error> {
        self.generation.engine.search(query, page, self.deadline.clone())
    }

    /// The first records that match.
    pub(crate) fn first(&self, query: &SearchQuery, limit: usize) -> Result<Vec<Bytes>, Error> {
        let start = Start::Offset(0);
        Ok(self.search(query, &Page { limit, start })?.records)
    }

    pub(crate) fn record(&self, entity_type: EntityType, record_id: &str) -> Result<Option<Bytes>, Error> {
        let engine = &self.generation.engine;
        engine.record(entity_type, record_id, self.deadline.clone())
    }

    pub(crate) fn aggregate(
        &self,
        query: &SearchQuery,
        terms: &[TermsAggregation],
        values: ValueAggregation,
    ) -> Result<Aggregation, Error> {
        let engine = &self.generation.engine;
        engine.aggregate(query, terms, values, self.deadline.clone())
    }

    /// The number of records that match.
    pub(crate) fn count(&self, query: &SearchQuery) -> Result<u64, Error> {
        if query.matches_all() {
            return Ok(self.generation.manifest_of(query.entity_type).records);
        }
        Ok(self.aggregate(query, &[], ValueAggregation::None)?.total)
    }

    /// The number of records that match each query, in the order of the queries. The engine counts them together: on a
    /// cluster, a request for each of them would take too long.
    pub(crate) fn counts(&self, queries: Vec<SearchQuery>) -> Result<Vec<u64>, Error> {
        let all = |query: &SearchQuery| self.generation.manifest_of(query.entity_type).records;
        let mut counts: Vec<u64> = queries.iter().map(all).collect();
        let queries = queries.into_iter().enumerate();
        let (numbers, counted): (Vec<usize>, Vec<SearchQuery>) =
            queries.filter(|(_, query)| !query.matches_all()).unzip();
        let found = self.generation.engine.counts(&counted, self.deadline.clone())?;
        for (number, count) in numbers.into_iter().zip(found) {
            counts[number] = count;
        }
        Ok(counts)
    }

    pub(crate) fn resolve_name(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
    ) -> Result<Option<ResolvedName>, Error> {
        let engine = &self.generation.engine;
        engine.resolve_name(entity_type, facet, name, self.deadline.clone())
    }

    pub(crate) fn suggest_names(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        let engine = &self.generation.engine;
        engine.suggest_names(entity_type, facet, name, limit, self.deadline.clone())
    }
}
