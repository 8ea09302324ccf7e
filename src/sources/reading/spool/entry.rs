//! What memory holds of each row output and annotation in the spool.

use std::hash::{Hash, Hasher};

use anyhow::{Context, Result};
use rustc_hash::FxHasher;

use crate::model::fold::fold;
use crate::sources::reading::{
    digest::digest,
    row_output::{DraftRecord, Recency},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct SpoolEntry {
    pub(crate) group: [u8; 16],
    pub(crate) key: [u8; 8],
    /// Key of the identity whose rows all join one group; zeros if there is none.
    pub(crate) identity: [u8; 8],
    /// Hash of the supplier and the contract number; zero if the row names neither.
    pub(crate) contract: u64,
    pub(crate) recency: Recency,
    /// Where the body begins in the spool.
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) file: u32,
    /// Number of bids.
    pub(crate) bids: u32,
    /// Number of the entry among those of its file.
    pub(crate) number: u32,
    pub(crate) line: u32,
}

impl SpoolEntry {
    /// The order in which files and their rows are read: files in path order.
    pub(crate) fn position(&self) -> (u32, u32) {
        (self.file, self.number)
    }

    /// The order from oldest to newest. Of two rows of equal recency, the later one is newer.
    pub(crate) fn age(&self) -> (Recency, (u32, u32)) {
        (self.recency, self.position())
    }
}

/// The number of an entry that follows `before` others of its file.
pub(crate) fn number_after(before: usize) -> Result<u32> {
    u32::try_from(before).context("a file has more than four billion rows")
}

/// A key of eight bytes, never all zero. A text of up to seven bytes is its own key and ends with
/// its length plus one; a longer one has a digest whose last byte is at least 128, so it never
/// equals the key of a short text.
pub(crate) fn short_key(text: &str) -> [u8; 8] {
    if text.len() < 8 {
        let mut key = [0; 8];
        key[..text.len()].copy_from_slice(text.as_bytes());
        key[7] = text.len() as u8 + 1;
        return key;
    }
    let mut key: [u8; 8] = digest(text);
    key[7] |= 0x80;
    key
}

/// Hash of the supplier and the contract number that a record names; zero if it names neither.
pub(crate) fn contract_hash(record: &DraftRecord) -> u64 {
    let vendor = record.text("vendor_name").or(record.text("supplier_legal_name"));
    let number = record.text("contract_number");
    if vendor.is_none() && number.is_none() {
        return 0;
    }
    let mut hasher = FxHasher::default();
    (fold(vendor.unwrap_or_default()), number.unwrap_or_default()).hash(&mut hasher);
    hasher.finish()
}
