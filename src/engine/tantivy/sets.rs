//! Sets of documents of our own, beside Tantivy's: some marked one by one.

use std::sync::Arc;

use tantivy::{DocId, DocSet, TERMINATED, query::ConstScorer};

/// A bit a document.
pub struct Marks {
    words: Vec<u64>,
    count: u32,
}

impl Marks {
    /// Marks some of `size` documents, in any order, also more than once.
    pub fn new(size: u32, documents: impl IntoIterator<Item = DocId>) -> Marks {
        let mut marks = Marks {
            words: vec![0; (size as usize).div_ceil(64)],
            count: 0,
        };
        documents.into_iter().for_each(|document| marks.mark(document));
        marks
    }

    pub fn mark(&mut self, document: DocId) {
        self.words[document as usize / 64] |= 1 << (document % 64);
        self.count += 1;
    }

    pub fn contains(&self, document: DocId) -> bool {
        self.words
            .get(document as usize / 64)
            .is_some_and(|word| word & (1 << (document % 64)) != 0)
    }

    /// The first marked document from `start` on.
    fn next(&self, start: DocId) -> DocId {
        let mut at = start as usize / 64;
        let mut word = self.words.get(at).copied().unwrap_or(0) & (u64::MAX << (start % 64));
        while word == 0 {
            at += 1;
            match self.words.get(at) {
                Some(next) => word = *next,
                None => return TERMINATED,
            }
        }
        (at * 64) as DocId + word.trailing_zeros()
    }
}

/// Marked documents, walked.
pub struct Marked {
    marks: Arc<Marks>,
    document: DocId,
}

impl Marked {
    pub fn new(marks: Arc<Marks>) -> Marked {
        let document = marks.next(0);
        Marked { marks, document }
    }
}

impl DocSet for Marked {
    fn advance(&mut self) -> DocId {
        if self.document != TERMINATED {
            self.document = self.marks.next(self.document + 1);
        }
        self.document
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.document < target {
            self.document = if target == TERMINATED {
                TERMINATED
            } else {
                self.marks.next(target)
            };
        }
        self.document
    }

    fn doc(&self) -> DocId {
        self.document
    }

    fn size_hint(&self) -> u32 {
        self.marks.count
    }
}

/// A set of documents where Tantivy wants a scorer; we never score.
pub fn unscored<D: DocSet>(set: D) -> ConstScorer<D> {
    ConstScorer::new(set, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_walked_in_order_each_once() {
        for documents in [vec![], vec![0], vec![199], vec![63, 64, 0, 64, 128], (0..200).collect()] {
            let mut marked = Marked::new(Arc::new(Marks::new(200, documents.iter().copied())));
            let mut walked = Vec::new();
            while marked.doc() != TERMINATED {
                walked.push(marked.doc());
                marked.advance();
            }
            assert_eq!(marked.advance(), TERMINATED);
            let mut expected = documents.clone();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(walked, expected);
            for target in [0, 64, 65, 129, 199, 200, TERMINATED] {
                let mut marked = Marked::new(Arc::new(Marks::new(200, documents.iter().copied())));
                let first = expected.iter().copied().find(|document| *document >= target);
                assert_eq!(marked.seek(target), first.unwrap_or(TERMINATED));
            }
        }
    }
}
