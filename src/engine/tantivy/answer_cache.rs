//! The last answers of one generation to requests for statistics: people turn pages and go back, and a page of a search
//! asks for the same counts as the one before it.

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    engine::aggregation::{Aggregation, TermsAggregation, ValueAggregation},
    query::SearchQuery,
};

/// Up to [`MAX_ANSWERS`] answers with up to [`MAX_BUCKETS`] buckets together: some megabytes.
#[derive(Default)]
pub(super) struct AnswerCache(Mutex<Answers>);

#[derive(Default)]
struct Answers {
    by_request: HashMap<String, Answer>,
    buckets: usize,
    /// The number of look-ups.
    now: u64,
}

struct Answer {
    aggregation: Aggregation,
    last_used: u64,
}

const MAX_ANSWERS: usize = 1000;
const MAX_BUCKETS: usize = 50_000;

/// A larger answer would displace too many others.
const MAX_BUCKETS_OF_ONE: usize = MAX_BUCKETS / 20;

/// A request in a normal form; the sort does not matter.
pub(super) fn key(query: &SearchQuery, terms: &[TermsAggregation], values: ValueAggregation) -> String {
    let SearchQuery {
        entity_type,
        text,
        filters,
        ..
    } = query;
    format!("{entity_type:?} {text:?} {filters:?} {terms:?} {values:?}")
}

impl AnswerCache {
    pub(super) fn get(&self, key: &str) -> Option<Aggregation> {
        let mut answers = self.lock();
        answers.now += 1;
        let now = answers.now;
        let answer = answers.by_request.get_mut(key)?;
        answer.last_used = now;
        Some(answer.aggregation.clone())
    }

    pub(super) fn insert(&self, key: String, aggregation: &Aggregation) {
        let buckets = buckets_of(aggregation);
        if buckets > MAX_BUCKETS_OF_ONE {
            return;
        }
        let mut answers = self.lock();
        let answer = Answer {
            aggregation: aggregation.clone(),
            last_used: answers.now,
        };
        if answers.by_request.insert(key, answer).is_none() {
            answers.buckets += buckets;
        }
        if answers.by_request.len() > MAX_ANSWERS || answers.buckets > MAX_BUCKETS {
            answers.remove_half();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers {
    /// Removes those that were not used for the longest time, until half of either limit is left: so an insertion costs
    /// little on average.
    fn remove_half(&mut self) {
        let mut answers: Vec<(String, Answer)> = self.by_request.drain().collect();
        answers.sort_unstable_by_key(|(_, answer)| Reverse(answer.last_used));
        self.buckets = 0;
        for (request, answer) in answers.into_iter().take(MAX_ANSWERS / 2) {
            self.buckets += buckets_of(&answer.aggregation);
            if self.buckets > MAX_BUCKETS / 2 {
                self.buckets -= buckets_of(&answer.aggregation);
                break;
            }
            self.by_request.insert(request, answer);
        }
    }
}

fn buckets_of(aggregation: &Aggregation) -> usize {
    let of_facets = aggregation.facets.values().map(|facet| facet.buckets.len());
    of_facets.sum::<usize>() + aggregation.combinations.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::aggregation::{FacetBucket, FacetBuckets, Money},
        model::{EntityType, Facet},
        query::text::TextQuery,
    };

    fn with_buckets(number: usize) -> Aggregation {
        let bucket = FacetBucket {
            value: "a".to_owned(),
            count: 1,
            total_value: Money::default(),
        };
        let buckets = FacetBuckets {
            buckets: vec![bucket; number],
            ..FacetBuckets::default()
        };
        Aggregation {
            total: number as u64,
            facets: [(Facet::Vendor, buckets)].into(),
            ..Aggregation::default()
        }
    }

    #[test]
    fn the_answers_used_last_stay() {
        let cache = AnswerCache::default();
        for number in 0..5 * MAX_ANSWERS {
            cache.insert(number.to_string(), &with_buckets(1));
            assert!(cache.get("0").is_some(), "{number}");
        }
        assert!(cache.lock().by_request.len() <= MAX_ANSWERS);
        assert!(cache.get("1").is_none());
        cache.insert("large".to_owned(), &with_buckets(MAX_BUCKETS_OF_ONE + 1));
        assert!(cache.get("large").is_none());
        for number in 0..50 {
            cache.insert(format!("many {number}"), &with_buckets(MAX_BUCKETS_OF_ONE));
            assert!(cache.lock().buckets <= MAX_BUCKETS, "{number}");
        }
    }

    #[test]
    fn different_requests_have_different_keys() {
        let query = |text: &str| SearchQuery {
            text: Some(TextQuery::parse(text).unwrap()),
            ..SearchQuery::newest(EntityType::Contract, Vec::new())
        };
        let terms = |size| [TermsAggregation::top(size, Facet::Vendor)];
        let (sum, none) = (ValueAggregation::Sum, ValueAggregation::None);
        let keys = [
            key(&query("snow"), &terms(1), sum),
            key(&query("snow"), &terms(2), sum),
            key(&query("snow"), &terms(1).map(TermsAggregation::without_sums), sum),
            key(&query("snow"), &terms(1), none),
            key(&query("\"snow road\""), &terms(1), sum),
            key(&query("snow road"), &terms(1), sum),
            key(&query("-snow"), &terms(1), sum),
            key(&SearchQuery::newest(EntityType::Contract, Vec::new()), &terms(1), sum),
            key(&SearchQuery::newest(EntityType::Award, Vec::new()), &terms(1), sum),
        ];
        for (number, key) in keys.iter().enumerate() {
            assert!(!keys[..number].contains(key), "{key}");
        }
    }
}
