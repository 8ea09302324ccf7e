//! The terms of one index field, document by document, and the same turned around: term by term.

use crate::model::interner::Texts;

/// The numbers of the terms of consecutive documents, in the order of their texts.
#[derive(Default)]
pub(super) struct PostingsLog {
    /// [`GAP`] stands between two texts.
    terms: Vec<u32>,
    /// Where the terms of each document end.
    ends: Vec<u32>,
    /// Terms without gaps.
    tokens: u64,
}

/// Takes a position, but is no term: a phrase does not match across two texts.
const GAP: u32 = u32::MAX;

/// The documents of each term.
pub(super) struct Inverted {
    /// Where the list of each term starts in `items`; ends with the end of the last one.
    starts: Vec<u32>,
    /// The document, and the position of the term in it. A document is listed as often as the term occurs in it.
    items: Vec<(u32, u32)>,
}

/// The terms of an index field, and the documents with each.
pub(super) struct FieldTerms {
    pub(super) terms: Texts,
    /// The numbers of the terms in the order of their bytes.
    pub(super) sorted: Vec<u32>,
    pub(super) log: PostingsLog,
}

impl FieldTerms {
    pub(super) fn new(terms: Texts, log: PostingsLog) -> FieldTerms {
        FieldTerms {
            sorted: terms.sorted(),
            terms,
            log,
        }
    }
}

impl PostingsLog {
    pub(super) fn push(&mut self, term: u32) {
        self.terms.push(term);
        self.tokens += 1;
    }

    pub(super) fn extend(&mut self, terms: &[u32]) {
        self.terms.extend_from_slice(terms);
        self.tokens += terms.len() as u64;
    }

    pub(super) fn push_gap(&mut self) {
        self.terms.push(GAP);
    }

    pub(super) fn end_document(&mut self) {
        let end = u32::try_from(self.terms.len()).expect("a chunk has less than 2^32 terms");
        self.ends.push(end);
    }

    /// The number of terms, each as often as it occurs.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// `terms` is the number of distinct terms.
    pub(super) fn invert(self, terms: usize) -> Inverted {
        let mut starts = vec![0_u32; terms + 1];
        for term in self.terms.iter().filter(|term| **term != GAP) {
            starts[*term as usize + 1] += 1;
        }
        for term in 0..terms {
            starts[term + 1] += starts[term];
        }
        let mut next = starts.clone();
        let mut items = vec![(0, 0); starts[terms] as usize];
        let mut start = 0;
        for (document, end) in (0..).zip(self.ends) {
            for (position, term) in (0..).zip(&self.terms[start as usize..end as usize]) {
                if *term != GAP {
                    let next = &mut next[*term as usize];
                    items[*next as usize] = (document, position);
                    *next += 1;
                }
            }
            start = end;
        }
        Inverted { starts, items }
    }
}

impl Inverted {
    /// The documents of a term and its positions in them, ascending.
    pub(super) fn get(&self, term: u32) -> &[(u32, u32)] {
        let term = term as usize;
        &self.items[self.starts[term] as usize..self.starts[term + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_are_by_term_in_the_order_of_documents_and_positions() {
        let mut log = PostingsLog::default();
        log.extend(&[2, 0]);
        log.push_gap();
        log.push(2);
        log.end_document();
        log.end_document();
        log.push(2);
        log.end_document();
        assert_eq!(log.tokens(), 4);
        let inverted = log.invert(3);
        assert_eq!(inverted.get(0), [(0, 1)]);
        assert_eq!(inverted.get(1), []);
        assert_eq!(inverted.get(2), [(0, 0), (0, 3), (2, 0)]);
    }
}
