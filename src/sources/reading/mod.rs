//! Reading publishers' files: CSV, JSON and XML as streams of rows, text repair, and the spool that
//! groups rows.

pub(crate) mod batches;
pub(crate) mod bytes;
pub(crate) mod csv_file;
pub(crate) mod csv_format;
pub(crate) mod csv_row;
pub mod decode;
pub(crate) mod digest;
pub(crate) mod fields;
pub mod file_head;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod merging;
pub(crate) mod mojibake;
pub(crate) mod not_amounts;
pub(crate) mod reader;
pub(crate) mod row_counts;
pub(crate) mod row_output;
pub(crate) mod spool;
pub mod text;
pub(crate) mod xml;

pub(crate) use csv_file::CsvFile;
pub(crate) use csv_format::{CsvFormat, format_of};
pub(crate) use csv_row::{Column, ColumnRule, CsvRow};
pub(crate) use decode::Utf8Reader;
pub(crate) use fields::{FieldValue, Fields};
pub(crate) use file_head::FileHead;
pub(crate) use json::{JsonItem, JsonRows, array_at, text_at, value_at};
pub(crate) use reader::{FileInfo, ReadError, RowSink, SourceReader};
pub(crate) use row_counts::{Occurrences, RowCounts, unknown};
pub(crate) use row_output::{Annotation, DraftRecord, GroupMember, Recency, RowBids, RowBudget, RowOutput};
pub(crate) use xml::{XmlElement, XmlRow, XmlRows};
