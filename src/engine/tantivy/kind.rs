//! One kind of record, opened: its segment, its columns, and the files beside them.

use std::{collections::HashMap, io, path::Path};

use tantivy::{DocId, Index, Searcher, SegmentReader, columnar::Column, directory::MmapDirectory};

use super::{
    departments::Departments,
    directory::ReadOnly,
    facets::{Codes, Column as FacetColumn},
    groups::{Groups, Sum},
    layout::{self, Layout},
    names::Names,
    order::Permutation,
    stems::Stems,
    store::Store,
};
use crate::{
    model::{
        date::Date,
        facet::Facet,
        record::query_key,
        schema::{Role, Schema},
    },
    query::SortKey,
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
    facets: Vec<(Facet, FacetColumn, Groups)>,
    /// By the key of a department that has several names: the keys of all of them.
    aliases: HashMap<String, Vec<String>>,
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
            facets: Vec::new(),
            aliases: HashMap::new(),
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

    /// Opens what the kind is counted by, all but the groups of departments, which span the kinds.
    pub fn open_facets(&self, folder: &Path) -> anyhow::Result<Vec<(Facet, FacetColumn, Vec<Sum>)>> {
        let values = self
            .values_of(|visit| (0..self.records()).for_each(visit))
            .unwrap_or_default();
        let mut facets = Vec::new();
        for facet in Facet::ALL {
            if let Some(column) = FacetColumn::open(folder, facet, self.store.len())? {
                let values = match facet {
                    // Their sums are asked for over the whole kind.
                    Facet::Vendor | Facet::Department => values.as_slice(),
                    _ => &[],
                };
                let sums = Sum::of_codes(&column, self.records(), values);
                facets.push((facet, column, sums));
            }
        }
        Ok(facets)
    }

    pub fn group(&mut self, facets: Vec<(Facet, FacetColumn, Vec<Sum>)>, departments: &Departments) {
        for (facet, mut column, sums) in facets {
            let values_of = |entry: &[String]| match facet {
                Facet::Department => {
                    let department = departments.of(entry);
                    department
                        .map(|found| (found.key.clone(), found.name().to_owned()))
                        .into_iter()
                        .collect()
                }
                _ => entry.iter().map(|text| (facet.key(text), text.clone())).collect(),
            };
            let groups = Groups::new(&column.entries, &sums, values_of);
            if facet == Facet::Department {
                let several = departments.all().iter().filter(|department| department.keys.len() > 1);
                let present = several.filter(|department| groups.find(&department.key).is_some());
                self.aliases = present
                    .map(|department| (department.key.clone(), department.keys.clone()))
                    .collect();
            }
            // Their texts are in the groups now.
            column.entries = Vec::new();
            self.facets.push((facet, column, groups));
        }
    }

    /// The keys under which the index finds the records of a vendor or a department; none where it cannot.
    pub fn terms_of<'a>(&'a self, facet: Facet, key: &'a str) -> Vec<(Role, &'a str)> {
        let (role, keys) = match facet {
            Facet::Vendor => (Role::Vendor, None),
            Facet::Department => (Role::Department, self.aliases.get(key)),
            _ => return Vec::new(),
        };
        let keys: Vec<&str> = keys.map_or_else(|| vec![key], |keys| keys.iter().map(String::as_str).collect());
        // A name of signs only has no key in the index.
        match keys.iter().all(|key| query_key(role, key) == **key) {
            true => keys.into_iter().map(|key| (role, key)).collect(),
            false => Vec::new(),
        }
    }

    /// A facet's codes and values; `None` where no record has anything of it.
    pub fn facet(&self, facet: Facet) -> Option<(&Codes, &Groups)> {
        let found = self.facets.iter().find(|(known, _, _)| *known == facet);
        found.map(|(_, column, groups)| (&column.codes, groups))
    }

    /// The money of each document visited, not a number where it has none; `None` where the kind has no value field.
    pub fn values_of(&self, documents: impl FnOnce(&mut dyn FnMut(DocId))) -> Option<Vec<f64>> {
        let column = self.value.as_ref()?;
        let mut values = Vec::new();
        // Zero added, since a zero below nothing is only a zero.
        documents(&mut |document| values.push(column.first(document).map_or(f64::NAN, |value| value + 0.0)));
        Some(values)
    }

    /// The day of a role a document has.
    pub fn day(&self, role: Role, document: DocId) -> Option<Date> {
        let days = self.days(role)?.first(document)?;
        i32::try_from(days).ok().and_then(Date::from_days)
    }

    pub fn record_id(&self, document: DocId) -> io::Result<String> {
        crate::model::record::record_id(&self.store.get(document))
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
