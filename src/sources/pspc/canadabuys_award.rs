//! CanadaBuys award notices (80 columns; 76 before spring 2026): one record per amendment of a
//! notice.

use crate::model::EntityType;
use crate::sources::{
    pspc::{
        canadabuys_columns::{self, AMENDMENT, AWARD_COLUMNS, NOTICE_COLUMNS, REFERENCE},
        common,
    },
    reading::{Column, ColumnRule::*, CsvFormat, CsvRow, DraftRecord, RowOutput},
};

const STATUS: &str = "awardStatus-attributionStatut-eng";
const NOTICE_PAGE: &str = "https://canadabuys.canada.ca/en/tender-opportunities/award-notice/";

pub(crate) static FORMAT: CsvFormat = CsvFormat {
    signature: &[STATUS, REFERENCE],
    required: &[AMENDMENT],
    aliases: &[],
    columns: &[NOTICE_COLUMNS, AWARD_COLUMNS, COLUMNS],
    entity_type: |_| EntityType::Award,
    row_output,
    merge_group: |_| {},
};

#[rustfmt::skip]
static COLUMNS: &[Column] = &[
    ("status_en", STATUS, Line),
    ("status_fr", "awardStatus-attributionStatut-fra", Line),
    ("description_en", "awardDescription-descriptionAttribution-eng", Block),
    ("description_fr", "awardDescription-descriptionAttribution-fra", Block),
    ("vendor_name", "supplierLegalName-nomLegalFournisseur-eng", Line),
];

fn row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let reference = row.line_of(REFERENCE).ok_or("no reference number")?;
    let amendment = row.line_of(AMENDMENT).unwrap_or_default();
    canadabuys_columns::set_shared_fields(row, &mut record);
    let (amount, total) = canadabuys_columns::award_amount_and_total(row, &amendment);
    record.set("contract_value", amount);
    record.set("total_contract_value", total);
    record.set("vendor_country", canadabuys_columns::vendor_country(row));
    let url = format!("{NOTICE_PAGE}{}", canadabuys_columns::page_slug(&reference));
    record.set("notice_url", Some(url));
    record.set("record_id", Some(format!("canadabuys|{reference}|{amendment}")));
    Ok(RowOutput {
        group: reference.into_owned(),
        recency: common::recency(row, &amendment),
        key: amendment.into_owned(),
        records: vec![record],
        bids: None,
    })
}
