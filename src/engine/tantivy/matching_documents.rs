//! All matches of a query, as what is counted reads them.

use std::ops::Range;

use tantivy::DocId;

use super::{
    amounts::Amounts, compiled_query::CompiledQuery, entity_index::EntityIndex, facet_columns::Codes,
    match_blocks::MatchBlocks,
};
use crate::engine::error::Error;

/// The matching documents, in their order.
pub(crate) enum MatchingDocuments {
    Range(Range<DocId>),
    List(Vec<DocId>),
}

impl MatchingDocuments {
    pub(crate) fn of(query: &CompiledQuery) -> Result<MatchingDocuments, Error> {
        if !query.has_sets() && !query.has_predicates() {
            return Ok(MatchingDocuments::Range(query.documents.clone()));
        }
        let mut list = Vec::new();
        if let Some(blocks) = MatchBlocks::within(query, query.documents.clone())? {
            blocks.for_each(|block| list.extend_from_slice(block))?;
        }
        Ok(MatchingDocuments::List(list))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            MatchingDocuments::Range(range) => range.len(),
            MatchingDocuments::List(list) => list.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<DocId> {
        match self {
            MatchingDocuments::Range(range) => range.clone().nth(index),
            MatchingDocuments::List(list) => list.get(index).copied(),
        }
    }

    /// How many matches are before a document.
    pub(super) fn count_before(&self, end: DocId) -> usize {
        match self {
            MatchingDocuments::Range(range) => range.end.min(end).saturating_sub(range.start) as usize,
            MatchingDocuments::List(list) => list.partition_point(|document| *document < end),
        }
    }

    pub(crate) fn for_each(&self, visit: impl FnMut(DocId)) {
        match self {
            MatchingDocuments::Range(range) => range.clone().for_each(visit),
            MatchingDocuments::List(list) => list.iter().copied().for_each(visit),
        }
    }

    pub(crate) fn for_each_code(&self, codes: &Codes, visit: impl FnMut(u32)) {
        match self {
            MatchingDocuments::Range(range) => codes.for_each(range.clone(), visit),
            MatchingDocuments::List(list) => codes.for_each(list.iter().copied(), visit),
        }
    }

    /// The amount of each document in Canadian dollars (decision D-225). `None` where the entity type has no value
    /// field.
    pub(super) fn dollars(&self, index: &EntityIndex) -> Option<Amounts> {
        let (dollars, values) = (index.dollars.as_ref()?, index.value.as_ref()?);
        let mut amounts = Amounts::with_capacity(self.len());
        self.for_each(|document| amounts.push_dollars(document, dollars, values));
        Some(amounts)
    }

    /// The amount of each document in its own currency.
    pub(super) fn values(&self, index: &EntityIndex) -> Option<Amounts> {
        let values = index.value.as_ref()?;
        let mut amounts = Amounts::with_capacity(self.len());
        self.for_each(|document| amounts.push_value(document, values.get(document)));
        Some(amounts)
    }
}
