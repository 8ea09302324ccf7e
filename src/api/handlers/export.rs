//! `GET /{entity_type}/export`: all records that match, as one file.

use actix_web::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;

use crate::{
    api::{
        cost::ScanCost,
        export::{
            Charge, Export, Format, PARQUET_GROUP_BYTES,
            csv_rows::ExportRows,
            parquet_file::{ParquetFile, fields_of},
            records::{Begin, MAX_RELEVANT, SearchRecords},
        },
        handlers::search::{INVALID_PAGE, TOTAL_COUNT},
        params::{
            paging::limit_applied,
            parse::Given,
            resolve::{IGNORED_PARAMETERS, ResolveContext, ResolvedSearch},
            search::{FILTERS, SearchParams},
        },
        route::{Access, Answer, Endpoint, ErrorResponse, Parameters, RateLimitHeaders, Route},
    },
    http::{
        call::Call,
        error::ApiError,
        parameter_error::Reason,
        work::{Reply, Work},
    },
    model::{EntityType, Schema},
    query::{SortKey, Start},
};

pub(crate) const EXPORT: Route = Route {
    id: "export",
    endpoint: Endpoint::EntityType("/export", get),
    access: Access::Paid,
    about: "All records that match, as one file; counts as a request for every 10,000 records begun",
    parameters: Parameters::Search(Some(&EXPORT_PARAMS), None),
    answer: Answer::Export,
    headers: &["X-Total-Count", "X-Limit-Applied", "X-Ignored-Parameters"],
    errors: &[
        INVALID_PAGE,
        ErrorResponse {
            status: "404",
            name: "NoRecordAfter",
            about: "No record has the id after which the export is to go on",
            example: |_| {
                "no contract record has the id 'nope', after which the export is to go on; begin it again without 'after'"
                    .to_owned()
            },
            rate_limit: RateLimitHeaders::Always,
        },
    ],
    ..Route::DEFAULT
};

/// What an export takes in addition to the filters.
const OTHERS: [&str; 9] = [
    "translate",
    "match_codes",
    "sort_by",
    "sort_order",
    "cursor",
    "format",
    "after",
    "bom",
    "excel",
];

static EXPORT_PARAMS: [&str; FILTERS.len() + OTHERS.len()] = {
    let mut names = [""; FILTERS.len() + OTHERS.len()];
    let mut number = 0;
    while number < names.len() {
        names[number] = if number < FILTERS.len() {
            FILTERS[number]
        } else {
            OTHERS[number - FILTERS.len()]
        };
        number += 1;
    }
    names
};

/// How the file is written, as the request states it.
#[derive(Clone, Copy, PartialEq, serde::Serialize)]
struct FileOptions {
    format: &'static str,
    has_mark: bool,
    is_for_spreadsheets: bool,
}

/// An export as the request states it.
struct Asked {
    search: ResolvedSearch,
    options: FileOptions,
    begin: Begin,
}

fn get(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    let asked = Asked::read(call, entity_type)?;
    let (query, begin) = (&asked.search.query, &asked.begin);
    let normal_form = (query.clone(), begin.clone(), asked.options);
    let cost = ScanCost::of(&call.generation, &[]).with_text(&call.generation, query, 1);
    let work = if call.is_head {
        asked.total(call)
    } else {
        asked.stream(call)?.with_cost(cost.cost())
    };
    work.for_request(&normal_form)
}

impl Asked {
    fn read(call: &Call, entity_type: EntityType) -> Result<Asked, ApiError> {
        let endpoint = format!("/{entity_type}/export");
        let given = SearchParams::read_only(&EXPORT_PARAMS, &endpoint, entity_type, call.query)?;
        let (options, ignored) = FileOptions::of(&given);
        let after = given.after.clone();
        let mut search = given.resolve(&ResolveContext::of(call, entity_type))?;
        search.ignored.extend(ignored);
        Ok(Asked {
            begin: begin(&search, after)?,
            search,
            options,
        })
    }

    fn stream(self, call: &Call) -> Result<Work, ApiError> {
        let query = self.search.query.clone();
        let is_resumed = self.begin != Begin::At(Start::Offset(0));
        let format = self
            .options
            .format(Schema::of(query.entity_type), is_resumed, &call.generation.id)?;
        let headers = headers(call, &self.search, &format)?;
        let source = SearchRecords::new(&call.generation, query, self.begin);
        Ok(Work::stream(headers, Export::new(source, format, charge(call))))
    }

    /// The answer to HEAD: how many records the export has, from which its cost follows.
    fn total(self, call: &Call) -> Work {
        let (generation, search) = (&call.generation, self.search);
        let cost = ScanCost::of(generation, &[(search.query.entity_type, 1)]);
        let cost = cost.with_text(generation, &search.query, 1);
        let work = Work::search(generation, move |ask| {
            let total = ask.count(&search.query)?;
            let mut headers = common_headers(&search);
            headers.push((TOTAL_COUNT, HeaderValue::from(total)));
            Ok(Reply::from(Bytes::new()).with_headers(headers))
        });
        cost.charge(work)
    }
}

/// Where the export begins: at its cursor, after the given record, or with the first one.
fn begin(search: &ResolvedSearch, after: Option<Given<String>>) -> Result<Begin, ApiError> {
    let Some(after) = after else {
        return Ok(Begin::At(search.page.start.clone()));
    };
    if search.page.start != Start::Offset(0) {
        return Err(ApiError::bad_request(
            "the parameters 'cursor' and 'after' both state where the export goes on; give one of them",
        ));
    }
    match search.query.sort.key {
        SortKey::Value => Err(ApiError::invalid(after.name, Reason::CursorWithSort("value"))),
        SortKey::Relevance => Err(ApiError::invalid(after.name, Reason::CursorWithSort("relevance"))),
        SortKey::Date | SortKey::ClosingDate | SortKey::EndDate => Ok(Begin::After(after.value)),
    }
}

/// Charges the key's daily quota, as long as the key is valid.
fn charge(call: &Call) -> Charge {
    let (keys, now, key_id) = (call.state.keys.clone(), call.state.now, call.caller.key_id);
    Box::new(move || {
        let account = key_id.and_then(|id| keys.by_id(id, now()).ok());
        if account.is_some_and(|account| account.charge_day(now())) {
            return Ok(());
        }
        let detail = "the daily quota of the key is used, or the key is no longer valid";
        Err(ApiError::too_many_requests(detail, 1))
    })
}

fn common_headers(search: &ResolvedSearch) -> Vec<(HeaderName, HeaderValue)> {
    let mut headers = Vec::new();
    if let Ok(names) = HeaderValue::from_str(&search.ignored.join(", "))
        && !names.is_empty()
    {
        headers.push((IGNORED_PARAMETERS, names));
    }
    if search.query.sort.key == SortKey::Relevance {
        headers.push(limit_applied(MAX_RELEVANT as u64));
    }
    headers
}

fn headers(call: &Call, search: &ResolvedSearch, format: &Format) -> Result<Vec<(HeaderName, HeaderValue)>, ApiError> {
    let mut headers = common_headers(search);
    let (media_type, end) = format.media_type();
    headers.push((header::CONTENT_TYPE, HeaderValue::from_static(media_type)));
    // What the client sent is never part of the name.
    let (entity_type, generation) = (search.query.entity_type, &call.generation.id);
    let selection = if search.query.matches_all() { "" } else { "-selection" };
    let name = format!("attachment; filename=\"procure-{entity_type}{selection}-{generation}.{end}\"");
    let name = HeaderValue::from_str(&name).map_err(ApiError::internal)?;
    headers.push((header::CONTENT_DISPOSITION, name));
    Ok(headers)
}

impl FileOptions {
    /// The options, and the parameters that the format has no use for.
    fn of(given: &SearchParams) -> (FileOptions, Vec<&'static str>) {
        let format = given.format.as_ref().map_or("ndjson", |given| given.value);
        let is_csv = format == "csv";
        let is_true = |given: &Option<Given<bool>>| given.as_ref().is_some_and(|given| given.value);
        let of_csv = [&given.bom, &given.excel].into_iter().flatten();
        let unused = of_csv.filter(|given| !is_csv && given.value).map(|given| given.name);
        let options = FileOptions {
            format,
            has_mark: is_csv && is_true(&given.bom),
            is_for_spreadsheets: is_csv && is_true(&given.excel),
        };
        (options, unused.collect())
    }

    /// A file that goes on where another one broke has no row of names, so that it can be appended.
    fn format(self, schema: &Schema, is_resumed: bool, generation: &str) -> Result<Format, ApiError> {
        Ok(match self.format {
            "parquet" if is_resumed => {
                let detail = "a Parquet file cannot go on where it broke; begin it again, or use format=ndjson or \
                              format=csv with 'after' or 'cursor'";
                return Err(ApiError::bad_request(detail));
            }
            "parquet" => {
                let file = ParquetFile::new(Vec::new(), &fields_of(schema), PARQUET_GROUP_BYTES, generation);
                Format::Parquet(Box::new(file.map_err(ApiError::internal)?))
            }
            "csv" => Format::Csv {
                rows: ExportRows::new(
                    schema.fields.iter().map(|field| field.name.clone()).collect(),
                    self.is_for_spreadsheets,
                ),
                has_header: !is_resumed,
                has_mark: self.has_mark,
            },
            _ => Format::Ndjson,
        })
    }
}
