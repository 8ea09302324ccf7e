//! The order by relevance as its definition says it: every record is scored by itself.
//!
//! It shares the numbers of the tiers and the weight of a clause with
//! [`procure::engine::relevance`], and neither its plan nor its terms.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use procure::{
    engine::{near_words, relevance},
    model::{entity_type::EntityType, fold::word_list, record::Record, schema::Role},
    query::text::{Clause, Term, TextQuery},
};

use crate::scan_counts::Parsed;

/// The words of all texts that `q` searches, and how many records have each.
pub fn vocabulary(records: &[Parsed], entity_type: EntityType) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for record in records.iter().filter(|record| record.entity_type == entity_type) {
        for word in words_of(record, Role::Text) {
            *counts.entry(word).or_insert(0) += 1;
        }
    }
    counts
}

/// The near words, by a look at every word.
pub fn near_words(vocabulary: &BTreeMap<String, u64>, word: &str, limit: usize) -> Vec<near_words::NearWord> {
    near_words::nearest(word, vocabulary.iter().map(|(word, count)| (word, *count)), limit)
}

/// Words that a record must all have, and whether they are written in the clause.
type Alternatives = BTreeMap<BTreeSet<String>, bool>;

/// Scores the records of an entity type by a text.
pub struct Scores<'a> {
    text: &'a TextQuery,
    /// For each clause that is required: its alternatives and its weight.
    clauses: Vec<Option<(Alternatives, u64)>>,
}

impl<'a> Scores<'a> {
    /// `forms` returns the words of the vocabulary that match a word.
    pub fn new(
        text: &'a TextQuery,
        vocabulary: &BTreeMap<String, u64>,
        forms: &dyn Fn(&str) -> Arc<BTreeSet<String>>,
        records: u64,
    ) -> Scores<'a> {
        let clause = |clause: &Clause| {
            let Clause::Any(terms) = clause else { return None };
            let mut alternatives = Alternatives::new();
            for (words, is_written) in terms.iter().flat_map(|term| alternatives_of(term, forms)) {
                *alternatives.entry(words).or_default() |= is_written;
            }
            let count = |word: &String| vocabulary.get(word).copied().unwrap_or(0);
            let frequency: u64 = alternatives
                .keys()
                .map(|words| words.iter().map(count).min().unwrap())
                .sum();
            let weight = relevance::clause_weight(records, frequency.min(records));
            Some((alternatives, u64::from(weight)))
        };
        Scores {
            text,
            clauses: text.clauses().iter().map(clause).collect(),
        }
    }

    pub fn score(&self, record: &Record) -> u64 {
        let mut score = 0;
        let tiers_of_record = tiers(record);
        for (alternatives, weight) in self.clauses.iter().flatten() {
            let tiers = alternatives.iter();
            let tier = tiers
                .map(|(words, is_written)| tier(&tiers_of_record, words, *is_written))
                .max()
                .unwrap();
            score += weight * u64::from(tier);
        }
        for (number, two) in self.clauses.windows(2).enumerate() {
            if let [Some((_, first)), Some((_, second))] = two
                && are_neighbours(record, &self.text.clauses()[number], &self.text.clauses()[number + 1])
            {
                score += (first + second) * u64::from(relevance::NEIGHBOURS);
            }
        }
        score
    }
}

fn alternatives_of(term: &Term, forms: &dyn Fn(&str) -> Arc<BTreeSet<String>>) -> Vec<(BTreeSet<String>, bool)> {
    match term {
        Term::Phrase(words) => vec![(words.iter().cloned().collect(), true)],
        Term::Word(asked) => {
            let same_stem = forms(asked);
            let words = same_stem.iter().chain([asked]);
            words
                .map(|word| (BTreeSet::from([word.clone()]), word == asked))
                .collect()
        }
    }
}

fn words_of(record: &Record, role: Role) -> BTreeSet<String> {
    record.texts(role).flat_map(word_list).collect()
}

/// The words of a record in each tier, with the tier's number.
fn tiers(record: &Record) -> Vec<(BTreeSet<String>, u32)> {
    let titles: Vec<Vec<String>> = record.texts(Role::Title).map(word_list).collect();
    let mut tiers = Vec::new();
    let mut least = 0;
    for (most, number) in relevance::TITLES {
        let of_tier = titles.iter().filter(|title| (least..=most).contains(&title.len()));
        tiers.push((of_tier.flatten().cloned().collect(), number));
        least = most.saturating_add(1);
    }
    for (role, number) in [
        (Role::CommodityWords, relevance::COMMODITY_WORDS),
        (Role::Vendor, relevance::VENDOR),
        (Role::Department, relevance::BUYER),
    ] {
        tiers.push((words_of(record, role), number));
    }
    tiers
}

/// The number of the best tier with all of the words.
fn tier(tiers: &[(BTreeSet<String>, u32)], words: &BTreeSet<String>, is_written: bool) -> u32 {
    let less = if is_written { 0 } else { relevance::OTHER_FORM };
    let with_all = tiers.iter().filter(|(of_tier, _)| words.is_subset(of_tier));
    let numbers = with_all.map(|(_, number)| number - less);
    numbers.max().unwrap_or(0).max(relevance::ELSEWHERE)
}

fn are_neighbours(record: &Record, first: &Clause, second: &Clause) -> bool {
    let (Clause::Any(first), Clause::Any(second)) = (first, second) else {
        return false;
    };
    let titles: Vec<Vec<String>> = record
        .texts(Role::Title)
        .map(|title| {
            let mut words = word_list(title);
            words.truncate(relevance::PAIRED_TITLE_WORDS);
            words
        })
        .collect();
    let has = |one: &String, two: &String| {
        let mut neighbours = titles.iter().flat_map(|title| title.windows(2));
        neighbours.any(|run| run[0] == *one && run[1] == *two)
    };
    let words = |terms: &[Term]| -> Vec<String> {
        let words = terms.iter().filter_map(|term| match term {
            Term::Word(word) => Some(word.clone()),
            Term::Phrase(_) => None,
        });
        words.take(relevance::PAIRED_WORDS).collect()
    };
    let of_words = words(first)
        .iter()
        .any(|one| words(second).iter().any(|two| has(one, two)));
    let of_a_phrase = first.iter().any(|term| match term {
        Term::Phrase(words) if words.len() > 1 && second.contains(term) => {
            words.windows(2).all(|run| has(&run[0], &run[1]))
        }
        _ => false,
    });
    of_words || of_a_phrase
}
