//! A phrase that minds the time.
//!
//! Tantivy's own phrase scorer runs on until it finds a match: 0.1 s on two million documents where two frequent words never meet, and nothing
//! can stop it. Its candidates can also be asked for one by one ([`DocSet::seek_danger`]); that is done here, with a look at the clock in between.
//! As a [`Query`] of its own it can stand anywhere, also inside a union.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use tantivy::{
    DocId, DocSet, Score, SeekDangerResult, SegmentReader, TERMINATED, TantivyError, Term,
    query::{EnableScoring, Explanation, PhraseQuery, Query, Scorer, Weight},
};

use super::sets::unscored;
use crate::engine::{Deadline, Error};

/// The time a search has, shared by the sets it walks. A set that ends its walk early says so here, lest a short walk be taken for a whole one.
#[derive(Clone, Debug)]
pub struct Clock {
    deadline: Deadline,
    gave_up: Arc<AtomicBool>,
}

impl Clock {
    pub fn new(deadline: Deadline) -> Clock {
        Clock {
            deadline,
            gave_up: Arc::default(),
        }
    }

    /// An error once the time is up, also if only a set noticed.
    pub fn check(&self) -> Result<(), Error> {
        if self.gave_up.load(Relaxed) {
            return Err(Error::Timeout);
        }
        self.deadline.check()
    }
}

/// Words that stand side by side.
#[derive(Clone, Debug)]
pub struct Phrase {
    words: PhraseQuery,
    clock: Clock,
}

impl Phrase {
    /// At least two terms of one field.
    pub fn new(terms: Vec<Term>, clock: Clock) -> Phrase {
        Phrase {
            words: PhraseQuery::new(terms),
            clock,
        }
    }
}

impl Query for Phrase {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(PhraseWeight {
            words: self.words.weight(scoring)?,
            clock: self.clock.clone(),
        }))
    }
}

struct PhraseWeight {
    words: Box<dyn Weight>,
    clock: Clock,
}

impl Weight for PhraseWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let (first, set) = self.words.scorer_danger(segment, 0, boost)?;
        let mut timed = Timed {
            set,
            clock: self.clock.clone(),
            steps: 0,
            document: 0,
            is_match: false,
        };
        timed.walk(0, first);
        Ok(Box::new(unscored(timed)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument("nothing is scored here".to_owned()))
    }
}

/// The documents that hold a phrase; none more once the time is up.
struct Timed {
    set: Box<dyn Scorer>,
    clock: Clock,
    steps: u32,
    /// Where the walk stands; after a miss, what no match lies before.
    document: DocId,
    is_match: bool,
}

impl Timed {
    /// Goes on from what asking for `target` gave, to the first document at or behind it.
    fn walk(&mut self, mut target: DocId, mut asked: SeekDangerResult) -> DocId {
        self.document = loop {
            match asked {
                SeekDangerResult::Found => break target,
                SeekDangerResult::SeekLowerBound(next) if next >= TERMINATED || self.is_over() => break TERMINATED,
                SeekDangerResult::SeekLowerBound(next) => target = next,
            }
            asked = self.set.seek_danger(target);
        };
        self.is_match = true;
        self.document
    }

    fn find(&mut self, target: DocId) -> DocId {
        let asked = match target {
            TERMINATED => SeekDangerResult::SeekLowerBound(TERMINATED),
            target => self.set.seek_danger(target),
        };
        self.walk(target, asked)
    }

    fn is_over(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(64) && self.clock.deadline.is_over() {
            self.clock.gave_up.store(true, Relaxed);
        }
        self.clock.gave_up.load(Relaxed)
    }
}

impl DocSet for Timed {
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

    /// One candidate, so that an intersection asks the cheaper sets before the next.
    fn seek_danger(&mut self, target: DocId) -> SeekDangerResult {
        if target >= TERMINATED || self.is_over() {
            return SeekDangerResult::SeekLowerBound(TERMINATED);
        }
        // An exclusion asks for what lies behind, too.
        if target < self.document {
            return SeekDangerResult::SeekLowerBound(self.document);
        }
        if target == self.document && self.is_match {
            return SeekDangerResult::Found;
        }
        let asked = self.set.seek_danger(target);
        (self.document, self.is_match) = match asked {
            SeekDangerResult::Found => (target, true),
            SeekDangerResult::SeekLowerBound(next) => (next, false),
        };
        asked
    }

    fn doc(&self) -> DocId {
        if self.clock.gave_up.load(Relaxed) {
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
            unreachable!("it cannot be stopped")
        }

        fn seek_danger(&mut self, target: DocId) -> SeekDangerResult {
            self.asked.fetch_add(1, Relaxed);
            match target % self.every {
                0 => SeekDangerResult::Found,
                _ => SeekDangerResult::SeekLowerBound(target + 1),
            }
        }

        fn doc(&self) -> DocId {
            unreachable!("it is in no valid state after a miss")
        }

        fn size_hint(&self) -> u32 {
            0
        }
    }

    fn timed(every: DocId, deadline: Deadline) -> (Timed, Arc<AtomicU32>) {
        let asked = Arc::new(AtomicU32::new(0));
        let set = Candidates {
            every,
            asked: Arc::clone(&asked),
        };
        let timed = Timed {
            set: Box::new(unscored(set)),
            clock: Clock::new(deadline),
            steps: 0,
            document: 0,
            is_match: false,
        };
        (timed, asked)
    }

    #[test]
    fn every_match_is_walked() {
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
        assert_eq!(timed.clock.check(), Ok(()));
    }

    #[test]
    fn a_walk_without_a_match_ends_when_the_time_is_up() {
        let (mut timed, asked) = timed(DocId::MAX, Deadline::after(Duration::ZERO));
        assert_eq!(timed.find(1), TERMINATED);
        assert!(asked.load(Relaxed) <= 64);
        assert_eq!(timed.doc(), TERMINATED);
        assert_eq!(timed.clock.check(), Err(Error::Timeout));
    }
}
