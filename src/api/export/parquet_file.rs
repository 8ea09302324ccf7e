//! Rows as an Apache Parquet file: a typed column for each declared field, compressed with Zstandard.
//!
//! | type | column |
//! |---|---|
//! | text | string |
//! | date | date (days since 1970-01-01) |
//! | number | double |
//! | count | 64-bit integer |
//! | boolean | boolean |
//! | list of texts | list of strings |
//! | any other | string with the JSON text |
//!
//! All columns are optional. Nothing is lost: what no column holds exactly (undeclared members, a date with a time) is
//! in the last column, [`OTHER_MEMBERS`], as the JSON text of an object. Equal rows give equal bytes.

use std::{cmp::Reverse, io::Write, sync::Arc};

use bytes::Bytes;
use parquet::{
    basic::{Compression, ConvertedType, LogicalType, Repetition, Type as PhysicalType, ZstdLevel},
    column::writer::{ColumnCloseResult, get_column_writer},
    file::{
        metadata::KeyValue,
        properties::{DEFAULT_WRITE_BATCH_SIZE, WriterProperties, WriterPropertiesPtr},
        writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite},
    },
    schema::types::{ColumnDescPtr, Type, TypePtr},
};

use crate::{
    api::export::{
        columns::{Column, ColumnType, of_supplier},
        parquet_rows::{RowReader, SupplierOf},
        parquet_values::Values,
        row_members::ColumnNames,
    },
    engine::helper_threads,
};

/// The last column.
pub(crate) const OTHER_MEMBERS: &str = "other_members";

/// Rows that are read by one thread. It is the number of values that a page of a column is checked after, so a column
/// without lists has the pages that it has if one thread reads all rows.
const ROWS_OF_PART: usize = DEFAULT_WRITE_BATCH_SIZE;

/// A file that is being written.
pub(crate) struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    /// How a column is encoded whose values are mostly different.
    of_varied: WriterPropertiesPtr,
    reader: RowReader,
    /// The rows of the current row group.
    rows: Vec<Bytes>,
    /// The size of the rows as JSON, in bytes, and the size at which the group is written.
    group_bytes: usize,
    max_group_bytes: usize,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file. A row group ends when its rows have `max_group_bytes` as JSON. `generation` is the index that the
    /// rows are from.
    pub(crate) fn new(
        out: W,
        mut columns: Vec<Column>,
        supplier_of: Option<SupplierOf>,
        max_group_bytes: usize,
        generation: &str,
    ) -> anyhow::Result<Self> {
        let names = ColumnNames::of(columns.iter().map(|column| column.name.clone()).collect());
        if supplier_of.is_some() {
            columns.extend(of_supplier());
        }
        columns.push(Column {
            name: OTHER_MEMBERS.to_owned(),
            column_type: ColumnType::Json,
            about: "What no column holds exactly, as the JSON text of an object".to_owned(),
        });
        let compressed = || WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
        let properties = compressed()
            .set_created_by(concat!("procure version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(vec![KeyValue::new(
                "generation".to_owned(),
                generation.to_owned(),
            )]))
            .build();
        Ok(ParquetFile {
            writer: SerializedFileWriter::new(out, file_schema(&columns)?, Arc::new(properties))?,
            of_varied: Arc::new(compressed().set_dictionary_enabled(false).build()),
            reader: RowReader::new(columns, names, supplier_of),
            rows: Vec::new(),
            group_bytes: 0,
            max_group_bytes,
        })
    }

    /// The columns that the file has.
    pub(crate) fn columns(&self) -> &[Column] {
        self.reader.columns()
    }

    /// Adds a row, which is a JSON object.
    pub(crate) fn push(&mut self, row: &Bytes) -> anyhow::Result<()> {
        self.rows.push(row.clone());
        self.group_bytes += row.len();
        if self.group_bytes >= self.max_group_bytes {
            self.write_group()?;
        }
        Ok(())
    }

    /// Writes a row group. Parts of the rows are read by several threads, and then each column is encoded by one, those
    /// with most bytes first, so that no thread waits long for the last one.
    fn write_group(&mut self) -> anyhow::Result<()> {
        self.group_bytes = 0;
        let rows = std::mem::take(&mut self.rows);
        let parts: Vec<&[Bytes]> = rows.chunks(ROWS_OF_PART).collect();
        let parts = helper_threads::map_in_order(&parts, |rows| self.reader.values_of(rows))?;
        let schema = self.writer.schema_descr();
        let mut columns: Vec<(usize, ColumnDescPtr)> = schema.columns().iter().cloned().enumerate().collect();
        columns.sort_by_key(|(number, _)| Reverse(parts.iter().map(|part| part[*number].bytes()).sum::<usize>()));
        let properties = self.writer.properties();
        let encode = |(number, column): &(usize, ColumnDescPtr)| {
            let mut values = parts.iter().map(|part| &part[*number]).peekable();
            let is_varied = values.peek().is_some_and(|first| first.is_varied());
            let properties = if is_varied { &self.of_varied } else { properties };
            anyhow::Ok((*number, encoded(column, properties, values)?))
        };
        let mut encoded = helper_threads::map(&columns, encode)?;
        encoded.sort_unstable_by_key(|(number, _)| *number);
        let mut group = self.writer.next_row_group()?;
        for (_, (bytes, closed)) in encoded {
            group.append_column(&bytes, closed)?;
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

/// A column of a row group as it is in the file.
fn encoded<'v>(
    column: &ColumnDescPtr,
    properties: &WriterPropertiesPtr,
    values: impl Iterator<Item = &'v Values>,
) -> anyhow::Result<(Bytes, ColumnCloseResult)> {
    let mut out = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut out));
    let mut writer = get_column_writer(Arc::clone(column), Arc::clone(properties), pages);
    for values in values {
        values.write(&mut writer)?;
    }
    let closed = writer.close()?;
    Ok((Bytes::from(out.into_inner()?), closed))
}

fn file_schema(columns: &[Column]) -> anyhow::Result<TypePtr> {
    let types = columns.iter();
    let types = types.map(|column| parquet_type(&column.name, column.column_type).map(Arc::new));
    let types = types.collect::<anyhow::Result<Vec<TypePtr>>>()?;
    Ok(Arc::new(Type::group_type_builder("record").with_fields(types).build()?))
}

fn parquet_type(name: &str, column_type: ColumnType) -> anyhow::Result<Type> {
    let optional =
        |physical: PhysicalType| Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    let built = match column_type {
        ColumnType::Text | ColumnType::Json => text_type(optional(PhysicalType::BYTE_ARRAY)).build(),
        ColumnType::Date => optional(PhysicalType::INT32)
            .with_logical_type(Some(LogicalType::Date))
            .with_converted_type(ConvertedType::DATE)
            .build(),
        ColumnType::Number => optional(PhysicalType::DOUBLE).build(),
        ColumnType::Count => optional(PhysicalType::INT64).build(),
        ColumnType::Boolean => optional(PhysicalType::BOOLEAN).build(),
        ColumnType::TextArray => return list_type(name),
    };
    Ok(built?)
}

type PrimitiveBuilder<'a> = parquet::schema::types::PrimitiveTypeBuilder<'a>;

fn text_type(builder: PrimitiveBuilder) -> PrimitiveBuilder {
    let builder = builder.with_logical_type(Some(LogicalType::String));
    builder.with_converted_type(ConvertedType::UTF8)
}

/// A list in the three levels that the format prescribes.
fn list_type(name: &str) -> anyhow::Result<Type> {
    let element =
        Type::primitive_type_builder("element", PhysicalType::BYTE_ARRAY).with_repetition(Repetition::REQUIRED);
    let list = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(text_type(element).build()?)]);
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
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::{
        api::export::columns,
        model::{Date, EntityType, Schema},
    };

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
    fn groups_are_bounded_by_bytes_whatever_a_record_holds() {
        let schema = Schema::of(EntityType::Tender);
        // The longest records that an index takes: one text, and as many members as there is room for.
        let text = |number: usize| {
            let words = (0..35_000).map(|word| format!("{:07x}", (word * 7_919 + number) % 0x0fff_ffff));
            json!({"record_id": format!("t{number}"), "description_en": words.collect::<String>()})
        };
        let members: Map<String, Value> = (0..24_000).map(|name| (format!("m{name}"), json!(0))).collect();
        let members = Value::Object(members).to_string();
        let max = 1 << 20;
        let mut file = ParquetFile::new(Vec::new(), columns::of_records(schema), None, max, "g").unwrap();
        let mut longest = 0;
        for number in 0..40 {
            let record = if number % 4 == 0 {
                members.clone()
            } else {
                text(number).to_string()
            };
            longest = longest.max(record.len());
            file.push(&Bytes::from(record)).unwrap();
        }
        file.finish().unwrap();
        let file = std::mem::take(file.out());
        let reader = SerializedFileReader::new(bytes::Bytes::from(file.clone())).unwrap();
        let groups = reader.metadata().row_groups();
        assert!(groups.len() >= 40 * 200_000 / (max + longest));
        for group in groups {
            let bytes = usize::try_from(group.total_byte_size()).unwrap();
            assert!(bytes < max + longest + 10_000, "{bytes}");
        }
        let rows = read(file);
        assert_eq!(rows.len(), 40);
        assert_eq!(rows[4][OTHER_MEMBERS], json!(members));
        assert_eq!(rows[1]["description_en"], text(1)["description_en"]);
    }

    #[test]
    fn every_member_is_read_back_and_groups_are_bounded() {
        let schema = Schema::of(EntityType::Disclosure);
        let records: Vec<Value> = (0..5_000_i64)
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
                json!({"record_id": "o", "award_date": true, "supplier_id": "s", OTHER_MEMBERS: {"a": 1}}),
            ])
            .collect();
        let write = || {
            let mut file = ParquetFile::new(Vec::new(), columns::of_records(schema), None, 1_000_000, "g").unwrap();
            let mut whole = Vec::new();
            for record in &records {
                file.push(&Bytes::from(record.to_string())).unwrap();
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
        assert!(reader.metadata().num_row_groups() > 1);
        // Several threads read its rows.
        let group = reader.metadata().row_group(0);
        assert!(group.num_rows() as usize > ROWS_OF_PART);
        // A dictionary is for what is repeated.
        let with_dictionary = |name: &&str| {
            let mut columns = group.columns().iter();
            let column = columns.find(|column| column.column_path().parts() == [*name]).unwrap();
            column.dictionary_page_offset().is_some()
        };
        let of = |names: &[&str]| names.iter().map(with_dictionary).collect::<Vec<bool>>();
        assert_eq!(
            of(&["record_id", "contract_value", "vendor_name", "award_date"]),
            [false, false, true, true]
        );
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
