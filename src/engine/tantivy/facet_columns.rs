//! Facet columns: dictionary-encoded entries of the documents, one column for each facet.
//!
//! `facet.<name>.entries` holds the distinct entries, one JSON array a line; `facet.<name>.codes`
//! the code of each document, which is the line number of its entry; `facet.<name>.values` the values
//! that entries are grouped to. The entries are read while the index is built, never by a server. Codes are as narrow
//! as their number allows (one byte for a status, four for vendors), so that counting over all documents
//! reads little: 52 MB for the facets of two million contracts.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use tantivy::DocId;

use super::mapped_file::{MappedArray, damaged, map_bytes};
use crate::{engine::facet_values::FacetValues, model::Facet};

/// The file of a facet.
pub(super) fn path(folder: &Path, facet: Facet, what: &str) -> PathBuf {
    folder.join(format!("facet.{}.{what}", facet.name()))
}

/// The bytes of a code, for a number of entries.
pub(super) const fn width(entries: usize) -> usize {
    match entries {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}

/// The code of each document.
pub(crate) enum Codes {
    Bytes(MappedArray<u8>),
    Shorts(MappedArray<u16>),
    Words(MappedArray<u32>),
}

impl Codes {
    #[inline]
    pub(crate) fn get(&self, document: DocId) -> u32 {
        let document = document as usize;
        match self {
            Codes::Bytes(codes) => codes.get(document).into(),
            Codes::Shorts(codes) => codes.get(document).into(),
            Codes::Words(codes) => codes.get(document),
        }
    }

    /// Visits the codes of some documents. The width is matched once, not for every code.
    pub(crate) fn for_each(&self, documents: impl Iterator<Item = DocId>, mut visit: impl FnMut(u32)) {
        match self {
            Codes::Bytes(codes) => documents.for_each(|document| visit(codes.get(document as usize).into())),
            Codes::Shorts(codes) => documents.for_each(|document| visit(codes.get(document as usize).into())),
            Codes::Words(codes) => documents.for_each(|document| visit(codes.get(document as usize))),
        }
    }

    /// Visits the codes of the documents of a block, each with the place of its document in the block.
    pub(super) fn for_each_of_block(&self, block: &[DocId], visit: impl FnMut(usize, u32)) {
        match self {
            Codes::Bytes(codes) => for_each_place(block, |document| codes.get(document as usize).into(), visit),
            Codes::Shorts(codes) => for_each_place(block, |document| codes.get(document as usize).into(), visit),
            Codes::Words(codes) => for_each_place(block, |document| codes.get(document as usize), visit),
        }
    }

    pub(super) fn open(folder: &Path, facet: Facet, entries: usize, documents: usize) -> io::Result<Codes> {
        let path = &path(folder, facet, "codes");
        Ok(match width(entries) {
            1 => Codes::Bytes(MappedArray::open_with_length(path, documents)?),
            2 => Codes::Shorts(MappedArray::open_with_length(path, documents)?),
            _ => Codes::Words(MappedArray::open_with_length(path, documents)?),
        })
    }
}

/// How many documents are visited in one step of a loop: what is done to one does not wait for the one before it.
pub(super) const LANES: usize = 4;

/// Visits the code of each document with its place.
fn for_each_place(block: &[DocId], code: impl Fn(DocId) -> u32, mut visit: impl FnMut(usize, u32)) {
    let (steps, rest) = block.as_chunks::<LANES>();
    for (step, documents) in steps.iter().enumerate() {
        for (lane, document) in documents.iter().enumerate() {
            visit(step * LANES + lane, code(*document));
        }
    }
    for (place, document) in (block.len() - rest.len()..).zip(rest) {
        visit(place, code(*document));
    }
}

/// The entries of a facet, by code; `None` where no document has an entry.
pub(super) fn read_entries(folder: &Path, facet: Facet) -> io::Result<Option<Vec<Vec<String>>>> {
    let path = path(folder, facet, "entries");
    if !fs::exists(&path)? {
        return Ok(None);
    }
    let lines = BufReader::new(File::open(&path)?).lines();
    let entries = lines.map(|line| Ok(serde_json::from_str(&line?)?));
    entries.collect::<io::Result<_>>().map(Some)
}

/// The values of a facet; `None` where no document has an entry.
pub(super) fn open_values(folder: &Path, facet: Facet) -> io::Result<Option<FacetValues>> {
    let path = path(folder, facet, "values");
    if !fs::exists(&path)? {
        return Ok(None);
    }
    FacetValues::from_bytes(&map_bytes(&path)?)
        .map(Some)
        .ok_or_else(|| damaged(&path))
}
