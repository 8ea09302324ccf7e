//! The documents by their `record_id`: `ids.hashes` has the sorted hashes of all ids, `ids.documents` the document of
//! each.
//!
//! Nearly every id is another one, so a dictionary of terms would be as long as the records are many: with two million
//! of them, it took a core 13 seconds to make, while the other cores waited. Ids with equal hashes are distinguished by
//! the records themselves.

use std::{fs, io, path::Path};

use sha2::{Digest, Sha256};
use tantivy::DocId;

use super::mapped_file::MappedArray;

const HASHES: &str = "ids.hashes";
const DOCUMENTS: &str = "ids.documents";

/// Finds documents by their id.
pub(crate) struct RecordIds {
    hashes: MappedArray<u64>,
    documents: MappedArray<DocId>,
}

/// The hash of an id. Files have it, so it never changes.
pub(super) fn hash(record_id: &str) -> u64 {
    let digest = Sha256::digest(record_id);
    u64::from_be_bytes(*digest.first_chunk().expect("the digest has 32 bytes"))
}

/// Writes the files. `hashes` has the hash of each document's id, in the order of the documents.
pub(super) fn write(folder: &Path, hashes: impl Iterator<Item = u64>) -> io::Result<()> {
    let mut ids: Vec<(u64, DocId)> = hashes.zip(0..).collect();
    ids.sort_unstable();
    let hashes: Vec<u8> = ids.iter().flat_map(|(hash, _)| hash.to_le_bytes()).collect();
    let documents: Vec<u8> = ids.iter().flat_map(|(_, document)| document.to_le_bytes()).collect();
    fs::write(folder.join(HASHES), hashes)?;
    fs::write(folder.join(DOCUMENTS), documents)
}

impl RecordIds {
    pub(crate) fn open(folder: &Path, documents: usize) -> io::Result<RecordIds> {
        Ok(RecordIds {
            hashes: MappedArray::open_with_length(&folder.join(HASHES), documents)?,
            documents: MappedArray::open_with_length(&folder.join(DOCUMENTS), documents)?,
        })
    }

    /// The documents that may have this id: nearly always the one that has it, or none.
    pub(crate) fn candidates(&self, record_id: &str) -> impl Iterator<Item = DocId> + '_ {
        let hash = hash(record_id);
        let (mut start, mut end) = (0, self.hashes.len());
        while start < end {
            let middle = start + (end - start) / 2;
            if self.hashes.get(middle) < hash {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        (start..self.hashes.len())
            .take_while(move |at| self.hashes.get(*at) == hash)
            .map(|at| self.documents.get(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_a_candidate_for_its_id_only() {
        let folder = tempfile::tempdir().unwrap();
        let ids: Vec<String> = (0..500).map(|number| format!("id-{number}")).collect();
        // Two more documents whose ids have the hash of another one's.
        let hashes = ids.iter().map(|id| hash(id)).chain([hash("id-7"), hash("id-7")]);
        write(folder.path(), hashes).unwrap();
        let known = RecordIds::open(folder.path(), 502).unwrap();
        for (number, id) in (0..).zip(&ids) {
            let expected = if number == 7 { vec![7, 500, 501] } else { vec![number] };
            assert_eq!(known.candidates(id).collect::<Vec<_>>(), expected, "{id}");
        }
        assert!(known.candidates("id-500").next().is_none() && known.candidates("").next().is_none());
        assert!(RecordIds::open(folder.path(), 501).is_err());
    }

    #[test]
    fn a_hash_never_changes() {
        assert_eq!(hash("a"), 0xca97_8112_ca1b_bdca);
    }
}
