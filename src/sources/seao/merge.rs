//! Merging the XML and the OCDS state of one SEAO notice.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use crate::model::fold::fold;
use crate::sources::{
    reading::{DraftRecord, GroupMember},
    seao::common::{SEAO_OCDS, SEAO_XML},
};

/// The fields that do not change between revisions of a notice, so the older revision's value still
/// holds.
const STABLE_FIELDS: [&str; 16] = [
    "title_fr",
    "buyer_id",
    "contract_id",
    "vendor_id",
    "vendor_city",
    "vendor_province",
    "vendor_postal_code",
    "vendor_country",
    "supplier_address",
    "category",
    "unspsc",
    "unspsc_description_fr",
    "regions_of_delivery_fr",
    "eligibility",
    "documents",
    "notice_url",
];

/// What the buyer expects to pay: fields of a tender that only releases have.
const EXPECTED_VALUE_FIELDS: [&str; 2] = ["contract_value", "currency"];

/// The course of a contract after the award: fields that only releases have.
const PROGRESS_FIELDS: [&str; 7] = [
    "start_date",
    "end_date",
    "amendment_count",
    "amendment_date",
    "status",
    "status_en",
    "status_fr",
];

/// Merges the older state of a notice into the newer one. In both, the first record is the tender;
/// the others are its contracts.
pub(crate) fn merge_notice(newer: &mut GroupMember, older: &GroupMember) {
    let (Some((tender, contracts)), Some((old_tender, old_contracts))) =
        (newer.records.split_first_mut(), older.records.split_first())
    else {
        return;
    };
    let is_release = older.key == SEAO_OCDS;
    fill_stable_fields(tender, old_tender);
    if is_release {
        tender.copy(old_tender, &EXPECTED_VALUE_FIELDS);
    }
    let by_id = first_by(old_contracts, |contract| Some(contract.id().to_owned()));
    // Fallbacks by award date and contractor: one era may lack an enterprise number or have a later
    // amount.
    let by_date_and_number = first_by(old_contracts, date_and_number);
    let by_date_and_name = first_by(old_contracts, date_and_name);
    let find = |index: &HashMap<String, usize>, key: Option<String>| index.get(&key?).copied();
    let mut ids: HashSet<String> = contracts.iter().map(|contract| contract.id().to_owned()).collect();
    for contract in contracts.iter_mut() {
        let mut same_id = by_id.get(contract.id()).copied();
        let found = same_id
            .or_else(|| find(&by_date_and_number, date_and_number(contract)))
            .or_else(|| find(&by_date_and_name, date_and_name(contract)));
        let Some(mut at) = found else {
            continue;
        };
        if same_id.is_none()
            && let Some(id) = id_with_number(contract, &old_contracts[at])
            && ids.insert(id.clone())
        {
            same_id = by_id.get(&id).copied();
            at = same_id.unwrap_or(at);
            contract.set("record_id", Some(id));
        }
        let old = &old_contracts[at];
        fill_stable_fields(contract, old);
        if same_id.is_some() && is_release {
            take_progress(contract, old);
        }
    }
    if is_release {
        let lots = missing_lots(contracts, old_contracts);
        newer.records.extend(lots);
    }
}

/// The `record_id` of a contract that lacks the enterprise number, with the number that `other` has
/// for the contractor.
fn id_with_number(contract: &DraftRecord, other: &DraftRecord) -> Option<String> {
    if contract.has("vendor_id") {
        return None;
    }
    let neq = other.text("vendor_id")?.strip_prefix("FO-")?;
    let name = fold(contract.text("vendor_name")?);
    let has_number = other.id().contains(&format!("|{neq}|"));
    has_number.then(|| contract.id().replacen(&format!("|{name}|"), &format!("|{neq}|"), 1))
}

fn date_and_number(contract: &DraftRecord) -> Option<String> {
    let date = contract.text("award_date")?;
    Some(format!("{date}|{}", contract.text("vendor_id")?))
}

fn date_and_name(contract: &DraftRecord) -> Option<String> {
    let name = fold(contract.text("vendor_name")?);
    Some(format!("{}|{name}", contract.text("award_date")?))
}

/// The position of the first contract with each key.
fn first_by(contracts: &[DraftRecord], key: fn(&DraftRecord) -> Option<String>) -> HashMap<String, usize> {
    let mut first = HashMap::new();
    for (at, contract) in contracts.iter().enumerate() {
        if let Some(key) = key(contract) {
            first.entry(key).or_insert(at);
        }
    }
    first
}

/// Copies the course of a contract after its award from a release. The XML export may be newer, but
/// it only states the award.
fn take_progress(contract: &mut DraftRecord, released: &DraftRecord) {
    contract.copy(released, &PROGRESS_FIELDS);
    // Set only if the current value differs from the awarded one.
    if released.has("original_value") {
        contract.copy(released, &["contract_value", "original_value"]);
    }
}

/// The released lots with the same price as a known contract. Releases distinguish them by award
/// id, exports do not.
fn missing_lots(contracts: &[DraftRecord], released: &[DraftRecord]) -> Vec<DraftRecord> {
    let known: HashSet<&str> = contracts.iter().map(DraftRecord::id).collect();
    let is_missing_lot = |record: &&DraftRecord| {
        let id = record.id();
        let plain = id.rsplit_once('|').map_or(id, |(plain, _)| plain);
        known.contains(plain) && !known.contains(id)
    };
    let mut lots: Vec<DraftRecord> = released.iter().filter(is_missing_lot).cloned().collect();
    for lot in &mut lots {
        set_both_sources(lot);
    }
    lots
}

fn fill_stable_fields(newer: &mut DraftRecord, older: &DraftRecord) {
    newer.fill(older, |field| STABLE_FIELDS.contains(&field));
    set_both_sources(newer);
}

fn set_both_sources(record: &mut DraftRecord) {
    record.set("sources", Some(json!([SEAO_OCDS, SEAO_XML])));
}
