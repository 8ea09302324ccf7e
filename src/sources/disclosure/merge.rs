//! Merges the rows of a disclosed contract into one record: the original's identity, the latest
//! amendment's state.
//!
//! A contract's amendments have reference numbers of their own. They share the disclosing
//! organization and its procurement number with the contract. But that number may be a standing
//! offer's, so several contracts may share it too. Two rows therefore belong to the same contract
//! only if they also agree in at least two of three facts: contractor, contract date, original
//! value. (Any one of them may change: contractors are renamed, some organizations enter the
//! amendment's date, original values are corrected.) If several originals match this way, nothing
//! is merged: two contracts are never merged into one.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use crate::model::{
    FieldName,
    fold::fold,
    record::{BETWEEN_NUMBERS, OTHER_NUMBERS},
};
use crate::sources::{
    disclosure::common::{DISCLOSURE, DISCLOSURE_EXPORT, procurement, quarter},
    reading::{DraftRecord, GroupMember, RowCounts},
};

/// Merges the members of one procurement.
pub(crate) fn merge_group(members: &mut [GroupMember], file_counts: &mut [RowCounts]) {
    // A single row that is not an amendment is the contract.
    if let [original] = members
        && !is_amendment(original)
    {
        return;
    }
    let in_both_files = drop_repeated(members);
    for contract in group_by_contract(members) {
        let (mut amendments, mut originals): (Vec<usize>, Vec<usize>) =
            contract.into_iter().partition(|at| is_amendment(&members[*at]));
        amendments.extend(take_untyped_amendments(members, &mut originals));
        amendments.sort_by_key(|at| order(&members[*at]));
        let (base, rest) = match (originals.as_slice(), amendments.as_slice()) {
            (_, []) => continue,
            ([], [oldest, rest @ ..]) => {
                let note = "an amendment whose original is not in these files";
                file_counts[members[*oldest].file].note(members[*oldest].line, note);
                (*oldest, rest)
            }
            ([original], amendments) => (*original, amendments),
            (_, amendments) => {
                for at in amendments {
                    let note = "an amendment that matches several contracts, kept as a record of its own";
                    file_counts[members[*at].file].note(members[*at].line, note);
                }
                continue;
            }
        };
        merge_contract(members, base, rest, &in_both_files);
    }
    for at in in_both_files {
        set_both_sources(&mut members[at]);
    }
}

/// If a reference number is in both files, only the row of `contracts.csv` stays. Returns the
/// positions of these rows.
fn drop_repeated(members: &mut [GroupMember]) -> BTreeSet<usize> {
    let mut by_number: HashMap<String, usize> = HashMap::new();
    let mut in_both_files = BTreeSet::new();
    for at in 0..members.len() {
        let number = source_and_number(&members[at]).1.to_owned();
        let Some(other) = by_number.insert(number.clone(), at) else {
            continue;
        };
        let is_other_published = source_and_number(&members[other]).0 == DISCLOSURE;
        let (kept, dropped) = if is_other_published { (other, at) } else { (at, other) };
        by_number.insert(number, kept);
        members[dropped].records.clear();
        in_both_files.insert(kept);
    }
    in_both_files
}

/// The source id and the reference number in a member's key.
fn source_and_number(member: &GroupMember) -> (&str, &str) {
    member.key.split_once(',').expect("`complete` joins both by a comma")
}

/// A text field of the member's record; empty if it has none.
fn text<'a>(member: &'a GroupMember, field: &str) -> &'a str {
    let record = member.records.first();
    record.and_then(|record| record.text(field)).unwrap_or_default()
}

fn is_amendment(member: &GroupMember) -> bool {
    text(member, "instrument_type").eq_ignore_ascii_case("A")
}

/// Removes the amendments without an instrument type from `originals` and returns them. Such a row
/// states an amendment value, and its original value is that of the only row that states no
/// amendment value.
fn take_untyped_amendments(members: &[GroupMember], originals: &mut Vec<usize>) -> Vec<usize> {
    let nonzero = |at: usize, field: &str| {
        let value = members[at].records.first()?.number(field)?;
        if value == 0.0 { None } else { Some(value) }
    };
    let (amending, others): (Vec<usize>, Vec<usize>) = originals.iter().partition(|at| {
        text(&members[**at], "instrument_type").is_empty() && nonzero(**at, "amendment_value").is_some()
    });
    let [original] = others.as_slice() else {
        return Vec::new();
    };
    let value = nonzero(*original, "original_value").or_else(|| nonzero(*original, "contract_value"));
    let amends_original = |at: &usize| value.is_some() && nonzero(*at, "original_value") == value;
    let (amendments, rest): (Vec<usize>, Vec<usize>) = amending.into_iter().partition(amends_original);
    *originals = others.into_iter().chain(rest).collect();
    amendments
}

/// Sort key of amendments, oldest first: by quarter, then by reference number.
fn order(member: &GroupMember) -> (u64, String) {
    let quarter = quarter(text(member, "reporting_period"));
    (quarter, text(member, "reference_number").to_owned())
}

/// The positions of the members of each contract, without members that have no records. A
/// disjoint-set forest joins members that share a key.
fn group_by_contract(members: &[GroupMember]) -> Vec<Vec<usize>> {
    let mut parents: Vec<usize> = (0..members.len()).collect();
    let mut first_with: HashMap<(u8, String), usize> = HashMap::new();
    for (at, member) in members.iter().enumerate() {
        for key in contract_keys(member) {
            let other = *first_with.entry(key).or_insert(at);
            let (a, b) = (root(&mut parents, other), root(&mut parents, at));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut contracts: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, member) in members.iter().enumerate() {
        if !member.records.is_empty() {
            contracts.entry(root(&mut parents, at)).or_default().push(at);
        }
    }
    let mut contracts: Vec<_> = contracts.into_values().collect();
    contracts.sort();
    contracts
}

/// The root of a member's set. Halves the path on the way.
fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

/// The keys of which rows of the same contract share at least one: procurement and each pair of the
/// three facts.
fn contract_keys(member: &GroupMember) -> Vec<(u8, String)> {
    let Some(record) = member.records.first() else {
        return Vec::new();
    };
    let Some(procurement) = procurement(record) else {
        return Vec::new();
    };
    let nonzero = |field| record.number(field).filter(|value| *value != 0.0);
    let mut original = nonzero("original_value");
    if original.is_none() && !is_amendment(member) {
        original = nonzero("contract_value");
    }
    let vendor = record.text("vendor_name").map(fold).filter(|vendor| !vendor.is_empty());
    let date = record.text("award_date").map(str::to_owned);
    let value = original.map(|value| format!("{value:.2}"));
    let mut keys = Vec::new();
    for (pair, a, b) in [(0, &vendor, &date), (1, &vendor, &value), (2, &date, &value)] {
        if let (Some(a), Some(b)) = (a, b) {
            keys.push((pair, format!("{procurement}|{a}|{b}")));
        }
    }
    keys
}

/// The fields that keep the original's value.
const FIELDS_OF_ORIGINAL: [&str; 6] = [
    "record_id",
    "reference_number",
    "reporting_period",
    "award_date",
    "instrument_type",
    "original_value",
];

/// Makes the member at `base` the record of the contract. It keeps its identity; the other fields
/// come from the newest row that has them. `amendments` are sorted oldest first.
fn merge_contract(members: &mut [GroupMember], base: usize, amendments: &[usize], in_both_files: &BTreeSet<usize>) {
    let rows: Vec<usize> = [base].into_iter().chain(amendments.iter().copied()).collect();
    let sources: BTreeSet<&str> = rows.iter().map(|at| source_and_number(&members[*at]).0).collect();
    let has_both_sources = sources.len() > 1 || rows.iter().any(|at| in_both_files.contains(at));
    let has_original = !is_amendment(&members[base]);
    let mut history: Vec<Value> = rows.iter().filter_map(|at| history_entry(&members[*at])).collect();
    let fetched_at = rows.iter().map(|at| text(&members[*at], "fetched_at").to_owned()).max();
    let mut amended: Vec<DraftRecord> = Vec::new();
    for at in amendments {
        amended.append(&mut members[*at].records);
    }
    let Some(record) = members[base].records.first_mut() else {
        return;
    };
    if has_original && !record.has("original_value") {
        let value = record.number("contract_value");
        record.set("original_value", value);
    }
    apply_amendments(record, amended);
    if has_original {
        record.set("original", Some(history.remove(0)));
    }
    record.set("fetched_at", fetched_at);
    let own = record.text("reference_number").expect("`complete` sets it");
    let numbers = history.iter().filter_map(|entry| entry["reference_number"].as_str());
    let numbers: Vec<&str> = numbers.filter(|number| *number != own).collect();
    if !numbers.is_empty() {
        let numbers = numbers.join(BETWEEN_NUMBERS);
        record.set(OTHER_NUMBERS, Some(numbers));
    }
    record.set("amendment_count", Some(json!(history.len())));
    record.set("amendments", Some(Value::Array(history)));
    if has_both_sources {
        set_both_sources(&mut members[base]);
    }
}

/// Applies the fields of the amendments, oldest first, to the record.
fn apply_amendments(record: &mut DraftRecord, amendments: Vec<DraftRecord>) {
    // Objects are merged outside the record and set once, because a field that is set again leaves
    // its former text in the record's buffer.
    let mut objects: Vec<(FieldName, Map<String, Value>)> = Vec::new();
    for amendment in amendments {
        // An amendment without an amendment value must not show that of the amendment before.
        record.remove("amendment_value");
        for (field, value) in amendment.fields.iter() {
            let known = record.fields.get(field);
            if known.is_some() && FIELDS_OF_ORIGINAL.contains(&field.text()) {
                continue;
            }
            let Some(members) = value.members() else {
                objects.retain(|(name, _)| *name != field);
                record.fields.insert(field, value);
                continue;
            };
            // Amendments state less about eligibility. Members that they leave out still hold.
            match objects.iter_mut().find(|(name, _)| *name == field) {
                Some((_, object)) => object.extend(members),
                None => {
                    let mut object = known.and_then(|known| known.members()).unwrap_or_default();
                    object.extend(members);
                    objects.push((field, object));
                }
            }
        }
    }
    for (field, object) in objects {
        record.fields.insert(field, Value::Object(object).into());
    }
}

fn set_both_sources(member: &mut GroupMember) {
    for record in &mut member.records {
        record.set("sources", Some(json!([DISCLOSURE, DISCLOSURE_EXPORT])));
    }
}

/// The fields of each row that the record's `original` and `amendments` show.
const HISTORY_FIELDS: [&str; 7] = [
    "reference_number",
    "reporting_period",
    "award_date",
    "end_date",
    "vendor_name",
    "amendment_value",
    "contract_value",
];

fn history_entry(member: &GroupMember) -> Option<Value> {
    let record = member.records.first()?;
    let mut entry = Map::new();
    for field in HISTORY_FIELDS {
        if let Some(value) = record.get(field).and_then(|value| value.into_json()) {
            entry.insert(field.to_owned(), value);
        }
    }
    Some(Value::Object(entry))
}
