//! The values of a column of a Parquet file, from JSON to what the file holds.

use bytes::Bytes;
use parquet::{
    column::writer::{ColumnWriter, get_typed_column_writer_mut},
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type},
};

use crate::{api::export::columns::ColumnType, model::Date};

/// A number up to which a double holds every integer.
const EXACT_INTEGERS: u64 = 1 << 53;

/// The values of a column in some rows of a row group: those that are there, and for each place whether and how it is
/// filled (definition and repetition levels).
pub(super) struct Values {
    typed: Typed,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

enum Typed {
    Texts(Vec<ByteArray>),
    Days(Vec<i32>),
    Numbers(Vec<f64>),
    Counts(Vec<i64>),
    Booleans(Vec<bool>),
    /// Texts of several rows, one after the other.
    Lists(Vec<ByteArray>),
    /// The JSON text of any value.
    Json(Vec<ByteArray>),
}

impl Values {
    pub(super) fn of(column_type: ColumnType) -> Values {
        Values {
            typed: match column_type {
                ColumnType::Text => Typed::Texts(Vec::new()),
                ColumnType::Date => Typed::Days(Vec::new()),
                ColumnType::Number => Typed::Numbers(Vec::new()),
                ColumnType::Count => Typed::Counts(Vec::new()),
                ColumnType::Boolean => Typed::Booleans(Vec::new()),
                ColumnType::TextArray => Typed::Lists(Vec::new()),
                ColumnType::Json => Typed::Json(Vec::new()),
            },
            definitions: Vec::new(),
            repetitions: Vec::new(),
        }
    }

    /// Adds a value, given as JSON text, a part of `row` or not. False if the column does not hold it exactly.
    pub(super) fn push(&mut self, row: &Bytes, json: &str) -> bool {
        let is_held = match &mut self.typed {
            Typed::Texts(values) => put(values, text(row, json)),
            Typed::Days(values) => put(values, text(row, json).and_then(|text| day(&text))),
            Typed::Numbers(values) => put(values, number(json)),
            Typed::Counts(values) => put(values, json.parse().ok()),
            Typed::Booleans(values) => put(values, json.parse().ok()),
            Typed::Json(values) => put(values, Some(part(row, json))),
            Typed::Lists(values) => {
                let Ok(members) = serde_json::from_str::<Vec<String>>(json) else {
                    return false;
                };
                if members.is_empty() {
                    self.push_level(1, 0);
                    return true;
                }
                let is_first = |number: usize| i16::from(number > 0);
                self.repetitions.extend((0..members.len()).map(is_first));
                self.definitions.extend(members.iter().map(|_| 2));
                values.extend(members.into_iter().map(|text| ByteArray::from(text.into_bytes())));
                return true;
            }
        };
        if is_held {
            self.push_level(1, 0);
        }
        is_held
    }

    /// Adds a text to a column of texts.
    pub(super) fn push_text(&mut self, text: Bytes) -> bool {
        let Typed::Texts(values) = &mut self.typed else {
            return false;
        };
        values.push(ByteArray::from(text));
        self.push_level(1, 0);
        true
    }

    pub(super) fn push_level(&mut self, definition: i16, repetition: i16) {
        self.definitions.push(definition);
        if let Typed::Lists(_) = self.typed {
            self.repetitions.push(repetition);
        }
    }

    /// Writes the values.
    pub(super) fn write(&self, writer: &mut ColumnWriter) -> anyhow::Result<()> {
        match &self.typed {
            Typed::Texts(values) | Typed::Json(values) => self.write_batch::<ByteArrayType>(values, None, writer),
            Typed::Lists(values) => self.write_batch::<ByteArrayType>(values, Some(&self.repetitions), writer),
            Typed::Days(values) => self.write_batch::<Int32Type>(values, None, writer),
            Typed::Numbers(values) => self.write_batch::<DoubleType>(values, None, writer),
            Typed::Counts(values) => self.write_batch::<Int64Type>(values, None, writer),
            Typed::Booleans(values) => self.write_batch::<BoolType>(values, None, writer),
        }
    }

    fn write_batch<T: DataType>(
        &self,
        values: &[T::T],
        repetitions: Option<&[i16]>,
        writer: &mut ColumnWriter,
    ) -> anyhow::Result<()> {
        let writer = get_typed_column_writer_mut::<T>(writer);
        writer.write_batch(values, Some(&self.definitions), repetitions)?;
        Ok(())
    }
}

/// Adds a value, if there is one.
fn put<T>(values: &mut Vec<T>, value: Option<T>) -> bool {
    let is_held = value.is_some();
    values.extend(value);
    is_held
}

/// A text as bytes: without a copy, if it is a part of the row.
fn part(row: &Bytes, text: &str) -> ByteArray {
    let (start, of_row) = (text.as_ptr() as usize, row.as_ptr() as usize);
    if start >= of_row && start + text.len() <= of_row + row.len() {
        ByteArray::from(row.slice_ref(text.as_bytes()))
    } else {
        ByteArray::from(text.as_bytes().to_vec())
    }
}

/// The text that this JSON is.
fn text(row: &Bytes, json: &str) -> Option<ByteArray> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(part(row, inner));
    }
    let text: String = serde_json::from_str(json).ok()?;
    Some(ByteArray::from(text.into_bytes()))
}

/// The number that this JSON is, if a double holds it: every fraction, and integers as far as doubles hold all of them.
fn number(json: &str) -> Option<f64> {
    if !json.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return None;
    }
    let is_integer = json.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    if is_integer && json.parse::<i64>().ok()?.unsigned_abs() > EXACT_INTEGERS {
        return None;
    }
    json.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Days since 1970-01-01 of a text that is a day and nothing else.
fn day(text: &ByteArray) -> Option<i32> {
    let text = text.as_utf8().ok()?;
    Some(Date::parse(text).ok()?.days())
}
