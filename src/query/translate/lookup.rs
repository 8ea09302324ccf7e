//! Finds the terms that a parsed `q` contains, in whatever order its words are: all of them must
//! match anyway.

use std::collections::{BTreeMap, HashSet};

use crate::{
    model::Language,
    query::{
        text::{Clause, Term},
        translate::{
            forms::{Likeness, WordForms, is_function_word},
            term_pairs::{Entry, Origin, TermPairs},
        },
    },
};

/// A term that `q` contains.
pub(super) struct Found<'q, 't> {
    /// The clauses that its words are in, ascending.
    pub(super) clauses: Vec<usize>,
    /// Its words as `q` has them.
    pub(super) words: Vec<&'q str>,
    pub(super) entry: &'t Entry,
}

/// A word or phrase of `q` that a term can begin or go on with.
struct Unit<'q> {
    clause: usize,
    /// Without words that carry no meaning.
    words: Vec<&'q str>,
    /// The same in each language, in the order of [`Language::ALL`].
    forms: [Vec<WordForms>; 2],
}

/// The terms in all clauses: those of several required clauses together, those of an excluded term
/// by itself. In the order of `q`.
pub(super) fn find<'q, 't>(pairs: &'t TermPairs, clauses: &'q [Clause]) -> Vec<Found<'q, 't>> {
    let languages = languages(clauses);
    let (mut required, mut found) = (Vec::new(), Vec::new());
    for (number, clause) in clauses.iter().enumerate() {
        match clause {
            Clause::Any(terms) => required.extend(terms.iter().filter_map(|term| Unit::of(number, term))),
            Clause::Not(term) => {
                let units: Vec<Unit> = Unit::of(number, term).into_iter().collect();
                found.extend(find_in(pairs, &units, &languages));
            }
        }
    }
    found.extend(find_in(pairs, &required, &languages));
    found.sort_by(|a, b| a.clauses.cmp(&b.clauses));
    found
}

/// The languages whose terms are looked for. `location` is English, and French for a rental: the
/// other words decide, if the glossary has some of them in one language only.
fn languages(clauses: &[Clause]) -> Vec<Language> {
    let terms = clauses.iter().flat_map(|clause| match clause {
        Clause::Any(terms) => terms.as_slice(),
        Clause::Not(term) => std::slice::from_ref(term),
    });
    let words = terms.flat_map(Term::words);
    let certain: HashSet<Language> = words.filter_map(|word| TermPairs::only_language(word)).collect();
    let is_possible = |language: &Language| certain.is_empty() || certain.contains(language);
    Language::ALL.into_iter().filter(is_possible).collect()
}

fn find_in<'q, 't>(pairs: &'t TermPairs, units: &[Unit<'q>], languages: &[Language]) -> Vec<Found<'q, 't>> {
    // By the units that a term covers: the closest terms only, so that "park" is not "parking".
    let mut closest = BTreeMap::<(Language, Vec<usize>), (Closeness, Vec<&Entry>)>::new();
    for language in languages {
        let keys = units
            .iter()
            .flat_map(|unit| &unit.forms[*language as usize])
            .map(|forms| &forms.key);
        let mut seen = HashSet::new();
        for entry in keys.flat_map(|key| pairs.by_word(*language, key)) {
            if !seen.insert(std::ptr::from_ref(entry)) {
                continue;
            }
            let Some((covered, likeness)) = cover(entry, units) else {
                continue;
            };
            let closeness = Closeness::new(entry.origin, likeness);
            let (least, entries) = closest
                .entry((*language, covered))
                .or_insert_with(|| (closeness, Vec::new()));
            if closeness < *least {
                *least = closeness;
                entries.clear();
            }
            if closeness == *least {
                entries.push(entry);
            }
        }
    }
    let found = closest.into_iter().flat_map(|((_, covered), (_, entries))| {
        let mut clauses: Vec<usize> = covered.iter().map(|unit| units[*unit].clause).collect();
        clauses.sort_unstable();
        let words: Vec<&str> = covered
            .iter()
            .flat_map(|unit| units[*unit].words.iter().copied())
            .collect();
        entries.into_iter().map(move |entry| Found {
            clauses: clauses.clone(),
            words: words.clone(),
            entry,
        })
    });
    found.collect()
}

/// Which of several terms with the same words of `q` is meant; the smallest. A term that only shares
/// stems is the last choice; otherwise the glossary decides before the commodities.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Closeness {
    is_stem_only: bool,
    origin: Origin,
    likeness: Likeness,
}

impl Closeness {
    fn new(origin: Origin, likeness: Likeness) -> Closeness {
        Closeness {
            is_stem_only: likeness == Likeness::Stem,
            origin,
            likeness,
        }
    }
}

/// The units that together are all words of a term, ascending, at most one of each clause.
fn cover(entry: &Entry, units: &[Unit]) -> Option<(Vec<usize>, Likeness)> {
    let (mut covered, mut worst) = (Vec::new(), Likeness::Same);
    let mut rest = entry.words.as_slice();
    while !rest.is_empty() {
        let is_free = |unit: &Unit| covered.iter().all(|other: &usize| units[*other].clause != unit.clause);
        let candidates = units.iter().enumerate().filter(|(_, unit)| is_free(unit));
        let fitting = candidates.filter_map(|(number, unit)| {
            let words = &unit.forms[entry.language as usize];
            let begin = rest.get(..words.len())?;
            let likeness = begin.iter().zip(words).map(|(own, queried)| queried.likeness(own));
            Some((likeness.collect::<Option<Vec<_>>>()?.into_iter().max()?, number))
        });
        let (likeness, number) = fitting.min()?;
        covered.push(number);
        worst = worst.max(likeness);
        rest = &rest[units[number].words.len()..];
    }
    covered.sort_unstable();
    Some((covered, worst))
}

impl<'q> Unit<'q> {
    /// `None` if no word carries meaning.
    fn of(clause: usize, term: &'q Term) -> Option<Unit<'q>> {
        let words = term.words().iter().map(String::as_str);
        let words: Vec<&str> = words.filter(|word| !is_function_word(word)).collect();
        let forms = Language::ALL.map(|language| words.iter().map(|word| WordForms::of(language, word)).collect());
        (!words.is_empty()).then_some(Unit { clause, words, forms })
    }
}
