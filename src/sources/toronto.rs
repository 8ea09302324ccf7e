//! City of Toronto: awarded contracts, non-competitive contracts and solicitations, each with old
//! and new column names.
//!
//! Document numbers have the prefix `Doc` in older files. Identifiers leave it out, so a contract
//! in an old and a new file is one record. Amounts are typed by hand: text that is not clearly one
//! amount is noted and left out. A workspace may have several contracts with one supplier: the
//! first has the plain identifier, the others get their dollars as suffix.

use serde_json::json;

use crate::model::{EntityType, fold::fold};
use crate::sources::reading::{
    Column,
    ColumnRule::*,
    CsvFormat, CsvRow, DraftRecord, Recency, RowOutput, merging,
    text::{self, Unreadable},
    unknown,
};

const DOCUMENT: &str = "Document Number";
const RFX: &str = "RFx (Solicitation) Type";
const SUPPLIER: &str = "Successful Supplier";
const AWARD: &str = "Award";
const AWARDED_ON: &str = "Award Authority Obtained Date";
const WORKSPACE: &str = "Workspace Number";
const DEADLINE: &str = "Submission Deadline";
const CATEGORY: &str = "High Level Category";

pub(crate) static FORMATS: &[&CsvFormat] = &[&AWARDED, &NON_COMPETITIVE, &SOLICITATIONS];

pub(crate) static AWARDED: CsvFormat = CsvFormat {
    signature: &[DOCUMENT, SUPPLIER],
    required: &[AWARD, AWARDED_ON],
    aliases: &[("Awarded Amount", AWARD), ("Award Date", AWARDED_ON)],
    columns: &[NUMBERED, AWARDED_COLUMNS],
    entity_type: |_| EntityType::Contract,
    row_output: awarded,
    merge_group: merging::disambiguate,
};

pub(crate) static NON_COMPETITIVE: CsvFormat = CsvFormat {
    signature: &[WORKSPACE, "Supplier Name"],
    required: &["Contract Amount", "Contract Date"],
    aliases: &[],
    columns: &[NON_COMPETITIVE_COLUMNS],
    entity_type: |_| EntityType::Contract,
    row_output: non_competitive,
    merge_group: merging::disambiguate,
};

pub(crate) static SOLICITATIONS: CsvFormat = CsvFormat {
    signature: &[DOCUMENT, DEADLINE],
    required: &[],
    aliases: &[],
    columns: &[NUMBERED, SOLICITATION_COLUMNS],
    entity_type: |_| EntityType::Tender,
    row_output: solicitation,
    merge_group: merging::disambiguate,
};

#[rustfmt::skip]
static NUMBERED: &[Column] = &[
    ("solicitation_number", DOCUMENT, Line),
    ("notice_type_en", RFX, Line),
    ("procurement_method", RFX, Line),
    ("category", CATEGORY, Line),
    ("title_en", "Solicitation Document Description", Line),
    ("department_en", "Division", Line),
    ("wards", "Wards", Line),
];

#[rustfmt::skip]
static AWARDED_COLUMNS: &[Column] = &[
    ("contract_id", DOCUMENT, Line),
    ("vendor_name", SUPPLIER, Line),
    ("award_date", AWARDED_ON, Day),
    ("supplier_address", "Supplier Address", Line),
];

#[rustfmt::skip]
static NON_COMPETITIVE_COLUMNS: &[Column] = &[
    ("solicitation_number", WORKSPACE, Line),
    ("contract_id", WORKSPACE, Line),
    ("vendor_name", "Supplier Name", Line),
    ("award_date", "Contract Date", Day),
    ("department_en", "Division", Line),
    ("supplier_address", "Supplier Address", Line),
    ("wards", "Wards", Line),
];

#[rustfmt::skip]
static SOLICITATION_COLUMNS: &[Column] = &[
    ("tender_number", DOCUMENT, Line),
    ("tender_id", DOCUMENT, Line),
    ("noip_type_en", "NOIP (Notice of Intended Procurement) Type", Line),
    ("publication_date", "Issue Date", Day),
    ("closing_date", DEADLINE, Day),
    ("tender_close_date", DEADLINE, Moment),
    ("contact_name", "Buyer Name", Line),
    ("contact_email", "Buyer Email", Line),
    ("contact_phone", "Buyer Phone Number", Line),
];

/// The city's categories. It has one category for goods and services; `SRVTGD` is the nearest code.
const CATEGORIES: [(&str, Option<&str>); 5] = [
    ("Construction Services", Some("CNST")),
    ("Professional Services", Some("SRV")),
    ("Goods and Services", Some("SRVTGD")),
    ("Goods & Services", Some("SRVTGD")),
    // The city sells something.
    ("Offer to Purchase", None),
];

fn awarded(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let number = document_number(row).ok_or("no document number")?;
    let amount = complete_contract(row, &mut record, AWARD);
    let supplier = fold(record.text("vendor_name").unwrap_or_default());
    let day = record.text("award_date").unwrap_or_default();
    let id = format!("toronto|{number}|{supplier}|{day}|{amount}");
    record.set("procurement_category", category(row));
    let recency = Recency(published(row), 0);
    Ok(RowOutput::with_id(id, String::new(), recency, record))
}

fn non_competitive(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let number = row.line_of(WORKSPACE).ok_or("no workspace number")?;
    let amount = complete_contract(row, &mut record, "Contract Amount");
    let supplier = fold(record.text("vendor_name").unwrap_or_default());
    record.set("procurement_method", Some("non-competitive"));
    record.set("procurement_method_en", Some("Non-competitive"));
    let eligibility = row
        .line_of("Reason")
        .map(|reason| json!({"limited_tendering_reason_en": reason}));
    record.set("eligibility", eligibility);
    let dollars = amount
        .split_once('.')
        .map_or(&*amount, |(dollars, _)| dollars)
        .to_owned();
    let recency = Recency(published(row), sortable(record.text("award_date")));
    let id = format!("toronto-nc|{number}|{supplier}");
    Ok(RowOutput::with_id(id, dollars, recency, record))
}

fn solicitation(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let number = document_number(row).ok_or("no document number")?;
    complete(&mut record);
    record.set("procurement_category", category(row));
    // The file lists open solicitations, but keeps some that closed years ago.
    let published_on = row.file.modified.date_naive().to_string();
    let is_closed = record
        .text("closing_date")
        .is_some_and(|day| day < published_on.as_str());
    let status = if is_closed { "Expired" } else { "Open" };
    record.set("status", Some(status));
    record.set("status_en", Some(status));
    let recency = Recency(published(row), sortable(record.text("closing_date")));
    Ok(RowOutput::with_id(
        format!("toronto|{number}"),
        String::new(),
        recency,
        record,
    ))
}

fn document_number(row: &CsvRow) -> Option<String> {
    let number = row.line_of(DOCUMENT)?.replace('\u{fffd}', "");
    let number = number.strip_prefix("Doc").unwrap_or(&number).trim();
    if number.is_empty() {
        None
    } else {
        Some(number.to_owned())
    }
}

/// Sets the fields that both kinds of contracts share. Returns the amount for the identifier: with
/// two decimals, or as typed if it is unreadable.
fn complete_contract(row: &CsvRow, record: &mut DraftRecord, column: &str) -> String {
    complete(record);
    let raw = row.raw(column);
    match amount(raw) {
        Ok(None) => String::new(),
        Ok(Some((amount, currency))) => {
            record.set("contract_value", Some(amount));
            record.set("currency", Some(currency));
            format!("{amount:.2}")
        }
        Err(Unreadable) => {
            row.note(format!("unreadable amount in {column}, left out"));
            let published = text::line(raw).unwrap_or_default();
            record.set("value_as_published", Some(published.as_str()));
            published
        }
    }
}

fn complete(record: &mut DraftRecord) {
    record.set_jurisdiction("toronto", "municipal", Some("ON"));
    record.set("buyer_name", Some("City of Toronto"));
}

fn category(row: &CsvRow) -> Option<&'static str> {
    let stated = row.line_of(CATEGORY)?;
    let known = CATEGORIES.iter().find(|(name, _)| *name == stated);
    if known.is_none() {
        row.note(unknown(CATEGORY, &stated));
    }
    known.and_then(|(_, code)| *code)
}

/// One amount and its currency: `1317169.92`, `$ 1,317,169.92 CAD`, `$2,500 USD`. Several amounts
/// run together are unreadable. Commas that do not separate thousands separate amounts.
fn amount(raw: &str) -> Result<Option<(f64, &'static str)>, Unreadable> {
    let Some(line) = text::as_line(raw) else {
        return Ok(None);
    };
    let (number, currency) = match (line.strip_suffix("CAD"), line.strip_suffix("USD")) {
        (Some(number), _) => (number, "CAD"),
        (_, Some(number)) => (number, "USD"),
        _ => (line.as_ref(), "CAD"),
    };
    let number = number.trim();
    let number = number.strip_prefix('$').unwrap_or(number).trim();
    let whole = number.split_once('.').map_or(number, |(whole, _)| whole);
    let groups_thousands = match whole.split_once(',') {
        Some((first, rest)) => first.len() <= 3 && rest.split(',').all(|group| group.len() == 3),
        None => true,
    };
    let is_plain = number.bytes().all(|b| b.is_ascii_digit() || b".,-".contains(&b));
    if !groups_thousands || !is_plain {
        return Err(Unreadable);
    }
    Ok(text::amount(&number.replace(',', ""))?.map(|amount| (amount, currency)))
}

/// The file's time in seconds since 1970; 0 before that.
fn published(row: &CsvRow) -> u64 {
    u64::try_from(row.file.modified.timestamp()).unwrap_or(0)
}

/// A day such as `2024-01-31` as a number that grows with time; 0 without a day.
fn sortable(day: Option<&str>) -> i64 {
    let digits: String = day.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_amount_is_read() {
        let dollars = |amount| Ok(Some((amount, "CAD")));
        for (raw, expected) in [
            ("26773.58", dollars(26773.58)),
            ("$1,317,169.92 CAD", dollars(1317169.92)),
            ("$ 330,000 ", dollars(330000.0)),
            ("$2,500.00 USD", Ok(Some((2500.0, "USD")))),
            ("0", dollars(0.0)),
            ("", Ok(None)),
            ("None", Ok(None)),
            ("76500.0025.95625.00", Err(Unreadable)),
            ("1.182400.00", Err(Unreadable)),
            ("$1,000$2,000", Err(Unreadable)),
            ("1,000 2,000", Err(Unreadable)),
            ("1,0002,000", Err(Unreadable)),
            ("S2,035,000.00", Err(Unreadable)),
            ("at 109 % of the price", Err(Unreadable)),
            ("1,2.3,4", Err(Unreadable)),
            ("1.234,56", Err(Unreadable)),
            ("1,317,169.922,000", Err(Unreadable)),
            ("500.00500", Err(Unreadable)),
        ] {
            assert_eq!(amount(raw), expected, "{raw}");
        }
    }
}
