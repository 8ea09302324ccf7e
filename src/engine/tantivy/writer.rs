//! Writes the files of an entity type: takes records in document order, makes an index of one
//! segment.
//!
//! Segments hold consecutive runs of the order and are built in parallel; merged in their order
//! they are the whole index. The caller decides the order and writes the records. Document numbers
//! follow from it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use tantivy::{
    Index, IndexBuilder, IndexReader, ReloadPolicy,
    directory::MmapDirectory,
    indexer::{SingleSegmentIndexWriter, merge_indices},
};

use super::{
    layout::{INDEX_FOLDER, IndexLayout, tokenizers, with_tokenizers},
    stem_tables,
};
use crate::model::{Record, Role, Schema};

pub(crate) use super::{
    facet_columns::{FacetEntries, write as write_facets},
    permutation::write as write_order,
    record_store::{OFFSETS, RECORDS},
};

/// Writes one segment, as an index of its own.
pub(crate) struct SegmentBuilder {
    layout: IndexLayout,
    writer: SingleSegmentIndexWriter,
}

/// Bytes; the initial size of a segment writer's tables, which grow as needed.
const INITIAL_TABLES: usize = 32 << 20;

impl SegmentBuilder {
    pub(crate) fn create(schema: &Schema, folder: &Path) -> anyhow::Result<SegmentBuilder> {
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        let layout = IndexLayout::new(schema);
        let writer = IndexBuilder::new()
            .schema(layout.index_schema.clone())
            .settings(IndexLayout::settings())
            .tokenizers(tokenizers())
            .fast_field_tokenizers(tokenizers())
            .single_segment_index_writer(MmapDirectory::open(folder)?, INITIAL_TABLES)?;
        Ok(SegmentBuilder { layout, writer })
    }

    pub(crate) fn add(&mut self, record: &Record) -> anyhow::Result<()> {
        Ok(self.writer.add_document(self.layout.document(record))?)
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        self.writer.finalize()?;
        Ok(())
    }
}

/// Merges segments, in the given order, into the index of an entity type, and writes its stem
/// tables. Removes the segments.
pub(crate) fn merge(schema: &Schema, segments: &[PathBuf], folder: &Path) -> anyhow::Result<()> {
    let target = folder.join(INDEX_FOLDER);
    if let [only] = segments {
        fs::rename(only, &target).with_context(|| format!("renaming {}", only.display()))?;
    } else {
        fs::create_dir_all(&target).with_context(|| format!("creating {}", target.display()))?;
        let open = |path: &PathBuf| Index::open(MmapDirectory::open(path)?).map(with_tokenizers);
        let indices = segments.iter().map(open).collect::<tantivy::Result<Vec<_>>>()?;
        merge_indices(&indices, MmapDirectory::open(&target)?)?;
        drop(indices);
        for segment in segments {
            fs::remove_dir_all(segment).with_context(|| format!("removing {}", segment.display()))?;
        }
    }
    write_stem_tables(schema, folder)
}

fn write_stem_tables(schema: &Schema, folder: &Path) -> anyhow::Result<()> {
    let index = Index::open(MmapDirectory::open(folder.join(INDEX_FOLDER))?)?;
    let mut words = Vec::new();
    if let Some(field) = IndexLayout::new(schema).field(Role::Text) {
        let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
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
    stem_tables::write(folder, &words).with_context(|| format!("writing the stem tables in {}", folder.display()))
}
