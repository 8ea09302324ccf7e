//! Merging the amendments of one contract or notice.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::model::{fold::fold, record::is_amendment};
use crate::sources::{
    pspc::common::set_vendor_name,
    reading::{DraftRecord, GroupMember, merging},
};

/// Holds a row's amount until the group is merged. It is a field that contracts do not have.
const ROW_AMOUNT: &str = "amendment_value";

/// Sets what a row of a contract history states about its value, for [`merge_contract`] to choose
/// from.
pub(crate) fn set_amounts(record: &mut DraftRecord, (amount, total): (Option<f64>, Option<f64>)) {
    record.set("contract_value", total);
    record.set(ROW_AMOUNT, amount);
}

/// Merges a contract's amendments into the newest row and sets the number of amendments. `others`
/// are the other publication's rows of the contract, whose records are merged elsewhere; if both
/// have an amendment, its value comes from `members`.
///
/// The contract's value is the newest stated total, because an amendment may state none, or 0.00
/// for both amounts, as terminations do. Only if no row states a total, it is the newest amount,
/// which may be an increment. It is zero only if no row states anything else.
pub(crate) fn merge_contract(members: &mut [GroupMember], others: &[GroupMember]) {
    let mut rows: Vec<&GroupMember> = others.iter().chain(members.iter()).collect();
    rows.sort_by_key(|member| member.recency.0);
    let value = contract_value(&rows);
    // `1` and `001` are the same amendment.
    let amendments = rows.iter().filter(|member| is_amendment(&member.key));
    let numbers: BTreeSet<&str> = amendments.map(|member| member.key.trim_start_matches('0')).collect();
    let amendment_count = numbers.len();
    if others.is_empty() {
        fill_newest(members);
    }
    for record in members.iter_mut().flat_map(|member| &mut member.records) {
        record.remove(ROW_AMOUNT);
        record.set("amendment_count", Some(Value::from(amendment_count)));
        record.set("contract_value", value);
    }
    merging::keep_newest(members);
}

/// `rows` are sorted oldest first.
fn contract_value(rows: &[&GroupMember]) -> Option<f64> {
    let newest = |value_of: &dyn Fn(&DraftRecord) -> Option<f64>| {
        let mut records = rows.iter().rev().flat_map(|member| &member.records);
        records.find_map(value_of)
    };
    let total = |record: &DraftRecord| record.number("contract_value");
    let amount = |record: &DraftRecord| record.number(ROW_AMOUNT);
    let real_total = |record: &DraftRecord| {
        let is_reduced = amount(record).is_some_and(|amount| amount < 0.0);
        total(record).filter(|total| *total != 0.0 || is_reduced)
    };
    newest(&real_total)
        .or_else(|| newest(&|record| amount(record).filter(|amount| *amount != 0.0)))
        .or_else(|| newest(&|record| total(record).or(amount(record))))
}

pub(crate) const SUPPLIER_NAME_FIELDS: &[&str] = &[
    "supplier_legal_name",
    "vendor_name_standardized",
    "supplier_operating_name",
];

pub(crate) const SUPPLIER_ADDRESS_FIELDS: &[&str] =
    &["vendor_city", "vendor_province", "vendor_postal_code", "vendor_country"];

/// Fields that amendments do not change, so another row's value holds too. The second list of a
/// pair is filled only if the rows do not contradict each other in the fields of the first.
const STABLE_FIELDS: [(&[&str], &[&str]); 5] = [
    (&["supplier_legal_name"], SUPPLIER_NAME_FIELDS),
    (&["supplier_legal_name", "vendor_city"], SUPPLIER_ADDRESS_FIELDS),
    (&["gsin"], &["gsin", "gsin_description_en", "gsin_description_fr"]),
    (
        &["unspsc"],
        &["unspsc", "unspsc_description_en", "unspsc_description_fr"],
    ),
    (
        &[],
        &[
            "contract_id",
            "contract_number",
            "department_en",
            "department_fr",
            "buyer_name",
            "province",
            "procurement_method",
            "procurement_method_en",
            "procurement_method_fr",
            "trade_agreements_en",
            "eligibility",
        ],
    ),
];

/// Further stable fields, for rows of the same publication. The two publications state these
/// differently.
const STABLE_IN_PUBLICATION: [&str; 14] = [
    "award_date",
    "start_date",
    "title_en",
    "title_fr",
    "description_en",
    "description_fr",
    "notice_type_en",
    "notice_type_fr",
    "solicitation_number",
    "procurement_number",
    "procurement_category",
    "regions_of_delivery_en",
    "regions_of_delivery_fr",
    "currency",
];

/// Fills the newest row from the older ones. An amendment repeats the contract but may leave cells
/// empty; then the value of the amendment before it holds.
fn fill_newest(members: &mut [GroupMember]) {
    let Some((newest, older)) = members.split_last_mut() else {
        return;
    };
    for record in &mut newest.records {
        for known in older.iter().rev().flat_map(|member| &member.records) {
            fill_stable_fields(record, known);
            fill(record, known, |field| STABLE_IN_PUBLICATION.contains(&field));
        }
        if !record.has("vendor_name") {
            set_vendor_name(record);
        }
    }
}

/// Fills the fields that amendments do not change from another row of the contract.
pub(crate) fn fill_stable_fields(contract: &mut DraftRecord, other: &DraftRecord) {
    // All comparisons come before the first fill, which would change their result.
    let is_consistent = STABLE_FIELDS.map(|(compared, _)| compared.iter().all(|field| agrees(contract, other, field)));
    for ((_, fields), is_consistent) in STABLE_FIELDS.into_iter().zip(is_consistent) {
        if is_consistent {
            fill(contract, other, |field| fields.contains(&field));
        }
    }
}

/// Fills the fields that only the other record has. In fields that are objects, also fills their
/// missing members.
pub(crate) fn fill(record: &mut DraftRecord, other: &DraftRecord, is_filled: impl Fn(&str) -> bool) {
    record.fill(other, &is_filled);
    for (field, value) in other.fields.iter().filter(|(field, _)| is_filled(field.text())) {
        let known = record.fields.get(field).and_then(|known| known.members());
        if let (Some(mut members), Some(others)) = (known, value.members()) {
            for (member, value) in others {
                members.entry(member).or_insert(value);
            }
            record.fields.insert(field, Value::Object(members).into());
        }
    }
}

/// Whether both records have the same folded text in the field, or one has none.
fn agrees(one: &DraftRecord, other: &DraftRecord, field: &str) -> bool {
    match (one.text(field), other.text(field)) {
        (Some(one), Some(other)) => fold(one) == fold(other),
        _ => true,
    }
}

/// Appends the amendment number to the identifier of all members but the newest, which is the last.
pub(crate) fn suffix_older(members: &mut [&mut GroupMember]) {
    let Some((_, older)) = members.split_last_mut() else {
        return;
    };
    for record in older.iter_mut().flat_map(|member| &mut member.records) {
        // The original has no number in some files.
        let number = record.text("amendment_number").unwrap_or("");
        let id = format!("{}|{number}", record.id());
        record.set("record_id", Some(id));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::EntityType;

    fn record(fields: &[(&str, &str)], eligibility: Value) -> DraftRecord {
        let mut record = DraftRecord::new(EntityType::Contract);
        for (field, value) in fields {
            record.set(field, Some(*value));
        }
        record.set("eligibility", Some(eligibility));
        record
    }

    #[test]
    fn existing_fields_stay_and_objects_are_filled_member_by_member() {
        let mut known = record(&[("gsin", "N1")], json!({"trade_agreements": ["CFTA"]}));
        let reason = json!({"trade_agreements": ["AIT"], "limited_tendering_reason_en": "Exclusive Rights"});
        let other = record(&[("gsin", "N2"), ("title_en", "A"), ("title_fr", "B")], reason);
        fill(&mut known, &other, |field| field != "title_fr");
        assert_eq!((known.text("gsin"), known.text("title_en")), (Some("N1"), Some("A")));
        assert!(!known.has("title_fr"));
        let expected = json!({"trade_agreements": ["CFTA"], "limited_tendering_reason_en": "Exclusive Rights"});
        assert_eq!(
            known.get("eligibility").and_then(|value| value.into_json()),
            Some(expected)
        );
    }

    #[test]
    fn names_agree_if_they_fold_to_the_same_or_one_is_missing() {
        let named = |name| record(&[("supplier_legal_name", name)], json!({}));
        let (plain, accented, other) = (
            named("Falcan Medical Inc"),
            named("FALCAN MÉDICAL INC."),
            named("Other"),
        );
        let missing = DraftRecord::new(EntityType::Contract);
        for (one, two, expected) in [
            (&plain, &accented, true),
            (&plain, &other, false),
            (&plain, &missing, true),
        ] {
            assert_eq!(agrees(one, two, "supplier_legal_name"), expected);
            assert_eq!(agrees(two, one, "supplier_legal_name"), expected);
        }
    }
}
