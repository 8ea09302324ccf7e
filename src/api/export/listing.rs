//! From a request for an export to the work that answers it, whatever the list.

use std::num::NonZeroU32;

use actix_web::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;
use serde_json::Value;

use crate::{
    api::{
        cost::ScanCost,
        export::{
            Charge, Export, Format, PARQUET_GROUP_BYTES, RowSource, columns::Column, csv_rows::ExportRows,
            parquet_file::ParquetFile, parquet_rows::SupplierOf,
        },
        params::{
            file::{FORMATS, FileParams},
            paging::TOTAL_COUNT,
            parse::Given,
            resolve::IGNORED_PARAMETERS,
        },
    },
    catalog::ask::Ask,
    http::{
        call::Call,
        error::ApiError,
        work::{Reply, Work},
    },
};

/// A list that a request asks for as a file.
pub(crate) struct Listing {
    /// What its rows are, for the name of the file.
    pub(crate) name: &'static str,
    pub(crate) is_selection: bool,
    /// Whether it goes on where another file broke.
    pub(crate) is_resumed: bool,
    pub(crate) columns: Vec<Column>,
    /// What finds the suppliers of vendors' names, if the rows have vendors: typed columns state them.
    pub(crate) supplier_of: Option<SupplierOf>,
    pub(crate) rows: Box<dyn RowSource>,
    pub(crate) count: Count,
    /// What it costs to begin it.
    pub(crate) cost: NonZeroU32,
    pub(crate) count_cost: ScanCost,
    /// What the response depends on, besides the options of the file.
    pub(crate) normal_form: Value,
    /// Parameters that the list has no use for.
    pub(crate) ignored: Vec<&'static str>,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// Counts the rows of the whole list.
pub(crate) type Count = Box<dyn FnOnce(&Ask) -> Result<u64, ApiError> + Send>;

/// How the file is written, as the request states it.
#[derive(Clone, Copy, PartialEq, serde::Serialize)]
struct FileOptions {
    format: &'static str,
    has_mark: bool,
    is_for_spreadsheets: bool,
}

impl Listing {
    pub(crate) fn work(mut self, call: &Call, given: &FileParams) -> Result<Work, ApiError> {
        let (options, unused) = FileOptions::of(given);
        self.ignored.extend(unused);
        if let Ok(names) = HeaderValue::from_str(&self.ignored.join(", "))
            && !names.is_empty()
        {
            self.headers.push((IGNORED_PARAMETERS, names));
        }
        let normal_form = (self.name, self.normal_form.take(), options);
        let work = if call.is_head {
            self.total(call)
        } else {
            self.stream(call, options)?
        };
        work.for_request(&normal_form)
    }

    fn stream(mut self, call: &Call, options: FileOptions) -> Result<Work, ApiError> {
        let supplier_of = self.supplier_of.take();
        let format = options.format(self.columns, supplier_of, self.is_resumed, &call.generation.id)?;
        let (media_type, end) = format.media_type();
        self.headers
            .push((header::CONTENT_TYPE, HeaderValue::from_static(media_type)));
        // What the client sent is never part of the name.
        let selection = if self.is_selection { "-selection" } else { "" };
        let (name, generation) = (self.name, &call.generation.id);
        let name = format!("attachment; filename=\"procure-{name}{selection}-{generation}.{end}\"");
        let name = HeaderValue::from_str(&name).map_err(ApiError::internal)?;
        self.headers.push((header::CONTENT_DISPOSITION, name));
        let export = Export::new(self.rows, format, charge(call));
        Ok(Work::stream(self.headers, export).with_cost(self.cost))
    }

    /// The answer to HEAD: how many rows the export has, from which its cost follows.
    fn total(self, call: &Call) -> Work {
        let (count, mut headers) = (self.count, self.headers);
        let work = Work::search(&call.generation, move |ask| {
            headers.push((TOTAL_COUNT, HeaderValue::from(count(ask)?)));
            Ok(Reply::from(Bytes::new()).with_headers(headers))
        });
        self.count_cost.charge(work)
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

/// The 400 for two parameters that state where an export goes on.
pub(crate) fn two_starts() -> ApiError {
    ApiError::bad_request("the parameters 'cursor' and 'after' both state where the export goes on; give one of them")
}

impl FileOptions {
    /// The options, and the parameters that the format has no use for.
    fn of(given: &FileParams) -> (FileOptions, Vec<&'static str>) {
        let format = given.format.as_ref().map_or(FORMATS[0], |given| given.value);
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
    fn format(
        self,
        columns: Vec<Column>,
        supplier_of: Option<SupplierOf>,
        is_resumed: bool,
        generation: &str,
    ) -> Result<Format, ApiError> {
        Ok(match self.format {
            "parquet" if is_resumed => {
                let detail = "a Parquet file cannot go on where it broke; begin it again, or use format=ndjson or \
                              format=csv with 'after' or 'cursor'";
                return Err(ApiError::bad_request(detail));
            }
            "parquet" => {
                let file = ParquetFile::new(Vec::new(), columns, supplier_of, PARQUET_GROUP_BYTES, generation);
                Format::Parquet(Box::new(file.map_err(ApiError::internal)?))
            }
            "csv" => Format::Csv {
                rows: ExportRows::new(
                    columns.into_iter().map(|column| column.name).collect(),
                    self.is_for_spreadsheets,
                ),
                has_header: !is_resumed,
                has_mark: self.has_mark,
            },
            _ => Format::Ndjson,
        })
    }
}
