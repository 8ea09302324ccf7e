//! CanadaBuys standing offers and supply arrangements (19 columns, in any order): one record per
//! agreement, commodity and delivery point.
//!
//! Built from the publisher's documentation of the columns; no file with rows was available. The
//! documentation says that an agreement's number is unique, but an agreement with several
//! commodities or delivery points would have several rows. So all three form the identifier.

use crate::model::{entity_type::EntityType, municipality};
use crate::sources::reading::{
    csv_format::CsvFormat,
    csv_row::{Column, ColumnRule::*, CsvRow},
    merging,
    row_output::{DraftRecord, Recency, RowOutput},
};

const NUMBER: &str = "agreement-number";

pub static FORMAT: CsvFormat = CsvFormat {
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
    let published = part("date_file_published").chars().filter(char::is_ascii_digit);
    // An agreement without a date counts as the oldest.
    let published = published.collect::<String>().parse().unwrap_or(0);
    record.set("record_id", Some(id.as_str()));
    Ok(RowOutput {
        group: id,
        key: String::new(),
        recency: Recency(published, row.file.modified.timestamp()),
        records: vec![record],
    })
}
