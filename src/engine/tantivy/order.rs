//! The orders a kind can be walked in, and the places in them.
//!
//! An [`Ordering`] numbers the documents as `desc` shows them: those with the key first, by key descending, then `record_id` ascending; those
//! without it last, by `record_id` ascending. For the event date that is the document number itself; for the others a permutation that indexing
//! wrote: `<key>.order` tells the document at a place, `<key>.rank` the place of a document.

use std::{cmp::Ordering as Comparison, io, ops::Range, path::Path};

use tantivy::DocId;

use super::{
    kind::{Kind, partition_in},
    store::Mapped,
};
use crate::{
    model::{date::Date, schema::Role},
    query::{Order, Position, SortKey},
};

/// The role a sort key reads.
pub const fn role(key: SortKey) -> Role {
    match key {
        SortKey::Date => Role::Date,
        SortKey::ClosingDate => Role::ClosingDate,
        SortKey::Value => Role::Value,
    }
}

pub fn order_file(key: SortKey) -> String {
    format!("{}.order", super::layout::field_name(role(key)))
}

pub fn rank_file(key: SortKey) -> String {
    format!("{}.rank", super::layout::field_name(role(key)))
}

/// The order by a key other than the event date.
pub struct Permutation {
    order: Mapped<u32>,
    rank: Mapped<u32>,
}

impl Permutation {
    pub fn open(folder: &Path, key: SortKey, records: usize) -> io::Result<Permutation> {
        let permutation = Permutation {
            order: Mapped::open(&folder.join(order_file(key)))?,
            rank: Mapped::open(&folder.join(rank_file(key)))?,
        };
        if permutation.order.len() != records || permutation.rank.len() != records {
            return Err(io::Error::other(format!(
                "{} does not fit its {records} records",
                order_file(key)
            )));
        }
        Ok(permutation)
    }
}

/// A kind in one of its orders.
#[derive(Clone, Copy)]
pub struct Ordering<'a> {
    kind: &'a Kind,
    key: SortKey,
    permutation: Option<&'a Permutation>,
}

/// A run of places, and the direction it is walked in.
#[derive(Clone, Debug, PartialEq)]
pub enum Span {
    Forward(Range<u32>),
    Backward(Range<u32>),
}

impl<'a> Ordering<'a> {
    /// `None` where the kind has no such key.
    pub fn new(kind: &'a Kind, key: SortKey) -> Option<Ordering<'a>> {
        let permutation = kind.permutation(key);
        (key == SortKey::Date || permutation.is_some()).then_some(Ordering { kind, key, permutation })
    }

    /// Whether places are document numbers.
    pub fn is_natural(&self) -> bool {
        self.permutation.is_none()
    }

    pub fn document(&self, place: u32) -> DocId {
        self.permutation
            .map_or(place, |permutation| permutation.order.get(place as usize))
    }

    pub fn place(&self, document: DocId) -> u32 {
        self.permutation
            .map_or(document, |permutation| permutation.rank.get(document as usize))
    }

    /// The places whose key lies between two days, both included.
    pub fn days(&self, from: Option<Date>, to: Option<Date>) -> Range<u32> {
        let keyed = self.keyed();
        let start = to.map_or(0, |to| self.partition(0..keyed, |place| self.day(place) > Some(to)));
        let end = from.map_or(keyed, |from| {
            self.partition(start..keyed, |place| self.day(place) >= Some(from))
        });
        start..end
    }

    /// The places whose value lies between two bounds, both included.
    pub fn values(&self, min: Option<f64>, max: Option<f64>) -> Range<u32> {
        let keyed = self.keyed();
        let value = |place| {
            self.kind
                .value
                .as_ref()
                .and_then(|values| values.first(self.document(place)))
        };
        let start = max.map_or(0, |max| self.partition(0..keyed, |place| value(place) > Some(max)));
        let end = min.map_or(keyed, |min| {
            self.partition(start..keyed, |place| value(place) >= Some(min))
        });
        start..end
    }

    /// The places to walk for an order, in turn.
    pub fn spans(&self, order: Order, after: Option<&Position>) -> io::Result<Vec<Span>> {
        let (keyed, end) = (self.keyed(), self.kind.records());
        let tail = keyed..end;
        let Some(after) = after else {
            return Ok(match order {
                Order::Desc => vec![Span::Forward(0..end)],
                Order::Asc => vec![Span::Backward(0..keyed), Span::Forward(tail)],
            });
        };
        Ok(match (order, after.key) {
            (Order::Desc, _) | (Order::Asc, None) => vec![Span::Forward(self.first_after(after)?..end)],
            (Order::Asc, Some(_)) => vec![Span::Backward(0..self.first_at_or_after(after)?), Span::Forward(tail)],
        })
    }

    /// The place of a document, to go on from.
    pub fn position(&self, document: DocId) -> io::Result<Position> {
        let key = self.key.date_role().and_then(|role| self.kind.day(role, document));
        Ok(Position {
            key,
            record_id: self.kind.record_id(document)?,
        })
    }

    /// How many documents have the key; they come first.
    fn keyed(&self) -> u32 {
        let end = self.kind.records();
        match self.key {
            SortKey::Date => self.kind.dated,
            SortKey::ClosingDate => self.partition(0..end, |place| self.day(place).is_some()),
            SortKey::Value => self.partition(0..end, |place| {
                self.kind
                    .value
                    .as_ref()
                    .is_some_and(|values| values.first(self.document(place)).is_some())
            }),
        }
    }

    fn day(&self, place: u32) -> Option<Date> {
        self.key
            .date_role()
            .and_then(|role| self.kind.day(role, self.document(place)))
    }

    fn first_after(&self, position: &Position) -> io::Result<u32> {
        self.first(position, |comparison| comparison != Comparison::Greater)
    }

    fn first_at_or_after(&self, position: &Position) -> io::Result<u32> {
        self.first(position, |comparison| comparison == Comparison::Less)
    }

    /// The first place that does not pass, `passes` being told how a place compares with the position: first by key, read from the column,
    /// then, within the run of equal keys, by `record_id`, read from the records themselves.
    fn first(&self, position: &Position, passes: impl Fn(Comparison) -> bool) -> io::Result<u32> {
        let end = self.kind.records();
        // `None` sorts below every day, hence last under descending keys.
        let start = self.partition(0..end, |place| self.day(place) > position.key);
        let end = self.partition(start..end, |place| self.day(place) == position.key);
        let mut failed = None;
        let place = self.partition(start..end, |place| match self.kind.record_id(self.document(place)) {
            Ok(record_id) => passes(record_id.as_bytes().cmp(position.record_id.as_bytes())),
            Err(e) => {
                failed = Some(e);
                false
            }
        });
        failed.map_or(Ok(place), Err)
    }

    fn partition(&self, range: Range<u32>, mut before: impl FnMut(u32) -> bool) -> u32 {
        partition_in(range, &mut before)
    }
}
