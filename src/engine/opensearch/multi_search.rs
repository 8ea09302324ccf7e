//! Searches that are sent multi_search, in as few requests as their size allows: searches for records
//! round by round, counts and other searches with a small response at once.

use bytes::Bytes;
use serde_json::Value;

use super::{
    client::Client,
    page::PageSearch,
    query::CompiledQuery,
    response::SearchResponse,
    searcher::{Searcher, total},
    similar::SimilarSearch,
};
use crate::engine::{deadline::Deadline, error::Error};

/// A search that is about to be sent.
pub(crate) enum PlannedSearch<'a> {
    /// Nothing can match.
    Nothing,
    Page(&'a Searcher<'a>, PageSearch<'a>),
    Similar(&'a Searcher<'a>, SimilarSearch<'a>),
}

/// The maximum size of the responses to one request, three quarters of what the client reads.
const MAX_RESPONSE_BYTES: u64 = 192 << 20;

/// The maximum size of the queries of one request. The cluster reads up to 100 MB
/// (`http.max_content_length`), and a proxy in front of it less.
const MAX_REQUEST_BYTES: u64 = 8 << 20;

/// The maximum number of searches of one request, so that it ends within the time of a request.
const MAX_SEARCHES: usize = 200;

/// The records of the searches, in their order.
pub(crate) fn records_of(
    client: &Client,
    mut planned: Vec<PlannedSearch>,
    deadline: &Deadline,
) -> Result<Vec<Vec<Bytes>>, Error> {
    loop {
        let round: Vec<Round> = planned.iter().enumerate().filter_map(PlannedSearch::round).collect();
        if round.is_empty() {
            break;
        }
        let mut answers = Vec::with_capacity(round.len());
        let size = |round: &Round| (round.searches.len(), round.max_bytes);
        for request in requests(&round, MAX_RESPONSE_BYTES, size) {
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
    planned.into_iter().map(PlannedSearch::finish).collect()
}

/// The number of matches of each query, which is given with the name of its index; in the order of
/// the queries.
pub(crate) fn totals(
    client: &Client,
    queries: &[(&str, CompiledQuery)],
    deadline: &Deadline,
) -> Result<Vec<u64>, Error> {
    let searches: Vec<(&str, Value)> = queries.iter().map(|(index, query)| (*index, query.count())).collect();
    let size = |(_, search): &(&str, Value)| (1, search.to_string().len() as u64);
    let mut totals = Vec::with_capacity(searches.len());
    for request in requests(&searches, MAX_REQUEST_BYTES, size) {
        deadline.check()?;
        for response in client.multi_search(request, deadline)? {
            totals.push(total(&response)?);
        }
    }
    Ok(totals)
}

/// What one search needs in the next round.
struct Round {
    /// The number of the search.
    number: usize,
    index: String,
    searches: Vec<Value>,
    max_bytes: u64,
}

impl PlannedSearch<'_> {
    /// `None` if nothing is left to send.
    fn round((number, planned): (usize, &PlannedSearch)) -> Option<Round> {
        let (searcher, searches, records) = match planned {
            PlannedSearch::Nothing => return None,
            PlannedSearch::Page(searcher, page) => (
                searcher,
                page.first().into_iter().collect::<Vec<_>>(),
                page.first_records(),
            ),
            PlannedSearch::Similar(searcher, similar) => (searcher, similar.searches(), similar.first_records()),
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
            PlannedSearch::Nothing => Ok(()),
            PlannedSearch::Page(_, page) => {
                responses.into_iter().for_each(|response| page.read_first(response));
                Ok(())
            }
            PlannedSearch::Similar(_, similar) => similar.read(responses),
        }
    }

    fn finish(self) -> Result<Vec<Bytes>, Error> {
        match self {
            PlannedSearch::Nothing => Ok(Vec::new()),
            PlannedSearch::Page(_, page) => Ok(page.finish()?.records),
            PlannedSearch::Similar(_, similar) => {
                let similar = similar.finish()?;
                Ok(similar.into_iter().map(|similar| similar.record).collect())
            }
        }
    }
}

/// Cuts a list into requests of up to [`MAX_SEARCHES`] searches and up to a number of bytes. `size`
/// returns how many of each an item of the list has. One that is too large has a request of its own.
fn requests<T>(items: &[T], max_bytes: u64, size: impl Fn(&T) -> (usize, u64)) -> Vec<&[T]> {
    let mut requests = Vec::new();
    let (mut start, mut bytes, mut searches) = (0, 0u64, 0);
    for (number, next) in items.iter().enumerate() {
        let (next_searches, next_bytes) = size(next);
        bytes = bytes.saturating_add(next_bytes);
        searches += next_searches;
        if number > start && (bytes > max_bytes || searches > MAX_SEARCHES) {
            requests.push(&items[start..number]);
            (start, bytes, searches) = (number, next_bytes, next_searches);
        }
    }
    if start < items.len() {
        requests.push(&items[start..]);
    }
    requests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_one_request_if_it_fits() {
        const MAX: u64 = 1_000;
        let lengths = |sizes: &[u64]| -> Vec<usize> {
            let requests = requests(sizes, MAX, |bytes| (1, *bytes));
            requests.into_iter().map(<[u64]>::len).collect()
        };
        assert_eq!(lengths(&[]), [0; 0]);
        assert_eq!(lengths(&[1; 140]), [140]);
        assert_eq!(lengths(&[1; 201]), [200, 1]);
        assert_eq!(lengths(&[MAX, 1, u64::MAX, 1, 1]), [1, 1, 1, 2]);
        assert_eq!(lengths(&[MAX - 1, 1, 1]), [2, 1]);
        let of_two = requests(&[(); 101], MAX, |()| (2, 0));
        assert_eq!(of_two.into_iter().map(<[()]>::len).collect::<Vec<_>>(), [100, 1]);
    }
}
