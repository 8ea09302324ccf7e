//! Groups the facet entries of all entity types into values, so that opening a generation reads no entry: which
//! spellings are one value, its name, its count and its sum ([`FacetValues`]), and which names are one department.

use std::{fs, io, path::Path};

use anyhow::Context;
use rayon::prelude::*;

use crate::{
    engine::{
        departments::Departments,
        facet_values::{FacetValues, Sum},
        tantivy::{
            columns::{DollarColumn, ValueColumn},
            facet_columns::{Codes, path, read_entries},
            layout::DEPARTMENTS,
        },
    },
    model::{EntityType, Facet, Role, Schema},
};

/// A facet whose entries are not grouped.
struct Ungrouped {
    entity_type: EntityType,
    facet: Facet,
    entries: Vec<Vec<String>>,
    /// What each entry counts for.
    sums: Vec<Sum>,
}

/// Groups the facets of a generation in `folder`. `records` returns how many records an entity type has.
pub(crate) fn group_facets(folder: &Path, records: impl Fn(EntityType) -> u64) -> anyhow::Result<()> {
    let mut ungrouped = Vec::new();
    for entity_type in EntityType::ALL {
        let records = records(entity_type) as usize;
        if records > 0 {
            let folder = folder.join(entity_type.name());
            let read = read_facets(entity_type, &folder, records);
            ungrouped.extend(read.with_context(|| format!("reading the facets in {}", folder.display()))?);
        }
    }
    let buyers = ungrouped
        .iter()
        .filter(|ungrouped| ungrouped.facet == Facet::Department);
    let departments = Departments::new(buyers.flat_map(|buyers| {
        let entries = buyers.entries.iter().map(Vec::as_slice);
        entries.zip(buyers.sums.iter().map(|sum| sum.count))
    }));
    ungrouped.into_par_iter().try_for_each(|ungrouped| {
        let Ungrouped {
            entity_type,
            facet,
            entries,
            sums,
        } = ungrouped;
        let values = FacetValues::new(&entries, &sums, |entry| departments.values_of_entry(facet, entry));
        drop((entries, sums));
        let path = path(&folder.join(entity_type.name()), facet, "values");
        fs::write(&path, values.to_bytes()).with_context(|| format!("writing {}", path.display()))
    })?;
    let path = folder.join(DEPARTMENTS);
    fs::write(&path, serde_json::to_vec(&departments)?).with_context(|| format!("writing {}", path.display()))
}

fn read_facets(entity_type: EntityType, folder: &Path, records: usize) -> anyhow::Result<Vec<Ungrouped>> {
    let mut facets = Vec::new();
    for facet in Facet::ALL {
        if let Some(entries) = read_entries(folder, facet)? {
            let codes = Codes::open(folder, facet, entries.len(), records)?;
            facets.push((facet, entries, codes));
        }
    }
    let has_values = Schema::of(entity_type).has_role(Role::Value);
    let columns = has_values.then(|| -> io::Result<_> {
        let values = ValueColumn::open(folder, Role::Value, records)?;
        Ok((DollarColumn::open(folder, records)?, values))
    });
    let columns = columns.transpose()?;
    let grouped = facets.into_par_iter().map(|(facet, entries, codes)| {
        let columns = match facet {
            // Only these two are listed with their sums over the whole entity type.
            Facet::Vendor | Facet::Department => columns.as_ref(),
            _ => None,
        };
        let mut sums = vec![Sum::default(); entries.len()];
        let mut document = 0;
        codes.for_each(0..records as u32, |code| {
            let sum = &mut sums[code as usize];
            sum.count += 1;
            if let Some(amount) = columns.and_then(|(dollars, values)| dollars.money(document, values)) {
                sum.total_value.add(amount);
            }
            document += 1;
        });
        Ungrouped {
            entity_type,
            facet,
            entries,
            sums,
        }
    });
    Ok(grouped.collect())
}
