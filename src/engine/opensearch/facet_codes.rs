//! The codes of facet entries: in the documents of the records, and as tables that the engine reads
//! when it opens a generation.

use std::collections::HashMap;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use super::stored_money;
use crate::{
    engine::facet_values::Sum,
    model::{Facet, Record},
};

/// The code of each entry of each facet. A vendor's code is that of the value: all spellings share
/// it.
#[derive(Default)]
pub(crate) struct FacetCodes([HashMap<Vec<String>, u32>; Facet::ALL.len()]);

impl FacetCodes {
    pub(crate) fn insert(&mut self, facet: Facet, entry: Vec<String>, code: u32) {
        self.0[facet as usize].insert(entry, code);
    }

    /// `None` where the record has no entry.
    pub(crate) fn code(&self, facet: Facet, record: &Record) -> Option<u32> {
        self.0[facet as usize].get(&facet.entry(record)).copied()
    }
}

/// The entries of a facet of an entity type: the code of an entry is its index. Vendors have no
/// table, because they are in the names index.
pub(crate) struct FacetTable {
    pub(crate) facet: Facet,
    pub(crate) entries: Vec<Vec<String>>,
    /// By code. The values, in Canadian dollars, are summed only for buyers.
    pub(crate) sums: Vec<Sum>,
}

/// A [`FacetTable`] as a file of the generation.
#[derive(Serialize, Deserialize)]
struct StoredTable {
    facet: String,
    entries: Vec<Vec<String>>,
    counts: Vec<u64>,
    values: Vec<String>,
}

pub(crate) fn to_json(tables: &[FacetTable]) -> anyhow::Result<Vec<u8>> {
    let stored = tables.iter().map(|table| StoredTable {
        facet: table.facet.name().to_owned(),
        entries: table.entries.clone(),
        counts: table.sums.iter().map(|sum| sum.count).collect(),
        values: table
            .sums
            .iter()
            .map(|sum| stored_money::to_text(sum.total_value))
            .collect(),
    });
    Ok(serde_json::to_vec(&stored.collect::<Vec<_>>())?)
}

pub(crate) fn from_json(json: &[u8]) -> anyhow::Result<Vec<FacetTable>> {
    let stored: Vec<StoredTable> = serde_json::from_slice(json)?;
    stored.into_iter().map(read_table).collect()
}

fn read_table(stored: StoredTable) -> anyhow::Result<FacetTable> {
    let facet = Facet::parse(&stored.facet).with_context(|| format!("there is no facet {:?}", stored.facet))?;
    let entries = stored.entries.len();
    ensure!(
        stored.counts.len() == entries && stored.values.len() == entries,
        "facet {} has {entries} entries but {} counts and {} values",
        stored.facet,
        stored.counts.len(),
        stored.values.len()
    );
    let mut sums = Vec::with_capacity(entries);
    for (count, value) in stored.counts.into_iter().zip(stored.values) {
        let total_value = stored_money::from_text(&value).with_context(|| format!("{value:?} is not an amount"))?;
        sums.push(Sum { count, total_value });
    }
    Ok(FacetTable {
        facet,
        entries: stored.entries,
        sums,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::aggregation::Money;

    #[test]
    fn a_table_is_read_back_and_a_damaged_one_is_refused() {
        let table = FacetTable {
            facet: Facet::Department,
            entries: vec![vec!["A".to_owned(), String::new()], vec![String::new(), "É".to_owned()]],
            sums: [(3, 1.25), (1, 1e21)]
                .map(|(count, dollars)| Sum {
                    count,
                    total_value: Money::of(dollars),
                })
                .into(),
        };
        let json = to_json(std::slice::from_ref(&table)).unwrap();
        let read = from_json(&json).unwrap();
        assert_eq!((read[0].facet, &read[0].entries), (table.facet, &table.entries));
        for (read, written) in read[0].sums.iter().zip(&table.sums) {
            assert_eq!((read.count, read.total_value), (written.count, written.total_value));
        }
        let text = String::from_utf8(json).unwrap();
        for (from, to) in [("department", "nothing"), ("[3,1]", "[3]"), ("1250000", "x")] {
            assert!(text.contains(from));
            assert!(from_json(text.replace(from, to).as_bytes()).is_err(), "{to}");
        }
    }
}
