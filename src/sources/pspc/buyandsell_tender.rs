//! The tender notices of buyandsell.gc.ca, frozen in 2022 (24 columns): one row a notice, amendment and language, one
//! record a notice and amendment.
//!
//! Lists are joined by commas, codes and their texts by colons, the contact's name, numbers and address by commas too. As
//! with CanadaBuys' notices, the newest amendment has the plain id and older ones their number behind it.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::model::{entity_type::EntityType, municipality};
use crate::sources::{
    common::eligibility::Eligibility,
    pspc::{self, FORMER, canadabuys, canadabuys_tender::urls},
    reading::{
        intake::{Draft, Member, Record},
        table::{Column, CsvFormat, Row, Rule::*},
        text,
    },
};

const REFERENCE: &str = "reference_number";
const AMENDMENT: &str = "amendment_number";
const LANGUAGE: &str = "language";
const NOTICE_TYPE: &str = "notice_type";
const CLOSING: &str = "date_closing";

pub static FORMAT: CsvFormat = CsvFormat {
    signature: &[LANGUAGE, REFERENCE, "publishing_status", "tendering_procedure"],
    required: &[AMENDMENT, NOTICE_TYPE, "title"],
    aliases: &[],
    columns: &[COLUMNS],
    entity_type,
    draft,
    settle: |_| {},
};

/// What reads the same in both languages.
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

/// A line of each language's row.
const BOTH: [(&str, &str); 3] = [
    ("title", "title"),
    ("status", "publishing_status"),
    ("procurement_method", "tendering_procedure"),
];

/// The codes of notice types, French and English abbreviation joined, and what they stand for.
#[rustfmt::skip]
const NOTICE_TYPES: [(&[&str], &str, &str, EntityType); 4] = [
    (&["NPP", "APM"], "Notice of Proposed Procurement", "Avis de projet de marché", EntityType::Tender),
    (&["ACAN", "PAC"], "Advance Contract Award Notice", "Préavis d’adjudication de contrat", EntityType::PreSolicitation),
    (&["RFI", "DDR"], "Request for Information", "Demande de renseignements", EntityType::PreSolicitation),
    (&["LOI", "LI"], "Letter of Interest", "Lettre d’intérêt", EntityType::PreSolicitation),
];

type NoticeType = (&'static [&'static str], &'static str, &'static str, EntityType);

fn notice_type(row: &Row) -> Option<&'static NoticeType> {
    let code = row.raw(NOTICE_TYPE).trim();
    let is_meant = |(words, english, french, _): &&NoticeType| {
        code.split('-').all(|part| words.contains(&part)) || code == *english || code == *french
    };
    NOTICE_TYPES.iter().find(is_meant)
}

/// Whether a record's notice type is one that tells its kind.
pub fn has_known_type(record: &Record) -> bool {
    let told = record.text("notice_type_en");
    NOTICE_TYPES.iter().any(|(_, english, ..)| told == Some(english))
}

fn entity_type(row: &Row) -> EntityType {
    notice_type(row).map_or(EntityType::Tender, |(.., kind)| *kind)
}

fn draft(row: &Row, mut record: Record) -> Result<Draft, &'static str> {
    let reference = row.line_of(REFERENCE).ok_or("no reference number")?;
    let language = match row.raw(LANGUAGE).trim() {
        "English" => "en",
        "Français" => "fr",
        _ => return Err("a language that is neither English nor French"),
    };
    record.set("municipality", Some(municipality::FEDERAL));
    record.set("government_level", Some("federal"));
    let named = |field: &str| format!("{field}_{language}");
    for (field, column) in BOTH {
        record.set(&named(field), row.line_of(column));
    }
    let regions = row.line_of("region_delivery").map(|regions| parts(&regions).join("; "));
    record.set(&named("regions_of_delivery"), regions);
    record.set(&named("description"), text::block(row.raw("description")));
    let department = text::organization(row.raw("end_user_entity"));
    let buyer = || text::organization(row.raw("procurement_entity"));
    record.set(&named("department"), department.or_else(buyer));
    match notice_type(row) {
        Some((_, english, french, _)) => {
            record.set("notice_type_en", Some(*english));
            record.set("notice_type_fr", Some(*french));
        }
        None => record.set(&named("notice_type"), row.line_of(NOTICE_TYPE)),
    }
    let (codes, texts): (Vec<String>, Vec<String>) = commodities(&row.line_of("gsin").unwrap_or_default())
        .into_iter()
        .unzip();
    record.set("gsin", (!codes.is_empty()).then(|| codes.join(",")));
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    record.set(
        &named("gsin_description"),
        (!texts.is_empty()).then(|| texts.join("; ")),
    );
    let stated = row.line_of("trade_agreement");
    let strategy = row.line_of("competitive_procurement_strategy");
    let reason = row.line_of("non_competitive_procurement_strategy");
    let regions = row.line_of("region_opportunity");
    let eligibility = match language {
        "en" => Eligibility {
            trade_agreements: stated.as_deref().map(agreements).unwrap_or_default(),
            regions_of_opportunity: regions.map(|regions| parts(&regions)).unwrap_or_default(),
            limited_tendering_reason_en: reason,
            selection_criteria_en: strategy,
            ..Eligibility::default()
        },
        _ => Eligibility {
            limited_tendering_reason_fr: reason,
            selection_criteria_fr: strategy,
            ..Eligibility::default()
        },
    };
    record.set("eligibility", eligibility.value());
    if language == "en" {
        record.set("trade_agreements_en", stated);
    }
    record.set("documents", documents(row));
    let contact = Contact::of(&row.line_of("contact").unwrap_or_default());
    record.set("contact_name", contact.name);
    record.set("contact_phone", contact.phone);
    record.set("contact_email", contact.email);
    record.set("record_id", Some(format!("buyandsell|{reference}")));
    let amendment = row.line_of(AMENDMENT).unwrap_or_default();
    Ok(Draft {
        group: pspc::notice(&reference),
        rank: canadabuys::rank(row, &amendment),
        member: format!("{FORMER}{amendment}|{language}"),
        records: vec![record],
    })
}

/// Joins the languages of each amendment: what both tell is the English row's word.
pub fn join_languages(members: &mut [Member]) {
    for english in 0..members.len() {
        let Some(amendment) = members[english].member.strip_suffix("|en") else {
            continue;
        };
        let other = format!("{amendment}|fr");
        let Some(french) = members.iter().position(|member| member.member == other) else {
            continue;
        };
        let french = std::mem::take(&mut members[french].records);
        for (notice, other) in members[english].records.iter_mut().zip(french) {
            canadabuys::fill(notice, &other, |_| true);
        }
    }
}

fn parts(list: &str) -> Vec<Cow<'static, str>> {
    let parts = list.split(',').filter_map(text::line).map(Cow::from);
    parts.collect()
}

/// The short names of the agreements in `WTO-AGP/NAFTA/AIT/Canada FTAs with Peru/Colombia/Panama` or in a list of long
/// ones.
pub fn agreements(stated: &str) -> Vec<Cow<'static, str>> {
    let separator = if stated.contains('(') { ',' } else { '/' };
    let names = stated.split(separator).filter_map(text::line).map(|name| {
        let partner = name.strip_prefix("Canada FTAs with ").unwrap_or(&name);
        let known = PARTNERS.iter().find(|(country, _)| *country == partner);
        known
            .map_or(canadabuys::agreement(&name), |(_, short)| short)
            .to_owned()
            .into()
    });
    names.collect()
}

/// Agreements that are listed by the country alone.
const PARTNERS: [(&str, &str); 6] = [
    ("Chile", "CCFTA"),
    ("Colombia", "CCoFTA"),
    ("Honduras", "CHFTA"),
    ("Korea", "CKFTA"),
    ("Panama", "CPaFTA"),
    ("Peru", "CPFTA"),
];

/// The codes and texts of `D302A: Informatics, R019BF: Services, Consulting`: a text may hold commas and colons.
fn commodities(list: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for part in list.split(", ") {
        let coded = part.split_once(':').filter(|(code, _)| is_commodity_code(code));
        match (coded, found.last_mut()) {
            (Some((code, text)), _) => found.push((code.to_owned(), text.trim().to_owned())),
            (None, Some((_, text))) => {
                text.push_str(", ");
                text.push_str(part);
            }
            (None, None) => {}
        }
    }
    found
}

fn is_commodity_code(code: &str) -> bool {
    let is_coded = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    (2..=8).contains(&code.len()) && code.bytes().all(is_coded) && code.bytes().any(|b| b.is_ascii_digit())
}

fn documents(row: &Row) -> Option<Value> {
    let mut addresses: Vec<String> = Vec::new();
    for column in ["document", "attachment"] {
        for url in urls(row.raw(column)) {
            if !addresses.contains(&url) {
                addresses.push(url);
            }
        }
    }
    let documents = addresses.iter().enumerate();
    let documents: Vec<Value> = documents.map(|(n, url)| json!({"doc_index": n, "url": url})).collect();
    (!documents.is_empty()).then_some(Value::Array(documents))
}

/// Who answers for a notice: `Desk, Purchasing, (819) 555-0100 (    ), (819) 555-0101, 11 Laurier St…`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Contact {
    name: Option<String>,
    phone: Option<String>,
    email: Option<String>,
}

impl Contact {
    fn of(raw: &str) -> Contact {
        let has_digit = |part: &&str| part.bytes().any(|b| b.is_ascii_digit());
        let is_name = |part: &&str| !has_digit(part) && !part.contains('@');
        // A surname and a given name; more words without a digit would be an address.
        let name: Vec<&str> = raw.split(", ").take_while(is_name).take(2).collect();
        let phone = raw.split(", ").find(has_digit).filter(|part| is_phone(part));
        let email = raw.split([' ', ',']).find(|word| word.contains('@'));
        Contact {
            name: text::line(&name.join(", ")),
            phone: phone.and_then(|phone| text::line(phone.trim_end_matches(['(', ')', ' ']))),
            email: email.and_then(text::line),
        }
    }
}

/// Ten digits and what numbers are written with.
fn is_phone(part: &str) -> bool {
    part.bytes().filter(u8::is_ascii_digit).count() >= 10
        && part.bytes().all(|b| b.is_ascii_digit() || b" ()-.+x".contains(&b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn agreements_are_listed_in_two_ways() {
        for (stated, short) in [
            (
                "WTO-AGP/NAFTA/AIT/Canada FTAs with Peru/Colombia/Panama",
                &["WTO-AGP", "NAFTA", "AIT", "CPFTA", "CCoFTA", "CPaFTA"][..],
            ),
            ("Agreement on Internal Trade (AIT)", &["AIT"]),
            (
                "Canada-Chile Free Trade Agreement, Agreement on Internal Trade (AIT)",
                &["CCFTA", "AIT"],
            ),
            ("NONE", &[]),
        ] {
            assert_eq!(agreements(stated), short, "{stated}");
        }
    }

    #[test]
    fn a_commodity_may_hold_commas() {
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
    fn a_contact_has_a_name_and_perhaps_a_number() {
        let contact = |name: Option<&str>, phone: Option<&str>, email: Option<&str>| Contact {
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
            assert_eq!(Contact::of(raw), expected);
        }
    }

    proptest! {
        #[test]
        fn every_list_is_read(raw in "[A-Z0-9:, @()/é-]{0,60}") {
            let _ = (agreements(&raw), commodities(&raw), Contact::of(&raw), parts(&raw));
        }
    }
}
