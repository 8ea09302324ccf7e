//! `GET /{entity_type}`: a page of records in the list envelope.

use actix_web::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;

use crate::{
    api::{
        Call, Reply, Work,
        conditional::Validator,
        error::ApiError,
        params::{
            next_query,
            resolve::{Search, World},
            search::SearchParams,
        },
    },
    engine::Hits,
    entity::EntityType,
    query::{Start, cursor::Cursor},
    schema::Schema,
};

/// Spec silent: tells the limit that was applied where the plan lowered the one asked for.
const LIMIT_APPLIED: HeaderName = HeaderName::from_static("x-limit-applied");

/// Spec silent: names the parameters that the kind takes but has no field for.
const IGNORED_PARAMETERS: HeaderName = HeaderName::from_static("x-ignored-parameters");

pub fn get(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    let world = World {
        schema: Schema::of(entity_type),
        page_cap: call.terms.page_cap.into(),
        coverage: &call.generation.kind(entity_type).coverage,
    };
    let search = SearchParams::read(entity_type, call.query)?.resolve(&world)?;
    // What decides the body, however the address was written.
    let canonical = serde_json::to_vec(&(&search.query, &search.page)).map_err(ApiError::internal)?;
    let (generation, query) = (call.generation.clone(), call.query.to_owned());
    let work = Work::pooled(move |deadline| {
        let hits = generation.engine.search(&search.query, &search.page, deadline)?;
        let next = next_cursor(&search, &hits);
        let mut headers = notes(&search);
        if let Some(cursor) = &next {
            headers.push((header::LINK, link(entity_type, &next_query(&query, cursor)?)?));
        }
        let body = envelope(&search, &hits, next.as_deref());
        Ok(Reply { body, headers })
    })?;
    Ok(work.validated_by(Validator::Request(canonical)))
}

fn next_cursor(search: &Search, hits: &Hits) -> Option<String> {
    let position = hits.next.clone()?;
    Some(Cursor::new(&search.query, position).encode())
}

/// What the headers say of how the request was understood.
fn notes(search: &Search) -> Vec<(HeaderName, HeaderValue)> {
    let mut notes = Vec::new();
    if let Some(limit) = search.lowered_limit {
        notes.push((LIMIT_APPLIED, HeaderValue::from(limit)));
    }
    if let Ok(names) = HeaderValue::from_str(&search.ignored.join(", "))
        && !names.is_empty()
    {
        notes.push((IGNORED_PARAMETERS, names));
    }
    notes
}

/// Relative to the address's root, so that it holds behind any gateway's host.
fn link(entity_type: EntityType, query: &str) -> Result<HeaderValue, ApiError> {
    HeaderValue::from_str(&format!("</{entity_type}?{query}>; rel=\"next\"")).map_err(ApiError::internal)
}

/// The list envelope, the records spliced in as the bytes they were indexed from.
fn envelope(search: &Search, hits: &Hits, next: Option<&str>) -> Bytes {
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
    body.extend_from_slice(br#""results":["#);
    for (number, record) in hits.records.iter().enumerate() {
        if number > 0 {
            body.push(b',');
        }
        body.extend_from_slice(record);
    }
    body.extend_from_slice(b"]}");
    Bytes::from(body)
}
