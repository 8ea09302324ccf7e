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
