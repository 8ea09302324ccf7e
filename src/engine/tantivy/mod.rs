//! The engine on Tantivy: one index a kind, one segment an index, documents in the default order, pages by walking.
//!
//! **Invariant:** nothing outside this folder names `tantivy`. Reading a page in the default order costs what the page costs, whatever the collection
//! and the depth; only an order by value and a part of a name are linear, in hits and in names.

mod counting;
mod departments;
mod directory;
mod facets;
mod groups;
mod kind;
mod layout;
mod matching;
mod names;
mod order;
mod phrase;
mod sets;
mod similar;
mod stems;
mod store;
mod walk;
pub mod writer;

use std::{ops::Range, path::Path};

use anyhow::Context;
use bytes::Bytes;
use tantivy::{DocSet, TERMINATED, Term, schema::IndexRecordOption};

use self::{
    departments::Departments,
    groups::Groups,
    kind::Kind,
    matching::{Matching, internal},
    order::Ordering,
    walk::Taking,
};
use crate::engine::{
    Deadline, Engine, Error, Hits,
    aggregation::{Measure, Money, NameRow, Named, NamesPage, Tally, Want},
    similarity::Similar,
};
use crate::{
    model::{
        entity_type::EntityType,
        facet::Facet,
        schema::{Role, Schema},
    },
    query::{Filter, Page, SearchQuery, SortKey, Start},
};

/// The six kinds of one generation; a kind without records has nothing to open.
pub struct TantivyEngine {
    kinds: Vec<Option<Kind>>,
    departments: Departments,
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
        let mut kinds = EntityType::ALL
            .into_iter()
            .map(open)
            .collect::<anyhow::Result<Vec<_>>>()?;
        let departments = group(&mut kinds, folder).context("opening what the records are counted by")?;
        Ok(TantivyEngine { kinds, departments })
    }
}

/// How many words of a name that does not exist are looked at for names near it.
const MOST_WORDS: usize = 8;

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

    fn tally(&self, query: &SearchQuery, wants: &[Want], measure: Measure, deadline: Deadline) -> Result<Tally, Error> {
        let nothing = || Ok(Tally::nothing(query.entity_type, wants.len(), measure));
        let Some(kind) = &self.kinds[query.entity_type as usize] else {
            return nothing();
        };
        match Matching::new(kind, query, deadline.clone())? {
            Some(matching) => counting::tally(kind, &counting::Hits::of(&matching)?, wants, measure, &deadline),
            None => nothing(),
        }
    }

    fn names(&self, kinds: &[EntityType], facet: Facet, part: &str, page: Range<usize>) -> NamesPage {
        let groups = |kind: &EntityType| {
            let kind = self.kinds[*kind as usize].as_ref()?;
            kind.facet(facet).map(|(_, groups)| groups)
        };
        if facet != Facet::Department {
            let [only] = kinds else { return NamesPage::default() };
            return groups(only).map_or_else(NamesPage::default, |groups| groups.page(part, page.start, page.len()));
        }
        let groups: Vec<&Groups> = kinds.iter().filter_map(groups).collect();
        let mut rows = Vec::new();
        for department in self.departments.all() {
            if !department.keys.iter().any(|key| key.contains(part)) {
                continue;
            }
            let mut row = NameRow {
                name: department.name().to_owned(),
                records: 0,
                total_value: Money::default(),
            };
            for groups in &groups {
                if let Some(number) = groups.find(&department.key) {
                    row.records += groups.sum(number).count;
                    row.total_value.add(groups.sum(number).total_value);
                }
            }
            if row.records > 0 {
                rows.push(row);
            }
        }
        rows.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.name.cmp(&b.name)));
        NamesPage {
            total: rows.len() as u64,
            rows: rows.into_iter().skip(page.start).take(page.len()).collect(),
        }
    }

    fn near(&self, entity_type: EntityType, facet: Facet, name: &str, most: usize) -> Vec<String> {
        let key = facet.key(name);
        let Some((_, groups)) = self.kinds[entity_type as usize]
            .as_ref()
            .and_then(|kind| kind.facet(facet))
        else {
            return Vec::new();
        };
        // A mistake in the first letters of every word is rarer than one behind them.
        let mut words: Vec<&str> = key.split(' ').filter(|word| word.chars().count() > 3).collect();
        // The long ones say more, and each gets its share of the places.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.truncate(MOST_WORDS);
        let share = most / words.len().max(1);
        let start = |word: &&str| word.char_indices().nth(4).map_or(word.len(), |(end, _)| end);
        let found = words
            .iter()
            .flat_map(|word| groups.containing(&word[..start(word)]).take(share));
        found.map(|number| groups.name(number).to_owned()).collect()
    }

    fn similar(
        &self,
        query: &SearchQuery,
        words: &[String],
        most: usize,
        deadline: Deadline,
    ) -> Result<Vec<Similar>, Error> {
        deadline.check()?;
        let Some(kind) = &self.kinds[query.entity_type as usize] else {
            return Ok(Vec::new());
        };
        let filters = SearchQuery {
            text: None,
            ..query.clone()
        };
        match Matching::new(kind, &filters, deadline)? {
            Some(matching) => similar::similar(kind, &matching, words, most),
            None => Ok(Vec::new()),
        }
    }

    fn rarity(&self, entity_type: EntityType, word: &str) -> Result<f32, Error> {
        let (records, holding) = match &self.kinds[entity_type as usize] {
            Some(kind) => (kind.records().into(), similar::holding(kind, word)?),
            None => (0, 0),
        };
        Ok(crate::engine::similarity::rarity(records, holding))
    }

    fn named(&self, entity_type: EntityType, facet: Facet, name: &str) -> Option<Named> {
        match facet {
            Facet::Department => self.departments.named(name),
            _ => {
                let (_, groups) = self.kinds[entity_type as usize].as_ref()?.facet(facet)?;
                groups.named(facet, name)
            }
        }
    }
}

/// Settles, over all kinds, which names are one department, then in each which entries are one value.
fn group(kinds: &mut [Option<Kind>], folder: &Path) -> anyhow::Result<Departments> {
    let mut facets = Vec::new();
    for (entity_type, kind) in EntityType::ALL.into_iter().zip(&*kinds) {
        facets.push(match kind {
            Some(kind) => kind.open_facets(&folder.join(entity_type.name()))?,
            None => Vec::new(),
        });
    }
    let entries = facets
        .iter()
        .flatten()
        .filter(|(facet, _, _)| *facet == Facet::Department);
    let entries = entries.flat_map(|(_, column, sums)| {
        let entries = column.entries.iter().map(Vec::as_slice);
        entries.zip(sums.iter().map(|sum| sum.count))
    });
    let departments = Departments::new(entries);
    for (kind, facets) in kinds.iter_mut().zip(facets) {
        if let Some(kind) = kind {
            kind.group(facets, &departments);
        }
    }
    Ok(departments)
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
