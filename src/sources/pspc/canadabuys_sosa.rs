//! CanadaBuys standing offers and supply arrangements (19 columns, in any order): one record an agreement, commodity and
//! place of delivery.
//!
//! Built from the publisher's documented columns; no file with rows was at hand. An agreement's number is said to be unique,
//! yet one with several commodities or places would stand on several rows, so all three make the identifier.

use crate::model::{entity_type::EntityType, municipality};
use crate::sources::reading::{
    intake::{Draft, Rank, Record},
    table::{self, Column, CsvFormat, Row, Rule::*},
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
    draft,
    settle: table::newest,
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

fn draft(row: &Row, mut record: Record) -> Result<Draft, &'static str> {
    let number = row.line_of(NUMBER).ok_or("no agreement number")?;
    if record.text("vendor_name").is_none() {
        let legal = record.text("supplier_legal_name").map(str::to_owned);
        record.set("vendor_name", legal);
    }
    record.set("municipality", Some(municipality::FEDERAL));
    record.set("government_level", Some("federal"));
    if let Some(day) = record.text("date_file_published").map(str::to_owned) {
        record.set("fetched_at", Some(format!("{day}T00:00:00Z")));
    }
    let part = |field| record.text(field).unwrap_or_default();
    let id = format!("sosa|{number}|{}|{}", part("commodity"), part("delivery_point_code"));
    let published: String = part("date_file_published")
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    record.set("record_id", Some(id.as_str()));
    Ok(Draft {
        group: id,
        member: String::new(),
        rank: Rank(published.parse().unwrap_or_default(), row.file.modified.timestamp()),
        records: vec![record],
    })
}
