//! A query for documents that are known already, so that a union can contain them.

use std::sync::Arc;

use tantivy::{
    BitSet, DocId, Score, SegmentReader, TantivyError,
    query::{BitSetDocSet, ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight},
};

/// Documents of the only segment.
#[derive(Clone, Debug)]
pub(super) struct SetQuery(pub(super) Arc<BitSet>);

impl Query for SetQuery {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for SetQuery {
    fn scorer(&self, _: &SegmentReader, _: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let documents = BitSetDocSet::from(BitSet::clone(&self.0));
        Ok(Box::new(ConstScorer::new(documents, 1.0)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument("sets are not scored".to_owned()))
    }
}
