//! One kind of record, opened: its segment, its columns, and the files beside them.

use std::{io, path::Path};

use tantivy::{DocId, Index, Searcher, SegmentReader, columnar::Column, directory::MmapDirectory};

use super::{
    directory::ReadOnly,
    layout::{self, Layout},
    names::Names,
    order::Permutation,
    stems::Stems,
    store::Store,
};
use crate::{
    date::Date,
    query::SortKey,
    schema::{Role, Schema},
};

/// Everything a search of a kind that has records needs.
pub struct Kind {
    pub layout: Layout,
    pub searcher: Searcher,
    pub store: Store,
    pub stems: Stems,
    pub value: Option<Column<f64>>,
    /// How many documents, from the first on, have an event date.
    pub dated: DocId,
    names: Vec<(Role, Names)>,
    days: Vec<(Role, Column<i64>)>,
    permutations: Vec<(SortKey, Permutation)>,
}

impl Kind {
    pub fn open(schema: &'static Schema, folder: &Path) -> anyhow::Result<Kind> {
        let layout = Layout::new(schema);
        let directory = ReadOnly(MmapDirectory::open(folder.join(layout::INDEX_FOLDER))?);
        let index = layout::with_tokenizers(Index::open(directory)?);
        anyhow::ensure!(
            index.schema() == layout.index_schema,
            "its index fields are not those of the schema"
        );
        let reader = index
            .reader_builder()
            .reload_policy(tantivy::ReloadPolicy::Manual)
            .try_into()?;
        let reader: tantivy::IndexReader = reader;
        let searcher = reader.searcher();
        let [segment] = searcher.segment_readers() else {
            anyhow::bail!("it has {} segments, not one", searcher.segment_readers().len());
        };
        let store = Store::open(folder)?;
        anyhow::ensure!(
            store.len() == segment.max_doc() as usize,
            "{} records lie beside an index of {}",
            store.len(),
            segment.max_doc()
        );
        let mut names = Vec::new();
        for role in layout::NAMES {
            if let Some(field) = layout.field(role) {
                names.push((role, Names::load(segment, field, layout::field_name(role))?));
            }
        }
        let mut days = Vec::new();
        for role in layout::DATES {
            if schema.has_role(role) {
                days.push((role, segment.fast_fields().i64(layout::field_name(role))?));
            }
        }
        let value = match schema.has_role(Role::Value) {
            true => Some(segment.fast_fields().f64(layout::field_name(Role::Value))?),
            false => None,
        };
        let mut permutations = Vec::new();
        for key in [SortKey::ClosingDate, SortKey::Value] {
            if schema.has_role(super::order::role(key)) {
                permutations.push((key, Permutation::open(folder, key, store.len())?));
            }
        }
        let dates = days
            .iter()
            .find(|(role, _)| *role == Role::Date)
            .map(|(_, column)| column);
        let dated = partition(segment.max_doc(), |doc| {
            dates.is_some_and(|dates| dates.first(doc).is_some())
        });
        let stems = Stems::open(folder)?;
        Ok(Kind {
            layout,
            value,
            dated,
            names,
            days,
            permutations,
            stems,
            store,
            searcher,
        })
    }

    pub fn segment(&self) -> &SegmentReader {
        self.searcher.segment_reader(0)
    }

    pub fn records(&self) -> DocId {
        self.segment().max_doc()
    }

    pub fn names(&self, role: Role) -> Option<&Names> {
        self.names
            .iter()
            .find(|(known, _)| *known == role)
            .map(|(_, names)| names)
    }

    pub fn days(&self, role: Role) -> Option<&Column<i64>> {
        self.days
            .iter()
            .find(|(known, _)| *known == role)
            .map(|(_, column)| column)
    }

    pub fn permutation(&self, key: SortKey) -> Option<&Permutation> {
        self.permutations
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, permutation)| permutation)
    }

    /// The day of a role a document has.
    pub fn day(&self, role: Role, document: DocId) -> Option<Date> {
        let days = self.days(role)?.first(document)?;
        i32::try_from(days).ok().and_then(Date::from_days)
    }

    pub fn record_id(&self, document: DocId) -> io::Result<String> {
        crate::record::record_id(&self.store.get(document))
            .map(std::borrow::Cow::into_owned)
            .ok_or_else(|| io::Error::other(format!("record {document} has no readable record_id")))
    }
}

/// The first of `0..end` for which `before` does not hold, where it holds for all until one and for none after.
pub fn partition(end: u32, mut before: impl FnMut(u32) -> bool) -> u32 {
    partition_in(0..end, &mut before)
}

pub fn partition_in(range: std::ops::Range<u32>, before: &mut impl FnMut(u32) -> bool) -> u32 {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = u32::midpoint(low, high);
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
