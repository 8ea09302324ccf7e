//! Writes the orders by value, by closing date and by last day.

use std::{cmp::Reverse, io, path::Path};

use rayon::prelude::*;

use crate::{
    engine::tantivy::{
        columns::{DateColumn, ValueColumn},
        permutation,
    },
    model::Schema,
    query::SortKey,
};

/// Writes the orders of an entity type whose columns are written. `id_ranks` has for each document the place of its
/// `record_id` among all: equal keys are in the order of their ids.
pub(crate) fn write_orders(schema: &Schema, folder: &Path, id_ranks: &[u32]) -> io::Result<()> {
    let documents = || (0..id_ranks.len() as u32).collect::<Vec<_>>();
    let id_rank = |document: u32| id_ranks[document as usize];
    let by_value = || {
        let column = ValueColumn::open(folder, SortKey::Value.role(), id_ranks.len())?;
        // Adding zero turns -0.0 into 0.0.
        let value = |document: u32| column.get(document).map(|value| value + 0.0);
        let mut order = documents();
        order.par_sort_unstable_by(|a, b| {
            let by_value = match (value(*a), value(*b)) {
                (Some(a), Some(b)) => b.total_cmp(&a),
                (a, b) => b.is_some().cmp(&a.is_some()),
            };
            by_value.then_with(|| id_rank(*a).cmp(&id_rank(*b)))
        });
        permutation::write(folder, SortKey::Value, &order)
    };
    let by_date = |key: SortKey| {
        let column = DateColumn::open(folder, key.role(), id_ranks.len())?;
        let mut order = documents();
        order.par_sort_unstable_by_key(|document| (Reverse(column.get(*document)), id_rank(*document)));
        permutation::write(folder, key, &order)
    };
    if schema.has_role(SortKey::Value.role()) {
        by_value()?;
    }
    for key in [SortKey::ClosingDate, SortKey::EndDate] {
        if schema.has_role(key.role()) {
            by_date(key)?;
        }
    }
    Ok(())
}
