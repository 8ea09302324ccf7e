//! CanadaBuys contract history (91 columns): one row per amendment of a contract, one record per
//! contract.
//!
//! The latest amendment has the contract's current state. The newest stated total is the contract's
//! value; totals are cumulative and never summed. Standing offers and supply arrangements are not
//! contracts and are skipped.

use crate::model::{EntityType, fold::fold};
use crate::sources::{
    pspc::{
        amendments,
        canadabuys_columns::{self, AMENDMENT, AWARD_COLUMNS, NOTICE_COLUMNS, REFERENCE, TOTAL},
        common,
    },
    reading::{Column, ColumnRule::*, CsvFormat, CsvRow, DraftRecord, GroupMember, RowOutput},
};

const CONTRACT: &str = "contractNumber-numeroContrat";
const INSTRUMENT: &str = "instrumentType-typeInstrument-eng";
const INSTRUMENT_FR: &str = "instrumentType-typeInstrument-fra";
const STATUS: &str = "contractStatus-statutContrat-eng";

pub(crate) static FORMAT: CsvFormat = CsvFormat {
    signature: &[STATUS, "numberOfRecords-nombreEnregistrements"],
    required: &[REFERENCE, AMENDMENT, CONTRACT, INSTRUMENT, TOTAL],
    aliases: &[],
    columns: &[NOTICE_COLUMNS, AWARD_COLUMNS, COLUMNS],
    entity_type: |_| EntityType::Contract,
    row_output,
    merge_group,
};

#[rustfmt::skip]
static COLUMNS: &[Column] = &[
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

fn row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let number = row
        .line_of(CONTRACT)
        .or_else(|| row.line_of(REFERENCE))
        .ok_or("neither a contract number nor a reference number")?;
    canadabuys_columns::set_shared_fields(row, &mut record);
    common::set_vendor_name(&mut record);
    record.set("vendor_country", canadabuys_columns::vendor_country(row));
    // Rows of the previous system have no solicitation number, only a procurement number.
    if record.text("solicitation_number").is_none() {
        let procurement = record.text("procurement_number").map(str::to_owned);
        record.set("solicitation_number", procurement);
    }
    amendments::set_amounts(&mut record, canadabuys_columns::amount_and_total(row));
    record.set("record_id", Some(format!("canadabuys|{number}")));
    let amendment = row.line_of(AMENDMENT).unwrap_or_default();
    Ok(RowOutput {
        group: number.into_owned(),
        // One row per instrument type is kept of an amendment: whether the rows without a type are
        // skipped depends on whether there is an agreement.
        key: match instrument(row) {
            Instrument::Agreement => format!("{AGREEMENT}{amendment}"),
            Instrument::Unstated => format!("{UNSTATED}{amendment}"),
            Instrument::Contract => amendment.into_owned(),
        },
        recency: common::recency(row, row.raw(AMENDMENT)),
        records: vec![record],
        bids: None,
    })
}

/// Prefix of the keys of rows of an agreement.
const AGREEMENT: &str = "agreement ";
/// Prefix of the keys of rows without an instrument type.
const UNSTATED: &str = "unstated ";

fn merge_group(members: &mut [GroupMember]) {
    amendments::merge_contract(skip_agreements(members), &[]);
}

/// Skips the rows of agreements and returns the others. A row without an instrument type belongs to
/// an agreement if another row with the same number does.
pub(crate) fn skip_agreements(members: &mut [GroupMember]) -> &mut [GroupMember] {
    let has_agreement = members.iter().any(|member| member.key.starts_with(AGREEMENT));
    let is_agreement =
        |member: &GroupMember| member.key.starts_with(AGREEMENT) || (has_agreement && member.key.starts_with(UNSTATED));
    members.sort_by_key(|member| !is_agreement(member));
    let agreements = members.partition_point(is_agreement);
    let (agreements, contracts) = members.split_at_mut(agreements);
    for member in agreements {
        member.skipped = Some("a standing offer or supply arrangement, not a contract");
    }
    for member in contracts.iter_mut() {
        if let Some(amendment) = member.key.strip_prefix(UNSTATED) {
            member.key = amendment.to_owned();
        }
    }
    contracts
}

/// What a row's instrument type is.
enum Instrument {
    /// An agreement under which contracts are made: `National Individual Standing Offer`, `NMSO` …
    Agreement,
    /// A contract, also one under an agreement: `Call-up against a Standing Offer`.
    Contract,
    /// Rows of the previous system have no type, and it cannot be derived from their titles or
    /// numbers. They count as contracts, unless another row with the same number is of an
    /// agreement.
    Unstated,
}

/// Words, folded, that name an agreement.
const AGREEMENT_WORDS: [&str; 4] = [
    "standing offer",
    "supply arrangement",
    "offre a commandes",
    "arrangement en matiere",
];

/// Words, folded, of contracts under an agreement.
const CONTRACT_WORDS: [&str; 5] = ["contract", "call up", "against", "contrat", "commande subsequente"];

fn instrument(row: &CsvRow) -> Instrument {
    let stated = [INSTRUMENT, INSTRUMENT_FR].map(|column| fold(row.raw(column)));
    let Some(instrument) = stated.iter().find(|instrument| !instrument.is_empty()) else {
        return Instrument::Unstated;
    };
    let contains_any = |words: &[&str]| words.iter().any(|word| instrument.contains(word));
    let is_agreement_code = ["nmso", "niso", "rmso", "riso", "diso", "sa", "so"].contains(&instrument.as_str());
    if is_agreement_code || (contains_any(&AGREEMENT_WORDS) && !contains_any(&CONTRACT_WORDS)) {
        Instrument::Agreement
    } else {
        Instrument::Contract
    }
}
