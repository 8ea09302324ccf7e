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
    query::{any, term, terms},
    searcher::Searcher,
    stems,
};
use crate::{
    engine::{
        error::Error,
        relevance::{self, Group, Tier},
    },
    query::text::{Clause, Term, TextQuery},
};

/// The clauses that order the matches of a text; none where all have the same score. `variants` are
/// those of the words of the text.
pub(crate) fn clauses(
    searcher: &Searcher,
    vocabulary: &stems::Vocabulary,
    variants: &HashMap<String, Vec<String>>,
    text: &TextQuery,
) -> Result<Vec<Value>, Error> {
    let required = text.clauses().iter().filter_map(|clause| match clause {
        Clause::Any(terms) => Some(terms),
        Clause::Not(_) => None,
    });
    let mut words: Vec<String> = Vec::new();
    for term in required.flatten() {
        match term {
            Term::Word(word) => words.extend(variants_of(variants, word)),
            Term::Phrase(phrase) => words.extend(phrase.iter().cloned()),
        }
    }
    words.sort_unstable();
    words.dedup();
    let known = Known {
        variants,
        documents: vocabulary.document_frequencies(searcher, &words)?,
    };
    let groups = relevance::plan(text, searcher.index.records, &known)?;
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

/// What was looked up.
struct Known<'a> {
    variants: &'a HashMap<String, Vec<String>>,
    documents: HashMap<String, u64>,
}

impl relevance::Vocabulary for Known<'_> {
    fn variants(&self, word: &str) -> Result<Vec<String>, Error> {
        Ok(variants_of(self.variants, word))
    }

    fn documents(&self, word: &str) -> Result<u64, Error> {
        Ok(self.documents.get(word).copied().unwrap_or(0))
    }
}

fn variants_of(variants: &HashMap<String, Vec<String>>, word: &str) -> Vec<String> {
    variants.get(word).cloned().unwrap_or_else(|| vec![word.to_owned()])
}

/// The score is that of the first tier that a record is in, and 1 if it is in none. So each gain has
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
