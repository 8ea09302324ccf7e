//! The opened index of one entity type: its segment, its columns and the files next to it.

use std::{borrow::Cow, io, ops::Range, path::Path, sync::Arc};

use anyhow::{bail, ensure};
use tantivy::{
    DocId, Index, IndexReader, ReloadPolicy, Searcher, SegmentReader, columnar::Column, directory::MmapDirectory,
};

use super::{
    directory::ReadOnlyDirectory,
    facet_columns::{Codes, FacetColumn},
    key_dictionary::KeyDictionary,
    layout::{DATES, INDEX_FOLDER, IndexLayout, with_tokenizers},
    permutation::Permutation,
    record_store::RecordStore,
    stem_tables::StemTables,
};
use crate::{
    engine::{
        departments::Departments,
        facet_values::{FacetValues, Sum},
        names::NAMES,
    },
    model::{
        Date, EntityType, Facet, Role, Schema,
        record::{self, CANADIAN, query_key},
    },
    query::SortKey,
};

/// Everything that a search needs of an entity type that has records.
pub(crate) struct EntityIndex {
    pub(crate) layout: IndexLayout,
    pub(crate) searcher: Searcher,
    pub(crate) store: RecordStore,
    pub(crate) stems: StemTables,
    pub(crate) value: Option<Column<f64>>,
    original_value: Option<Column<f64>>,
    /// For each code of [`Facet::Currency`]: whether it is another currency than Canadian dollars.
    /// Empty where none is.
    is_foreign: Vec<bool>,
    /// How many documents have an event date; they come first.
    pub(crate) dated: DocId,
    dictionaries: Vec<(Role, KeyDictionary)>,
    dates: Vec<(Role, Column<i64>)>,
    permutations: Vec<(SortKey, Permutation)>,
    facets: Vec<(Facet, FacetColumn, FacetValues)>,
    /// Those of the whole generation.
    departments: Arc<Departments>,
}

/// A facet whose values are not yet grouped, with what each code counts for.
pub(crate) type OpenedFacet = (Facet, FacetColumn, Vec<Sum>);

impl EntityIndex {
    /// Opens the index without its facets, which [`EntityIndex::set_facets`] adds.
    pub(crate) fn open(entity_type: EntityType, folder: &Path) -> anyhow::Result<EntityIndex> {
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
        let mut dictionaries = Vec::new();
        for role in NAMES {
            if let Some(field) = layout.field(role) {
                dictionaries.push((role, KeyDictionary::load(segment, field, role.name())?));
            }
        }
        let mut dates = Vec::new();
        for role in DATES {
            if schema.has_role(role) {
                dates.push((role, segment.fast_fields().i64(role.name())?));
            }
        }
        let amounts = |role: Role| {
            let column = schema.has_role(role).then(|| segment.fast_fields().f64(role.name()));
            column.transpose()
        };
        let (value, original_value) = (amounts(Role::Value)?, amounts(Role::OriginalValue)?);
        let mut permutations = Vec::new();
        for key in [SortKey::ClosingDate, SortKey::Value] {
            if schema.has_role(key.role()) {
                permutations.push((key, Permutation::open(folder, key, store.len())?));
            }
        }
        let event_dates = find(&dates, Role::Date);
        let dated = partition(0..segment.max_doc(), |document| {
            event_dates.is_some_and(|dates| dates.first(document).is_some())
        });
        let stems = StemTables::open(folder)?;
        Ok(EntityIndex {
            layout,
            value,
            original_value,
            is_foreign: Vec::new(),
            dated,
            dictionaries,
            dates,
            permutations,
            facets: Vec::new(),
            departments: Arc::default(),
            stems,
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
    pub(crate) fn dates(&self, role: Role) -> Option<&Column<i64>> {
        find(&self.dates, role)
    }

    pub(crate) fn permutation(&self, key: SortKey) -> Option<&Permutation> {
        find(&self.permutations, key)
    }

    /// Opens the facet columns. Their values cannot be grouped yet, because departments span the
    /// entity types.
    pub(crate) fn open_facets(&self, folder: &Path) -> anyhow::Result<Vec<OpenedFacet>> {
        let mut columns: Vec<(Facet, FacetColumn)> = Vec::new();
        for facet in Facet::ALL {
            if let Some(column) = FacetColumn::open(folder, facet, self.store.len())? {
                columns.push((facet, column));
            }
        }
        let currencies = columns.iter().find(|(facet, _)| *facet == Facet::Currency);
        let is_foreign = currencies.map_or_else(Vec::new, |(_, column)| foreign_codes(&column.entries));
        let foreign = currencies.map(|(_, column)| Foreign {
            codes: &column.codes,
            is_foreign: &is_foreign,
        });
        let all = |visit: &mut dyn FnMut(DocId)| (0..self.records()).for_each(visit);
        let dollars = without_foreign(self.value.as_ref(), foreign, all).unwrap_or_default();
        let sums: Vec<Vec<Sum>> = columns
            .iter()
            .map(|(facet, column)| {
                let values = match facet {
                    // Only these two are listed with their sums over the whole entity type.
                    Facet::Vendor | Facet::Buyer => dollars.as_slice(),
                    _ => &[],
                };
                column.sums(self.records(), values)
            })
            .collect();
        let opened = columns.into_iter().zip(sums);
        Ok(opened.map(|((facet, column), sums)| (facet, column, sums)).collect())
    }

    /// Groups the values of the facets and keeps them.
    pub(crate) fn set_facets(&mut self, facets: Vec<OpenedFacet>, departments: &Arc<Departments>) {
        self.departments = Arc::clone(departments);
        for (facet, mut column, sums) in facets {
            let values_of = |entry: &[String]| departments.values_of_entry(facet, entry);
            let values = FacetValues::new(&column.entries, &sums, values_of);
            if facet == Facet::Currency {
                self.is_foreign = foreign_codes(&column.entries);
            }
            // The texts are now in the values.
            column.entries = Vec::new();
            self.facets.push((facet, column, values));
        }
    }

    /// The keys under which the index finds the records of a vendor or a department; empty where it
    /// cannot.
    pub(crate) fn terms_of<'a>(&'a self, facet: Facet, key: &'a str) -> Vec<(Role, &'a str)> {
        let (role, keys) = match facet {
            Facet::Vendor => (Role::Vendor, None),
            Facet::Department | Facet::Buyer => (Role::Department, self.departments.keys_of(key)),
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
        found.map(|(_, column, values)| (&column.codes, values))
    }

    /// The value of each visited document in its own currency, NaN where it has none. `None` where the
    /// entity type has no value field.
    pub(crate) fn values_of(&self, documents: impl FnOnce(&mut dyn FnMut(DocId))) -> Option<Vec<f64>> {
        without_foreign(self.value.as_ref(), None, documents)
    }

    /// Decision D-225: the same in Canadian dollars; NaN where the currency is another.
    pub(crate) fn dollars_of(&self, documents: impl FnOnce(&mut dyn FnMut(DocId))) -> Option<Vec<f64>> {
        without_foreign(self.value.as_ref(), self.foreign(), documents)
    }

    /// The value of each visited document before amendments, NaN where it states none or another
    /// currency. `None` where the entity type has no such field.
    pub(crate) fn original_dollars_of(&self, documents: impl FnOnce(&mut dyn FnMut(DocId))) -> Option<Vec<f64>> {
        without_foreign(self.original_value.as_ref(), self.foreign(), documents)
    }

    /// Whether some records have another currency than Canadian dollars.
    pub(crate) fn has_foreign_values(&self) -> bool {
        !self.is_foreign.is_empty()
    }

    fn foreign(&self) -> Option<Foreign<'_>> {
        let (codes, _) = self.facet(Facet::Currency)?;
        Some(Foreign {
            codes,
            is_foreign: &self.is_foreign,
        })
    }

    /// The date of a document.
    pub(crate) fn date(&self, role: Role, document: DocId) -> Option<Date> {
        let days = self.dates(role)?.first(document)?;
        i32::try_from(days).ok().and_then(Date::from_days)
    }

    pub(crate) fn record_id(&self, document: DocId) -> io::Result<String> {
        record::record_id(&self.store.get(document))
            .map(Cow::into_owned)
            .ok_or_else(|| io::Error::other(format!("record {document} has no readable record_id")))
    }
}

/// Which documents have amounts in another currency than Canadian dollars.
struct Foreign<'a> {
    codes: &'a Codes,
    /// By code; empty where no document has.
    is_foreign: &'a [bool],
}

/// For each entry of [`Facet::Currency`]: whether it is another currency than Canadian dollars. Empty
/// where none is.
fn foreign_codes(entries: &[Vec<String>]) -> Vec<bool> {
    let is_foreign = |entry: &Vec<String>| entry.iter().any(|currency| currency != CANADIAN);
    if entries.iter().any(is_foreign) {
        entries.iter().map(is_foreign).collect()
    } else {
        Vec::new()
    }
}

/// The amount of each visited document, NaN where it has none or it is foreign. `None` without a
/// column.
fn without_foreign(
    column: Option<&Column<f64>>,
    foreign: Option<Foreign>,
    documents: impl FnOnce(&mut dyn FnMut(DocId)),
) -> Option<Vec<f64>> {
    let column = column?;
    // Adding zero turns -0.0 into 0.0.
    let amount = |document: DocId| column.first(document).map_or(f64::NAN, |value| value + 0.0);
    let mut amounts = Vec::new();
    match foreign.filter(|foreign| !foreign.is_foreign.is_empty()) {
        Some(Foreign { codes, is_foreign }) => documents(&mut |document| {
            let is_foreign = is_foreign[codes.get(document) as usize];
            amounts.push(if is_foreign { f64::NAN } else { amount(document) });
        }),
        None => documents(&mut |document| amounts.push(amount(document))),
    }
    Some(amounts)
}

fn open_searcher(layout: &IndexLayout, folder: &Path) -> anyhow::Result<Searcher> {
    let directory = ReadOnlyDirectory(MmapDirectory::open(folder.join(INDEX_FOLDER))?);
    let index = with_tokenizers(Index::open(directory)?);
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

/// The first number of a range for which `before` is false, by binary search. `before` must be true
/// up to some number and false from there on.
pub(crate) fn partition(range: Range<u32>, mut before: impl FnMut(u32) -> bool) -> u32 {
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
