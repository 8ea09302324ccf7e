//! Which documents a query asks for: sets to walk, a range of document numbers, and tests for what comes along.
//!
//! The split is what makes pages cheap. Terms and phrases are postings, walked in document order and left when the page is full. A date range is a
//! range of document numbers. A value, another date or a frequent name is a test on a column, made only on documents that
//! everything else already matched.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use tantivy::{
    DocId, DocSet, TERMINATED, Term as IndexTerm,
    columnar::Column,
    query::{
        AllQuery, BooleanQuery, ConstScorer, EnableScoring, Exclude, Occur, PhraseQuery, Query, Scorer, TermQuery,
        Weight, intersect_scorers,
    },
    schema::{Field, IndexRecordOption},
};

use super::{
    kind::Kind,
    names::{Found, Names, OrdinalSet},
    order::Ordering,
};
use crate::{
    engine::{Deadline, Error},
    query::{
        Filter, SearchQuery, SortKey,
        text::{Clause, Term},
    },
    schema::Role,
};

/// A query made ready for one kind.
pub struct Matching<'a> {
    kind: &'a Kind,
    deadline: Deadline,
    gave_up: Arc<AtomicBool>,
    required: Vec<Walked>,
    excluded: Vec<Walked>,
    tests: Vec<Test<'a>>,
    /// Every match lies in here.
    pub documents: Range<DocId>,
}

/// A set that can be walked in document order, any number of times.
enum Walked {
    Query { weight: Box<dyn Weight>, is_phrase: bool },
    Documents(Arc<[DocId]>),
}

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
}

impl<'a> Matching<'a> {
    /// `None` if nothing can match.
    pub fn new(kind: &'a Kind, query: &SearchQuery, deadline: Deadline) -> Result<Option<Matching<'a>>, Error> {
        let mut matching = Matching {
            kind,
            deadline,
            gave_up: Arc::default(),
            required: Vec::new(),
            excluded: Vec::new(),
            tests: Vec::new(),
            documents: 0..kind.records(),
        };
        for filter in &query.filters {
            if !matching.add_filter(filter)? {
                return Ok(None);
            }
        }
        for clause in query.text.iter().flat_map(|text| text.clauses()) {
            match clause {
                Clause::Any(terms) => {
                    let is_phrase = terms.iter().any(|term| matches!(term, Term::Phrase(_)));
                    let Some(any) = matching.any_of(terms) else {
                        return Ok(None);
                    };
                    let weight = matching.weight(any.as_ref())?;
                    matching.required.push(Walked::Query { weight, is_phrase });
                }
                Clause::Not(term) => {
                    if let Some(any) = matching.any_of(std::slice::from_ref(term)) {
                        let weight = matching.weight(any.as_ref())?;
                        let is_phrase = matches!(term, Term::Phrase(_));
                        matching.excluded.push(Walked::Query { weight, is_phrase });
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
        if self.gave_up.load(Relaxed) {
            return Err(Error::Timeout);
        }
        self.deadline.check()
    }

    /// False if nothing can match.
    fn add_filter(&mut self, filter: &Filter) -> Result<bool, Error> {
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
                self.required.push(Walked::Query {
                    weight,
                    is_phrase: false,
                });
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
                    Found::Documents(documents) => self.required.push(Walked::Documents(documents.into())),
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
                let Some(column) = kind.days(*role) else {
                    return Ok(false);
                };
                let from = from.map_or(i64::MIN, |day| day.days().into());
                let to = to.map_or(i64::MAX, |day| day.days().into());
                self.tests.push(Test::Days { column, from, to });
            }
            Filter::Values { min, max } => {
                let Some(column) = kind.value.as_ref() else {
                    return Ok(false);
                };
                let (min, max) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
                self.tests.push(Test::Values { column, min, max });
            }
        }
        Ok(!self.documents.is_empty())
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
                        any.push(Box::new(PhraseQuery::new(terms)));
                    }
                },
            }
        }
        match any.len() {
            0 | 1 => any.pop(),
            _ => Some(Box::new(BooleanQuery::new(
                any.into_iter().map(|query| (Occur::Should, query)).collect(),
            ))),
        }
    }

    fn weight(&self, query: &dyn Query) -> Result<Box<dyn Weight>, Error> {
        query
            .weight(EnableScoring::disabled_from_searcher(&self.kind.searcher))
            .map_err(internal)
    }

    fn scorer(&self, set: &Walked) -> Result<Box<dyn Scorer>, Error> {
        match set {
            Walked::Documents(documents) => Ok(Box::new(unscored(Listed {
                documents: documents.clone(),
                next: 0,
            }))),
            Walked::Query { weight, is_phrase } => {
                let scorer = weight.scorer(self.kind.segment(), 1.0).map_err(internal)?;
                if !is_phrase {
                    return Ok(scorer);
                }
                let timed = Timed {
                    set: scorer,
                    deadline: self.deadline,
                    gave_up: self.gave_up.clone(),
                    steps: 0,
                };
                Ok(Box::new(unscored(timed)))
            }
        }
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

/// A set of documents where Tantivy wants a scorer; we never score.
fn unscored<D: DocSet>(set: D) -> ConstScorer<D> {
    ConstScorer::new(set, 1.0)
}

/// Documents from a list.
struct Listed {
    documents: Arc<[DocId]>,
    next: usize,
}

impl DocSet for Listed {
    fn advance(&mut self) -> DocId {
        self.next += 1;
        self.doc()
    }
    fn seek(&mut self, target: DocId) -> DocId {
        self.next += self
            .documents
            .get(self.next..)
            .unwrap_or_default()
            .partition_point(|document| *document < target);
        self.doc()
    }
    fn doc(&self) -> DocId {
        self.documents.get(self.next).copied().unwrap_or(TERMINATED)
    }
    fn size_hint(&self) -> u32 {
        self.documents.len() as u32
    }
}

/// A costly set that looks at the clock. A phrase of two frequent words takes 120 ms on two million documents; it ends early when the time is up,
/// and says so, lest a short walk be taken for a whole one.
struct Timed {
    set: Box<dyn Scorer>,
    deadline: Deadline,
    gave_up: Arc<AtomicBool>,
    steps: u32,
}

impl Timed {
    fn is_over(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(64) && self.deadline.is_over() {
            self.gave_up.store(true, Relaxed);
        }
        self.gave_up.load(Relaxed)
    }
}

impl DocSet for Timed {
    fn advance(&mut self) -> DocId {
        if self.is_over() { TERMINATED } else { self.set.advance() }
    }
    fn seek(&mut self, target: DocId) -> DocId {
        if self.is_over() {
            TERMINATED
        } else {
            self.set.seek(target)
        }
    }
    fn doc(&self) -> DocId {
        if self.gave_up.load(Relaxed) {
            TERMINATED
        } else {
            self.set.doc()
        }
    }
    fn size_hint(&self) -> u32 {
        self.set.size_hint()
    }
    fn cost(&self) -> u64 {
        self.set.cost()
    }
}
