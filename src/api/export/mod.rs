//! Exports: all rows of a list as one file, which is sent while it is made.
//!
//! A list is a [`RowSource`]: JSON objects in an order, page by page, from one generation. [`Export`] turns its rows
//! into the bytes of a [`Format`] and charges them. [`records`], [`bids`] and [`suppliers`] are the lists; each makes a
//! [`Listing`](listing::Listing) of a request, from which the work follows.

pub(crate) mod bids;
pub(crate) mod columns;
pub(crate) mod csv_rows;
pub(crate) mod descriptors;
pub(crate) mod dump_files;
pub(crate) mod listing;
pub(crate) mod parquet_file;
pub(crate) mod parquet_rows;
mod parquet_values;
pub(crate) mod records;
mod row_members;
pub(crate) mod suppliers;
pub(crate) mod whole;

use std::collections::VecDeque;

use bytes::Bytes;

use crate::{
    api::export::{csv_rows::ExportRows, parquet_file::ParquetFile},
    engine::Deadline,
    http::{
        error::ApiError,
        stream::{CHUNK_BYTES, Chunk, ChunkSource, STREAM_BYTES},
    },
};

/// How many rows a request pays for.
pub(crate) const ROWS_PER_REQUEST: u64 = 10_000;

/// The size of the rows of a row group in a stream as JSON, in bytes.
pub(crate) const PARQUET_GROUP_BYTES: usize = 8 << 20;

/// What the stream of a Parquet file takes: a row group as rows, as values, and as compressed pages.
const PARQUET_STREAM_BYTES: usize = STREAM_BYTES + 3 * PARQUET_GROUP_BYTES + (2 << 20);

/// A list of rows.
pub(crate) trait RowSource: Send {
    /// The next rows. After an error, the same rows can be asked for again.
    fn next_rows(&mut self, deadline: &Deadline) -> Result<RowPage, ApiError>;

    /// What it keeps in memory besides the rows of a chunk, in bytes.
    fn memory_bytes(&self) -> usize {
        0
    }
}

/// Some rows, each a JSON object.
pub(crate) struct RowPage {
    pub(crate) rows: Vec<Bytes>,
    /// Whether no further row follows.
    pub(crate) is_last: bool,
}

/// How rows are written.
pub(crate) enum Format {
    /// The bytes of each row, and a line end.
    Ndjson,
    /// A row of names, unless the file goes on where another one broke, and a row for each record.
    Csv {
        rows: ExportRows,
        has_header: bool,
        has_mark: bool,
    },
    /// Columns, in row groups of [`PARQUET_GROUP_BYTES`].
    Parquet(Box<ParquetFile<Vec<u8>>>),
}

/// Pays for rows beyond those that the request paid for: called before each further [`ROWS_PER_REQUEST`].
pub(crate) type Charge = Box<dyn FnMut() -> Result<(), ApiError> + Send>;

/// A list as the chunks of a file.
pub(crate) struct Export {
    source: Box<dyn RowSource>,
    format: Format,
    charge: Charge,
    /// Rows that are read and not written.
    read: VecDeque<Bytes>,
    is_read_to_end: bool,
    is_begun: bool,
    /// The number of rows that are written.
    written: u64,
    /// The number of rows that are paid for.
    paid: u64,
}

impl Export {
    pub(crate) fn new(source: Box<dyn RowSource>, format: Format, charge: Charge) -> Export {
        Export {
            source,
            format,
            charge,
            read: VecDeque::new(),
            is_read_to_end: false,
            is_begun: false,
            written: 0,
            paid: ROWS_PER_REQUEST,
        }
    }

    /// Reads until there are rows, or none follow.
    fn fill(&mut self, deadline: &Deadline) -> Result<(), ApiError> {
        while self.read.is_empty() && !self.is_read_to_end {
            let page = self.source.next_rows(deadline)?;
            self.is_read_to_end = page.is_last;
            self.read.extend(page.rows);
        }
        Ok(())
    }

    /// The rows of a chunk: as many as fit and are paid for, at least one if there is any.
    fn taken(&mut self) -> Vec<Bytes> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while self.written < self.paid
            && let Some(next) = self.read.front()
        {
            if !rows.is_empty() && bytes + next.len() >= CHUNK_BYTES {
                break;
            }
            bytes += next.len() + 1;
            rows.extend(self.read.pop_front());
            self.written += 1;
        }
        rows
    }
}

impl ChunkSource for Export {
    fn next_chunk(&mut self, deadline: &Deadline) -> Result<Chunk, ApiError> {
        self.fill(deadline)?;
        if !self.read.is_empty() && self.written == self.paid {
            (self.charge)()?;
            self.paid += ROWS_PER_REQUEST;
        }
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let rows = self.taken();
        let is_last = self.read.is_empty() && self.is_read_to_end;
        let bytes = self.format.write(&rows, is_first, is_last)?;
        Ok(Chunk { bytes, is_last })
    }

    fn memory_bytes(&self) -> usize {
        let of_format = match self.format {
            Format::Parquet(_) => PARQUET_STREAM_BYTES,
            Format::Ndjson | Format::Csv { .. } => STREAM_BYTES,
        };
        of_format + self.source.memory_bytes()
    }

    fn is_compressed(&self) -> bool {
        matches!(self.format, Format::Parquet(_))
    }
}

impl Format {
    fn write(&mut self, rows: &[Bytes], is_first: bool, is_last: bool) -> Result<Vec<u8>, ApiError> {
        match self {
            Format::Ndjson => {
                let mut bytes = Vec::with_capacity(rows.iter().map(|row| row.len() + 1).sum());
                for row in rows {
                    bytes.extend_from_slice(row);
                    bytes.push(b'\n');
                }
                Ok(bytes)
            }
            Format::Csv {
                rows: table,
                has_header,
                has_mark,
            } => {
                let begun = if is_first && *has_header {
                    table.header(*has_mark)
                } else {
                    Ok(Vec::new())
                };
                let rows = rows.iter().map(|row| row.as_ref());
                begun
                    .and_then(|bytes| table.append(bytes, rows))
                    .map_err(ApiError::internal)
            }
            Format::Parquet(file) => {
                for row in rows {
                    file.push(row).map_err(ApiError::internal)?;
                }
                if is_last {
                    file.finish().map_err(ApiError::internal)?;
                }
                Ok(std::mem::take(file.out()))
            }
        }
    }

    /// The media type, and the end of a file's name.
    pub(crate) fn media_type(&self) -> (&'static str, &'static str) {
        match self {
            Format::Ndjson => ("application/x-ndjson", "ndjson"),
            Format::Parquet(_) => ("application/vnd.apache.parquet", "parquet"),
            Format::Csv { has_header: true, .. } => ("text/csv; charset=utf-8; header=present", "csv"),
            Format::Csv { has_header: false, .. } => ("text/csv; charset=utf-8; header=absent", "csv"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    };

    use super::*;

    /// So many rows of this size, in pages of 700. Every third page fails once.
    struct Numbers {
        next: u64,
        end: u64,
        bytes: usize,
        calls: u64,
    }

    impl RowSource for Numbers {
        fn next_rows(&mut self, _: &Deadline) -> Result<RowPage, ApiError> {
            self.calls += 1;
            if self.calls.is_multiple_of(3) {
                return Err(ApiError::busy());
            }
            let end = self.end.min(self.next + 700);
            let padding = "0".repeat(self.bytes);
            let row = |number: u64| Bytes::from(format!("{{\"record_id\":\"{padding}{number}\"}}"));
            let rows = (self.next..end).map(row).collect();
            self.next = end;
            Ok(RowPage {
                rows,
                is_last: end == self.end,
            })
        }
    }

    #[test]
    fn every_row_is_written_once_and_each_begun_ten_thousand_is_paid_for() {
        for (rows, bytes, expected) in [
            (0, 10, 0),
            (1, 600_000, 0),
            (3, 200_000, 0),
            (9_999, 3, 0),
            (10_000, 3, 0),
            (10_001, 3, 1),
            (25_000, 100, 2),
        ] {
            let charged = Arc::new(AtomicU64::new(0));
            let charge = {
                let charged = Arc::clone(&charged);
                Box::new(move || {
                    charged.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                })
            };
            let source = Numbers {
                next: 0,
                end: rows,
                bytes,
                calls: 0,
            };
            let mut export = Export::new(Box::new(source), Format::Ndjson, charge);
            let mut file = Vec::new();
            loop {
                let Ok(chunk) = export.next_chunk(&Deadline::never()) else {
                    continue;
                };
                assert!(chunk.bytes.len() <= CHUNK_BYTES.max(bytes + 20));
                file.extend(chunk.bytes);
                if chunk.is_last {
                    break;
                }
            }
            let lines = file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            assert_eq!(lines.count() as u64, rows);
            assert_eq!(charged.load(Ordering::Relaxed), expected, "{rows}");
        }
    }

    #[test]
    fn what_cannot_be_paid_ends_the_export() {
        let source = Numbers {
            next: 0,
            end: 20_000,
            bytes: 3,
            calls: 0,
        };
        let charge = Box::new(|| Err(ApiError::too_many_requests("used", 1)));
        let mut export = Export::new(Box::new(source), Format::Ndjson, charge);
        let mut lines = 0;
        let error = loop {
            match export.next_chunk(&Deadline::never()) {
                Ok(chunk) => lines += chunk.bytes.iter().filter(|byte| **byte == b'\n').count(),
                Err(error) if error.detail == "used" => break error,
                Err(_) => {}
            }
        };
        assert_eq!((lines, error.status.as_u16()), (10_000, 429));
    }
}
