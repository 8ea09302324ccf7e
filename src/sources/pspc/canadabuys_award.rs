//! CanadaBuys award notices (80 columns, 76 before spring 2026): one record a notice's amendment.

use crate::model::entity_type::EntityType;
use crate::sources::{
    pspc::canadabuys::{self, AMENDMENT, AWARDED, NOTICE, REFERENCE},
    reading::{
        intake::{Draft, Record},
        table::{Column, CsvFormat, Row, Rule::*},
    },
};

const STATUS: &str = "awardStatus-attributionStatut-eng";
const NOTICE_PAGE: &str = "https://canadabuys.canada.ca/en/tender-opportunities/award-notice/";

pub static FORMAT: CsvFormat = CsvFormat {
    signature: &[STATUS, REFERENCE],
    required: &[AMENDMENT],
    aliases: &[],
    columns: &[NOTICE, AWARDED, AWARD],
    entity_type: |_| EntityType::Award,
    draft,
    settle: |_| {},
};

#[rustfmt::skip]
static AWARD: &[Column] = &[
    ("status_en", STATUS, Line),
    ("status_fr", "awardStatus-attributionStatut-fra", Line),
    ("description_en", "awardDescription-descriptionAttribution-eng", Block),
    ("description_fr", "awardDescription-descriptionAttribution-fra", Block),
    ("vendor_name", "supplierLegalName-nomLegalFournisseur-eng", Line),
];

fn draft(row: &Row, mut record: Record) -> Result<Draft, &'static str> {
    let reference = row.line_of(REFERENCE).ok_or("no reference number")?;
    let amendment = row.line_of(AMENDMENT).unwrap_or_default();
    canadabuys::complete(row, &mut record);
    let (amount, total) = canadabuys::awarded_values(row, &amendment);
    record.set("contract_value", amount);
    record.set("total_contract_value", total);
    record.set("vendor_country", canadabuys::vendor_country(row));
    record.set(
        "notice_url",
        Some(format!("{NOTICE_PAGE}{}", canadabuys::page_of(&reference))),
    );
    record.set("record_id", Some(format!("canadabuys|{reference}|{amendment}")));
    Ok(Draft {
        group: reference.into_owned(),
        rank: canadabuys::rank(row, &amendment),
        member: amendment.into_owned(),
        records: vec![record],
    })
}
