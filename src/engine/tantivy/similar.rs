//! Records alike: the postings of rare words, added up window by window, the best kept.
//!
//! A window's scores lie in a small array that stays in the cache. Windows go in document order, so the filters' sets are walked along once, and only
//! documents that would be among the best are held against them: a search costs what its words' postings cost.

use std::{cmp::Ordering, collections::BinaryHeap, ops::Range};

use tantivy::{DocId, DocSet, TERMINATED, Term, postings::SegmentPostings, query::Scorer, schema::IndexRecordOption};

use super::{kind::Kind, matching::Matching, matching::internal, unreadable};
use crate::{
    engine::{
        Error,
        similarity::{Similar, rarity, telling},
    },
    model::schema::Role,
};

/// How many documents are scored at a time, and between two looks at the clock.
const WINDOW: u32 = 1 << 16;

/// How many records of a kind are about a word.
pub fn holding(kind: &Kind, word: &str) -> Result<u64, Error> {
    let Some(field) = kind.layout.field(Role::Subject) else {
        return Ok(0);
    };
    let index = kind.segment().inverted_index(field).map_err(internal)?;
    let found = index
        .doc_freq(&Term::from_field_text(field, word))
        .map_err(unreadable)?;
    Ok(found.into())
}

pub fn similar(kind: &Kind, matching: &Matching, words: &[String], most: usize) -> Result<Vec<Similar>, Error> {
    let Some(field) = kind.layout.field(Role::Subject) else {
        return Ok(Vec::new());
    };
    let index = kind.segment().inverted_index(field).map_err(internal)?;
    let info = |word: &str| index.get_term_info(&Term::from_field_text(field, word)).ok().flatten();
    let told = telling(words, |word| info(word).map(|info| (info.doc_freq.into(), info)));
    let mut lists = Vec::with_capacity(told.len());
    for (holding, info) in told {
        let postings = index
            .read_postings_from_terminfo(&info, IndexRecordOption::Basic)
            .map_err(unreadable)?;
        lists.push((rarity(kind.records().into(), holding), postings));
    }
    let Some(gate) = Gate::new(matching)? else {
        return Ok(Vec::new());
    };
    let best = best(matching, lists, gate, most)?;
    let similar = |scored: Scored| Similar {
        record: kind.store.get(scored.document),
        score: scored.score,
    };
    Ok(best.into_sorted_vec().into_iter().map(similar).collect())
}

fn best(
    matching: &Matching,
    mut lists: Vec<(f32, SegmentPostings)>,
    mut gate: Gate,
    most: usize,
) -> Result<BinaryHeap<Scored>, Error> {
    let mut best = BinaryHeap::new();
    if most == 0 {
        return Ok(best);
    }
    let end = matching.documents.end;
    for (_, postings) in &mut lists {
        if postings.doc() < matching.documents.start {
            postings.seek(matching.documents.start);
        }
    }
    let mut window = Window::new();
    loop {
        let next = lists.iter().map(|(_, postings)| postings.doc()).min();
        let Some(start) = next.filter(|document| *document < end) else {
            break;
        };
        let range = start..end.min(start.saturating_add(WINDOW));
        for (score, postings) in &mut lists {
            window.add(&range, *score, postings);
        }
        window.drain(start, |document, score| {
            let scored = Scored { score, document };
            let is_better = best.len() < most || best.peek().is_some_and(|worst| scored < *worst);
            if is_better && gate.passes(document) {
                if best.len() == most {
                    best.pop();
                }
                best.push(scored);
            }
        });
        matching.check()?;
    }
    Ok(best)
}

/// The scores of a run of documents, and a bit for each that has one.
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

    /// Adds a word's share to every document of the range that it lists.
    fn add(&mut self, range: &Range<DocId>, score: f32, postings: &mut SegmentPostings) {
        let mut document = postings.doc();
        while document < range.end {
            let place = (document - range.start) as usize;
            self.scores[place] += score;
            self.touched[place / 64] |= 1 << (place % 64);
            document = postings.advance();
        }
    }

    /// Visits what has a score, in document order, and forgets it.
    fn drain(&mut self, start: DocId, mut visit: impl FnMut(DocId, f32)) {
        for (word, bits) in self.touched.iter_mut().enumerate() {
            while *bits != 0 {
                let place = word * 64 + bits.trailing_zeros() as usize;
                visit(start + place as DocId, std::mem::take(&mut self.scores[place]));
                *bits &= *bits - 1;
            }
        }
    }
}

/// Tells of ascending documents whether they match.
struct Gate<'a> {
    matching: &'a Matching<'a>,
    sets: Option<Box<dyn Scorer>>,
}

impl<'a> Gate<'a> {
    /// `None` if nothing can pass.
    fn new(matching: &'a Matching) -> Result<Option<Gate<'a>>, Error> {
        let sets = match matching.has_sets() {
            true => match matching.walk()? {
                Some(sets) => Some(sets),
                None => return Ok(None),
            },
            false => None,
        };
        Ok(Some(Gate { matching, sets }))
    }

    fn passes(&mut self, document: DocId) -> bool {
        if let Some(sets) = &mut self.sets {
            if sets.doc() < document {
                sets.seek(document);
            }
            if sets.doc() != document || document == TERMINATED {
                return false;
            }
        }
        self.matching.passes(document)
    }
}

/// A document and its score; the better one is the lesser: the higher score, then the earlier document.
#[derive(Clone, Copy)]
struct Scored {
    score: f32,
    document: DocId,
}

impl Ord for Scored {
    fn cmp(&self, other: &Scored) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then(self.document.cmp(&other.document))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Scored) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Scored) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scored {}
