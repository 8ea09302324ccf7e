//! [`TantivyEngine`]: implements [`Engine`] on the indexes of one generation.

use std::{ops::Range, path::Path, sync::Arc};

use anyhow::{Context, ensure};
use bytes::Bytes;
use tantivy::DocId;

use super::{
    aggregate,
    answer_cache::{self, AnswerCache},
    collect::{PageCollector, collect_page},
    compiled_query::CompiledQuery,
    entity_index::EntityIndex,
    errors::unreadable,
    layout::DEPARTMENTS,
    market, near_words, relevance_search, similarity_search,
    sort_order::{RankScan, SortOrder},
};
use crate::{
    engine::{
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
        deadline::Deadline,
        departments::Departments,
        error::Error,
        facet_values::FacetValues,
        market_counts::MarketCounts,
        names::{NamesPage, ResolvedName, is_department},
        near_words::NearWord,
        page_size::{MAX_PAGE_BYTES, fitting},
        similarity::{SimilarRecord, idf},
        traits::{Engine, Hits},
    },
    model::{EntityType, Facet},
    query::{Filter, Page, SearchQuery, SortKey, Start},
    storage::regular_file,
};

/// The indexes of one generation.
pub(crate) struct TantivyEngine {
    /// By entity type; `None` without records.
    indexes: Vec<Option<EntityIndex>>,
    departments: Arc<Departments>,
    /// A generation never changes, and neither do its answers.
    answers: AnswerCache,
}

impl TantivyEngine {
    /// Opens `<folder>/<entity type>` for each entity type; `records` returns how many records it
    /// must have.
    pub(crate) fn open(folder: &Path, records: impl Fn(EntityType) -> u64) -> anyhow::Result<TantivyEngine> {
        let departments = Arc::new(read_departments(folder)?);
        let mut indexes = Vec::new();
        for entity_type in EntityType::ALL {
            let expected = records(entity_type);
            if expected == 0 {
                indexes.push(None);
                continue;
            }
            let folder = folder.join(entity_type.name());
            let index = EntityIndex::open(entity_type, &folder, &departments)
                .with_context(|| format!("opening the index in {}", folder.display()))?;
            ensure!(
                u64::from(index.records()) == expected,
                "{} has {} records, but the manifest says {expected}",
                folder.display(),
                index.records()
            );
            indexes.push(Some(index));
        }
        Ok(TantivyEngine {
            indexes,
            departments,
            answers: AnswerCache::default(),
        })
    }

    /// For a build, which reads every record about once: the records do not fill the memory of the process.
    pub(crate) fn forget_what_was_read(&mut self) {
        for index in self.indexes.iter_mut().flatten() {
            index.store.forget_what_was_read();
        }
    }

    fn index(&self, entity_type: EntityType) -> Option<&EntityIndex> {
        self.indexes[entity_type as usize].as_ref()
    }

    fn facet_values(&self, entity_type: EntityType, facet: Facet) -> Option<&FacetValues> {
        let (_, values) = self.index(entity_type)?.facet(facet)?;
        Some(values)
    }
}

impl Engine for TantivyEngine {
    fn search(&self, query: &SearchQuery, page: &Page, deadline: Deadline) -> Result<Hits, Error> {
        deadline.check()?;
        let Some(index) = self.index(query.entity_type) else {
            return Ok(Hits::default());
        };
        if query.sort.key == SortKey::Relevance {
            return by_relevance(index, query, page, deadline);
        }
        let Some(order) = SortOrder::new(index, query.sort.key) else {
            return Err(Error::Internal(format!(
                "{} records cannot be sorted by {:?}",
                query.entity_type, query.sort.key
            )));
        };
        let Some(compiled) = CompiledQuery::new(index, query, deadline)? else {
            return Ok(Hits::default());
        };
        let (skip, after) = match &page.start {
            Start::Offset(offset) => (*offset, None),
            Start::After(position) => (0, Some(position)),
        };
        let scans = order.scans(query.sort.order, after).map_err(unreadable)?;
        let scans = narrowed(&order, query, scans);
        // One more than the page has, to know whether another page follows.
        let mut collector = PageCollector::new(skip, page.limit.saturating_add(1));
        collect_page(&compiled, &order, &scans, &mut collector)?;
        let mut documents = collector.documents;
        let has_more = documents.len() > page.limit;
        documents.truncate(page.limit);
        let (records, is_cut) = records_of(index, &documents);
        documents.truncate(records.len());
        let next = match documents.last() {
            Some(last) if (has_more || is_cut) && query.sort.key.has_positions() => {
                Some(order.position(*last).map_err(unreadable)?)
            }
            _ => None,
        };
        Ok(Hits { records, is_cut, next })
    }

    fn record(&self, entity_type: EntityType, record_id: &str, _: Deadline) -> Result<Option<Bytes>, Error> {
        let Some(index) = self.index(entity_type) else {
            return Ok(None);
        };
        for document in index.ids.candidates(record_id) {
            if index.record_id(document).map_err(unreadable)? == record_id {
                return Ok(Some(index.store.get(document)));
            }
        }
        Ok(None)
    }

    fn aggregate(
        &self,
        query: &SearchQuery,
        terms: &[TermsAggregation],
        values: ValueAggregation,
        deadline: Deadline,
    ) -> Result<Aggregation, Error> {
        let key = answer_cache::key(query, terms, values);
        if let Some(known) = self.answers.get(&key) {
            return Ok(known);
        }
        if let Some(index) = self.index(query.entity_type)
            && let Some(compiled) = CompiledQuery::new(index, query, deadline)?
        {
            let aggregation = aggregate::aggregate(index, &compiled, terms, values)?;
            self.answers.insert(key, &aggregation);
            return Ok(aggregation);
        }
        Ok(Aggregation::empty(query.entity_type, terms, values))
    }

    fn market(&self, query: &SearchQuery, deadline: Deadline) -> Result<MarketCounts, Error> {
        if let Some(index) = self.index(query.entity_type)
            && let Some(compiled) = CompiledQuery::new(index, query, deadline)?
        {
            return market::market(index, &compiled);
        }
        Ok(MarketCounts::default())
    }

    fn list_names(
        &self,
        entity_types: &[EntityType],
        facet: Facet,
        part: &str,
        page: Range<usize>,
        deadline: Deadline,
    ) -> Result<NamesPage, Error> {
        deadline.check()?;
        if is_department(facet) {
            let counted = entity_types
                .iter()
                .filter_map(|entity_type| self.facet_values(*entity_type, Facet::Department));
            return Ok(self.departments.list(&counted.collect::<Vec<_>>(), part, page));
        }
        Ok(match entity_types {
            [only] => self
                .facet_values(*only, facet)
                .map_or_else(NamesPage::default, |values| values.page(part, page.start, page.len())),
            _ => NamesPage::default(),
        })
    }

    fn resolve_name(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
        deadline: Deadline,
    ) -> Result<Option<ResolvedName>, Error> {
        deadline.check()?;
        if is_department(facet) {
            return Ok(self.departments.resolve(name));
        }
        let values = self.facet_values(entity_type, facet);
        Ok(values.and_then(|values| values.resolve(facet, name)))
    }

    fn department_names(&self, name: &str) -> Vec<String> {
        self.departments.keys_with(name)
    }

    fn suggest_names(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<String>, Error> {
        deadline.check()?;
        let is_department = is_department(facet);
        let counted = if is_department { Facet::Department } else { facet };
        match self.facet_values(entity_type, counted) {
            Some(values) if is_department => self.departments.suggest(values, name, limit, &deadline),
            Some(values) => values.suggest(&facet.key(name), limit, &deadline),
            None => Ok(Vec::new()),
        }
    }

    fn near_words(
        &self,
        entity_type: EntityType,
        words: &[String],
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<Vec<NearWord>>, Error> {
        deadline.check()?;
        let Some(index) = self.index(entity_type) else {
            return Ok(vec![Vec::new(); words.len()]);
        };
        let near = words
            .iter()
            .map(|word| near_words::near_words(index, word, limit, &deadline));
        near.collect()
    }

    fn similar(
        &self,
        query: &SearchQuery,
        terms: &[String],
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<SimilarRecord>, Error> {
        deadline.check()?;
        let Some(index) = self.index(query.entity_type) else {
            return Ok(Vec::new());
        };
        let filters = SearchQuery {
            text: None,
            ..query.clone()
        };
        match CompiledQuery::new(index, &filters, deadline)? {
            Some(compiled) => similarity_search::search(index, &compiled, terms, limit),
            None => Ok(Vec::new()),
        }
    }

    fn idf(&self, entity_type: EntityType, terms: &[String], deadline: Deadline) -> Result<Vec<f32>, Error> {
        deadline.check()?;
        let Some(index) = self.index(entity_type) else {
            return Ok(vec![idf(0, 0); terms.len()]);
        };
        let idf = |term: &String| {
            let frequency = similarity_search::document_frequency(index, term)?;
            Ok(idf(index.records().into(), frequency))
        };
        terms.iter().map(idf).collect()
    }

    fn is_local(&self) -> bool {
        true
    }
}

/// The records of a page, and whether it ends before the last of them.
fn records_of(index: &EntityIndex, documents: &[DocId]) -> (Vec<Bytes>, bool) {
    let mut records = index.store.get_all(documents);
    records.truncate(fitting(records.iter().map(Bytes::len), MAX_PAGE_BYTES));
    let is_cut = records.len() < documents.len();
    (records, is_cut)
}

/// A page in the order by relevance, which has offsets only.
fn by_relevance(index: &EntityIndex, query: &SearchQuery, page: &Page, deadline: Deadline) -> Result<Hits, Error> {
    let (Some(text), Start::Offset(skip)) = (&query.text, &page.start) else {
        let why = "a search by relevance needs a text and an offset";
        return Err(Error::Internal(why.to_owned()));
    };
    let Some(compiled) = CompiledQuery::new(index, query, deadline)? else {
        return Ok(Hits::default());
    };
    let documents = relevance_search::search(index, &compiled, text, *skip, page.limit)?;
    let (records, is_cut) = records_of(index, &documents);
    let next = None;
    Ok(Hits { records, is_cut, next })
}

fn read_departments(folder: &Path) -> anyhow::Result<Departments> {
    let path = folder.join(DEPARTMENTS);
    let read = || anyhow::Ok(serde_json::from_slice(&regular_file::read(&path)?)?);
    read().with_context(|| format!("reading {}", path.display()))
}

/// A filter on the sort key narrows the ranks to scan.
fn narrowed(order: &SortOrder, query: &SearchQuery, mut scans: Vec<RankScan>) -> Vec<RankScan> {
    for filter in &query.filters {
        let bounds = match (filter, query.sort.key) {
            (Filter::Values { min, max }, SortKey::Value) => order.ranks_of_values(*min, *max),
            // In the default order, the range of documents is narrowed already.
            (Filter::Dates { role, from, to }, key) if key != SortKey::Date && key.date_role() == Some(*role) => {
                order.ranks_of_dates(*from, *to)
            }
            _ => continue,
        };
        for scan in &mut scans {
            *scan = scan.within(&bounds);
        }
    }
    scans.retain(|scan| !scan.ranks().is_empty());
    scans
}
