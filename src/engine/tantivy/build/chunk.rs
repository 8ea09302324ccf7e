//! Builds the parts of an index that belong to one chunk of consecutive documents.

use std::path::Path;

use anyhow::Context;

use super::{
    facets::{ChunkFacets, FacetEntries},
    key_terms::KeyTerms,
    run_file::{Run, RunWriter},
    text_terms::TextTerms,
};
use crate::{
    engine::tantivy::{
        columns::ColumnWriter,
        layout::{AMOUNTS, DATES, KEYED, keyed},
        record_ids,
    },
    model::{Record, Role, Schema},
};

/// The parts of an index that belong to one chunk.
pub(crate) struct ChunkBuilder<'a> {
    folder: &'a Path,
    first_document: u32,
    /// The hashes of the documents' ids.
    ids: Vec<u64>,
    has_text: bool,
    has_subject: bool,
    keys: Vec<KeyTerms>,
    texts: TextTerms,
    facets: FacetEntries,
    dates: Vec<(Role, ColumnWriter)>,
    values: Vec<(Role, ColumnWriter)>,
    dollars: Option<ColumnWriter>,
}

/// A finished chunk. Its files disappear when it is dropped.
pub(crate) struct Chunk {
    pub(super) run: Run,
    pub(super) facets: ChunkFacets,
    /// The hashes of the documents' ids.
    pub(super) ids: Vec<u64>,
}

/// The fields of a run: those of [`keyed`] in this order, then these.
pub(super) const TEXT: usize = KEYED;
pub(super) const SUBJECT: usize = TEXT + 1;
pub(super) const RELEVANCE: usize = TEXT + 2;

impl<'a> ChunkBuilder<'a> {
    /// `folder` is that of the entity type.
    pub(crate) fn create(schema: &Schema, folder: &'a Path, first_document: u32) -> anyhow::Result<ChunkBuilder<'a>> {
        let creating = || format!("creating the columns in {}", folder.display());
        let (mut dates, mut values) = (Vec::new(), Vec::new());
        for role in DATES.into_iter().filter(|role| schema.has_role(*role)) {
            let column = ColumnWriter::of_dates(folder, role, first_document);
            dates.push((role, column.with_context(creating)?));
        }
        for role in AMOUNTS.into_iter().filter(|role| schema.has_role(*role)) {
            let column = ColumnWriter::of_values(folder, role, first_document);
            values.push((role, column.with_context(creating)?));
        }
        let dollars = schema
            .has_role(Role::Value)
            .then(|| ColumnWriter::of_dollars(folder, first_document));
        Ok(ChunkBuilder {
            dollars: dollars.transpose().with_context(creating)?,
            folder,
            first_document,
            ids: Vec::new(),
            has_text: schema.is_searchable_by(Role::Text),
            has_subject: schema.is_searchable_by(Role::Subject),
            keys: keyed().map(KeyTerms::new).collect(),
            texts: TextTerms::default(),
            facets: FacetEntries::default(),
            dates,
            values,
        })
    }

    /// Adds the next document.
    pub(crate) fn add(&mut self, record: &Record) -> anyhow::Result<()> {
        self.ids.push(record_ids::hash(record.id()));
        for keys in &mut self.keys {
            keys.add(record);
        }
        if self.has_text {
            self.texts.add(record, self.has_subject);
        }
        self.facets.add(record);
        for (role, column) in &mut self.dates {
            column.push_date(record.date(*role))?;
        }
        for (role, column) in &mut self.values {
            column.push_value(match role {
                Role::Value => record.value(),
                _ => record.original_value(),
            })?;
        }
        if let Some(column) = &mut self.dollars {
            column.push_dollars(record.value().filter(|_| record.is_in_canadian_dollars()))?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> anyhow::Result<Chunk> {
        let columns = self.dates.into_iter().chain(self.values).map(|(_, column)| column);
        columns.chain(self.dollars).try_for_each(ColumnWriter::finish)?;
        let facets = self.facets.finish(self.folder)?;
        let mut run = RunWriter::create(self.folder, self.first_document)?;
        for keys in self.keys {
            run.write_field(keys.finish(), false)?;
        }
        let texts = self.texts.finish();
        for (field, with_positions) in [(texts.text, true), (texts.subject, false), (texts.relevance, false)] {
            run.write_field(field, with_positions)?;
        }
        Ok(Chunk {
            run: run.finish()?,
            facets,
            ids: self.ids,
        })
    }
}
