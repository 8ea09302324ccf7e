//! The codes of facet entries: in the documents of the records, and as tables that the engine reads
//! when it opens a generation.

use std::collections::HashMap;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::stored_money;
use crate::{
    engine::facet_values::Sum,
    model::{Facet, Record},
};

/// The code of each entry of each facet. All spellings of a vendor share a code.
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

/// The entries of a facet of an entity type: the code of an entry is its index. The entries of vendors
/// are their names.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "StoredTable", into = "StoredTable")]
pub(crate) struct FacetTable {
    pub(crate) facet: Facet,
    pub(crate) entries: Vec<Vec<String>>,
    /// By code. The values, in Canadian dollars, are summed only for buyers and vendors.
    pub(crate) sums: Vec<Sum>,
}

/// A [`FacetTable`] in a file of the generation: for each entry its texts, its number of records, and
/// the sum of their values.
#[derive(Serialize, Deserialize)]
struct StoredTable {
    facet: String,
    entries: Vec<(Vec<String>, u64, String)>,
}

impl From<FacetTable> for StoredTable {
    fn from(table: FacetTable) -> StoredTable {
        let entries = table.entries.into_iter().zip(table.sums);
        let entries = entries.map(|(entry, sum)| (entry, sum.count, stored_money::to_text(sum.total_value)));
        StoredTable {
            facet: table.facet.name().to_owned(),
            entries: entries.collect(),
        }
    }
}

impl TryFrom<StoredTable> for FacetTable {
    type Error = anyhow::Error;

    fn try_from(stored: StoredTable) -> anyhow::Result<FacetTable> {
        let facet = Facet::parse(&stored.facet).with_context(|| format!("there is no facet {:?}", stored.facet))?;
        let (mut entries, mut sums) = (Vec::new(), Vec::new());
        for (entry, count, value) in stored.entries {
            let total_value = stored_money::from_text(&value).with_context(|| format!("{value:?} is not an amount"))?;
            entries.push(entry);
            sums.push(Sum { count, total_value });
        }
        Ok(FacetTable { facet, entries, sums })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::aggregation::Money;

    #[test]
    fn a_table_is_read_back_and_a_damaged_one_is_refused() {
        let table = FacetTable {
            facet: Facet::NamedDepartment,
            entries: vec![vec!["A".to_owned(), String::new()], vec![String::new(), "É".to_owned()]],
            sums: [(3, 1.25), (1, 1e21)]
                .map(|(count, dollars)| Sum {
                    count,
                    total_value: Money::of(dollars),
                })
                .into(),
        };
        let json = serde_json::to_string(&table).unwrap();
        let read = |json: &str| serde_json::from_str::<FacetTable>(json);
        let same = read(&json).unwrap();
        assert_eq!((same.facet, &same.entries), (table.facet, &table.entries));
        for (read, written) in same.sums.iter().zip(&table.sums) {
            assert_eq!((read.count, read.total_value), (written.count, written.total_value));
        }
        for (from, to) in [("department", "nothing"), (",3,", ","), ("1250000", "x")] {
            assert!(json.contains(from));
            assert!(read(&json.replacen(from, to, 1)).is_err(), "{to}");
        }
    }
}
