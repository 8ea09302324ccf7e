//! A phrase query that obeys the deadline.
//!
//! Tantivy's own phrase scorer runs until it finds a match: 0.1 s on two million documents where
//! two frequent words are never adjacent, and nothing can stop it. The candidates of
//! [`AdjacentWords`] can be tried one by one ([`DocSet::seek_danger`]). This query does that, and
//! checks the deadline in between. It is a [`Query`] of its own, so that a union can contain it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use tantivy::{
    DocId, DocSet, Score, SeekDangerResult, SegmentReader, TERMINATED, TantivyError, Term,
    query::{ConstScorer, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight},
};

use super::adjacent_words::AdjacentWords;
use crate::engine::{deadline::Deadline, error::Error};

/// The deadline of a search, shared by its phrase queries. A phrase that stops early records it
/// here, so that a short result is not mistaken for a complete one.
#[derive(Clone, Debug)]
pub(crate) struct SharedDeadline {
    deadline: Deadline,
    stopped: Arc<AtomicBool>,
}

impl SharedDeadline {
    pub(crate) fn new(deadline: Deadline) -> SharedDeadline {
        SharedDeadline {
            deadline,
            stopped: Arc::default(),
        }
    }

    /// [`Error::Timeout`] once the deadline has passed, even if only a phrase noticed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.stopped.load(Relaxed) {
            return Err(Error::Timeout);
        }
        self.deadline.check()
    }
}

/// Adjacent words.
#[derive(Clone, Debug)]
pub(crate) struct TimedPhraseQuery {
    words: Vec<Term>,
    deadline: SharedDeadline,
}

impl TimedPhraseQuery {
    /// At least two terms of one field.
    pub(crate) fn new(words: Vec<Term>, deadline: SharedDeadline) -> TimedPhraseQuery {
        TimedPhraseQuery { words, deadline }
    }
}

impl Query for TimedPhraseQuery {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(PhraseWeight {
            words: self.words.clone(),
            deadline: self.deadline.clone(),
        }))
    }
}

struct PhraseWeight {
    words: Vec<Term>,
    deadline: SharedDeadline,
}

impl Weight for PhraseWeight {
    fn scorer(&self, segment: &SegmentReader, _: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let Some(mut set) = AdjacentWords::new(segment, &self.words)? else {
            return Ok(Box::new(EmptyScorer));
        };
        let first = set.seek_danger(0);
        let mut timed = TimedDocSet {
            set: Box::new(set),
            deadline: self.deadline.clone(),
            steps: 0,
            document: 0,
            is_match: false,
        };
        timed.advance_to_match(0, first);
        Ok(Box::new(ConstScorer::new(timed, 1.0)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument("phrases are not scored".to_owned()))
    }
}

/// The documents with a phrase. It ends early when the deadline has passed.
struct TimedDocSet {
    set: Box<dyn DocSet>,
    deadline: SharedDeadline,
    steps: u32,
    /// The current document; after a miss, the lower bound of the next match.
    document: DocId,
    is_match: bool,
}

impl TimedDocSet {
    /// Continues from the result of seeking `target` to the first match at or after it.
    fn advance_to_match(&mut self, mut target: DocId, mut result: SeekDangerResult) -> DocId {
        self.document = loop {
            match result {
                SeekDangerResult::Found => break target,
                SeekDangerResult::SeekLowerBound(next) if next >= TERMINATED || self.is_over() => break TERMINATED,
                SeekDangerResult::SeekLowerBound(next) => target = next,
            }
            result = self.set.seek_danger(target);
        };
        self.is_match = true;
        self.document
    }

    fn find(&mut self, target: DocId) -> DocId {
        let result = match target {
            TERMINATED => SeekDangerResult::SeekLowerBound(TERMINATED),
            target => self.set.seek_danger(target),
        };
        self.advance_to_match(target, result)
    }

    fn is_over(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(64) && self.deadline.deadline.is_over() {
            self.deadline.stopped.store(true, Relaxed);
        }
        self.deadline.stopped.load(Relaxed)
    }
}

impl DocSet for TimedDocSet {
    fn advance(&mut self) -> DocId {
        match self.document {
            TERMINATED => TERMINATED,
            document => self.find(document + 1),
        }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if target <= self.document {
            self.document
        } else {
            self.find(target)
        }
    }

    /// Tries one candidate, so that an intersection asks the cheaper sets before the next one.
    fn seek_danger(&mut self, target: DocId) -> SeekDangerResult {
        if target >= TERMINATED || self.is_over() {
            return SeekDangerResult::SeekLowerBound(TERMINATED);
        }
        // `Exclude` also asks for documents before the current one.
        if target < self.document {
            return SeekDangerResult::SeekLowerBound(self.document);
        }
        if target == self.document && self.is_match {
            return SeekDangerResult::Found;
        }
        let result = self.set.seek_danger(target);
        (self.document, self.is_match) = match result {
            SeekDangerResult::Found => (target, true),
            SeekDangerResult::SeekLowerBound(next) => (next, false),
        };
        result
    }

    fn doc(&self) -> DocId {
        if self.deadline.stopped.load(Relaxed) {
            TERMINATED
        } else {
            self.document
        }
    }

    fn size_hint(&self) -> u32 {
        self.set.size_hint()
    }

    fn cost(&self) -> u64 {
        self.set.cost()
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::atomic::AtomicU32, time::Duration};

    use super::*;

    /// Every document is a candidate, one in `every` a match.
    struct Candidates {
        every: DocId,
        asked: Arc<AtomicU32>,
    }

    impl DocSet for Candidates {
        fn advance(&mut self) -> DocId {
            unreachable!("advance cannot be stopped")
        }

        fn seek_danger(&mut self, target: DocId) -> SeekDangerResult {
            self.asked.fetch_add(1, Relaxed);
            match target % self.every {
                0 => SeekDangerResult::Found,
                _ => SeekDangerResult::SeekLowerBound(target + 1),
            }
        }

        fn doc(&self) -> DocId {
            unreachable!("the state after a miss is invalid")
        }

        fn size_hint(&self) -> u32 {
            0
        }
    }

    fn timed(every: DocId, deadline: Deadline) -> (TimedDocSet, Arc<AtomicU32>) {
        let asked = Arc::new(AtomicU32::new(0));
        let set = Candidates {
            every,
            asked: Arc::clone(&asked),
        };
        let timed = TimedDocSet {
            set: Box::new(set),
            deadline: SharedDeadline::new(deadline),
            steps: 0,
            document: 0,
            is_match: false,
        };
        (timed, asked)
    }

    #[test]
    fn every_match_is_visited() {
        let (mut timed, _) = timed(10, Deadline::never());
        assert_eq!(timed.find(0), 0);
        assert_eq!(timed.advance(), 10);
        assert_eq!(timed.seek(10), 10);
        assert_eq!(timed.seek(21), 30);
        assert_eq!(timed.seek_danger(31), SeekDangerResult::SeekLowerBound(32));
        assert_eq!(timed.seek_danger(32), SeekDangerResult::SeekLowerBound(33));
        assert_eq!(timed.seek_danger(40), SeekDangerResult::Found);
        assert_eq!(timed.seek_danger(40), SeekDangerResult::Found);
        assert_eq!(timed.seek_danger(39), SeekDangerResult::SeekLowerBound(40));
        assert_eq!((timed.doc(), timed.advance()), (40, 50));
        assert_eq!(timed.seek(TERMINATED), TERMINATED);
        assert_eq!((timed.advance(), timed.doc()), (TERMINATED, TERMINATED));
        assert_eq!(timed.deadline.check(), Ok(()));
    }

    #[test]
    fn a_search_without_a_match_ends_at_the_deadline() {
        let (mut timed, asked) = timed(DocId::MAX, Deadline::after(Duration::ZERO));
        assert_eq!(timed.find(1), TERMINATED);
        assert!(asked.load(Relaxed) <= 64);
        assert_eq!(timed.doc(), TERMINATED);
        assert_eq!(timed.deadline.check(), Err(Error::Timeout));
    }
}
