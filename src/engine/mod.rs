//! The seam between questions and the index: what any engine must answer, whatever it is built on.
//!
//! **Invariant:** nothing here or above knows of Tantivy, and no engine knows of HTTP. Calls block; a caller gives each a [`Deadline`], and
//! an engine whose time is up answers [`Error::Timeout`], never a partial page.

pub mod aggregation;
pub mod similarity;
pub mod tantivy;

use std::{
    fmt,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;

use crate::{
    engine::{
        aggregation::{Measure, Named, NamesPage, Tally, Want},
        similarity::Similar,
    },
    model::{entity_type::EntityType, facet::Facet},
    query::{Page, Position, SearchQuery},
};

/// Answers searches over one generation of the records.
pub trait Engine: Send + Sync {
    /// One page of the records that match.
    fn search(&self, query: &SearchQuery, page: &Page, deadline: Deadline) -> Result<Hits, Error>;

    /// The record with exactly this id.
    fn record(&self, entity_type: EntityType, record_id: &str) -> Result<Option<Bytes>, Error>;

    /// Counts all records that match; the query's sort does not matter.
    fn tally(&self, query: &SearchQuery, wants: &[Want], measure: Measure, deadline: Deadline) -> Result<Tally, Error>;

    /// The vendors of one kind, or the departments of some, whose folded name holds `part`; most records first, then by name.
    fn names(&self, kinds: &[EntityType], facet: Facet, part: &str, page: Range<usize>) -> NamesPage;

    /// The vendor of a kind, or the department, with a name.
    fn named(&self, entity_type: EntityType, facet: Facet, name: &str) -> Option<Named>;

    /// Some names, `most` at most, that share the start of a word with one that does not exist: for a hint, so none need be complete.
    fn near(&self, entity_type: EntityType, facet: Facet, name: &str, most: usize) -> Vec<String>;

    /// The records of what was sold that pass the query's filters (its text and sort do not matter) and share the rarest of some words of
    /// [`crate::model::similarity_terms`]: best score first, `most` at most, equal ones in the default order. Which words are looked for [`similar::telling`] says
    /// (`bool.should` of `constant_score` over `term`).
    fn similar(
        &self,
        query: &SearchQuery,
        words: &[String],
        most: usize,
        deadline: Deadline,
    ) -> Result<Vec<Similar>, Error>;

    /// How much a word tells among a kind's subjects ([`similar::rarity`]).
    fn rarity(&self, entity_type: EntityType, word: &str) -> Result<f32, Error>;
}

/// A page of records, each the JSON it was indexed from.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    pub records: Vec<Bytes>,
    /// The place of the last record: present exactly when more follow and the sort has places (not by value).
    pub next: Option<Position>,
}

/// When to give up: at a moment, or once nobody waits any more.
#[derive(Clone, Debug)]
pub struct Deadline {
    end: Option<Instant>,
    is_given_up: Option<Arc<AtomicBool>>,
}

/// Whoever waits for an answer; dropped, it is waited for no more.
#[derive(Debug)]
pub struct Waiter(Arc<AtomicBool>);

/// What can go wrong inside an engine. The text of the last two is for the log, not for clients.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    Timeout,
    Unavailable(String),
    Internal(String),
}

impl Deadline {
    pub fn after(time: Duration) -> Deadline {
        Deadline {
            end: Instant::now().checked_add(time),
            ..Deadline::never()
        }
    }

    pub const fn never() -> Deadline {
        Deadline {
            end: None,
            is_given_up: None,
        }
    }

    /// The same, and over as soon as the waiter is dropped.
    pub fn with_waiter(self) -> (Deadline, Waiter) {
        let flag = Arc::<AtomicBool>::default();
        let deadline = Deadline {
            is_given_up: Some(Arc::clone(&flag)),
            ..self
        };
        (deadline, Waiter(flag))
    }

    /// The moment itself, where there is one.
    pub fn end(&self) -> Option<Instant> {
        self.end
    }

    pub fn is_over(&self) -> bool {
        let is_given_up = self
            .is_given_up
            .as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed));
        is_given_up || self.end.is_some_and(|end| Instant::now() >= end)
    }

    pub fn check(&self) -> Result<(), Error> {
        if self.is_over() { Err(Error::Timeout) } else { Ok(()) }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Timeout => f.write_str("the search took too long"),
            Error::Unavailable(why) => write!(f, "the index cannot be read: {why}"),
            Error::Internal(why) => write!(f, "the search failed: {why}"),
        }
    }
}

impl std::error::Error for Error {}
