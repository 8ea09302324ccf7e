//! The sort orders of an entity type, and ranks in them.
//!
//! A [`SortOrder`] ranks the documents as `desc` shows them: first those with the key, by key
//! descending, then `record_id` ascending; last those without it, by `record_id` ascending. For the
//! event date the rank is the document number itself; for the other keys a [`Permutation`] maps one
//! to the other.

use std::{cmp::Ordering, io, ops::Range};

use tantivy::DocId;

use super::{
    entity_index::{EntityIndex, partition},
    permutation::Permutation,
};
use crate::{
    model::Date,
    query::{Order, Position, SortKey},
};

/// An entity type in one of its orders.
#[derive(Clone, Copy)]
pub(crate) struct SortOrder<'a> {
    index: &'a EntityIndex,
    key: SortKey,
    permutation: Option<&'a Permutation>,
}

/// A range of ranks, and the direction in which to read it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RankScan {
    Forward(Range<u32>),
    Backward(Range<u32>),
}

impl RankScan {
    pub(crate) fn ranks(&self) -> Range<u32> {
        let (RankScan::Forward(ranks) | RankScan::Backward(ranks)) = self;
        ranks.clone()
    }

    /// This scan within a range.
    pub(crate) fn within(&self, bounds: &Range<u32>) -> RankScan {
        match self {
            RankScan::Forward(ranks) => RankScan::Forward(intersection(ranks, bounds)),
            RankScan::Backward(ranks) => RankScan::Backward(intersection(ranks, bounds)),
        }
    }
}

/// An empty range where the two do not overlap.
pub(crate) fn intersection(a: &Range<u32>, b: &Range<u32>) -> Range<u32> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

impl<'a> SortOrder<'a> {
    /// `None` where the entity type has no such key.
    pub(crate) fn new(index: &'a EntityIndex, key: SortKey) -> Option<SortOrder<'a>> {
        let permutation = index.permutation(key);
        if key != SortKey::Date && permutation.is_none() {
            return None;
        }
        Some(SortOrder {
            index,
            key,
            permutation,
        })
    }

    /// Whether ranks are document numbers.
    pub(crate) fn is_document_order(&self) -> bool {
        self.permutation.is_none()
    }

    pub(super) const fn key(&self) -> SortKey {
        self.key
    }

    /// `None` where ranks are document numbers.
    pub(super) const fn permutation(&self) -> Option<&'a Permutation> {
        self.permutation
    }

    pub(crate) fn document(&self, rank: u32) -> DocId {
        self.permutation.map_or(rank, |permutation| permutation.document(rank))
    }

    pub(crate) fn rank(&self, document: DocId) -> u32 {
        self.permutation
            .map_or(document, |permutation| permutation.rank(document))
    }

    /// The ranks whose date is between two days, both included.
    pub(crate) fn ranks_of_dates(&self, from: Option<Date>, to: Option<Date>) -> Range<u32> {
        self.ranks_between(from, to, |rank| self.date(rank))
    }

    /// The ranks whose value is between two bounds, both included.
    pub(crate) fn ranks_of_values(&self, min: Option<f64>, max: Option<f64>) -> Range<u32> {
        self.ranks_between(min, max, |rank| self.value(rank))
    }

    fn ranks_between<K: PartialOrd>(
        &self,
        min: Option<K>,
        max: Option<K>,
        key: impl Fn(u32) -> Option<K>,
    ) -> Range<u32> {
        let keyed = self.keyed();
        let start = match max {
            Some(_) => partition(0..keyed, |rank| key(rank) > max),
            None => 0,
        };
        let end = match min {
            Some(_) => partition(start..keyed, |rank| key(rank) >= min),
            None => keyed,
        };
        start..end
    }

    /// The scans that visit the documents of an order, one after the other.
    pub(crate) fn scans(&self, order: Order, after: Option<&Position>) -> io::Result<Vec<RankScan>> {
        let (keyed, end) = (self.keyed(), self.index.records());
        let unkeyed = RankScan::Forward(keyed..end);
        Ok(match (order, after) {
            (Order::Desc, None) => vec![RankScan::Forward(0..end)],
            (Order::Asc, None) => vec![RankScan::Backward(0..keyed), unkeyed],
            (Order::Asc, Some(after)) if after.key.is_some() => {
                let first_at_or_after = self.first(after, |order| order == Ordering::Less)?;
                vec![RankScan::Backward(0..first_at_or_after), unkeyed]
            }
            (_, Some(after)) => {
                let first_after = self.first(after, |order| order != Ordering::Greater)?;
                vec![RankScan::Forward(first_after..end)]
            }
        })
    }

    /// The position of a document, for a cursor.
    pub(crate) fn position(&self, document: DocId) -> io::Result<Position> {
        let key = self.key.date_role().and_then(|role| self.index.date(role, document));
        Ok(Position {
            key,
            record_id: self.index.record_id(document)?,
        })
    }

    /// How many documents have the key; they come first.
    fn keyed(&self) -> u32 {
        let all = 0..self.index.records();
        match self.key {
            SortKey::Date | SortKey::Relevance => self.index.dated,
            SortKey::ClosingDate | SortKey::EndDate => partition(all, |rank| self.date(rank).is_some()),
            SortKey::Value => partition(all, |rank| self.value(rank).is_some()),
        }
    }

    fn date(&self, rank: u32) -> Option<Date> {
        self.index.date(self.key.date_role()?, self.document(rank))
    }

    /// The value of the document with a rank.
    pub(crate) fn value(&self, rank: u32) -> Option<f64> {
        self.index.value.as_ref()?.get(self.document(rank))
    }

    /// The first rank for which `is_before` is false. `is_before` gets the comparison of the rank's
    /// document with the position: by key, read from the column; within equal keys by `record_id`,
    /// read from the records themselves.
    fn first(&self, position: &Position, is_before: impl Fn(Ordering) -> bool) -> io::Result<u32> {
        let end = self.index.records();
        // `None` is less than every date, hence last in a descending order.
        let start = partition(0..end, |rank| self.date(rank) > position.key);
        let end = partition(start..end, |rank| self.date(rank) == position.key);
        let mut failed = None;
        let rank = partition(start..end, |rank| match self.index.record_id(self.document(rank)) {
            Ok(record_id) => is_before(record_id.as_bytes().cmp(position.record_id.as_bytes())),
            Err(e) => {
                failed = Some(e);
                false
            }
        });
        failed.map_or(Ok(rank), Err)
    }
}
