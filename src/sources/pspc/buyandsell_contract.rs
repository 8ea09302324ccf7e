//! The contract history of buyandsell.gc.ca, frozen in 2022 (45 columns): one row per amendment of
//! a contract, one record per contract.
//!
//! As in CanadaBuys' history, the latest amendment has the contract's current state. But here a
//! row's award date is the date of its amendment. There are no columns for the category, the
//! currency and the instrument type, and none is guessed. A standing offer among the rows can be
//! distinguished from a contract only by CanadaBuys' rows of it.

use crate::model::{EntityType, countries, municipality, record::is_amendment};
use crate::sources::{
    common::eligibility::Eligibility,
    pspc::{
        amendments,
        common::{self, BUYANDSELL_PREFIX},
    },
    reading::{Column, ColumnRule::*, CsvFormat, CsvRow, DraftRecord, GroupMember, RowOutput, text},
};

const CONTRACT: &str = "contract-number";
const AMENDMENT: &str = "amendment-number";
const AMOUNT: &str = "contract-value";
const TOTAL: &str = "total-contract-value";

pub(crate) static FORMAT: CsvFormat = CsvFormat {
    signature: &[CONTRACT, AMENDMENT, "number-records"],
    required: &[TOTAL],
    aliases: &[],
    columns: &[COLUMNS],
    entity_type: |_| EntityType::Contract,
    row_output,
    merge_group,
};

#[rustfmt::skip]
static COLUMNS: &[Column] = &[
    ("award_date", "award-date", Day),
    ("end_date", "expiry-date", Day),
    ("contract_id", CONTRACT, Line),
    ("contract_number", CONTRACT, Line),
    ("amendment_number", AMENDMENT, Line),
    ("vendor_name_standardized", "supplier-standardized-name", Line),
    ("supplier_legal_name", "supplier-legal-name", Line),
    ("supplier_operating_name", "supplier-operating-name", Line),
    ("vendor_city", "supplier-address-city", Line),
    ("vendor_province", "supplier-address-prov-state", Line),
    ("vendor_postal_code", "supplier-address-postal-code", PostalCode),
    ("buyer_name", "procurement-entity-name_en", Organization),
    ("gsin", "gsin", Line),
    ("gsin_description_en", "gsin-description_en", Line),
    ("gsin_description_fr", "gsin-description_fr", Line),
    ("procurement_method", "solicitation-procedure", Line),
    ("procurement_method_en", "solicitation-procedure-description_en", Line),
    ("procurement_method_fr", "solicitation-procedure-description_fr", Line),
    ("trade_agreements_en", "trade-agreement-description_en", Line),
];

fn row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let number = row.line_of(CONTRACT).ok_or("no contract number")?;
    let province = municipality::province_code(row.raw("contracting-address-prov-state"));
    record.set_jurisdiction(municipality::FEDERAL, "federal", province);
    for (field, user, buyer) in [
        ("department_en", "end-user-entity_en", "procurement-entity-name_en"),
        ("department_fr", "end-user-entity_fr", "procurement-entity-name_fr"),
    ] {
        let department = text::organization(row.raw(user)).or_else(|| text::organization(row.raw(buyer)));
        record.set(field, department);
    }
    common::set_vendor_name(&mut record);
    let country = row.line_of("supplier-address-country");
    record.set("vendor_country", country.map(countries::code));
    let agreements = record.text("trade_agreements_en").map(common::agreements);
    let eligibility = Eligibility {
        trade_agreements: agreements.unwrap_or_default(),
        limited_tendering_reason_en: row.line_of("limited-tender-reason-description_en"),
        limited_tendering_reason_fr: row.line_of("limited-tender-reason-description_fr"),
        ..Eligibility::default()
    };
    record.set("eligibility", eligibility.value());
    let (amount, total) = (row.money(AMOUNT), row.money(TOTAL));
    amendments::set_amounts(&mut record, common::without_placeholder_zero(amount, total));
    record.set("record_id", Some(format!("buyandsell|{number}")));
    Ok(RowOutput {
        group: number.into_owned(),
        key: format!("{BUYANDSELL_PREFIX}{}", row.line_of(AMENDMENT).unwrap_or_default()),
        recency: common::recency(row, row.raw(AMENDMENT)),
        records: vec![record],
        bids: None,
    })
}

fn merge_group(members: &mut [GroupMember]) {
    set_award_and_amendment_dates(members);
    amendments::merge_contract(members, &[]);
}

/// Sets the dates of the newest row, the last member. The contract was awarded on the date of its
/// oldest row; the newest row's date is that of the latest amendment.
pub(crate) fn set_award_and_amendment_dates(members: &mut [GroupMember]) {
    let mut records = members.iter().flat_map(|member| &member.records);
    let awarded = records.find_map(|record| record.text("award_date")).map(str::to_owned);
    let Some(newest) = members.last_mut() else { return };
    if let Some(record) = newest.records.first_mut() {
        if is_amendment(&newest.key) {
            let amended = record.text("award_date").map(str::to_owned);
            record.set("amendment_date", amended);
        }
        record.set("award_date", awarded);
    }
}
