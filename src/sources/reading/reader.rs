//! The interface between a run of `procure normalize` and the publishers' readers.

use std::io::Read;

use anyhow::{Error, Result};
use chrono::{DateTime, Utc};

use super::{
    decode::{STRAY_BYTES, Utf8Reader},
    row_counts::RowCounts,
    row_output::{Annotation, GroupMember, RowOutput},
    spool::writer::SpoolWriter,
};
use crate::model::timestamp;

/// The path of a file, and its times.
#[derive(Clone, Debug)]
pub(crate) struct FileInfo {
    /// As the report names it; a member of an archive is `archive.zip/member`.
    pub(crate) path: String,
    pub(crate) modified: DateTime<Utc>,
    /// `modified` as records state it: RFC 3339, UTC, to the second.
    pub(crate) fetched_at: String,
}

impl FileInfo {
    pub(crate) fn new(path: String, modified: DateTime<Utc>) -> FileInfo {
        FileInfo {
            path,
            modified,
            fetched_at: timestamp::format_seconds(modified),
        }
    }
}

/// Why reading stopped before the end of the file.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The file is damaged at this line. The rows before it stay, and the run continues.
    Damaged { line: u64, reason: String },
    /// The run cannot continue.
    Fatal(Error),
}

impl ReadError {
    pub(crate) fn damaged(line: u64, reason: impl Into<String>) -> ReadError {
        let reason = reason.into();
        ReadError::Damaged { line, reason }
    }
}

/// Reads the files of one source, or of several sources that publish the same things, then merges
/// their rows.
///
/// Files are read in parallel, each by a reader of its own. Rows of different files meet only in
/// the spool.
pub(crate) trait SourceReader {
    /// Reads one file to its end. Every row is kept, annotated or skipped.
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError>;

    /// Decides which members of a merge group stay, and completes their records. Members are sorted
    /// oldest first. `counts` has one element per file; see [`GroupMember::file`].
    fn merge_group(&mut self, members: &mut [GroupMember], counts: &mut [RowCounts]);
}

/// Where the reader of one file puts its rows.
///
/// A reader turns each row into a [`RowOutput`] or an [`Annotation`], or skips it with a reason.
/// The [`RowSink`] of the file counts the row and writes it to the
/// [`Spool`](super::spool::file::Spool). When all files are read, the rows of one merge group (a
/// notice, a contract) are returned together, oldest first, and the source decides which records
/// stay.
pub(crate) struct RowSink<'a> {
    pub(crate) counts: &'a mut RowCounts,
    pub(crate) spool: SpoolWriter<'a>,
}

impl RowSink<'_> {
    /// Counts a row. Call it once per row, before the row is kept, annotated or skipped.
    pub(crate) fn row(&mut self) {
        self.counts.rows += 1;
    }

    /// Notes that stray bytes were replaced near a line, if they were.
    pub(crate) fn note_repair(&mut self, line: u64, is_repaired: bool) {
        if is_repaired {
            self.counts.note(line, STRAY_BYTES);
        }
    }

    pub(crate) fn keep(&mut self, line: u64, output: RowOutput) -> Result<()> {
        self.spool.push(line, output)
    }

    /// Keeps a row output together with all others of the same `identity`: they all join the group
    /// of the first one.
    pub(crate) fn keep_together(&mut self, line: u64, identity: &str, output: RowOutput) -> Result<()> {
        self.spool.push_together(line, identity, output)
    }

    pub(crate) fn annotate(&mut self, line: u64, annotation: Annotation) -> Result<()> {
        self.spool.push_annotation(line, annotation)
    }
}
