//! SEAO, Quebec's tender system, over both eras of its publication: XML exports until May 2024, OCDS releases since
//! March 2021.
//!
//! Both eras tell of the same notices, so their files share one spool and one reader, [`Seao`]. Of a notice told by both,
//! the newest revision counts, tender and contracts alike; it is written to the dump of the file it stands in, and what
//! only the other era tells of it (`FILLED`) is filled in, with both named in `sources`. What the buyer
//! expects to pay (`EXPECTED`) and how a contract goes on (`STATE`, its current value) only releases tell, so that is theirs
//! also where an export is newer.
//!
//! **Both eras belong in one run.** After separate runs into one folder both dumps have the notice under one `record_id`, of
//! which indexing keeps the newer; but a contract whose awarded amount was corrected between them has two identifiers
//! and stands twice.

pub mod codes;
pub mod ledger;
pub mod ocds;
pub mod ocds_contract;
pub mod ocds_tender;
pub mod xml;

use std::{
    collections::{HashMap, HashSet},
    io::Read,
};

use serde_json::{Value, json};

use crate::model::{fold::fold, municipality};
use crate::sources::{
    Broken, FileFacts, Reader,
    common::countries,
    reading::{
        decode::Utf8,
        intake::{Intake, Member, Record, Tally},
        table, text,
    },
    seao::codes::Unit,
};

/// The source of a notice, which is also its member in the notice's group: the newest of each era is handed to settle.
pub const XML: &str = "seao-xml";
pub const OCDS: &str = "seao-ocds";

/// What begins every identifier of a contracting process: the publisher's registered prefix.
pub const OCID_PREFIX: &str = "ocds-ec9k95-";

pub struct Seao;

impl Reader for Seao {
    fn read(&mut self, file: &FileFacts, mut input: Utf8<&mut dyn Read>, out: &mut Intake) -> Result<(), Broken> {
        let is_xml = input.peek().is_ok_and(|start| start.trim_start().starts_with('<'));
        if is_xml {
            xml::read(file, input, out)
        } else {
            ocds::read(file, input, out)
        }
    }

    fn settle(&mut self, members: &mut [Member], tallies: &mut [Tally]) {
        // Remarks first; both stay oldest first.
        members.sort_by_key(|member| member.said.is_none());
        let remarks = members.partition_point(|member| member.said.is_some());
        let (remarks, notices) = members.split_at_mut(remarks);
        let Some((notice, older)) = notices.split_last_mut() else {
            return ledger::leave(remarks);
        };
        for other in older.iter() {
            let what = "a notice that the other era's files tell newer, merged into one record";
            tallies[other.file].note(other.line, what);
            merge(notice, other);
        }
        let told_until = (notice.member == OCDS).then_some(notice.rank);
        if let Some((_, contracts)) = notice.records.split_first_mut() {
            ledger::join(remarks, told_until, contracts);
        }
        table::newest(notices);
    }
}

/// What does not change from one revision of a notice to the next, so that the older one's word is as good.
const FILLED: [&str; 16] = [
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

/// What only OCDS releases tell of a notice: what the buyer expects to pay.
const EXPECTED: [&str; 2] = ["contract_value", "currency"];

/// What only OCDS releases tell of a contract: how it goes on.
const STATE: [&str; 7] = [
    "start_date",
    "end_date",
    "amendment_count",
    "amendment_date",
    "status",
    "status_en",
    "status_fr",
];

/// Makes one of a notice's two tellings, the tender first in each, then its contracts.
fn merge(newer: &mut Member, older: &Member) {
    let (Some((tender, contracts)), Some((old_tender, old_contracts))) =
        (newer.records.split_first_mut(), older.records.split_first())
    else {
        return;
    };
    fill(tender, old_tender);
    if older.member == OCDS {
        for field in EXPECTED {
            tender.set(field, old_tender.get(field));
        }
    }
    let by_id = index(old_contracts, &id);
    // By day and contractor where the identifier differs: one era may lack an enterprise number or know a later amount.
    let by_number = index(old_contracts, &day_and_number);
    let by_name = index(old_contracts, &day_and_name);
    let mut ids: HashSet<String> = contracts.iter().filter_map(id).collect();
    for contract in contracts.iter_mut() {
        let known = |index: &HashMap<String, usize>, key: Option<String>| index.get(&key?).copied();
        let mut same = known(&by_id, id(contract));
        let other = || known(&by_number, day_and_number(contract)).or(known(&by_name, day_and_name(contract)));
        let Some(mut at) = same.or_else(other) else {
            continue;
        };
        if same.is_none()
            && let Some(numbered) = id_by_number(contract, &old_contracts[at])
            && ids.insert(numbered.clone())
        {
            same = by_id.get(&numbered).copied();
            at = same.unwrap_or(at);
            contract.set("record_id", Some(numbered));
        }
        let old = &old_contracts[at];
        fill(contract, old);
        if same.is_some() && older.member == OCDS {
            go_on(contract, old);
        }
    }
    if older.member == OCDS {
        let lots = lots_of(contracts, old_contracts);
        newer.records.extend(lots);
    }
}

fn id(contract: &Record) -> Option<String> {
    contract.text("record_id").map(str::to_owned)
}

/// The identifier of a contract without an enterprise number, with the one that another telling of it knows.
fn id_by_number(contract: &Record, other: &Record) -> Option<String> {
    if contract.has("vendor_id") {
        return None;
    }
    let neq = other.text("vendor_id")?.strip_prefix("FO-")?;
    let name = fold(contract.text("vendor_name")?);
    let id = contract.text("record_id")?;
    let is_of_neq = other.text("record_id")?.contains(&format!("|{neq}|"));
    is_of_neq.then(|| id.replacen(&format!("|{name}|"), &format!("|{neq}|"), 1))
}

fn day_and_number(contract: &Record) -> Option<String> {
    Some(format!(
        "{}|{}",
        contract.text("award_date")?,
        contract.text("vendor_id")?
    ))
}

fn day_and_name(contract: &Record) -> Option<String> {
    let name = fold(contract.text("vendor_name")?);
    Some(format!("{}|{name}", contract.text("award_date")?))
}

/// The number of the first contract of each key.
fn index(contracts: &[Record], key: &dyn Fn(&Record) -> Option<String>) -> HashMap<String, usize> {
    let mut first = HashMap::new();
    for (at, contract) in contracts.iter().enumerate() {
        if let Some(key) = key(contract) {
            first.entry(key).or_insert(at);
        }
    }
    first
}

/// Gives a contract of an XML export what a release tells of how it went on: an export's newer telling is of the award.
fn go_on(contract: &mut Record, released: &Record) {
    for field in STATE {
        contract.set(field, released.get(field));
    }
    // There where the current value is no longer the awarded one.
    if released.number("original_value").is_some() {
        for field in ["contract_value", "original_value"] {
            contract.set(field, released.get(field));
        }
    }
}

/// The lots of one price that a release tells apart by their awards' numbers, and an export by nothing.
fn lots_of(contracts: &[Record], released: &[Record]) -> Vec<Record> {
    let known: HashSet<&str> = contracts.iter().filter_map(|known| known.text("record_id")).collect();
    let is_lot = |record: &&Record| {
        let id = record.text("record_id").unwrap_or_default();
        let plain = id.rsplit_once('|').map_or(id, |(plain, _)| plain);
        known.contains(plain) && !known.contains(id)
    };
    let mut lots: Vec<Record> = released.iter().filter(is_lot).cloned().collect();
    for lot in &mut lots {
        lot.set("sources", Some(json!([OCDS, XML])));
    }
    lots
}

fn fill(newer: &mut Record, older: &Record) {
    newer.fill(older, |field| FILLED.contains(&field));
    newer.set("sources", Some(json!([OCDS, XML])));
}

/// The notice's number, the contractor, the day and the awarded amount: all that both eras tell of a contract.
pub fn contract_record_id(
    number: &str,
    neq: Option<&str>,
    vendor: &str,
    award_date: Option<&str>,
    amount: f64,
) -> String {
    let contractor = neq.map_or_else(|| fold(vendor), str::to_owned);
    format!(
        "seao|{number}|{contractor}|{}|{amount:.2}",
        award_date.unwrap_or_default()
    )
}

/// Keeps the contracts of one notice apart that share what [`contract_record_id`] is made of, and tells `repeated` the lines of those that are
/// one contract told twice: under one award's number or, where awards have none, in the same words (a winner's whole
/// entry repeated, its rivals' not). The others are lots of one price: all but the first are numbered, in an order that is theirs
/// and not the file's.
pub fn apart(contracts: Vec<(u64, Record)>, mut repeated: impl FnMut(u64)) -> Vec<Record> {
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, (_, contract)) in contracts.iter().enumerate() {
        let id = contract.text("record_id").unwrap_or_default();
        by_id.entry(id).or_default().push(at);
    }
    let name = |at: &usize| {
        let (_, contract) = &contracts[*at];
        let words = || contract.fields.to_json();
        // Numbers as numbers: the shorter first.
        let number = contract.text("contract_id");
        number.map_or_else(words, |id| format!("{:8}{id}", id.len()))
    };
    let mut lots = vec![None; contracts.len()];
    for same in by_id.into_values() {
        if let [only] = same.as_slice() {
            lots[*only] = Some(1);
            continue;
        }
        let mut same: Vec<(String, usize)> = same.iter().map(|at| (name(at), *at)).collect();
        same.sort();
        same.dedup_by(|(name, _), (first, _)| name == first);
        for ((_, at), lot) in same.into_iter().zip(1..) {
            lots[at] = Some(lot);
        }
    }
    let mut told = Vec::with_capacity(contracts.len());
    for ((line, mut contract), lot) in contracts.into_iter().zip(lots) {
        match lot {
            None => {
                repeated(line);
                continue;
            }
            Some(1) => {}
            Some(lot) => {
                let plain = contract.text("record_id").unwrap_or_default();
                contract.set("record_id", Some(format!("{plain}|{lot}")));
            }
        }
        told.push(contract);
    }
    told
}

/// A buyer's municipality and level of government.
pub fn place(is_municipal: bool, buyer: &str, city: &str) -> (String, &'static str) {
    if is_municipal {
        (municipality::of_quebec_buyer(buyer, city).to_owned(), "municipal")
    } else {
        (municipality::QUEBEC_PROVINCIAL.to_owned(), "provincial")
    }
}

/// What a contract takes over from its notice.
#[rustfmt::skip]
pub const OF_THE_NOTICE: [&str; 25] = [
    "municipality", "publication_date", "title_fr", "department_fr", "buyer_name", "buyer_id", "procurement_category", "category",
    "notice_type_en", "notice_type_fr", "procurement_method", "procurement_method_en", "procurement_method_fr",
    "reference_number", "solicitation_number", "ocid", "unspsc", "unspsc_description_fr", "regions_of_delivery_fr", "eligibility", "notice_url",
    "government_level", "province", "source_url", "fetched_at",
];

/// A Quebec enterprise number: ten digits, the first two telling its form. Others are typing errors or stand-ins.
pub fn neq(raw: &str) -> Option<String> {
    let number = text::line(raw)?;
    let known_form = ["11", "22", "33", "88"].iter().any(|form| number.starts_with(form));
    (known_form && number.len() == 10 && number.bytes().all(|b| b.is_ascii_digit())).then_some(number)
}

/// A winner's figures. The unit is the bid's; the contract's amount is in dollars, except where buyers repeated the
/// rate in it.
pub struct Awarded {
    pub bid: Option<f64>,
    pub amount: Option<f64>,
    pub total: Option<f64>,
    pub unit: Unit,
}

impl Awarded {
    /// The contract's value. Under a rate ($/h, $/year, %), an amount that is not at least twice the bid is the rate
    /// again and no value; a total is a value under any unit.
    pub fn value(&self) -> Option<f64> {
        let is_rate =
            |amount: f64| self.unit == Unit::Rate && self.bid.is_none_or(|bid| amount.abs() < 2.0 * bid.abs());
        let given = |amount: &f64| *amount != 0.0;
        self.total
            .filter(given)
            .or(self.amount.filter(given).filter(|amount| !is_rate(*amount)))
    }

    /// The amount that identifies the contract: as the notice states it, whatever it means.
    pub fn stated(&self) -> f64 {
        self.amount.or(self.total).unwrap_or_default()
    }

    pub fn currency(&self) -> &'static str {
        match self.unit {
            Unit::UsDollars => "USD",
            Unit::Dollars | Unit::Rate => "CAD",
        }
    }
}

/// A notice's page as its one document.
pub fn documents(page: &str) -> Value {
    json!([{"doc_index": 0, "url": page, "document_type": "tenderNotice", "language": "fr"}])
}

pub fn vendor_province(raw: &str) -> Option<String> {
    let code = text::line(raw).filter(|code| code != "0")?.to_uppercase();
    Some(if code == "NF" { "NL".to_owned() } else { code })
}

pub fn vendor_country(raw: &str) -> Option<String> {
    let code = countries::code(text::line(raw)?.to_uppercase().into());
    (code.len() == 2).then(|| code.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_never_a_value() {
        for (unit, bid, amount, total, value) in [
            ("1", 100.0, 90.0, 0.0, Some(90.0)),
            ("0", 0.0, 292964.0, 0.0, Some(292964.0)),
            ("7", 62500.0, 62500.0, 0.0, Some(62500.0)),
            ("10", 74.95, 74.95, 0.0, None),
            ("10", 21.25, 130050.0, 0.0, Some(130050.0)),
            ("4", 0.9903, 1.01, 0.0, None),
            ("2", 314454.57, 314454.57, 1593700.0, Some(1593700.0)),
            ("8", 83.0, 846906.42, 0.0, Some(846906.42)),
            ("13", 139.8, 44602.57, 0.0, Some(44602.57)),
            ("1", 0.0, 0.0, 0.0, None),
            ("1", 500.0, -500.0, 0.0, Some(-500.0)),
            ("10", 80.0, -80.0, 0.0, None),
        ] {
            let given = |amount: f64| Some(amount).filter(|amount| *amount != 0.0);
            let awarded = Awarded {
                bid: given(bid),
                amount: given(amount),
                total: given(total),
                unit: Unit::of(unit),
            };
            assert_eq!(awarded.value(), value, "unit {unit}, bid {bid}, amount {amount}");
        }
    }

    #[test]
    fn enterprise_numbers_have_a_form() {
        assert_eq!(neq(" 1142700724 ").as_deref(), Some("1142700724"));
        for none in ["1234567890", "114270072", "11427007244", "11x2700724", ""] {
            assert_eq!(neq(none), None, "{none}");
        }
    }
}
