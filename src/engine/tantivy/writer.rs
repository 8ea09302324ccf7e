//! Writing a kind's files: records in document order go in, an index of one segment comes out.
//!
//! Chunks are consecutive runs of the order, built side by side, each into a segment of its own; stacked in their order they are the whole. The caller
//! decides the order and writes the records; document numbers follow from it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use tantivy::{
    Index, IndexBuilder,
    directory::MmapDirectory,
    indexer::{SingleSegmentIndexWriter, merge_indices},
};

use super::{
    layout::{self, INDEX_FOLDER, Layout},
    order, stems,
};
use crate::{
    model::{
        record::Record,
        schema::{Role, Schema},
    },
    query::SortKey,
};

pub use super::{
    facets::{Collected, write as write_facets},
    store::{OFFSETS, RECORDS},
};

/// A segment being written.
pub struct Chunk {
    layout: Layout,
    writer: SingleSegmentIndexWriter,
}

/// What a writer's tables are sized for at the start; they grow with what is added.
const FIRST_TABLES: usize = 32 << 20;

impl Chunk {
    pub fn create(schema: &Schema, folder: &Path) -> anyhow::Result<Chunk> {
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        let layout = Layout::new(schema);
        let writer = IndexBuilder::new()
            .schema(layout.index_schema.clone())
            .settings(Layout::settings())
            .tokenizers(layout::tokenizers())
            .fast_field_tokenizers(layout::tokenizers())
            .single_segment_index_writer(MmapDirectory::open(folder)?, FIRST_TABLES)?;
        Ok(Chunk { layout, writer })
    }

    pub fn add(&mut self, record: &Record) -> anyhow::Result<()> {
        Ok(self.writer.add_document(self.layout.document(record))?)
    }

    pub fn finish(self) -> anyhow::Result<()> {
        self.writer.finalize()?;
        Ok(())
    }
}

/// Stacks chunks, in the order given, into the index of a kind, and writes its stem tables. The chunks are gone afterwards.
pub fn merge(schema: &Schema, chunks: &[PathBuf], folder: &Path) -> anyhow::Result<()> {
    let target = folder.join(INDEX_FOLDER);
    match chunks {
        [only] => fs::rename(only, &target).with_context(|| format!("renaming {}", only.display()))?,
        _ => {
            fs::create_dir_all(&target).with_context(|| format!("creating {}", target.display()))?;
            let open = |path: &PathBuf| Index::open(MmapDirectory::open(path)?).map(layout::with_tokenizers);
            let indices = chunks.iter().map(open).collect::<tantivy::Result<Vec<_>>>()?;
            merge_indices(&indices, MmapDirectory::open(&target)?)?;
            drop(indices);
            for chunk in chunks {
                fs::remove_dir_all(chunk).with_context(|| format!("removing {}", chunk.display()))?;
            }
        }
    }
    write_stems(schema, folder)
}

fn write_stems(schema: &Schema, folder: &Path) -> anyhow::Result<()> {
    let index = Index::open(MmapDirectory::open(folder.join(INDEX_FOLDER))?)?;
    let mut words = Vec::new();
    if let Some(field) = Layout::new(schema).field(Role::Text) {
        let reader: tantivy::IndexReader = index
            .reader_builder()
            .reload_policy(tantivy::ReloadPolicy::Manual)
            .try_into()?;
        for segment in reader.searcher().segment_readers() {
            let inverted = segment.inverted_index(field)?;
            let mut terms = inverted.terms().stream()?;
            while let Some((term, _)) = terms.next() {
                let word = String::from_utf8_lossy(term);
                if word.chars().all(char::is_alphabetic) {
                    words.push(word.into_owned());
                }
            }
        }
    }
    stems::write(folder, &words).with_context(|| format!("writing the stem tables in {}", folder.display()))
}

/// Writes the order by a key: `order[place]` is the document at a place.
pub fn write_order(folder: &Path, key: SortKey, order: &[u32]) -> io::Result<()> {
    let mut rank = vec![0; order.len()];
    for (place, document) in (0u32..).zip(order) {
        rank[*document as usize] = place;
    }
    fs::write(folder.join(order::order_file(key)), little_endian(order))?;
    fs::write(folder.join(order::rank_file(key)), little_endian(&rank))
}

fn little_endian(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}
