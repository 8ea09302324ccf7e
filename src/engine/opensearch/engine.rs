//! [`OpenSearchEngine`]: implements [`Engine`] on the indexes of one generation on a cluster.

use std::{mem, ops::Range, sync::Arc};

use bytes::Bytes;
use serde_json::json;

use super::{
    aggregate,
    client::Client,
    generations::ClusterGeneration,
    mapping::record,
    market,
    multi_search::{self, PlannedSearch},
    page::{self, PageSearch},
    query::{CompiledQuery, term},
    records_index::{RecordsIndex, departments},
    relevance,
    resolved_terms::resolve,
    searcher::{Searcher, stored_record},
    similar::{self, SimilarSearch},
};
use crate::{
    engine::{
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
        deadline::Deadline,
        departments::Departments,
        error::Error,
        market_counts::MarketCounts,
        names::{NamesPage, ResolvedName, is_department},
        near_words::NearWord,
        record_search::RecordSearch,
        similarity::{SimilarRecord, idf},
        traits::{Engine, Hits},
    },
    model::{EntityType, Facet, Role, Schema},
    query::{Page, SearchQuery, SortKey, Start},
};

/// The indexes of one generation. It knows their names and sizes and the values of facets; the records
/// stay on the cluster.
pub(crate) struct OpenSearchEngine {
    client: Arc<Client>,
    /// By entity type; `None` without records.
    indexes: Vec<Option<RecordsIndex>>,
    departments: Departments,
}

impl OpenSearchEngine {
    pub(crate) fn new(client: Arc<Client>, generation: &mut ClusterGeneration) -> OpenSearchEngine {
        let departments = departments(generation.names.iter().flat_map(|names| &names.facets));
        let mut indexes = Vec::new();
        for (entity_type, names) in EntityType::ALL.into_iter().zip(mem::take(&mut generation.names)) {
            let (name, summary) = (generation.index(entity_type), generation.summary(entity_type));
            let index = RecordsIndex::new(entity_type, name, &summary, names, &departments);
            indexes.push((summary.records > 0).then_some(index));
        }
        OpenSearchEngine {
            client,
            indexes,
            departments,
        }
    }

    /// A searcher of an entity type; `None` without records.
    fn searcher<'a>(&'a self, entity_type: EntityType, deadline: &'a Deadline) -> Option<Searcher<'a>> {
        Some(Searcher {
            client: &self.client,
            index: self.indexes[entity_type as usize].as_ref()?,
            deadline,
        })
    }

    /// `None` if nothing can match.
    fn compile(&self, searcher: &Searcher, query: &SearchQuery) -> Option<CompiledQuery> {
        CompiledQuery::new(query, &resolve(searcher.index, &self.departments, query))
    }

    /// What `run` finds among the matches of a query; nothing if nothing can match.
    fn with_matches<T: Default>(
        &self,
        query: &SearchQuery,
        deadline: &Deadline,
        run: impl FnOnce(&Searcher, &CompiledQuery) -> Result<T, Error>,
    ) -> Result<T, Error> {
        deadline.check()?;
        if let Some(searcher) = self.searcher(query.entity_type, deadline)
            && let Some(compiled) = self.compile(&searcher, query)
        {
            return run(&searcher, &compiled);
        }
        Ok(T::default())
    }

    /// Compiles a query for a page in its order. `None` if nothing can match.
    fn compile_page(
        &self,
        searcher: &Searcher,
        query: &SearchQuery,
        page: &Page,
    ) -> Result<Option<CompiledQuery>, Error> {
        check_sortable(query, page)?;
        let compiled = self.compile(searcher, query);
        match (compiled, &query.text) {
            (Some(compiled), Some(text)) if query.sort.key == SortKey::Relevance => {
                Ok(Some(compiled.prefer(relevance::clauses(searcher, text)?)))
            }
            (compiled, _) => Ok(compiled),
        }
    }

    /// Prepares a search for records, to be sent with others. `searcher` returns that of a query's
    /// entity type, if it has records.
    fn plan<'a>(
        &self,
        searcher: impl Fn(&SearchQuery) -> Option<&'a Searcher<'a>>,
        search: &RecordSearch,
    ) -> Result<PlannedSearch<'a>, Error> {
        let (RecordSearch::Page { query, .. } | RecordSearch::Similar { query, .. }) = search;
        let Some(searcher) = searcher(query) else {
            return Ok(PlannedSearch::Nothing);
        };
        let planned = match search {
            RecordSearch::Page { query, page } => {
                let compiled = self.compile_page(searcher, query, page)?;
                let search = compiled.map(|compiled| PageSearch::new(searcher, &compiled, query.sort, page));
                search.map(|search| PlannedSearch::Page(searcher, search))
            }
            RecordSearch::Similar { query, terms, limit } => {
                let compiled = self.compile(searcher, &without_text(query));
                let search = compiled.and_then(|compiled| SimilarSearch::new(searcher, &compiled, terms, *limit));
                search.map(|search| PlannedSearch::Similar(searcher, search))
            }
        };
        Ok(planned.unwrap_or(PlannedSearch::Nothing))
    }
}

/// Fails if the records of an entity type have no such sort key. All have a place in the order by
/// date.
fn check_sortable(query: &SearchQuery, page: &Page) -> Result<(), Error> {
    let (entity_type, key) = (query.entity_type, query.sort.key);
    if key == SortKey::Relevance {
        return match (&query.text, &page.start) {
            (Some(_), Start::Offset(_)) => Ok(()),
            _ => Err(Error::Internal(
                "a search by relevance needs a text and an offset".to_owned(),
            )),
        };
    }
    if key == SortKey::Date || Schema::of(entity_type).has_role(key.role()) {
        return Ok(());
    }
    let why = format!("{entity_type} records cannot be sorted by {key:?}");
    Err(Error::Internal(why))
}

/// What a search for similar records reads of a query.
fn without_text(query: &SearchQuery) -> SearchQuery {
    SearchQuery {
        text: None,
        ..query.clone()
    }
}

impl Engine for OpenSearchEngine {
    fn search(&self, query: &SearchQuery, page: &Page, deadline: Deadline) -> Result<Hits, Error> {
        deadline.check()?;
        let Some(searcher) = self.searcher(query.entity_type, &deadline) else {
            return Ok(Hits::default());
        };
        match self.compile_page(&searcher, query, page)? {
            Some(compiled) => page::search(&searcher, &compiled, query.sort, page),
            None => Ok(Hits::default()),
        }
    }

    fn record(&self, entity_type: EntityType, record_id: &str, deadline: Deadline) -> Result<Option<Bytes>, Error> {
        let Some(searcher) = self.searcher(entity_type, &deadline) else {
            return Ok(None);
        };
        let body = json!({
            "query": CompiledQuery::default().require(term(Role::RecordId.name(), record_id)).to_json(),
            "size": 1,
            "track_total_hits": false,
            "stored_fields": [record::RECORD],
        });
        let first = searcher.search(&body)?.hits.hits.into_iter().next();
        first.map(|mut hit| stored_record(&mut hit)).transpose()
    }

    fn aggregate(
        &self,
        query: &SearchQuery,
        terms: &[TermsAggregation],
        values: ValueAggregation,
        deadline: Deadline,
    ) -> Result<Aggregation, Error> {
        let aggregation = self.with_matches(query, &deadline, |searcher, compiled| {
            aggregate::aggregate(searcher, compiled, terms, values).map(Some)
        })?;
        Ok(aggregation.unwrap_or_else(|| Aggregation::empty(query.entity_type, terms, values)))
    }

    fn counts(&self, queries: &[SearchQuery], deadline: Deadline) -> Result<Vec<u64>, Error> {
        deadline.check()?;
        let (mut counted, mut searches): (Vec<usize>, Vec<(&str, CompiledQuery)>) = (Vec::new(), Vec::new());
        for entity_type in EntityType::ALL {
            let Some(searcher) = self.searcher(entity_type, &deadline) else {
                continue;
            };
            for (number, query) in queries.iter().enumerate() {
                if query.entity_type == entity_type
                    && let Some(compiled) = self.compile(&searcher, query)
                {
                    counted.push(number);
                    searches.push((searcher.index.name.as_str(), compiled));
                }
            }
        }
        // Nothing matches the others.
        let mut counts = vec![0; queries.len()];
        let totals = multi_search::totals(&self.client, &searches, &deadline)?;
        for (number, total) in counted.into_iter().zip(totals) {
            counts[number] = total;
        }
        Ok(counts)
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
            let indexes = entity_types.iter().filter_map(|of| self.indexes[*of as usize].as_ref());
            let counted = indexes.filter_map(|index| index.values(Facet::Department));
            return Ok(self.departments.list(&counted.collect::<Vec<_>>(), part, page));
        }
        let [only] = entity_types else {
            return Ok(NamesPage::default());
        };
        let index = self.indexes[*only as usize].as_ref();
        let values = index.and_then(|index| index.values(facet));
        Ok(values.map_or_else(NamesPage::default, |values| values.page(part, page.start, page.len())))
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
        let index = self.indexes[entity_type as usize].as_ref();
        let values = index.and_then(|index| index.values(facet));
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
        let Some(index) = &self.indexes[entity_type as usize] else {
            return Ok(Vec::new());
        };
        let is_department = is_department(facet);
        let counted = if is_department { Facet::Department } else { facet };
        match index.values(counted) {
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
        let index = self.indexes[entity_type as usize].as_ref();
        let near = |word: &String| index.map_or_else(Vec::new, |index| index.vocabulary.near(word, limit));
        Ok(words.iter().map(near).collect())
    }

    fn market(&self, query: &SearchQuery, deadline: Deadline) -> Result<MarketCounts, Error> {
        self.with_matches(query, &deadline, market::market)
    }

    fn similar(
        &self,
        query: &SearchQuery,
        terms: &[String],
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<SimilarRecord>, Error> {
        self.with_matches(&without_text(query), &deadline, |searcher, compiled| {
            similar::search(searcher, compiled, terms, limit)
        })
    }

    fn records_of(&self, searches: &[RecordSearch], deadline: Deadline) -> Result<Vec<Vec<Bytes>>, Error> {
        deadline.check()?;
        let searchers = EntityType::ALL.map(|entity_type| self.searcher(entity_type, &deadline));
        let searcher = |query: &SearchQuery| searchers[query.entity_type as usize].as_ref();
        let planned = searches.iter().map(|search| self.plan(searcher, search));
        let planned = planned.collect::<Result<Vec<_>, Error>>()?;
        multi_search::records_of(&self.client, planned, &deadline)
    }

    fn idf(&self, entity_type: EntityType, terms: &[String], deadline: Deadline) -> Result<Vec<f32>, Error> {
        let Some(searcher) = self.searcher(entity_type, &deadline) else {
            return Ok(vec![idf(0, 0); terms.len()]);
        };
        let index = searcher.index;
        let idf = |term: &String| idf(index.records, index.vocabulary.records_with_term(term));
        Ok(terms.iter().map(idf).collect())
    }

    fn is_local(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::Value;

    use super::*;
    use crate::{
        engine::opensearch::{
            build_totals::RecordSummary,
            client_tests::{Node, Reply},
            names_file::Names,
            settings::ClusterSettings,
        },
        model::Date,
        query::{
            Filter,
            text::{Term, TextQuery},
        },
    };

    /// A word without digits, because a code has no stem: `bc` for 12.
    fn word(number: u64) -> String {
        let letter = |digit: char| char::from(b'a' + u8::try_from(digit).unwrap() - b'0');
        number.to_string().chars().map(letter).collect()
    }

    /// A node of a cluster that has as many records of each word as [`word`] was called with.
    fn answer(head: &str, body: &str) -> String {
        assert!(head.starts_with("post /_msearch?"), "{head}");
        let responses = body.lines().skip(1).step_by(2).map(|search| {
            let search: Value = serde_json::from_str(search).unwrap();
            assert_eq!(
                (&search["size"], &search["track_total_hits"]),
                (&json!(0), &json!(true))
            );
            let searched = &search["query"]["bool"]["filter"][0]["term"]["text"]["value"];
            let hits = (0..1000).find(|number| *searched == word(*number));
            json!({ "timed_out": false, "_shards": { "total": 1, "successful": 1, "failed": 0 }, "hits": { "total": { "value": hits, "relation": "eq" }, "hits": [] } })
        });
        json!({ "responses": responses.collect::<Vec<_>>() }).to_string()
    }

    fn engine_of_contracts(node: &Node) -> OpenSearchEngine {
        let departments = Departments::default();
        let summary = RecordSummary {
            records: 10,
            ..RecordSummary::default()
        };
        let index = |entity_type: EntityType| {
            let name = entity_type.to_string();
            let has_records = entity_type == EntityType::Contract;
            has_records.then(|| RecordsIndex::new(entity_type, name, &summary, Names::default(), &departments))
        };
        let indexes = EntityType::ALL.into_iter().map(index).collect();
        OpenSearchEngine {
            client: Arc::new(Client::new(&ClusterSettings::new(vec![node.url.clone()])).unwrap()),
            indexes,
            departments,
        }
    }

    fn with_word(entity_type: EntityType, number: u64) -> SearchQuery {
        SearchQuery {
            text: Some(TextQuery::any(vec![Term::Word(word(number))])),
            ..SearchQuery::newest(entity_type, Vec::new())
        }
    }

    #[test]
    fn counts_are_sent_together() {
        let node = Node::start(Reply::Computed(answer));
        let engine = engine_of_contracts(&node);
        let deadline = || Deadline::after(Duration::from_secs(30));
        assert_eq!(engine.counts(&[], deadline()).unwrap(), [0; 0]);
        assert!(node.request_lines().is_empty(), "nothing is counted");

        let mut queries: Vec<SearchQuery> = (0..150).map(|word| with_word(EntityType::Contract, word)).collect();
        let mut expected: Vec<u64> = (0..150).collect();
        // There are no tenders.
        queries.insert(7, with_word(EntityType::Tender, 7));
        expected.insert(7, 0);
        assert_eq!(engine.counts(&queries, deadline()).unwrap(), expected);
        let requests = node.request_lines();
        let paths: Vec<&str> = requests
            .iter()
            .map(|line| line.split([' ', '?']).nth(1).unwrap())
            .collect();
        assert_eq!(paths, ["/_msearch"]);

        // No request has more than 200 searches.
        let many: Vec<SearchQuery> = (0..401).map(|word| with_word(EntityType::Contract, word)).collect();
        assert_eq!(
            engine.counts(&many, deadline()).unwrap(),
            (0..401).collect::<Vec<u64>>()
        );
        assert_eq!(node.request_lines().len(), 1 + 3);
    }

    #[test]
    fn counts_share_one_deadline() {
        let stalled = Node::start(Reply::Stall);
        let engine = engine_of_contracts(&stalled);
        let query = SearchQuery::newest(
            EntityType::Contract,
            vec![Filter::Dates {
                role: Role::Date,
                from: Date::parse("2024-01-01").ok(),
                to: None,
            }],
        );
        let queries = vec![query; 3];
        let counts = engine.counts(&queries, Deadline::after(Duration::from_millis(200)));
        assert!(matches!(counts, Err(Error::Timeout)), "{counts:?}");
        assert_eq!(stalled.request_lines().len(), 1, "the second count does not start");
    }
}
