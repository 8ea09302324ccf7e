//! A run: the inverted index of one chunk of documents in a temporary file, each index field sorted by term, to be read
//! once from start to end when all runs are merged. It needs no dictionary of terms, so writing one is cheap.
//!
//! A term is: how many bytes it shares with the term before it, the length and the bytes of the rest, the number of its
//! documents, the length of its postings and the postings. These are, for each document, the distance from the
//! document before it; in a field with positions also the frequency, and the distance of each position from the one
//! before it.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    os::unix::fs::FileExt,
    path::Path,
};

use super::{
    postings_log::{FieldTerms, Inverted},
    varint::{self, damaged},
};

/// The run of a chunk, whose file disappears when it is closed.
pub(crate) struct Run {
    file: File,
    fields: Vec<RunField>,
}

/// Where an index field is in the file of a run.
struct RunField {
    start: u64,
    end: u64,
    /// Distinct ones.
    terms: u64,
    tokens: u64,
}

pub(super) struct RunWriter {
    out: BufWriter<File>,
    written: u64,
    fields: Vec<RunField>,
    /// The document number of the first document of the chunk.
    first_document: u32,
}

impl RunWriter {
    pub(super) fn create(folder: &Path, first_document: u32) -> io::Result<RunWriter> {
        Ok(RunWriter {
            out: BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(folder)?),
            written: 0,
            fields: Vec::new(),
            first_document,
        })
    }

    /// Writes the next field.
    pub(super) fn write_field(&mut self, field: FieldTerms, with_positions: bool) -> io::Result<()> {
        let FieldTerms { terms, sorted, log } = field;
        let (start, tokens) = (self.written, log.tokens());
        let inverted = log.invert(terms.len());
        let (mut before, mut bytes, mut postings): (&[u8], _, _) = (&[], Vec::new(), Vec::new());
        for number in sorted {
            let term = terms.get(number);
            let shared = before.iter().zip(term).take_while(|(a, b)| a == b).count();
            let documents = encode(&inverted, number, self.first_document, with_positions, &mut postings);
            bytes.clear();
            varint::write(shared as u32, &mut bytes);
            varint::write((term.len() - shared) as u32, &mut bytes);
            bytes.extend_from_slice(&term[shared..]);
            varint::write(documents, &mut bytes);
            varint::write(postings.len() as u32, &mut bytes);
            self.out.write_all(&bytes)?;
            self.out.write_all(&postings)?;
            self.written += (bytes.len() + postings.len()) as u64;
            before = term;
        }
        self.fields.push(RunField {
            start,
            end: self.written,
            terms: terms.len() as u64,
            tokens,
        });
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<Run> {
        Ok(Run {
            file: self.out.into_inner().map_err(io::IntoInnerError::into_error)?,
            fields: self.fields,
        })
    }
}

/// Writes the postings of a term to `out`; returns the number of its documents.
fn encode(inverted: &Inverted, term: u32, first_document: u32, with_positions: bool, out: &mut Vec<u8>) -> u32 {
    out.clear();
    let (mut documents, mut before) = (0, 0);
    for items in inverted.get(term).chunk_by(|a, b| a.0 == b.0) {
        let document = first_document + items[0].0;
        varint::write(document - before, out);
        if with_positions {
            varint::write(items.len() as u32, out);
            let mut position_before = 0;
            for (_, position) in items {
                varint::write(position - position_before, out);
                position_before = *position;
            }
        }
        before = document;
        documents += 1;
    }
    documents
}

impl Run {
    /// The number of terms of a field, each as often as it occurs.
    pub(super) fn tokens(&self, field: usize) -> u64 {
        self.fields[field].tokens
    }

    /// The number of distinct terms of a field.
    pub(super) fn terms(&self, field: usize) -> u64 {
        self.fields[field].terms
    }

    /// The bytes of a field.
    pub(super) fn bytes(&self, field: usize) -> u64 {
        self.fields[field].end - self.fields[field].start
    }

    pub(super) fn read(&self, field: usize) -> RunReader<'_> {
        RunReader {
            file: &self.file,
            next: self.fields[field].start,
            end: self.fields[field].end,
            buffer: Vec::new(),
            at: 0,
            postings: 0,
            documents: 0,
        }
    }
}

/// Reads the terms of a field of a run.
pub(super) struct RunReader<'a> {
    file: &'a File,
    /// Where the bytes after those of the buffer are in the file.
    next: u64,
    end: u64,
    buffer: Vec<u8>,
    /// What was read of the buffer.
    at: usize,
    /// The bytes of the current postings, which begin at `at`.
    postings: usize,
    documents: u32,
}

/// Bytes read at a time.
const BUFFER: usize = 1 << 16;

/// The four lengths of a term take at most so many bytes.
const MAX_LENGTHS: usize = 20;

impl RunReader<'_> {
    /// Reads the next term into `term`, which holds the one before it. Returns false after the last one.
    pub(super) fn next(&mut self, term: &mut Vec<u8>) -> io::Result<bool> {
        self.at += self.postings;
        self.postings = 0;
        self.fill(MAX_LENGTHS)?;
        let mut bytes = &self.buffer[self.at..];
        if bytes.is_empty() {
            return Ok(false);
        }
        let shared = varint::read(&mut bytes)? as usize;
        let rest = varint::read(&mut bytes)? as usize;
        self.at = self.buffer.len() - bytes.len();
        self.fill(rest + MAX_LENGTHS)?;
        let bytes = &self.buffer[self.at..];
        let (suffix, mut bytes) = bytes.split_at_checked(rest).ok_or_else(damaged)?;
        term.truncate(shared);
        term.extend_from_slice(suffix);
        self.documents = varint::read(&mut bytes)?;
        self.postings = varint::read(&mut bytes)? as usize;
        self.at = self.buffer.len() - bytes.len();
        self.fill(self.postings)?;
        if self.buffer.len() - self.at < self.postings {
            return Err(damaged());
        }
        Ok(true)
    }

    /// The number of documents of the current term.
    pub(super) fn documents(&self) -> u32 {
        self.documents
    }

    /// The postings of the current term.
    pub(super) fn postings(&self) -> &[u8] {
        &self.buffer[self.at..self.at + self.postings]
    }

    /// Reads ahead, so that `wanted` bytes are in the buffer, or all that are left.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        let have = self.buffer.len() - self.at;
        let left = usize::try_from(self.end - self.next).unwrap_or(usize::MAX);
        if have >= wanted || left == 0 {
            return Ok(());
        }
        self.buffer.copy_within(self.at.., 0);
        self.at = 0;
        let length = have + left.min((wanted - have).max(BUFFER));
        self.buffer.resize(length, 0);
        self.file.read_exact_at(&mut self.buffer[have..], self.next)?;
        self.next += (length - have) as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engine::tantivy::build::postings_log::PostingsLog, model::interner::Interner};

    #[test]
    fn a_run_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = RunWriter::create(folder.path(), 1000).unwrap();
        let long = "x".repeat(BUFFER * 2);
        // The second field has neither terms nor documents.
        for texts in [&[&["road", "r", "road"], &["road", &long, "roads"]][..], &[]] {
            let (mut terms, mut log) = (Interner::default(), PostingsLog::default());
            for text in texts {
                text.iter().for_each(|word| log.push(terms.add(word.as_bytes()).0));
                log.end_document();
            }
            writer
                .write_field(FieldTerms::new(terms.into_texts(), log), true)
                .unwrap();
        }
        let run = writer.finish().unwrap();
        assert_eq!((run.tokens(0), run.tokens(1), run.bytes(1)), (6, 0, 0));
        let (mut reader, mut term) = (run.read(0), Vec::new());
        for (expected, documents, postings) in [
            ("r", 1, &[232, 7, 1, 1][..]),
            ("road", 2, &[232, 7, 2, 0, 2, 1, 1, 0]),
            ("roads", 1, &[233, 7, 1, 2]),
            (&long, 1, &[233, 7, 1, 1]),
        ] {
            assert!(reader.next(&mut term).unwrap());
            assert_eq!(term, expected.as_bytes());
            assert_eq!((reader.documents(), reader.postings()), (documents, postings));
        }
        assert!(!reader.next(&mut term).unwrap());
        assert!(!run.read(1).next(&mut Vec::new()).unwrap());
    }
}
