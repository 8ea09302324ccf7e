//! The tender notices of buyandsell.gc.ca, frozen in 2022 (24 columns): one row per notice,
//! amendment and language, one record per notice and amendment.
//!
//! Lists are separated by commas, codes and their descriptions by colons, and the contact's name,
//! numbers and address by commas too. As with CanadaBuys' notices, the newest amendment has the
//! identifier without a suffix; older ones get their amendment number as suffix.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::model::{EntityType, municipality};
use crate::sources::{
    common::eligibility::Eligibility,
    pspc::{
        amendments,
        common::{self, BUYANDSELL_PREFIX},
    },
    reading::{Column, ColumnRule::*, CsvFormat, CsvRow, DraftRecord, GroupMember, RowOutput, text},
};

const REFERENCE: &str = "reference_number";
const AMENDMENT: &str = "amendment_number";
const LANGUAGE: &str = "language";
const NOTICE_TYPE: &str = "notice_type";
const CLOSING: &str = "date_closing";

pub(crate) static FORMAT: CsvFormat = CsvFormat {
    signature: &[LANGUAGE, REFERENCE, "publishing_status", "tendering_procedure"],
    required: &[AMENDMENT, NOTICE_TYPE, "title"],
    aliases: &[],
    columns: &[COLUMNS],
    entity_type,
    row_output,
    merge_group: |_| {},
};

/// Columns with the same value in both languages.
#[rustfmt::skip]
static COLUMNS: &[Column] = &[
    ("publication_date", "publication_date", Day),
    ("closing_date", CLOSING, Day),
    ("tender_close_date", CLOSING, Moment),
    ("status", "publishing_status", Line),
    ("buyer_name", "procurement_entity", Organization),
    ("reference_number", REFERENCE, Line),
    ("amendment_number", AMENDMENT, Line),
    ("amendment_date", "amendment_date", Day),
    ("solicitation_number", "solicitation_number", Line),
    ("tender_id", REFERENCE, Line),
    ("tender_number", "solicitation_number", Line),
];

/// Fields with a `_en` and a `_fr` form, and the column that fills the form of the row's language.
const LANGUAGE_COLUMNS: [(&str, &str); 3] = [
    ("title", "title"),
    ("status", "publishing_status"),
    ("procurement_method", "tendering_procedure"),
];

/// Abbreviations, English name, French name, entity type.
type NoticeType = (&'static [&'static str], &'static str, &'static str, EntityType);

/// The notice types. A code joins the French and the English abbreviation: `APM-NPP`.
#[rustfmt::skip]
const NOTICE_TYPES: [NoticeType; 4] = [
    (&["NPP", "APM"], "Notice of Proposed Procurement", "Avis de projet de marché", EntityType::Tender),
    (&["ACAN", "PAC"], "Advance Contract Award Notice", "Préavis d’adjudication de contrat", EntityType::PreSolicitation),
    (&["RFI", "DDR"], "Request for Information", "Demande de renseignements", EntityType::PreSolicitation),
    (&["LOI", "LI"], "Letter of Interest", "Lettre d’intérêt", EntityType::PreSolicitation),
];

fn notice_type(row: &CsvRow) -> Option<&'static NoticeType> {
    let stated = row.raw(NOTICE_TYPE).trim();
    let is_stated = |(abbreviations, english, french, _): &&NoticeType| {
        stated.split('-').all(|part| abbreviations.contains(&part)) || stated == *english || stated == *french
    };
    NOTICE_TYPES.iter().find(is_stated)
}

/// Whether the record's notice type is a known one, so that its entity type is certain.
pub(crate) fn has_known_notice_type(record: &DraftRecord) -> bool {
    let stated = record.text("notice_type_en");
    NOTICE_TYPES.iter().any(|(_, english, ..)| stated == Some(english))
}

fn entity_type(row: &CsvRow) -> EntityType {
    notice_type(row).map_or(EntityType::Tender, |(.., entity_type)| *entity_type)
}

fn row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let reference = row.line_of(REFERENCE).ok_or("no reference number")?;
    let language = match row.raw(LANGUAGE).trim() {
        "English" => "en",
        "Français" => "fr",
        _ => return Err("a language that is neither English nor French"),
    };
    record.set_jurisdiction(municipality::FEDERAL, "federal", None);
    for (field, column) in LANGUAGE_COLUMNS {
        record.set(&format!("{field}_{language}"), row.line_of(column));
    }
    // A cell with separators only names none.
    let regions = row.line_of("region_delivery").map(|regions| parts(&regions).join("; "));
    let regions = regions.filter(|regions| !regions.is_empty());
    record.set(&format!("regions_of_delivery_{language}"), regions);
    record.set(&format!("description_{language}"), text::block(row.raw("description")));
    let department = text::organization(row.raw("end_user_entity"));
    let department = department.or_else(|| text::organization(row.raw("procurement_entity")));
    record.set(&format!("department_{language}"), department);
    match notice_type(row) {
        Some((_, english, french, _)) => {
            record.set("notice_type_en", Some(*english));
            record.set("notice_type_fr", Some(*french));
        }
        None => record.set(&format!("notice_type_{language}"), row.line_of(NOTICE_TYPE)),
    }
    set_commodities(row, &mut record, language);
    record.set("eligibility", eligibility(row, language).value());
    if language == "en" {
        record.set("trade_agreements_en", row.line_of("trade_agreement"));
    }
    record.set("documents", documents(row));
    let contact = BuyerContact::of(&row.line_of("contact").unwrap_or_default());
    record.set("contact_name", contact.name);
    record.set("contact_phone", contact.phone);
    record.set("contact_email", contact.email);
    record.set("record_id", Some(format!("buyandsell|{reference}")));
    let amendment = row.line_of(AMENDMENT).unwrap_or_default();
    Ok(RowOutput {
        group: common::notice_group(&reference),
        recency: common::recency(row, &amendment),
        key: format!("{BUYANDSELL_PREFIX}{amendment}|{language}"),
        records: vec![record],
        bids: None,
    })
}

fn eligibility<'a>(row: &CsvRow<'a>, language: &str) -> Eligibility<'a> {
    let reason = row.line_of("non_competitive_procurement_strategy");
    let criteria = row.line_of("competitive_procurement_strategy");
    if language == "fr" {
        return Eligibility {
            limited_tendering_reason_fr: reason,
            selection_criteria_fr: criteria,
            ..Eligibility::default()
        };
    }
    let agreements = row.line_of("trade_agreement").map(|list| common::agreements(&list));
    let regions = row.line_of("region_opportunity").map(|list| parts(&list));
    Eligibility {
        trade_agreements: agreements.unwrap_or_default(),
        regions_of_opportunity: regions.unwrap_or_default(),
        limited_tendering_reason_en: reason,
        selection_criteria_en: criteria,
        ..Eligibility::default()
    }
}

/// Merges the two languages of each amendment into the English row. Its values count where both
/// have one.
pub(crate) fn join_languages(members: &mut [GroupMember]) {
    for english in 0..members.len() {
        let Some(amendment) = members[english].key.strip_suffix("|en") else {
            continue;
        };
        let other = format!("{amendment}|fr");
        let Some(french) = members.iter().position(|member| member.key == other) else {
            continue;
        };
        let french = std::mem::take(&mut members[french].records);
        for (notice, other) in members[english].records.iter_mut().zip(french) {
            amendments::fill(notice, &other, |_| true);
        }
    }
}

fn parts(list: &str) -> Vec<Cow<'static, str>> {
    list.split(',').filter_map(text::line).map(Cow::from).collect()
}

fn set_commodities(row: &CsvRow, record: &mut DraftRecord, language: &str) {
    let commodities = commodities(&row.line_of("gsin").unwrap_or_default());
    let (codes, descriptions): (Vec<String>, Vec<String>) = commodities.into_iter().unzip();
    record.set("gsin", text::joined(codes.into_iter().map(Cow::from).collect(), ","));
    let descriptions = descriptions.into_iter().filter(|text| !text.is_empty()).map(Cow::from);
    let descriptions = text::joined(descriptions.collect(), "; ");
    record.set(&format!("gsin_description_{language}"), descriptions);
}

/// The codes and descriptions of `D302A: Informatics, R019BF: Services, Consulting`. A description
/// may contain commas and colons.
fn commodities(list: &str) -> Vec<(String, String)> {
    let mut commodities: Vec<(String, String)> = Vec::new();
    for part in list.split(", ") {
        let coded = part.split_once(':').filter(|(code, _)| is_commodity_code(code));
        if let Some((code, description)) = coded {
            commodities.push((code.to_owned(), description.trim().to_owned()));
        } else if let Some((_, description)) = commodities.last_mut() {
            description.push_str(", ");
            description.push_str(part);
        }
    }
    commodities
}

fn is_commodity_code(code: &str) -> bool {
    let is_code_character = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    (2..=8).contains(&code.len()) && code.bytes().all(is_code_character) && code.bytes().any(|b| b.is_ascii_digit())
}

fn documents(row: &CsvRow) -> Option<Value> {
    let mut addresses: Vec<String> = Vec::new();
    for column in ["document", "attachment"] {
        for url in common::urls(row.raw(column)) {
            if !addresses.contains(&url) {
                addresses.push(url);
            }
        }
    }
    let documents = addresses.iter().enumerate();
    let documents: Vec<Value> = documents.map(|(n, url)| json!({"doc_index": n, "url": url})).collect();
    if documents.is_empty() {
        None
    } else {
        Some(Value::Array(documents))
    }
}

/// The contact of a notice: `Desk, Purchasing, (819) 555-0100 (    ), (819) 555-0101, 11 Laurier
/// St…`.
#[derive(Debug, Default, PartialEq, Eq)]
struct BuyerContact {
    name: Option<String>,
    phone: Option<String>,
    email: Option<String>,
}

impl BuyerContact {
    fn of(raw: &str) -> BuyerContact {
        let has_digit = |part: &&str| part.bytes().any(|b| b.is_ascii_digit());
        let is_name = |part: &&str| !has_digit(part) && !part.contains('@');
        // A surname and a given name. Further parts without a digit would be an address.
        let name: Vec<&str> = raw.split(", ").take_while(is_name).take(2).collect();
        let phone = raw.split(", ").find(has_digit).filter(|part| is_phone(part));
        let email = raw.split([' ', ',']).find(|word| word.contains('@'));
        BuyerContact {
            name: text::line(&name.join(", ")),
            phone: phone.and_then(|phone| text::line(phone.trim_end_matches(['(', ')', ' ']))),
            email: email.and_then(text::line),
        }
    }
}

/// Whether the text is a phone number: ten digits or more, blanks and `()-.+x`.
fn is_phone(part: &str) -> bool {
    part.bytes().filter(u8::is_ascii_digit).count() >= 10
        && part.bytes().all(|b| b.is_ascii_digit() || b" ()-.+x".contains(&b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commodity_descriptions_may_contain_commas() {
        assert_eq!(
            commodities("D302A: Informatics, Professional, R019BF: Services; Consulting: more"),
            [
                ("D302A".to_owned(), "Informatics, Professional".to_owned()),
                ("R019BF".to_owned(), "Services; Consulting: more".to_owned()),
            ]
        );
        assert_eq!(commodities("no code"), []);
    }

    #[test]
    fn contacts_are_split_into_name_phone_and_email() {
        let contact = |name: Option<&str>, phone: Option<&str>, email: Option<&str>| BuyerContact {
            name: name.map(str::to_owned),
            phone: phone.map(str::to_owned),
            email: email.map(str::to_owned),
        };
        for (raw, expected) in [
            (
                "Desk, Purchasing, (819) 555-0100 (    ), (819) 555-0101, 11 Laurier St Gatineau",
                contact(Some("Desk, Purchasing"), Some("(819) 555-0100"), None),
            ),
            (
                "Desk, Purchasing, purchasing@example.gc.ca, 11 Laurier St",
                contact(Some("Desk, Purchasing"), None, Some("purchasing@example.gc.ca")),
            ),
            ("", contact(None, None, None)),
        ] {
            assert_eq!(BuyerContact::of(raw), expected);
        }
    }

    proptest! {
        #[test]
        fn no_list_makes_parsing_panic(raw in "[A-Z0-9:, @()/é-]{0,60}") {
            let _ = (commodities(&raw), BuyerContact::of(&raw), parts(&raw));
        }
    }
}
