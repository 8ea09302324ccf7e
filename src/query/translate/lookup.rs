//! Finds the terms that a parsed `q` contains, in whatever order its words are: all of them must
//! match anyway.
//!
//! **Invariant:** what is found for some words of `q` depends on these words alone. So another
//! alternative, another required word or an exclusion never takes a translation away.

use std::collections::{BTreeMap, HashSet};

use crate::{
    model::Language,
    query::{
        text::{Clause, Term},
        translate::{
            forms::{Likeness, WordForms, is_function_word},
            term_pairs::{Alternative, Entry, Origin, TermPairs},
        },
    },
};

/// The maximum number of alternatives of the same words in a language.
pub(super) const MAX_ALTERNATIVES: usize = 32;

/// The maximum number of steps of the search for the words of a term in `q`. Only a query that
/// repeats the same words many times takes more.
const MAX_STEPS: usize = 256;

/// Words of `q` that are a term.
pub(super) struct Found<'q, 't> {
    /// The clauses that its words are in, ascending.
    pub(super) clauses: Vec<usize>,
    /// Its words as `q` has them.
    pub(super) words: Vec<&'q str>,
    /// The language of the term.
    pub(super) language: Language,
    /// What the other language calls it: distinct, the usual ones first.
    pub(super) alternatives: Vec<&'t Alternative>,
}

/// A word or phrase of `q` that a term can begin or go on with.
struct Unit<'q> {
    clause: usize,
    /// Without words that carry no meaning.
    words: Vec<&'q str>,
    /// The same in each language that they can be of.
    forms: Vec<(Language, Vec<WordForms>)>,
}

/// The terms in all clauses: those of several required clauses together, those of an excluded term
/// by itself. In the order of `q`.
pub(super) fn find<'q, 't>(pairs: &'t TermPairs, clauses: &'q [Clause]) -> Vec<Found<'q, 't>> {
    let (mut required, mut found) = (Vec::new(), Vec::new());
    for (number, clause) in clauses.iter().enumerate() {
        match clause {
            Clause::Any(terms) => required.extend(terms.iter().filter_map(|term| Unit::of(number, term))),
            Clause::Not(term) => {
                let units: Vec<Unit> = Unit::of(number, term).into_iter().collect();
                found.extend(find_in(pairs, &units));
            }
        }
    }
    found.extend(find_in(pairs, &required));
    found.sort_by(|a, b| a.clauses.cmp(&b.clauses));
    found
}

fn find_in<'q, 't>(pairs: &'t TermPairs, units: &[Unit<'q>]) -> Vec<Found<'q, 't>> {
    // By the units that a term covers: the closest terms only, so that "park" is not "parking".
    let mut closest = BTreeMap::<(Language, Vec<usize>), (Closeness, Vec<&Entry>)>::new();
    for language in Language::ALL {
        let forms = units.iter().filter_map(|unit| unit.forms(language)).flatten();
        let mut seen = HashSet::new();
        for entry in forms.flat_map(|forms| pairs.by_word(language, &forms.key)) {
            if !seen.insert(std::ptr::from_ref(entry)) {
                continue;
            }
            for (covered, likeness) in covers(entry, units) {
                let closeness = Closeness::new(entry.origin, likeness);
                let (least, entries) = closest
                    .entry((language, covered))
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
    }
    let found = closest.into_iter().map(|((language, covered), (_, entries))| {
        let mut clauses: Vec<usize> = covered.iter().map(|unit| units[*unit].clause).collect();
        clauses.sort_unstable();
        Found {
            clauses,
            words: covered
                .iter()
                .flat_map(|unit| units[*unit].words.iter().copied())
                .collect(),
            language,
            alternatives: alternatives(&entries),
        }
    });
    found.collect()
}

/// Those of all terms: the first of each term before the second of any, because they are the usual
/// ones.
fn alternatives<'t>(entries: &[&'t Entry]) -> Vec<&'t Alternative> {
    let longest = entries.iter().map(|entry| entry.alternatives.len()).max().unwrap_or(0);
    let by_rank = (0..longest).flat_map(|rank| entries.iter().filter_map(move |entry| entry.alternatives.get(rank)));
    let mut distinct: Vec<&Alternative> = Vec::new();
    for alternative in by_rank {
        if distinct.len() < MAX_ALTERNATIVES && distinct.iter().all(|known| known.term != alternative.term) {
            distinct.push(alternative);
        }
    }
    distinct
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

/// The ways in which units of `q` are all words of a term, at most one unit of each clause: the
/// units, ascending, with how alike the least alike of them is. `road OR roads` is `road` in two ways.
fn covers(entry: &Entry, units: &[Unit]) -> BTreeMap<Vec<usize>, Likeness> {
    let mut search = CoverSearch {
        language: entry.language,
        units,
        steps: 0,
        covered: Vec::new(),
        found: BTreeMap::new(),
    };
    search.go_on(&entry.words, Likeness::Same);
    search.found
}

struct CoverSearch<'a, 'q> {
    language: Language,
    units: &'a [Unit<'q>],
    steps: usize,
    /// The units of the words so far.
    covered: Vec<usize>,
    found: BTreeMap<Vec<usize>, Likeness>,
}

impl CoverSearch<'_, '_> {
    /// Covers the rest of the words in all ways. The recursion is as deep as the term has words.
    fn go_on(&mut self, rest: &[WordForms], worst: Likeness) {
        if rest.is_empty() {
            let mut covered = self.covered.clone();
            covered.sort_unstable();
            let likeness = self.found.entry(covered).or_insert(worst);
            *likeness = worst.min(*likeness);
            return;
        }
        for (number, unit) in self.units.iter().enumerate() {
            let is_free = self
                .covered
                .iter()
                .all(|other| self.units[*other].clause != unit.clause);
            let begin = unit
                .forms(self.language)
                .and_then(|forms| Some((forms, rest.get(..forms.len())?)));
            let Some((forms, begin)) = begin.filter(|_| is_free) else {
                continue;
            };
            let likeness = begin.iter().zip(forms).map(|(own, queried)| queried.likeness(own));
            let Some(likeness) = likeness.collect::<Option<Vec<Likeness>>>() else {
                continue;
            };
            if self.steps == MAX_STEPS {
                return;
            }
            self.steps += 1;
            self.covered.push(number);
            let worst = likeness.into_iter().fold(worst, Ord::max);
            self.go_on(&rest[forms.len()..], worst);
            self.covered.pop();
        }
    }
}

impl<'q> Unit<'q> {
    /// `None` if no word carries meaning.
    fn of(clause: usize, term: &'q Term) -> Option<Unit<'q>> {
        let words = term.words().iter().map(String::as_str);
        let words: Vec<&str> = words.filter(|word| !is_function_word(word)).collect();
        if words.is_empty() {
            return None;
        }
        let forms_in = |language: Language| words.iter().map(|word| WordForms::of(language, word)).collect();
        let forms = languages(term)
            .into_iter()
            .map(|language| (language, forms_in(language)))
            .collect();
        Some(Unit { clause, words, forms })
    }

    /// `None` in a language that the words are not of; otherwise at least one.
    fn forms(&self, language: Language) -> Option<&[WordForms]> {
        let of_language = self.forms.iter().find(|(other, _)| *other == language);
        of_language.map(|(_, forms)| forms.as_slice())
    }
}

/// The languages that a term can be of: those in which the glossary has some of its words alone, or
/// both. Never what the other words of `q` are of: `maintenance` has the same translations next to
/// an English word as by itself.
fn languages(term: &Term) -> Vec<Language> {
    let words = term.words().iter();
    let certain: HashSet<Language> = words.filter_map(|word| TermPairs::only_language(word)).collect();
    let is_possible = |language: &Language| certain.is_empty() || certain.contains(language);
    Language::ALL.into_iter().filter(is_possible).collect()
}
