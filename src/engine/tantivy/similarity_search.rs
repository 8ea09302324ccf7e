//! More-like-this search: the postings of rare terms are added up window by window, and the best
//! documents are kept.
//!
//! The scores of a window are in a small array that stays in the cache. Windows follow document
//! order, so the sets of the filters are read only once, and only documents that would be among
//! the best are tested against them. A search costs what the postings of its terms cost.

use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

use tantivy::{DocId, DocSet, TERMINATED, Term, postings::SegmentPostings, query::Scorer, schema::IndexRecordOption};

use super::{
    compiled_query::CompiledQuery,
    entity_index::EntityIndex,
    errors::{internal, unreadable},
};
use crate::{
    engine::{
        error::Error,
        similarity::{SimilarRecord, idf, select_query_terms},
    },
    model::Role,
};

/// The documents scored at a time, and between two checks of the deadline.
const WINDOW: u32 = 1 << 16;

/// How many documents contain a similarity term.
pub(crate) fn document_frequency(index: &EntityIndex, term: &str) -> Result<u64, Error> {
    let Some(field) = index.layout.field(Role::Subject) else {
        return Ok(0);
    };
    let inverted = index.segment().inverted_index(field).map_err(internal)?;
    let frequency = inverted
        .doc_freq(&Term::from_field_text(field, term))
        .map_err(unreadable)?;
    Ok(frequency.into())
}

/// The `limit` best of the documents that match the query's filters.
pub(crate) fn search(
    index: &EntityIndex,
    query: &CompiledQuery,
    terms: &[String],
    limit: usize,
) -> Result<Vec<SimilarRecord>, Error> {
    let Some(field) = index.layout.field(Role::Subject) else {
        return Ok(Vec::new());
    };
    let inverted = index.segment().inverted_index(field).map_err(internal)?;
    let lookup = |term: &str| {
        let info = inverted
            .get_term_info(&Term::from_field_text(field, term))
            .ok()
            .flatten()?;
        Some((u64::from(info.doc_freq), info))
    };
    let mut scored_postings = Vec::new();
    for (frequency, info) in select_query_terms(terms, lookup) {
        let postings = inverted
            .read_postings_from_terminfo(&info, IndexRecordOption::Basic)
            .map_err(unreadable)?;
        scored_postings.push((idf(index.records().into(), frequency), postings));
    }
    let Some(filters) = FilterCursor::new(query)? else {
        return Ok(Vec::new());
    };
    let best = best(query, scored_postings, filters, limit)?;
    let similar = best.into_sorted_vec().into_iter().map(|scored| SimilarRecord {
        record: index.store.get(scored.document),
        score: f32::from_bits(scored.score_bits.0),
    });
    Ok(similar.collect())
}

fn best(
    query: &CompiledQuery,
    mut scored_postings: Vec<(f32, SegmentPostings)>,
    mut filters: FilterCursor,
    limit: usize,
) -> Result<BinaryHeap<Scored>, Error> {
    let mut best = BinaryHeap::new();
    if limit == 0 {
        return Ok(best);
    }
    let end = query.documents.end;
    for (_, postings) in &mut scored_postings {
        if postings.doc() < query.documents.start {
            postings.seek(query.documents.start);
        }
    }
    let mut window = Window::new();
    loop {
        let next = scored_postings.iter().map(|(_, postings)| postings.doc()).min();
        let Some(start) = next.filter(|document| *document < end) else {
            break;
        };
        let range = start..end.min(start.saturating_add(WINDOW));
        for (score, postings) in &mut scored_postings {
            window.add(&range, *score, postings);
        }
        window.drain(start, |document, score| {
            let score_bits = Reverse(score.to_bits());
            let scored = Scored { score_bits, document };
            let is_better = best.len() < limit || best.peek().is_some_and(|worst| scored < *worst);
            if is_better && filters.accepts(document) {
                if best.len() == limit {
                    best.pop();
                }
                best.push(scored);
            }
        });
        query.check()?;
    }
    Ok(best)
}

/// The scores of consecutive documents, and one bit for each document that has a score.
struct Window {
    scores: Vec<f32>,
    touched: Vec<u64>,
}

impl Window {
    fn new() -> Window {
        Window {
            scores: vec![0.0; WINDOW as usize],
            touched: vec![0; WINDOW as usize / 64],
        }
    }

    /// Adds a term's score to every document of its postings within the range.
    fn add(&mut self, range: &Range<DocId>, score: f32, postings: &mut SegmentPostings) {
        let mut document = postings.doc();
        while document < range.end {
            let offset = (document - range.start) as usize;
            self.scores[offset] += score;
            self.touched[offset / 64] |= 1 << (offset % 64);
            document = postings.advance();
        }
    }

    /// Visits the scored documents in order and clears the window.
    fn drain(&mut self, start: DocId, mut visit: impl FnMut(DocId, f32)) {
        for (word, bits) in self.touched.iter_mut().enumerate() {
            while *bits != 0 {
                let offset = word * 64 + bits.trailing_zeros() as usize;
                visit(start + offset as DocId, std::mem::take(&mut self.scores[offset]));
                *bits &= *bits - 1;
            }
        }
    }
}

/// Tests ascending documents against the filters of a query.
struct FilterCursor<'a> {
    query: &'a CompiledQuery<'a>,
    sets: Option<Box<dyn Scorer>>,
}

impl<'a> FilterCursor<'a> {
    /// `None` if no document can pass.
    fn new(query: &'a CompiledQuery) -> Result<Option<FilterCursor<'a>>, Error> {
        if !query.has_sets() {
            return Ok(Some(FilterCursor { query, sets: None }));
        }
        let sets = query.scorer()?;
        Ok(sets.map(|sets| FilterCursor {
            query,
            sets: Some(sets),
        }))
    }

    fn accepts(&mut self, document: DocId) -> bool {
        if let Some(sets) = &mut self.sets {
            if sets.doc() < document {
                sets.seek(document);
            }
            if sets.doc() != document || document == TERMINATED {
                return false;
            }
        }
        self.query.accepts(document)
    }
}

/// A document and its score. The better one is less: the higher score, then the earlier document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scored {
    /// The bits of a positive number are ordered like the number.
    score_bits: Reverse<u32>,
    document: DocId,
}
