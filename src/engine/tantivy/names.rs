//! Finding the keys of a role by a part of them: vendors, departments, procurement methods.
//!
//! The distinct keys of a role are few beside its records (150 thousand vendors in two million contracts), so they are held in one contiguous text and
//! searched by `memmem`: 3 ms for all of them, where a pattern query over the term dictionary takes 100. What is found is a set of ordinals.
//! The documents of a small set are read from the postings; a large set is a test on the column, made on documents
//! that everything else already matched.

use super::sets::Marks;
use memchr::memmem;
use tantivy::{
    DocId, DocSet, SegmentReader, TERMINATED,
    columnar::Column,
    postings::TermInfo,
    schema::{Field, IndexRecordOption},
};

/// The keys of one role, in term order; a key's place is its ordinal, in the inverted index and in the column alike.
pub struct Names {
    /// All keys, each followed by [`END`].
    text: Vec<u8>,
    /// Where each key starts.
    starts: Vec<u32>,
    /// Where the documents of each are listed, and how many they are.
    infos: Vec<TermInfo>,
    column: Column<u64>,
    field: Field,
}

/// Stands between keys; folded text never holds it.
const END: u8 = b'\n';

/// The documents that hold one of some keys.
pub enum Found {
    Nothing,
    /// All of them, listed.
    Few(Marks),
    /// Too many to list: a document matches if its ordinal is in the set.
    Ordinals(OrdinalSet),
}

/// A set of ordinals, as bits.
pub struct OrdinalSet(Vec<u64>);

/// Below one document in so many, listing them is cheaper than testing those that come along.
const RARE: u64 = 500;

impl Names {
    pub fn load(reader: &SegmentReader, field: Field, name: &str) -> tantivy::Result<Names> {
        let inverted = reader.inverted_index(field)?;
        let (mut text, mut starts, mut infos) = (Vec::new(), Vec::new(), Vec::new());
        let mut keys = inverted.terms().stream()?;
        while let Some((key, info)) = keys.next() {
            let start = u32::try_from(text.len())
                .map_err(|_| tantivy::TantivyError::SystemError(format!("over 4 GiB of distinct {name} keys")))?;
            starts.push(start);
            infos.push(info.clone());
            text.extend_from_slice(key);
            text.push(END);
        }
        text.shrink_to_fit();
        let column = match reader.fast_fields().str(name)? {
            Some(column) if column.num_terms() == starts.len() => column.ords().clone(),
            None if starts.is_empty() => Column::build_empty_column(reader.max_doc()),
            _ => {
                return Err(tantivy::TantivyError::SystemError(format!(
                    "column and terms of {name} disagree"
                )));
            }
        };
        Ok(Names {
            text,
            starts,
            infos,
            column,
            field,
        })
    }

    /// The documents with a key that holds `part`.
    pub fn containing(&self, reader: &SegmentReader, part: &str) -> tantivy::Result<Found> {
        if part.is_empty() {
            return self.starting(reader, part);
        }
        let mut ordinals = Vec::new();
        let finder = memmem::Finder::new(part.as_bytes());
        let (mut from, mut ordinal) = (0, 0);
        while let Some(found) = finder.find(&self.text[from..]) {
            ordinal = self.ordinal_at(from + found, ordinal);
            ordinals.push(ordinal);
            ordinal += 1;
            from = self
                .starts
                .get(ordinal)
                .map_or(self.text.len(), |start| *start as usize);
        }
        self.documents(reader, &ordinals)
    }

    /// The documents with a key that starts with `start`.
    pub fn starting(&self, reader: &SegmentReader, start: &str) -> tantivy::Result<Found> {
        let first = self.partition(|key| key < start.as_bytes());
        let end = self.partition(|key| key < start.as_bytes() || key.starts_with(start.as_bytes()));
        self.documents(reader, &(first..end).collect::<Vec<_>>())
    }

    /// Whether a document holds one of the keys.
    pub fn holds(&self, document: DocId, set: &OrdinalSet) -> bool {
        self.column
            .values_for_doc(document)
            .any(|ordinal| set.contains(ordinal))
    }

    /// The key that a place in the text belongs to, known not to be before `least`. The next find is mostly near: steps double from there.
    fn ordinal_at(&self, place: usize, least: usize) -> usize {
        let (mut low, mut step) = (least, 1);
        while self
            .starts
            .get(low + step)
            .is_some_and(|start| *start as usize <= place)
        {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(self.starts.len());
        low + self.starts[low..high].partition_point(|start| *start as usize <= place) - 1
    }

    fn key(&self, ordinal: usize) -> &[u8] {
        let end = self
            .starts
            .get(ordinal + 1)
            .map_or(self.text.len(), |start| *start as usize);
        &self.text[self.starts[ordinal] as usize..end - 1]
    }

    fn partition(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.starts.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if before(self.key(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn documents(&self, reader: &SegmentReader, ordinals: &[usize]) -> tantivy::Result<Found> {
        let total: u64 = ordinals
            .iter()
            .map(|ordinal| u64::from(self.infos[*ordinal].doc_freq))
            .sum();
        if total == 0 {
            return Ok(Found::Nothing);
        }
        if total.saturating_mul(RARE) > u64::from(reader.max_doc()).max(RARE * 64) {
            return Ok(Found::Ordinals(OrdinalSet::new(self.starts.len(), ordinals)));
        }
        let inverted = reader.inverted_index(self.field)?;
        let mut marks = Marks::new(reader.max_doc(), []);
        for ordinal in ordinals {
            let mut postings = inverted.read_postings_from_terminfo(&self.infos[*ordinal], IndexRecordOption::Basic)?;
            let mut document = postings.doc();
            while document != TERMINATED {
                marks.mark(document);
                document = postings.advance();
            }
        }
        Ok(Found::Few(marks))
    }
}

impl OrdinalSet {
    pub fn new(size: usize, ordinals: &[usize]) -> OrdinalSet {
        let mut bits = vec![0; size.div_ceil(64)];
        for ordinal in ordinals {
            bits[ordinal / 64] |= 1 << (ordinal % 64);
        }
        OrdinalSet(bits)
    }

    pub fn contains(&self, ordinal: u64) -> bool {
        self.0
            .get((ordinal / 64) as usize)
            .is_some_and(|bits| bits & (1 << (ordinal % 64)) != 0)
    }
}
