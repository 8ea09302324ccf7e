//! Columns: the dates and values of all documents, in document order, one file each.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tantivy::DocId;

use super::mapped_file::MappedArray;
use crate::{
    engine::aggregation::Money,
    model::{Date, Role},
};

/// Days since 1970-01-01.
pub(crate) struct DateColumn(MappedArray<i32>);

/// Amounts.
pub(crate) struct ValueColumn(MappedArray<f64>);

/// Values in Canadian dollars, in millionths: what is added up. Decision D-225.
pub(crate) struct DollarColumn(MappedArray<i64>);

/// No value, or one in another currency.
pub(crate) const NO_DOLLARS: i64 = i64::MIN;

/// More than fits: the amount is in the column of values.
pub(crate) const MANY_DOLLARS: i64 = i64::MAX;

/// Stands for no date. For no value, it is NaN, which JSON has not.
const NO_DATE: i32 = i32::MIN;

fn path(folder: &Path, role: Role) -> PathBuf {
    folder.join(format!("{}.column", role.name()))
}

impl DateColumn {
    pub(crate) fn open(folder: &Path, role: Role, documents: usize) -> io::Result<DateColumn> {
        MappedArray::open_with_length(&path(folder, role), documents).map(DateColumn)
    }

    #[inline]
    pub(crate) fn get(&self, document: DocId) -> Option<i32> {
        Some(self.0.get(document as usize)).filter(|day| *day != NO_DATE)
    }
}

impl ValueColumn {
    pub(crate) fn open(folder: &Path, role: Role, documents: usize) -> io::Result<ValueColumn> {
        MappedArray::open_with_length(&path(folder, role), documents).map(ValueColumn)
    }

    #[inline]
    pub(crate) fn get(&self, document: DocId) -> Option<f64> {
        Some(self.get_or_nan(document)).filter(|value| !value.is_nan())
    }

    /// A missing value is NaN.
    #[inline]
    pub(crate) fn get_or_nan(&self, document: DocId) -> f64 {
        self.0.get(document as usize)
    }
}

impl DollarColumn {
    pub(crate) fn open(folder: &Path, documents: usize) -> io::Result<DollarColumn> {
        MappedArray::open_with_length(&dollars_path(folder), documents).map(DollarColumn)
    }

    #[inline]
    pub(crate) fn get(&self, document: DocId) -> i64 {
        self.0.get(document as usize)
    }

    /// The amount of a document. `values` are the values of the same documents.
    #[inline]
    pub(super) fn money(&self, document: DocId, values: &ValueColumn) -> Option<Money> {
        match self.get(document) {
            NO_DOLLARS => None,
            MANY_DOLLARS => values.get(document).map(Money::of),
            millionths => Some(Money::from_parts(millionths.into(), 0.0)),
        }
    }
}

fn dollars_path(folder: &Path) -> PathBuf {
    folder.join("dollars.column")
}

/// The entry of [`DollarColumn`] for a value in Canadian dollars.
pub(super) fn dollars(value: Option<f64>) -> i64 {
    let Some(value) = value else {
        return NO_DOLLARS;
    };
    let (millionths, implausible) = Money::of(value).parts();
    let fits = i64::try_from(millionths).ok().filter(|fits| *fits != NO_DOLLARS);
    fits.filter(|_| implausible == 0.0).unwrap_or(MANY_DOLLARS)
}

/// Writes the part of a column that belongs to some consecutive documents.
pub(crate) struct ColumnWriter {
    out: BufWriter<File>,
}

impl ColumnWriter {
    /// `first` is the first of the documents. `entry` is the size of an entry: that of a date or a value.
    fn open(path: &Path, first: DocId, entry: usize) -> io::Result<ColumnWriter> {
        // Several writers write one file, each its part.
        let options = File::options().write(true).create(true).truncate(false).to_owned();
        let mut file = options.open(path)?;
        file.seek(SeekFrom::Start(u64::from(first) * entry as u64))?;
        Ok(ColumnWriter {
            out: BufWriter::new(file),
        })
    }

    pub(crate) fn of_dates(folder: &Path, role: Role, first: DocId) -> io::Result<ColumnWriter> {
        ColumnWriter::open(&path(folder, role), first, size_of::<i32>())
    }

    pub(crate) fn of_values(folder: &Path, role: Role, first: DocId) -> io::Result<ColumnWriter> {
        ColumnWriter::open(&path(folder, role), first, size_of::<f64>())
    }

    pub(crate) fn of_dollars(folder: &Path, first: DocId) -> io::Result<ColumnWriter> {
        ColumnWriter::open(&dollars_path(folder), first, size_of::<i64>())
    }

    pub(crate) fn push_date(&mut self, date: Option<Date>) -> io::Result<()> {
        let days = date.map_or(NO_DATE, Date::days);
        self.out.write_all(&days.to_le_bytes())
    }

    pub(crate) fn push_value(&mut self, value: Option<f64>) -> io::Result<()> {
        self.out.write_all(&value.unwrap_or(f64::NAN).to_le_bytes())
    }

    /// The value in Canadian dollars.
    pub(crate) fn push_dollars(&mut self, value: Option<f64>) -> io::Result<()> {
        self.out.write_all(&dollars(value).to_le_bytes())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_millionths_where_they_fit() {
        for (value, expected) in [
            (None, NO_DOLLARS),
            (Some(-0.0), 0),
            (Some(-1.25), -1_250_000),
            (Some(0.1), 100_000),
            (Some(9e12), 9_000_000_000_000_000_000),
            (Some(1e13), MANY_DOLLARS),
            (Some(-1e13), MANY_DOLLARS),
            (Some(1e300), MANY_DOLLARS),
        ] {
            assert_eq!(dollars(value), expected, "{value:?}");
        }
    }

    #[test]
    fn parts_of_a_column_make_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let day = Date::from_days(-1);
        for (first, dates) in [(2, [None, day]), (0, [Date::from_days(20_000), None])] {
            let mut column = ColumnWriter::of_dates(folder.path(), Role::Date, first).unwrap();
            dates.iter().for_each(|date| column.push_date(*date).unwrap());
            column.finish().unwrap();
        }
        let dates = DateColumn::open(folder.path(), Role::Date, 4).unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|document| dates.get(document)),
            [Some(20_000), None, None, Some(-1)]
        );
        assert!(DateColumn::open(folder.path(), Role::Date, 5).is_err());
        let mut column = ColumnWriter::of_values(folder.path(), Role::Value, 0).unwrap();
        for value in [Some(1.5), None, Some(-0.0)] {
            column.push_value(value).unwrap();
        }
        column.finish().unwrap();
        let values = ValueColumn::open(folder.path(), Role::Value, 3).unwrap();
        assert_eq!(
            [0, 1, 2].map(|document| values.get(document)),
            [Some(1.5), None, Some(0.0)]
        );
    }
}
