//! The opened index of one entity type: its segment, its columns and the files next to it.

use std::{borrow::Cow, io, ops::Range, path::Path, sync::Arc};

use anyhow::{bail, ensure};
use tantivy::{DocId, Index, IndexReader, ReloadPolicy, Searcher, SegmentReader, directory::MmapDirectory};

use super::{
    columns::{DateColumn, DollarColumn, ValueColumn},
    directory::ReadOnlyDirectory,
    facet_columns::{Codes, open_values},
    key_dictionary::KeyDictionary,
    layout::{DATES, INDEX_FOLDER, IndexLayout},
    permutation::Permutation,
    record_ids::RecordIds,
    record_store::RecordStore,
    stem_tables::StemTables,
};
use crate::{
    engine::{
        departments::Departments,
        facet_values::FacetValues,
        names::{NAMES, is_department},
        packed,
    },
    model::{
        Date, EntityType, Facet, Role, Schema,
        record::{CANADIAN, query_key},
        record_id::record_id,
    },
    query::SortKey,
};

/// Everything that a search needs of an entity type that has records.
pub(crate) struct EntityIndex {
    pub(crate) layout: IndexLayout,
    pub(crate) searcher: Searcher,
    pub(crate) store: RecordStore,
    pub(crate) ids: RecordIds,
    pub(crate) stems: StemTables,
    pub(crate) value: Option<ValueColumn>,
    /// The value before amendments, in any currency.
    pub(super) original_value: Option<ValueColumn>,
    /// In Canadian dollars.
    pub(super) dollars: Option<DollarColumn>,
    has_foreign_values: bool,
    /// How many documents have an event date; they come first.
    pub(crate) dated: DocId,
    dictionaries: Vec<(Role, KeyDictionary)>,
    dates: Vec<(Role, DateColumn)>,
    permutations: Vec<(SortKey, Permutation)>,
    facets: Vec<(Facet, Codes, FacetValues)>,
    /// The departments of the whole generation.
    departments: Arc<Departments>,
}

impl EntityIndex {
    /// Opens the index. `departments` are those of the generation.
    pub(crate) fn open(
        entity_type: EntityType,
        folder: &Path,
        departments: &Arc<Departments>,
    ) -> anyhow::Result<EntityIndex> {
        let schema = Schema::of(entity_type);
        let layout = IndexLayout::new(schema);
        let searcher = open_searcher(&layout, folder)?;
        let [segment] = searcher.segment_readers() else {
            bail!("it has {} segments instead of one", searcher.segment_readers().len());
        };
        let store = RecordStore::open(folder)?;
        ensure!(
            store.len() == segment.max_doc() as usize,
            "the index has {} documents, and the record store {} records",
            segment.max_doc(),
            store.len()
        );
        let dictionaries = open_each(NAMES, |role| {
            let field = layout.field(role);
            field.map(|_| KeyDictionary::open(folder, role, store.len()))
        })?;
        let has = |role: Role| schema.has_role(role);
        let dates = open_each(DATES, |role| {
            has(role).then(|| DateColumn::open(folder, role, store.len()))
        })?;
        let amounts = |role: Role| value_column(schema, folder, role, store.len());
        let (value, original_value) = (amounts(Role::Value)?, amounts(Role::OriginalValue)?);
        let dollars = value
            .is_some()
            .then(|| DollarColumn::open(folder, store.len()))
            .transpose()?;
        let permutations = open_each([SortKey::ClosingDate, SortKey::EndDate, SortKey::Value], |key| {
            has(key.role()).then(|| Permutation::open(folder, key, store.len()))
        })?;
        let event_dates = find(&dates, Role::Date);
        let dated = partition(0..segment.max_doc(), |document| {
            event_dates.is_some_and(|dates| dates.get(document).is_some())
        });
        let facets = open_facets(folder, store.len())?;
        Ok(EntityIndex {
            layout,
            value,
            original_value,
            dollars,
            has_foreign_values: facets.iter().any(has_foreign_currency),
            dated,
            dictionaries,
            dates,
            permutations,
            facets,
            departments: Arc::clone(departments),
            stems: StemTables::open(folder)?,
            ids: RecordIds::open(folder, store.len())?,
            store,
            searcher,
        })
    }

    pub(crate) fn segment(&self) -> &SegmentReader {
        self.searcher.segment_reader(0)
    }

    /// The number of documents.
    pub(crate) fn records(&self) -> DocId {
        self.segment().max_doc()
    }

    pub(crate) fn dictionary(&self, role: Role) -> Option<&KeyDictionary> {
        find(&self.dictionaries, role)
    }

    /// The column of a date role: days since 1970-01-01.
    pub(crate) fn dates(&self, role: Role) -> Option<&DateColumn> {
        find(&self.dates, role)
    }

    pub(crate) fn permutation(&self, key: SortKey) -> Option<&Permutation> {
        find(&self.permutations, key)
    }

    /// The key of a facet's value that has a name with this key.
    pub(crate) fn key_of_value<'a>(&'a self, facet: Facet, key: &'a str) -> &'a str {
        if is_department(facet) {
            self.departments.key_of(key)
        } else {
            key
        }
    }

    /// The keys under which the index finds the records of a vendor or a department; empty where it
    /// cannot.
    pub(crate) fn terms_of<'a>(&'a self, facet: Facet, key: &'a str) -> Vec<(Role, &'a str)> {
        let (role, keys) = match facet {
            Facet::Vendor => (Role::Vendor, None),
            Facet::NamedDepartment | Facet::Department => (Role::Department, self.departments.keys_of(key)),
            _ => return Vec::new(),
        };
        let keys: Vec<&str> = match keys {
            Some(keys) => keys.iter().map(String::as_str).collect(),
            None => vec![key],
        };
        // A name without letters and digits has no key in the index.
        if keys.iter().any(|key| query_key(role, key) != **key) {
            return Vec::new();
        }
        keys.into_iter().map(|key| (role, key)).collect()
    }

    /// The keys of a role that do not contain `part`, but whose records are found by it.
    pub(crate) fn keys_beside<'a>(&'a self, role: Role, part: &'a str) -> impl Iterator<Item = &'a str> {
        let departments = (role == Role::Department).then_some(&self.departments);
        departments
            .into_iter()
            .flat_map(move |departments| departments.keys_beside(part))
    }

    /// The codes and values of a facet; `None` where no record has any.
    pub(crate) fn facet(&self, facet: Facet) -> Option<(&Codes, &FacetValues)> {
        let found = self.facets.iter().find(|(known, _, _)| *known == facet);
        found.map(|(_, codes, values)| (codes, values))
    }

    /// Whether some records have another currency than Canadian dollars.
    pub(crate) const fn has_foreign_values(&self) -> bool {
        self.has_foreign_values
    }

    /// The date of a document.
    pub(crate) fn date(&self, role: Role, document: DocId) -> Option<Date> {
        Date::from_days(self.dates(role)?.get(document)?)
    }

    pub(crate) fn record_id(&self, document: DocId) -> io::Result<String> {
        record_id(&self.store.get(document))
            .map(Cow::into_owned)
            .ok_or_else(|| io::Error::other(format!("record {document} has no readable record_id")))
    }
}

/// The column of an amount; `None` if the entity type has none.
fn value_column(schema: &Schema, folder: &Path, role: Role, documents: usize) -> io::Result<Option<ValueColumn>> {
    let column = schema
        .has_role(role)
        .then(|| ValueColumn::open(folder, role, documents));
    column.transpose()
}

/// Opens what the index has for these keys. `open` returns `None` for a key that it has nothing for.
fn open_each<K: Copy, V>(
    keys: impl IntoIterator<Item = K>,
    open: impl Fn(K) -> Option<io::Result<V>>,
) -> io::Result<Vec<(K, V)>> {
    let opened = |key: K| Some(open(key)?.map(|value| (key, value)));
    keys.into_iter().filter_map(opened).collect()
}

fn open_facets(folder: &Path, records: usize) -> anyhow::Result<Vec<(Facet, Codes, FacetValues)>> {
    let mut facets = Vec::new();
    for facet in Facet::ALL {
        if let Some(values) = open_values(folder, facet)? {
            let codes = Codes::open(folder, facet, values.code_count(), records)?;
            facets.push((facet, codes, values));
        }
    }
    Ok(facets)
}

fn has_foreign_currency((facet, _, values): &(Facet, Codes, FacetValues)) -> bool {
    *facet == Facet::Currency && (0..values.len() as u32).any(|value| values.name(value) != CANADIAN)
}

fn open_searcher(layout: &IndexLayout, folder: &Path) -> anyhow::Result<Searcher> {
    let directory = ReadOnlyDirectory(MmapDirectory::open(folder.join(INDEX_FOLDER))?);
    let index = Index::open(directory)?;
    ensure!(
        index.schema() == layout.index_schema,
        "its index fields are not those of the schema"
    );
    let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok(reader.searcher())
}

fn find<K: PartialEq, V>(pairs: &[(K, V)], key: K) -> Option<&V> {
    pairs.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
}

/// [`packed::partition`] for numbers of documents and ranks.
pub(crate) fn partition(range: Range<u32>, mut before: impl FnMut(u32) -> bool) -> u32 {
    packed::partition(range.start as usize..range.end as usize, |number| before(number as u32)) as u32
}
