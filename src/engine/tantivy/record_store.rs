//! The records themselves, next to the index: `records.ndjson` holds their bytes in document order,
//! one a line; `records.offsets` holds where each begins, and the end.
//!
//! Both files are mapped, so a page costs only the bytes that it sends. Any tool can read the
//! NDJSON file.

use std::{io, path::Path};

use bytes::Bytes;
use memmap2::Advice;

use super::mapped_file::{MappedArray, damaged, map};

pub(crate) const RECORDS: &str = "records.ndjson";
pub(crate) const OFFSETS: &str = "records.offsets";

/// The records of one entity type, by document number.
pub(crate) struct RecordStore {
    records: Bytes,
    offsets: MappedArray<u64>,
}

impl RecordStore {
    pub(crate) fn open(folder: &Path) -> io::Result<RecordStore> {
        let path = folder.join(RECORDS);
        let map = map(&path)?;
        // The records of a filtered search are scattered: read-ahead would load pages that no
        // request needs.
        #[cfg(unix)]
        map.advise(Advice::Random)?;
        let store = RecordStore {
            records: Bytes::from_owner(map),
            offsets: MappedArray::open(&folder.join(OFFSETS))?,
        };
        let end = store.offsets.len().checked_sub(1).map(|last| store.offsets.get(last));
        if end != Some(store.records.len() as u64) {
            return Err(damaged(&path));
        }
        Ok(store)
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The record without its line end.
    pub(crate) fn get(&self, document: u32) -> Bytes {
        let document = document as usize;
        let start = self.offsets.get(document) as usize;
        let end = self.offsets.get(document + 1) as usize;
        self.records.slice(start..end.saturating_sub(1).max(start))
    }
}
