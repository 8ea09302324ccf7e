//! The engine on Tantivy: one index a kind, one segment an index, documents in the default order, pages by walking.
//!
//! **Invariant:** nothing outside this folder names `tantivy`. Reading a page in the default order costs what the page costs, whatever the collection
//! and the depth; only an order by value and a part of a name are linear, in hits and in names.

mod directory;
mod kind;
mod layout;
mod matching;
mod names;
mod order;
mod phrase;
mod sets;
mod stems;
mod store;
mod walk;
pub mod writer;

use std::path::Path;

use anyhow::Context;
use bytes::Bytes;
use tantivy::{DocSet, TERMINATED, Term, schema::IndexRecordOption};

use self::{
    kind::Kind,
    matching::{Matching, internal},
    order::Ordering,
    walk::Taking,
};
use super::{Deadline, Engine, Error, Hits};
use crate::{
    entity::EntityType,
    query::{Filter, Page, SearchQuery, SortKey, Start},
    schema::{Role, Schema},
};

/// The six kinds of one generation; a kind without records has nothing to open.
pub struct TantivyEngine {
    kinds: Vec<Option<Kind>>,
}

impl TantivyEngine {
    /// Opens `<folder>/<entity_type>` for each kind, `records` telling how many it holds.
    pub fn open(folder: &Path, records: impl Fn(EntityType) -> u64) -> anyhow::Result<TantivyEngine> {
        let open = |entity_type: EntityType| -> anyhow::Result<Option<Kind>> {
            if records(entity_type) == 0 {
                return Ok(None);
            }
            let folder = folder.join(entity_type.name());
            let kind = Kind::open(Schema::of(entity_type), &folder)
                .with_context(|| format!("opening the index in {}", folder.display()))?;
            anyhow::ensure!(
                u64::from(kind.records()) == records(entity_type),
                "{} holds {} records, and the manifest tells {}",
                folder.display(),
                kind.records(),
                records(entity_type)
            );
            Ok(Some(kind))
        };
        let kinds = EntityType::ALL
            .into_iter()
            .map(open)
            .collect::<anyhow::Result<Vec<_>>>()?;
        Ok(TantivyEngine { kinds })
    }
}

impl Engine for TantivyEngine {
    fn search(&self, query: &SearchQuery, page: &Page, deadline: Deadline) -> Result<Hits, Error> {
        deadline.check()?;
        let Some(kind) = &self.kinds[query.entity_type as usize] else {
            return Ok(Hits::default());
        };
        let Some(ordering) = Ordering::new(kind, query.sort.key) else {
            return Err(Error::Internal(format!(
                "{} has no {:?} to sort by",
                query.entity_type, query.sort.key
            )));
        };
        let Some(matching) = Matching::new(kind, query, deadline)? else {
            return Ok(Hits::default());
        };
        let (skip, after) = match &page.start {
            Start::Offset(offset) => (*offset, None),
            Start::After(position) => (0, Some(position)),
        };
        let mut spans = ordering.spans(query.sort.order, after).map_err(unreadable)?;
        narrow(&ordering, query, &mut spans);
        // One more than the page holds tells whether another page follows.
        let mut taking = Taking::new(skip, page.limit.saturating_add(1));
        walk::take(&matching, &ordering, &spans, &mut taking)?;
        let follows = taking.documents.len() > page.limit;
        taking.documents.truncate(page.limit);
        let next = match taking.documents.last() {
            Some(last) if follows && query.sort.key != SortKey::Value => {
                Some(ordering.position(*last).map_err(unreadable)?)
            }
            _ => None,
        };
        Ok(Hits {
            records: taking
                .documents
                .iter()
                .map(|document| kind.store.get(*document))
                .collect(),
            next,
        })
    }

    fn record(&self, entity_type: EntityType, record_id: &str) -> Result<Option<Bytes>, Error> {
        let Some(kind) = &self.kinds[entity_type as usize] else {
            return Ok(None);
        };
        let Some(field) = kind.layout.field(Role::RecordId) else {
            return Ok(None);
        };
        let index = kind.segment().inverted_index(field).map_err(internal)?;
        let postings = index
            .read_postings(&Term::from_field_text(field, record_id), IndexRecordOption::Basic)
            .map_err(unreadable)?;
        let document = postings.map_or(TERMINATED, |postings| postings.doc());
        Ok((document != TERMINATED).then(|| kind.store.get(document)))
    }
}

/// A bound on what the order sorts by bounds the places to walk.
fn narrow(ordering: &Ordering, query: &SearchQuery, spans: &mut Vec<order::Span>) {
    for filter in &query.filters {
        let places = match (filter, query.sort.key) {
            (Filter::Values { min, max }, SortKey::Value) => ordering.values(*min, *max),
            (
                Filter::Dates {
                    role: Role::ClosingDate,
                    from,
                    to,
                },
                SortKey::ClosingDate,
            ) => ordering.days(*from, *to),
            _ => continue,
        };
        for span in spans.iter_mut() {
            let (order::Span::Forward(range) | order::Span::Backward(range)) = span;
            let start = range.start.max(places.start);
            *range = start..range.end.min(places.end).max(start);
        }
    }
    spans.retain(|span| {
        let (order::Span::Forward(range) | order::Span::Backward(range)) = span;
        !range.is_empty()
    });
}

fn unreadable(error: std::io::Error) -> Error {
    Error::Unavailable(error.to_string())
}
