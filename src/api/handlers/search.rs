//! `GET /{entity_type}`: a page of records.

use actix_web::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;
use serde::Serialize;

use crate::{
    api::{
        analysis::search_plan::{SearchPlan, SearchResults},
        params::{
            paging::TOTAL_COUNT,
            read::next_query,
            resolve::{ResolveContext, ResolvedSearch},
            search::SearchParams,
        },
        route::{Answer, Endpoint, ErrorResponse, Link, Parameters, RateLimitHeaders, Route},
    },
    catalog::ask::Ask,
    engine::Hits,
    http::{
        call::Call,
        error::ApiError,
        work::{Reply, Work},
    },
    model::EntityType,
    query::{Start, cursor::Cursor},
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

fn get(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    let given = SearchParams::read(entity_type, call.query)?;
    let search = given.resolve(&ResolveContext::of(call, entity_type))?;
    let plan = SearchPlan::new(&call.generation, search, call.is_head);
    let (normal_form, is_look_up) = (plan.normal_form(), plan.is_look_up());
    let (cost, lane) = (plan.cost(&call.generation).cost(), plan.lane(&call.generation));
    let query = call.whole_query.to_owned();
    let run = move |ask: &Ask| reply(&plan.search, &query, &plan.run(ask)?);
    let work = if is_look_up {
        Work::look_up(&call.generation, run)
    } else {
        Work::search(&call.generation, run)
    };
    // The timings of an explanation differ between equal requests. The tag is weak, so it may be the same.
    work.in_lane(lane).with_cost(cost).for_request(&normal_form)
}

fn reply(search: &ResolvedSearch, query: &str, found: &SearchResults) -> Result<Reply, ApiError> {
    let next = next_cursor(search, &found.hits);
    let mut headers = search.headers(&found.hits);
    if let Some(cursor) = &next {
        headers.push(next_link(&format!("/{}", search.query.entity_type), query, cursor)?);
    }
    headers.extend(found.total.map(|total| (TOTAL_COUNT, HeaderValue::from(total))));
    Ok(Reply::from(page(search, found, next.as_deref())?).with_headers(headers))
}

fn next_cursor(search: &ResolvedSearch, hits: &Hits) -> Option<String> {
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
fn page(search: &ResolvedSearch, found: &SearchResults, next: Option<&str>) -> Result<Bytes, ApiError> {
    let offset = match search.page.start {
        Start::Offset(offset) => offset,
        Start::After(_) => 0,
    };
    let records = &found.hits.records;
    let size: usize = records.iter().map(|record| record.len() + 1).sum();
    let mut body = Vec::with_capacity(size + 256 + next.map_or(0, str::len));
    let (entity_type, count) = (search.query.entity_type, records.len());
    body.extend_from_slice(format!(r#"{{"entity_type":"{entity_type}","count":{count},"offset":{offset}"#).as_bytes());
    let total = found.total.filter(|_| search.include_total);
    member(&mut body, "next_cursor", &next)?;
    member(&mut body, "total", &total)?;
    member(&mut body, "facets", &found.facets)?;
    member(&mut body, "suggestions", &found.suggestions)?;
    member(&mut body, "explain", &found.explanation)?;
    member(&mut body, "coverage", &found.coverage)?;
    body.extend_from_slice(br#","results":["#);
    for (number, record) in records.iter().enumerate() {
        if number > 0 {
            body.push(b',');
        }
        body.extend_from_slice(record);
    }
    body.extend_from_slice(b"]}");
    Ok(Bytes::from(body))
}

/// Writes a member of the response, if it has it.
fn member<T: Serialize>(body: &mut Vec<u8>, name: &str, value: &Option<T>) -> Result<(), ApiError> {
    if let Some(value) = value {
        body.extend_from_slice(format!(",\"{name}\":").as_bytes());
        serde_json::to_writer(body, value).map_err(ApiError::internal)?;
    }
    Ok(())
}
