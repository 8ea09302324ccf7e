//! Rows of JSON as values of the columns of a Parquet file.

use std::borrow::Cow;

use bytes::Bytes;
use rustc_hash::FxHashMap;

use crate::{
    api::export::{
        columns::Column,
        parquet_values::Values,
        row_members::{ColumnNames, Members, Other},
    },
    storage::json_members::JsonValue,
};

/// The field that suppliers are found by.
const VENDOR: &str = "vendor_name";

/// Finds the supplier of a vendor's name: its identifier and its name.
pub(crate) type SupplierOf = Box<dyn Fn(&str) -> Option<[String; 2]> + Send + Sync>;

/// Reads rows, several threads different ones.
pub(super) struct RowReader {
    /// The columns of the rows, of the supplier if the file has these, and of other members.
    columns: Vec<Column>,
    /// The names of the columns of the rows alone: a member that is named like one of the others has no column.
    names: ColumnNames,
    supplier_of: Option<SupplierOf>,
}

/// Rows that are read one after the other.
struct Reading<'f> {
    reader: &'f RowReader,
    names: ColumnNames,
    vendor: Option<usize>,
    /// The suppliers of the names so far, which are given as JSON.
    known: FxHashMap<&'f str, Option<[String; 2]>>,
    members: Members<'f>,
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
            vendor: self.names.number(VENDOR),
            known: FxHashMap::default(),
            members: Members::default(),
            values: columns.map(|column| Values::of(column.column_type)).collect(),
        };
        for (number, row) in rows.iter().enumerate() {
            reading.push(number, row)?;
        }
        reading.values.iter_mut().for_each(|values| values.close(rows.len()));
        Ok(reading.values)
    }
}

impl<'f> Reading<'f> {
    /// Adds the row with this number, which is a JSON object.
    fn push(&mut self, number: usize, row: &'f [u8]) -> anyhow::Result<()> {
        self.members.read(row, &mut self.names)?;
        let Members { of_columns, other } = &mut self.members;
        for (column, value) in of_columns.iter().enumerate() {
            if let Some(value) = value
                && value.json != "null"
                && !self.values[column].push(number, *value)
            {
                other.push((Cow::Borrowed(&self.reader.columns[column].name), *value));
            }
        }
        if let (Some(last), false) = (self.values.last_mut(), other.is_empty()) {
            last.push_text(number, &object(other)?);
        }
        if let Some(vendor) = self.vendor.and_then(|column| self.members.of_columns[column]) {
            self.push_supplier(number, vendor);
        }
        Ok(())
    }

    /// Adds the supplier of a vendor's name, which is given as JSON.
    fn push_supplier(&mut self, number: usize, vendor: JsonValue<'f>) {
        let Some(supplier_of) = &self.reader.supplier_of else {
            return;
        };
        let find = || supplier_of(&vendor.text()?);
        if let Some(supplier) = self.known.entry(vendor.json).or_insert_with(find) {
            // They follow the columns of the rows.
            let columns = self.values[self.members.of_columns.len()..].iter_mut();
            for (values, text) in columns.zip(supplier) {
                values.push_text(number, text);
            }
        }
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
