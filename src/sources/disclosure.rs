//! The proactive disclosure of contracts over $10,000 (43 columns): one record a reference number within `owner_org`.
//!
//! A contract's amendments have reference numbers of their own and stay records of their own; `contract_value` is the
//! cumulative total at the row's time, in Canadian dollars.

use serde_json::{Map, Value, json};

use super::{
    disclosure_codes::{
        AGREEMENT_TYPES, LAND_CLAIMS_AGREEMENTS, LIMITED_TENDERING_REASONS, SOLICITATION_PROCEDURES, TRADE_AGREEMENTS,
        labels,
    },
    intake::{Draft, Rank, Record},
    table::{self, Column, CsvFormat, Row, Rule::*},
    text,
};
use crate::{entity::EntityType, municipality};

pub static FORMAT: CsvFormat = CsvFormat {
    signature: &["reference_number", "owner_org", "commodity_type"],
    required: &[
        "reference_number",
        "owner_org",
        "owner_org_title",
        "vendor_name",
        "contract_date",
        "contract_value",
        "reporting_period",
    ],
    aliases: &[],
    columns: &[COLUMNS],
    entity_type: |_| EntityType::Disclosure,
    draft,
    settle: table::newest,
};

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
    ("buyer_name", "buyer_name", LineOrNa),
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
    ("reference_number", "reference_number", Line),
    ("procurement_id", "procurement_id", Line),
    ("owner_org", "owner_org", Line),
    ("instrument_type", "instrument_type", Line),
    ("standing_offer_number", "standing_offer_number", LineOrNa),
    ("number_of_bids", "number_of_bids", Line),
    ("indigenous_business", "indigenous_business", Line),
];

fn draft(row: &Row, mut record: Record) -> Result<Draft, &'static str> {
    let reference = row.line_of("reference_number").ok_or("no reference number")?;
    let owner = row.line_of("owner_org").ok_or("no owner_org")?;
    record.set("municipality", Some(municipality::FEDERAL));
    record.set("government_level", Some("federal"));
    record.set("currency", record.number("contract_value").map(|_| "CAD"));
    let title = row.raw("owner_org_title");
    let (english, french) = title.split_once(" | ").unwrap_or((title, ""));
    record.set("department_en", text::organization(english));
    record.set("department_fr", text::organization(french));
    record.set("procurement_category", category(row.raw("commodity_type")));
    let postal_code = record.text("vendor_postal_code").unwrap_or_default();
    if record.text("vendor_country").is_none_or(|country| country == "CA") {
        record.set("vendor_province", municipality::province_of_postal_code(postal_code));
    }
    if let Some((english, french)) = labels(SOLICITATION_PROCEDURES, row.raw("solicitation_procedure").trim()) {
        record.set("procurement_method_en", Some(english));
        record.set("procurement_method_fr", Some(french));
    }
    let agreements: Vec<_> = codes(row, "trade_agreement")
        .filter_map(|code| labels(TRADE_AGREEMENTS, code))
        .collect();
    let names: Vec<&str> = agreements.iter().map(|(_, name)| *name).collect();
    record.set("trade_agreements_en", (!names.is_empty()).then(|| names.join("; ")));
    record.set(
        "eligibility",
        eligibility(row, agreements.iter().map(|(short, _)| *short).collect()),
    );
    record.set("record_id", Some(format!("disclosure|{owner},{reference}")));
    Ok(Draft {
        group: format!("{owner},{reference}"),
        member: String::new(),
        rank: Rank(quarter(row.raw("reporting_period")), row.published.timestamp()),
        records: vec![record],
    })
}

fn category(commodity_type: &str) -> Option<&'static str> {
    match commodity_type.trim() {
        "G" => Some("GD"),
        "S" => Some("SRV"),
        "C" => Some("CNST"),
        _ => None,
    }
}

fn codes<'a>(row: &'a Row, column: &str) -> impl Iterator<Item = &'a str> {
    row.raw(column).split([',', ';', '\n']).map(str::trim)
}

fn eligibility(row: &Row, mut agreements: Vec<&str>) -> Option<Value> {
    let mut members = Map::new();
    if agreements.is_empty() {
        let letters = row.raw("agreement_type_code").trim();
        let combination = AGREEMENT_TYPES.iter().find(|(code, _)| *code == letters);
        agreements = combination.map_or(Vec::new(), |(_, names)| names.split(' ').collect());
    }
    if !agreements.is_empty() {
        members.insert("trade_agreements".into(), json!(agreements));
    }
    let (english, french): (Vec<_>, Vec<_>) = codes(row, "limited_tendering_reason")
        .filter_map(|code| labels(LIMITED_TENDERING_REASONS, code))
        .unzip();
    if !english.is_empty() {
        members.insert("limited_tendering_reason_en".into(), english.join("; ").into());
        members.insert("limited_tendering_reason_fr".into(), french.join("; ").into());
    }
    let set_aside = match row.raw("indigenous_business").trim() {
        "NA" => Some("none"),
        "MS" => Some("mandatory"),
        "VS" => Some("voluntary"),
        _ => None,
    };
    if let Some(set_aside) = set_aside {
        members.insert("indigenous_set_aside".into(), set_aside.into());
    }
    let claims: Vec<&str> = codes(row, "land_claims")
        .filter_map(|code| labels(LAND_CLAIMS_AGREEMENTS, code))
        .map(|(english, _)| english)
        .collect();
    if !claims.is_empty() {
        members.insert("land_claims_agreements".into(), json!(claims));
    }
    (!members.is_empty()).then_some(Value::Object(members))
}

/// `2022-2023-Q4` as a number that grows with time.
fn quarter(period: &str) -> u64 {
    let digits: String = period.chars().filter(char::is_ascii_digit).take(9).collect();
    digits.parse().unwrap_or_default()
}
