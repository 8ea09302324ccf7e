//! An open CSV file: its first row, then the other rows with their lines.

use std::io::{self, Read};

use csv::{ReaderBuilder, StringRecord};

use super::{
    batches::BatchRow,
    decode::{MAX_ROW_VALUES, Utf8Reader, too_many_values},
    reader::ReadError,
};

/// A CSV file whose first row is read. Comments before it are skipped.
pub(crate) struct CsvFile<'a> {
    pub(crate) first: Vec<String>,
    rows: csv::Reader<CommaCounter<'a>>,
    /// The first row, if it is data and has to be read again.
    again: Option<StringRecord>,
    pub(crate) has_header: bool,
}

impl<'a> CsvFile<'a> {
    pub(crate) fn open(input: Utf8Reader<&'a mut dyn Read>) -> Result<CsvFile<'a>, ReadError> {
        let mut rows = ReaderBuilder::new()
            .flexible(true)
            .has_headers(false)
            .from_reader(CommaCounter { input, commas: 0 });
        let first = first_row(&mut rows).map_err(|error| ReadError::damaged(1, error.to_string()))?;
        Ok(CsvFile {
            first,
            rows,
            again: None,
            has_header: true,
        })
    }

    /// This file, with its first row as data.
    pub(crate) fn without_header(mut self) -> CsvFile<'a> {
        self.again = Some(StringRecord::from(self.first.as_slice()));
        self.has_header = false;
        self
    }

    /// Reads the next row; false at the end of the file.
    pub(crate) fn next_row(&mut self, row: &mut ParsedCsvRow) -> Result<bool, ReadError> {
        let input = self.rows.get_mut();
        input.commas = 0;
        input.input.begin_row();
        let line = self.rows.position().line();
        if let Some(first) = self.again.take() {
            row.values = first;
        } else {
            let is_read = self.rows.read_record(&mut row.values);
            if !is_read.map_err(|error| ReadError::damaged(line, error.to_string()))? {
                return Ok(false);
            }
        }
        row.line = row.values.position().map_or(line, |position| position.line());
        row.is_repaired = self.rows.get_mut().input.take_repaired();
        Ok(true)
    }
}

/// Rejects a row with more than [`MAX_ROW_VALUES`] commas, before the parser stores where each value
/// ends. Commas inside of quotes count too; the longest texts have a few thousand.
struct CommaCounter<'a> {
    input: Utf8Reader<&'a mut dyn Read>,
    /// Commas since the row began, except those that the parser had read already.
    commas: usize,
}

impl Read for CommaCounter<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.commas += memchr::memchr_iter(b',', &buffer[..read]).count();
        if self.commas > MAX_ROW_VALUES {
            return Err(io::Error::other(too_many_values()));
        }
        Ok(read)
    }
}

#[derive(Default)]
pub(crate) struct ParsedCsvRow {
    pub(crate) values: StringRecord,
    pub(crate) line: u64,
    /// Whether stray bytes were replaced near this row.
    pub(crate) is_repaired: bool,
}

impl BatchRow for ParsedCsvRow {
    fn size(&self) -> usize {
        // A record also holds the end position of each value.
        self.values.as_slice().len() + self.values.len() * size_of::<usize>()
    }
}

/// The trimmed fields of the first row that is not a comment (`#`); empty if there is no such row.
pub(crate) fn first_row<R: Read>(rows: &mut csv::Reader<R>) -> csv::Result<Vec<String>> {
    let mut values = StringRecord::new();
    while rows.read_record(&mut values)? {
        if !values.get(0).unwrap_or_default().trim_start().starts_with('#') {
            break;
        }
    }
    Ok(values.iter().map(|name| name.trim().to_owned()).collect())
}

/// Whether a row repeats the header, as in a file that was joined from several. The repeated header
/// may begin with a byte order mark.
pub(crate) fn is_header(values: &StringRecord, header: &[String]) -> bool {
    values.len() == header.len()
        && values
            .iter()
            .zip(header)
            .all(|(value, name)| without_mark(value) == *name)
}

fn without_mark(name: &str) -> &str {
    let bare = name.trim_start_matches('\u{feff}');
    if bare.len() == name.len() {
        name.trim()
    } else {
        // After a byte order mark, the parser reads the quotes around the first name as part of it.
        bare.trim_matches('"').trim()
    }
}
