//! Nova Scotia's awarded public tenders, of the whole public sector: the CSV export, and CSV or
//! JSON from the portal's API.
//!
//! Built from the publisher's documentation of the columns; no real file was available. The two
//! forms differ in the case of the names and the format of dates, and the JSON omits empty fields.
//! Both produce the same records. Several suppliers may share a tender number, and a supplier may
//! win a tender twice: the oldest contract has the identifier without a suffix, the others get
//! their date and amount as suffix.

use std::{borrow::Cow, io::Read};

use csv::StringRecord;
use serde_json::{Map, Value};

use crate::model::{EntityType, fold::fold};
use crate::sources::{
    common::public_bodies,
    reading::{
        Column, ColumnRule::*, CsvFormat, CsvRow, DraftRecord, FileHead, FileInfo, GroupMember, JsonItem, JsonRows,
        ReadError, Recency, RowCounts, RowOutput, RowSink, SourceReader, Utf8Reader, merging, text, unknown,
    },
};

const NUMBER: &str = "TENDER_ID";
const AMOUNT: &str = "AWARDED_AMOUNT";

pub(crate) static FORMAT: CsvFormat = CsvFormat {
    signature: &[NUMBER, "ENTITY", "VENDOR"],
    required: &["AWARDED_DATE", AMOUNT],
    aliases: &[
        ("tender_id", NUMBER),
        ("entity", "ENTITY"),
        ("goods", "GOODS"),
        ("service", "SERVICE"),
        ("construction", "CONSTRUCTION"),
        ("tender_start_date", "TENDER_START_DATE"),
        ("tender_close_date", "TENDER_CLOSE_DATE"),
        ("tender_description", "TENDER_DESCRIPTION"),
        ("awarded_date", "AWARDED_DATE"),
        ("awarded_amount", AMOUNT),
        ("vendor", "VENDOR"),
    ],
    columns: &[COLUMNS],
    entity_type: |_| EntityType::Contract,
    row_output,
    merge_group: merging::disambiguate,
};

#[rustfmt::skip]
static COLUMNS: &[Column] = &[
    ("solicitation_number", NUMBER, Line),
    ("department_en", "ENTITY", Organization),
    ("buyer_name", "ENTITY", Organization),
    ("publication_date", "TENDER_START_DATE", Day),
    ("title_en", "TENDER_DESCRIPTION", Line),
    ("award_date", "AWARDED_DATE", Day),
    ("vendor_name", "VENDOR", Organization),
];

/// The columns that flag a category, in the order in which categories are joined. Several may be
/// set.
const CATEGORY_FLAGS: [(&str, &str); 3] = [("CONSTRUCTION", "CNST"), ("GOODS", "GD"), ("SERVICE", "SRV")];

/// Amounts that mean "not stated": the publisher's form requires an amount even if nothing is
/// bought at a price.
const PLACEHOLDERS: [f64; 2] = [0.0, 0.01];

pub(crate) fn recognizes(head: &FileHead) -> bool {
    let has = |name: &str| {
        head.json.contains(&format!("\"{name}\"")) || head.json.contains(&format!("\"{}\"", name.to_uppercase()))
    };
    FORMAT.recognizes(&head.columns)
        || (has("tender_id") && has("entity") && (has("awarded_date") || has("awarded_amount")))
}

pub(crate) struct NovaScotiaReader;

impl SourceReader for NovaScotiaReader {
    fn read(
        &mut self,
        file: &FileInfo,
        mut input: Utf8Reader<&mut dyn Read>,
        out: &mut RowSink,
    ) -> Result<(), ReadError> {
        let is_json = input
            .peek()
            .is_ok_and(|start| start.trim_start().starts_with(['[', '{']));
        if is_json {
            read_json(file, input, out)
        } else {
            (&FORMAT).read(file, input, out)
        }
    }

    fn merge_group(&mut self, members: &mut [GroupMember], _: &mut [RowCounts]) {
        merging::disambiguate(members);
    }
}

/// Reads JSON: each object becomes a row with all columns.
fn read_json(file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
    let columns = FORMAT.aliases;
    let names: Vec<String> = columns.iter().map(|(_, name)| (*name).to_owned()).collect();
    let header = FORMAT.header(&names);
    let mut rows = JsonRows::new(input, &[]);
    while let Some(item) = rows.next_item()? {
        let (line, object) = match item {
            JsonItem::Row { line, bytes, .. } => (line, serde_json::from_slice(&bytes).ok()),
            JsonItem::Object { line, members, .. } => (line, Some(members)),
        };
        out.row();
        out.note_repair(line, rows.take_repaired());
        let Some(object): Option<Map<String, Value>> = object else {
            out.counts.skip(line, "a row that is not a JSON object");
            continue;
        };
        let value = |(lower, upper): &(&str, &str)| match object.get(*lower).or_else(|| object.get(*upper)) {
            Some(Value::String(text)) => text.clone(),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
            _ => String::new(),
        };
        let values: StringRecord = columns.iter().map(value).collect();
        let row = CsvRow::new(&header, &values, line, file);
        FORMAT.process_row(&row, out, |_| None).map_err(ReadError::Fatal)?;
    }
    Ok(())
}

fn row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let number = row.line_of(NUMBER).ok_or("no tender number")?;
    let amount = row.money(AMOUNT);
    if amount.is_some_and(|amount| PLACEHOLDERS.contains(&amount)) {
        row.note(format!("placeholder amount of 0 or 0.01 in {AMOUNT}, left out"));
    }
    let value = amount.filter(|amount| !PLACEHOLDERS.contains(amount));
    record.set("contract_value", value);
    record.set("currency", value.map(|_| "CAD"));
    let mut categories: Vec<Cow<str>> = Vec::new();
    for (flag, code) in CATEGORY_FLAGS {
        match row.line_of(flag).as_deref() {
            Some("Y" | "y" | "Yes" | "YES" | "true" | "1") => categories.push(code.into()),
            None | Some("N" | "n" | "No" | "NO" | "false" | "0") => {}
            Some(other) => row.note(unknown(flag, other)),
        }
    }
    record.set("procurement_category", text::joined(categories, ","));
    let (municipality, level) = public_bodies::of_body(record.text("buyer_name").unwrap_or_default(), "NS");
    record.set_jurisdiction(&municipality, level, Some("NS"));
    let vendor = fold(record.text("vendor_name").unwrap_or_default());
    let id = format!("novascotia|{number}|{vendor}");
    let date = record.text("award_date").unwrap_or_default();
    let amount = amount.map(|amount| format!("{amount:.2}")).unwrap_or_default();
    let day = text::date(date).ok().flatten().map_or(0, |date| date.days());
    let key = format!("{date}|{amount}");
    let recency = Recency(u64::try_from(row.file.modified.timestamp()).unwrap_or(0), day.into());
    Ok(RowOutput::with_id(id, key, recency, record))
}
