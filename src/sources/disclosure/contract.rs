//! The rows of a disclosed contract made one record: the original's identity, the latest amendment's state.
//!
//! A contract's amendments have reference numbers of their own. What ties them to it is the disclosing organization and
//! its number for the procurement, but that number may be a standing offer's, and several contracts' then. So two rows
//! are of one contract only if at least two of three agree besides: contractor, contract date, original value. (One of
//! them does change: contractors are renamed, some organizations put the amendment's date, original values are
//! corrected.) Where two originals are tied together this way, nothing of theirs is merged: two contracts are never made
//! one.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use crate::model::{
    fold::fold,
    record::{BETWEEN_NUMBERS, OTHER_NUMBERS},
    schema::Name,
};
use crate::sources::{
    disclosure::PUBLISHED,
    reading::intake::{Member, Record, Tally},
};

/// The organization and its number for the procurement, folded; `None` where that is no number that could tell it from
/// others.
pub fn procurement(record: &Record) -> Option<String> {
    let number = fold(record.text("procurement_id")?);
    let tells = number.len() >= 4 && number.bytes().any(|b| b.is_ascii_digit());
    tells.then(|| format!("{},{number}", record.text("owner_org").unwrap_or_default()))
}

/// `2022-2023-Q4` as a number that grows with time.
pub fn quarter(period: &str) -> u64 {
    let digits: String = period.chars().filter(char::is_ascii_digit).take(9).collect();
    digits.parse().unwrap_or_default()
}

pub fn settle(members: &mut [Member], tallies: &mut [Tally]) {
    // One row that amends nothing is the contract.
    if let [original] = members
        && !is_amendment(original)
    {
        return;
    }
    let told_twice = drop_repeated(members);
    for contract in contracts(members) {
        let (mut amendments, mut originals): (Vec<usize>, Vec<usize>) =
            contract.into_iter().partition(|at| is_amendment(&members[*at]));
        amendments.extend(take_untyped(members, &mut originals));
        amendments.sort_by_key(|at| order(&members[*at]));
        let (base, rest) = match (originals.as_slice(), amendments.as_slice()) {
            (_, []) => continue,
            ([], [oldest, rest @ ..]) => {
                let what = "an amendment whose original is not in these files";
                tallies[members[*oldest].file].note(members[*oldest].line, what);
                (*oldest, rest)
            }
            ([original], amendments) => (*original, amendments),
            (_, amendments) => {
                for at in amendments {
                    let what = "an amendment that two contracts may claim, left by itself";
                    tallies[members[*at].file].note(members[*at].line, what);
                }
                continue;
            }
        };
        merge(members, base, rest, &told_twice);
    }
    for at in told_twice {
        set_sources(&mut members[at]);
    }
}

/// Of a reference number that both files tell, the published file's row stays. Returns those rows.
fn drop_repeated(members: &mut [Member]) -> BTreeSet<usize> {
    let mut by_number: HashMap<String, usize> = HashMap::new();
    let mut told_twice = BTreeSet::new();
    for at in 0..members.len() {
        let number = source_and_number(&members[at]).1.to_owned();
        let Some(other) = by_number.insert(number.clone(), at) else {
            continue;
        };
        let (stays, goes) = match source_and_number(&members[other]).0 {
            PUBLISHED => (other, at),
            _ => (at, other),
        };
        by_number.insert(number, stays);
        members[goes].records.clear();
        told_twice.insert(stays);
    }
    told_twice
}

fn source_and_number(member: &Member) -> (&str, &str) {
    member.member.split_once(',').unwrap_or_default()
}

fn text<'a>(member: &'a Member, field: &str) -> &'a str {
    let record = member.records.first();
    record.and_then(|record| record.text(field)).unwrap_or_default()
}

fn is_amendment(member: &Member) -> bool {
    text(member, "instrument_type").eq_ignore_ascii_case("A")
}

/// The rows among `originals` that amend the only one of them that amends nothing: their type is left empty, but they say by
/// how much, and its original value.
fn take_untyped(members: &[Member], originals: &mut Vec<usize>) -> Vec<usize> {
    let number = |at: usize, field: &str| {
        let record = members[at].records.first();
        record
            .and_then(|record| record.number(field))
            .filter(|value| *value != 0.0)
    };
    let amends =
        |at: &usize| text(&members[*at], "instrument_type").is_empty() && number(*at, "amendment_value").is_some();
    let (amending, others): (Vec<usize>, Vec<usize>) = originals.iter().partition(|at| amends(at));
    let [original] = others.as_slice() else {
        return Vec::new();
    };
    let value = number(*original, "original_value").or_else(|| number(*original, "contract_value"));
    let is_its = |at: &usize| value.is_some() && number(*at, "original_value") == value;
    let (its, rest): (Vec<usize>, Vec<usize>) = amending.into_iter().partition(is_its);
    *originals = others.into_iter().chain(rest).collect();
    its
}

/// Oldest first: by quarter, within it as they were numbered.
fn order(member: &Member) -> (u64, String) {
    (
        quarter(text(member, "reporting_period")),
        text(member, "reference_number").to_owned(),
    )
}

/// The members' numbers by contract.
fn contracts(members: &[Member]) -> Vec<Vec<usize>> {
    let mut sets: Vec<usize> = (0..members.len()).collect();
    let mut first_with: HashMap<(u8, String), usize> = HashMap::new();
    for (at, member) in members.iter().enumerate() {
        for agreement in agreements(member) {
            let other = *first_with.entry(agreement).or_insert(at);
            let (a, b) = (root(&mut sets, other), root(&mut sets, at));
            sets[a.max(b)] = a.min(b);
        }
    }
    let mut contracts: HashMap<usize, Vec<usize>> = HashMap::new();
    for at in (0..members.len()).filter(|at| !members[*at].records.is_empty()) {
        contracts.entry(root(&mut sets, at)).or_default().push(at);
    }
    let mut contracts: Vec<_> = contracts.into_values().collect();
    contracts.sort();
    contracts
}

fn root(sets: &mut [usize], mut at: usize) -> usize {
    while sets[at] != at {
        sets[at] = sets[sets[at]];
        at = sets[at];
    }
    at
}

/// What another row of the same contract shares: each pair of the three.
fn agreements(member: &Member) -> Vec<(u8, String)> {
    let Some((record, procurement)) = member.records.first().and_then(|r| Some((r, procurement(r)?))) else {
        return Vec::new();
    };
    let stated = |field| record.number(field).filter(|value| *value != 0.0);
    let original = stated("original_value").or_else(|| match is_amendment(member) {
        true => None,
        false => stated("contract_value"),
    });
    let vendor = record.text("vendor_name").map(fold).filter(|vendor| !vendor.is_empty());
    let day = record.text("award_date").map(str::to_owned);
    let value = original.map(|value| format!("{value:.2}"));
    [(0, &vendor, &day), (1, &vendor, &value), (2, &day, &value)]
        .into_iter()
        .filter_map(|(pair, a, b)| Some((pair, format!("{procurement}|{}|{}", a.as_ref()?, b.as_ref()?))))
        .collect()
}

/// What is the original's: its numbers, its day, its value.
const OF_THE_ORIGINAL: [&str; 6] = [
    "record_id",
    "reference_number",
    "reporting_period",
    "award_date",
    "instrument_type",
    "original_value",
];

/// Makes the member `base` the contract's one record: its own identity, the newest word of all rows for the rest.
fn merge(members: &mut [Member], base: usize, amendments: &[usize], told_twice: &BTreeSet<usize>) {
    let rows: Vec<usize> = [base].into_iter().chain(amendments.iter().copied()).collect();
    let sources: BTreeSet<&str> = rows.iter().map(|at| source_and_number(&members[*at]).0).collect();
    let is_of_both = sources.len() > 1 || rows.iter().any(|at| told_twice.contains(at));
    let has_original = !is_amendment(&members[base]);
    let mut told: Vec<Value> = rows.iter().filter_map(|at| told(&members[*at])).collect();
    let fetched_at = rows.iter().map(|at| text(&members[*at], "fetched_at").to_owned()).max();
    let amended: Vec<Record> = amendments
        .iter()
        .flat_map(|at| std::mem::take(&mut members[*at].records))
        .collect();
    let Some(record) = members[base].records.first_mut() else {
        return;
    };
    if has_original && record.number("original_value").is_none() {
        let value = record.number("contract_value");
        record.set("original_value", value);
    }
    // Joined aside: a field that is set again and again leaves its former texts behind.
    let mut joined: Vec<(Name, Map<String, Value>)> = Vec::new();
    for newer in amended {
        // An amendment that does not say by how much must not be credited with the one before.
        record.remove("amendment_value");
        for (field, value) in newer.fields.iter() {
            let known = record.fields.get(field);
            if known.is_some() && OF_THE_ORIGINAL.contains(&field.text()) {
                continue;
            }
            // Amendments state less of who might bid; what they leave out still holds.
            let Some(members) = value.members() else {
                joined.retain(|(name, _)| *name != field);
                record.fields.insert(field, value);
                continue;
            };
            match joined.iter_mut().find(|(name, _)| *name == field) {
                Some((_, known)) => known.extend(members),
                None => {
                    let mut known = known.and_then(|known| known.members()).unwrap_or_default();
                    known.extend(members);
                    joined.push((field, known));
                }
            }
        }
    }
    for (field, members) in joined {
        record.fields.insert(field, Value::Object(members).into());
    }
    if has_original {
        record.set("original", Some(told.remove(0)));
    }
    record.set("fetched_at", fetched_at);
    let own = record.text("reference_number").unwrap_or_default();
    let numbers = told
        .iter()
        .filter_map(|amendment| amendment["reference_number"].as_str());
    let numbers: Vec<&str> = numbers.filter(|number| *number != own).collect();
    let numbers = (!numbers.is_empty()).then(|| numbers.join(BETWEEN_NUMBERS));
    record.set(OTHER_NUMBERS, numbers);
    record.set("amendment_count", Some(told.len()));
    record.set("amendments", Some(told));
    if is_of_both {
        set_sources(&mut members[base]);
    }
}

fn set_sources(member: &mut Member) {
    for record in &mut member.records {
        record.set("sources", Some(json!([PUBLISHED, crate::sources::disclosure::EXPORT])));
    }
}

/// What is kept of each row inside the record.
const TOLD: [&str; 7] = [
    "reference_number",
    "reporting_period",
    "award_date",
    "end_date",
    "vendor_name",
    "amendment_value",
    "contract_value",
];

fn told(member: &Member) -> Option<Value> {
    let record = member.records.first()?;
    let facts = TOLD
        .iter()
        .filter_map(|field| Some(((*field).to_owned(), record.get(field)?.into_json()?)));
    Some(Value::Object(facts.collect::<Map<_, _>>()))
}
