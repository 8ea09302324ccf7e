//! Writes what one file's rows produced to the spool.

use anyhow::{Context, Result};

use super::{
    body::write_body,
    entry::{SpoolEntry, contract_hash, number_after, short_key},
    file::Spool,
};
use crate::sources::reading::{
    digest::digest,
    fields::Fields,
    row_output::{Annotation, Recency, RowOutput},
};

/// Bodies are written to the spool once there are this many bytes of them.
pub(crate) const WRITE_BYTES: usize = 256 << 10;

/// The output of one file, or of one batch of its rows.
pub(crate) struct SpoolWriter<'a> {
    spool: &'a Spool,
    file: u32,
    /// Number of the batch, from 1, when the file is read in batches; 0 for the file itself.
    batch: usize,
    entries: Vec<SpoolEntry>,
    /// Number of the first entry whose body is not in the spool yet.
    first_pending: usize,
    pub(crate) buffers: Buffers,
}

/// Memory that is used again for the next batch or row.
#[derive(Default)]
pub(crate) struct Buffers {
    /// Bodies that are not in the spool yet.
    bodies: Vec<u8>,
    /// The fields of a record.
    fields: Option<Fields>,
}

impl<'a> SpoolWriter<'a> {
    pub(crate) fn new(spool: &'a Spool, file: usize) -> Result<SpoolWriter<'a>> {
        Ok(SpoolWriter {
            spool,
            file: u32::try_from(file).context("there are more than four billion input files")?,
            batch: 0,
            entries: Vec::new(),
            first_pending: 0,
            buffers: Buffers::default(),
        })
    }

    /// A writer for one batch of the same file's rows; its entries are
    /// [appended](SpoolWriter::append_batch) in the order of the batches.
    pub(crate) fn for_batch(&self, number: usize, rows: usize, buffers: Buffers) -> SpoolWriter<'a> {
        SpoolWriter {
            spool: self.spool,
            file: self.file,
            batch: number + 1,
            entries: Vec::with_capacity(rows),
            first_pending: 0,
            buffers,
        }
    }

    /// Empty fields, in memory that is used again.
    pub(crate) fn take_fields(&mut self) -> Fields {
        self.buffers.fields.take().unwrap_or_else(Fields::with_capacity)
    }

    /// Appends the entries of a batch of the file.
    pub(crate) fn append_batch(&mut self, entries: Vec<SpoolEntry>) -> Result<()> {
        self.flush()?;
        for entry in entries {
            let number = number_after(self.entries.len())?;
            self.entries.push(SpoolEntry { number, ..entry });
        }
        self.first_pending = self.entries.len();
        Ok(())
    }

    pub(crate) fn push(&mut self, line: u64, mut output: RowOutput) -> Result<()> {
        self.push_body(line, &output.group, short_key(&output.key), output.recency, |out| {
            write_body(out, &output.key, &output.records, "", output.bids.as_ref())
        })?;
        if let (Some(entry), Some(record)) = (self.entries.last_mut(), output.records.first()) {
            entry.contract = contract_hash(record);
            let bids = output.bids.as_ref().map_or(0, |notice| notice.bids.len());
            entry.bids = u32::try_from(bids).context("a row has more than four billion bids")?;
        }
        self.buffers.fields = output.records.pop().map(|record| record.fields.cleared());
        Ok(())
    }

    /// Pushes a row output that joins the group of the first row with the same `identity`.
    pub(crate) fn push_together(&mut self, line: u64, identity: &str, output: RowOutput) -> Result<()> {
        self.push(line, output)?;
        if let Some(entry) = self.entries.last_mut() {
            entry.identity = short_key(identity);
        }
        Ok(())
    }

    /// Pushes an annotation. Annotations never replace each other: each has a key of its own.
    pub(crate) fn push_annotation(&mut self, line: u64, annotation: Annotation) -> Result<()> {
        let key = format!("{}:{}:{}", self.file, self.batch, self.entries.len());
        let content = annotation.content.to_string();
        self.push_body(line, &annotation.group, short_key(&key), annotation.recency, |out| {
            write_body(out, "", &[], &content, None)
        })
    }

    fn push_body(
        &mut self,
        line: u64,
        group: &str,
        key: [u8; 8],
        recency: Recency,
        write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let bodies = &mut self.buffers.bodies;
        let start = bodies.len();
        write(bodies)?;
        let end = bodies.len();
        self.entries.push(SpoolEntry {
            group: digest(group),
            key,
            identity: [0; 8],
            contract: 0,
            recency,
            offset: start as u64,
            length: u32::try_from(end - start).context("a row is longer than 4 GiB")?,
            file: self.file,
            bids: 0,
            number: number_after(self.entries.len())?,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
        if end >= WRITE_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let base = self.spool.append(&self.buffers.bodies)?;
        for entry in &mut self.entries[self.first_pending..] {
            entry.offset += base;
        }
        self.first_pending = self.entries.len();
        self.buffers.bodies.clear();
        // Do not keep the memory of one long row for all rows that follow.
        self.buffers.bodies.shrink_to(WRITE_BYTES);
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<Vec<SpoolEntry>> {
        self.flush()?;
        Ok(std::mem::take(&mut self.entries))
    }
}
