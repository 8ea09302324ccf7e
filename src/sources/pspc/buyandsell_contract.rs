//! The contract history of buyandsell.gc.ca, frozen in 2022 (45 columns): one row a contract's amendment, one record a
//! contract.
//!
//! As in CanadaBuys' history the latest amendment tells the contract's state, but here a row's award date is its
//! amendment's. There is no column for the category, the currency or the kind of instrument, and none is guessed: a
//! standing offer among the rows cannot be told from a contract, except by CanadaBuys' rows of it
//! ([`crate::sources::pspc`]).

use crate::model::{entity_type::EntityType, municipality};
use crate::sources::{
    common::eligibility::Eligibility,
    pspc::{FORMER, buyandsell_tender::agreements, canadabuys},
    reading::{
        intake::{Draft, Member, Record},
        table::{Column, CsvFormat, Row, Rule::*},
        text,
    },
};

const CONTRACT: &str = "contract-number";
const AMENDMENT: &str = "amendment-number";
const AMOUNT: &str = "contract-value";
const TOTAL: &str = "total-contract-value";

pub static FORMAT: CsvFormat = CsvFormat {
    signature: &[CONTRACT, AMENDMENT, "number-records"],
    required: &[TOTAL],
    aliases: &[],
    columns: &[COLUMNS],
    entity_type: |_| EntityType::Contract,
    draft,
    settle,
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

fn draft(row: &Row, mut record: Record) -> Result<Draft, &'static str> {
    let number = row.line_of(CONTRACT).ok_or("no contract number")?;
    record.set("municipality", Some(municipality::FEDERAL));
    record.set("government_level", Some("federal"));
    let province = row.raw("contracting-address-prov-state");
    record.set("province", municipality::province_code(province));
    for (field, user, buyer) in [
        ("department_en", "end-user-entity_en", "procurement-entity-name_en"),
        ("department_fr", "end-user-entity_fr", "procurement-entity-name_fr"),
    ] {
        let department = text::organization(row.raw(user)).or_else(|| text::organization(row.raw(buyer)));
        record.set(field, department);
    }
    canadabuys::name_vendor(&mut record);
    let country = row.line_of("supplier-address-country");
    record.set("vendor_country", country.map(canadabuys::country_code));
    let trade = record.text("trade_agreements_en").map(agreements).unwrap_or_default();
    let stated = Eligibility {
        trade_agreements: trade,
        limited_tendering_reason_en: row.line_of("limited-tender-reason-description_en"),
        limited_tendering_reason_fr: row.line_of("limited-tender-reason-description_fr"),
        ..Eligibility::default()
    };
    record.set("eligibility", stated.value());
    let (amount, total) = (row.money(AMOUNT), row.money(TOTAL));
    canadabuys::set_value(&mut record, canadabuys::stated_values(amount, total));
    record.set("record_id", Some(format!("buyandsell|{number}")));
    Ok(Draft {
        group: number.into_owned(),
        member: format!("{FORMER}{}", row.line_of(AMENDMENT).unwrap_or_default()),
        rank: canadabuys::rank(row, row.raw(AMENDMENT)),
        records: vec![record],
    })
}

fn settle(members: &mut [Member]) {
    tell_days(members);
    canadabuys::settle_contract(members, &[]);
}

/// The contract was awarded on the day of its oldest row; the newest row's is the day of the latest amendment.
pub fn tell_days(members: &mut [Member]) {
    let awarded = members
        .iter()
        .flat_map(|member| &member.records)
        .find_map(|record| record.text("award_date").map(str::to_owned));
    let is_amended = members.last().is_some_and(|m| canadabuys::is_amendment(&m.member));
    if let Some(record) = members.last_mut().and_then(|member| member.records.first_mut()) {
        if is_amended {
            let amended = record.text("award_date").map(str::to_owned);
            record.set("amendment_date", amended);
        }
        record.set("award_date", awarded);
    }
}
