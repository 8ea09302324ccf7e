//! Where the reader of one file puts its rows.
//!
//! A reader turns each row into a [`RowOutput`] or an [`Annotation`], or skips it with a reason.
//! The [`RowSink`] of the file counts the row and writes it to the
//! [`Spool`](super::spool::file::Spool). When all files are read, the rows of one merge group (a
//! notice, a contract) come back together, oldest first, and the source decides which records stay.

use anyhow::Result;

use super::{
    row_counts::RowCounts,
    row_output::{Annotation, RowOutput},
    spool::writer::SpoolWriter,
};

pub struct RowSink<'a> {
    pub counts: &'a mut RowCounts,
    pub spool: SpoolWriter<'a>,
}

impl RowSink<'_> {
    /// Counts a row. Call it once per row, before the row is kept, annotated or skipped.
    pub fn row(&mut self) {
        self.counts.rows += 1;
    }

    pub fn keep(&mut self, line: u64, output: RowOutput) -> Result<()> {
        self.spool.push(line, output)
    }

    /// Keeps a row output together with all others of the same `identity`: they all join the group
    /// of the first one.
    pub fn keep_together(&mut self, line: u64, identity: &str, output: RowOutput) -> Result<()> {
        self.spool.push_together(line, identity, output)
    }

    pub fn annotate(&mut self, line: u64, annotation: Annotation) -> Result<()> {
        self.spool.push_annotation(line, annotation)
    }
}
