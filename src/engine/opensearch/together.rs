//! Searches for records that are sent together: round by round, each round in as few requests as
//! its responses allow.

use bytes::Bytes;
use serde_json::Value;

use super::{client::Client, page::PageSearch, response::SearchResponse, searcher::Searcher, similar::SimilarSearch};
use crate::engine::{deadline::Deadline, error::Error};

/// A search that is about to be sent.
pub(crate) enum Planned<'a> {
    /// Nothing can match.
    Nothing,
    Page(&'a Searcher<'a>, PageSearch<'a>),
    Similar(&'a Searcher<'a>, SimilarSearch<'a>),
}

/// The maximum size of the responses to one request, three quarters of what the client reads.
const MAX_BYTES: u64 = 192 << 20;

/// The maximum number of searches of one request, so that it ends within the time of a request.
const MAX_SEARCHES: usize = 200;

/// The records of the searches, in their order.
pub(crate) fn records_of(
    client: &Client,
    mut planned: Vec<Planned>,
    deadline: &Deadline,
) -> Result<Vec<Vec<Bytes>>, Error> {
    loop {
        let round: Vec<Round> = planned.iter().enumerate().filter_map(Planned::round).collect();
        if round.is_empty() {
            break;
        }
        let mut answers = Vec::with_capacity(round.len());
        for request in requests(&round) {
            deadline.check()?;
            let searches = request.iter().flat_map(|round| {
                let named = |search: &Value| (round.index.as_str(), search.clone());
                round.searches.iter().map(named)
            });
            let mut responses = client
                .multi_search(&searches.collect::<Vec<_>>(), deadline)?
                .into_iter();
            for round in request {
                let of_search = responses.by_ref().take(round.searches.len()).collect();
                answers.push((round.number, of_search));
            }
        }
        for (number, responses) in answers {
            planned[number].read(responses)?;
        }
    }
    planned.into_iter().map(Planned::finish).collect()
}

/// What one search needs in the next round.
struct Round {
    /// The number of the search.
    number: usize,
    index: String,
    searches: Vec<Value>,
    max_bytes: u64,
}

impl Planned<'_> {
    /// `None` if nothing is left to send.
    fn round((number, planned): (usize, &Planned)) -> Option<Round> {
        let (searcher, searches, records) = match planned {
            Planned::Nothing => return None,
            Planned::Page(searcher, page) => (
                searcher,
                page.first().into_iter().collect::<Vec<_>>(),
                page.first_records(),
            ),
            Planned::Similar(searcher, similar) => (searcher, similar.searches(), similar.first_records()),
        };
        (!searches.is_empty()).then(|| Round {
            number,
            index: searcher.index.name.clone(),
            searches,
            max_bytes: searcher.index.max_response_bytes(records),
        })
    }

    fn read(&mut self, responses: Vec<SearchResponse>) -> Result<(), Error> {
        match self {
            Planned::Nothing => Ok(()),
            Planned::Page(_, page) => {
                responses.into_iter().for_each(|response| page.read_first(response));
                Ok(())
            }
            Planned::Similar(_, similar) => similar.read(responses),
        }
    }

    fn finish(self) -> Result<Vec<Bytes>, Error> {
        match self {
            Planned::Nothing => Ok(Vec::new()),
            Planned::Page(_, page) => Ok(page.finish()?.records),
            Planned::Similar(_, similar) => {
                let similar = similar.finish()?;
                Ok(similar.into_iter().map(|similar| similar.record).collect())
            }
        }
    }
}

/// Cuts a round into requests whose responses fit. A search that does not fit has one of its own.
fn requests(round: &[Round]) -> Vec<&[Round]> {
    let mut requests = Vec::new();
    let (mut start, mut bytes, mut searches) = (0, 0u64, 0);
    for (number, next) in round.iter().enumerate() {
        bytes = bytes.saturating_add(next.max_bytes);
        searches += next.searches.len();
        if number > start && (bytes > MAX_BYTES || searches > MAX_SEARCHES) {
            requests.push(&round[start..number]);
            (start, bytes, searches) = (number, next.max_bytes, next.searches.len());
        }
    }
    requests.push(&round[start..]);
    requests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_one_request_if_its_responses_fit() {
        let round = |sizes: &[u64]| -> Vec<usize> {
            let round = |max_bytes: &u64| Round {
                number: 0,
                index: String::new(),
                searches: vec![Value::Null],
                max_bytes: *max_bytes,
            };
            let rounds: Vec<Round> = sizes.iter().map(round).collect();
            requests(&rounds).into_iter().map(<[Round]>::len).collect()
        };
        assert_eq!(round(&[1; 140]), [140]);
        assert_eq!(round(&[1; 201]), [200, 1]);
        assert_eq!(round(&[MAX_BYTES, 1, u64::MAX, 1, 1]), [1, 1, 1, 2]);
        assert_eq!(round(&[MAX_BYTES - 1, 1, 1]), [2, 1]);
    }
}
