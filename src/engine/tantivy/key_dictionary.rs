//! Search for keys by a part of them: vendors, departments, procurement methods, commodity codes.
//!
//! A role has few distinct keys compared to its records (150,000 vendors in two million contracts).
//! They are found by their [words](NameWords), where a pattern query over the term dictionary takes 100 ms. The
//! result is a set of ordinals. For a rare
//! set the documents are read from lists. A frequent set becomes a test on the column of
//! ordinals, made only on documents that everything else already matched.
//!
//! All of it is memory-mapped: `names.<role>.<part>`.
//!
//! | part | content |
//! |---|---|
//! | `keys`, `starts` | the keys in the order of their bytes, each followed by [`END`]; where each starts, and the end |
//! | `documents`, `lists` | the documents of each key; where the list of each key starts, and the end |
//! | `first` | for each document the ordinal of its key, [`NO_KEY`], or [`MANY`] and a place in `more` |
//! | `more` | the number of keys of a document, and their ordinals |
//! | `words` | the words of the keys |

use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
};

use memchr::memmem;
use memmap2::Mmap;
use tantivy::{BitSet, DocId};

use super::mapped_file::{MappedArray, damaged, map, map_bytes};
use crate::{
    engine::{
        name_words::NameWords,
        packed::{self, unpack},
    },
    model::Role,
};

/// The keys of one role. The index of a key is its ordinal.
pub(crate) struct KeyDictionary {
    keys: Mmap,
    starts: MappedArray<u32>,
    documents: MappedArray<u32>,
    lists: MappedArray<u64>,
    first: MappedArray<u32>,
    more: MappedArray<u32>,
    words: NameWords,
}

/// Separates keys. Folded text never contains it.
pub(super) const END: u8 = b'\n';

pub(super) const KEYS: &str = "keys";
pub(super) const STARTS: &str = "starts";
pub(super) const DOCUMENTS: &str = "documents";
pub(super) const LISTS: &str = "lists";
pub(super) const FIRST: &str = "first";
pub(super) const MORE: &str = "more";
pub(super) const WORDS: &str = "words";

/// The document has no key.
pub(super) const NO_KEY: u32 = u32::MAX;
/// The document has several keys.
pub(super) const MANY: u32 = 1 << 31;

pub(super) fn file(folder: &Path, role: Role, part: &str) -> PathBuf {
    folder.join(format!("names.{}.{part}", role.name()))
}

fn open_words(path: &Path) -> io::Result<NameWords> {
    let parts = unpack(&map_bytes(path)?);
    parts.and_then(NameWords::of_bytes).ok_or_else(|| damaged(path))
}

/// The documents that have one of the keys found.
pub(crate) enum KeyMatches {
    None,
    /// Few: the documents.
    Documents(BitSet),
    /// Many: a document matches if one of its ordinals is in the set.
    Ordinals(BitSet),
}

/// Up to one document in this many, reading the lists is cheaper than testing documents.
const RARE: u64 = 500;

impl KeyDictionary {
    pub(crate) fn open(folder: &Path, role: Role, documents: usize) -> io::Result<KeyDictionary> {
        let keys_file = file(folder, role, KEYS);
        let dictionary = KeyDictionary {
            keys: map(&keys_file)?,
            starts: MappedArray::open(&file(folder, role, STARTS))?,
            documents: MappedArray::open(&file(folder, role, DOCUMENTS))?,
            lists: MappedArray::open(&file(folder, role, LISTS))?,
            first: MappedArray::open_with_length(&file(folder, role, FIRST), documents)?,
            more: MappedArray::open(&file(folder, role, MORE))?,
            words: open_words(&file(folder, role, WORDS))?,
        };
        let end = |index: Option<usize>, array: &dyn Fn(usize) -> u64| index.map(array);
        let keys_end = end(dictionary.starts.len().checked_sub(1), &|last| {
            dictionary.starts.get(last).into()
        });
        let lists_end = end(dictionary.lists.len().checked_sub(1), &|last| {
            dictionary.lists.get(last)
        });
        let is_whole = dictionary.starts.len() == dictionary.lists.len()
            && keys_end == Some(dictionary.keys.len() as u64)
            && lists_end == Some(dictionary.documents.len() as u64);
        if is_whole {
            Ok(dictionary)
        } else {
            Err(damaged(&keys_file))
        }
    }

    /// The number of keys.
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The documents with a key that contains `part`, or with one of the keys `beside`, which do not.
    pub(crate) fn containing<'k>(&self, part: &str, beside: impl Iterator<Item = &'k str>) -> KeyMatches {
        if part.is_empty() {
            return self.starting(part);
        }
        let found = self
            .words
            .containing(part.as_bytes(), |ordinal| self.key(ordinal as usize));
        let mut ordinals = found.unwrap_or_else(|| {
            let finder = memmem::Finder::new(part.as_bytes());
            let all = 0..self.len() as u32;
            all.filter(|ordinal| finder.find(self.key(*ordinal as usize)).is_some())
                .collect()
        });
        ordinals.extend(beside.filter_map(|key| self.ordinal_of(key)));
        self.documents(&ordinals)
    }

    /// The documents with a key that starts with `start`.
    pub(crate) fn starting(&self, start: &str) -> KeyMatches {
        self.documents(&self.ordinals_starting(start).collect::<Vec<_>>())
    }

    /// The documents with a key that starts with one of these; `None` if there are none.
    pub(crate) fn documents_starting(&self, starts: &[String]) -> Option<BitSet> {
        let mut set = BitSet::with_max_value(self.first.len() as u32);
        for ordinal in starts.iter().flat_map(|start| self.ordinals_starting(start)) {
            self.list(ordinal).for_each(|at| _ = set.insert(self.documents.get(at)));
        }
        (set.len() > 0).then_some(set)
    }

    fn ordinals_starting(&self, start: &str) -> Range<u32> {
        let start = start.as_bytes();
        let first = self.partition(|key| key < start);
        let end = self.partition(|key| key < start || key.starts_with(start));
        first as u32..end as u32
    }

    /// Where the documents of a key are.
    fn list(&self, ordinal: u32) -> Range<usize> {
        self.lists.get(ordinal as usize) as usize..self.lists.get(ordinal as usize + 1) as usize
    }

    /// Whether a document has one of the keys.
    pub(crate) fn has(&self, document: DocId, ordinals: &BitSet) -> bool {
        match self.first.get(document as usize) {
            NO_KEY => false,
            ordinal if ordinal & MANY == 0 => ordinals.contains(ordinal),
            place => {
                let at = (place & !MANY) as usize;
                let count = self.more.get(at) as usize;
                (at + 1..=at + count).any(|at| ordinals.contains(self.more.get(at)))
            }
        }
    }

    fn key(&self, ordinal: usize) -> &[u8] {
        // Without its END.
        &self.keys[self.starts.get(ordinal) as usize..self.starts.get(ordinal + 1) as usize - 1]
    }

    fn ordinal_of(&self, key: &str) -> Option<u32> {
        let ordinal = self.partition(|known| known < key.as_bytes());
        (ordinal < self.len() && self.key(ordinal) == key.as_bytes()).then_some(ordinal as u32)
    }

    /// The first ordinal for which `before` is false.
    fn partition(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        packed::partition(0..self.len(), |ordinal| before(self.key(ordinal)))
    }

    fn documents(&self, ordinals: &[u32]) -> KeyMatches {
        let total: u64 = ordinals.iter().map(|ordinal| self.list(*ordinal).len() as u64).sum();
        if total == 0 {
            return KeyMatches::None;
        }
        let documents = self.first.len() as u32;
        if total.saturating_mul(RARE) > u64::from(documents).max(RARE * 64) {
            let mut set = BitSet::with_max_value(self.len() as u32);
            for ordinal in ordinals {
                set.insert(*ordinal);
            }
            return KeyMatches::Ordinals(set);
        }
        let mut set = BitSet::with_max_value(documents);
        for at in ordinals.iter().flat_map(|ordinal| self.list(*ordinal)) {
            set.insert(self.documents.get(at));
        }
        KeyMatches::Documents(set)
    }
}
