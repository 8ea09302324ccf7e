//! `/{lang}/search.csv`: the records of a search as a file for spreadsheets.
//!
//! The parameters and the pages are those of the search in the API. Without `limit`, a page is as long as the plan allows.

use actix_web::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;

use crate::{
    engine::Hits,
    http::{
        cost::MAX_QUICK_RECORDS,
        error::ApiError,
        explorer::{
            address::{self, Parameters},
            page::PageCall,
            route::{Handler, Page},
            search::{asked::Asked, csv_rows},
        },
        params::{
            paging::{MAX_LIMIT, MAX_OFFSET},
            resolve::Search,
            value::not_in_list,
        },
        search_pool::Lane,
        work::{Reply, Work},
    },
    model::{EntityType, Schema},
    query::{Start, cursor::Cursor},
};

pub(crate) const CSV: Page = Page {
    template: "/{lang}/search.csv",
    handler: Handler::Fixed(page),
    ..Page::DEFAULT
};

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/csv; charset=utf-8; header=present");

/// A page of records costs a request, as in the API: nothing is counted.
fn page(call: &PageCall) -> Result<Work, ApiError> {
    let (asked, unknown_kind) = Asked::read(call.lang, call.query)?;
    if let Some(kind) = unknown_kind {
        let names = EntityType::ALL.into_iter().map(EntityType::name);
        return Err(ApiError::invalid("kind", not_in_list(&kind, names)));
    }
    let context = call.resolve_context(asked.entity_type);
    let limit = context.page_cap.min(MAX_LIMIT);
    let search = asked.resolve(&context, limit)?;
    let lane = if call.generation.manifest_of(asked.entity_type).records > MAX_QUICK_RECORDS {
        Lane::Heavy
    } else {
        Lane::Quick
    };
    let normal_form = (search.query.clone(), search.page.clone(), call.query.to_owned());
    let generation = call.generation.clone();
    let address = (address::page(call.lang, "search.csv"), Parameters::parse(call.query)?);
    let work = Work::search(move |deadline| {
        let hits = generation.engine.search(&search.query, &search.page, deadline)?;
        let schema = Schema::of(search.query.entity_type);
        let rows = csv_rows::write(schema, hits.records.iter().map(|record| record.as_ref()));
        let body = Bytes::from(rows.map_err(ApiError::internal)?);
        let mut headers = search.headers(&hits);
        headers.push((header::CONTENT_TYPE, CONTENT_TYPE));
        headers.push(attachment(search.query.entity_type)?);
        headers.extend(next_link(&address.0, &address.1, &search, &hits)?);
        Ok(Reply::from(body).with_headers(headers))
    });
    call.validated(work.in_lane(lane), &normal_form)
}

/// The file is saved under the name of the entity type.
fn attachment(entity_type: EntityType) -> Result<(HeaderName, HeaderValue), ApiError> {
    let value = format!("attachment; filename=\"{entity_type}.csv\"");
    let value = HeaderValue::from_str(&value).map_err(ApiError::internal)?;
    Ok((header::CONTENT_DISPOSITION, value))
}

/// The `Link` header for the next page: by cursor, or by offset where the sort has no cursor. A full page by offset may
/// be the last one; then the next one is empty.
fn next_link(
    path: &str,
    parameters: &Parameters,
    search: &Search,
    hits: &Hits,
) -> Result<Option<(HeaderName, HeaderValue)>, ApiError> {
    let (name, value) = match (&hits.next, &search.page.start) {
        (Some(position), _) => ("cursor", Cursor::new(&search.query, position.clone()).encode()),
        (None, Start::Offset(offset)) if search.query.sort.key.date_role().is_none() => {
            let shown = hits.records.len();
            let next = (offset + shown) as u64;
            if shown < search.page.limit && !hits.is_cut || next > MAX_OFFSET {
                return Ok(None);
            }
            ("offset", next.to_string())
        }
        (None, _) => return Ok(None),
    };
    let next = parameters.without(&["cursor", "offset"]).with(name, &value).after(path);
    let link = HeaderValue::from_str(&format!("<{next}>; rel=\"next\"")).map_err(ApiError::internal)?;
    Ok(Some((header::LINK, link)))
}
