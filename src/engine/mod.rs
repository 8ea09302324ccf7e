//! The seam between questions and the index: what any engine must answer, whatever it is built on.
//!
//! **Invariant:** nothing here or above knows of Tantivy, and no engine knows of HTTP. Calls block; a caller gives each a [`Deadline`], and
//! an engine whose time is up answers [`Error::Timeout`], never a partial page.

pub mod tally;
pub mod tantivy;

use std::{
    fmt,
    ops::Range,
    time::{Duration, Instant},
};

use bytes::Bytes;

use crate::{
    engine::tally::{Named, NamesPage, Tally, Want},
    entity::EntityType,
    facet::Facet,
    query::{Page, Position, SearchQuery},
};

/// Answers searches over one generation of the records.
pub trait Engine: Send + Sync {
    /// One page of the records that match.
    fn search(&self, query: &SearchQuery, page: &Page, deadline: Deadline) -> Result<Hits, Error>;

    /// The record with exactly this id.
    fn record(&self, entity_type: EntityType, record_id: &str) -> Result<Option<Bytes>, Error>;

    /// Counts all records that match; the query's sort does not matter.
    fn tally(&self, query: &SearchQuery, wants: &[Want], deadline: Deadline) -> Result<Tally, Error>;

    /// The vendors of one kind, or the departments of some, whose folded name holds `part`; most records first, then by name.
    fn names(&self, kinds: &[EntityType], facet: Facet, part: &str, page: Range<usize>) -> NamesPage;

    /// The vendor of a kind, or the department, with a name.
    fn named(&self, entity_type: EntityType, facet: Facet, name: &str) -> Option<Named>;

    /// Some names, `most` at most, that share the start of a word with one that does not exist: for a hint, so none need be complete.
    fn near(&self, entity_type: EntityType, facet: Facet, name: &str, most: usize) -> Vec<String>;
}

/// A page of records, each the JSON it was indexed from.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    pub records: Vec<Bytes>,
    /// The place of the last record: present exactly when more follow and the sort has places (not by value).
    pub next: Option<Position>,
}

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Option<Instant>);

/// What can go wrong inside an engine. The text of the last two is for the log, not for clients.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    Timeout,
    Unavailable(String),
    Internal(String),
}

impl Deadline {
    pub fn after(time: Duration) -> Deadline {
        Deadline(Instant::now().checked_add(time))
    }

    pub const fn never() -> Deadline {
        Deadline(None)
    }

    pub fn is_over(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }

    pub fn check(self) -> Result<(), Error> {
        if self.is_over() { Err(Error::Timeout) } else { Ok(()) }
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
