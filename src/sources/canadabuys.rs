//! What all CanadaBuys files share: columns, and the fields that more than one column makes.
//!
//! Columns are `<english>-<french>`, bilingual ones in pairs `-eng` / `-fra`; the publisher's own typing errors are kept.

use serde_json::{Map, Value, json};

use super::{
    disclosure_codes::TRADE_AGREEMENTS,
    intake::{Rank, Record},
    table::{Column, Row, Rule::*},
    text,
};
use crate::{fold::fold, municipality, vocabulary::CATEGORIES};

pub const REFERENCE: &str = "referenceNumber-numeroReference";
pub const AMENDMENT: &str = "amendmentNumber-numeroModification";
pub const PUBLISHED: &str = "publicationDate-datePublication";
const CATEGORY: &str = "procurementCategory-categorieApprovisionnement";

#[rustfmt::skip]
pub static NOTICE: &[Column] = &[
    ("publication_date", PUBLISHED, Day),
    ("title_en", "title-titre-eng", Line),
    ("title_fr", "title-titre-fra", Line),
    ("buyer_name", "contractingEntityName-nomEntitContractante-eng", Organization),
    ("notice_type_en", "noticeType-avisType-eng", Line),
    ("notice_type_fr", "noticeType-avisType-fra", Line),
    ("procurement_method_en", "procurementMethod-methodeApprovisionnement-eng", Line),
    ("procurement_method_fr", "procurementMethod-methodeApprovisionnement-fra", Line),
    ("reference_number", REFERENCE, Line),
    ("amendment_number", AMENDMENT, Line),
    ("amendment_date", "amendmentDate-dateModification", Day),
    ("solicitation_number", "solicitationNumber-numeroSollicitation", Line),
    ("gsin", "gsin-nibs", Codes),
    ("gsin_description_en", "gsinDescription-nibsDescription-eng", Words),
    ("gsin_description_fr", "gsinDescription-nibsDescription-fra", Words),
    ("unspsc", "unspsc", Codes),
    ("unspsc_description_en", "unspscDescription-eng", Words),
    ("unspsc_description_fr", "unspscDescription-fra", Words),
    ("regions_of_delivery_en", "regionsOfDelivery-regionsLivraison-eng", Words),
    ("regions_of_delivery_fr", "regionsOfDelivery-regionsLivraison-fra", Words),
    ("trade_agreements_en", "tradeAgreements-accordsCommerciaux-eng", Words),
];

/// What award notices and contract history have besides.
#[rustfmt::skip]
pub static AWARDED: &[Column] = &[
    ("award_date", "contractAwardDate-dateAttributionContrat", Day),
    ("start_date", "contractStartDate-contratDateDebut", Day),
    ("end_date", "contractEndDate-dateFinContrat", Day),
    ("contract_number", "contractNumber-numeroContrat", Line),
    ("currency", "contractCurrency-contratMonnaie", Line),
    ("vendor_city", "supplierAddressCity-fournisseurAdresseVille-eng", Line),
    ("vendor_province", "supplierAddressProvince-fournisseurAdresseProvince-eng", Line),
    ("vendor_postal_code", "supplierAddressPostalCode-fournisseurAdresseCodePostal", PostalCode),
];

pub const AMOUNT: &str = "contractAmount-montantContrat";
pub const TOTAL: &str = "totalContractValue-valeurTotaleContrat";
const COUNTRY: &str = "supplierAddressCountry-fournisseurAdressePays-eng";

/// The contract's amount and its total with all amendments. One of the columns may read 0.00 while the other holds the
/// value; then the zero is none.
pub fn amount_and_total(row: &Row) -> (Option<f64>, Option<f64>) {
    let (amount, total) = (row.money(AMOUNT), row.money(TOTAL));
    let is_some_value = |value: Option<f64>| value.is_some_and(|value| value != 0.0);
    (
        amount.filter(|amount| *amount != 0.0 || !is_some_value(total)),
        total.filter(|total| *total != 0.0 || !is_some_value(amount)),
    )
}

/// The fields of every record that no single column gives.
pub fn complete(row: &Row, record: &mut Record) {
    record.set("municipality", Some(municipality::FEDERAL));
    record.set("government_level", Some("federal"));
    // PSPC buys for others: who uses what is bought says more than who signs.
    for (field, user, buyer) in [
        (
            "department_en",
            "endUserEntitiesName-nomEntitesUtilisateurFinal-eng",
            "contractingEntityName-nomEntitContractante-eng",
        ),
        (
            "department_fr",
            "endUserEntitiesName-nomEntitesUtilisateurFinal-fra",
            "contractingEntityName-nomEntitContractante-fra",
        ),
    ] {
        let users = text::list(row.raw(user)).join("; ");
        record.set(
            field,
            text::organization(&users).or_else(|| text::organization(row.raw(buyer))),
        );
    }
    let province = row.raw("contractingEntityAddressProvince-entiteContractanteAdresseProvince-eng");
    record.set("province", municipality::province_code(province));
    record.set("procurement_category", category(row));
    record.set("eligibility", eligibility(row));
}

pub fn vendor_country(row: &Row) -> Option<String> {
    let country = row.line_of(COUNTRY)?;
    let code = COUNTRIES.iter().find(|(name, _)| name.eq_ignore_ascii_case(&country));
    Some(code.map_or(country, |(_, code)| (*code).to_owned()))
}

/// Countries that the files spell out; the rest stay as published.
const COUNTRIES: [(&str, &str); 12] = [
    ("Canada", "CA"),
    ("United States", "US"),
    ("United States of America", "US"),
    ("United Kingdom", "GB"),
    ("France", "FR"),
    ("Germany", "DE"),
    ("Australia", "AU"),
    ("Netherlands", "NL"),
    ("Switzerland", "CH"),
    ("Sweden", "SE"),
    ("Italy", "IT"),
    ("Japan", "JP"),
];

fn category(row: &Row) -> Option<String> {
    let stated = text::list(row.raw(CATEGORY));
    if stated.iter().any(|code| !CATEGORIES.contains(&code.as_str())) {
        row.note("a procurement category that is none of the four, left out".to_owned());
    }
    let known: Vec<&str> = CATEGORIES
        .into_iter()
        .filter(|code| stated.iter().any(|s| s == code))
        .collect();
    (!known.is_empty()).then(|| known.join(","))
}

fn eligibility(row: &Row) -> Option<Value> {
    let mut members = Map::new();
    let agreements: Vec<String> = text::list(row.raw("tradeAgreements-accordsCommerciaux-eng"))
        .iter()
        .map(|name| agreement(name).to_owned())
        .collect();
    if !agreements.is_empty() {
        members.insert("trade_agreements".into(), json!(agreements));
    }
    let regions = text::list(row.raw("regionsOfOpportunity-regionAppelOffres-eng"));
    if !regions.is_empty() {
        members.insert("regions_of_opportunity".into(), json!(regions));
    }
    for (member, column) in [
        (
            "limited_tendering_reason_en",
            "limitedTenderingReason-raisonAppelOffresLimite-eng",
        ),
        (
            "limited_tendering_reason_fr",
            "limitedTenderingReason-raisonAppelOffresLimite-fra",
        ),
        ("selection_criteria_en", "selectionCriteria-criteresSelection-eng"),
        ("selection_criteria_fr", "selectionCriteria-criteresSelection-fra"),
    ] {
        let stated = text::list(row.raw(column)).join("; ");
        if !stated.is_empty() {
            members.insert(member.into(), stated.into());
        }
    }
    (!members.is_empty()).then_some(Value::Object(members))
}

/// `Canadian Free Trade Agreement (CFTA)` → `CFTA`; an unknown name without a short form stays whole.
fn agreement(name: &str) -> &str {
    let (long, short) = match name.rsplit_once(" (") {
        Some((long, short)) => (long, short.strip_suffix(')').unwrap_or(short)),
        None => (name, name),
    };
    let known = TRADE_AGREEMENTS.iter().find(|(_, _, english)| *english == long);
    match (known, short) {
        (Some((_, short, _)), _) => short,
        (None, "WTO GPA" | "WTO-GPA") => "WTO-AGP",
        (None, "Canada-UK TCA") => "TCA",
        (None, short) => short,
    }
}

/// Later amendments rank higher: by number, `T01` and `S01` (termination, suspension) after all numbers; then by file.
pub fn rank(row: &Row) -> Rank {
    let amendment = row.raw(AMENDMENT).trim();
    let digits: String = amendment.chars().filter(char::is_ascii_digit).take(9).collect();
    let lettered = amendment.starts_with(|c: char| c.is_ascii_alphabetic());
    let number = digits.parse::<u64>().unwrap_or_default();
    Rank(
        number + if lettered { 1_000_000_000 } else { 0 },
        row.published.timestamp(),
    )
}

/// `000` and an empty field are the original.
pub fn is_amendment(number: &str) -> bool {
    number.bytes().any(|b| b != b'0')
}

/// Whether a type, as published in English, begins with one of `kinds` (folded words).
pub fn is_one_of(published: &str, kinds: &[&str]) -> bool {
    let folded = fold(published);
    kinds.iter().any(|kind| folded.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreements_have_short_names() {
        for (name, short) in [
            ("Canadian Free Trade Agreement (CFTA)", "CFTA"),
            ("Canada-Panama Free Trade Agreement", "CPaFTA"),
            (
                "World Trade Organization Agreement on Government Procurement (WTO GPA)",
                "WTO-AGP",
            ),
            ("Canada-UK Trade Continuity Agreement (Canada-UK TCA)", "TCA"),
            ("Some Agreement", "Some Agreement"),
            ("(", "("),
        ] {
            assert_eq!(agreement(name), short);
        }
    }
}
