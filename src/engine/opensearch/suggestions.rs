//! Names of vendors that are similar to one that does not exist.
//!
//! The cluster sorts the names by what [`similar_names`] computes first, what the words cost, as far
//! as one search can. The names that could be among the best are compared here.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    document::VendorName,
    mapping::{names, vendor_list},
    names::{Names, read_all},
    page::SortValue,
    query::{any, fuzzy, term},
};
use crate::{
    engine::{
        deadline::Deadline,
        error::Error,
        similar_names::{MISSING, STARTS_ALIKE, Word, compared_words, similar_names},
    },
    model::EntityType,
};

/// The maximum number of names that one search returns.
const STEP: usize = 5_000;

/// Up to `limit` vendors that are similar to a key, the most similar first.
pub(crate) fn suggest_vendors(
    index: &Names,
    entity_type: EntityType,
    key: &str,
    limit: usize,
    deadline: &Deadline,
) -> Result<Vec<String>, Error> {
    let words = compared_words(key);
    if limit == 0 || !words.iter().any(Word::is_enough) {
        return Ok(Vec::new());
    }
    let mut body = search(entity_type, &words);
    let (mut found, mut scores): (Vec<VendorName>, Vec<f64>) = (Vec::new(), Vec::new());
    loop {
        let response = index.search(&body, deadline)?;
        let hits = response.hits.hits.len();
        for hit in &response.hits.hits {
            let sort = hit.sort.iter().map(|raw| SortValue::parse(raw));
            let sort = sort.collect::<Result<Vec<_>, _>>()?;
            scores.push(sort.first().map_or(0.0, score));
            body["search_after"] = sort.iter().map(SortValue::to_json).collect();
        }
        found.extend(read_all::<VendorName>(&response)?);
        let lowest = scores.last().copied().unwrap_or(0.0);
        let better = scores.iter().filter(|score| **score > lowest).count();
        if hits < STEP || better >= limit {
            break;
        }
    }
    let keys = found.iter().map(|vendor| (vendor.rank, vendor.key()));
    let best = similar_names(key, keys, limit, deadline)?;
    let name_of: HashMap<u32, &str> = found.iter().map(|vendor| (vendor.rank, vendor.name.as_str())).collect();
    Ok(best
        .into_iter()
        .filter_map(|rank| name_of.get(&rank).map(|name| (*name).to_owned()))
        .collect())
}

fn score(value: &SortValue) -> f64 {
    match value {
        SortValue::Integer(score) => *score as f64,
        SortValue::Float(score) => *score,
        SortValue::Text(_) => 0.0,
    }
}

fn search(entity_type: EntityType, words: &[Word]) -> Value {
    // The cluster takes equal clauses for one.
    let mut counted: Vec<(&Word, u8)> = Vec::new();
    for word in words {
        match counted.iter_mut().find(|(known, _)| known.text == word.text) {
            Some((_, times)) => *times += 1,
            None => counted.push((word, 1)),
        }
    }
    let enough = words.iter().filter(|word| word.is_enough());
    let fitting = enough.flat_map(|word| fits(word).into_iter().map(|(clause, _)| clause));
    json!({
        "query": { "bool": {
            "filter": [term(names::LIST, vendor_list(entity_type)), any(fitting.collect())],
            "should": counted.iter().map(saved).collect::<Vec<Value>>(),
            "minimum_should_match": 0,
        } },
        // The names are ranked by their frequency.
        "sort": [{ "_score": "desc" }, { names::RANK: "asc" }],
        "size": STEP,
        "track_total_hits": false,
    })
}

/// The ways in which a word of a name can fit a word, the cheapest first, each with what it costs.
fn fits(word: &Word) -> Vec<(Value, u8)> {
    let field = format!("{}.{}", names::KEY, names::WORDS);
    let mut fits = vec![(term(&field, word.text), 0)];
    fits.extend((1..=word.max_distance()).map(|distance| (fuzzy(&field, word.text, distance), distance)));
    let prefix = |start: &str| json!({ "prefix": { &field: { "value": start } } });
    fits.extend(word.start().map(|start| (prefix(start), STARTS_ALIKE)));
    fits
}

/// Scores what a name saves by having a word that fits; one more, because a name without any has a
/// score of 1.
fn saved((word, times): &(&Word, u8)) -> Value {
    let functions = fits(word)
        .into_iter()
        .map(|(clause, cost)| json!({ "filter": clause, "weight": times * (MISSING - cost) + 1 }));
    json!({ "function_score": {
        "query": { "match_all": {} },
        "functions": functions.collect::<Vec<Value>>(),
        "score_mode": "first",
        "boost_mode": "replace",
    } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_searched_by_spelling_and_start() {
        let words = compared_words("bel canda a");
        let costs = |word: &Word| fits(word).into_iter().map(|(_, cost)| cost).collect::<Vec<u8>>();
        assert_eq!(
            words.iter().map(costs).collect::<Vec<_>>(),
            [vec![0, 1, 3], vec![0, 1], vec![0]]
        );
        let search = search(EntityType::Award, &words);
        let filter = &search["query"]["bool"]["filter"];
        assert_eq!(filter[0], json!({ "term": { "list": { "value": "award/vendors" } } }));
        assert_eq!(
            filter[1]["bool"]["should"].as_array().map(Vec::len),
            Some(5),
            "not the word of one letter"
        );
        let weights = &search["query"]["bool"]["should"][0]["function_score"]["functions"];
        let weights = weights.as_array().unwrap().iter().map(|function| &function["weight"]);
        assert_eq!(weights.collect::<Vec<_>>(), [&json!(9), &json!(8), &json!(6)]);
    }
}
