//! Numbers that publishers typed where an amount belongs: telephone numbers, and identifiers of the
//! same row.
//!
//! Such a number is not an amount, whatever it adds up to, so it leaves the fields of money and stays
//! in `value_as_published`. Only whole dollars of at least seven digits are looked at: a shorter
//! number, or one with cents, can be an amount by chance.

use super::{fields::FieldValue, row_output::DraftRecord};

/// The fields of money of all entity types, that of the value first.
const MONEY: [&str; 5] = [
    "contract_value",
    "total_contract_value",
    "original_value",
    "amendment_value",
    "extra_spending",
];

const AS_PUBLISHED: &str = "value_as_published";

const IDENTIFIER: &str = "an amount that is a number or telephone number of its own row, left out";

const TELEPHONE: &str = "an amount that is a telephone number of the buyer's province, left out";

/// Area codes of telephone numbers, by the province that `province` names.
const AREA_CODES: [(&str, &[&str]); 13] = [
    ("AB", &["368", "403", "587", "780", "825"]),
    ("BC", &["236", "250", "257", "604", "672", "778"]),
    ("MB", &["204", "431", "584"]),
    ("NB", &["428", "506"]),
    ("NL", &["709", "879"]),
    ("NS", &["782", "902"]),
    ("NT", &["867"]),
    ("NU", &["867"]),
    (
        "ON",
        &[
            "226", "249", "289", "343", "365", "382", "416", "437", "519", "548", "613", "647", "683", "705", "742",
            "753", "807", "905", "942",
        ],
    ),
    ("PE", &["782", "902"]),
    (
        "QC",
        &[
            "263", "354", "367", "418", "438", "450", "468", "514", "579", "581", "819", "873",
        ],
    ),
    ("SK", &["306", "474", "639"]),
    ("YT", &["867"]),
];

/// Decision D-215: takes numbers that are not amounts out of the record's fields of money. Returns the note about the
/// last of them. `others` returns further identifiers of the row, which the record does not keep, and
/// `as_published` an amount as the row writes it, if the row is a text.
pub(crate) fn leave_out<'a>(
    record: &mut DraftRecord,
    others: impl Fn() -> Vec<&'a str>,
    as_published: impl Fn(f64) -> Option<&'a str>,
) -> Option<&'static str> {
    let mut note = None;
    for field in MONEY {
        let Some(amount) = record.number(field) else {
            continue;
        };
        let Some(digits) = whole_dollars(amount) else {
            continue;
        };
        let Some(why) = why_not(record, &digits, &others) else {
            continue;
        };
        note = Some(why);
        record.remove(field);
        if !record.has(AS_PUBLISHED) {
            let published = as_published(amount).map(str::to_owned);
            record.set(AS_PUBLISHED, Some(published.unwrap_or(digits)));
        }
    }
    note
}

/// The digits of an amount without cents that has at least seven of them.
fn whole_dollars(amount: f64) -> Option<String> {
    (amount.fract() == 0.0 && (1e6..1e15).contains(&amount)).then(|| format!("{amount:.0}"))
}

fn why_not<'a>(record: &DraftRecord, digits: &str, others: &impl Fn() -> Vec<&'a str>) -> Option<&'static str> {
    let is_identifier = record.fields.iter().any(|(name, value)| match value {
        FieldValue::Text(text) if SUPPLIERS.contains(&name.text()) => has_number(leading_number(&text), digits),
        FieldValue::Text(text) => names_identifier(name.text()) && has_number(&text, digits),
        _ => false,
    });
    if is_identifier || others().iter().any(|text| has_number(text, digits)) {
        return Some(IDENTIFIER);
    }
    let is_federal = record.text("government_level") == Some("federal");
    let province = record.text("province").filter(|_| !is_federal)?;
    is_telephone(digits, province).then_some(TELEPHONE)
}

/// Whether a field, by its name, holds an identifier of the row.
fn names_identifier(field: &str) -> bool {
    let ends = ["_number", "_id", "_phone"];
    // A `record_id` may contain the amount.
    field != "record_id" && ends.iter().any(|end| field.ends_with(end))
}

/// Whether a column, by its name, holds an identifier of the row.
pub(crate) fn is_identifier_column(name: &str) -> bool {
    let name = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    has(&["phone", "number", "numero", "numéro", "_id"]) && !has(&["amount", "value", "montant", "valeur"])
}

/// The fields with a supplier's name.
const SUPPLIERS: [&str; 4] = [
    "vendor_name",
    "vendor_name_standardized",
    "supplier_legal_name",
    "supplier_operating_name",
];

/// The number of a company that has no other name: `9123-4567 Québec inc.`
fn leading_number(name: &str) -> &str {
    let end = name.find(|c: char| !c.is_ascii_digit() && !matches!(c, ' ' | '-' | '.'));
    &name[..end.unwrap_or(name.len())]
}

/// Whether this number is the only one of a text, or one of several: the second of
/// `SR4532964302 - WS4544437558`, that before an extension (`416 338 5585 x 12`) or a version (`60139003-1`).
fn has_number(text: &str, digits: &str) -> bool {
    // Longer than any numbers and their punctuation: a sentence.
    if text.len() > 40 {
        return false;
    }
    let number = significant(digits);
    let is_it = |part: &str| {
        let own: String = part.chars().filter(char::is_ascii_digit).collect();
        significant(&own) == number
    };
    let between_letters = text.split(|c: char| c.is_alphabetic() || matches!(c, '/' | ';' | ','));
    let each = text.split(|c: char| !c.is_ascii_digit());
    is_it(text) || between_letters.chain(each).any(is_it)
}

/// A number without the zeros before it, which a cell of a spreadsheet loses, and a telephone number
/// without the 1 before it.
fn significant(digits: &str) -> &str {
    let digits = digits.trim_start_matches('0');
    match digits.strip_prefix('1') {
        Some(rest) if rest.len() == TELEPHONE_DIGITS => rest,
        _ => digits,
    }
}

const TELEPHONE_DIGITS: usize = 10;

/// Whether ten digits are a telephone number of the province: area code and exchange are valid, and
/// the number is not round, as a large amount would be.
fn is_telephone(digits: &str, province: &str) -> bool {
    let digits = significant(digits);
    if digits.len() != TELEPHONE_DIGITS || digits.ends_with("000") {
        return false;
    }
    let known = AREA_CODES.iter().find(|(known, _)| *known == province);
    let is_area = known.is_some_and(|(_, codes)| codes.contains(&&digits[..3]));
    let exchange = &digits[3..6];
    is_area && !exchange.starts_with(['0', '1']) && !exchange.ends_with("11")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntityType, FieldType, Schema};

    fn contract(fields: &[(&str, &str)], value: f64) -> DraftRecord {
        let mut record = DraftRecord::new(EntityType::Contract);
        for (name, text) in fields {
            record.set(name, Some(*text));
        }
        record.set("contract_value", Some(value));
        record
    }

    #[test]
    fn a_number_of_the_row_is_not_an_amount() {
        for (name, text, value, is_left_out) in [
            ("contract_id", "CW2313165", 2_313_165.0, true),
            ("solicitation_number", "2282018000", 2_282_018_000.0, true),
            ("vendor_id", "1167094921", 1_167_094_921.0, true),
            ("vendor_id", "1167094921", 1_167_094_921.5, false),
            ("file_number", "123-456", 123_456.0, false),
            ("contract_id", "2313165-1", 2_313_165.0, true),
            ("contract_id", "60139003-1", 60_139_003.0, true),
            ("contract_id", "60139003-1", 601_390_031.0, true),
            ("contract_id", "60139003-1", 6_013_900.0, false),
            ("reference_number", "2016-8000000", 8_000_000.0, true),
            (
                "solicitation_number",
                "SR4532964302 - WS4544437558",
                4_532_964_302.0,
                true,
            ),
            (
                "solicitation_number",
                "SR4532964302 - WS4544437558",
                4_544_437_558.0,
                true,
            ),
            (
                "solicitation_number",
                "SR4532964302 - WS4544437558",
                5_329_643_024.0,
                false,
            ),
            ("solicitation_number", "12-345-67-89", 3_456_789.0, false),
            ("tender_number", "0900000026", 900_000_026.0, true),
            ("tender_number", "00123456", 123_456.0, false),
            ("vendor_name", "2145128 ONTARIO INC", 2_145_128.0, true),
            ("vendor_name", "9123-4567 Québec inc.", 91_234_567.0, true),
            ("vendor_name", "Ontario 2145128", 2_145_128.0, false),
            ("vendor_name", "123 Rue", 123.0, false),
            ("title_en", "2313165", 2_313_165.0, false),
            ("record_id", "toronto|2313165", 2_313_165.0, false),
        ] {
            let mut record = contract(&[(name, text)], value);
            let note = leave_out(&mut record, Vec::new, |_| None);
            assert_eq!(note.is_some(), is_left_out, "{name} {text} {value}");
            assert_eq!(record.has("contract_value"), !is_left_out, "{name} {text} {value}");
            let published = is_left_out.then(|| format!("{value:.0}"));
            assert_eq!(record.text(AS_PUBLISHED), published.as_deref(), "{name} {text} {value}");
        }
        for (other, is_left_out) in [
            ("416-338-5585", true),
            ("1 (416) 338-5585", true),
            ("416 338 5585 x 12", true),
            ("416 338 5585, poste 12", true),
            ("514 555 0100 / 416 338 5585", true),
            ("416338558512", false),
            ("call 416-338-5585 between nine and five, or write", false),
        ] {
            let mut record = contract(&[], 4_163_385_585.0);
            let note = leave_out(&mut record, || vec![other], |_| None);
            assert_eq!(note.is_some(), is_left_out, "{other}");
        }
        let mut record = contract(&[], 14_163_385_585.0);
        let note = leave_out(&mut record, || vec!["416-338-5585"], |_| Some("$14,163,385,585.00"));
        assert_eq!(note, Some(IDENTIFIER));
        assert_eq!(record.text(AS_PUBLISHED), Some("$14,163,385,585.00"));
    }

    #[test]
    fn a_telephone_number_of_the_province_is_not_an_amount() {
        for (level, province, value, is_left_out) in [
            ("municipal", "ON", 9_054_510_208.0, true),
            ("municipal", "ON", 4_163_927_134.0, true),
            ("municipal", "ON", 14_163_927_134.0, true),
            ("municipal", "ON", 24_163_927_134.0, false),
            ("provincial", "QC", 5_148_721_234.0, true),
            ("municipal", "ON", 5_148_721_234.0, false),
            ("municipal", "ON", 1_898_820_680.0, false),
            ("municipal", "ON", 4_160_927_134.0, false),
            ("municipal", "ON", 4_163_000_000.0, false),
            ("municipal", "ON", 416_392_713.0, false),
            ("federal", "ON", 4_163_927_134.0, false),
        ] {
            let mut record = contract(&[("government_level", level), ("province", province)], value);
            let note = leave_out(&mut record, Vec::new, |_| None);
            assert_eq!(note == Some(TELEPHONE), is_left_out, "{level} {province} {value}");
        }
        let mut record = DraftRecord::new(EntityType::Contract);
        record.set("contract_value", Some(5.0));
        assert_eq!(
            leave_out(
                &mut record,
                || panic!("small amounts need no look at the row"),
                |_| None
            ),
            None
        );
    }

    #[test]
    fn columns_with_identifiers_are_known_by_their_names() {
        for (name, is_identifier) in [
            ("Buyer Phone Number", true),
            ("contactInfoPhone-contactInfoTelephone", true),
            ("NUMÉRO", true),
            ("TENDER_ID", true),
            ("contractNumber-numeroContrat", true),
            ("Contract Amount", false),
            ("contractAmount-montantContrat", false),
            ("Award", false),
        ] {
            assert_eq!(is_identifier_column(name), is_identifier, "{name}");
        }
    }

    #[test]
    fn all_fields_of_money_are_looked_at() {
        for entity_type in EntityType::ALL {
            for field in &Schema::of(entity_type).fields {
                let is_money = MONEY.contains(&field.name.as_str());
                assert_eq!(
                    is_money,
                    field.field_type == FieldType::Number,
                    "{entity_type}: {}",
                    field.name
                );
            }
        }
    }
}
