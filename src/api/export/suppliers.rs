//! Suppliers by any of their names, those with most records first.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use serde::Serialize;

use crate::{
    api::{
        analysis::{
            supplier::{SupplierRow, SupplierView},
            supplier_list::SuppliersAsked,
        },
        cost::ScanCost,
        export::{
            RowPage, RowSource, columns,
            listing::{Listing, two_starts},
            parquet_rows::SupplierOf,
        },
        params::{
            read::read_export,
            suppliers::{SuppliersParams, TABLE},
        },
    },
    catalog::{
        generation::Generation,
        suppliers::{Supplier, SupplierList},
    },
    engine::Deadline,
    http::{call::Call, error::ApiError, quoted::quoted, work::Work},
    model::{Role, Schema},
};

/// How many suppliers are made at once: fewer bytes than a chunk has.
const SUPPLIERS: usize = 500;

pub(crate) const PATH: &str = "/suppliers/export";

/// The export that a request asks for.
pub(crate) fn export(call: &Call) -> Result<Work, ApiError> {
    let mut given: SuppliersParams = read_export(TABLE, PATH, call.query)?;
    let file = std::mem::take(&mut given.file);
    let suppliers = &call.generation.suppliers;
    let asked = SuppliersAsked::new(given);
    let mut start = asked.start(suppliers)?;
    if let Some(after) = &file.after {
        if start.is_some() {
            return Err(two_starts());
        }
        start = Some(number_after(suppliers, &after.value)?);
    }
    listing(&call.generation, asked, start)?.work(call, &file)
}

/// The number of the supplier after this one.
fn number_after(suppliers: &SupplierList, id: &str) -> Result<u32, ApiError> {
    let last = suppliers.find_id(id).ok_or_else(|| {
        let id = quoted(id);
        ApiError::not_found(format!(
            "no supplier has the id {id}, after which the export is to go on; begin it again without 'after'"
        ))
    })?;
    Ok(last + 1)
}

fn listing(generation: &Arc<Generation>, asked: SuppliersAsked, start: Option<u32>) -> Result<Listing, ApiError> {
    let cost = ScanCost::of_bids(generation, 1);
    let (normal_form, is_selection) = (asked.normal_form(), asked.is_selection());
    let counted = asked.clone();
    Ok(Listing {
        name: "suppliers",
        is_selection,
        is_resumed: start.is_some(),
        columns: columns::of_rows::<SupplierRow>(),
        cost: cost.cost(),
        count_cost: cost,
        normal_form: serde_json::to_value((normal_form, start)).map_err(ApiError::internal)?,
        count: Box::new(move |ask| Ok(counted.found(&ask.generation.suppliers).len() as u64)),
        supplier_of: None,
        rows: Box::new(SupplierRows {
            generation: Arc::clone(generation),
            rows: Rows::Asked(asked),
            start: start.unwrap_or_default(),
            row: |generation, supplier| json(&SupplierRow::new(supplier, &generation.bids)),
        }),
        ignored: Vec::new(),
        headers: Vec::new(),
    })
}

fn json(row: &impl Serialize) -> Result<Bytes, ApiError> {
    serde_json::to_vec(row).map(Bytes::from).map_err(ApiError::internal)
}

/// Finds the suppliers of vendors' names in a generation, for the files of an entity type whose records have vendors.
pub(crate) fn supplier_of(generation: &Arc<Generation>, schema: &Schema) -> Option<SupplierOf> {
    let generation = Arc::clone(generation);
    let find = move |name: &str| generation.suppliers.id_and_name(name);
    schema.has_role(Role::Vendor).then(|| Box::new(find) as SupplierOf)
}

/// The suppliers of a list, from one generation.
pub(crate) struct SupplierRows {
    generation: Arc<Generation>,
    rows: Rows,
    /// The number of the next supplier, if it is of the list.
    start: u32,
    row: fn(&Generation, Supplier) -> Result<Bytes, ApiError>,
}

/// Which suppliers are of the list.
enum Rows {
    Asked(SuppliersAsked),
    /// The suppliers that match, by number.
    Found(Vec<u32>),
    All(Range<u32>),
}

impl SupplierRows {
    /// All suppliers of a generation, each with all its names and why they are here.
    pub(crate) fn all(generation: &Arc<Generation>) -> SupplierRows {
        SupplierRows {
            generation: Arc::clone(generation),
            rows: Rows::All(0..generation.suppliers.len() as u32),
            start: 0,
            row: |_, supplier| json(&SupplierView::new(supplier)),
        }
    }

    /// The numbers of the next suppliers.
    fn next_numbers(&mut self) -> Vec<u32> {
        if let Rows::Asked(asked) = &self.rows {
            let suppliers = &self.generation.suppliers;
            self.rows = if asked.is_selection() {
                Rows::Found(asked.found(suppliers))
            } else {
                Rows::All(0..suppliers.len() as u32)
            };
        }
        let rest = |number: &u32| *number >= self.start;
        match &self.rows {
            Rows::Asked(_) => Vec::new(),
            Rows::Found(numbers) => numbers.iter().copied().filter(rest).take(SUPPLIERS).collect(),
            Rows::All(numbers) => (self.start..numbers.end).take(SUPPLIERS).collect(),
        }
    }
}

impl RowSource for SupplierRows {
    fn next_rows(&mut self, deadline: &Deadline) -> Result<RowPage, ApiError> {
        let mut rows = Vec::new();
        let numbers = self.next_numbers();
        for number in &numbers {
            deadline.check()?;
            if let Some(supplier) = self.generation.suppliers.get(*number) {
                rows.push((self.row)(&self.generation, supplier)?);
            }
        }
        self.start = numbers.last().map_or(self.start, |last| last + 1);
        Ok(RowPage {
            rows,
            is_last: numbers.len() < SUPPLIERS,
        })
    }

    fn memory_bytes(&self) -> usize {
        match &self.rows {
            Rows::All(_) => 0,
            // At most one number for each supplier.
            Rows::Asked(_) | Rows::Found(_) => self.generation.suppliers.len() * size_of::<u32>(),
        }
    }
}
