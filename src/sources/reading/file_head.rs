//! The beginning of a file, from which its format is recognized.

use super::{csv_file, xml};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileHead {
    /// The trimmed fields of the first CSV row that is not a comment.
    pub(crate) columns: Vec<String>,
    /// The first XML element.
    pub(crate) root: xml::RootElement,
    /// The whole beginning if its first character is that of a JSON object or array; empty
    /// otherwise.
    pub(crate) json: String,
}

impl FileHead {
    pub fn of(start: &str) -> FileHead {
        let mut rows = csv::ReaderBuilder::new()
            .flexible(true)
            .has_headers(false)
            .from_reader(start.as_bytes());
        let is_json = start.trim_start().starts_with(['{', '[']);
        FileHead {
            // Text that is not CSV has no columns.
            columns: csv_file::first_row(&mut rows).unwrap_or_default(),
            root: xml::root_element(start),
            json: if is_json { start.to_owned() } else { String::new() },
        }
    }
}
