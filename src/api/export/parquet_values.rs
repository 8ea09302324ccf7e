//! The values of a column of a Parquet file, from JSON to what the file holds.

use std::{borrow::Cow, collections::HashSet};

use bytes::Bytes;
use parquet::{
    column::writer::{ColumnWriter, get_typed_column_writer_mut},
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type},
};

use crate::{api::export::columns::ColumnType, model::Date, storage::json_members::JsonValue};

/// A number up to which a double holds every integer.
const EXACT_INTEGERS: u64 = 1 << 53;

/// How many values of a column are sampled to decide whether it gets a dictionary.
const SAMPLE: usize = 256;

/// From this number of distinct values in the sample on, a dictionary would cost time and space.
const DIFFERENT_IN_SAMPLE: usize = 192;

/// The values of a column in some rows of a row group: those that are there, and for each place whether and how it is
/// filled (definition and repetition levels).
pub(super) struct Values {
    typed: Typed,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    /// The number of rows whose places are stated.
    rows: usize,
}

enum Typed {
    Texts(Texts),
    Days(Vec<i32>),
    Numbers(Vec<f64>),
    Counts(Vec<i64>),
    Booleans(Vec<bool>),
    /// Texts of several rows, one after the other.
    Lists(Texts),
    /// The JSON text of any value.
    Json(Texts),
}

/// Texts one after the other, in memory of their own: threads that count the users of the same memory would wait for
/// each other at every text.
#[derive(Default)]
struct Texts {
    growing: Vec<u8>,
    /// All of them, as soon as none is added.
    whole: Bytes,
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.growing.extend_from_slice(text.as_bytes());
        self.ends.push(self.growing.len());
    }

    /// Adds the text that this JSON is, if it is one.
    fn push_json(&mut self, value: JsonValue) -> bool {
        let text = value.text();
        text.iter().for_each(|text| self.push(text));
        text.is_some()
    }

    fn to_parquet(&self) -> Vec<ByteArray> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let texts = starts.zip(&self.ends);
        texts
            .map(|(start, end)| ByteArray::from(self.whole.slice(start..*end)))
            .collect()
    }
}

impl Values {
    pub(super) fn of(column_type: ColumnType) -> Values {
        Values {
            typed: match column_type {
                ColumnType::Text => Typed::Texts(Texts::default()),
                ColumnType::Date => Typed::Days(Vec::new()),
                ColumnType::Number => Typed::Numbers(Vec::new()),
                ColumnType::Count => Typed::Counts(Vec::new()),
                ColumnType::Boolean => Typed::Booleans(Vec::new()),
                ColumnType::TextArray => Typed::Lists(Texts::default()),
                ColumnType::Json => Typed::Json(Texts::default()),
            },
            definitions: Vec::new(),
            repetitions: Vec::new(),
            rows: 0,
        }
    }

    /// Adds the value of the row with this number. False if the column does not hold it exactly.
    pub(super) fn push(&mut self, row: usize, value: JsonValue) -> bool {
        let is_held = match &mut self.typed {
            Typed::Texts(texts) => texts.push_json(value),
            Typed::Days(values) => put(values, day(value)),
            Typed::Numbers(values) => put(values, number(value.json)),
            Typed::Counts(values) => put(values, value.json.parse().ok()),
            Typed::Booleans(values) => put(values, value.json.parse().ok()),
            Typed::Json(texts) => {
                texts.push(value.json);
                true
            }
            Typed::Lists(_) => return self.push_list(row, value.json),
        };
        if is_held {
            self.fill(row);
            self.push_level(1, 0);
        }
        is_held
    }

    fn push_list(&mut self, row: usize, json: &str) -> bool {
        let Ok(members) = serde_json::from_str::<Vec<Text>>(json) else {
            return false;
        };
        self.fill(row);
        if members.is_empty() {
            self.push_level(1, 0);
            return true;
        }
        if let Typed::Lists(texts) = &mut self.typed {
            members.iter().for_each(|Text(text)| texts.push(text));
        }
        let is_further = |number: usize| i16::from(number > 0);
        self.repetitions.extend((0..members.len()).map(is_further));
        self.definitions.extend(members.iter().map(|_| 2));
        self.rows += 1;
        true
    }

    /// Adds a text to a column of texts, or the JSON text of a value to one of these.
    pub(super) fn push_text(&mut self, row: usize, text: &str) {
        self.fill(row);
        if let Typed::Texts(texts) | Typed::Json(texts) = &mut self.typed {
            texts.push(text);
            self.push_level(1, 0);
        }
    }

    /// States that the rows before this one, as far as none is stated, have no value.
    fn fill(&mut self, rows: usize) {
        let missing = rows - self.rows;
        self.definitions.resize(self.definitions.len() + missing, 0);
        if let Typed::Lists(_) = self.typed {
            self.repetitions.resize(self.definitions.len(), 0);
        }
        self.rows = rows;
    }

    /// Of the next row.
    fn push_level(&mut self, definition: i16, repetition: i16) {
        self.definitions.push(definition);
        if let Typed::Lists(_) = self.typed {
            self.repetitions.push(repetition);
        }
        self.rows += 1;
    }

    /// Ends the column after so many rows.
    pub(super) fn close(&mut self, rows: usize) {
        self.fill(rows);
        if let Typed::Texts(texts) | Typed::Lists(texts) | Typed::Json(texts) = &mut self.typed {
            // Its room is what it holds.
            texts.whole = Bytes::from(std::mem::take(&mut texts.growing).into_boxed_slice());
        }
    }

    /// About how many bytes are written.
    pub(super) fn bytes(&self) -> usize {
        match &self.typed {
            Typed::Texts(texts) | Typed::Lists(texts) | Typed::Json(texts) => texts.whole.len() + 4 * texts.ends.len(),
            Typed::Days(values) => size_of_val(values.as_slice()),
            Typed::Numbers(values) => size_of_val(values.as_slice()),
            Typed::Counts(values) => size_of_val(values.as_slice()),
            Typed::Booleans(values) => size_of_val(values.as_slice()),
        }
    }

    /// Whether most values of a sample are distinct.
    pub(super) fn is_varied(&self) -> bool {
        match &self.typed {
            Typed::Texts(texts) | Typed::Json(texts) => {
                let starts = [0].into_iter().chain(texts.ends.iter().copied());
                is_varied(starts.zip(&texts.ends).map(|(start, end)| &texts.whole[start..*end]))
            }
            Typed::Numbers(values) => is_varied(values.iter().map(|value| value.to_bits())),
            _ => false,
        }
    }

    /// Writes the values.
    pub(super) fn write(&self, writer: &mut ColumnWriter) -> anyhow::Result<()> {
        match &self.typed {
            Typed::Texts(texts) | Typed::Json(texts) => {
                self.write_batch::<ByteArrayType>(&texts.to_parquet(), None, writer)
            }
            Typed::Lists(texts) => {
                self.write_batch::<ByteArrayType>(&texts.to_parquet(), Some(&self.repetitions), writer)
            }
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

fn is_varied<T: std::hash::Hash + Eq>(values: impl Iterator<Item = T>) -> bool {
    values.take(SAMPLE).collect::<HashSet<T>>().len() >= DIFFERENT_IN_SAMPLE
}

/// Adds a value, if there is one.
fn put<T>(values: &mut Vec<T>, value: Option<T>) -> bool {
    let is_held = value.is_some();
    values.extend(value);
    is_held
}

/// A text, which needs no copy unless it has an escaped character.
#[derive(serde::Deserialize)]
struct Text<'r>(#[serde(borrow)] Cow<'r, str>);

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
fn day(value: JsonValue) -> Option<i32> {
    Some(Date::parse(value.plain_text()?).ok()?.days())
}
