//! CanadaBuys contract history (91 columns): one row a contract's amendment, one record a contract.
//!
//! The latest amendment tells the contract's state, and the newest total stated is the contract's value: totals are
//! cumulative and never summed. Standing offers and supply arrangements are no contracts and are left out.

use crate::model::{entity_type::EntityType, fold::fold};
use crate::sources::{
    pspc::canadabuys::{self, AMENDMENT, AWARDED, NOTICE, REFERENCE, TOTAL},
    reading::{
        intake::{Draft, Member, Record},
        table::{Column, CsvFormat, Row, Rule::*},
    },
};

const CONTRACT: &str = "contractNumber-numeroContrat";
const INSTRUMENT: &str = "instrumentType-typeInstrument-eng";
const INSTRUMENT_FR: &str = "instrumentType-typeInstrument-fra";
const STATUS: &str = "contractStatus-statutContrat-eng";

pub static FORMAT: CsvFormat = CsvFormat {
    signature: &[STATUS, "numberOfRecords-nombreEnregistrements"],
    required: &[REFERENCE, AMENDMENT, CONTRACT, INSTRUMENT, TOTAL],
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
    let number = row
        .line_of(CONTRACT)
        .or_else(|| row.line_of(REFERENCE))
        .ok_or("neither a contract number nor a reference number")?;
    canadabuys::complete(row, &mut record);
    canadabuys::name_vendor(&mut record);
    record.set("vendor_country", canadabuys::vendor_country(row));
    // Rows of the previous system have no number of a solicitation, only the procurement's.
    if record.text("solicitation_number").is_none() {
        let procurement = record.text("procurement_number").map(str::to_owned);
        record.set("solicitation_number", procurement);
    }
    canadabuys::set_value(&mut record, canadabuys::amount_and_total(row));
    record.set("record_id", Some(format!("canadabuys|{number}")));
    let amendment = row.line_of(AMENDMENT).unwrap_or_default();
    Ok(Draft {
        group: number.into_owned(),
        // A row of each kind is kept of an amendment: what the others are depends on there being one of an agreement.
        member: match instrument(row) {
            Instrument::Agreement => format!("{AGREEMENT}{amendment}"),
            Instrument::Untold => format!("{UNTOLD}{amendment}"),
            Instrument::Contract => amendment.into_owned(),
        },
        rank: canadabuys::rank(row, row.raw(AMENDMENT)),
        records: vec![record],
    })
}

/// Begin the members' names of rows of an agreement, and of rows that do not tell what they are of.
const AGREEMENT: &str = "agreement ";
const UNTOLD: &str = "untold ";

fn settle(members: &mut [Member]) {
    canadabuys::settle_contract(contracts(members), &[]);
}

/// The rows of a contract, the others being left out as an agreement's. A row that leaves its type out is of an agreement
/// where another under the same number is.
pub fn contracts(members: &mut [Member]) -> &mut [Member] {
    let has_agreement = members.iter().any(|member| member.member.starts_with(AGREEMENT));
    let is_agreement =
        |member: &Member| member.member.starts_with(AGREEMENT) || (has_agreement && member.member.starts_with(UNTOLD));
    members.sort_by_key(|member| !is_agreement(member));
    let agreements = members.partition_point(is_agreement);
    let (agreements, contracts) = members.split_at_mut(agreements);
    for member in agreements {
        member.records.clear();
        member.skipped = Some("a standing offer or supply arrangement, not a contract");
    }
    for member in contracts.iter_mut() {
        if let Some(amendment) = member.member.strip_prefix(UNTOLD) {
            member.member = amendment.to_owned();
        }
    }
    contracts
}

enum Instrument {
    Agreement,
    Contract,
    Untold,
}

/// Whether the row's type of instrument is an agreement under which contracts are made (`National Individual Standing
/// Offer`, `NMSO`, …), not a contract made under one (`Call-up against a Standing Offer`).
///
/// Rows of the previous system have no type, and neither their titles nor their numbers tell; they count as contracts, unless another row under their number is an agreement's.
fn instrument(row: &Row) -> Instrument {
    let stated = [INSTRUMENT, INSTRUMENT_FR].map(|column| fold(row.raw(column)));
    let Some(instrument) = stated.iter().find(|instrument| !instrument.is_empty()) else {
        return Instrument::Untold;
    };
    let is_under_one = ["contract", "call up", "against", "contrat", "commande subsequente"]
        .iter()
        .any(|word| instrument.contains(word));
    let is_named = [
        "standing offer",
        "supply arrangement",
        "offre a commandes",
        "arrangement en matiere",
    ]
    .iter()
    .any(|kind| instrument.contains(kind));
    let is_coded = ["nmso", "niso", "rmso", "riso", "diso", "sa", "so"].contains(&instrument.as_str());
    match is_coded || (is_named && !is_under_one) {
        true => Instrument::Agreement,
        false => Instrument::Contract,
    }
}
