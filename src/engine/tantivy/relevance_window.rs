//! The gains of consecutive documents, added up from the postings of the tiers.

use std::ops::Range;

use tantivy::{DocId, DocSet, postings::SegmentPostings, query::Scorer};

/// The documents of one alternative in one tier.
pub(super) struct List {
    pub(super) gain: u32,
    pub(super) documents: Documents,
    /// The most documents that there can be.
    pub(super) frequency: u64,
}

pub(super) enum Documents {
    Word(Box<SegmentPostings>),
    /// The documents that have several words.
    Words(Box<dyn Scorer>),
}

impl Documents {
    fn current(&self) -> DocId {
        match self {
            Documents::Word(postings) => postings.doc(),
            Documents::Words(scorer) => scorer.doc(),
        }
    }

    fn advance(&mut self) -> DocId {
        match self {
            Documents::Word(postings) => postings.advance(),
            Documents::Words(scorer) => scorer.advance(),
        }
    }

    /// The first document at or after one.
    fn first_from(&mut self, document: DocId) -> DocId {
        if self.current() >= document {
            return self.current();
        }
        match self {
            Documents::Word(postings) => postings.seek(document),
            Documents::Words(scorer) => scorer.seek(document),
        }
    }
}

/// The gains of consecutive documents.
pub(super) struct Window {
    gains: Vec<u32>,
    /// The documents that the current group has counted: one bit each.
    counted: Vec<u64>,
    /// The documents that some group has counted.
    in_some: Vec<u64>,
    /// The documents that all required groups have counted.
    in_all: Vec<u64>,
}

impl Window {
    pub(super) fn new() -> Window {
        Window {
            gains: Vec::new(),
            counted: Vec::new(),
            in_some: Vec::new(),
            in_all: Vec::new(),
        }
    }

    /// Begins with so many documents, none of which has a gain.
    pub(super) fn begin(&mut self, documents: usize) {
        let words = documents.div_ceil(64);
        refill(&mut self.gains, words * 64, 0);
        refill(&mut self.in_some, words, 0);
        refill(&mut self.in_all, words, u64::MAX);
    }

    pub(super) fn begin_group(&mut self) {
        refill(&mut self.counted, self.in_some.len(), 0);
    }

    pub(super) fn end_group(&mut self, is_required: bool) {
        for (word, counted) in self.counted.iter().enumerate() {
            self.in_some[word] |= counted;
            if is_required {
                self.in_all[word] &= counted;
            }
        }
    }

    /// Counts a list for a document, unless a better list of its group counts.
    fn count(&mut self, offset: usize, gain: u32) {
        let bit = 1 << (offset % 64);
        if self.counted[offset / 64] & bit == 0 {
            self.counted[offset / 64] |= bit;
            self.gains[offset] += gain;
        }
    }

    /// Counts every document of a list within the range.
    pub(super) fn read(&mut self, range: &Range<DocId>, list: &mut List) {
        let mut document = list.documents.first_from(range.start);
        while document < range.end {
            self.count((document - range.start) as usize, list.gain);
            document = list.documents.advance();
        }
    }

    /// Counts those of some ascending documents that a list has.
    pub(super) fn look_up(&mut self, start: DocId, list: &mut List, documents: &[DocId]) {
        for document in documents {
            if list.documents.first_from(*document) == *document {
                self.count((document - start) as usize, list.gain);
            }
        }
    }

    pub(super) fn gain(&self, start: DocId, document: DocId) -> u32 {
        self.gains[(document - start) as usize]
    }

    /// Visits the documents that some group and all required groups have counted, in order.
    pub(super) fn for_each_candidate(&self, start: DocId, mut visit: impl FnMut(DocId, u32)) {
        for (word, in_some) in self.in_some.iter().enumerate() {
            let mut bits = in_some & self.in_all[word];
            while bits != 0 {
                let offset = word * 64 + bits.trailing_zeros() as usize;
                visit(start + offset as DocId, self.gains[offset]);
                bits &= bits - 1;
            }
        }
    }
}

fn refill<T: Copy>(items: &mut Vec<T>, length: usize, item: T) {
    items.clear();
    items.resize(length, item);
}
