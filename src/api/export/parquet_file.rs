//! Rows as an Apache Parquet file: a typed column for each declared field, compressed with Zstandard.
//!
//! | field of `index-schema` | column |
//! |---|---|
//! | `text` | string |
//! | `datetime` | date (days since 1970-01-01) |
//! | `f64` | double |
//! | `u64` | 64-bit integer |
//! | `array<text>` | list of strings |
//! | `json`, `array<json>` | string with the JSON text |
//!
//! All columns are optional. Nothing is lost: what no column holds exactly (undeclared members, a date with a time) is
//! in the last column, [`OTHER_MEMBERS`], as the JSON text of an object. Equal rows give equal bytes.

use std::{collections::HashMap, io::Write, sync::Arc};

use anyhow::Context;
use parquet::{
    basic::{Compression, ConvertedType, LogicalType, Repetition, Type as PhysicalType, ZstdLevel},
    data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type},
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::types::{Type, TypePtr},
};
use serde_json::{Map, Value};

use crate::model::{Date, Schema, schema::FieldType};

/// The last column.
pub(crate) const OTHER_MEMBERS: &str = "other_members";

/// A number up to which a double holds every integer.
const EXACT_INTEGERS: u64 = 1 << 53;

/// The name and type of a column.
pub(crate) type Field = (String, FieldType);

/// The columns of the records of an entity type.
pub(crate) fn fields_of(schema: &Schema) -> Vec<Field> {
    let fields = schema.fields.iter();
    fields.map(|field| (field.name.clone(), field.field_type)).collect()
}

/// A file that is being written.
pub(crate) struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    other: Column,
    /// The columns by their names.
    numbers: HashMap<String, usize>,
    /// The size of the rows of the current row group as JSON, in bytes, and the size at which it is written.
    group_bytes: usize,
    max_group_bytes: usize,
}

/// The values of a column in the current row group: those that are there, and for each place whether and how it is
/// filled (definition and repetition levels).
struct Column {
    values: Values,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

enum Values {
    Texts(Vec<ByteArray>),
    Days(Vec<i32>),
    Numbers(Vec<f64>),
    Counts(Vec<i64>),
    /// Texts of several rows, one after the other.
    Lists(Vec<ByteArray>),
    /// The JSON text of any value.
    Json(Vec<ByteArray>),
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file. A row group ends when its rows have `max_group_bytes` as JSON. `generation` is the index that the
    /// rows are from.
    pub(crate) fn new(out: W, fields: &[Field], max_group_bytes: usize, generation: &str) -> anyhow::Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("procure version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(vec![KeyValue::new(
                "generation".to_owned(),
                generation.to_owned(),
            )]))
            .build();
        let names = fields.iter().enumerate();
        Ok(ParquetFile {
            writer: SerializedFileWriter::new(out, file_schema(fields)?, Arc::new(properties))?,
            columns: fields.iter().map(|(_, field_type)| Column::of(*field_type)).collect(),
            other: Column::of(FieldType::Object),
            numbers: names.map(|(number, (name, _))| (name.clone(), number)).collect(),
            group_bytes: 0,
            max_group_bytes,
        })
    }

    /// Adds a row, which is a JSON object.
    pub(crate) fn push(&mut self, row: &[u8]) -> anyhow::Result<()> {
        let members: Map<String, Value> = serde_json::from_slice(row).context("a row is no JSON object")?;
        let mut given: Vec<Option<Value>> = self.columns.iter().map(|_| None).collect();
        let mut other = Map::new();
        for (name, value) in members {
            match self.numbers.get(&name) {
                Some(number) if self.columns[*number].fits(&value) => given[*number] = Some(value),
                _ => drop(other.insert(name, value)),
            }
        }
        for (column, value) in self.columns.iter_mut().zip(given) {
            column.push(value);
        }
        self.other.push((!other.is_empty()).then_some(Value::Object(other)));
        self.group_bytes += row.len();
        if self.group_bytes >= self.max_group_bytes {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> anyhow::Result<()> {
        self.group_bytes = 0;
        let mut group = self.writer.next_row_group()?;
        for column in self.columns.iter_mut().chain([&mut self.other]) {
            let mut writer = group
                .next_column()?
                .context("a column is missing in the schema of the file")?;
            column.write(&mut writer)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }

    /// Writes what is left and the end of the file.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        if self.group_bytes > 0 {
            self.write_group()?;
        }
        self.writer.finish()?;
        Ok(())
    }

    /// Writes what is left and the end of the file, and returns where it was written to.
    pub(crate) fn into_out(mut self) -> anyhow::Result<W> {
        if self.group_bytes > 0 {
            self.write_group()?;
        }
        Ok(self.writer.into_inner()?)
    }

    /// Where the file is written to. What it has there may be taken out: nothing that was written is read again.
    pub(crate) fn out(&mut self) -> &mut W {
        self.writer.inner_mut()
    }
}

impl Column {
    fn of(field_type: FieldType) -> Column {
        Column {
            values: match field_type {
                FieldType::Text => Values::Texts(Vec::new()),
                FieldType::Date => Values::Days(Vec::new()),
                FieldType::Number => Values::Numbers(Vec::new()),
                FieldType::Count => Values::Counts(Vec::new()),
                FieldType::TextArray => Values::Lists(Vec::new()),
                FieldType::Object | FieldType::ObjectArray => Values::Json(Vec::new()),
            },
            definitions: Vec::new(),
            repetitions: Vec::new(),
        }
    }

    /// Whether the column holds this value exactly.
    fn fits(&self, value: &Value) -> bool {
        match &self.values {
            Values::Texts(_) => value.is_string(),
            Values::Days(_) => value.as_str().is_some_and(|text| day(text).is_some()),
            Values::Numbers(_) => match value.as_i64() {
                Some(integer) => integer.unsigned_abs() <= EXACT_INTEGERS,
                None => value.is_f64(),
            },
            Values::Counts(_) => value.as_i64().is_some(),
            Values::Lists(_) => value
                .as_array()
                .is_some_and(|members| members.iter().all(Value::is_string)),
            Values::Json(_) => !value.is_null(),
        }
    }

    /// Adds a value that fits, or none.
    fn push(&mut self, value: Option<Value>) {
        if let Values::Lists(texts) = &mut self.values {
            let Some(Value::Array(members)) = value else {
                return self.push_level(0, 0);
            };
            if members.is_empty() {
                return self.push_level(1, 0);
            }
            for (number, member) in members.into_iter().enumerate() {
                texts.push(bytes(member));
                self.definitions.push(2);
                self.repetitions.push(i16::from(number > 0));
            }
            return;
        }
        let Some(value) = value else {
            return self.push_level(0, 0);
        };
        match &mut self.values {
            Values::Texts(values) => values.push(bytes(value)),
            Values::Days(values) => values.extend(value.as_str().and_then(day)),
            Values::Numbers(values) => values.extend(value.as_f64()),
            Values::Counts(values) => values.extend(value.as_i64()),
            Values::Json(values) | Values::Lists(values) => values.push(value.to_string().into_bytes().into()),
        }
        self.push_level(1, 0);
    }

    fn push_level(&mut self, definition: i16, repetition: i16) {
        self.definitions.push(definition);
        self.repetitions.push(repetition);
    }

    /// Writes the values of the row group, and forgets them.
    fn write(&mut self, writer: &mut SerializedColumnWriter) -> anyhow::Result<()> {
        let definitions = std::mem::take(&mut self.definitions);
        let repetitions = std::mem::take(&mut self.repetitions);
        let levels = Some(&definitions[..]);
        match &mut self.values {
            Values::Texts(values) | Values::Json(values) => {
                let values = std::mem::take(values);
                writer.typed::<ByteArrayType>().write_batch(&values, levels, None)?;
            }
            Values::Days(values) => {
                let values = std::mem::take(values);
                writer.typed::<Int32Type>().write_batch(&values, levels, None)?;
            }
            Values::Numbers(values) => {
                let values = std::mem::take(values);
                writer.typed::<DoubleType>().write_batch(&values, levels, None)?;
            }
            Values::Counts(values) => {
                let values = std::mem::take(values);
                writer.typed::<Int64Type>().write_batch(&values, levels, None)?;
            }
            Values::Lists(values) => {
                let values = std::mem::take(values);
                let writer = writer.typed::<ByteArrayType>();
                writer.write_batch(&values, levels, Some(&repetitions))?;
            }
        }
        Ok(())
    }
}

/// Days since 1970-01-01 of a text that is a day and nothing else.
fn day(text: &str) -> Option<i32> {
    let day = Date::parse(text).ok()?;
    (day.to_string() == text).then(|| day.days())
}

/// The bytes of a text.
fn bytes(value: Value) -> ByteArray {
    match value {
        Value::String(text) => text.into_bytes().into(),
        other => other.to_string().into_bytes().into(),
    }
}

fn file_schema(fields: &[Field]) -> anyhow::Result<TypePtr> {
    let other = (OTHER_MEMBERS.to_owned(), FieldType::Object);
    let columns = fields.iter().chain([&other]);
    let columns = columns.map(|(name, field_type)| column_type(name, *field_type).map(Arc::new));
    let columns = columns.collect::<anyhow::Result<Vec<TypePtr>>>()?;
    Ok(Arc::new(
        Type::group_type_builder("record").with_fields(columns).build()?,
    ))
}

fn column_type(name: &str, field_type: FieldType) -> anyhow::Result<Type> {
    let optional =
        |physical: PhysicalType| Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    let built = match field_type {
        FieldType::Text => text(optional(PhysicalType::BYTE_ARRAY)).build(),
        FieldType::Object | FieldType::ObjectArray => text(optional(PhysicalType::BYTE_ARRAY)).build(),
        FieldType::Date => optional(PhysicalType::INT32)
            .with_logical_type(Some(LogicalType::Date))
            .with_converted_type(ConvertedType::DATE)
            .build(),
        FieldType::Number => optional(PhysicalType::DOUBLE).build(),
        FieldType::Count => optional(PhysicalType::INT64).build(),
        FieldType::TextArray => return list_type(name),
    };
    Ok(built?)
}

type PrimitiveBuilder<'a> = parquet::schema::types::PrimitiveTypeBuilder<'a>;

fn text(builder: PrimitiveBuilder) -> PrimitiveBuilder {
    let builder = builder.with_logical_type(Some(LogicalType::String));
    builder.with_converted_type(ConvertedType::UTF8)
}

/// A list in the three levels that the format prescribes.
fn list_type(name: &str) -> anyhow::Result<Type> {
    let element =
        Type::primitive_type_builder("element", PhysicalType::BYTE_ARRAY).with_repetition(Repetition::REQUIRED);
    let list = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(text(element).build()?)]);
    Ok(Type::group_type_builder(name)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::List))
        .with_converted_type(ConvertedType::LIST)
        .with_fields(vec![Arc::new(list.build()?)])
        .build()?)
}

#[cfg(test)]
mod tests {
    use parquet::{
        file::reader::{FileReader, SerializedFileReader},
        record::Field as Cell,
    };
    use serde_json::json;

    use super::*;
    use crate::model::EntityType;

    /// The rows of a file as JSON, in the form of the records.
    fn read(file: Vec<u8>) -> Vec<Value> {
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        let value = |cell: &Cell| match cell {
            Cell::Null => Value::Null,
            Cell::Str(text) => json!(text),
            Cell::Date(days) => json!(Date::from_days(*days).unwrap().to_string()),
            Cell::Double(number) => json!(number),
            Cell::Long(count) => json!(count),
            Cell::ListInternal(list) => {
                let members = list.elements().iter().map(|member| match member {
                    Cell::Str(text) => json!(text),
                    other => panic!("{other:?}"),
                });
                members.collect()
            }
            other => panic!("{other:?}"),
        };
        let rows = reader.get_row_iter(None).unwrap();
        rows.map(|row| {
            let row = row.unwrap();
            row.get_column_iter()
                .map(|(name, cell)| (name.clone(), value(cell)))
                .collect()
        })
        .collect()
    }

    #[test]
    fn every_member_is_read_back_and_groups_are_bounded() {
        let schema = Schema::of(EntityType::Disclosure);
        let records: Vec<Value> = (0..300_i64)
            .map(|number| {
                json!({
                    "record_id": format!("é|{number}"), "award_date": "2024-02-29", "contract_value": number as f64 / 3.0,
                    "amendment_count": number, "sources": (["a", "b"][..(number % 3) as usize]), "original": {"a": [1]},
                    "vendor_name": "x".repeat(100), "undeclared": number,
                })
            })
            .chain([
                json!({"record_id": "t", "award_date": "2024-02-29T10:00:00Z", "contract_value": 1_u64 << 60}),
                json!({"record_id": "n", "award_date": "2024-2-9", "sources": ["a", 1], "contract_value": -5}),
            ])
            .collect();
        let write = || {
            let mut file = ParquetFile::new(Vec::new(), &fields_of(schema), 10_000, "g").unwrap();
            let mut whole = Vec::new();
            for record in &records {
                file.push(record.to_string().as_bytes()).unwrap();
                // Taken out piece by piece, as a stream sends it.
                whole.append(file.out());
            }
            file.finish().unwrap();
            whole.append(file.out());
            whole
        };
        let file = write();
        assert!(file == write(), "equal rows give equal bytes");
        let reader = SerializedFileReader::new(bytes::Bytes::from(file.clone())).unwrap();
        assert!(reader.metadata().num_row_groups() > 5);
        for (row, record) in read(file).iter().zip(&records) {
            let mut found = Map::new();
            for (name, value) in row.as_object().unwrap() {
                match (name.as_str(), value) {
                    (_, Value::Null) => {}
                    (OTHER_MEMBERS, Value::String(text)) => {
                        found.extend(serde_json::from_str::<Map<String, Value>>(text).unwrap());
                    }
                    ("original" | "amendments" | "eligibility", Value::String(text)) => {
                        found.insert(name.clone(), serde_json::from_str(text).unwrap());
                    }
                    (name, value) => drop(found.insert(name.to_owned(), value.clone())),
                }
            }
            let number = |value: &Value| value.as_f64();
            for (name, value) in record.as_object().unwrap() {
                let is_equal = found[name] == *value || (value.is_number() && number(&found[name]) == number(value));
                assert!(is_equal, "{name}: {} {value}", found[name]);
            }
            assert_eq!(found.len(), record.as_object().unwrap().len());
        }
    }
}
