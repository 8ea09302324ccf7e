//! A search with all that it counts, planned before anything is read: its cost and its lane follow from the plan.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use serde::Serialize;

use crate::{
    api::{
        analysis::{
            coverage::{self, coverage_of},
            explanation::{Explanation, ExplanationPlan},
            facet_counts::{CountedFacet, counted_terms, kept_facet},
            suggestions::{Suggestion, SuggestionPlan},
            supplier_counts::with_supplier,
        },
        cost::{MAX_QUICK_RECORDS, ScanCost},
        params::resolve::ResolvedSearch,
    },
    catalog::{
        ask::Ask,
        generation::{Generation, SourceCoverage},
    },
    engine::{
        Error, Hits,
        aggregation::{Aggregation, ValueAggregation},
    },
    http::search_pool::Lane,
    model::{Facet, Role},
    query::{
        Filter, SearchQuery, SortKey, Start,
        text::{Clause, Term, TextQuery},
    },
};

/// A search of the API, ready to run.
#[derive(Debug)]
pub(crate) struct SearchPlan {
    pub(crate) search: ResolvedSearch,
    /// Whether the response has the number of all matches.
    is_counted: bool,
    explanation: Option<ExplanationPlan>,
    /// Near words, if nothing is found.
    suggestions: Option<SuggestionPlan>,
}

/// What a search finds.
pub(crate) struct SearchResults {
    pub(crate) hits: Hits,
    pub(crate) total: Option<u64>,
    /// `None` unless facets were asked for.
    pub(crate) facets: Option<BTreeMap<&'static str, CountedFacet>>,
    /// `None` unless they were asked for and nothing was found.
    pub(crate) suggestions: Option<Vec<Suggestion>>,
    pub(crate) explanation: Option<Explanation>,
    /// `None` unless it was asked for.
    pub(crate) coverage: Option<Vec<SourceCoverage>>,
}

/// The maximum number of records that are copied on the thread that serves the connection.
const MAX_INLINE_RECORDS: usize = 100;

impl SearchPlan {
    /// A response without a body has no other place for the number of matches than a header, so `is_head` asks for it.
    pub(crate) fn new(generation: &Generation, search: ResolvedSearch, is_head: bool) -> SearchPlan {
        let suggests = search.suggest || search.explain;
        SearchPlan {
            is_counted: search.include_total || is_head,
            explanation: search
                .explain
                .then(|| ExplanationPlan::of(&generation.translator, &search)),
            suggestions: SuggestionPlan::of(&search.query).filter(|_| suggests),
            search,
        }
    }

    /// What the response depends on, the same for each spelling of the request.
    pub(crate) fn normal_form(&self) -> impl Serialize + use<> {
        let search = &self.search;
        let facets: BTreeSet<&'static str> = search.facets.iter().map(|facet| facet.name()).collect();
        let normal_form = (search.query.clone(), search.page.clone(), facets, search.include_total);
        (normal_form, search.suggest, search.explain, search.include)
    }

    /// What it scans, and how often it searches for its text: for the page, for what is counted, and for each condition
    /// that is explained. The total of all records need not be counted.
    pub(crate) fn cost(&self, generation: &Generation) -> ScanCost {
        let query = &self.search.query;
        let is_total_counted = self.is_counted && !query.matches_all();
        let explanation = self.explanation.as_ref();
        let scans = self.search.facets.len()
            + usize::from(is_total_counted)
            + explanation.map_or(0, ExplanationPlan::scans)
            + if self.search.include.coverage {
                coverage::SCANS
            } else {
                0
            }
            + self.suggestions.as_ref().map_or(0, SuggestionPlan::scans);
        let conditions = explanation.map_or(0, |plan| plan.conditions.scans());
        let has_coverage = usize::from(self.search.include.coverage);
        let searches = 1 + usize::from(scans > has_coverage) + has_coverage + conditions;
        ScanCost::of(generation, &[(query.entity_type, scans)]).with_text(generation, query, searches)
    }

    /// Decision D-151: in a large collection, counts, phrases, and the matches of a text in an order that is not the
    /// index's own take long (`docs/performance.md`); everything else stops when the page is full.
    pub(crate) fn lane(&self, generation: &Generation) -> Lane {
        let records = generation.manifest_of(self.search.query.entity_type).records;
        if records > MAX_QUICK_RECORDS && reads_all_matches(&self.search.query) {
            Lane::Heavy
        } else {
            self.cost(generation).lane()
        }
    }

    /// Whether the page is a range of the index: its records follow one another, and nothing else is read.
    pub(crate) fn is_look_up(&self) -> bool {
        let ResolvedSearch {
            query, page, facets, ..
        } = &self.search;
        let is_event_date = |filter: &Filter| matches!(filter, Filter::Dates { role: Role::Date, .. });
        query.text.is_none()
            && query.sort.key == SortKey::Date
            && query.filters.iter().all(is_event_date)
            && page.limit <= MAX_INLINE_RECORDS
            && facets.is_empty()
            && !self.is_counted
            && self.search.include.is_empty()
            && self.explanation.is_none()
    }

    pub(crate) fn run(&self, ask: &Ask) -> Result<SearchResults, Error> {
        let started = Instant::now();
        let mut hits = ask.search(&self.search.query, &self.search.page)?;
        let found = Instant::now();
        if self.search.include.supplier {
            let suppliers = &ask.generation.suppliers;
            let records = hits.records.iter().map(|record| with_supplier(suppliers, record));
            hits.records = records.collect();
        }
        let is_first = self.search.page.start == Start::Offset(0);
        let is_nothing = is_first && hits.records.is_empty();
        let (total, facets) = self.count(ask, is_nothing)?;
        let explain = |plan: &ExplanationPlan| plan.run(ask, &self.search, total, (started, found));
        let explanation = self.explanation.as_ref().map(explain).transpose()?;
        let known_total = explanation.as_ref().map(|explained| explained.total).or(total);
        let is_nothing = known_total.map_or(is_nothing, |total| total == 0);
        let suggestions = self.suggestions.as_ref().filter(|_| is_nothing);
        let has_coverage = self.search.include.coverage;
        let coverage = has_coverage.then(|| coverage_of(ask, &self.search.query)).transpose()?;
        Ok(SearchResults {
            suggestions: suggestions.map(|plan| plan.run(ask)).transpose()?,
            hits,
            total,
            facets,
            explanation,
            coverage,
        })
    }

    /// Counts all matches and the facets, as far as they were requested. `is_nothing` states that the first page is
    /// empty.
    fn count(&self, ask: &Ask, is_nothing: bool) -> Result<Counts, Error> {
        let (generation, search) = (&*ask.generation, &self.search);
        if !self.is_counted && search.facets.is_empty() {
            return Ok((None, None));
        }
        let kept = kept_facet(generation, search);
        let is_kept = |facet: &Facet| kept.as_ref().is_some_and(|(kept, _)| kept == facet);
        let facets = search.facets.iter().filter(|facet| !is_kept(facet));
        let facets = counted_terms(facets.copied());
        let mut aggregation = if facets.is_empty() && search.query.matches_all() {
            Aggregation {
                total: generation.manifest_of(search.query.entity_type).records,
                ..Aggregation::default()
            }
        } else if facets.is_empty() && is_nothing {
            // Phrases that no record has are read to the end, so they are not searched again.
            Aggregation::default()
        } else {
            ask.aggregate(&search.query, &facets, ValueAggregation::None)?
        };
        aggregation.facets.extend(kept);
        let total = self.is_counted.then_some(aggregation.total);
        let facets = CountedFacet::all(generation, search, aggregation);
        Ok((total, Some(facets).filter(|facets| !facets.is_empty())))
    }
}

/// The total and the facets, as far as they were asked for.
type Counts = (Option<u64>, Option<BTreeMap<&'static str, CountedFacet>>);

/// Whether a search without counts may read many more matches than its page has.
fn reads_all_matches(query: &SearchQuery) -> bool {
    let is_slow = |text: &TextQuery| has_phrase(text) || query.sort.key != SortKey::Date;
    query.text.as_ref().is_some_and(is_slow)
}

fn has_phrase(text: &TextQuery) -> bool {
    let is_phrase = |term: &Term| matches!(term, Term::Phrase(_));
    text.clauses().iter().any(|clause| match clause {
        Clause::Any(terms) => terms.iter().any(is_phrase),
        Clause::Not(term) => is_phrase(term),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::params::include::Include,
        model::EntityType,
        query::{Page, Sort},
    };

    fn search(text: Option<&str>, key: SortKey, filters: Vec<Filter>, limit: usize) -> ResolvedSearch {
        let newest = SearchQuery::newest(EntityType::Contract, filters);
        let query = SearchQuery {
            text: text.map(|text| TextQuery::parse(text).unwrap()),
            sort: Sort { key, ..newest.sort },
            ..newest
        };
        let start = Start::Offset(0);
        ResolvedSearch {
            query,
            page: Page { limit, start },
            ignored: Vec::new(),
            lowered_limit: None,
            facets: Vec::new(),
            include_total: false,
            conditions: Vec::new(),
            commodity: None,
            translation: None,
            suggest: false,
            explain: false,
            include: Include::default(),
        }
    }

    #[test]
    fn phrases_and_texts_in_another_order_are_expensive() {
        for (text, key, is_expensive) in [
            (None, SortKey::Date, false),
            (None, SortKey::Value, false),
            (Some("snow OR ice -salt"), SortKey::Date, false),
            (Some("snow"), SortKey::Value, true),
            (Some("snow \"road salt\""), SortKey::Date, true),
            (Some("snow OR \"road salt\""), SortKey::Date, true),
            (Some("-\"road salt\""), SortKey::Date, true),
        ] {
            let query = search(text, key, Vec::new(), 50).query;
            assert_eq!(reads_all_matches(&query), is_expensive, "{text:?} by {key:?}");
        }
    }

    #[test]
    fn only_ranges_of_the_index_are_look_ups() {
        let range = |role| Filter::Dates {
            role,
            from: None,
            to: None,
        };
        for (is_expected, search) in [
            (true, search(None, SortKey::Date, Vec::new(), 100)),
            (true, search(None, SortKey::Date, vec![range(Role::Date)], 1)),
            (false, search(None, SortKey::Date, vec![range(Role::ClosingDate)], 1)),
            (false, search(None, SortKey::Date, Vec::new(), 101)),
            (false, search(None, SortKey::Value, Vec::new(), 1)),
            (false, search(Some("snow"), SortKey::Date, Vec::new(), 1)),
        ] {
            let mut plan = SearchPlan {
                search,
                is_counted: false,
                explanation: None,
                suggestions: None,
            };
            assert_eq!(plan.is_look_up(), is_expected, "{plan:?}");
            plan.is_counted = true;
            assert!(!plan.is_look_up(), "{plan:?}");
        }
    }
}
