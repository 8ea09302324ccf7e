//! Search for keys by a part of them: vendors, departments, procurement methods, commodity codes.
//!
//! A role has few distinct keys compared to its records (150,000 vendors in two million contracts).
//! All of them are kept in one contiguous text and searched with `memmem`: 3 ms for all, where a
//! pattern query over the term dictionary takes 100 ms. The result is a set of ordinals. For a rare
//! set the documents are read from the postings. A frequent set becomes a test on the column of
//! ordinals, made only on documents that everything else already matched.

use memchr::{memchr, memmem};
use tantivy::{
    BitSet, DocId, DocSet, SegmentReader, TERMINATED, TantivyError,
    columnar::Column,
    postings::TermInfo,
    schema::{Field, IndexRecordOption},
};

/// The keys of one role in term order. The index of a key is its ordinal, in the inverted index and
/// in the column.
pub(crate) struct KeyDictionary {
    /// All keys, each followed by [`END`].
    text: Vec<u8>,
    /// Where each key starts.
    starts: Vec<u32>,
    /// For each key: where its postings are, and how many documents have it.
    infos: Vec<TermInfo>,
    column: Column<u64>,
    field: Field,
}

/// Separates keys. Folded text never contains it.
const END: u8 = b'\n';

/// The documents that have one of the keys found.
pub(crate) enum KeyMatches {
    None,
    /// Few: the documents.
    Documents(BitSet),
    /// Many: a document matches if one of its ordinals is in the set.
    Ordinals(BitSet),
}

/// Up to one document in this many, reading the postings is cheaper than testing documents.
const RARE: u64 = 500;

impl KeyDictionary {
    pub(crate) fn load(reader: &SegmentReader, field: Field, name: &str) -> tantivy::Result<KeyDictionary> {
        let inverted = reader.inverted_index(field)?;
        let (mut text, mut starts, mut infos) = (Vec::new(), Vec::new(), Vec::new());
        let mut keys = inverted.terms().stream()?;
        while let Some((key, info)) = keys.next() {
            let start = u32::try_from(text.len())
                .map_err(|_| TantivyError::SystemError(format!("over 4 GiB of distinct {name} keys")))?;
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
                let error = format!("the column and the term dictionary of {name} have different keys");
                return Err(TantivyError::SystemError(error));
            }
        };
        Ok(KeyDictionary {
            text,
            starts,
            infos,
            column,
            field,
        })
    }

    /// The documents with a key that contains `part`, or with one of the keys `beside`, which do not.
    pub(crate) fn containing<'k>(
        &self,
        reader: &SegmentReader,
        part: &str,
        beside: impl Iterator<Item = &'k str>,
    ) -> tantivy::Result<KeyMatches> {
        if part.is_empty() {
            return self.starting(reader, part);
        }
        let mut ordinals: Vec<usize> = beside.filter_map(|key| self.ordinal_of(key)).collect();
        let finder = memmem::Finder::new(part.as_bytes());
        let (mut from, mut ordinal) = (0, 0);
        while let Some(found) = finder.find(&self.text[from..]) {
            ordinal = self.ordinal_at(from + found, ordinal);
            ordinals.push(ordinal);
            ordinal += 1;
            from = self.end(ordinal - 1);
        }
        self.documents(reader, &ordinals)
    }

    /// The documents with a key that starts with `start`.
    pub(crate) fn starting(&self, reader: &SegmentReader, start: &str) -> tantivy::Result<KeyMatches> {
        let start = start.as_bytes();
        let first = self.partition(|key| key < start);
        let end = self.partition(|key| key < start || key.starts_with(start));
        self.documents(reader, &(first..end).collect::<Vec<_>>())
    }

    /// Whether a document has one of the keys.
    pub(crate) fn has(&self, document: DocId, ordinals: &BitSet) -> bool {
        self.column
            .values_for_doc(document)
            .any(|ordinal| ordinals.contains(ordinal as u32))
    }

    fn ordinal_of(&self, key: &str) -> Option<usize> {
        let ordinal = self.partition(|known| known < key.as_bytes());
        let start = *self.starts.get(ordinal)? as usize;
        // Without its END.
        (self.text[start..self.end(ordinal) - 1] == *key.as_bytes()).then_some(ordinal)
    }

    /// The key that an offset in the text belongs to, which is not before `least`. Galloping
    /// search, because the next match is usually near the last one.
    fn ordinal_at(&self, offset: usize, least: usize) -> usize {
        let (mut low, mut step) = (least, 1);
        while self
            .starts
            .get(low + step)
            .is_some_and(|start| *start as usize <= offset)
        {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(self.starts.len());
        low + self.starts[low..high].partition_point(|start| *start as usize <= offset) - 1
    }

    /// The offset after a key and its [`END`].
    fn end(&self, ordinal: usize) -> usize {
        let next = self.starts.get(ordinal + 1);
        next.map_or(self.text.len(), |start| *start as usize)
    }

    /// The first ordinal for which `before` is false.
    fn partition(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        self.starts.partition_point(|start| {
            let rest = &self.text[*start as usize..];
            before(&rest[..memchr(END, rest).unwrap_or(rest.len())])
        })
    }

    fn documents(&self, reader: &SegmentReader, ordinals: &[usize]) -> tantivy::Result<KeyMatches> {
        let frequencies = ordinals.iter().map(|ordinal| u64::from(self.infos[*ordinal].doc_freq));
        let total: u64 = frequencies.sum();
        if total == 0 {
            return Ok(KeyMatches::None);
        }
        if total.saturating_mul(RARE) > u64::from(reader.max_doc()).max(RARE * 64) {
            let mut set = BitSet::with_max_value(self.starts.len() as u32);
            for ordinal in ordinals {
                set.insert(*ordinal as u32);
            }
            return Ok(KeyMatches::Ordinals(set));
        }
        let inverted = reader.inverted_index(self.field)?;
        let mut documents = BitSet::with_max_value(reader.max_doc());
        for ordinal in ordinals {
            let mut postings = inverted.read_postings_from_terminfo(&self.infos[*ordinal], IndexRecordOption::Basic)?;
            let mut document = postings.doc();
            while document != TERMINATED {
                documents.insert(document);
                document = postings.advance();
            }
        }
        Ok(KeyMatches::Documents(documents))
    }
}
