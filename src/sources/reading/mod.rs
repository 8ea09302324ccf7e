//! Reading publishers' files: CSV, JSON and XML as streams of rows, text repair, and the spool that
//! groups rows.

pub mod batches;
pub mod bytes;
pub mod csv_file;
pub mod csv_format;
pub mod csv_row;
pub mod decode;
pub mod digest;
pub mod fields;
pub mod file_head;
pub mod html;
pub mod json;
pub mod merging;
pub mod mojibake;
pub mod reader;
pub mod row_counts;
pub mod row_output;
pub mod spool;
pub mod text;
pub mod xml;

pub use csv_file::CsvFile;
pub use csv_format::{CsvFormat, format_of};
pub use csv_row::{Column, ColumnRule, CsvRow};
pub use decode::Utf8Reader;
pub use fields::{FieldValue, Fields};
pub use file_head::FileHead;
pub use json::{JsonItem, JsonRows, array_at, text_at};
pub use reader::{FileInfo, ReadError, RowSink, SourceReader};
pub use row_counts::{Occurrences, RowCounts, unknown};
pub use row_output::{Annotation, DraftRecord, GroupMember, Recency, RowOutput};
pub use xml::{XmlElement, XmlRow, XmlRows};
