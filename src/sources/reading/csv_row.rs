//! One row of a CSV file under its header, and the rules by which columns become fields.

use std::{borrow::Cow, cell::RefCell};

use csv::StringRecord;
use rustc_hash::FxHashMap;

use super::{fields::FieldValue, reader::FileInfo, text};
use crate::model::FieldName;

/// How a column's text becomes a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnRule {
    Line,
    /// A line; `NA` too means that there is no value.
    LineOrNa,
    Block,
    /// The date of a date or timestamp.
    Day,
    /// A timestamp as published, if its date is a valid one.
    Moment,
    Money,
    /// A list of codes, joined by `,`.
    Codes,
    /// A list of texts, joined by `; `.
    Words,
    /// A postal code without its space.
    PostalCode,
    Organization,
}

/// A field, the column that it comes from, and the rule between them.
pub(crate) type Column = (&'static str, &'static str, ColumnRule);

/// The columns of a file.
pub(crate) struct Header {
    pub(crate) columns: FxHashMap<String, ColumnPosition>,
    /// The mapped columns that the file has.
    pub(crate) mapped: Vec<MappedColumn>,
    /// The indexes of the columns that hold numbers of the row: telephone numbers, identifiers.
    pub(crate) identifiers: Vec<usize>,
}

/// A column and the fields that it fills by one rule.
pub(crate) struct MappedColumn {
    pub(crate) fields: Vec<FieldName>,
    pub(crate) column: &'static str,
    pub(crate) position: ColumnPosition,
    pub(crate) rule: ColumnRule,
}

/// The index of a column, and that of a second column with the same name or a former one. The
/// second one's value counts where the first is empty.
pub(crate) type ColumnPosition = (usize, Option<usize>);

pub(crate) struct CsvRow<'a> {
    header: &'a Header,
    values: &'a StringRecord,
    pub(crate) line: u64,
    pub(crate) file: &'a FileInfo,
    notes: RefCell<Vec<String>>,
}

impl<'a> CsvRow<'a> {
    pub(crate) fn new(header: &'a Header, values: &'a StringRecord, line: u64, file: &'a FileInfo) -> CsvRow<'a> {
        CsvRow {
            header,
            values,
            line,
            file,
            notes: RefCell::default(),
        }
    }

    /// The column's text as published; empty if the file has no such column.
    pub(crate) fn raw(&self, column: &str) -> &'a str {
        self.header
            .columns
            .get(column)
            .map_or("", |position| self.at(*position))
    }

    /// The row's own numbers: telephone numbers, identifiers.
    pub(crate) fn identifiers(&self) -> Vec<&'a str> {
        let columns = self.header.identifiers.iter();
        columns.filter_map(|index| self.values.get(*index)).collect()
    }

    /// An amount as the row writes it, outside of its own numbers.
    pub(crate) fn published(&self, amount: f64) -> Option<&'a str> {
        let cells = self.values.iter().enumerate();
        let mut cells = cells.filter(|(index, _)| !self.header.identifiers.contains(index));
        // Toronto names the currency after some amounts.
        let number = |cell: &'a str| {
            let cell = cell.trim();
            let without = ["CAD", "USD"].iter().find_map(|currency| cell.strip_suffix(currency));
            without.unwrap_or(cell)
        };
        let is_it = |cell| text::amount(number(cell)).is_ok_and(|found| found == Some(amount));
        cells.find(|(_, cell)| is_it(*cell)).map(|(_, cell)| cell.trim())
    }

    fn at(&self, (index, second): ColumnPosition) -> &'a str {
        let value = self.values.get(index).unwrap_or_default();
        match second {
            Some(second) if value.trim().is_empty() => self.values.get(second).unwrap_or_default(),
            _ => value,
        }
    }

    pub(crate) fn line_of(&self, column: &str) -> Option<Cow<'a, str>> {
        text::as_line(self.raw(column))
    }

    /// Adds a note about the row. The same note is added once, even if two fields of one column
    /// cause it.
    pub(crate) fn note(&self, note: String) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    pub(crate) fn take_notes(&self) -> Vec<String> {
        self.notes.take()
    }

    /// The mapped columns that have a value in this row.
    pub(crate) fn mapped_values(&self) -> impl Iterator<Item = (&'a [FieldName], FieldValue<'a>)> {
        self.header.mapped.iter().filter_map(|mapped| {
            let value = self.value(mapped.column, self.at(mapped.position), mapped.rule)?;
            Some((mapped.fields.as_slice(), value))
        })
    }

    fn value(&self, column: &str, raw: &'a str, rule: ColumnRule) -> Option<FieldValue<'a>> {
        match rule {
            ColumnRule::Line => text::as_line(raw).map(FieldValue::from),
            ColumnRule::LineOrNa => text::as_line(raw).filter(|line| line != "NA").map(FieldValue::from),
            ColumnRule::Block => text::block(raw).map(FieldValue::from),
            ColumnRule::Day => self.day_in(column, raw).map(FieldValue::from),
            ColumnRule::Moment => self.day_in(column, raw).and(text::as_line(raw)).map(FieldValue::from),
            ColumnRule::Money => self.money_in(column, raw).map(FieldValue::from),
            ColumnRule::Codes => text::joined(text::list(raw), ",").map(FieldValue::from),
            ColumnRule::Words => text::joined(text::list(raw), "; ").map(FieldValue::from),
            ColumnRule::PostalCode => text::postal_code(raw).map(FieldValue::from),
            ColumnRule::Organization => text::organization(raw).map(FieldValue::from),
        }
    }

    /// The amount in a column; an unreadable one is noted.
    pub(crate) fn money(&self, column: &str) -> Option<f64> {
        self.money_in(column, self.raw(column))
    }

    fn day_in<'t>(&self, column: &str, raw: &'t str) -> Option<Cow<'t, str>> {
        text::day(raw).unwrap_or_else(|_| {
            self.note(format!("impossible date in {column}, left out"));
            None
        })
    }

    fn money_in(&self, column: &str, raw: &str) -> Option<f64> {
        text::amount(raw).unwrap_or_else(|_| {
            self.note(format!("unreadable amount in {column}, left out"));
            None
        })
    }
}
