//! [`Engine`]: what any search engine must answer, whatever it is built on.

use std::ops::Range;

use bytes::Bytes;

use crate::{
    engine::{
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
        deadline::Deadline,
        error::Error,
        market_counts::MarketCounts,
        names::{NamesPage, ResolvedName},
        near_words::NearWord,
        record_search::RecordSearch,
        similarity::SimilarRecord,
    },
    model::{EntityType, Facet},
    query::{Page, Position, SearchQuery},
};

/// Answers searches over one generation of the records.
///
/// Calls block. The caller gives each search a [`Deadline`]. An engine that passes it returns
/// [`Error::Timeout`], never a partial page.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::{fs, time::Duration};
///
/// use procure::{
///     catalog::{generation::GenerationStore, indexing},
///     engine::{Deadline, Engine},
///     model::entity_type::EntityType,
///     query::{Page, SearchQuery, Start, text::TextQuery},
/// };
///
/// // Index one dump of two tenders.
/// let folder = tempfile::tempdir()?;
/// let options = indexing::IndexOptions {
///     dumps: folder.path().join("dumps"),
///     store: GenerationStore::Folder(folder.path().join("index")),
///     memory_mb: indexing::DEFAULT_MEMORY_MB,
///     strict: true,
/// };
/// fs::create_dir_all(options.dumps.join("tender"))?;
/// fs::write(
///     options.dumps.join("tender/city.ndjson"),
///     "{\"record_id\": \"t1\", \"title_en\": \"Snow removal\"}\n{\"record_id\": \"t2\", \"title_en\": \"Roads\"}\n",
/// )?;
/// let report = indexing::run(&options)?;
///
/// // Open the generation and search it.
/// let engine = options.store.open(&report.generation)?.engine;
/// let query = SearchQuery {
///     text: Some(TextQuery::parse("snow removal")?),
///     ..SearchQuery::newest(EntityType::Tender, Vec::new())
/// };
/// let page = Page { limit: 10, start: Start::Offset(0) };
/// let hits = engine.search(&query, &page, Deadline::after(Duration::from_secs(10)))?;
/// assert_eq!(hits.records.len(), 1);
/// assert!(hits.records[0].starts_with(b"{\"record_id\": \"t1\""));
/// # Ok(())
/// # }
/// ```
pub trait Engine: Send + Sync {
    /// One page of the matching records. It ends early, at
    /// [`MAX_PAGE_BYTES`](crate::engine::MAX_PAGE_BYTES).
    fn search(&self, query: &SearchQuery, page: &Page, deadline: Deadline) -> Result<Hits, Error>;

    /// The record with exactly this id.
    fn record(&self, entity_type: EntityType, record_id: &str, deadline: Deadline) -> Result<Option<Bytes>, Error>;

    /// Aggregates over all matching records. The sort of the query is ignored.
    fn aggregate(
        &self,
        query: &SearchQuery,
        terms: &[TermsAggregation],
        values: ValueAggregation,
        deadline: Deadline,
    ) -> Result<Aggregation, Error>;

    /// The number of records that match each query, in the order of the queries. Sorts are ignored.
    fn counts(&self, queries: &[SearchQuery], deadline: Deadline) -> Result<Vec<u64>, Error> {
        let none = ValueAggregation::None;
        let count = |query: &SearchQuery| Ok(self.aggregate(query, &[], none, deadline.clone())?.total);
        queries.iter().map(count).collect()
    }

    /// Vendors of one entity type, or departments of several, whose folded name contains `part`.
    /// Sorted by descending number of records, then by name.
    fn list_names(
        &self,
        entity_types: &[EntityType],
        facet: Facet,
        part: &str,
        page: Range<usize>,
        deadline: Deadline,
    ) -> Result<NamesPage, Error>;

    /// The vendor of an entity type, or the department, that has this name.
    fn resolve_name(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
        deadline: Deadline,
    ) -> Result<Option<ResolvedName>, Error>;

    /// The folded names of the department that has this folded name, in every entity type: a filter
    /// by a part of a department's name compares all of them. Only the given name where no other is
    /// known.
    fn department_names(&self, name: &str) -> Vec<String>;

    /// Up to `limit` names in which a word starts like a word of `name`, which does not exist.
    /// Candidates for a "did you mean" hint: the list need not be complete.
    fn suggest_names(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<String>, Error>;

    /// For each of the folded words, up to `limit` words of the texts of an entity type that are spelled
    /// nearly like it, the nearest first ([`crate::engine::near_words`]).
    fn near_words(
        &self,
        entity_type: EntityType,
        words: &[String],
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<Vec<NearWord>>, Error>;

    /// What the market figures are computed from, over all matching records. The sort of the query
    /// is ignored.
    fn market(&self, query: &SearchQuery, deadline: Deadline) -> Result<MarketCounts, Error>;

    /// More-like-this: records of the query's entity type that pass its filters (text and sort are
    /// ignored) and share some of the given similarity terms ([`crate::model::similarity_terms`]).
    ///
    /// Up to `limit` records, best score first, equal scores in the default order. Which terms are
    /// searched is decided by
    /// [`select_query_terms`](crate::engine::similarity::select_query_terms). Elasticsearch
    /// counterpart: `bool.should` of `constant_score` over `term`.
    fn similar(
        &self,
        query: &SearchQuery,
        terms: &[String],
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<SimilarRecord>, Error>;

    /// The records of several searches, in the order of the searches.
    fn records_of(&self, searches: &[RecordSearch], deadline: Deadline) -> Result<Vec<Vec<Bytes>>, Error> {
        let records = searches.iter().map(|search| match search {
            RecordSearch::Page { query, page } => Ok(self.search(query, page, deadline.clone())?.records),
            RecordSearch::Similar { query, terms, limit } => {
                let similar = self.similar(query, terms, *limit, deadline.clone())?;
                Ok(similar.into_iter().map(|similar| similar.record).collect())
            }
        });
        records.collect()
    }

    /// Inverse document frequency of each similarity term among the records of an entity type
    /// ([`crate::engine::similarity::idf`]), in the order of the terms.
    fn idf(&self, entity_type: EntityType, terms: &[String], deadline: Deadline) -> Result<Vec<f32>, Error>;

    /// Whether the index is in the memory or on the disk of this process. Then a record by its id,
    /// and a page of all records, take microseconds. Otherwise every call waits for the network.
    fn is_local(&self) -> bool;
}

/// A page of records, each the JSON that it was indexed from.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    pub records: Vec<Bytes>,
    /// Whether the page ended at [`MAX_PAGE_BYTES`](crate::engine::MAX_PAGE_BYTES), although its
    /// limit allows more records.
    pub is_cut: bool,
    /// The position of the last record. Present exactly when more records follow and the sort
    /// supports positions (a sort by value does not).
    pub next: Option<Position>,
}
