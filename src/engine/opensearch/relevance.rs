//! The order by relevance: the groups of [`relevance::plan`] as clauses whose scores the cluster adds
//! up.
//!
//! A score is a sum of whole numbers below 2^24, which is exact whatever the order of the addition,
//! so the cluster may sort by it. A group is one `function_score` with a function for each tier, and
//! not a `dis_max` of as many queries: a cluster refuses a query with more than 1,024 parts, which
//! the tiers of a translated text would exceed.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    mapping::record,
    query::{CompiledQuery, any, term, terms},
    searcher::{Searcher, total},
    vocabulary::Vocabulary,
};
use crate::{
    engine::{
        error::Error,
        relevance::{self, Group, Tier},
    },
    model::Role,
    query::text::{Clause, Term, TextQuery},
};

/// The maximum number of words that one request counts.
const COUNTED: usize = 100;

/// The clauses that order the matches of a text; none where all have the same score.
pub(crate) fn clauses(searcher: &Searcher, text: &TextQuery) -> Result<Vec<Value>, Error> {
    let vocabulary = &searcher.index.vocabulary;
    let mut words: Vec<&str> = Vec::new();
    for clause in text.clauses() {
        if let Clause::Any(terms) = clause {
            words.extend(terms.iter().flat_map(Term::words).map(String::as_str));
        }
    }
    words.retain(|word| vocabulary.documents(word).is_none());
    words.sort_unstable();
    words.dedup();
    let mut codes = HashMap::new();
    for words in words.chunks(COUNTED) {
        let with_word = |word: &&str| CompiledQuery::default().require(term(Role::Text.name(), *word));
        let counts = words.iter().map(|word| with_word(word).count());
        for (word, response) in words.iter().zip(searcher.multi_search(counts.collect())?) {
            codes.insert((*word).to_owned(), total(&response)?);
        }
    }
    let groups = relevance::plan(text, searcher.index.records, &Known { vocabulary, codes })?;
    Ok(counted(groups).iter().map(clause).collect())
}

/// The distinct groups, and how often each occurs. The cluster takes equal clauses for one.
fn counted(groups: Vec<Group>) -> Vec<(Group, u32)> {
    let mut counted: Vec<(Group, u32)> = Vec::new();
    for group in groups {
        match counted.iter_mut().find(|(known, _)| *known == group) {
            Some((_, times)) => *times += 1,
            None => counted.push((group, 1)),
        }
    }
    counted
}

/// The vocabulary, and the numbers of records with the codes of a text, which it does not list.
struct Known<'a> {
    vocabulary: &'a Vocabulary,
    codes: HashMap<String, u64>,
}

impl relevance::Vocabulary for Known<'_> {
    fn variants(&self, word: &str) -> Result<Vec<String>, Error> {
        Ok(self.vocabulary.variants(word))
    }

    fn documents(&self, word: &str) -> Result<u64, Error> {
        let listed = self.vocabulary.documents(word);
        Ok(listed.or_else(|| self.codes.get(word).copied()).unwrap_or(0))
    }
}

/// The score is the gain of the first tier that a record is in, and 1 if it is in none. So each gain has
/// 1 added, and all records get the number of clauses more than their score.
fn clause((group, times): &(Group, u32)) -> Value {
    let functions = group
        .tiers
        .iter()
        .map(|tier| json!({ "filter": filter(tier), "weight": times * tier.gain + 1 }));
    json!({ "function_score": {
        "query": { "match_all": {} },
        "functions": functions.collect::<Vec<Value>>(),
        "score_mode": "first",
        "boost_mode": "replace",
    } })
}

/// Matches the records of a tier.
fn filter(tier: &Tier) -> Value {
    let (mut single, mut clauses): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
    for alternative in &tier.any {
        match alternative.as_slice() {
            [only] => single.push(only.clone()),
            several => {
                let all: Vec<Value> = several
                    .iter()
                    .map(|word| term(record::RELEVANCE, word.as_str()))
                    .collect();
                clauses.push(json!({ "bool": { "filter": all } }));
            }
        }
    }
    if !single.is_empty() {
        clauses.insert(0, terms(record::RELEVANCE, &single));
    }
    any(clauses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_a_function_of_its_first_tier() {
        let tier = |gain: u32, any: &[&[&str]]| Tier {
            gain,
            any: any
                .iter()
                .map(|all| all.iter().map(|&term| term.to_owned()).collect())
                .collect(),
        };
        let group = Group {
            tiers: vec![
                tier(560, &[&["road/a"], &["roads/a"]]),
                tier(40, &[&["ice/m", "salt/m"], &["road/m"]]),
            ],
        };
        let clause = clause(&(group, 1));
        let function = |number: usize| &clause["function_score"]["functions"][number];
        assert_eq!(
            function(0),
            &json!({ "filter": { "terms": { "relevance": ["road/a", "roads/a"] } }, "weight": 561 })
        );
        assert_eq!(function(1)["weight"], 41);
        let term = |word: &str| json!({ "term": { "relevance": { "value": word } } });
        assert_eq!(
            function(1)["filter"]["bool"]["should"],
            json!([term("road/m"), { "bool": { "filter": [term("ice/m"), term("salt/m")] } }])
        );
        assert_eq!(clause["function_score"]["score_mode"], "first");
    }

    #[test]
    fn equal_groups_are_one_clause_that_counts_as_often() {
        let group = |gain: u32| Group {
            tiers: vec![Tier {
                gain,
                any: vec![vec!["road/a".to_owned()]],
            }],
        };
        let counted = counted(vec![group(8), group(16), group(8)]);
        let weight = |clause: Value| clause["function_score"]["functions"][0]["weight"].clone();
        let weights: Vec<Value> = counted.iter().map(|counted| weight(clause(counted))).collect();
        assert_eq!(weights, [json!(17), json!(17)]);
        assert_eq!(counted.iter().map(|(_, times)| *times).collect::<Vec<u32>>(), [2, 1]);
    }
}
