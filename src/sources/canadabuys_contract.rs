//! CanadaBuys contract history (91 columns): one row a contract's amendment, one record a contract.
//!
//! The latest amendment tells the contract's state, and its total is the contract's value: totals are cumulative and
//! never summed. Standing offers and supply arrangements are no contracts and are left out.

use std::collections::BTreeSet;

use super::{
    canadabuys::{self, AMENDMENT, AMOUNT, AWARDED, NOTICE, REFERENCE, TOTAL},
    intake::{Draft, Member, Record},
    table::{self, Column, CsvFormat, Row, Rule::*},
};
use crate::entity::EntityType;

const CONTRACT: &str = "contractNumber-numeroContrat";
const INSTRUMENT: &str = "instrumentType-typeInstrument-eng";
const STATUS: &str = "contractStatus-statutContrat-eng";

pub static FORMAT: CsvFormat = CsvFormat {
    signature: &[STATUS, "numberOfRecords-nombreEnregistrements"],
    required: &[
        REFERENCE,
        AMENDMENT,
        CONTRACT,
        INSTRUMENT,
        AMOUNT,
        TOTAL,
        "contractAwardDate-dateAttributionContrat",
    ],
    aliases: &[],
    columns: &[NOTICE, AWARDED, HISTORY],
    entity_type: |_| EntityType::Contract,
    draft,
    settle,
};

#[rustfmt::skip]
static HISTORY: &[Column] = &[
    ("contract_id", CONTRACT, Line),
    ("procurement_number", "procurementNumber-numeroApprovisionnement", Line),
    ("status_en", STATUS, Line),
    ("status_fr", "contractStatus-statutContrat-fra", Line),
    ("description_en", "tenderDescription-descriptionAppelOffres-eng", Block),
    ("description_fr", "tenderDescription-descriptionAppelOffres-fra", Block),
    ("supplier_legal_name", "supplierLegalName-nomLegalFournisseur-eng", Line),
    ("supplier_operating_name", "supplierOperatingName-nomCommercialFournisseur-eng", Line),
    ("vendor_name_standardized", "supplierStandardizedName-nomNormaliseFournisseur-eng", Line),
];

fn draft(row: &Row, mut record: Record) -> Result<Draft, &'static str> {
    if canadabuys::is_one_of(row.raw(INSTRUMENT), &["standing offer", "supply arrangement"]) {
        return Err("a standing offer or supply arrangement, not a contract");
    }
    let number = row
        .line_of(CONTRACT)
        .or_else(|| row.line_of(REFERENCE))
        .ok_or("neither a contract number nor a reference number")?;
    canadabuys::complete(row, &mut record);
    let vendor = record
        .text("vendor_name_standardized")
        .or(record.text("supplier_legal_name"));
    let vendor = vendor.map(str::to_owned);
    record.set("vendor_name", vendor);
    record.set("vendor_country", canadabuys::vendor_country(row));
    let (amount, total) = canadabuys::amount_and_total(row);
    record.set("contract_value", total.or(amount));
    record.set("record_id", Some(format!("canadabuys|{number}")));
    Ok(Draft {
        group: number,
        member: row.line_of(AMENDMENT).unwrap_or_default(),
        rank: canadabuys::rank(row),
        records: vec![record],
    })
}

fn settle(members: &mut [Member]) {
    let amendments: BTreeSet<&str> = members
        .iter()
        .map(|member| member.member.as_str())
        .filter(|number| canadabuys::is_amendment(number))
        .collect();
    let amendments = amendments.len();
    for record in members.iter_mut().flat_map(|member| &mut member.records) {
        record.set("amendment_count", Some(amendments));
    }
    table::newest(members);
}
