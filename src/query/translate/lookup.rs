//! Finds the terms that a parsed `q` contains, in whatever order its words are: all of them must
//! match anyway.
//!
//! For `snow (removal OR enlevement) montreal`, the glossary's "snow removal" has the words `snow` and
//! `removal`. The clauses 1 and 2 of `q` have them, so they are that term and get its French
//! translation; clause 3 stays as it is.
//!
//! **Invariant:** what is found for some words of `q` depends on these words alone. So another
//! alternative, another required word or an exclusion never takes a translation away.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use crate::{
    model::Language,
    query::{
        text::{Clause, Term},
        translate::{
            forms::{WordForms, WordMatch, is_function_word},
            term_pairs::{Alternative, Entry, Origin, TermPairs},
        },
    },
};

/// The maximum number of alternatives of the same words in a language.
pub(super) const MAX_ALTERNATIVES: usize = 48;

/// The maximum number of steps of the search for the words of a term in `q`. Only a query that
/// repeats the same words many times takes more.
const MAX_STEPS: usize = 256;

/// A term that words of `q` are.
pub(super) struct FoundTerm<'q, 't> {
    /// The clauses that the words are in, ascending.
    pub(super) clauses: Vec<usize>,
    /// The words as `q` has them.
    pub(super) words: Vec<&'q str>,
    /// The language of the term.
    pub(super) language: Language,
    /// Other terms for the same: distinct, the other language's and the usual ones first.
    pub(super) alternatives: Vec<&'t Alternative>,
}

/// A word or phrase of `q`. A term of the glossary can be made of several, each from another clause.
struct QueryTerm<'q> {
    clause: usize,
    /// Without words that carry no meaning.
    words: Vec<&'q str>,
    /// The forms of the words in each language that they can be in.
    forms: Vec<(Language, Vec<WordForms>)>,
}

/// The query terms that are a term of the glossary together: their numbers, ascending.
type UsedTerms = Vec<usize>;

/// The terms in all clauses: in several required clauses together, and in each excluded term by itself. In the order of
/// `q`.
pub(super) fn find<'q, 't>(pairs: &'t TermPairs, clauses: &'q [Clause]) -> Vec<FoundTerm<'q, 't>> {
    let (mut required, mut found) = (Vec::new(), Vec::new());
    for (number, clause) in clauses.iter().enumerate() {
        match clause {
            Clause::Any(terms) => required.extend(terms.iter().filter_map(|term| QueryTerm::new(number, term))),
            Clause::Not(term) => {
                let excluded: Vec<QueryTerm> = QueryTerm::new(number, term).into_iter().collect();
                found.extend(find_in(pairs, &excluded));
            }
        }
    }
    found.extend(find_in(pairs, &required));
    found.sort_by(|a, b| a.clauses.cmp(&b.clauses));
    found
}

fn find_in<'q, 't>(pairs: &'t TermPairs, queried: &[QueryTerm<'q>]) -> Vec<FoundTerm<'q, 't>> {
    // For the same words of `q` only the best entries, so that "park" is not "parking".
    let mut best = BTreeMap::<(Language, UsedTerms), (MatchRank, Vec<&Entry>)>::new();
    for language in Language::ALL {
        for entry in entries_with_any_word(pairs, queried, language) {
            for (used, weakest) in matches_of(entry, queried) {
                let rank = MatchRank::new(entry.origin, weakest);
                let (best_rank, entries) = best.entry((language, used)).or_insert((rank, Vec::new()));
                if rank < *best_rank {
                    *best_rank = rank;
                    entries.clear();
                }
                if rank == *best_rank {
                    entries.push(entry);
                }
            }
        }
    }
    let found = best.into_iter().map(|((language, used), (_, entries))| {
        let used = used.iter().map(|number| &queried[*number]);
        let mut clauses: Vec<usize> = used.clone().map(|term| term.clause).collect();
        clauses.sort_unstable();
        FoundTerm {
            clauses,
            words: used.flat_map(|term| term.words.iter().copied()).collect(),
            language,
            alternatives: alternatives(&entries),
        }
    });
    found.collect()
}

/// The distinct entries of the glossary with a word that some query term has.
fn entries_with_any_word<'t>(pairs: &'t TermPairs, queried: &[QueryTerm], language: Language) -> Vec<&'t Entry> {
    let words = queried.iter().filter_map(|term| term.forms(language)).flatten();
    let mut seen = HashSet::new();
    words
        .flat_map(|word| pairs.by_word(language, &word.key))
        .filter(|entry| seen.insert(std::ptr::from_ref(*entry)))
        .collect()
}

/// The alternatives of all entries: the first of each entry before the second of any, because they are
/// the usual ones.
fn alternatives<'t>(entries: &[&'t Entry]) -> Vec<&'t Alternative> {
    let longest = entries.iter().map(|entry| entry.alternatives.len()).max().unwrap_or(0);
    let by_rank = (0..longest).flat_map(|rank| entries.iter().filter_map(move |entry| entry.alternatives.get(rank)));
    let mut distinct: Vec<&Alternative> = Vec::new();
    for alternative in by_rank.map(Arc::as_ref) {
        if distinct.len() < MAX_ALTERNATIVES && distinct.iter().all(|known| known.term != alternative.term) {
            distinct.push(alternative);
        }
    }
    distinct
}

/// Which of several entries with the same words of `q` is meant; the smallest. A term that only shares
/// stems is the last choice; otherwise the glossary decides before the commodities.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MatchRank {
    is_stem_only: bool,
    origin: Origin,
    weakest: WordMatch,
}

impl MatchRank {
    fn new(origin: Origin, weakest: WordMatch) -> MatchRank {
        MatchRank {
            is_stem_only: weakest == WordMatch::Stem,
            origin,
            weakest,
        }
    }
}

/// The ways in which query terms, at most one of each clause, are all words of an entry: which ones,
/// with the weakest match of a word. `road OR roads` is `road` in two ways.
fn matches_of(entry: &Entry, queried: &[QueryTerm]) -> BTreeMap<UsedTerms, WordMatch> {
    let mut search = MatchSearch {
        language: entry.language,
        queried,
        steps: 0,
        used: Vec::new(),
        found: BTreeMap::new(),
    };
    search.extend(&entry.words, WordMatch::Same);
    search.found
}

/// Tries the query terms for the words of an entry, one after another, and goes back.
struct MatchSearch<'a, 'q> {
    language: Language,
    queried: &'a [QueryTerm<'q>],
    steps: usize,
    /// The query terms that match the words so far, in the order of the words.
    used: Vec<usize>,
    found: BTreeMap<UsedTerms, WordMatch>,
}

impl MatchSearch<'_, '_> {
    /// Extends the match to the remaining words of the entry, in all ways. `weakest` is the weakest match
    /// of the words so far. The recursion is as deep as the entry has words.
    fn extend(&mut self, remaining: &[WordForms], weakest: WordMatch) {
        if remaining.is_empty() {
            let mut used = self.used.clone();
            used.sort_unstable();
            let known = self.found.entry(used).or_insert(weakest);
            *known = weakest.min(*known);
            return;
        }
        for (number, term) in self.queried.iter().enumerate() {
            if self.used.iter().any(|used| self.queried[*used].clause == term.clause) {
                continue;
            }
            let Some((matched, rest)) = term.match_start(self.language, remaining) else {
                continue;
            };
            if self.steps == MAX_STEPS {
                return;
            }
            self.steps += 1;
            self.used.push(number);
            self.extend(rest, weakest.max(matched));
            self.used.pop();
        }
    }
}

impl<'q> QueryTerm<'q> {
    /// `None` if no word carries meaning.
    fn new(clause: usize, term: &'q Term) -> Option<QueryTerm<'q>> {
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
        Some(QueryTerm { clause, words, forms })
    }

    /// `None` in a language that the words are not in; otherwise at least one.
    fn forms(&self, language: Language) -> Option<&[WordForms]> {
        let in_language = self.forms.iter().find(|(other, _)| *other == language);
        in_language.map(|(_, forms)| forms.as_slice())
    }

    /// If all words of the query term match the first of some words of an entry: the weakest match, and
    /// the words after these.
    fn match_start<'e>(&self, language: Language, words: &'e [WordForms]) -> Option<(WordMatch, &'e [WordForms])> {
        let forms = self.forms(language)?;
        let (start, rest) = words.split_at_checked(forms.len())?;
        let mut weakest = WordMatch::Same;
        for (of_entry, queried) in start.iter().zip(forms) {
            weakest = weakest.max(queried.compare(of_entry)?);
        }
        Some((weakest, rest))
    }
}

/// The languages that a term can be in: those in which the glossary has some of its words alone, or
/// both. The other words of `q` do not count: `maintenance` has the same translations next to an
/// English word as by itself.
fn languages(term: &Term) -> Vec<Language> {
    let words = term.words().iter();
    let certain: HashSet<Language> = words.filter_map(|word| TermPairs::only_language(word)).collect();
    let is_possible = |language: &Language| certain.is_empty() || certain.contains(language);
    Language::ALL.into_iter().filter(is_possible).collect()
}
