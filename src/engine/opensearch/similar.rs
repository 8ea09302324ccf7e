//! More-like-this search: a union of terms, each with the score of its inverse document frequency.
//!
//! The cluster adds scores in another order and precision than
//! [`SimilarRecord::score`](crate::engine::similarity::SimilarRecord::score) promises, so two scores
//! that are nearly equal could change places. It therefore only selects candidates and states which
//! terms each has. The scores are computed here.

use std::{cmp::Ordering, mem};

use serde_json::{Value, json};

use super::{
    mapping::record,
    query::{CompiledQuery, term},
    response::{Hit, SearchResponse, SortValue},
    searcher::{RecordHit, Searcher, total},
};
use crate::{
    engine::{
        error::Error,
        similarity::{SimilarRecord, idf, select_query_terms},
    },
    model::Role,
};

/// Hits of one search at most.
const STEP: usize = 2_000;

/// Candidates in addition to the ones wanted, for scores that are nearly equal.
const MARGIN: usize = 32;

/// Two scores that differ by a larger part of them have the same order everywhere: a sum of a
/// hundred terms is exact to a smaller part.
const TOLERANCE: f64 = 1e-5;

/// The terms of a search, rarest first.
struct Scoring {
    query: CompiledQuery,
    terms: Vec<String>,
    /// By term.
    scores: Vec<f32>,
}

/// A record that has some of the terms.
struct Candidate {
    score: f32,
    /// The score as the cluster adds it up.
    sorted_by: f64,
    /// Ascending numbers of the terms.
    shared: Vec<usize>,
    /// Days since 1970-01-01.
    date: i64,
    hit: RecordHit,
}

impl Candidate {
    /// Best first.
    fn compare(&self, other: &Candidate) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        let by_date = || other.date.cmp(&self.date);
        by_score
            .then_with(by_date)
            .then_with(|| self.hit.record_id.cmp(&other.hit.record_id))
    }
}

/// The `limit` best of the records that match the query.
pub(crate) fn search(
    searcher: &Searcher,
    query: &CompiledQuery,
    terms: &[String],
    limit: usize,
) -> Result<Vec<SimilarRecord>, Error> {
    let Some(mut search) = SimilarSearch::new(searcher, query, terms, limit) else {
        return Ok(Vec::new());
    };
    loop {
        let responses = match search.searches().as_slice() {
            [] => return search.finish(),
            [only] => vec![searcher.search(only)?],
            several => searcher.multi_search(several.to_vec())?,
        };
        search.read(responses)?;
    }
}

/// A search in rounds, so that the rounds of several searches can be sent together.
pub(crate) struct SimilarSearch<'a> {
    searcher: &'a Searcher<'a>,
    scoring: Scoring,
    limit: usize,
    /// The search for the next candidates, and how many it asks for.
    body: Value,
    asked: usize,
    found: Vec<Candidate>,
    is_tie_counted: bool,
    next: Next,
}

/// What the next round is for.
enum Next {
    Candidates,
    Tie(Tie),
    Nothing,
}

impl<'a> SimilarSearch<'a> {
    /// `None` if nothing can match.
    pub(crate) fn new(
        searcher: &'a Searcher<'a>,
        query: &CompiledQuery,
        terms: &[String],
        limit: usize,
    ) -> Option<SimilarSearch<'a>> {
        let lookup = |term: &str| {
            let frequency = searcher.index.vocabulary.records_with_term(term);
            (frequency > 0).then(|| (frequency, term.to_owned()))
        };
        let selected = select_query_terms(terms, lookup);
        if selected.is_empty() || limit == 0 {
            return None;
        }
        let score = |frequency: u64| idf(searcher.index.records, frequency);
        let (scores, terms) = selected
            .into_iter()
            .map(|(frequency, term)| (score(frequency), term))
            .unzip();
        let query = query.clone();
        let scoring = Scoring { query, terms, scores };
        let asked = limit.saturating_add(MARGIN).min(STEP);
        let with_records = searcher.index.fits_one_response(asked);
        let body = json!({
            "query": scoring.to_json(),
            // The default order among equal scores.
            "sort": [{ "_score": "desc" }, { Role::Date.name(): "desc" }, { Role::RecordId.name(): "asc" }],
            "size": asked,
            "track_total_hits": false,
            "stored_fields": if with_records { json!([record::RECORD]) } else { json!("_none_") },
            "docvalue_fields": [record::BYTES],
        });
        Some(SimilarSearch {
            searcher,
            scoring,
            limit,
            body,
            asked,
            found: Vec::new(),
            is_tie_counted: false,
            next: Next::Candidates,
        })
    }

    /// The maximum number of records that the first round returns.
    pub(crate) fn first_records(&self) -> usize {
        self.asked
    }

    /// The searches of the next round; none when all candidates are found.
    pub(crate) fn searches(&self) -> Vec<Value> {
        match &self.next {
            Next::Candidates => vec![self.body.clone()],
            Next::Tie(tie) => tie.counts(&self.scoring),
            Next::Nothing => Vec::new(),
        }
    }

    /// Reads the responses to the searches of a round.
    pub(crate) fn read(&mut self, responses: Vec<SearchResponse>) -> Result<(), Error> {
        let is_complete = match mem::replace(&mut self.next, Next::Nothing) {
            Next::Candidates => {
                let mut responses = responses.into_iter();
                let hits = responses.next().map(|response| response.hits.hits).unwrap_or_default();
                self.read_candidates(hits)?
            }
            Next::Tie(tie) => tie.has_no_other(&responses, &self.found)?,
            Next::Nothing => true,
        };
        if !is_complete && !matches!(self.next, Next::Tie(_)) {
            // Few of the next candidates are among the best.
            self.asked = STEP;
            self.body["size"] = STEP.into();
            self.body["stored_fields"] = "_none_".into();
            self.next = Next::Candidates;
        }
        Ok(())
    }

    /// Whether all records that could be among the best are found.
    fn read_candidates(&mut self, hits: Vec<Hit>) -> Result<bool, Error> {
        let is_last = hits.len() < self.asked;
        for hit in hits {
            self.body["search_after"] = hit.position();
            self.found.push(self.scoring.candidate(hit)?);
        }
        if is_last {
            return Ok(true);
        }
        let lowest = self.found.last().map_or(0.0, |last| last.sorted_by);
        if self.found.len() < self.limit {
            return Ok(false);
        }
        let (_, last, _) = self.found.select_nth_unstable_by(self.limit - 1, Candidate::compare);
        let tie = Tie {
            floor: f64::from((f64::from(last.score) * (1.0 - TOLERANCE)) as f32),
            shared: last.shared.clone(),
        };
        if lowest < tie.floor || self.scoring.terms.len() == 1 {
            return Ok(true);
        }
        if !self.is_tie_counted {
            self.is_tie_counted = true;
            self.next = Next::Tie(tie);
        }
        Ok(false)
    }

    /// The best records, when there is no further round.
    pub(crate) fn finish(self) -> Result<Vec<SimilarRecord>, Error> {
        let mut best = self.found;
        best.sort_unstable_by(Candidate::compare);
        best.truncate(self.limit);
        let (scores, hits): (Vec<f32>, Vec<RecordHit>) = best.into_iter().map(|found| (found.score, found.hit)).unzip();
        let records = self.searcher.records(hits)?;
        let similar = records.into_iter().zip(scores);
        Ok(similar.map(|(record, score)| SimilarRecord { record, score }).collect())
    }
}

impl Scoring {
    fn to_json(&self) -> Value {
        let clauses = self.terms.iter().zip(&self.scores).enumerate();
        let clauses: Vec<Value> = clauses
            .map(|(number, (term, score))| {
                json!({ "constant_score": {
                    "filter": subject(term),
                    "boost": f64::from(*score),
                    "_name": number.to_string(),
                } })
            })
            .collect();
        self.query.scored_by(&clauses)
    }

    fn candidate(&self, hit: Hit) -> Result<Candidate, Error> {
        let shared = hit.matched_queries.iter().filter_map(|name| name.parse().ok());
        let mut shared: Vec<usize> = shared.collect();
        shared.sort_unstable();
        let hit = RecordHit::read(hit)?;
        Ok(Candidate {
            score: self.score(&shared),
            shared,
            sorted_by: hit.sort.first().and_then(SortValue::as_number).unwrap_or(0.0),
            date: match hit.sort.get(1) {
                Some(SortValue::Integer(days)) => *days,
                _ => i64::MIN,
            },
            hit,
        })
    }

    /// The sum of the scores of the shared terms, rarest first, as in the embedded engine.
    fn score(&self, shared: &[usize]) -> f32 {
        let shared = shared.iter().filter_map(|number| self.scores.get(*number));
        shared.fold(0.0, |sum, score| sum + score)
    }
}

/// The worst of the best candidates, where further candidates could have the same score.
struct Tie {
    /// Every score that could be as high as the score of the candidate, as the cluster adds it up, is at
    /// least this high.
    floor: f64,
    /// The terms of the candidate.
    shared: Vec<usize>,
}

impl Tie {
    /// Searches that count the candidates above the floor, and the records with the terms of this one.
    fn counts(&self, scoring: &Scoring) -> Vec<Value> {
        let mut above = scoring.query.count();
        above["query"] = scoring.to_json();
        above["min_score"] = self.floor.into();
        let mut same = scoring.query.clone();
        for (number, term) in scoring.terms.iter().enumerate() {
            same = if self.shared.contains(&number) {
                same.require(subject(term))
            } else {
                same.exclude(subject(term))
            };
        }
        vec![above, same.count()]
    }

    /// Whether all candidates above the floor that were not found have the same terms as this one.
    /// These others come in the default order, after the ones that were found.
    fn has_no_other(&self, counts: &[SearchResponse], found: &[Candidate]) -> Result<bool, Error> {
        let [above, same] = counts else {
            return Ok(false);
        };
        let is_other = |candidate: &&Candidate| candidate.sorted_by >= self.floor && candidate.shared != self.shared;
        let others = found.iter().filter(is_other).count() as u64;
        Ok(total(above)? == total(same)? + others)
    }
}

/// A clause that matches a similarity term.
fn subject(term_of_text: &str) -> Value {
    term(Role::Subject.name(), term_of_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(score: f32, date: i64, record_id: &str) -> Candidate {
        Candidate {
            score,
            sorted_by: score.into(),
            shared: Vec::new(),
            date,
            hit: RecordHit {
                sort: Vec::new(),
                record_id: record_id.to_owned(),
                bytes: 1,
                record: None,
            },
        }
    }

    #[test]
    fn equal_scores_are_in_the_default_order() {
        let mut found = [
            candidate(1.0, 7, "b"),
            candidate(1.0, 7, "a"),
            candidate(2.0, 3, "z"),
            candidate(1.0, 9, "c"),
        ];
        found.sort_unstable_by(Candidate::compare);
        let ids: Vec<&str> = found.iter().map(|found| found.hit.record_id.as_str()).collect();
        assert_eq!(ids, ["z", "c", "a", "b"]);
    }

    #[test]
    fn a_score_is_added_rarest_first() {
        let scoring = Scoring {
            query: CompiledQuery::default(),
            terms: ["a", "b", "c"].map(str::to_owned).into(),
            scores: vec![16_777_216.0, 1.0, 1.0],
        };
        assert_eq!(scoring.score(&[0, 1, 2]), 16_777_216.0, "1 is lost twice");
        assert_eq!(scoring.score(&[1, 2]), 2.0);
        let clause = &scoring.to_json()["bool"]["should"][0]["constant_score"];
        assert_eq!(clause["filter"], json!({ "term": { "subject": { "value": "a" } } }));
        assert_eq!(
            (&clause["boost"], &clause["_name"]),
            (&json!(16_777_216.0), &json!("0"))
        );
    }
}
