//! The contracts and tender notices of Public Services and Procurement Canada over both its publications:
//! buyandsell.gc.ca until 2022, and CanadaBuys, whose historical files go back to 2009.
//!
//! Both tell of the same contracts and notices under the same numbers, so the files of a kind share one spool and one
//! reader, [`Contracts`] or [`Notices`]. CanadaBuys is the living publication: what it tells of at all has its identifier,
//! its word stands and is written to its dump, and what only buyandsell tells is filled in, with both named in `sources`.
//!
//! **Both belong in one run.** Separate runs into one folder leave a thing twice, under either publication's identifier.

pub mod buyandsell_contract;
pub mod buyandsell_tender;
pub mod canadabuys;
pub mod canadabuys_award;
pub mod canadabuys_contract;
pub mod canadabuys_sosa;
pub mod canadabuys_tender;

use std::{cmp::Ordering, io::Read};

use serde_json::json;

use crate::sources::{
    Broken, FileFacts, Reader,
    reading::{
        decode::Utf8,
        intake::{Intake, Member, Record, Tally},
        table::CsvFormat,
    },
};

pub const CONTRACT: &str = "canadabuys-contract";
pub const FORMER_CONTRACT: &str = "buyandsell-contract";
pub const NOTICE: &str = "canadabuys-tender";
pub const FORMER_NOTICE: &str = "buyandsell-tender";

/// Begins the members' names of buyandsell's rows, so that none replaces CanadaBuys' row of the same amendment.
pub const FORMER: &str = "buyandsell ";

/// CanadaBuys' members and buyandsell's, whose names lose their beginning; each oldest first.
fn by_publication(members: &mut [Member]) -> (&mut [Member], &mut [Member]) {
    members.sort_by_key(|member| member.member.starts_with(FORMER));
    let current = members.partition_point(|member| !member.member.starts_with(FORMER));
    let (current, former) = members.split_at_mut(current);
    for row in former.iter_mut() {
        row.member.drain(..FORMER.len());
    }
    (current, former)
}

pub struct Contracts;

impl Reader for Contracts {
    fn read(&mut self, file: &FileFacts, input: Utf8<&mut dyn Read>, out: &mut Intake) -> Result<(), Broken> {
        static FORMATS: &[&CsvFormat] = &[&canadabuys_contract::FORMAT, &buyandsell_contract::FORMAT];
        let mut formats = FORMATS;
        formats.read(file, input, out)
    }

    fn settle(&mut self, members: &mut [Member], tallies: &mut [Tally]) {
        let (current, former) = by_publication(members);
        let (Some(_), Some(last)) = (current.last(), former.last()) else {
            (canadabuys_contract::FORMAT.settle)(current);
            return (buyandsell_contract::FORMAT.settle)(former);
        };
        let told = current.len();
        let contracts = canadabuys_contract::contracts(current);
        if contracts.len() < told {
            for member in former {
                member.records.clear();
                member.skipped = Some("a standing offer or supply arrangement by CanadaBuys' word, not a contract");
            }
            return canadabuys::settle_contract(contracts, &[]);
        }
        let what = "a contract that CanadaBuys tells of too, merged into one record";
        tallies[last.file].note(last.line, what);
        buyandsell_contract::tell_days(former);
        canadabuys::settle_contract(contracts, former);
        if let (Some(newest), Some(other)) = (contracts.last_mut(), former.last()) {
            let age = other.rank.0.cmp(&newest.rank.0);
            for (contract, other) in newest.records.iter_mut().zip(&other.records) {
                join(contract, other, age);
            }
        }
        former.iter_mut().for_each(|member| member.records.clear());
    }
}

/// What each amendment tells anew.
const STATE: [&str; 3] = ["amendment_number", "amendment_date", "end_date"];

/// Makes CanadaBuys' newest row of a contract the word of both. `age` is how new buyandsell's newest amendment is against
/// it: the newer one's state and supplier count. Of two days of award the earlier does, as a row of either publication may
/// have its amendment's there.
fn join(contract: &mut Record, former: &Record, age: Ordering) {
    match age {
        Ordering::Less => {}
        Ordering::Equal => canadabuys::fill(contract, former, |field| STATE.contains(&field)),
        Ordering::Greater => {
            replace(contract, former, &STATE);
            if former.has("supplier_legal_name") {
                replace(contract, former, canadabuys::NAMES);
                replace(contract, former, canadabuys::ADDRESS);
            }
        }
    }
    canadabuys::fill_contract(contract, former);
    canadabuys::name_vendor(contract);
    let days = [&*contract, former].map(|record| record.text("award_date").map(str::to_owned));
    contract.set("award_date", days.into_iter().flatten().min());
    contract.set("sources", Some(json!([CONTRACT, FORMER_CONTRACT])));
}

fn replace(record: &mut Record, other: &Record, fields: &[&str]) {
    for field in fields {
        record.remove(field);
        record.set(field, other.get(field));
    }
}

pub struct Notices;

impl Reader for Notices {
    fn read(&mut self, file: &FileFacts, input: Utf8<&mut dyn Read>, out: &mut Intake) -> Result<(), Broken> {
        static FORMATS: &[&CsvFormat] = &[&canadabuys_tender::FORMAT, &buyandsell_tender::FORMAT];
        let mut formats = FORMATS;
        formats.read(file, input, out)
    }

    /// Joins what both tell of an amendment. One that buyandsell alone tells stays in its dump, under the notice's one
    /// identifier; the newest of all has it plain.
    fn settle(&mut self, members: &mut [Member], tallies: &mut [Tally]) {
        let (current, former) = by_publication(members);
        buyandsell_tender::join_languages(former);
        let id = current.iter().flat_map(|member| &member.records).find_map(plain_id);
        for notice in former.iter_mut().filter(|notice| !notice.records.is_empty()) {
            let known = current.iter_mut().rfind(|known| known.rank.0 == notice.rank.0);
            let Some(known) = known else {
                for record in &mut notice.records {
                    record.set("record_id", id.clone());
                }
                continue;
            };
            let what = "a notice that CanadaBuys tells of too, merged into one record";
            tallies[notice.file].note(notice.line, what);
            for (record, other) in known.records.iter_mut().zip(std::mem::take(&mut notice.records)) {
                complete(record, &other);
            }
        }
        let states = current.iter_mut().chain(former);
        let mut states: Vec<&mut Member> = states.filter(|state| !state.records.is_empty()).collect();
        states.sort_by_key(|state| state.rank);
        canadabuys::number_older(&mut states);
    }
}

fn plain_id(record: &Record) -> Option<String> {
    record.text("record_id").map(str::to_owned)
}

/// The group of a notice: its reference number without the signs that fill the office's code up to four characters
/// (`PW-$$ZT-009-27511` in buyandsell's files, `PW-_KIN-519-8707` in CanadaBuys'), and that the publishers' own pages leave out.
pub fn notice(reference: &str) -> String {
    let rest = reference.strip_prefix(OFFICE);
    match rest.and_then(|rest| rest.split_at_checked(4)) {
        Some((office, number)) => format!("{OFFICE}{}{number}", office.replace(['$', '_'], "")),
        None => reference.to_owned(),
    }
}

const OFFICE: &str = "PW-";

/// What is a record's own, even where it is left out.
const IDENTITY: [&str; 3] = ["reference_number", "amendment_number", "tender_id"];

/// Fills what only buyandsell's row of the same amendment tells.
fn complete(notice: &mut Record, other: &Record) {
    // buyandsell's files were frozen before some notices ended: one file's status is never told beside the other's.
    let has_status = notice.has("status");
    if !notice.has("notice_type_en") && buyandsell_tender::has_known_type(other) {
        notice.entity_type = other.entity_type;
    }
    let is_its_own = |field: &str| IDENTITY.contains(&field) || (has_status && field.starts_with("status"));
    canadabuys::fill(notice, other, |field| !is_its_own(field));
    notice.set("sources", Some(json!([NOTICE, FORMER_NOTICE])));
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::model::entity_type::EntityType;

    fn record(fields: &[(&str, &str)], eligibility: Value) -> Record {
        let mut record = Record::new(EntityType::Contract);
        for (field, value) in fields {
            record.set(field, Some(*value));
        }
        record.set("eligibility", Some(eligibility));
        record
    }

    #[test]
    fn a_field_told_stays_and_an_object_is_filled_member_by_member() {
        let mut known = record(&[("gsin", "N1")], json!({"trade_agreements": ["CFTA"]}));
        let reason = json!({"trade_agreements": ["AIT"], "limited_tendering_reason_en": "Exclusive Rights"});
        let other = record(&[("gsin", "N2"), ("title_en", "A"), ("title_fr", "B")], reason);
        canadabuys::fill(&mut known, &other, |field| field != "title_fr");
        assert_eq!((known.text("gsin"), known.text("title_en")), (Some("N1"), Some("A")));
        assert!(!known.has("title_fr"));
        let expected = json!({"trade_agreements": ["CFTA"], "limited_tendering_reason_en": "Exclusive Rights"});
        assert_eq!(
            known.get("eligibility").and_then(|held| held.into_json()),
            Some(expected)
        );
    }

    #[test]
    fn names_agree_however_they_are_written_and_where_one_is_silent() {
        let named = |name| record(&[("supplier_legal_name", name)], json!({}));
        let (plain, accented, other) = (
            named("Falcan Medical Inc"),
            named("FALCAN MÉDICAL INC."),
            named("Other"),
        );
        let silent = Record::new(EntityType::Contract);
        for (one, two, expected) in [
            (&plain, &accented, true),
            (&plain, &other, false),
            (&plain, &silent, true),
        ] {
            assert_eq!(canadabuys::agree(one, two, "supplier_legal_name"), expected);
            assert_eq!(canadabuys::agree(two, one, "supplier_legal_name"), expected);
        }
    }

    #[test]
    fn a_reference_number_is_the_same_without_what_fills_its_office_up() {
        assert_eq!(notice("PW-$$ZT-009-27511"), notice("PW-ZT-009-27511"));
        assert_eq!(notice("PW-$KIN-519-8707"), notice("PW-_KIN-519-8707"));
        assert_eq!(notice("PW-$$QE-450-27248"), notice("PW-__QE-450-27248"));
        assert_ne!(notice("WS_1$2"), notice("WS12"), "another's number");
        assert_eq!(notice("PW-é"), "PW-é");
        assert_ne!(notice("PW-$KIN-650-6679"), notice("PW-$$ZT-650-6679"));
    }
}
