//! Which documents a query asks for: sets to walk, a range of document numbers, and tests for what comes along.
//!
//! The split is what makes pages cheap. Terms and phrases are postings, walked in document order and left when the page is full. A date range is a
//! range of document numbers. A value, another date or a frequent name is a test on a column, made only on documents that
//! everything else already matched.

use std::{ops::Range, sync::Arc};

use tantivy::{
    DocId, DocSet, TERMINATED, Term as IndexTerm,
    columnar::Column,
    query::{
        AllQuery, BooleanQuery, EnableScoring, Exclude, Occur, Query, Scorer, TermQuery, Weight, intersect_scorers,
    },
    schema::{Field, IndexRecordOption},
};

use super::{
    facets::Codes,
    kind::Kind,
    names::{Found, Names, OrdinalSet},
    order::Ordering,
    phrase::{Clock, Phrase},
    sets::{Marked, Marks, unscored},
};
use crate::{
    engine::{Deadline, Error},
    model::schema::Role,
    query::{
        Filter, SearchQuery, SortKey,
        text::{Clause, Term},
    },
};

/// A query made ready for one kind.
pub struct Matching<'a> {
    kind: &'a Kind,
    clock: Clock,
    required: Vec<Walked>,
    excluded: Vec<Walked>,
    tests: Vec<Test<'a>>,
    /// Every match lies in here.
    pub documents: Range<DocId>,
}

/// A set that can be walked in document order, any number of times.
enum Walked {
    Query(Box<dyn Weight>),
    Marks(Arc<Marks>),
}

/// A range of an order that holds at most one document in so many is marked and walked: marking costs what it holds, testing costs what lies between two
/// matches, and here they cost the same (about 0.1 ms on two million documents).
const SELECTIVE: u64 = 50;

enum Test<'a> {
    Names(&'a Names, OrdinalSet),
    Days {
        column: &'a Column<i64>,
        from: i64,
        to: i64,
    },
    Values {
        column: &'a Column<f64>,
        min: f64,
        max: f64,
    },
    Codes(&'a Codes, OrdinalSet),
}

impl<'a> Matching<'a> {
    /// `None` if nothing can match.
    pub fn new(kind: &'a Kind, query: &SearchQuery, deadline: Deadline) -> Result<Option<Matching<'a>>, Error> {
        let mut matching = Matching {
            kind,
            clock: Clock::new(deadline),
            required: Vec::new(),
            excluded: Vec::new(),
            tests: Vec::new(),
            documents: 0..kind.records(),
        };
        for filter in &query.filters {
            if !matching.add_filter(filter, query.sort.key)? {
                return Ok(None);
            }
        }
        for clause in query.text.iter().flat_map(|text| text.clauses()) {
            match clause {
                Clause::Any(terms) => {
                    let Some(any) = matching.any_of(terms) else {
                        return Ok(None);
                    };
                    let weight = matching.weight(any.as_ref())?;
                    matching.required.push(Walked::Query(weight));
                }
                Clause::Not(term) => {
                    if let Some(any) = matching.any_of(std::slice::from_ref(term)) {
                        let weight = matching.weight(any.as_ref())?;
                        matching.excluded.push(Walked::Query(weight));
                    }
                }
            }
        }
        Ok(Some(matching))
    }

    /// Whether walking tells more than the range of documents does.
    pub fn has_sets(&self) -> bool {
        !self.required.is_empty() || !self.excluded.is_empty()
    }

    pub fn has_tests(&self) -> bool {
        !self.tests.is_empty()
    }

    /// Whether a document of the walked sets passes the rest.
    pub fn passes(&self, document: DocId) -> bool {
        self.tests.iter().all(|test| match test {
            Test::Names(names, set) => names.holds(document, set),
            Test::Days { column, from, to } => column.first(document).is_some_and(|day| (*from..=*to).contains(&day)),
            Test::Values { column, min, max } => column
                .first(document)
                .is_some_and(|value| (*min..=*max).contains(&value)),
            Test::Codes(codes, set) => set.contains(codes.get(document).into()),
        })
    }

    /// A fresh walk over the sets; `None` if they hold nothing.
    pub fn walk(&self) -> Result<Option<Box<dyn Scorer>>, Error> {
        let mut required = Vec::new();
        for set in &self.required {
            required.push(self.scorer(set)?);
        }
        if required.is_empty() {
            let all = self.weight(&AllQuery)?;
            required.push(all.scorer(self.kind.segment(), 1.0).map_err(internal)?);
        }
        let mut scorer = intersect_scorers(required, self.kind.records());
        if !self.excluded.is_empty() {
            let mut excluded = Vec::new();
            for set in &self.excluded {
                excluded.push(self.scorer(set)?);
            }
            scorer = Box::new(unscored(Exclude::new(scorer, excluded)));
        }
        self.check()?;
        Ok((scorer.doc() != TERMINATED).then_some(scorer))
    }

    /// An error once the time is up, also if only a set noticed and ended its walk early.
    pub fn check(&self) -> Result<(), Error> {
        self.clock.check()
    }

    /// False if nothing can match.
    fn add_filter(&mut self, filter: &Filter, sorted_by: SortKey) -> Result<bool, Error> {
        let kind = self.kind;
        match filter {
            Filter::Term { role, key } => {
                let Some(field) = kind.layout.field(*role) else {
                    return Ok(false);
                };
                let weight = self.weight(&TermQuery::new(
                    IndexTerm::from_field_text(field, key),
                    IndexRecordOption::Basic,
                ))?;
                self.required.push(Walked::Query(weight));
            }
            Filter::Prefix { role, key } | Filter::Contains { role, key } => {
                let Some(names) = kind.names(*role) else {
                    return Ok(false);
                };
                let found = match filter {
                    Filter::Prefix { .. } => names.starting(kind.segment(), key),
                    _ => names.containing(kind.segment(), key),
                };
                match found.map_err(internal)? {
                    Found::Nothing => return Ok(false),
                    Found::Few(marks) => self.required.push(Walked::Marks(Arc::new(marks))),
                    Found::Ordinals(set) => self.tests.push(Test::Names(names, set)),
                }
            }
            Filter::Dates {
                role: Role::Date,
                from,
                to,
            } => {
                let Some(by_date) = Ordering::new(kind, SortKey::Date) else {
                    return Ok(false);
                };
                let days = by_date.days(*from, *to);
                self.documents = self.documents.start.max(days.start)..self.documents.end.min(days.end);
            }
            Filter::Dates { role, from, to } => {
                let (Some(column), Some(by_day)) = (kind.days(*role), Ordering::new(kind, SortKey::ClosingDate)) else {
                    return Ok(false);
                };
                let places = by_day.days(*from, *to);
                let from = from.map_or(i64::MIN, |day| day.days().into());
                let to = to.map_or(i64::MAX, |day| day.days().into());
                let test = Test::Days { column, from, to };
                return Ok(self.add_range(&by_day, places, test, sorted_by == SortKey::ClosingDate));
            }
            Filter::Named { facet, key } => {
                let Some((codes, groups)) = kind.facet(*facet) else {
                    return Ok(false);
                };
                let Some(number) = groups.find(key) else {
                    return Ok(false);
                };
                let any: Vec<Box<dyn Query>> = kind
                    .terms_of(*facet, key)
                    .into_iter()
                    .filter_map(|(role, term)| Some(exactly(kind.layout.field(role)?, term)))
                    .collect();
                if let Some(any) = union(any) {
                    self.required.push(Walked::Query(self.weight(any.as_ref())?));
                }
                // Other fields of the role hold names, too: the records found are looked at.
                let of_value: Vec<usize> = groups.codes(number).iter().map(|code| *code as usize).collect();
                self.tests
                    .push(Test::Codes(codes, OrdinalSet::new(groups.codes_known(), &of_value)));
            }
            Filter::Values { min, max } => {
                let (Some(column), Some(by_value)) = (kind.value.as_ref(), Ordering::new(kind, SortKey::Value)) else {
                    return Ok(false);
                };
                let places = by_value.values(*min, *max);
                let (min, max) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
                let test = Test::Values { column, min, max };
                return Ok(self.add_range(&by_value, places, test, sorted_by == SortKey::Value));
            }
        }
        Ok(!self.documents.is_empty())
    }

    /// A range of an order: a set if it is small, a test if it is not, or if the walk goes along that order anyway. False if it is empty.
    fn add_range(&mut self, ordering: &Ordering, places: Range<u32>, test: Test<'a>, is_walked: bool) -> bool {
        if places.is_empty() {
            return false;
        }
        let size = self.kind.records();
        if is_walked || places.len() as u64 * SELECTIVE > u64::from(size) {
            self.tests.push(test);
        } else {
            let marks = Marks::new(size, places.map(|place| ordering.document(place)));
            self.required.push(Walked::Marks(Arc::new(marks)));
        }
        true
    }

    /// The union of some terms of `q`; `None` if no document can hold any.
    fn any_of(&self, terms: &[Term]) -> Option<Box<dyn Query>> {
        let field = self.kind.layout.field(Role::Text)?;
        let mut any: Vec<Box<dyn Query>> = Vec::new();
        for term in terms {
            match term {
                Term::Word(word) => {
                    any.extend(self.kind.stems.variants(word).iter().map(|word| exactly(field, word)));
                }
                Term::Phrase(words) => match words.as_slice() {
                    [word] => any.push(exactly(field, word)),
                    words => {
                        let terms = words
                            .iter()
                            .map(|word| IndexTerm::from_field_text(field, word))
                            .collect();
                        any.push(Box::new(Phrase::new(terms, self.clock.clone())));
                    }
                },
            }
        }
        union(any)
    }

    fn weight(&self, query: &dyn Query) -> Result<Box<dyn Weight>, Error> {
        query
            .weight(EnableScoring::disabled_from_searcher(&self.kind.searcher))
            .map_err(internal)
    }

    fn scorer(&self, set: &Walked) -> Result<Box<dyn Scorer>, Error> {
        match set {
            Walked::Marks(marks) => Ok(Box::new(unscored(Marked::new(marks.clone())))),
            Walked::Query(weight) => weight.scorer(self.kind.segment(), 1.0).map_err(internal),
        }
    }
}

/// Any of some; `None` if there are none.
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

pub fn internal(error: tantivy::TantivyError) -> Error {
    Error::Internal(error.to_string())
}
