//! `GET /{entity_type}`: a page of records in the list envelope.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline, Hits,
        aggregation::{TermsAggregation, ValueAggregation},
    },
    http::{
        Call, Reply, Work,
        error::ApiError,
        handlers::stats::{Share, shares},
        params::{
            next_query,
            resolve::{Search, World},
            search::SearchParams,
        },
    },
    model::{entity_type::EntityType, facet::Facet},
    query::{Start, cursor::Cursor},
};

/// Spec silent: the number of all matches, where it was asked for or the answer has no body to hold it.
const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// Spec silent: the most values of a facet that are named; the rest is told by `distinct` and `other`.
const MOST_VALUES: usize = 50;

/// Spec silent: the counts of one facet, over all matches.
#[derive(Serialize, JsonSchema)]
#[schemars(description = "The counts of one facet, over all matches")]
pub struct FacetCounts {
    /// The most frequent first, 50 at most.
    values: Vec<Share>,
    /// How many values there are, named or not.
    distinct: u64,
    /// FacetBuckets of the values that are not named.
    other: u64,
}

/// What was counted beside the page.
#[derive(Default)]
struct Counted {
    total: Option<u64>,
    facets: Option<BTreeMap<&'static str, FacetCounts>>,
}

pub fn get(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    let search = SearchParams::read(entity_type, call.query)?.resolve(&World::of(call, entity_type))?;
    // What decides the body, however the address was written.
    let facets: BTreeSet<&'static str> = search.facets.iter().map(|facet| facet.name()).collect();
    let asked = (search.query.clone(), search.page.clone(), facets, search.include_total);
    let is_counted = search.include_total || call.is_head;
    let (generation, query) = (call.generation.clone(), call.query.to_owned());
    let work = Work::pooled(move |deadline| {
        let hits = generation
            .engine
            .search(&search.query, &search.page, deadline.clone())?;
        let counted = count(&generation, &search, is_counted, deadline)?;
        let next = next_cursor(&search, &hits);
        let mut headers = search.notes();
        if let Some(cursor) = &next {
            headers.push(link(&format!("/{entity_type}"), &next_query(&query, cursor)?)?);
        }
        if let Some(total) = counted.total {
            headers.push((TOTAL_COUNT, HeaderValue::from(total)));
        }
        let body = envelope(&search, &hits, next.as_deref(), &counted)?;
        Ok(Reply { body, headers })
    })?;
    work.of_request(&asked)
}

/// FacetBuckets all matches, where that was asked for.
fn count(generation: &Generation, search: &Search, is_counted: bool, deadline: Deadline) -> Result<Counted, ApiError> {
    if !is_counted && search.facets.is_empty() {
        return Ok(Counted::default());
    }
    let want = |facet: &Facet| TermsAggregation {
        facet: *facet,
        size: MOST_VALUES,
    };
    let wants: Vec<TermsAggregation> = search.facets.iter().map(want).collect();
    let aggregation = generation
        .engine
        .aggregate(&search.query, &wants, ValueAggregation::None, deadline)?;
    let counts = aggregation.facets.into_iter().map(|(facet, counts)| {
        let of_facet = FacetCounts {
            distinct: counts.distinct,
            other: counts.other,
            values: shares(counts),
        };
        (facet.name(), of_facet)
    });
    Ok(Counted {
        facets: (!search.facets.is_empty()).then(|| counts.collect()),
        total: is_counted.then_some(aggregation.total),
    })
}

fn next_cursor(search: &Search, hits: &Hits) -> Option<String> {
    let position = hits.next.clone()?;
    Some(Cursor::new(&search.query, position).encode())
}

/// The header that names the next page: relative to the address's root, so that it holds behind any gateway's host.
pub fn link(path: &str, query: &str) -> Result<(HeaderName, HeaderValue), ApiError> {
    let link = HeaderValue::from_str(&format!("<{path}?{query}>; rel=\"next\"")).map_err(ApiError::internal)?;
    Ok((header::LINK, link))
}

/// The list envelope, the records spliced in as the bytes they were indexed from.
fn envelope(search: &Search, hits: &Hits, next: Option<&str>, counted: &Counted) -> Result<Bytes, ApiError> {
    let offset = match search.page.start {
        Start::Offset(offset) => offset,
        Start::After(_) => 0,
    };
    let size: usize = hits.records.iter().map(|record| record.len() + 1).sum();
    let mut body = Vec::with_capacity(size + 256 + next.map_or(0, str::len));
    let (kind, count) = (search.query.entity_type, hits.records.len());
    body.extend_from_slice(format!(r#"{{"entity_type":"{kind}","count":{count},"offset":{offset},"#).as_bytes());
    if let Some(cursor) = next {
        // A cursor is base64url: nothing in it needs an escape.
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
