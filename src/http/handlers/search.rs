//! `GET /{entity_type}`: a page of records.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use actix_web::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline, Hits,
        aggregation::{Aggregation, FacetBuckets, ValueAggregation},
    },
    http::{
        call::Call,
        cost::{Counting, MAX_QUICK_RECORDS},
        error::ApiError,
        findings::{
            condition_costs,
            explanation::{self, Explanation, explanation},
            suggestions::{self, Suggestion, suggestions},
        },
        handlers::facet_counts::{CountedFacet, counted_terms, kept_facet},
        params::{
            read::next_query,
            resolve::{ResolveContext, Search},
            search::SearchParams,
        },
        route::{Answer, Endpoint, ErrorResponse, Link, Parameters, RateLimitHeaders, Route},
        search_pool::Lane,
        work::{Reply, Work},
    },
    model::{EntityType, Facet, Role},
    query::{
        Filter, SearchQuery, SortKey, Start,
        cursor::Cursor,
        text::{Clause, Term, TextQuery},
    },
};

pub(crate) const SEARCH: Route = Route {
    id: "search",
    endpoint: Endpoint::EntityType("", get),
    about: "Search records of an entity type",
    parameters: Parameters::Search(None, None),
    answer: Answer::Page,
    headers: &["Link", "X-Total-Count", "X-Limit-Applied", "X-Ignored-Parameters"],
    errors: &[INVALID_PAGE],
    links: &[
        Link {
            name: "record",
            to: "get",
            about: "The first record of the page",
            parameters: &[("record_id", "$response.body#/results/0/record_id")],
            ..Link::DEFAULT
        },
        Link {
            name: "next",
            to: "search",
            about: "The next page: the same search, with the cursor",
            parameters: &[("cursor", "$response.body#/next_cursor")],
            repeats_query: true,
            ..Link::DEFAULT
        },
    ],
    ..Route::DEFAULT
};

/// The 400 of the endpoints that page through records.
pub(crate) const INVALID_PAGE: ErrorResponse = ErrorResponse {
    status: "400",
    name: "BadRequest",
    about: "The page cannot be returned: an `offset` above 9500, or a `cursor` with `sort_by=value` or `sort_by=relevance`, with an `offset`, or of another search. Also \
bytes that are not an HTTP request: a malformed request line, header or body length, a missing `host`",
    example: |_| "parameter 'offset': '9501' is above 9500; use 'cursor' for deep paging".to_owned(),
    rate_limit: RateLimitHeaders::Sometimes,
};

/// Decision D-33: the number of all matches, if it was requested or the response has no body to hold it.
const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// What was counted in addition to the page.
#[derive(Default)]
struct Counted {
    total: Option<u64>,
    facets: Option<BTreeMap<&'static str, CountedFacet>>,
    /// `None` unless they were asked for and nothing was found.
    suggestions: Option<Vec<Suggestion>>,
    explanation: Option<Explanation>,
}

fn get(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    let given = SearchParams::read(entity_type, call.query)?;
    let search = given.resolve(&ResolveContext::of(call, entity_type))?;
    let facets: BTreeSet<&'static str> = search.facets.iter().map(|facet| facet.name()).collect();
    let normal_form = (search.query.clone(), search.page.clone(), facets, search.include_total);
    let normal_form = (normal_form, search.suggest, search.explain);
    let is_counted = search.include_total || call.is_head;
    let counting = counting(&call.generation, &search, is_counted);
    let (generation, query) = (call.generation.clone(), call.query.to_owned());
    let (lane, is_look_up) = (
        lane(&call.generation, &search, counting),
        is_look_up(&search, is_counted),
    );
    let run = move |deadline: Deadline| {
        let started = Instant::now();
        let hits = generation
            .engine
            .search(&search.query, &search.page, deadline.clone())?;
        let found = Instant::now();
        let is_nothing = hits.records.is_empty() && search.page.start == Start::Offset(0);
        let mut counted = count(&generation, &search, is_counted, is_nothing, &deadline)?;
        if search.explain {
            let times = (started, found);
            let explained = explanation(&generation, &search, counted.total, times, &deadline)?;
            counted.explanation = Some(explained);
        }
        counted.suggestions = suggested(&generation, &search, &hits, &counted, &deadline)?;
        let next = next_cursor(&search, &hits);
        let headers = headers(&search, &query, &hits, next.as_deref(), counted.total)?;
        let body = page(&search, &hits, next.as_deref(), &counted)?;
        Ok(Reply::from(body).with_headers(headers))
    };
    let work = if is_look_up {
        Work::look_up(&call.generation, run)
    } else {
        Work::search(run)
    };
    let work = work.in_lane(lane).with_cost(counting.cost());
    // Decision D-238: the timings of an explanation differ between equal requests. The tag is weak, so it may be the same.
    work.for_request(&normal_form)
}

/// What a search counts, and how often it searches for its text: for the page, for what is counted, and for each
/// condition that is explained. The total of all records need not be counted.
fn counting(generation: &Generation, search: &Search, is_counted: bool) -> Counting {
    let is_total_counted = is_counted && !search.query.matches_all();
    let mut counts = search.facets.len() + usize::from(is_total_counted);
    if search.explain {
        counts += explanation::counts(search);
    }
    if search.explain || search.suggest {
        counts += suggestions::counts(search.query.text.as_ref());
    }
    let mut searches = 1 + usize::from(counts > 0);
    if search.explain {
        searches += condition_costs::counts(search);
    }
    Counting::of(generation, &[(search.query.entity_type, counts)]).with_phrases(generation, &search.query, searches)
}

/// Near words, if nothing is found: on the first page, or by the total.
fn suggested(
    generation: &Generation,
    search: &Search,
    hits: &Hits,
    counted: &Counted,
    deadline: &Deadline,
) -> Result<Option<Vec<Suggestion>>, ApiError> {
    let is_first = search.page.start == Start::Offset(0);
    let total = counted.explanation.as_ref().map(|explained| explained.total);
    let is_nothing = total
        .or(counted.total)
        .map_or(is_first && hits.records.is_empty(), |total| total == 0);
    match &search.query.text {
        Some(text) if is_nothing && (search.suggest || search.explain) => {
            Ok(Some(suggestions(generation, search.query.entity_type, text, deadline)?))
        }
        _ => Ok(None),
    }
}

/// Decision D-151: in a large collection, counts, phrases, and the matches of a text in an order that is not the index's
/// own take long (`docs/performance.md`); everything else stops when the page is full.
fn lane(generation: &Generation, search: &Search, counting: Counting) -> Lane {
    let records = generation.manifest_of(search.query.entity_type).records;
    if records > MAX_QUICK_RECORDS && reads_all_matches(&search.query) {
        Lane::Heavy
    } else {
        counting.lane()
    }
}

/// Whether a search without counts may read many more matches than its page has.
fn reads_all_matches(query: &SearchQuery) -> bool {
    let is_slow = |text: &TextQuery| has_phrase(text) || query.sort.key != SortKey::Date;
    query.text.as_ref().is_some_and(is_slow)
}

fn has_phrase(text: &TextQuery) -> bool {
    let is_phrase = |term: &Term| matches!(term, Term::Phrase(_));
    text.clauses().iter().any(|clause| match clause {
        Clause::Any(terms) => terms.iter().any(is_phrase),
        Clause::Not(term) => is_phrase(term),
    })
}

/// The maximum number of records that are copied on the thread that serves the connection.
const MAX_INLINE_RECORDS: usize = 100;

/// Whether the page is a range of the index: its records follow one another, and nothing else is read.
fn is_look_up(search: &Search, is_counted: bool) -> bool {
    let Search {
        query,
        page,
        facets,
        explain,
        ..
    } = search;
    let is_event_date = |filter: &Filter| matches!(filter, Filter::Dates { role: Role::Date, .. });
    query.text.is_none()
        && query.sort.key == SortKey::Date
        && query.filters.iter().all(is_event_date)
        && page.limit <= MAX_INLINE_RECORDS
        && facets.is_empty()
        && !is_counted
        && !explain
}

fn headers(
    search: &Search,
    query: &str,
    hits: &Hits,
    next: Option<&str>,
    total: Option<u64>,
) -> Result<Vec<(HeaderName, HeaderValue)>, ApiError> {
    let mut headers = search.headers(hits);
    if let Some(cursor) = next {
        headers.push(next_link(&format!("/{}", search.query.entity_type), query, cursor)?);
    }
    headers.extend(total.map(|total| (TOTAL_COUNT, HeaderValue::from(total))));
    Ok(headers)
}

/// Counts all matches and the facets, as far as they were requested. `is_nothing` states that the first page is empty.
fn count(
    generation: &Generation,
    search: &Search,
    is_counted: bool,
    is_nothing: bool,
    deadline: &Deadline,
) -> Result<Counted, ApiError> {
    if !is_counted && search.facets.is_empty() {
        return Ok(Counted::default());
    }
    let kept = kept_facet(generation, search);
    let is_kept = |facet: &Facet| kept.as_ref().is_some_and(|(kept, _)| kept == facet);
    let facets = search.facets.iter().filter(|facet| !is_kept(facet));
    let facets: Vec<_> = facets.copied().map(counted_terms).collect();
    let mut aggregation = if facets.is_empty() && search.query.matches_all() {
        Aggregation {
            total: generation.manifest_of(search.query.entity_type).records,
            ..Aggregation::default()
        }
    } else if facets.is_empty() && is_nothing {
        // Phrases that no record has are read to the end, so they are not searched again.
        Aggregation::default()
    } else {
        let none = ValueAggregation::None;
        generation
            .engine
            .aggregate(&search.query, &facets, none, deadline.clone())?
    };
    aggregation.facets.extend(kept);
    let counted =
        |(facet, counts): (Facet, FacetBuckets)| (facet.name(), CountedFacet::new(generation, search, facet, counts));
    let facets: BTreeMap<_, _> = aggregation.facets.into_iter().map(counted).collect();
    Ok(Counted {
        facets: Some(facets).filter(|facets| !facets.is_empty()),
        total: is_counted.then_some(aggregation.total),
        ..Counted::default()
    })
}

fn next_cursor(search: &Search, hits: &Hits) -> Option<String> {
    let position = hits.next.clone()?;
    Some(Cursor::new(&search.query, position).encode())
}

/// The `Link` header for the next page. The address has no host, so that it is valid behind any gateway.
pub(crate) fn next_link(path: &str, query: &str, cursor: &str) -> Result<(HeaderName, HeaderValue), ApiError> {
    let query = next_query(query, cursor)?;
    let link = HeaderValue::from_str(&format!("<{path}?{query}>; rel=\"next\"")).map_err(ApiError::internal)?;
    Ok((header::LINK, link))
}

/// Writes the page; the records are the bytes they were indexed from.
fn page(search: &Search, hits: &Hits, next: Option<&str>, counted: &Counted) -> Result<Bytes, ApiError> {
    let offset = match search.page.start {
        Start::Offset(offset) => offset,
        Start::After(_) => 0,
    };
    let size: usize = hits.records.iter().map(|record| record.len() + 1).sum();
    let mut body = Vec::with_capacity(size + 256 + next.map_or(0, str::len));
    let (entity_type, count) = (search.query.entity_type, hits.records.len());
    body.extend_from_slice(format!(r#"{{"entity_type":"{entity_type}","count":{count},"offset":{offset},"#).as_bytes());
    if let Some(cursor) = next {
        // A cursor is base64url, so nothing in it has to be escaped.
        body.extend_from_slice(format!(r#""next_cursor":"{cursor}","#).as_bytes());
    }
    if let Some(total) = counted.total.filter(|_| search.include_total) {
        body.extend_from_slice(format!(r#""total":{total},"#).as_bytes());
    }
    if let Some(facets) = &counted.facets {
        body.extend_from_slice(br#""facets":"#);
        serde_json::to_writer(&mut body, facets).map_err(ApiError::internal)?;
        body.push(b',');
    }
    if let Some(suggestions) = &counted.suggestions {
        body.extend_from_slice(br#""suggestions":"#);
        serde_json::to_writer(&mut body, suggestions).map_err(ApiError::internal)?;
        body.push(b',');
    }
    if let Some(explanation) = &counted.explanation {
        body.extend_from_slice(br#""explain":"#);
        serde_json::to_writer(&mut body, explanation).map_err(ApiError::internal)?;
        body.push(b',');
    }
    body.extend_from_slice(br#""results":["#);
    for (number, record) in hits.records.iter().enumerate() {
        if number > 0 {
            body.push(b',');
        }
        body.extend_from_slice(record);
    }
    body.extend_from_slice(b"]}");
    Ok(Bytes::from(body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        http::params::include::Include,
        query::{Page, Sort},
    };

    fn search(text: Option<&str>, key: SortKey, filters: Vec<Filter>, limit: usize) -> Search {
        let newest = SearchQuery::newest(EntityType::Contract, filters);
        let query = SearchQuery {
            text: text.map(|text| TextQuery::parse(text).unwrap()),
            sort: Sort { key, ..newest.sort },
            ..newest
        };
        let start = Start::Offset(0);
        Search {
            query,
            page: Page { limit, start },
            ignored: Vec::new(),
            lowered_limit: None,
            facets: Vec::new(),
            include_total: false,
            conditions: Vec::new(),
            commodity: None,
            translation: None,
            suggest: false,
            explain: false,
            include: Include::default(),
        }
    }

    #[test]
    fn phrases_and_texts_in_another_order_are_expensive() {
        for (text, key, is_expensive) in [
            (None, SortKey::Date, false),
            (None, SortKey::Value, false),
            (Some("snow OR ice -salt"), SortKey::Date, false),
            (Some("snow"), SortKey::Value, true),
            (Some("snow \"road salt\""), SortKey::Date, true),
            (Some("snow OR \"road salt\""), SortKey::Date, true),
            (Some("-\"road salt\""), SortKey::Date, true),
        ] {
            let query = search(text, key, Vec::new(), 50).query;
            assert_eq!(reads_all_matches(&query), is_expensive, "{text:?} by {key:?}");
        }
    }

    #[test]
    fn only_ranges_of_the_index_are_look_ups() {
        let range = |role| Filter::Dates {
            role,
            from: None,
            to: None,
        };
        for (is_expected, search) in [
            (true, search(None, SortKey::Date, Vec::new(), 100)),
            (true, search(None, SortKey::Date, vec![range(Role::Date)], 1)),
            (false, search(None, SortKey::Date, vec![range(Role::ClosingDate)], 1)),
            (false, search(None, SortKey::Date, Vec::new(), 101)),
            (false, search(None, SortKey::Value, Vec::new(), 1)),
            (false, search(Some("snow"), SortKey::Date, Vec::new(), 1)),
        ] {
            assert_eq!(is_look_up(&search, false), is_expected, "{search:?}");
            assert!(!is_look_up(&search, true), "{search:?}");
        }
    }
}
