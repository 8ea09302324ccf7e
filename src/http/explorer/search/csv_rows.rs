//! Records as comma-separated values (RFC 4180), for spreadsheets.
//!
//! The columns are the declared fields of the entity type, in the order of its schema, so that all pages of a search
//! have the same ones. A field that a record lacks is an empty cell. Numbers are written as published. A list of texts
//! is joined by `; `; objects are JSON text. Undeclared fields are left out.
//!
//! A spreadsheet runs a text that begins with `=`, `+`, `-`, `@`, a tab or a line break as a formula, so such a text
//! gets an apostrophe in front, which spreadsheets do not show. Numbers get none: `-12.5` stays a number.

use serde_json::{Map, Value};

use crate::model::Schema;

/// The byte order mark, from which spreadsheets recognize UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Between the members of a list of texts.
const BETWEEN_TEXTS: &str = "; ";

/// The header row and one row for each record. A record is the JSON object that it was indexed from.
pub(crate) fn write<'r>(schema: &Schema, records: impl Iterator<Item = &'r [u8]>) -> anyhow::Result<Vec<u8>> {
    let mut rows = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(BYTE_ORDER_MARK.as_bytes().to_vec());
    rows.write_record(schema.fields.iter().map(|field| &field.name))?;
    for record in records {
        let record: Map<String, Value> = serde_json::from_slice(record)?;
        rows.write_record(schema.fields.iter().map(|field| cell(record.get(&field.name))))?;
    }
    Ok(rows.into_inner()?)
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => harmless(text),
        Some(Value::Array(members)) if members.iter().all(Value::is_string) => {
            let texts: Vec<&str> = members.iter().filter_map(Value::as_str).collect();
            harmless(&texts.join(BETWEEN_TEXTS))
        }
        Some(other) => other.to_string(),
    }
}

/// The text as a cell that no spreadsheet runs as a formula.
fn harmless(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    let apostrophe = if is_formula { "'" } else { "" };
    format!("{apostrophe}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    /// The cells of a record's row, by the names in the header row.
    fn row(json: &str) -> std::collections::BTreeMap<String, String> {
        let bytes = write(Schema::of(EntityType::Disclosure), [json.as_bytes()].into_iter()).unwrap();
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes());
        let mut reader = csv::Reader::from_reader(bytes.expect("the file begins with the mark"));
        let names = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
        assert_eq!(rows.len(), 1);
        let cells = names.iter().zip(rows[0].iter());
        cells.map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect()
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
}
