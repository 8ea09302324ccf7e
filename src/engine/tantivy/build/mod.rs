//! Builds the files of an entity type from its records in document order.
//!
//! Chunks of consecutive documents are built in parallel ([`ChunkBuilder`]), each into a temporary [run](run_file), and
//! then merged ([`merge_chunks`]). Memory holds the terms of the chunks in progress, and of a finished chunk its facet
//! entries.
//!
//! Tantivy's own writer is not used, only its serializer of postings and dictionaries. That writer makes a dictionary
//! for each segment and reads it again to merge; it hashes the text of every term of every document; and it merges on
//! one core. Here a word is hashed once for the three fields that are made of it.

mod chunk;
mod directory;
mod facets;
mod groups;
mod key_terms;
mod merge;
mod names;
mod orders;
mod postings_log;
mod run_file;
mod text_terms;
mod varint;
mod vocabulary;

use std::{fs, path::Path};

use anyhow::Context;
use rayon::prelude::*;

use self::{
    chunk::{RELEVANCE, SUBJECT, TEXT},
    merge::{FieldMerge, TermVisitor, merge},
    names::NamesWriter,
    vocabulary::Vocabulary,
};
use super::{
    layout::{INDEX_FOLDER, IndexLayout, keyed},
    record_ids, stem_tables,
};
use crate::{
    engine::names::NAMES,
    model::{Role, Schema},
};

pub(crate) use self::chunk::{Chunk, ChunkBuilder};
pub(crate) use self::{groups::group_facets, orders::write_orders};
pub(crate) use super::record_store::{OFFSETS, RECORDS};

/// Merges the chunks of an entity type, in the given order, into its index. `documents` is the number of documents of
/// all of them.
pub(crate) fn merge_chunks(schema: &Schema, chunks: Vec<Chunk>, documents: u32, folder: &Path) -> anyhow::Result<()> {
    let (mut runs, mut facets, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for chunk in chunks {
        runs.push(chunk.run);
        facets.push(chunk.facets);
        ids.push(chunk.ids);
    }
    let (columns, index) = rayon::join(
        || {
            record_ids::write(folder, ids.into_iter().flatten())
                .with_context(|| format!("writing the ids of the records in {}", folder.display()))?;
            facets::write(folder, &facets)
                .with_context(|| format!("writing the facets of the records in {}", folder.display()))
        },
        || merge_runs(schema, &runs, documents, folder),
    );
    columns?;
    index
}

fn merge_runs(schema: &Schema, runs: &[run_file::Run], documents: u32, folder: &Path) -> anyhow::Result<()> {
    let layout = IndexLayout::new(schema);
    let mut names = Vec::new();
    for role in NAMES.into_iter().filter(|role| layout.field(*role).is_some()) {
        let writer = NamesWriter::create(folder, role, documents);
        names.push((role, writer.with_context(|| format!("writing {} names", role.name()))?));
    }
    let mut vocabulary = Vocabulary::default();
    let text = layout.field(Role::Text).map(|field| FieldMerge {
        field,
        number: TEXT,
        with_positions: true,
        visitor: Some(&mut vocabulary),
    });
    let subject = layout.field(Role::Subject).map(|field| FieldMerge {
        field,
        number: SUBJECT,
        with_positions: false,
        visitor: None,
    });
    let relevance = FieldMerge {
        field: layout.relevance(),
        number: RELEVANCE,
        with_positions: false,
        visitor: None,
    };
    let mut visitors: Vec<(Role, &mut dyn TermVisitor)> = Vec::new();
    for (role, writer) in &mut names {
        visitors.push((*role, writer));
    }
    let mut fields: Vec<FieldMerge> = text.into_iter().chain(subject).chain([relevance]).collect();
    for (number, role) in keyed().enumerate() {
        if let Some(field) = layout.field(role) {
            let visitor = visitors.iter().position(|(known, _)| *known == role);
            fields.push(FieldMerge {
                field,
                number,
                with_positions: false,
                visitor: visitor.map(|at| visitors.swap_remove(at).1),
            });
        }
    }
    let target = folder.join(INDEX_FOLDER);
    fs::create_dir_all(&target).with_context(|| format!("creating {}", target.display()))?;
    merge(
        layout.index_schema.clone(),
        IndexLayout::settings(),
        runs,
        fields,
        documents,
        &target,
    )
    .with_context(|| format!("writing {} (is the disk full?)", target.display()))?;
    let write_stems = || stem_tables::write(folder, &vocabulary.0);
    let write_names = || names.into_par_iter().try_for_each(|(_, names)| names.finish());
    let (stems, names) = rayon::join(write_stems, write_names);
    stems.with_context(|| format!("writing the stem tables in {}", folder.display()))?;
    names.with_context(|| format!("writing the names in {}", folder.display()))
}
