//! Rows of JSON as values of the columns of a Parquet file.

use std::{borrow::Cow, collections::HashMap};

use bytes::Bytes;

use crate::api::export::{
    columns::Column,
    parquet_values::Values,
    row_members::{ColumnNames, Members, Other},
};

/// The field that suppliers are found by.
const VENDOR: &str = "vendor_name";

/// Finds the supplier of a vendor's name: its identifier and its name.
pub(crate) type SupplierOf = Box<dyn Fn(&str) -> Option<[Bytes; 2]> + Send + Sync>;

/// Reads rows, several threads different ones.
pub(super) struct RowReader {
    /// Those of the rows, of the supplier if the file has these, and of other members.
    columns: Vec<Column>,
    /// Those of the rows alone: a member that is named like one of the others has no column.
    names: ColumnNames,
    supplier_of: Option<SupplierOf>,
}

/// Rows that are read one after the other.
struct Reading<'f> {
    reader: &'f RowReader,
    names: ColumnNames,
    /// The suppliers of the names so far.
    known: HashMap<&'f str, Option<[Bytes; 2]>>,
    values: Vec<Values>,
}

impl RowReader {
    pub(super) fn new(columns: Vec<Column>, names: ColumnNames, supplier_of: Option<SupplierOf>) -> RowReader {
        RowReader {
            columns,
            names,
            supplier_of,
        }
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The values of each column.
    pub(super) fn values_of(&self, rows: &[Bytes]) -> anyhow::Result<Vec<Values>> {
        let columns = self.columns.iter();
        let mut reading = Reading {
            reader: self,
            names: self.names.clone(),
            known: HashMap::new(),
            values: columns.map(|column| Values::of(column.column_type)).collect(),
        };
        rows.iter().try_for_each(|row| reading.push(row))?;
        Ok(reading.values)
    }
}

impl<'f> Reading<'f> {
    /// Adds a row, which is a JSON object.
    fn push(&mut self, row: &'f Bytes) -> anyhow::Result<()> {
        let mut given: Vec<bool> = vec![false; self.values.len()];
        let mut members = Members::default();
        members.read(row, &mut self.names)?;
        let Members { of_columns, mut other } = members;
        for (number, value) in of_columns.iter().enumerate() {
            match value {
                Some(value) if value.json == "null" => {}
                Some(value) if self.values[number].push(row, value.json) => given[number] = true,
                Some(value) => other.push((Cow::Owned(self.reader.columns[number].name.clone()), *value)),
                None => {}
            }
        }
        let vendor = self.names.number(VENDOR).and_then(|number| of_columns[number]);
        if let Some(supplier) = vendor.and_then(|vendor| self.supplier(vendor.json)) {
            // They follow the columns of the rows.
            let columns = self.values.iter_mut().zip(&mut given).skip(of_columns.len());
            for ((values, is_given), text) in columns.zip(supplier) {
                *is_given = values.push_text(text);
            }
        }
        if let (Some(last), false) = (self.values.last_mut(), other.is_empty()) {
            let is_held = last.push(row, &object(&other)?);
            given.last_mut().into_iter().for_each(|given| *given = is_held);
        }
        for (values, is_given) in self.values.iter_mut().zip(given) {
            if !is_given {
                values.push_level(0, 0);
            }
        }
        Ok(())
    }

    /// The supplier of a vendor's name, which is given as JSON.
    fn supplier(&mut self, vendor: &'f str) -> Option<[Bytes; 2]> {
        let supplier_of = self.reader.supplier_of.as_ref()?;
        let find = || {
            let name: Option<String> = serde_json::from_str(vendor).ok();
            name.and_then(|name| supplier_of(&name))
        };
        self.known.entry(vendor).or_insert_with(find).clone()
    }
}

/// The JSON text of an object.
fn object(members: &Other) -> anyhow::Result<String> {
    let mut text = String::new();
    for (name, value) in members {
        text.push(if text.is_empty() { '{' } else { ',' });
        text.push_str(&serde_json::to_string(name)?);
        text.push(':');
        text.push_str(value.json);
    }
    text.push('}');
    Ok(text)
}
