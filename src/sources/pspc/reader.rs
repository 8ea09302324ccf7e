//! The readers of contracts and of tender notices, each for both publications.

use std::{cmp::Ordering, io::Read};

use serde_json::json;

use crate::sources::{
    pspc::{
        amendments, buyandsell_contract, buyandsell_tender, canadabuys_contract, canadabuys_tender,
        common::{
            self, BUYANDSELL_CONTRACT, BUYANDSELL_PREFIX, BUYANDSELL_TENDER, CANADABUYS_CONTRACT, CANADABUYS_TENDER,
        },
    },
    reading::{CsvFormat, DraftRecord, FileInfo, GroupMember, ReadError, RowCounts, RowSink, SourceReader, Utf8Reader},
};

/// Splits the members into those of CanadaBuys and those of buyandsell, each oldest first. Removes
/// the prefix from the keys of buyandsell's.
fn split_by_publication(members: &mut [GroupMember]) -> (&mut [GroupMember], &mut [GroupMember]) {
    members.sort_by_key(|member| member.key.starts_with(BUYANDSELL_PREFIX));
    let current = members.partition_point(|member| !member.key.starts_with(BUYANDSELL_PREFIX));
    let (current, former) = members.split_at_mut(current);
    for member in former.iter_mut() {
        member.key.drain(..BUYANDSELL_PREFIX.len());
    }
    (current, former)
}

/// Reads the contract histories of both publications.
pub(crate) struct ContractReader;

impl SourceReader for ContractReader {
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
        static FORMATS: &[&CsvFormat] = &[&canadabuys_contract::FORMAT, &buyandsell_contract::FORMAT];
        let mut formats = FORMATS;
        formats.read(file, input, out)
    }

    fn merge_group(&mut self, members: &mut [GroupMember], file_counts: &mut [RowCounts]) {
        let (current, former) = split_by_publication(members);
        let (false, Some(newest_former)) = (current.is_empty(), former.last()) else {
            (canadabuys_contract::FORMAT.merge_group)(current);
            return (buyandsell_contract::FORMAT.merge_group)(former);
        };
        let row_count = current.len();
        let contracts = canadabuys_contract::skip_agreements(current);
        if contracts.len() < row_count {
            for member in former {
                member.skipped = Some("a standing offer or supply arrangement according to CanadaBuys, not a contract");
            }
            return amendments::merge_contract(contracts, &[]);
        }
        let note = "a contract that CanadaBuys also publishes, merged into one record";
        file_counts[newest_former.file].note(newest_former.line, note);
        buyandsell_contract::set_award_and_amendment_dates(former);
        amendments::merge_contract(contracts, former);
        if let (Some(newest), Some(other)) = (contracts.last_mut(), former.last()) {
            let age = other.recency.0.cmp(&newest.recency.0);
            for (contract, other) in newest.records.iter_mut().zip(&other.records) {
                merge_contracts(contract, other, age);
            }
        }
        for member in former {
            member.records.clear();
        }
    }
}

/// The fields that every amendment states anew.
const AMENDED_FIELDS: [&str; 3] = ["amendment_number", "amendment_date", "end_date"];

/// Merges buyandsell's newest row of a contract into CanadaBuys' newest row. `age` compares
/// buyandsell's amendment with CanadaBuys': the amended fields and the supplier of the newer
/// amendment count. The earlier of the two award dates counts, because a row of either publication
/// may have the date of its amendment there.
fn merge_contracts(contract: &mut DraftRecord, former: &DraftRecord, age: Ordering) {
    match age {
        Ordering::Less => {}
        Ordering::Equal => amendments::fill(contract, former, |field| AMENDED_FIELDS.contains(&field)),
        Ordering::Greater => {
            replace_fields(contract, former, &AMENDED_FIELDS);
            if former.has("supplier_legal_name") {
                replace_fields(contract, former, amendments::SUPPLIER_NAME_FIELDS);
                replace_fields(contract, former, amendments::SUPPLIER_ADDRESS_FIELDS);
            }
        }
    }
    amendments::fill_stable_fields(contract, former);
    common::set_vendor_name(contract);
    let days = [&*contract, former].map(|record| record.text("award_date").map(str::to_owned));
    contract.set("award_date", days.into_iter().flatten().min());
    contract.set("sources", Some(json!([CANADABUYS_CONTRACT, BUYANDSELL_CONTRACT])));
}

/// Replaces the fields by those of `other`, also where it has none.
fn replace_fields(record: &mut DraftRecord, other: &DraftRecord, fields: &[&str]) {
    for field in fields {
        record.remove(field);
        record.set(field, other.get(field));
    }
}

/// Reads the tender notices of both publications.
pub(crate) struct NoticeReader;

impl SourceReader for NoticeReader {
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
        static FORMATS: &[&CsvFormat] = &[&canadabuys_tender::FORMAT, &buyandsell_tender::FORMAT];
        let mut formats = FORMATS;
        formats.read(file, input, out)
    }

    /// Merges the rows of an amendment that both publish. An amendment that only buyandsell
    /// publishes stays in its dump, with CanadaBuys' identifier of the notice. The newest amendment
    /// of all has the identifier without a suffix.
    fn merge_group(&mut self, members: &mut [GroupMember], file_counts: &mut [RowCounts]) {
        let (current, former) = split_by_publication(members);
        buyandsell_tender::join_languages(former);
        let mut current_records = current.iter().flat_map(|member| &member.records);
        let id = current_records.next().map(|record| record.id().to_owned());
        for notice in former.iter_mut().filter(|notice| !notice.records.is_empty()) {
            let known = current.iter_mut().rfind(|known| known.recency.0 == notice.recency.0);
            let Some(known) = known else {
                for record in &mut notice.records {
                    record.set("record_id", id.clone());
                }
                continue;
            };
            let note = "a notice that CanadaBuys also publishes, merged into one record";
            file_counts[notice.file].note(notice.line, note);
            for (record, other) in known.records.iter_mut().zip(std::mem::take(&mut notice.records)) {
                merge_notices(record, &other);
            }
        }
        let remaining = current.iter_mut().chain(former);
        let mut remaining: Vec<&mut GroupMember> = remaining.filter(|member| !member.records.is_empty()).collect();
        remaining.sort_by_key(|member| member.recency);
        amendments::suffix_older(&mut remaining);
    }
}

/// Fields that are not filled from the other publication, even if they are empty.
const IDENTIFYING_FIELDS: [&str; 3] = ["reference_number", "amendment_number", "tender_id"];

/// Fills the fields that only buyandsell's row of the same amendment has.
fn merge_notices(notice: &mut DraftRecord, other: &DraftRecord) {
    // buyandsell's files were frozen before some notices ended, so the two statuses are never
    // mixed.
    let has_status = notice.has("status");
    if !notice.has("notice_type_en") && buyandsell_tender::has_known_notice_type(other) {
        notice.entity_type = other.entity_type;
    }
    let is_kept = |field: &str| IDENTIFYING_FIELDS.contains(&field) || (has_status && field.starts_with("status"));
    amendments::fill(notice, other, |field| !is_kept(field));
    notice.set("sources", Some(json!([CANADABUYS_TENDER, BUYANDSELL_TENDER])));
}
