//! What is known of a purchase before it is awarded, read the same way from the item of a request
//! and from the contracts it is compared with.
//!
//! **Invariant:** no supplier, no value and no date of the contract is read here, so that nothing a
//! bidder could not know affects an estimate.

use serde::Deserialize;

use crate::model::{EntityType, Facet, Record, Role, commodity, fold::fold, vocabulary};

/// The entity types whose records are awarded contracts. Of two records of one contract, the one
/// whose type comes first represents it.
pub(crate) const CONTRACT_TYPES: [EntityType; 3] = [EntityType::Contract, EntityType::Award, EntityType::Disclosure];

/// The facts that are compared, as keys. Empty or `None` if nothing is stated.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PurchaseFacts {
    /// Keys of the buyer's names.
    pub(crate) buyers: Vec<String>,
    pub(crate) categories: Vec<String>,
    /// Keys of [`crate::model::commodity`].
    pub(crate) codes: Vec<String>,
    pub(crate) government_level: Option<String>,
    pub(crate) province: Option<String>,
    /// Procurement method.
    pub(crate) method: Option<String>,
    /// Trade agreements and the ground for not opening the call, as one key.
    pub(crate) terms: Option<String>,
    /// The numbers that the records of one solicitation have in common.
    pub(crate) numbers: Vec<String>,
}

/// The part of a record's `eligibility` that states the rules of the purchase.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PurchaseRules {
    trade_agreements: Vec<String>,
    disposition: Option<String>,
    limited_tendering_reason_en: Option<String>,
    limited_tendering_reason_fr: Option<String>,
}

impl PurchaseFacts {
    pub(crate) fn of_record(record: &Record) -> PurchaseFacts {
        let keys = |role: Role| -> Vec<String> { record.keys(role).into_iter().map(|key| key.into_owned()).collect() };
        let text = |name: &str| record.text(name).filter(|text| !text.is_empty()).map(str::to_owned);
        let names = Facet::NamedDepartment.entry(record);
        let names = names.iter().filter(|name| !name.is_empty());
        let government_level = text("government_level");
        let is_federal = government_level.as_deref() == Some("federal");
        let numbers = record
            .texts(Role::SolicitationNumber)
            .chain(SOLICITATION_FIELDS.iter().filter_map(|field| record.text(field)));
        PurchaseFacts {
            buyers: buyer_keys(names.map(String::as_str), is_federal),
            categories: keys(Role::Category),
            codes: keys(Role::Commodity),
            government_level,
            province: text("province").map(|name| vocabulary::province(&name)),
            method: record
                .texts(Role::ProcurementMethod)
                .map(fold)
                .find(|key| !key.is_empty()),
            terms: record.nested("eligibility").and_then(terms),
            numbers: numbers
                .map(vocabulary::solicitation_number)
                .filter(|number| is_distinctive(number))
                .collect(),
        }
    }

    /// The facts of a need without a tender.
    pub(crate) fn of_need(
        code: &str,
        department: Option<&str>,
        category: Option<&str>,
        province: Option<&str>,
    ) -> PurchaseFacts {
        PurchaseFacts {
            buyers: buyer_keys(department.into_iter(), true),
            categories: category
                .into_iter()
                .flat_map(vocabulary::categories)
                .map(str::to_owned)
                .collect(),
            codes: commodity::keys_of_need(code),
            province: province.map(vocabulary::province),
            ..PurchaseFacts::default()
        }
    }
}

/// The keys of a buyer's names: the names themselves first, then their federal variants.
fn buyer_keys<'n>(names: impl Iterator<Item = &'n str>, may_be_federal: bool) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let mut keys: Vec<String> = names.iter().map(|name| Facet::NamedDepartment.key(name)).collect();
    if may_be_federal {
        keys.extend(names.into_iter().flat_map(federal_names));
    }
    keys
}

/// The other names of a federal body. Notices and disclosures use different ones:
/// `Department of National Defence (DND)` is `National Defence`, `Department of Health (HC)` is
/// `Health Canada`.
fn federal_names(name: &str) -> [String; 4] {
    let (name, _) = name.split_once('(').unwrap_or((name, ""));
    let plain = fold(name);
    let core = plain.strip_prefix("department of ").unwrap_or(&plain);
    let core = core.strip_suffix(" canada").unwrap_or(core).to_owned();
    let (canada, department) = (format!("{core} canada"), format!("department of {core}"));
    [plain, core, canada, department]
}

/// Fields, in addition to the solicitation number, that all records of one solicitation have in
/// common.
const SOLICITATION_FIELDS: [&str; 2] = ["procurement_number", "ocid"];

/// Whether a folded number identifies something. Short numbers and those without a digit (`12`,
/// `various invoices`) are shared by unrelated records.
pub(crate) fn is_distinctive(folded: &str) -> bool {
    vocabulary::identifies(folded) && folded.len() >= 4 && folded.bytes().any(|b| b.is_ascii_digit())
}

/// The key of the terms that a record's eligibility states. One of another shape states nothing.
fn terms(eligibility: &str) -> Option<String> {
    let rules: PurchaseRules = serde_json::from_str(eligibility).ok()?;
    let mut agreements = rules.trade_agreements;
    agreements.sort();
    let reason = rules
        .disposition
        .or(rules.limited_tendering_reason_en)
        .or(rules.limited_tendering_reason_fr);
    let key = fold(&format!("{} {}", agreements.join(" "), reason.unwrap_or_default()));
    if key.is_empty() { None } else { Some(key) }
}
