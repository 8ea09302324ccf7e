//! The order by relevance: the gains of [`relevance::plan`] are added up window by window, and the
//! best documents are kept.
//!
//! As soon as as many documents are kept as the page needs, only better ones count. Then the
//! postings of a tier whose gain is too small, whatever else a document has, are no longer read, and
//! the search ends when no document can be better. So a search for frequent words reads mostly the
//! postings of the first window and those of the best tiers.

use std::{cmp::Reverse, collections::BinaryHeap, ops::Range, sync::Arc};

use tantivy::{
    DocId, DocSet, InvertedIndexReader, Term,
    query::{ConstScorer, Scorer, intersect_scorers},
    schema::{Field, IndexRecordOption},
};

use super::{
    compiled_query::CompiledQuery,
    entity_index::EntityIndex,
    errors::{internal, unreadable},
    relevance_window::{Documents, List, Window},
};
use crate::{
    engine::{
        error::Error,
        relevance::{self, Vocabulary},
    },
    model::Role,
    query::text::TextQuery,
};

/// The most documents scored at a time, and between two checks of the deadline.
const WINDOW: u32 = 1 << 16;

/// The documents scored at first: few, because what they leave to beat spares the later windows
/// most of their postings. Each window is [`GROWTH`] times as wide as the one before.
const FIRST_WINDOW: u32 = 1 << 6;

const GROWTH: u32 = 4;

/// Up to one match in this many documents, the matches are read and scored one by one, instead of
/// testing every document of the postings.
const FEW: u64 = 64;

/// A posting list is read to its end rather than searched for each document, from so many of its
/// documents to one that is asked for.
const SEARCHED: u64 = 16;

/// The best documents, best first: `limit` of them after the first `skip`.
pub(crate) fn search(
    index: &EntityIndex,
    query: &CompiledQuery,
    text: &TextQuery,
    skip: usize,
    limit: usize,
) -> Result<Vec<DocId>, Error> {
    let groups = groups(index, text)?;
    let mut best = Best::new(skip.saturating_add(limit));
    let Some(matches) = query.scorer()? else {
        return Ok(Vec::new());
    };
    if limit > 0 {
        Search::new(index, query, groups, matches).run(&mut best)?;
    }
    let documents = best.documents.into_sorted_vec();
    Ok(documents.into_iter().skip(skip).map(|scored| scored.document).collect())
}

/// What a clause or a pair adds to a document: the gain of the first of its lists that has it.
struct Group {
    /// By falling gain.
    lists: Vec<List>,
    most: u32,
}

/// The words of an index, as the plan asks for them.
struct Words<'a> {
    index: &'a EntityIndex,
    inverted: Arc<InvertedIndexReader>,
    field: Field,
}

impl Vocabulary for Words<'_> {
    fn variants(&self, word: &str) -> Result<Vec<String>, Error> {
        Ok(self.index.stems.variants(word))
    }

    fn documents(&self, word: &str) -> Result<u64, Error> {
        let term = Term::from_field_text(self.field, word);
        let frequency = self.inverted.doc_freq(&term).map_err(unreadable)?;
        Ok(frequency.into())
    }
}

/// The groups of a text, with only those lists that have documents.
fn groups(index: &EntityIndex, text: &TextQuery) -> Result<Vec<Group>, Error> {
    let Some(field) = index.layout.field(Role::Text) else {
        return Ok(Vec::new());
    };
    let inverted = index.segment().inverted_index(field).map_err(internal)?;
    let words = Words { index, inverted, field };
    let mut groups = Vec::new();
    for planned in relevance::plan(text, index.records().into(), &words)? {
        let mut lists = Vec::new();
        for tier in planned.tiers {
            for terms in &tier.any {
                if let Some((documents, frequency)) = documents(index, terms)? {
                    let gain = tier.gain;
                    lists.push(List {
                        gain,
                        documents,
                        frequency,
                    });
                }
            }
        }
        let most = lists.first().map_or(0, |list| list.gain);
        groups.push(Group { lists, most });
    }
    groups.retain(|group| group.most > 0);
    Ok(groups)
}

/// The documents that have all of some terms, and the most that there can be; `None` if there are
/// none.
fn documents(index: &EntityIndex, terms: &[String]) -> Result<Option<(Documents, u64)>, Error> {
    let field = index.layout.relevance();
    let inverted = index.segment().inverted_index(field).map_err(internal)?;
    let mut all = Vec::with_capacity(terms.len());
    let mut frequency = u64::MAX;
    for term in terms {
        let term = Term::from_field_text(field, term);
        let postings = inverted
            .read_postings(&term, IndexRecordOption::Basic)
            .map_err(unreadable)?;
        let Some(postings) = postings else {
            return Ok(None);
        };
        frequency = frequency.min(postings.doc_freq().into());
        all.push(postings);
    }
    let documents = match all.len() {
        1 => all.pop().map(|postings| Documents::Word(Box::new(postings))),
        _ => {
            let scorers = all
                .into_iter()
                .map(|postings| Box::new(ConstScorer::new(postings, 1.0)) as Box<dyn Scorer>);
            Some(Documents::Words(intersect_scorers(scorers.collect(), index.records())))
        }
    };
    Ok(documents.map(|documents| (documents, frequency)))
}

struct Search<'a> {
    query: &'a CompiledQuery<'a>,
    groups: Vec<Group>,
    /// The documents that match, but for the predicates of the query.
    matches: Box<dyn Scorer>,
    are_few: bool,
    records: u64,
    window: Window,
}

impl<'a> Search<'a> {
    fn new(index: &EntityIndex, query: &'a CompiledQuery, groups: Vec<Group>, matches: Box<dyn Scorer>) -> Search<'a> {
        let records = u64::from(index.records());
        Search {
            query,
            groups,
            are_few: u64::from(matches.size_hint()) * FEW < records,
            matches,
            records,
            window: Window::new(),
        }
    }

    fn run(mut self, best: &mut Best) -> Result<(), Error> {
        let most: u32 = self.groups.iter().map(|group| group.most).sum();
        let Range { mut start, end } = self.query.documents.clone();
        let mut width = FIRST_WINDOW;
        loop {
            // No document before the current one can match from here on.
            start = start.max(self.matches.doc());
            let to_beat = best.to_beat();
            if start >= end || to_beat.is_some_and(|to_beat| most <= to_beat) {
                break;
            }
            let range = start..end.min(start.saturating_add(width));
            self.window.begin(range.len());
            match to_beat {
                Some(to_beat) if !self.are_few => self.test_postings(&range, most, to_beat, best),
                _ => self.score_matches(&range, most, to_beat, best),
            }
            self.query.check()?;
            start = range.end;
            width = WINDOW.min(width * GROWTH);
        }
        self.query.check()
    }

    /// Reads the matches, then looks for them in the postings.
    fn score_matches(&mut self, range: &Range<DocId>, most: u32, to_beat: Option<u32>, best: &mut Best) {
        let mut found = Vec::new();
        let mut document = self.matches.doc();
        if document < range.start {
            document = self.matches.seek(range.start);
        }
        while document < range.end {
            found.push(document);
            document = self.matches.advance();
        }
        if found.is_empty() {
            return;
        }
        let share = u64::from(range.end - range.start);
        for group in &mut self.groups {
            self.window.begin_group();
            let others = most - group.most;
            for list in group
                .lists
                .iter_mut()
                .take_while(|list| is_useful(list.gain, others, to_beat))
            {
                let expected = list.frequency * share / self.records.max(1);
                if expected > found.len() as u64 * SEARCHED {
                    self.window.look_up(range.start, list, &found);
                } else {
                    self.window.read(range, list);
                }
            }
        }
        for document in found {
            let gain = self.window.gain(range.start, document);
            if best.is_better(gain) && self.query.accepts(document) {
                best.add(gain, document);
            }
        }
    }

    /// Reads the postings, then tests whether the best of their documents match.
    fn test_postings(&mut self, range: &Range<DocId>, most: u32, to_beat: u32, best: &mut Best) {
        for group in &mut self.groups {
            self.window.begin_group();
            let others = most - group.most;
            let lists = group.lists.iter_mut();
            for list in lists.take_while(|list| is_useful(list.gain, others, Some(to_beat))) {
                self.window.read(range, list);
            }
            // Without this group no document is good enough.
            self.window.end_group(others <= to_beat);
        }
        let (window, matches, query) = (&self.window, &mut self.matches, self.query);
        window.for_each_candidate(range.start, |document, gain| {
            if !best.is_better(gain) {
                return;
            }
            if matches.doc() < document {
                matches.seek(document);
            }
            if matches.doc() == document && query.accepts(document) {
                best.add(gain, document);
            }
        });
    }
}

/// Whether a document with a gain, and at most so much from the other groups, can be among the best.
fn is_useful(gain: u32, others: u32, to_beat: Option<u32>) -> bool {
    to_beat.is_none_or(|to_beat| gain + others > to_beat)
}

/// The best documents so far.
struct Best {
    wanted: usize,
    documents: BinaryHeap<Scored>,
}

impl Best {
    fn new(wanted: usize) -> Best {
        Best {
            wanted,
            documents: BinaryHeap::new(),
        }
    }

    /// The gain that a later document must exceed; `None` while any is good enough.
    fn to_beat(&self) -> Option<u32> {
        if self.documents.len() < self.wanted {
            return None;
        }
        self.documents.peek().map(|worst| worst.gain.0)
    }

    fn is_better(&self, gain: u32) -> bool {
        self.to_beat().is_none_or(|to_beat| gain > to_beat)
    }

    fn add(&mut self, gain: u32, document: DocId) {
        if self.documents.len() == self.wanted {
            self.documents.pop();
        }
        self.documents.push(Scored {
            gain: Reverse(gain),
            document,
        });
    }
}

/// A document and its gain. The better one is less: the higher gain, then the earlier document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scored {
    gain: Reverse<u32>,
    document: DocId,
}
