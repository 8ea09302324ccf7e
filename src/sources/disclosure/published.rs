//! `contracts.csv` of the proactive disclosure, in its current layout (43 columns) and the one
//! before November 2019.

use std::borrow::Cow;

use crate::model::EntityType;
use crate::sources::{
    common::eligibility::Eligibility,
    disclosure::{
        codes::{
            AGREEMENT_TYPES, LAND_CLAIMS_AGREEMENTS, LIMITED_TENDERING_REASONS, SOLICITATION_PROCEDURES,
            TRADE_AGREEMENTS, labels,
        },
        common::{self, DISCLOSURE},
    },
    reading::{Column, ColumnRule::*, CsvFormat, CsvRow, DraftRecord, Recency, RowOutput, text, unknown},
};

pub(crate) static FORMAT: CsvFormat = CsvFormat {
    signature: &["reference_number", "owner_org", "commodity_type"],
    required: &[
        "reference_number",
        "owner_org",
        "vendor_name",
        "contract_date",
        "contract_value",
        "reporting_period",
    ],
    // Former names, from the portal's own migrations.
    aliases: &[
        ("country_of_origin", "country_of_vendor"),
        ("aboriginal_business", "indigenous_business"),
    ],
    columns: &[COLUMNS],
    entity_type: |_| EntityType::Disclosure,
    row_output,
    merge_group: |_| {},
};

/// `contracts.csv` before November 2019, from the portal's own migration of that month. Its
/// `aboriginal_business` is a different column: whether such a business won without a set-aside. A
/// row of the current layout always replaces one of this layout, whichever file was fetched last,
/// because it has the same facts in better quality.
pub(crate) static FORMER: CsvFormat = CsvFormat {
    signature: &["reference_number", "owner_org", "commodity_type", "instrument_type"],
    aliases: &[
        ("commodity_type_code", "commodity_type"),
        ("country_of_origin", "country_of_vendor"),
        ("solicitation_procedure_code", "solicitation_procedure"),
        ("limited_tendering_reason_code", "limited_tendering_reason"),
        ("document_type_code", "instrument_type"),
    ],
    row_output: |row, mut record| {
        // Spellings from the same migration: `CANADIAN`, `USA - United States`.
        let country = row.line_of("country_of_vendor").unwrap_or_default().to_uppercase();
        for (prefix, code) in [("CAN", "CA"), ("USA", "US")] {
            if country.starts_with(prefix) {
                record.set("vendor_country", Some(code));
            }
        }
        let output = row_output(row, record)?;
        let recency = Recency(0, output.recency.1);
        Ok(RowOutput { recency, ..output })
    },
    ..FORMAT
};

/// Both layouts of `contracts.csv`.
pub(crate) static FORMATS: &[&CsvFormat] = &[&FORMAT, &FORMER];

/// `buyer_name` is the purchasing person, not the organization.
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

fn row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
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
    let agreements = codes(row, "trade_agreement").filter_map(|code| labels(TRADE_AGREEMENTS, code));
    let (short_names, names): (Vec<_>, Vec<_>) = agreements.map(|(short, name)| (short, Cow::from(name))).unzip();
    record.set("trade_agreements_en", text::joined(names, "; "));
    record.set("eligibility", eligibility(row, short_names).value());
    Ok(common::complete(row, record, DISCLOSURE, &owner, &reference))
}

fn category(commodity_type: &str) -> Option<&'static str> {
    match code(commodity_type).as_str() {
        "G" => Some("GD"),
        "S" => Some("SRV"),
        "C" => Some("CNST"),
        _ => None,
    }
}

/// The code in a cell. Older files spell codes as `s`, `S: Service(s)`, `SERVICES` or
/// `NON-COMPETITIVE`; they are cleaned by the rules of the portal's migration of November 2019.
fn code(raw: &str) -> String {
    let upper = raw.to_uppercase();
    let code = before_colon(&upper);
    let spelled_out = [
        ("GOOD", "G"),
        ("SERVICE", "S"),
        ("CONSTRUCTION", "C"),
        ("NON-COMPET", "TN"),
    ];
    let known = spelled_out.iter().find(|(prefix, _)| code.starts_with(prefix));
    known.map_or(code, |(_, code)| code).to_owned()
}

fn before_colon(text: &str) -> &str {
    text.split_once(':').map_or(text, |(before, _)| before).trim()
}

/// The codes of a list, without the explanations that older files append to them: `86: Other`.
fn codes<'a>(row: &'a CsvRow, column: &str) -> impl Iterator<Item = &'a str> {
    row.raw(column).split([',', ';', '\n']).map(before_colon)
}

/// `agreements` are the short names of the row's trade agreements. Older files have a letter for
/// their combination instead.
fn eligibility(row: &CsvRow, mut agreements: Vec<&'static str>) -> Eligibility<'static> {
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
    fn codes_of_older_files_are_cleaned() {
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
