//! CanadaBuys standing offers and supply arrangements (SOSA; 19 columns, in any order): one record
//! per agreement, commodity and delivery point.
//!
//! The reader follows the publisher's documentation of the columns, as no file with rows was
//! available. The documentation says that the agreement number is unique, but an agreement with
//! several commodities or delivery points would have several rows. So the number, the commodity and
//! the delivery point together form the `record_id`.

use crate::model::{EntityType, municipality};
use crate::sources::reading::{Column, ColumnRule::*, CsvFormat, CsvRow, DraftRecord, Recency, RowOutput, merging};

const NUMBER: &str = "agreement-number";

pub(crate) static FORMAT: CsvFormat = CsvFormat {
    signature: &[NUMBER, "agreement-type_en", "delivery-point-code"],
    required: &["commodity"],
    aliases: &[
        ("gsin", "commodity"),
        ("gsin-description_en", "commodity-description_en"),
        ("gsin-description_fr", "commodity-description_fr"),
    ],
    columns: &[COLUMNS],
    entity_type: |_| EntityType::StandingOffer,
    row_output,
    merge_group: merging::keep_newest,
};

#[rustfmt::skip]
static COLUMNS: &[Column] = &[
    ("agreement_number", NUMBER, Line),
    ("agreement_type_en", "agreement-type_en", Line),
    ("agreement_type_fr", "agreement-type_fr", Line),
    ("award_date", "award-date", Day),
    ("expiry_date", "expiry-date", Day),
    ("date_file_published", "date-file-published", Day),
    ("commodity", "commodity", Line),
    ("commodity_description_en", "commodity-description_en", Line),
    ("commodity_description_fr", "commodity-description_fr", Line),
    ("sosa_description_en", "sosa-description_en", Block),
    ("sosa_description_fr", "sosa-description_fr", Block),
    ("delivery_point_code", "delivery-point-code", Line),
    ("delivery_point_en", "delivery-point_en", Line),
    ("delivery_point_fr", "delivery-point_fr", Line),
    ("department_en", "end-user-entity_en", Organization),
    ("department_fr", "end-user-entity_fr", Organization),
    ("supplier_legal_name", "supplier-legal-name", Line),
    ("supplier_operating_name", "supplier-operating-name", Line),
    ("vendor_name", "supplier-standardized-name", Line),
];

fn row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let number = row.line_of(NUMBER).ok_or("no agreement number")?;
    if record.text("vendor_name").is_none() {
        let legal = record.text("supplier_legal_name").map(str::to_owned);
        record.set("vendor_name", legal);
    }
    record.set_jurisdiction(municipality::FEDERAL, "federal", None);
    if let Some(day) = record.text("date_file_published").map(str::to_owned) {
        record.set("fetched_at", Some(format!("{day}T00:00:00Z")));
    }
    let part = |field| record.text(field).unwrap_or_default();
    let id = format!("sosa|{number}|{}|{}", part("commodity"), part("delivery_point_code"));
    // 2026-01-31 as 20260131. A row without a date counts as the oldest.
    let digits = part("date_file_published").chars().filter(char::is_ascii_digit);
    let published = digits.collect::<String>().parse().unwrap_or(0);
    let recency = Recency(published, row.file.modified.timestamp());
    // All rows of a group are the same thing: the newest replaces the others.
    Ok(RowOutput::with_id(id, String::new(), recency, record))
}
