//! `/{lang}/search.csv`: the records of a search as a file for spreadsheets.
//!
//! The parameters and the records are those of the page of results. Without `limit`, a file is as long as the plan
//! allows; without `sort_by`, its order is by date, in which all records can be paged through.

use actix_web::http::header::{HeaderName, HeaderValue};

use crate::{
    api::{
        cost::ScanCost,
        export::csv_rows::Rows,
        params::{
            paging::{MAX_LIMIT, MAX_OFFSET},
            parse::not_in_list,
            resolve::ResolvedSearch,
        },
    },
    engine::Hits,
    http::{error::ApiError, parameter_error::Reason, work::Work},
    model::{EntityType, Schema},
    pages::{
        address::{self, Parameters},
        page::PageCall,
        route::{Handler, Page},
        search::search_address::SearchAddress,
        spreadsheet::{file, record_file::FileRequest},
    },
    query::{Start, cursor::Cursor},
};

pub(crate) const CSV: Page = Page {
    template: "/{lang}/search.csv",
    handler: Handler::Fixed(page),
    ..Page::DEFAULT
};

/// A page of records costs what it costs in the API: nothing is counted.
fn page(call: &PageCall) -> Result<Work, ApiError> {
    let (asked, unknown_kind) = SearchAddress::read(call.lang, call.query)?;
    if let Some(kind) = unknown_kind {
        let names = EntityType::ALL.into_iter().map(EntityType::name);
        return Err(ApiError::invalid("kind", Reason::NotInList(not_in_list(&kind, names))));
    }
    let context = call.resolve_context(asked.entity_type);
    let limit = context.page_cap.min(MAX_LIMIT);
    let search = asked.resolve_by_date(&context, limit)?;
    let lane = FileRequest::lane(&call.generation, asked.entity_type);
    let scans = ScanCost::of(&call.generation, &[]).with_text(&call.generation, &search.query, 1);
    let normal_form = (search.query.clone(), search.page.clone(), call.query.to_owned());
    let lang = call.lang;
    let address = (address::page(call.lang, "search.csv"), Parameters::parse(call.query)?);
    let work = Work::search(&call.generation, move |ask| {
        let hits = ask.search(&search.query, &search.page)?;
        let entity_type = search.query.entity_type;
        let records = hits.records.iter().map(|record| record.as_ref());
        let mut reply = file::reply(entity_type.name(), Rows(lang).records(Schema::of(entity_type), records))?;
        reply.headers.extend(search.headers(&hits));
        reply.headers.extend(next_link(&address.0, &address.1, &search, &hits)?);
        Ok(reply)
    });
    call.validated(work.in_lane(lane).with_cost(scans.cost()), &normal_form)
}

/// The `Link` header for the next page: by cursor, or by offset where the sort has no cursor. A full page by offset may
/// be the last one; then the next one is empty.
fn next_link(
    path: &str,
    parameters: &Parameters,
    search: &ResolvedSearch,
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
    file::next_link(path, parameters, name, &value).map(Some)
}
