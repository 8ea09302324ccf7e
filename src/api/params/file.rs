//! The parameters that state how an export is written. The export of a list has them next to the filters of the list.

use serde_json::json;

use crate::api::params::{
    param::{Param, Parameter, describe},
    parse::{Case, Given},
    value::{ParamType, Slot},
};

/// What a request gave of them.
#[derive(Debug, Default, PartialEq)]
pub struct FileParams {
    pub(crate) format: Option<Given<&'static str>>,
    pub(crate) after: Option<Given<String>>,
    pub(crate) bom: Option<Given<bool>>,
    pub(crate) excel: Option<Given<bool>>,
}

/// The values of `format`; the first one is the default.
pub(crate) const FORMATS: [&str; 3] = ["ndjson", "csv", "parquet"];

/// What pages and counts of a list are asked for with: an export has all matches, and counts none.
const NOT_OF_EXPORTS: [&str; 4] = ["limit", "facets", "include_total", "include_statistics"];

/// The rows of the table of a list whose requests are read into a `P`.
pub(crate) const fn format<P>(slot: Slot<P, &'static str>) -> Param<P> {
    Param::new(
        "format",
        "`ndjson`: one row on each line, as the search returns it; `csv`: a row of names, and the rows; `parquet`: typed columns",
        ParamType::OneOf(&FORMATS, Case::Exact, slot),
    )
    .default(|| json!(FORMATS[0]))
    .only_where_listed()
}

pub(crate) const fn after<P>(about: &'static str, slot: Slot<P, String>) -> Param<P> {
    Param::new("after", about, ParamType::Text(slot)).only_where_listed()
}

pub(crate) const fn bom<P>(slot: Slot<P, bool>) -> Param<P> {
    Param::flag(
        "bom",
        "`true`: a CSV file begins with a byte order mark, from which spreadsheets recognize UTF-8",
        slot,
    )
    .only_where_listed()
}

pub(crate) const fn excel<P>(slot: Slot<P, bool>) -> Param<P> {
    Param::flag(
        "excel",
        "`true`: no cell of a CSV file is run as a formula by a spreadsheet; such a text has an apostrophe in front",
        slot,
    )
    .only_where_listed()
}

/// The parameters of a list, without those of its export.
pub(crate) fn of_list<P>(table: &[Param<P>]) -> Vec<Parameter> {
    let rows = describe(table).into_iter();
    rows.filter(|row| !row.docs.is_only_where_listed).collect()
}

/// The parameters of the export of a list.
pub(crate) fn of_export<P>(table: &[Param<P>]) -> Vec<Parameter> {
    let rows = describe(table).into_iter();
    rows.filter(|row| is_of_export(row.name)).collect()
}

/// Whether the export of a list accepts a parameter of its table.
pub(crate) fn is_of_export(name: &str) -> bool {
    !NOT_OF_EXPORTS.contains(&name)
}
