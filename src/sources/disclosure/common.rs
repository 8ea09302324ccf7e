//! What both files of the proactive disclosure share: source ids, group keys, and fields that are
//! filled alike.

use crate::model::{commodity, countries, fold::fold, municipality};
use crate::sources::{
    disclosure::codes::{SOLICITATION_PROCEDURES, labels},
    reading::{CsvRow, DraftRecord, Recency, RowOutput},
};

/// Source id of `contracts.csv`. It is also the prefix of its rows' keys, so the newest row of each
/// source reaches the merge.
pub(crate) const DISCLOSURE: &str = "disclosure";

/// Source id of the export, and prefix of its rows' keys.
pub(crate) const DISCLOSURE_EXPORT: &str = "disclosure-export";

/// The organization and its procurement number, folded. `None` if the number is too short or has no
/// digit, so that it cannot identify the procurement.
pub(crate) fn procurement(record: &DraftRecord) -> Option<String> {
    let number = fold(record.text("procurement_id")?);
    let is_identifying = number.len() >= 4 && number.bytes().any(|b| b.is_ascii_digit());
    let owner = record.text("owner_org").expect("`complete` sets it");
    is_identifying.then(|| format!("{owner},{number}"))
}

/// A reporting period such as `2022-2023-Q4` as a number that grows with time; 0 if there are no
/// digits.
pub(crate) fn quarter(period: &str) -> u64 {
    let digits: String = period.chars().filter(char::is_ascii_digit).take(9).collect();
    digits.parse().unwrap_or(0)
}

/// Completes the record of a row of either file, after the fields of its own columns are set.
pub(crate) fn complete(row: &CsvRow, mut record: DraftRecord, source: &str, owner: &str, reference: &str) -> RowOutput {
    record.set_jurisdiction(municipality::FEDERAL, "federal", None);
    record.set("currency", record.number("contract_value").map(|_| "CAD"));
    record.set("owner_org", Some(owner));
    record.set("reference_number", Some(reference));
    // Of goods, group 51 is hand tools; of everything else, division 51 is construction.
    if record.text("procurement_category") == Some("GD") {
        let codes = record.text("commodity_code").and_then(commodity::of_goods);
        record.set("commodity_code", codes);
    }
    let country = record
        .text("vendor_country")
        .map(|country| countries::code(country.into()).into_owned());
    record.set("vendor_country", country);
    let postal_code = record.text("vendor_postal_code").unwrap_or_default();
    if record.text("vendor_country").is_none_or(|country| country == "CA") {
        record.set("vendor_province", municipality::province_of_postal_code(postal_code));
    }
    let procedure = record.text("solicitation_procedure").unwrap_or_default();
    if let Some((english, french)) = labels(SOLICITATION_PROCEDURES, procedure) {
        record.set("procurement_method_en", Some(english));
        record.set("procurement_method_fr", Some(french));
    }
    record.set("record_id", Some(format!("disclosure|{owner},{reference}")));
    let period = quarter(record.text("reporting_period").unwrap_or_default());
    RowOutput {
        group: format!("{owner},{reference}"),
        key: format!("{source},{reference}"),
        recency: Recency(period, row.file.modified.timestamp()),
        records: vec![record],
        bids: None,
    }
}
