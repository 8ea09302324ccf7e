//! [`OpenSearchEngine`]: implements [`Engine`] on the indexes of one generation on a cluster.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use serde_json::json;

use super::{
    aggregate,
    cache::Cache,
    client::Client,
    document::VendorName,
    generations::ClusterGeneration,
    mapping::{IndexKind, parse_facet_code, record},
    names::Names,
    page,
    query::{CompiledQuery, Lookups, is_long_part, term},
    records_index::{RecordsIndex, departments},
    searcher::{Searcher, stored_record},
    similar,
    stems::Vocabulary,
};
use crate::{
    engine::{
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
        deadline::Deadline,
        departments::Departments,
        error::Error,
        names::{NamesPage, ResolvedName},
        similarity::{SimilarRecord, idf},
        traits::{Engine, Hits},
    },
    model::{EntityType, Facet, Role, Schema},
    query::{
        Filter, Page, SearchQuery, SortKey,
        text::{Clause, Term},
    },
};

/// Less than a kilobyte each.
const MAX_CACHED_VENDORS: usize = 5_000;

/// The indexes of one generation. It only knows their names and sizes and the values of facets; the
/// records stay on the cluster.
pub(crate) struct OpenSearchEngine {
    client: Arc<Client>,
    /// By entity type; `None` without records.
    indexes: Vec<Option<RecordsIndex>>,
    departments: Departments,
    /// The name of the names index.
    names: String,
    vendors: Cache<VendorName>,
    vocabulary: Vocabulary,
}

impl OpenSearchEngine {
    pub(crate) fn new(client: Arc<Client>, generation: &ClusterGeneration) -> OpenSearchEngine {
        let departments = departments(generation.facets.iter().flat_map(|(_, tables)| tables));
        let mut indexes = Vec::new();
        for entity_type in EntityType::ALL {
            let summary = generation.summary(entity_type);
            let facets = generation.facets.iter().find(|(of, _)| *of == entity_type);
            let index = RecordsIndex::new(
                entity_type,
                generation.index(IndexKind::Records(entity_type)),
                &summary,
                facets.map_or(&[], |(_, tables)| tables.as_slice()),
                &departments,
            );
            indexes.push((summary.records > 0).then_some(index));
        }
        OpenSearchEngine {
            client,
            indexes,
            departments,
            names: generation.index(IndexKind::Names),
            vendors: Cache::new(MAX_CACHED_VENDORS),
            vocabulary: Vocabulary::new(generation.index(IndexKind::Vocabulary)),
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

    fn names(&self) -> Names<'_> {
        Names {
            client: &self.client,
            index: &self.names,
            vendors: &self.vendors,
        }
    }

    /// `None` if nothing can match.
    fn compile(&self, searcher: &Searcher, query: &SearchQuery) -> Result<Option<CompiledQuery>, Error> {
        Ok(CompiledQuery::new(query, &self.look_up(searcher, query)?))
    }

    fn look_up(&self, searcher: &Searcher, query: &SearchQuery) -> Result<Lookups, Error> {
        let (entity_type, deadline) = (query.entity_type, searcher.deadline);
        let mut lookups = Lookups::default();
        for filter in &query.filters {
            match filter {
                Filter::FacetValue { facet, key } => {
                    let codes = self.codes(searcher, *facet, key)?;
                    lookups.codes.insert((*facet, key.clone()), codes);
                }
                Filter::Contains { role, key } if is_long_part(key) => {
                    let keys = self.names().keys_with_long_part(entity_type, *role, key, deadline)?;
                    lookups.keys.insert((*role, key.clone()), keys);
                }
                _ => {}
            }
        }
        let clauses = query.text.iter().flat_map(|text| text.clauses());
        let terms = clauses.flat_map(|clause| match clause {
            Clause::Any(terms) => terms.as_slice(),
            Clause::Not(term) => std::slice::from_ref(term),
        });
        let words = terms.filter_map(|term| match term {
            Term::Word(word) => Some(word.as_str()),
            Term::Phrase(_) => None,
        });
        let words: Vec<&str> = words.collect();
        lookups.variants = self.vocabulary.variants(&self.client, entity_type, &words, deadline)?;
        Ok(lookups)
    }

    /// The codes of the records that have a value of a facet.
    fn codes(&self, searcher: &Searcher, facet: Facet, key: &str) -> Result<Vec<u32>, Error> {
        if facet == Facet::Vendor {
            let vendor = self
                .names()
                .vendor(searcher.index.entity_type, key, searcher.deadline)?;
            let code = vendor.and_then(|vendor| parse_facet_code(&vendor.code));
            return Ok(code.into_iter().collect());
        }
        let Some(values) = searcher.index.values(facet) else {
            return Ok(Vec::new());
        };
        let number = values.find(key);
        Ok(number.map_or_else(Vec::new, |number| values.codes_of_value(number).to_vec()))
    }
}

/// Whether the records of an entity type have a sort key. All have a place in the order by date.
fn is_sortable(entity_type: EntityType, key: SortKey) -> bool {
    key == SortKey::Date || Schema::of(entity_type).has_role(key.role())
}

impl Engine for OpenSearchEngine {
    fn search(&self, query: &SearchQuery, page: &Page, deadline: Deadline) -> Result<Hits, Error> {
        deadline.check()?;
        let Some(searcher) = self.searcher(query.entity_type, &deadline) else {
            return Ok(Hits::default());
        };
        if !is_sortable(query.entity_type, query.sort.key) {
            return Err(Error::Internal(format!(
                "{} records cannot be sorted by {:?}",
                query.entity_type, query.sort.key
            )));
        }
        match self.compile(&searcher, query)? {
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
        let hits = searcher.search(&body)?.hits.hits;
        hits.into_iter()
            .next()
            .map(|mut hit| stored_record(&mut hit))
            .transpose()
    }

    fn aggregate(
        &self,
        query: &SearchQuery,
        terms: &[TermsAggregation],
        values: ValueAggregation,
        deadline: Deadline,
    ) -> Result<Aggregation, Error> {
        deadline.check()?;
        if let Some(searcher) = self.searcher(query.entity_type, &deadline)
            && let Some(compiled) = self.compile(&searcher, query)?
        {
            return aggregate::aggregate(&searcher, &self.names(), &compiled, terms, values);
        }
        Ok(Aggregation::empty(query.entity_type, terms, values))
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
        if facet == Facet::Department {
            let indexes = entity_types.iter().filter_map(|of| self.indexes[*of as usize].as_ref());
            let counted = indexes.filter_map(|index| index.values(facet));
            return Ok(self.departments.list(&counted.collect::<Vec<_>>(), part, page));
        }
        let [only] = entity_types else {
            return Ok(NamesPage::default());
        };
        if facet == Facet::Vendor {
            return self.names().vendors(*only, part, page, &deadline);
        }
        let values = self.indexes[*only as usize]
            .as_ref()
            .and_then(|index| index.values(facet));
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
        if facet == Facet::Department {
            return Ok(self.departments.resolve(name));
        }
        let Some(index) = &self.indexes[entity_type as usize] else {
            return Ok(None);
        };
        if facet != Facet::Vendor {
            return Ok(index.values(facet).and_then(|values| values.resolve(facet, name)));
        }
        let vendor = self.names().vendor(entity_type, &facet.key(name), &deadline)?;
        Ok(vendor.map(|vendor| ResolvedName {
            key: vendor.key().to_owned(),
            name: vendor.name.clone(),
            name_fr: None,
        }))
    }

    fn suggest_names(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<String>, Error> {
        let Some(index) = &self.indexes[entity_type as usize] else {
            return Ok(Vec::new());
        };
        let key = facet.key(name);
        if facet == Facet::Vendor {
            return self.names().suggest_vendors(entity_type, &key, limit, &deadline);
        }
        let values = index.values(facet);
        Ok(values.map_or_else(Vec::new, |values| values.suggest(&key, limit)))
    }

    fn similar(
        &self,
        query: &SearchQuery,
        terms: &[String],
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<SimilarRecord>, Error> {
        deadline.check()?;
        let Some(searcher) = self.searcher(query.entity_type, &deadline) else {
            return Ok(Vec::new());
        };
        let filters = SearchQuery {
            text: None,
            ..query.clone()
        };
        match self.compile(&searcher, &filters)? {
            Some(compiled) => similar::search(&searcher, &self.vocabulary, &compiled, terms, limit),
            None => Ok(Vec::new()),
        }
    }

    fn idf(&self, entity_type: EntityType, terms: &[String], deadline: Deadline) -> Result<Vec<f32>, Error> {
        let Some(searcher) = self.searcher(entity_type, &deadline) else {
            return Ok(vec![idf(0, 0); terms.len()]);
        };
        let frequencies = similar::document_frequencies(&searcher, &self.vocabulary, terms)?;
        let records = searcher.index.records;
        Ok(frequencies
            .into_iter()
            .map(|frequency| idf(records, frequency))
            .collect())
    }

    fn is_local(&self) -> bool {
        false
    }
}
