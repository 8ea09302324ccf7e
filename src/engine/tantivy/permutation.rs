//! Order and rank files: the documents of an entity type sorted by a key other than the event date.
//!
//! `<key>.order` maps a rank to a document, `<key>.rank` a document to its rank. Indexing writes
//! both.

use std::{fs, io, path::Path};

use super::mapped_file::MappedArray;
use crate::query::SortKey;

/// A sort order and its inverse.
pub(crate) struct Permutation {
    order: MappedArray<u32>,
    rank: MappedArray<u32>,
}

fn order_file(key: SortKey) -> String {
    format!("{}.order", key.role().name())
}

fn rank_file(key: SortKey) -> String {
    format!("{}.rank", key.role().name())
}

/// Writes the order by a key: `order[rank]` is a document.
pub(crate) fn write(folder: &Path, key: SortKey, order: &[u32]) -> io::Result<()> {
    let mut ranks = vec![0; order.len()];
    for (rank, document) in (0u32..).zip(order) {
        ranks[*document as usize] = rank;
    }
    fs::write(folder.join(order_file(key)), little_endian(order))?;
    fs::write(folder.join(rank_file(key)), little_endian(&ranks))
}

fn little_endian(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

impl Permutation {
    pub(crate) fn open(folder: &Path, key: SortKey, records: usize) -> io::Result<Permutation> {
        let permutation = Permutation {
            order: MappedArray::open(&folder.join(order_file(key)))?,
            rank: MappedArray::open(&folder.join(rank_file(key)))?,
        };
        if permutation.order.len() != records || permutation.rank.len() != records {
            return Err(io::Error::other(format!(
                "the length of {} does not match its {records} records",
                order_file(key)
            )));
        }
        Ok(permutation)
    }

    pub(crate) fn document(&self, rank: u32) -> u32 {
        self.order.get(rank as usize)
    }

    #[inline]
    pub(crate) fn rank(&self, document: u32) -> u32 {
        self.rank.get(document as usize)
    }
}
