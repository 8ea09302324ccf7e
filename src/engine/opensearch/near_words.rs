//! Near words: a fuzzy search of the vocabulary.
//!
//! Two searches return enough candidates, each the most frequent first: those at distance 1, and
//! those at up to the maximum distance. The distances are computed here.

use serde_json::{Value, json};

use super::{
    client::Client,
    cluster_error::ClusterError,
    document::WordEntry,
    mapping::{MAX_RESULT_WINDOW, word, word_list},
    query::{fuzzy, term},
};
use crate::{
    engine::{
        deadline::Deadline,
        error::Error,
        near_words::{NearWord, max_distance, nearest},
    },
    model::EntityType,
};

/// Up to `limit` words of the texts of an entity type near a folded word. `index` is the name of the
/// vocabulary index.
pub(crate) fn near_words(
    client: &Client,
    index: &str,
    entity_type: EntityType,
    near: &str,
    limit: usize,
    deadline: &Deadline,
) -> Result<Vec<NearWord>, Error> {
    let Some(max) = max_distance(near) else {
        return Ok(Vec::new());
    };
    let limit = limit.min(MAX_RESULT_WINDOW / 2);
    if limit == 0 {
        return Ok(Vec::new());
    }
    let mut searches = vec![(index, search(entity_type, near, 1, limit))];
    if max > 1 {
        // Fewer than `limit` of these are at distance 1, or the first search returns enough.
        searches.push((index, search(entity_type, near, max, 2 * limit)));
    }
    deadline.check()?;
    let mut candidates: Vec<(String, u64)> = Vec::new();
    for response in client.multi_search(&searches, deadline)? {
        for hit in response.hits.hits {
            let source = hit.source.ok_or_else(|| unreadable("a word has no source"))?;
            let entry: WordEntry = serde_json::from_str(source.get()).map_err(unreadable)?;
            candidates.push((entry.word, entry.documents));
        }
    }
    candidates.sort_unstable();
    candidates.dedup();
    Ok(nearest(near, candidates, limit))
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
    use super::*;

    #[test]
    fn words_are_searched_by_list_and_distance() {
        let search = search(EntityType::Award, "deneigment", 2, 10);
        let filters = &search["query"]["bool"]["filter"];
        assert_eq!(filters[0], json!({ "term": { "list": { "value": "award/words" } } }));
        assert_eq!(filters[1]["fuzzy"]["word"]["fuzziness"], 2);
        assert_eq!(search["sort"], json!([{ "rank": "asc" }]));
    }
}
