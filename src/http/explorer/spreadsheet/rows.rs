//! Tables and records as comma-separated values (RFC 4180), for spreadsheets.
//!
//! The columns of records are the declared fields of the entity type, in the order of its schema, so that all pages of a
//! search have the same ones. A field that a record lacks is an empty cell. Numbers are written as published. A list of
//! texts is joined by `; `; objects are JSON text. Undeclared fields are left out.
//!
//! A spreadsheet runs a text that begins with `=`, `+`, `-`, `@`, one of these in full width, a tab or a line break as a formula, so such a text
//! gets an apostrophe in front, which spreadsheets do not show. Numbers get none: `-12.5` stays a number.

use serde_json::{Map, Value};

use crate::model::{EntityType, Schema};

/// The byte order mark, from which spreadsheets recognize UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Between the members of a list of texts.
const BETWEEN_TEXTS: &str = "; ";

/// The column that states which records are in a file of several entity types.
const ENTITY_TYPE: &str = "entity_type";

/// The header row and one row for each record. A record is the JSON object that it was indexed from.
pub(crate) fn records<'r>(schema: &Schema, records: impl Iterator<Item = &'r [u8]>) -> anyhow::Result<Vec<u8>> {
    let rows = records.map(|record| (Vec::new(), record)).collect();
    records_with(&[], schema, rows)
}

/// The same, with columns in front of those of the records: their names, and each record with its cells.
pub(crate) fn records_with(
    columns: &[&str],
    schema: &Schema,
    records: Vec<(Vec<Value>, &[u8])>,
) -> anyhow::Result<Vec<u8>> {
    let fields = schema.fields.iter().map(|field| field.name.as_str());
    let names: Vec<&str> = columns.iter().copied().chain(fields).collect();
    let row = |(mut cells, record): (Vec<Value>, &[u8])| {
        let mut record: Map<String, Value> = serde_json::from_slice(record)?;
        let fields = schema.fields.iter();
        cells.extend(fields.map(|field| record.remove(&field.name).unwrap_or_default()));
        Ok(cells)
    };
    write(&names, records.into_iter().map(row))
}

/// Records of several entity types in one table: the first column states the entity type, `columns` follow with the cells
/// of each record, and each field that one of the entity types declares has a column.
pub(crate) fn records_of_several(
    columns: &[&str],
    records: Vec<(EntityType, Vec<Value>, &[u8])>,
) -> anyhow::Result<Vec<u8>> {
    let mut names = vec![ENTITY_TYPE];
    names.extend(columns);
    for entity_type in EntityType::ALL {
        if !records.iter().any(|(of, ..)| *of == entity_type) {
            continue;
        }
        for field in &Schema::of(entity_type).fields {
            if !names.contains(&field.name.as_str()) {
                names.push(&field.name);
            }
        }
    }
    let fields = &names[1 + columns.len()..];
    let row = |(entity_type, own, record): (EntityType, Vec<Value>, &[u8])| {
        let record: Map<String, Value> = serde_json::from_slice(record)?;
        let schema = Schema::of(entity_type);
        let cell = |name: &&str| {
            let declared = schema.field(name).and_then(|field| record.get(&field.name));
            declared.cloned().unwrap_or_default()
        };
        let mut cells = vec![Value::from(entity_type.name())];
        cells.extend(own);
        cells.extend(fields.iter().map(cell));
        Ok(cells)
    };
    write(&names, records.into_iter().map(row))
}

/// A table of figures: the names of its columns, and its rows.
pub(crate) fn table(columns: &[&str], rows: Vec<Vec<Value>>) -> anyhow::Result<Vec<u8>> {
    write(columns, rows.into_iter().map(Ok))
}

fn write(names: &[&str], cells: impl Iterator<Item = anyhow::Result<Vec<Value>>>) -> anyhow::Result<Vec<u8>> {
    let mut rows = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(BYTE_ORDER_MARK.as_bytes().to_vec());
    rows.write_record(names)?;
    for row in cells {
        rows.write_record(row?.iter().map(cell))?;
    }
    Ok(rows.into_inner()?)
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => harmless(text),
        Value::Array(members) if members.iter().all(Value::is_string) => {
            let texts: Vec<&str> = members.iter().filter_map(Value::as_str).collect();
            harmless(&texts.join(BETWEEN_TEXTS))
        }
        other => other.to_string(),
    }
}

/// The text as a cell that no spreadsheet runs as a formula.
fn harmless(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n']);
    let apostrophe = if is_formula { "'" } else { "" };
    format!("{apostrophe}{text}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    /// The cells of a file, row by row, by the names in the header row.
    fn read(bytes: &[u8]) -> Vec<BTreeMap<String, String>> {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes());
        let mut reader = csv::Reader::from_reader(bytes.expect("the file begins with the mark"));
        let names = reader.headers().unwrap().clone();
        let row = |row: csv::StringRecord| {
            let cells = names.iter().zip(row.iter());
            cells.map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect()
        };
        reader.records().map(|cells| row(cells.unwrap())).collect()
    }

    fn row(json: &str) -> BTreeMap<String, String> {
        let bytes = records(Schema::of(EntityType::Disclosure), [json.as_bytes()].into_iter()).unwrap();
        let [row] = &read(&bytes)[..] else { panic!("one row") };
        row.clone()
    }

    #[test]
    fn a_record_is_read_back_from_its_row() {
        let row = row(
            r#"{"record_id":"a,\"1\"","vendor_name":" R&D\r\n\"Nord\" ","contract_value":-12.5,"amendment_count":3,"sources":["x","y"],
                "original":{"a":"b, c"},"amendments":[],"department_fr":null,"undeclared":1}"#,
        );
        for (field, expected) in [
            ("record_id", "a,\"1\""),
            ("vendor_name", " R&D\r\n\"Nord\" "),
            ("contract_value", "-12.5"),
            ("amendment_count", "3"),
            ("sources", "x; y"),
            ("original", r#"{"a":"b, c"}"#),
            ("amendments", ""),
            ("department_fr", ""),
        ] {
            assert_eq!(row[field], expected, "{field}");
        }
        assert!(!row.contains_key("undeclared"));
    }

    #[test]
    fn no_text_is_a_formula() {
        for text in [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "＝1+1",
            "＋1",
            "－1",
            "＠SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            "=cmd|' /C calc'!A0",
        ] {
            let json = serde_json::json!({"record_id": "1", "vendor_name": text, "sources": [text]}).to_string();
            let row = row(&json);
            assert_eq!(row["vendor_name"], format!("'{text}"));
            assert_eq!(row["sources"], format!("'{text}"));
        }
        let row = row(r#"{"record_id":"1","vendor_name":"3-2=1"}"#);
        assert_eq!(row["vendor_name"], "3-2=1");
    }

    #[test]
    fn records_of_several_types_share_the_columns_of_both() {
        let contract = br#"{"record_id":"c","contract_value":5.5,"closing_date":"undeclared here"}"#;
        let tender = br#"{"record_id":"t","closing_date":"2024-02-03"}"#;
        let records: Vec<(EntityType, Vec<Value>, &[u8])> = vec![
            (EntityType::Contract, vec![json!(0.5)], contract),
            (EntityType::Tender, vec![json!(null)], tender),
        ];
        let bytes = records_of_several(&["weight"], records).unwrap();
        let rows = read(&bytes);
        let cells = |name: &str| -> Vec<&str> { rows.iter().map(|row| row[name].as_str()).collect() };
        assert_eq!(cells("entity_type"), ["contract", "tender"]);
        assert_eq!(cells("weight"), ["0.5", ""]);
        assert_eq!(cells("record_id"), ["c", "t"]);
        assert_eq!(cells("contract_value"), ["5.5", ""]);
        assert_eq!(cells("closing_date"), ["", "2024-02-03"]);
        assert!(read(&records_of_several(&[], Vec::new()).unwrap()).is_empty());
    }

    #[test]
    fn columns_in_front_and_tables_are_written_the_same_way() {
        let schema = Schema::of(EntityType::Tender);
        let cells = vec![json!(12.5), json!(["a", "=b"]), json!(null)];
        let bytes = records_with(
            &["value", "words", "days"],
            schema,
            vec![(cells, br#"{"record_id":"t"}"#)],
        )
        .unwrap();
        let [row] = &read(&bytes)[..] else { panic!("one row") };
        assert_eq!(
            [&row["value"], &row["words"], &row["days"], &row["record_id"]],
            ["12.5", "a; =b", "", "t"]
        );
        let bytes = table(&["name", "count"], vec![vec![json!("=x"), json!(3)]]).unwrap();
        assert_eq!(bytes, "\u{feff}name,count\r\n'=x,3\r\n".as_bytes());
    }
}
