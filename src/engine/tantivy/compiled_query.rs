//! A query compiled for one entity type: sets to iterate over, a range of documents, and predicates
//! to test.
//!
//! This split makes pages cheap. Terms and phrases are postings, read in document order and left
//! when the page is full. A range of event dates is a range of documents. A value, another date or
//! a frequent name is a predicate on a column, tested only on documents that everything else
//! already matched.

use std::{ops::Range, slice, sync::Arc};

use tantivy::{
    BitSet, DocId, DocSet, TERMINATED, Term as IndexTerm,
    query::{
        AllQuery, BitSetDocSet, BooleanQuery, ConstScorer, EnableScoring, Exclude, Occur, Query, Scorer, TermQuery,
        Weight, intersect_scorers,
    },
    schema::{Field, IndexRecordOption},
};

use super::{
    entity_index::EntityIndex,
    errors::internal,
    key_dictionary::{KeyDictionary, KeyMatches},
    phrase::{SharedDeadline, TimedPhraseQuery},
    predicate::Predicate,
    set_query::SetQuery,
    sort_order::{SortOrder, intersection},
};
use crate::{
    engine::{deadline::Deadline, error::Error, purchase_words::WordTerms},
    model::{Date, Facet, Role},
    query::{
        Filter, SearchQuery, SortKey,
        text::{Clause, Term, TextQuery, WordsIn},
    },
};

pub(crate) struct CompiledQuery<'a> {
    index: &'a EntityIndex,
    deadline: SharedDeadline,
    required: Vec<DocumentSet>,
    excluded: Vec<DocumentSet>,
    predicates: Vec<Predicate<'a>>,
    /// Contains every match.
    pub(crate) documents: Range<DocId>,
}

/// A set that can be read in document order, any number of times.
enum DocumentSet {
    Query(Box<dyn Weight>),
    Documents(BitSet),
}

/// A range of a sort order that contains at most one document in this many becomes a bit set.
/// Building the set costs its size, testing costs the documents between two matches; at this ratio
/// both cost the same (about 0.1 ms on two million documents).
const SELECTIVE: u64 = 50;

impl<'a> CompiledQuery<'a> {
    /// `None` if nothing can match.
    pub(crate) fn new(
        index: &'a EntityIndex,
        query: &SearchQuery,
        deadline: Deadline,
    ) -> Result<Option<CompiledQuery<'a>>, Error> {
        let mut compiled = CompiledQuery {
            index,
            deadline: SharedDeadline::new(deadline),
            required: Vec::new(),
            excluded: Vec::new(),
            predicates: Vec::new(),
            documents: 0..index.records(),
        };
        for filter in &query.filters {
            if !compiled.add_filter(filter, query.sort.key)? {
                return Ok(None);
            }
        }
        let codes = query
            .text
            .as_ref()
            .and_then(|text| compiled.documents_of_codes(text.codes()?));
        let words_in = query.text.as_ref().map(TextQuery::words_in).unwrap_or_default();
        for clause in query.text.iter().flat_map(|text| text.clauses()) {
            match clause {
                Clause::Any(terms) => match compiled.any_of(terms, words_in, codes.as_ref()) {
                    Some(any) => compiled.require(any.as_ref())?,
                    None => return Ok(None),
                },
                Clause::Not(term) => {
                    if let Some(any) = compiled.any_of(slice::from_ref(term), WordsIn::Anywhere, None) {
                        let weight = compiled.weight(any.as_ref())?;
                        compiled.excluded.push(DocumentSet::Query(weight));
                    }
                }
            }
        }
        Ok(Some(compiled))
    }

    /// The number of documents of the entity type, matching or not.
    pub(crate) fn record_count(&self) -> u32 {
        self.index.records()
    }

    /// Whether there are sets to iterate over; otherwise every document of the range is a candidate.
    pub(crate) fn has_sets(&self) -> bool {
        !self.required.is_empty() || !self.excluded.is_empty()
    }

    pub(crate) fn has_predicates(&self) -> bool {
        !self.predicates.is_empty()
    }

    /// Whether a document of the sets and the range passes all predicates.
    pub(crate) fn accepts(&self, document: DocId) -> bool {
        self.predicates.iter().all(|predicate| predicate.accepts(document))
    }

    /// Keeps the documents from index `from` on that pass all predicates. The other ones stay.
    pub(super) fn retain_accepted(&self, documents: &mut Vec<DocId>, from: usize) {
        for predicate in &self.predicates {
            predicate.retain_accepted(documents, from);
        }
    }

    /// A new scorer over the sets; `None` if they are empty.
    pub(crate) fn scorer(&self) -> Result<Option<Box<dyn Scorer>>, Error> {
        let mut required = Vec::new();
        for set in &self.required {
            required.push(self.scorer_of(set)?);
        }
        if required.is_empty() {
            let all = self.weight(&AllQuery)?;
            required.push(all.scorer(self.index.segment(), 1.0).map_err(internal)?);
        }
        let mut scorer = intersect_scorers(required, self.index.records());
        if !self.excluded.is_empty() {
            let mut excluded = Vec::new();
            for set in &self.excluded {
                excluded.push(self.scorer_of(set)?);
            }
            scorer = Box::new(ConstScorer::new(Exclude::new(scorer, excluded), 1.0));
        }
        self.check()?;
        Ok((scorer.doc() != TERMINATED).then_some(scorer))
    }

    /// [`Error::Timeout`] once the deadline has passed, even if only a phrase noticed and ended
    /// early.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.deadline.check()
    }

    /// Returns false if nothing can match.
    fn add_filter(&mut self, filter: &Filter, sorted_by: SortKey) -> Result<bool, Error> {
        let index = self.index;
        match filter {
            Filter::Term { role, key } => {
                let Some(field) = index.layout.field(*role) else {
                    return Ok(false);
                };
                self.require(exactly(field, key).as_ref())?;
                Ok(true)
            }
            Filter::AnyTerm { role, keys } => {
                let Some(field) = index.layout.field(*role) else {
                    return Ok(false);
                };
                let Some(any) = union(keys.iter().map(|key| exactly(field, key)).collect()) else {
                    return Ok(false);
                };
                self.require(any.as_ref())?;
                Ok(true)
            }
            Filter::Prefix { role, key } => match index.dictionary(*role) {
                Some(keys) => Ok(self.add_keys(keys, keys.starting(key))),
                None => Ok(false),
            },
            Filter::Contains { role, key } => match index.dictionary(*role) {
                Some(keys) => {
                    let beside = index.keys_beside(*role, key);
                    let found = keys.containing(key, beside);
                    Ok(self.add_keys(keys, found))
                }
                None => Ok(false),
            },
            Filter::Dates { role, from, to } => Ok(self.add_dates(*role, *from, *to, sorted_by)),
            Filter::FacetValue { facet, key } => self.add_facet_values(*facet, slice::from_ref(key)),
            Filter::AnyFacetValue { facet, keys } => self.add_facet_values(*facet, keys),
            Filter::Values { min, max } => {
                let Some(by_value) = SortOrder::new(index, SortKey::Value) else {
                    return Ok(false);
                };
                let ranks = by_value.ranks_of_values(*min, *max);
                Ok(self.add_range(&by_value, ranks, sorted_by))
            }
        }
    }

    /// Returns false if nothing can match.
    fn add_keys(&mut self, keys: &'a KeyDictionary, found: KeyMatches) -> bool {
        match found {
            KeyMatches::None => return false,
            KeyMatches::Documents(documents) => self.required.push(DocumentSet::Documents(documents)),
            KeyMatches::Ordinals(ordinals) => self.predicates.push(Predicate::Keys(keys, ordinals)),
        }
        true
    }

    /// Returns false if nothing can match.
    fn add_dates(&mut self, role: Role, from: Option<Date>, to: Option<Date>, sorted_by: SortKey) -> bool {
        let index = self.index;
        if role == Role::Date {
            let Some(by_date) = SortOrder::new(index, SortKey::Date) else {
                return false;
            };
            self.documents = intersection(&self.documents, &by_date.ranks_of_dates(from, to));
            return !self.documents.is_empty();
        }
        let Some(key) = SortKey::of_dates(role) else {
            return false;
        };
        let Some(by_date) = SortOrder::new(index, key) else {
            return false;
        };
        let ranks = by_date.ranks_of_dates(from, to);
        self.add_range(&by_date, ranks, sorted_by)
    }

    /// Returns false if nothing can match.
    fn add_facet_values(&mut self, facet: Facet, keys: &[String]) -> Result<bool, Error> {
        let index = self.index;
        let Some((codes, values)) = index.facet(facet) else {
            return Ok(false);
        };
        let mut set = BitSet::with_max_value(values.code_count() as u32);
        let mut any: Vec<Box<dyn Query>> = Vec::new();
        // Whether the terms find all records of the values.
        let mut are_complete = true;
        for key in keys {
            let key = index.key_of_value(facet, key);
            let Some(number) = values.find(key) else {
                continue;
            };
            for code in values.codes_of_value(number).iter() {
                set.insert(code);
            }
            let terms = index.terms_of(facet, key).into_iter();
            let before = any.len();
            any.extend(terms.filter_map(|(role, term)| Some(exactly(index.layout.field(role)?, term))));
            are_complete &= any.len() > before;
        }
        if set.len() == 0 {
            return Ok(false);
        }
        if let Some(any) = union(any).filter(|_| are_complete) {
            self.require(any.as_ref())?;
        }
        // Other fields of the role have names too, so the terms find more records than those of the
        // value.
        self.predicates.push(Predicate::Codes(codes, set));
        Ok(true)
    }

    /// Adds a range of a sort order other than the index's own: as a set if it is small; as a predicate if it is large,
    /// or if the page is read in that order anyway. Returns false if the range is empty.
    fn add_range(&mut self, order: &SortOrder<'a>, ranks: Range<u32>, sorted_by: SortKey) -> bool {
        if ranks.is_empty() {
            return false;
        }
        let size = self.index.records();
        let is_sort = order.key() == sorted_by;
        let is_large = ranks.len() as u64 * SELECTIVE > u64::from(size);
        if let Some(permutation) = order.permutation().filter(|_| is_sort || is_large) {
            self.predicates.push(Predicate::Ranks(permutation, ranks));
        } else {
            let mut documents = BitSet::with_max_value(size);
            for rank in ranks {
                documents.insert(order.document(rank));
            }
            self.required.push(DocumentSet::Documents(documents));
        }
        true
    }

    /// The documents with one of these commodity codes, or a code below one; `None` if there are none.
    fn documents_of_codes(&self, codes: &[String]) -> Option<SetQuery> {
        let documents = self.index.dictionary(Role::Commodity)?.documents_starting(codes)?;
        Some(SetQuery(Arc::new(documents)))
    }

    /// The union of terms of `q`, where these count, and of some documents; `None` if no document can have any.
    fn any_of(&self, terms: &[Term], words_in: WordsIn, documents: Option<&SetQuery>) -> Option<Box<dyn Query>> {
        let field = self.index.layout.field(Role::Text)?;
        let mut any: Vec<Box<dyn Query>> = Vec::new();
        any.extend(documents.map(|set| Box::new(set.clone()) as Box<dyn Query>));
        let found = |term: Box<dyn Query>, words: &[String]| match words_in {
            WordsIn::Anywhere => term,
            _ => self.where_words_count(term, words, words_in),
        };
        for term in terms {
            match term {
                Term::Word(word) => {
                    let variants = self.index.stems.variants(word);
                    any.extend(
                        variants
                            .iter()
                            .map(|word| found(exactly(field, word), slice::from_ref(word))),
                    );
                }
                Term::Phrase(words) => match words.as_slice() {
                    [word] => any.push(found(exactly(field, word), words)),
                    _ => {
                        let terms = words.iter().map(|word| IndexTerm::from_field_text(field, word));
                        let phrase = TimedPhraseQuery::new(terms.collect(), self.deadline.clone());
                        any.push(found(Box::new(phrase), words));
                    }
                },
            }
        }
        union(any)
    }

    /// The documents of a term that have none of its words only in names that do not count.
    fn where_words_count(&self, term: Box<dyn Query>, words: &[String], words_in: WordsIn) -> Box<dyn Query> {
        let field = self.index.layout.relevance();
        let mut clauses = vec![(Occur::Must, term)];
        for terms in words.iter().filter_map(|word| WordTerms::of(word, words_in)) {
            let in_names = union(terms.left_out.iter().map(|term| exactly(field, term)).collect());
            let kept = terms.kept.iter().map(|term| (Occur::MustNot, exactly(field, term)));
            clauses.extend(in_names.map(|in_names| -> (Occur, Box<dyn Query>) {
                let only = [(Occur::Must, in_names)].into_iter().chain(kept).collect();
                (Occur::MustNot, Box::new(BooleanQuery::new(only)))
            }));
        }
        Box::new(BooleanQuery::new(clauses))
    }

    fn require(&mut self, query: &dyn Query) -> Result<(), Error> {
        let weight = self.weight(query)?;
        self.required.push(DocumentSet::Query(weight));
        Ok(())
    }

    fn weight(&self, query: &dyn Query) -> Result<Box<dyn Weight>, Error> {
        query
            .weight(EnableScoring::disabled_from_searcher(&self.index.searcher))
            .map_err(internal)
    }

    fn scorer_of(&self, set: &DocumentSet) -> Result<Box<dyn Scorer>, Error> {
        match set {
            DocumentSet::Query(weight) => weight.scorer(self.index.segment(), 1.0).map_err(internal),
            DocumentSet::Documents(documents) => {
                Ok(Box::new(ConstScorer::new(BitSetDocSet::from(documents.clone()), 1.0)))
            }
        }
    }
}

/// The union of queries; `None` if there are none.
fn union(mut any: Vec<Box<dyn Query>>) -> Option<Box<dyn Query>> {
    match any.len() {
        0 | 1 => any.pop(),
        _ => Some(Box::new(BooleanQuery::new(
            any.into_iter().map(|query| (Occur::Should, query)).collect(),
        ))),
    }
}

fn exactly(field: Field, word: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(
        IndexTerm::from_field_text(field, word),
        IndexRecordOption::Basic,
    ))
}
