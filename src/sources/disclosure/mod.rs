//! The proactive disclosure of contracts over $10,000: `contracts.csv` (43 columns), and what it shares with the export of
//! the portal's search.
//!
//! A row is a contract or one of its amendments, under a reference number that is unique within `owner_org`;
//! `contract_value` is the cumulative total at the row's time, in Canadian dollars. The rows of one contract become one
//! record: see [`crate::sources::disclosure::contract`]. A row that both files tell is taken from `contracts.csv`, which has both
//! languages and the codes.

pub mod codes;
pub mod contract;
pub mod export;

use std::{borrow::Cow, io::Read};

use crate::model::{entity_type::EntityType, municipality};
use crate::sources::{
    Broken, FileFacts, Reader,
    common::{countries, eligibility::Eligibility},
    disclosure::{
        codes::{
            AGREEMENT_TYPES, LAND_CLAIMS_AGREEMENTS, LIMITED_TENDERING_REASONS, SOLICITATION_PROCEDURES,
            TRADE_AGREEMENTS, labels,
        },
        contract::quarter,
    },
    reading::{
        decode::Utf8,
        intake::{Draft, Intake, Member, Rank, Record, Tally, unknown},
        table::{self, Column, CsvFormat, Opened, Row, Rule::*},
        text,
    },
};

/// The sources, which also begin a row's member in its group: the newest of each is handed to settle.
pub const PUBLISHED: &str = "disclosure";
pub const EXPORT: &str = "disclosure-export";

pub static FORMAT: CsvFormat = CsvFormat {
    signature: &["reference_number", "owner_org", "commodity_type"],
    required: &[
        "reference_number",
        "owner_org",
        "vendor_name",
        "contract_date",
        "contract_value",
        "reporting_period",
    ],
    // Former names, as the portal's own migrations tell them.
    aliases: &[
        ("country_of_origin", "country_of_vendor"),
        ("aboriginal_business", "indigenous_business"),
    ],
    columns: &[COLUMNS],
    entity_type: |_| EntityType::Disclosure,
    draft,
    settle: |_| {},
};

/// `contracts.csv` before November 2019, as the portal's own migration of that month tells its columns. `aboriginal_business`
/// is another column there: whether such a business won without a set-aside. What the file tells, that of today tells better, whichever
/// was fetched last.
pub static FORMER: CsvFormat = CsvFormat {
    signature: &["reference_number", "owner_org", "commodity_type", "instrument_type"],
    aliases: &[
        ("commodity_type_code", "commodity_type"),
        ("country_of_origin", "country_of_vendor"),
        ("solicitation_procedure_code", "solicitation_procedure"),
        ("limited_tendering_reason_code", "limited_tendering_reason"),
        ("document_type_code", "instrument_type"),
    ],
    draft: |row, mut record| {
        // `CANADIAN`, `USA - United States`, by the same migration.
        let country = row.line_of("country_of_vendor").unwrap_or_default().to_uppercase();
        let prefixes = [("CAN", "CA"), ("USA", "US")];
        let known = prefixes.iter().find(|(prefix, _)| country.starts_with(prefix));
        if let Some((_, code)) = known {
            record.set("vendor_country", Some(*code));
        }
        let draft = draft(row, record)?;
        let rank = Rank(0, draft.rank.1);
        Ok(Draft { rank, ..draft })
    },
    ..FORMAT
};

/// Those of this file.
pub static PUBLISHED_FORMATS: &[&CsvFormat] = &[&FORMAT, &FORMER];

static FORMATS: &[&CsvFormat] = &[&FORMAT, &FORMER, &export::FORMAT];

/// Reads both files.
pub struct Disclosures;

impl Reader for Disclosures {
    fn read(&mut self, file: &FileFacts, input: Utf8<&mut dyn Read>, out: &mut Intake) -> Result<(), Broken> {
        let opened = Opened::new(input)?;
        let header = opened.first.clone();
        let format = table::format_of(FORMATS, &header).unwrap_or(&FORMAT);
        format.read_each(file, opened, &header, out, group)
    }

    fn settle(&mut self, members: &mut [Member], tallies: &mut [Tally]) {
        contract::settle(members, tallies);
    }
}

/// Puts the rows of one procurement into one group. A row of a reference number that was met before belongs where that went,
/// even where its procurement's number was corrected meanwhile.
fn group(draft: &mut Draft) -> Option<String> {
    let procurement = draft.records.first().and_then(contract::procurement);
    let reference = draft.group.clone();
    if let Some(procurement) = procurement {
        draft.group = procurement;
    }
    Some(reference)
}

/// `buyer_name` is the person who bought, not the organization.
#[rustfmt::skip]
static COLUMNS: &[Column] = &[
    ("award_date", "contract_date", Day),
    ("start_date", "contract_period_start", Day),
    ("end_date", "delivery_date", Day),
    ("vendor_name", "vendor_name", Line),
    ("vendor_postal_code", "vendor_postal_code", PostalCode),
    ("vendor_country", "country_of_vendor", LineOrNa),
    ("contract_value", "contract_value", Money),
    ("original_value", "original_value", Money),
    ("amendment_value", "amendment_value", Money),
    ("contact_name", "buyer_name", LineOrNa),
    ("description_en", "description_en", Line),
    ("description_fr", "description_fr", Line),
    ("comments_en", "comments_en", Block),
    ("comments_fr", "comments_fr", Block),
    ("additional_comments_en", "additional_comments_en", Block),
    ("additional_comments_fr", "additional_comments_fr", Block),
    ("commodity_code", "commodity_code", Line),
    ("economic_object_code", "economic_object_code", Line),
    ("reporting_period", "reporting_period", Line),
    ("solicitation_procedure", "solicitation_procedure", Line),
    ("procurement_id", "procurement_id", Line),
    ("instrument_type", "instrument_type", Line),
    ("standing_offer_number", "standing_offer_number", LineOrNa),
    ("number_of_bids", "number_of_bids", Line),
    ("indigenous_business", "indigenous_business", Line),
];

fn draft(row: &Row, mut record: Record) -> Result<Draft, &'static str> {
    let reference = row.line_of("reference_number").ok_or("no reference number")?;
    let owner = row.line_of("owner_org").ok_or("no owner_org")?;
    let title = row.raw("owner_org_title");
    let (english, french) = title.split_once(" | ").unwrap_or((title, ""));
    record.set("department_en", text::organization(english));
    record.set("department_fr", text::organization(french));
    let commodity = row.raw("commodity_type");
    record.set("procurement_category", category(commodity));
    if category(commodity).is_none() && text::as_line(commodity).is_some() {
        row.note(unknown("commodity_type", commodity));
    }
    let procedure = code(row.raw("solicitation_procedure"));
    if labels(SOLICITATION_PROCEDURES, &procedure).is_some() {
        record.set("solicitation_procedure", Some(procedure));
    }
    let agreements: Vec<_> = codes(row, "trade_agreement")
        .filter_map(|code| labels(TRADE_AGREEMENTS, code))
        .collect();
    let names: Vec<&str> = agreements.iter().map(|(_, name)| *name).collect();
    record.set("trade_agreements_en", (!names.is_empty()).then(|| names.join("; ")));
    record.set("eligibility", eligibility(row, &agreements).value());
    Ok(complete(row, record, PUBLISHED, &owner, &reference))
}

/// What the row of either file becomes once its columns are read.
pub fn complete(row: &Row, mut record: Record, source: &str, owner: &str, reference: &str) -> Draft {
    record.set("municipality", Some(municipality::FEDERAL));
    record.set("government_level", Some("federal"));
    record.set("currency", record.number("contract_value").map(|_| "CAD"));
    record.set("owner_org", Some(owner));
    record.set("reference_number", Some(reference));
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
    Draft {
        group: format!("{owner},{reference}"),
        member: format!("{source},{reference}"),
        rank: Rank(period, row.file.modified.timestamp()),
        records: vec![record],
    }
}

fn category(commodity_type: &str) -> Option<&'static str> {
    match code(commodity_type).as_str() {
        "G" => Some("GD"),
        "S" => Some("SRV"),
        "C" => Some("CNST"),
        _ => None,
    }
}

/// A code as former files have it, read by the rules of the portal's migration of November 2019: `s`, `S: Service(s)`, `SERVICES`,
/// `NON-COMPETITIVE`.
fn code(raw: &str) -> String {
    let upper = raw.to_uppercase();
    let code = upper.split(':').next().unwrap_or_default().trim();
    let words = [
        ("GOOD", "G"),
        ("SERVICE", "S"),
        ("CONSTRUCTION", "C"),
        ("NON-COMPET", "TN"),
    ];
    let known = words.iter().find(|(word, _)| code.starts_with(word));
    known.map_or(code, |(_, code)| code).to_owned()
}

/// The codes of a list, without the explanations that former files have behind them: `86: Other`.
fn codes<'a>(row: &'a Row, column: &str) -> impl Iterator<Item = &'a str> {
    let codes = row.raw(column).split([',', ';', '\n']);
    codes.map(|code| code.split(':').next().unwrap_or_default().trim())
}

fn eligibility(row: &Row, agreements: &[(&'static str, &str)]) -> Eligibility<'static> {
    let mut agreements: Vec<&'static str> = agreements.iter().map(|(short, _)| *short).collect();
    if agreements.is_empty() {
        let letters = row.raw("agreement_type_code").trim();
        let combination = AGREEMENT_TYPES.iter().find(|(code, _)| *code == letters);
        agreements = combination.map_or(Vec::new(), |(_, names)| names.split(' ').collect());
    }
    let (english, french): (Vec<_>, Vec<_>) = codes(row, "limited_tendering_reason")
        .filter_map(|code| labels(LIMITED_TENDERING_REASONS, code))
        .map(|(english, french)| (Cow::from(english), Cow::from(french)))
        .unzip();
    Eligibility {
        trade_agreements: agreements.into_iter().map(Cow::from).collect(),
        limited_tendering_reason_en: text::joined(english, "; "),
        limited_tendering_reason_fr: text::joined(french, "; "),
        indigenous_set_aside: match row.raw("indigenous_business").trim() {
            "NA" => Some("none"),
            "MS" => Some("mandatory"),
            "VS" => Some("voluntary"),
            _ => None,
        },
        land_claims_agreements: codes(row, "land_claims")
            .filter_map(|code| labels(LAND_CLAIMS_AGREEMENTS, code))
            .map(|(english, _)| english.into())
            .collect(),
        ..Eligibility::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_codes_are_cleaned_as_the_publisher_cleaned_them() {
        for (raw, cleaned) in [
            ("S", "S"),
            ("s ", "S"),
            ("S: Service(s)", "S"),
            ("SERVICES", "S"),
            ("Goods", "G"),
            ("Construction", "C"),
            ("TC: Traditional Competitive", "TC"),
            ("Non-Competitive", "TN"),
            ("86: Other", "86"),
            ("", ""),
        ] {
            assert_eq!(code(raw), cleaned, "{raw}");
        }
        assert_eq!(category("goods"), Some("GD"));
        assert_eq!(category("X"), None);
    }
}
