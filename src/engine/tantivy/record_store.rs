//! The records themselves, next to the index: `records.ndjson` holds their bytes in document order,
//! one a line; `records.offsets` holds where each begins, and the end.
//!
//! Both files are mapped, so a page costs only the bytes that it sends. Any tool can read the
//! NDJSON file.

use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use bytes::Bytes;
use memmap2::{Advice, Mmap};

use super::mapped_file::{MappedArray, damaged, forget_pages, map};

pub(crate) const RECORDS: &str = "records.ndjson";
pub(crate) const OFFSETS: &str = "records.offsets";

/// After so many records that were read, a build forgets the pages of all of them. A record brings up to 64 KiB into
/// memory, because the system maps the pages around one with it.
const FORGET_AFTER: u32 = 1_024;

/// The records of one entity type, by document number.
pub(crate) struct RecordStore {
    map: Arc<Mmap>,
    /// All of the map.
    records: Bytes,
    offsets: MappedArray<u64>,
    /// The number of records that were read, if their pages are to be forgotten.
    reads: Option<AtomicU32>,
}

/// Keeps a map alive for the records that are parts of it.
struct Shared(Arc<Mmap>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl RecordStore {
    pub(crate) fn open(folder: &Path) -> io::Result<RecordStore> {
        let path = folder.join(RECORDS);
        let map = Arc::new(map(&path)?);
        // The records of a filtered search are scattered: read-ahead would load pages that no
        // request needs.
        #[cfg(unix)]
        map.advise(Advice::Random)?;
        let store = RecordStore {
            records: Bytes::from_owner(Shared(Arc::clone(&map))),
            map,
            offsets: MappedArray::open(&folder.join(OFFSETS))?,
            reads: None,
        };
        let end = store.offsets.len().checked_sub(1).map(|last| store.offsets.get(last));
        if end != Some(store.records.len() as u64) {
            return Err(damaged(&path));
        }
        Ok(store)
    }

    /// For a build, which reads every record about once: the records do not fill the memory of the process.
    pub(crate) fn forget_what_was_read(&mut self) {
        self.reads = Some(AtomicU32::new(0));
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The record without its line end.
    pub(crate) fn get(&self, document: u32) -> Bytes {
        self.part(&self.records, document)
    }

    /// Several records. They share a counter of their own: threads that change the store's counter wait for each other.
    pub(crate) fn get_all(&self, documents: &[u32]) -> Vec<Bytes> {
        let records = Bytes::from_owner(Shared(Arc::clone(&self.map)));
        documents
            .iter()
            .map(|document| self.part(&records, *document))
            .collect()
    }

    fn part(&self, records: &Bytes, document: u32) -> Bytes {
        let document = document as usize;
        let start = self.offsets.get(document) as usize;
        let end = self.offsets.get(document + 1) as usize;
        self.count_read();
        records.slice(start..end.saturating_sub(1).max(start))
    }

    fn count_read(&self) {
        let Some(reads) = &self.reads else { return };
        if reads.fetch_add(1, Ordering::Relaxed) % FORGET_AFTER == FORGET_AFTER - 1
            && let Err(error) = forget_pages(&self.map)
        {
            log::debug!("the pages of {RECORDS} stay in memory: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// KiB of a mapped file that are in the memory of this process.
    #[cfg(target_os = "linux")]
    fn resident_kib(path: &Path) -> u64 {
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        let of_file = maps.split(path.to_str().unwrap()).nth(1).expect("the file is mapped");
        let line = of_file.lines().find(|line| line.starts_with("Rss:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_build_keeps_no_records_in_memory_and_reads_the_same_ones() {
        let folder = tempfile::tempdir().unwrap();
        let record = |number: u32| format!("{{\"n\":\"{number:01000}\"}}");
        let (mut records, mut offsets) = (String::new(), 0_u64.to_le_bytes().to_vec());
        for number in 0..2 * FORGET_AFTER {
            records.push_str(&record(number));
            records.push('\n');
            offsets.extend((records.len() as u64).to_le_bytes());
        }
        fs::write(folder.path().join(RECORDS), records).unwrap();
        fs::write(folder.path().join(OFFSETS), offsets).unwrap();
        let path = folder.path().join(RECORDS);
        let read_all = |store: &RecordStore| {
            let kept = store.get(0);
            for number in 1..2 * FORGET_AFTER {
                assert_eq!(store.get(number), record(number));
            }
            resident_kib(&path) + u64::from(kept != record(0)) * 1_000_000
        };
        let mut store = RecordStore::open(folder.path()).unwrap();
        let without = read_all(&store);
        store.forget_what_was_read();
        let with = read_all(&store);
        assert!(without > 1_900, "{without} KiB");
        // What the system maps around the last record.
        assert!(with * 10 < without, "{with} KiB of {without}");
    }
}
