//! Collecting one page of matches in a sort order, and stopping right after the page.
//!
//! | order | strategy |
//! |---|---|
//! | document order, forward | read the sets and stop |
//! | document order, backward | windows from the end, each four times as wide, because sets can be read only forward |
//! | permuted, few matches | sort the ranks of all matches |
//! | permuted, many matches | a bit set of all matches; test it rank by rank |
//! | permuted, no sets | test the predicates rank by rank |

use std::ops::Range;

use tantivy::{BitSet, DocId, DocSet, TERMINATED};

use super::{
    compiled_query::CompiledQuery,
    sort_order::{RankScan, SortOrder, intersection},
};
use crate::engine::error::Error;

/// The deadline is checked after this many documents.
const STRIDE: u32 = 4096;

/// The largest page that is common: room for it is made at once.
const USUAL_LIMIT: usize = 512;

/// Collects a page: skips the first matches and keeps the next ones.
pub(crate) struct PageCollector {
    skip: usize,
    limit: usize,
    pub(crate) documents: Vec<DocId>,
}

impl PageCollector {
    pub(crate) fn new(skip: usize, limit: usize) -> PageCollector {
        PageCollector {
            skip,
            limit,
            documents: Vec::with_capacity(limit.min(USUAL_LIMIT)),
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.documents.len() >= self.limit
    }

    fn collect(&mut self, document: DocId) {
        if self.skip == 0 {
            self.documents.push(document);
        } else {
            self.skip -= 1;
        }
    }

    /// Collects documents until the page is full.
    fn extend(&mut self, documents: impl Iterator<Item = DocId>) {
        for document in documents {
            if self.is_full() {
                break;
            }
            self.collect(document);
        }
    }

    /// How many matches are still needed.
    fn remaining(&self) -> usize {
        self.skip.saturating_add(self.limit) - self.documents.len()
    }
}

/// Fills a page from scans of a sort order.
pub(crate) fn collect_page(
    query: &CompiledQuery,
    order: &SortOrder,
    scans: &[RankScan],
    page: &mut PageCollector,
) -> Result<(), Error> {
    if !order.is_document_order() {
        return collect_permuted(query, order, scans, page);
    }
    for scan in scans {
        match scan {
            RankScan::Forward(ranks) => forward(query, intersection(ranks, &query.documents), page)?,
            RankScan::Backward(ranks) => backward(query, intersection(ranks, &query.documents), page)?,
        }
        if page.is_full() {
            break;
        }
    }
    Ok(())
}

fn forward(query: &CompiledQuery, mut range: Range<DocId>, page: &mut PageCollector) -> Result<(), Error> {
    if query.has_sets() {
        return for_each_match(query, range, |document| {
            page.collect(document);
            !page.is_full()
        });
    }
    if !query.has_predicates() {
        // Every document of the range matches: the skipped ones need no visit.
        let skipped = page.skip.min(range.len());
        range.start += skipped as u32;
        page.skip -= skipped;
    }
    test(query, range, |document| query.accepts(document), page)
}

/// Visits the matches within a range until `visit` returns false.
fn for_each_match(
    query: &CompiledQuery,
    range: Range<DocId>,
    mut visit: impl FnMut(DocId) -> bool,
) -> Result<(), Error> {
    if range.is_empty() {
        return Ok(());
    }
    let Some(mut set) = query.scorer()? else {
        return Ok(());
    };
    let mut document = set.doc();
    if document < range.start {
        document = set.seek(range.start);
    }
    let mut steps = 0;
    while document < range.end && document != TERMINATED {
        if query.accepts(document) && !visit(document) {
            break;
        }
        steps += 1;
        if steps % STRIDE == 0 {
            query.check()?;
        }
        document = set.advance();
    }
    query.check()
}

/// Collects the documents that match until the page is full.
fn test(
    query: &CompiledQuery,
    documents: impl Iterator<Item = DocId>,
    is_match: impl Fn(DocId) -> bool,
    page: &mut PageCollector,
) -> Result<(), Error> {
    for (steps, document) in (1u32..).zip(documents) {
        if page.is_full() {
            break;
        }
        if is_match(document) {
            page.collect(document);
        }
        if steps % STRIDE == 0 {
            query.check()?;
        }
    }
    Ok(())
}

fn backward(query: &CompiledQuery, mut range: Range<DocId>, page: &mut PageCollector) -> Result<(), Error> {
    if !query.has_sets() {
        return test(query, range.rev(), |document| query.accepts(document), page);
    }
    // An empty set is found out once, not in every window: for a phrase that takes long.
    if query.scorer()?.is_none() {
        return Ok(());
    }
    let mut width = u32::try_from(page.remaining() * 4).unwrap_or(u32::MAX).max(STRIDE);
    while !range.is_empty() && !page.is_full() {
        let start = range.end.saturating_sub(width).max(range.start);
        let mut window = Vec::new();
        for_each_match(query, start..range.end, |document| {
            window.push(document);
            true
        })?;
        page.extend(window.into_iter().rev());
        range.end = start;
        width = width.saturating_mul(4);
    }
    Ok(())
}

/// The matches of a query, to be read in a permuted order.
enum PermutedMatches {
    /// There are no sets: every document of the range that passes the predicates.
    Untested,
    /// Few: their ranks, ascending.
    Ranks(Vec<u32>),
    /// Many: the documents.
    Documents(BitSet),
}

/// Up to one match in this many documents, sorting the ranks is cheaper than testing all of them in
/// order.
const FEW: u32 = 32;

fn collect_permuted(
    query: &CompiledQuery,
    order: &SortOrder,
    scans: &[RankScan],
    page: &mut PageCollector,
) -> Result<(), Error> {
    match matches(query, order)? {
        PermutedMatches::Untested => {
            let is_match = |document: DocId| query.documents.contains(&document) && query.accepts(document);
            test_ranks(query, order, scans, is_match, page)
        }
        PermutedMatches::Documents(documents) => {
            test_ranks(query, order, scans, |document| documents.contains(document), page)
        }
        PermutedMatches::Ranks(found) => {
            for scan in scans {
                let scanned = scan.ranks();
                let start = found.partition_point(|rank| *rank < scanned.start);
                let end = found.partition_point(|rank| *rank < scanned.end);
                let documents = found[start..end.max(start)].iter().map(|rank| order.document(*rank));
                match scan {
                    RankScan::Forward(_) => page.extend(documents),
                    RankScan::Backward(_) => page.extend(documents.rev()),
                }
            }
            Ok(())
        }
    }
}

fn test_ranks(
    query: &CompiledQuery,
    order: &SortOrder,
    scans: &[RankScan],
    is_match: impl Fn(DocId) -> bool,
    page: &mut PageCollector,
) -> Result<(), Error> {
    for scan in scans {
        let documents = scan.ranks().map(|rank| order.document(rank));
        match scan {
            RankScan::Forward(_) => test(query, documents, &is_match, page)?,
            RankScan::Backward(_) => test(query, documents.rev(), &is_match, page)?,
        }
    }
    Ok(())
}

fn matches(query: &CompiledQuery, order: &SortOrder) -> Result<PermutedMatches, Error> {
    if !query.has_sets() {
        return Ok(PermutedMatches::Untested);
    }
    let range = query.documents.clone();
    let few = (range.end / FEW) as usize;
    let mut found = Vec::new();
    let mut documents: Option<BitSet> = None;
    for_each_match(query, range.clone(), |document| {
        if let Some(documents) = &mut documents {
            documents.insert(document);
            return true;
        }
        found.push(document);
        if found.len() > few {
            let mut set = BitSet::with_max_value(query.record_count());
            for document in found.drain(..) {
                set.insert(document);
            }
            documents = Some(set);
        }
        true
    })?;
    if let Some(documents) = documents {
        return Ok(PermutedMatches::Documents(documents));
    }
    let mut ranks: Vec<u32> = found.into_iter().map(|document| order.rank(document)).collect();
    ranks.sort_unstable();
    Ok(PermutedMatches::Ranks(ranks))
}
