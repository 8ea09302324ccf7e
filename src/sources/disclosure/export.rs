//! The export of the proactive disclosure's search: the rows of `contracts.csv` with other column
//! names, in English only, with labels instead of codes, and with some texts encoded twice.

use std::{borrow::Cow, sync::LazyLock};

use rustc_hash::FxHashMap;

use crate::model::{EntityType, fold::fold};
use crate::sources::{
    common::eligibility::Eligibility,
    disclosure::{
        codes::{Code, LAND_CLAIMS_AGREEMENTS, LIMITED_TENDERING_REASONS, SOLICITATION_PROCEDURES, TRADE_AGREEMENTS},
        common::{self, DISCLOSURE_EXPORT},
    },
    reading::{Column, ColumnRule::*, CsvFormat, CsvRow, DraftRecord, RowOutput, text},
};

/// `owner_org,reference_number`
const ID: &str = "id";
const INSTRUMENT: &str = "instrument_type";

pub(crate) static FORMAT: CsvFormat = CsvFormat {
    signature: &[ID, "procurement_identification_number", "total_contract_value"],
    required: &[
        INSTRUMENT,
        "vendor_name",
        "contract_date",
        "original_contract_value",
        "reporting_period",
    ],
    aliases: &[],
    columns: &[COLUMNS],
    entity_type: |_| EntityType::Disclosure,
    row_output,
    merge_group: |_| {},
};

#[rustfmt::skip]
static COLUMNS: &[Column] = &[
    ("award_date", "contract_date", Day),
    ("start_date", "contract_period_start_date", Day),
    ("end_date", "contract_period_end_date_or_delivery_date", Day),
    ("vendor_name", "vendor_name", Line),
    ("vendor_postal_code", "vendor_postal_code", PostalCode),
    ("vendor_country", "country_of_vendor", Line),
    ("contract_value", "total_contract_value", Money),
    ("original_value", "original_contract_value", Money),
    ("amendment_value", "contract_amendment_value", Money),
    ("contact_name", "buyer_name", LineOrNa),
    ("department_en", "organization", Organization),
    ("description_en", "description_of_work_english", Line),
    ("comments_en", "comments_english", Block),
    ("additional_comments_en", "additional_comments_english", Block),
    ("commodity_code", "commodity_code", Line),
    ("economic_object_code", "economic_object_code", Line),
    ("reporting_period", "reporting_period", Line),
    ("procurement_id", "procurement_identification_number", Line),
    ("standing_offer_number", "standing_offer_or_supply_arrangement_number", LineOrNa),
    ("number_of_bids", "number_of_bids", Line),
];

fn row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let id = row.line_of(ID).ok_or("no id")?;
    let (owner, reference) = id
        .split_once(',')
        .map(|(owner, reference)| (owner.trim(), reference.trim()))
        .filter(|(owner, reference)| !owner.is_empty() && !reference.is_empty())
        .ok_or("an id that is not owner_org,reference_number")?;
    record.set("procurement_category", category(row));
    record.set("instrument_type", row.line_of(INSTRUMENT).map(instrument));
    let procedure = row.line_of("solicitation_procedure");
    record.set("solicitation_procedure", procedure.map(procedure_code));
    let set_aside = set_aside(row);
    record.set("indigenous_business", set_aside.map(|(code, _)| code));
    let (agreements, names) = labelled(row, &AGREEMENTS, "trade_agreements");
    record.set("trade_agreements_en", text::joined(names, "; "));
    let (english, french) = labelled(row, &LIMITING_REASONS, "limited_tendering_reason");
    let (claims, _) = labelled(row, &LAND_CLAIMS, "comprehensive_land_claims_agreement");
    let eligibility = Eligibility {
        trade_agreements: agreements,
        limited_tendering_reason_en: text::joined(english, "; "),
        limited_tendering_reason_fr: text::joined(french, "; "),
        indigenous_set_aside: set_aside.map(|(_, value)| value),
        land_claims_agreements: claims,
        ..Eligibility::default()
    };
    record.set("eligibility", eligibility.value());
    Ok(common::complete(row, record, DISCLOSURE_EXPORT, owner, reference))
}

fn instrument(label: Cow<str>) -> Cow<str> {
    match label.as_ref() {
        "Contract" => "C".into(),
        "Amendment" => "A".into(),
        _ if label.starts_with("Standing Offer") => "SOSA".into(),
        _ => label,
    }
}

fn category(row: &CsvRow) -> Option<&'static str> {
    match row.raw("commodity").trim() {
        "Good" => Some("GD"),
        "Service" => Some("SRV"),
        "Construction" => Some("CNST"),
        _ => None,
    }
}

/// The code of the Indigenous set-aside and its value in `eligibility`. The export numbers its
/// labels: `1. None`.
fn set_aside(row: &CsvRow) -> Option<(&'static str, &'static str)> {
    let label = row.raw("procurement_strategy_for_indigenous_business").trim();
    let label = label.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    match fold(label).as_str() {
        "none" => Some(("NA", "none")),
        "mandatory set aside" => Some(("MS", "mandatory")),
        "voluntary set aside" => Some(("VS", "voluntary")),
        _ => None,
    }
}

fn procedure_code(label: Cow<str>) -> Cow<str> {
    match known(&PROCEDURES, &label) {
        Some((code, ..)) => (*code).into(),
        None => label,
    }
}

/// The rows of a code table by their folded labels, with and without the explanation in brackets.
type RowsByLabel = LazyLock<FxHashMap<String, &'static Code>>;

static PROCEDURES: RowsByLabel = LazyLock::new(|| by_label(SOLICITATION_PROCEDURES));
static AGREEMENTS: RowsByLabel = LazyLock::new(|| by_label(TRADE_AGREEMENTS));
static LIMITING_REASONS: RowsByLabel = LazyLock::new(|| by_label(LIMITED_TENDERING_REASONS));
static LAND_CLAIMS: RowsByLabel = LazyLock::new(|| by_label(LAND_CLAIMS_AGREEMENTS));

fn by_label(table: &'static [Code]) -> FxHashMap<String, &'static Code> {
    let mut rows = FxHashMap::default();
    for row in table {
        // In the table of trade agreements, the second column is the short name, the third the
        // English name.
        let (_, second, third) = row;
        for label in [second, third] {
            let head = label.split(" (").next().unwrap_or(label);
            rows.entry(fold(label)).or_insert(row);
            rows.entry(fold(head)).or_insert(row);
        }
    }
    rows
}

fn known(table: &RowsByLabel, label: &str) -> Option<&'static Code> {
    table.get(&fold(label)).copied()
}

/// The second and third columns of the table rows whose labels are listed in a column of the file.
/// An unknown label is returned unchanged for both.
fn labelled<'a>(row: &CsvRow, table: &RowsByLabel, column: &str) -> (Vec<Cow<'a, str>>, Vec<Cow<'a, str>>) {
    let stated = row.line_of(column).map(|list| parts(table, &list)).unwrap_or_default();
    let both = stated.into_iter().map(|label| match known(table, &label) {
        Some((_, second, third)) => ((*second).into(), (*third).into()),
        None => (label.clone().into(), label.into()),
    });
    both.unzip()
}

/// The labels of a list. They are separated by commas without a blank, but some labels contain such
/// a comma, so a list that is one known label stays whole.
fn parts(table: &RowsByLabel, list: &str) -> Vec<String> {
    if known(table, list).is_some() {
        return vec![list.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    for part in list.split(',') {
        match parts.last_mut() {
            Some(last) if part.starts_with(' ') || last.ends_with(' ') => {
                last.push(',');
                last.push_str(part);
            }
            _ if part.is_empty() => {}
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commas_inside_labels_do_not_split_them() {
        let parts = |list| parts(&LIMITING_REASONS, list);
        let confidential = LIMITED_TENDERING_REASONS
            .iter()
            .find(|(code, ..)| *code == "23")
            .unwrap()
            .1;
        assert_eq!(parts(confidential), [confidential]);
        assert_eq!(
            parts("Additional Deliveries (formerly Interchangeable Parts),Exclusive Rights"),
            [
                "Additional Deliveries (formerly Interchangeable Parts)",
                "Exclusive Rights"
            ]
        );
        assert_eq!(
            parts(&format!("{confidential},Exclusive Rights")),
            [confidential, "Exclusive Rights"]
        );
    }

    #[test]
    fn labels_are_found_without_their_explanation() {
        for (label, code) in [
            ("Competitive – Open Bidding", "OB"),
            ("Competitive – Traditional", "TC"),
            ("Non-Competitive", "TN"),
        ] {
            assert_eq!(known(&PROCEDURES, label).unwrap().0, code);
        }
        assert_eq!(known(&PROCEDURES, "Competitive"), None);
    }

    proptest! {
        #[test]
        fn no_list_makes_parsing_panic(list in "[A-Z, ()a-e]{0,40}") {
            let _ = (parts(&AGREEMENTS, &list), known(&LAND_CLAIMS, &list), instrument(list.into()));
        }
    }
}
