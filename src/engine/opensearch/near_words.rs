//! Near words: a fuzzy search of the vocabulary.
//!
//! For each word, two searches return enough candidates, each the most frequent first: those at
//! distance 1, and those at up to the maximum distance. The distances are computed here. The searches
//! of all words are one request.

use serde_json::{Value, json};

use super::{
    client::Client,
    cluster_error::ClusterError,
    document::WordEntry,
    mapping::{MAX_RESULT_WINDOW, word, word_list},
    query::{fuzzy, term},
    together::small_responses,
};
use crate::{
    engine::{
        deadline::Deadline,
        error::Error,
        near_words::{NearWord, max_distance, nearest},
    },
    model::EntityType,
};

/// Up to `limit` words of the texts of an entity type near each of the folded words. `index` is the
/// name of the vocabulary index.
pub(crate) fn near_words(
    client: &Client,
    index: &str,
    entity_type: EntityType,
    words: &[String],
    limit: usize,
    deadline: &Deadline,
) -> Result<Vec<Vec<NearWord>>, Error> {
    let limit = limit.min(MAX_RESULT_WINDOW / 2);
    // The number of the word that each search is for, and the search.
    let (mut searched, mut searches) = (Vec::new(), Vec::new());
    for (number, near) in words.iter().enumerate().filter(|_| limit > 0) {
        let Some(max) = max_distance(near) else { continue };
        searched.push(number);
        searches.push((index, search(entity_type, near, 1, limit)));
        if max > 1 {
            // Fewer than `limit` of these are at distance 1, or the first search returns enough.
            searched.push(number);
            searches.push((index, search(entity_type, near, max, 2 * limit)));
        }
    }
    let mut candidates: Vec<Vec<(String, u64)>> = vec![Vec::new(); words.len()];
    for (number, response) in searched.into_iter().zip(small_responses(client, &searches, deadline)?) {
        for hit in response.hits.hits {
            let source = hit.source.ok_or_else(|| unreadable("a word has no source"))?;
            let entry: WordEntry = serde_json::from_str(source.get()).map_err(unreadable)?;
            candidates[number].push((entry.word, entry.documents));
        }
    }
    let near = words.iter().zip(candidates).map(|(near, mut candidates)| {
        candidates.sort_unstable();
        candidates.dedup();
        nearest(near, candidates, limit)
    });
    Ok(near.collect())
}

fn search(entity_type: EntityType, near: &str, distance: u8, size: usize) -> Value {
    json!({
        "query": { "bool": {
            "filter": [term(word::LIST, word_list(entity_type)), fuzzy(word::WORD, near, distance)],
            "must_not": [term(word::WORD, near)],
        } },
        "sort": [{ word::RANK: "asc" }],
        "size": size,
        "track_total_hits": false,
    })
}

fn unreadable(why: impl std::fmt::Display) -> Error {
    ClusterError::unreadable("the vocabulary", why).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::opensearch::{
        client_tests::{Node, Reply},
        settings::ClusterSettings,
    };

    /// A node that knows the plural of every word.
    fn answer(head: &str, body: &str) -> String {
        assert!(head.starts_with("post /_msearch?"), "{head}");
        let responses = body.lines().skip(1).step_by(2).map(|search| {
            let search: Value = serde_json::from_str(search).unwrap();
            let fuzzy = &search["query"]["bool"]["filter"][1]["fuzzy"]["word"];
            let plural = format!("{}s", fuzzy["value"].as_str().unwrap());
            let entry = json!({ "list": "contract/words", "word": plural, "rank": 0, "documents": 7 });
            json!({ "timed_out": false, "_shards": { "total": 1, "successful": 1, "failed": 0 }, "hits": { "hits": [{ "_source": entry }] } })
        });
        json!({ "responses": responses.collect::<Vec<_>>() }).to_string()
    }

    #[test]
    fn the_words_near_several_words_are_one_request() {
        let node = Node::start(Reply::Computed(answer));
        let client = Client::new(&ClusterSettings::new(vec![node.url.clone()])).unwrap();
        let near = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let deadline = Deadline::after(Duration::from_secs(30));
            near_words(&client, "vocabulary", EntityType::Contract, &words, 9, &deadline).unwrap()
        };
        let plural = |word: &str| NearWord {
            word: word.to_owned(),
            distance: 1,
            documents: 7,
        };
        // The second word is too short, the third is a code.
        let found = near(&["removal", "of", "w8482", "road"]);
        assert_eq!(found, [vec![plural("removals")], vec![], vec![], vec![plural("roads")]]);
        assert_eq!(node.request_lines().len(), 1);
        assert_eq!(near(&["of"]), [vec![]]);
        assert_eq!(node.request_lines().len(), 1, "nothing is near");
    }

    #[test]
    fn words_are_searched_by_list_and_distance() {
        let search = search(EntityType::Award, "deneigment", 2, 10);
        let filters = &search["query"]["bool"]["filter"];
        assert_eq!(filters[0], json!({ "term": { "list": { "value": "award/words" } } }));
        assert_eq!(filters[1]["fuzzy"]["word"]["fuzziness"], 2);
        assert_eq!(search["sort"], json!([{ "rank": "asc" }]));
    }
}
