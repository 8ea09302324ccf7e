//! Tables and records as comma-separated values (RFC 4180): files of pages for spreadsheets ([`Rows`]), and exports for
//! programs ([`ExportRows`]).
//!
//! The columns of records are the declared fields of the entity type, in the order of its schema, so that all pages of
//! a search have the same ones. A field that a record lacks is an empty cell. Numbers are written as published. A list
//! of texts is joined by `; `; objects are JSON text. Undeclared fields are left out.
//!
//! A French file has `;` between its cells and a comma in its numbers, because a spreadsheet with the settings of a
//! French system opens only such a file as a table. An English file has `,` and a point.
//!
//! A spreadsheet runs a text that begins with `=`, `+`, `-`, `@`, one of these in full width, a tab or a line break as
//! a formula, so such a text gets an apostrophe in front, which spreadsheets do not show. Characters that nobody sees
//! may come before the sign. Numbers get none: `-12.5` stays a number. A program that expects another separator begins
//! a cell inside of a text; a blank after that separator keeps such a cell from being a formula.

use std::collections::HashMap;

use serde_json::{Value, value::RawValue};

use crate::{
    api::export::row_members::{self, ColumnNames},
    model::{
        EntityType, Language, Schema,
        printable::{is_format_character, without_control_characters},
    },
    storage::json_members::JsonValue,
};

/// The byte order mark, from which spreadsheets recognize UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Between the members of a list of texts.
const BETWEEN_TEXTS: &str = "; ";

/// The column that states which records are in a file of several entity types.
const ENTITY_TYPE: &str = "entity_type";

/// A file of one language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows(pub(crate) Language);

impl Rows {
    /// The header row and one row for each record. A record is the JSON object that it was indexed from.
    pub(crate) fn records<'r>(
        self,
        schema: &Schema,
        records: impl Iterator<Item = &'r [u8]>,
    ) -> anyhow::Result<Vec<u8>> {
        let rows = records.map(|record| (Vec::new(), record)).collect();
        self.records_with(&[], schema, rows)
    }

    /// [`Rows::records`] with further columns in front: `columns` are their names, and each record comes with its cells
    /// of them.
    pub(crate) fn records_with(
        self,
        columns: &[&str],
        schema: &Schema,
        records: Vec<(Vec<Value>, &[u8])>,
    ) -> anyhow::Result<Vec<u8>> {
        let fields = schema.fields.iter().map(|field| field.name.as_str());
        let names: Vec<&str> = columns.iter().copied().chain(fields).collect();
        let row = |(mut cells, record): (Vec<Value>, &[u8])| {
            let record = Members::of(record)?;
            cells.extend(schema.fields.iter().map(|field| record.value(&field.name)));
            Ok(cells)
        };
        self.write(&names, records.into_iter().map(row))
    }

    /// Records of several entity types in one table: the first column states the entity type, `columns` follow with the
    /// cells of each record, and each field that one of the entity types declares has a column.
    pub(crate) fn records_of_several(
        self,
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
            let (record, schema) = (Members::of(record)?, Schema::of(entity_type));
            let cell = |name: &&str| {
                let declared = schema.field(name);
                declared.map_or(Value::Null, |field| record.value(&field.name))
            };
            let mut cells = vec![Value::from(entity_type.name())];
            cells.extend(own);
            cells.extend(fields.iter().map(cell));
            Ok(cells)
        };
        self.write(&names, records.into_iter().map(row))
    }

    /// A table of figures: the names of its columns, and its rows.
    pub(crate) fn table(self, columns: &[&str], rows: Vec<Vec<Value>>) -> anyhow::Result<Vec<u8>> {
        self.write(columns, rows.into_iter().map(Ok))
    }

    fn write(self, names: &[&str], cells: impl Iterator<Item = anyhow::Result<Vec<Value>>>) -> anyhow::Result<Vec<u8>> {
        let mut rows = writer(self.separator(), BYTE_ORDER_MARK.as_bytes().to_vec());
        rows.write_record(names)?;
        for row in cells {
            rows.write_record(row?.iter().map(|value| self.cell(value)))?;
        }
        Ok(rows.into_inner()?)
    }

    fn separator(self) -> u8 {
        match self.0 {
            Language::English => b',',
            Language::French => b';',
        }
    }

    /// What a program takes for a separator that expects a file of the other language.
    fn other_separator(self) -> char {
        match self.0 {
            Language::English => ';',
            Language::French => ',',
        }
    }

    fn cell(self, value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::String(text) => self.harmless(text),
            Value::Number(number) => match self.0 {
                Language::English => number.to_string(),
                Language::French => number.to_string().replace('.', ","),
            },
            Value::Array(members) if members.iter().all(Value::is_string) => {
                let texts: Vec<&str> = members.iter().filter_map(Value::as_str).collect();
                self.harmless(&texts.join(BETWEEN_TEXTS))
            }
            other => self.without_inner_formulas(&other.to_string()),
        }
    }

    /// The text as a cell that no spreadsheet runs as a formula, and without control characters: at U+0000 many
    /// programs stop.
    fn harmless(self, text: &str) -> String {
        let shown = text.trim_start_matches(is_invisible);
        let is_formula = text.starts_with(LINE_ENDS) || shown.starts_with(FORMULA_SIGNS);
        let apostrophe = if is_formula { "'" } else { "" };
        let text = self.without_inner_formulas(text);
        format!("{apostrophe}{}", without_control_characters(text))
    }

    /// The text with a blank between a separator of other programs and the sign of a formula.
    fn without_inner_formulas(self, text: &str) -> String {
        let other = self.other_separator();
        let is_separator = |c: char| c == other || LINE_ENDS.contains(&c);
        let mut harmless = String::with_capacity(text.len());
        for (start, c) in text.char_indices() {
            harmless.push(c);
            if !is_separator(c) {
                continue;
            }
            let rest = &text[start + c.len_utf8()..];
            let shown = rest.trim_start_matches(|c| c == '"' || is_invisible(c));
            if shown.starts_with(FORMULA_SIGNS) && !rest.starts_with(' ') {
                harmless.push(' ');
            }
        }
        harmless
    }
}

/// The rows of an export: one table in several pieces, in the form that programs read. Its texts are as they are,
/// unless spreadsheets are to open it.
pub(crate) struct ExportRows {
    columns: Vec<String>,
    names: ColumnNames,
    is_for_spreadsheets: bool,
}

impl ExportRows {
    pub(crate) fn new(columns: Vec<String>, is_for_spreadsheets: bool) -> ExportRows {
        ExportRows {
            names: ColumnNames::of(columns.clone()),
            columns,
            is_for_spreadsheets,
        }
    }

    /// The row of names, after a byte order mark if that is asked for.
    pub(crate) fn header(&self, has_mark: bool) -> anyhow::Result<Vec<u8>> {
        let mark = if has_mark { BYTE_ORDER_MARK } else { "" };
        let mut rows = writer(b',', mark.as_bytes().to_vec());
        rows.write_record(&self.columns)?;
        Ok(rows.into_inner()?)
    }

    /// Adds a row for each record, which is a JSON object.
    pub(crate) fn append<'r>(
        &mut self,
        bytes: Vec<u8>,
        records: impl Iterator<Item = &'r [u8]>,
    ) -> anyhow::Result<Vec<u8>> {
        let mut rows = writer(b',', bytes);
        let mut members = row_members::Members::default();
        for record in records {
            members.read(record, &mut self.names)?;
            for found in &members.of_columns {
                if self.is_for_spreadsheets {
                    rows.write_field(Rows(Language::English).cell(&value(found.map(|found| found.json))))?;
                } else if let Some(text) = found.map_or(Some(""), JsonValue::plain_text) {
                    rows.write_field(text)?;
                } else {
                    rows.write_field(plain_cell(value(found.map(|found| found.json))))?;
                }
            }
            rows.write_record(None::<&[u8]>)?;
        }
        Ok(rows.into_inner()?)
    }
}

fn plain_cell(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Array(members) if members.iter().all(Value::is_string) => {
            let texts: Vec<&str> = members.iter().filter_map(Value::as_str).collect();
            texts.join(BETWEEN_TEXTS)
        }
        other => other.to_string(),
    }
}

/// Adds rows to these bytes.
fn writer(separator: u8, bytes: Vec<u8>) -> csv::Writer<Vec<u8>> {
    csv::WriterBuilder::new()
        .delimiter(separator)
        .terminator(csv::Terminator::CRLF)
        .from_writer(bytes)
}

/// What a formula begins with.
const FORMULA_SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// What ends a line, or a cell in a file with tabs.
const LINE_ENDS: [char; 3] = ['\t', '\r', '\n'];

/// Whether a program may drop the character before it looks for a formula.
fn is_invisible(c: char) -> bool {
    c.is_whitespace() || c.is_control() || is_format_character(c)
}

/// The members of a record by name, not parsed any further: an undeclared member may hold anything.
struct Members<'r>(HashMap<String, &'r RawValue>);

impl<'r> Members<'r> {
    fn of(record: &'r [u8]) -> anyhow::Result<Members<'r>> {
        Ok(Members(serde_json::from_slice(record)?))
    }

    /// The value of a declared field; null if the record lacks it. JSON that is nested too deeply is a text.
    fn value(&self, name: &str) -> Value {
        value(self.0.get(name).map(|json| json.get()))
    }
}

fn value(json: Option<&str>) -> Value {
    json.map_or(Value::Null, |json| {
        serde_json::from_str(json).unwrap_or_else(|_| Value::from(json))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    const ENGLISH: Rows = Rows(Language::English);

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
        let bytes = ENGLISH
            .records(Schema::of(EntityType::Disclosure), [json.as_bytes()].into_iter())
            .unwrap();
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
    fn an_export_has_texts_as_they_are_unless_spreadsheets_open_it() {
        let names = ["record_id", "title", "value", "sources"].map(str::to_owned).to_vec();
        let record = br#"{"title":"=1+1, \"x\"","record_id":"a\r\nb","value":-12.50,"sources":["x","y"],"other":1}"#;
        for (is_for_spreadsheets, title) in [(false, "=1+1, \"x\""), (true, "'=1+1, \"x\"")] {
            let mut rows = ExportRows::new(names.clone(), is_for_spreadsheets);
            let file = rows.header(true).unwrap();
            let file = rows.append(file, [&record[..], &record[..]].into_iter()).unwrap();
            assert!(file.ends_with(b"x; y\r\n"));
            let found = read(&file);
            assert_eq!(found.len(), 2);
            let of = |name: &str| found[1][name].as_str();
            assert_eq!(
                [of("record_id"), of("title"), of("value"), of("sources")],
                ["a\r\nb", title, "-12.5", "x; y"]
            );
            assert_eq!(rows.header(false).unwrap(), b"record_id,title,value,sources\r\n");
        }
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
            "\t1",
            "=cmd|' /C calc'!A0",
            "\0=1",
            "\u{200b}=1",
            "\u{a0}=1",
            "\u{feff} \u{202e}@x",
        ] {
            let json = serde_json::json!({"record_id": "1", "vendor_name": text, "sources": [text]}).to_string();
            let row = row(&json);
            let cell = format!("'{}", text.replace('\0', "\u{fffd}"));
            assert_eq!(row["vendor_name"], cell);
            assert_eq!(row["sources"], cell);
        }
        let row = row(r#"{"record_id":"1","vendor_name":"3-2=1"}"#);
        assert_eq!(row["vendor_name"], "3-2=1");
    }

    /// A program that expects the other separator begins a cell where a text has it, and a row where a text has a line
    /// break.
    #[test]
    fn no_part_of_a_text_is_a_formula_for_another_separator() {
        for language in Language::ALL {
            for text in [
                "Supply;=HYPERLINK(1)",
                "Supply,=HYPERLINK(1)",
                "a;\u{200b}+1",
                "a,\u{200b}+1",
                "a\t-1",
                "a\r\n@x",
                "a\n=1",
                "a;\"=1\"",
                "a,\"=1\"",
            ] {
                let record = json!({"record_id": "1", "vendor_name": text, "original": {"a": text}}).to_string();
                let schema = Schema::of(EntityType::Disclosure);
                let file = Rows(language).records(schema, [record.as_bytes()].into_iter()).unwrap();
                for separator in [b',', b';', b'\t'] {
                    // Without quotes, as a program reads a line whose cell does not begin with one.
                    let is_own = separator == Rows(language).separator();
                    for quoting in [true, is_own] {
                        let mut reader = csv::ReaderBuilder::new();
                        let reader = reader
                            .delimiter(separator)
                            .quoting(quoting)
                            .flexible(true)
                            .has_headers(false);
                        let mut reader = reader.from_reader(&file[BYTE_ORDER_MARK.len()..]);
                        for row in reader.records() {
                            for cell in &row.unwrap() {
                                let shown = cell.trim_start_matches('"');
                                assert!(!shown.starts_with(FORMULA_SIGNS), "{language:?} {text:?}: {cell:?}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_french_file_has_semicolons_and_decimal_commas() {
        let cells = vec![vec![json!("a;b"), json!(12.5), json!("x, y"), json!(-3)]];
        let bytes = Rows(Language::French).table(&["w", "x", "y", "z"], cells).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "\u{feff}w;x;y;z\r\n\"a;b\";12,5;x, y;-3\r\n"
        );
    }

    #[test]
    fn members_that_are_nested_deeply_take_no_file_away() {
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        let record = format!(r#"{{"record_id":"1","undeclared":{deep},"original":{deep}}}"#);
        let row = row(&record);
        assert_eq!(
            (row["record_id"].as_str(), row["original"].as_str()),
            ("1", deep.as_str())
        );
    }

    #[test]
    fn records_of_several_types_share_the_columns_of_both() {
        let contract = br#"{"record_id":"c","contract_value":5.5,"closing_date":"undeclared here"}"#;
        let tender = br#"{"record_id":"t","closing_date":"2024-02-03"}"#;
        let records: Vec<(EntityType, Vec<Value>, &[u8])> = vec![
            (EntityType::Contract, vec![json!(0.5)], contract),
            (EntityType::Tender, vec![json!(null)], tender),
        ];
        let bytes = ENGLISH.records_of_several(&["weight"], records).unwrap();
        let rows = read(&bytes);
        let cells = |name: &str| -> Vec<&str> { rows.iter().map(|row| row[name].as_str()).collect() };
        assert_eq!(cells("entity_type"), ["contract", "tender"]);
        assert_eq!(cells("weight"), ["0.5", ""]);
        assert_eq!(cells("record_id"), ["c", "t"]);
        assert_eq!(cells("contract_value"), ["5.5", ""]);
        assert_eq!(cells("closing_date"), ["", "2024-02-03"]);
        assert!(read(&ENGLISH.records_of_several(&[], Vec::new()).unwrap()).is_empty());
    }

    #[test]
    fn columns_in_front_and_tables_are_written_the_same_way() {
        let schema = Schema::of(EntityType::Tender);
        let cells = vec![json!(12.5), json!(["a", "=b"]), json!(null)];
        let bytes = ENGLISH
            .records_with(
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
        let bytes = ENGLISH
            .table(&["name", "count"], vec![vec![json!("=x"), json!(3)]])
            .unwrap();
        assert_eq!(bytes, "\u{feff}name,count\r\n'=x,3\r\n".as_bytes());
    }
}
