//! What all CanadaBuys files share: columns, and the fields that more than one column makes.
//!
//! Columns are `<english>-<french>`, bilingual ones in pairs `-eng` / `-fra`; the publisher's own typing errors are kept.

use std::{borrow::Cow, collections::BTreeSet};

pub use crate::sources::common::countries::code as country_code;
use serde_json::Value;

use crate::model::{fold::fold, municipality, vocabulary::CATEGORIES};
use crate::sources::{
    common::eligibility::Eligibility,
    disclosure::codes::TRADE_AGREEMENTS,
    reading::{
        fields::Held,
        intake::{Member, Rank, Record},
        table::{self, Column, Row, Rule::*},
        text,
    },
};

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
    stated_values(row.money(AMOUNT), row.money(TOTAL))
}

pub fn stated_values(amount: Option<f64>, total: Option<f64>) -> (Option<f64>, Option<f64>) {
    // A total of zero beside a reduction is real.
    let is_value = |value: Option<f64>| value.is_some_and(|value| value > 0.0);
    (
        amount.filter(|amount| *amount != 0.0 || !is_value(total)),
        total.filter(|total| *total != 0.0 || !is_value(amount)),
    )
}

/// The amount and the total of an award notice. A contract that was never amended has one value, so the figure that reads
/// 0.00 is the other one; an amendment may well add nothing, but leaves no total of nothing behind what it adds.
pub fn awarded_values(row: &Row, amendment: &str) -> (Option<f64>, Option<f64>) {
    let (amount, total) = (row.money(AMOUNT), row.money(TOTAL));
    match (amount, total) {
        (Some(0.0), Some(value)) | (Some(value), Some(0.0)) if value > 0.0 && !is_amendment(amendment) => {
            (Some(value), Some(value))
        }
        (Some(0.0), _) => (amount, total),
        _ => stated_values(amount, total),
    }
}

/// The part of the addresses of a notice's page that is its own.
pub fn page_of(reference: &str) -> String {
    let mut page = String::with_capacity(reference.len());
    for c in reference.chars().map(|c| c.to_ascii_lowercase()) {
        let is_kept = c.is_ascii_alphanumeric() || (c == '-' && !page.is_empty() && !page.ends_with('-'));
        if is_kept {
            page.push(c);
        }
    }
    page.truncate(page.trim_end_matches('-').len());
    page
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

pub fn vendor_country<'a>(row: &Row<'a>) -> Option<Cow<'a, str>> {
    row.line_of(COUNTRY).map(country_code)
}

fn category(row: &Row) -> Option<String> {
    let stated = text::list(row.raw(CATEGORY));
    if stated.iter().any(|code| !CATEGORIES.contains(&code.as_ref())) {
        row.note("a procurement category that is none of the four, left out".to_owned());
    }
    let known: Vec<&str> = CATEGORIES
        .into_iter()
        .filter(|code| stated.iter().any(|s| s == code))
        .collect();
    (!known.is_empty()).then(|| known.join(","))
}

fn eligibility(row: &Row) -> Option<Held<'static>> {
    let words = |column| text::joined(text::list(row.raw(column)), "; ");
    let agreements = text::list(row.raw("tradeAgreements-accordsCommerciaux-eng"));
    let stated = Eligibility {
        trade_agreements: agreements.iter().map(|name| agreement(name).into()).collect(),
        regions_of_opportunity: text::list(row.raw("regionsOfOpportunity-regionAppelOffres-eng")),
        limited_tendering_reason_en: words("limitedTenderingReason-raisonAppelOffresLimite-eng"),
        limited_tendering_reason_fr: words("limitedTenderingReason-raisonAppelOffresLimite-fra"),
        selection_criteria_en: words("selectionCriteria-criteresSelection-eng"),
        selection_criteria_fr: words("selectionCriteria-criteresSelection-fra"),
        ..Eligibility::default()
    };
    stated.value()
}

/// `Canadian Free Trade Agreement (CFTA)` → `CFTA`; an unknown name without a short form stays whole.
pub fn agreement(name: &str) -> &str {
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
pub fn rank(row: &Row, amendment: &str) -> Rank {
    let amendment = amendment.trim();
    let digits: String = amendment.chars().filter(char::is_ascii_digit).take(9).collect();
    let lettered = amendment.starts_with(|c: char| c.is_ascii_alphabetic());
    let number = digits.parse::<u64>().unwrap_or_default();
    Rank(
        number + if lettered { 1_000_000_000 } else { 0 },
        row.file.modified.timestamp(),
    )
}

/// Holds a row's amount between reading and settling: a field that contracts do not have.
const AMOUNT_OF_ROW: &str = "amendment_value";

/// Sets what a row of a contract's history states of its value, for [`settle_contract`] to choose from.
pub fn set_value(record: &mut Record, (amount, total): (Option<f64>, Option<f64>)) {
    record.set("contract_value", total);
    record.set(AMOUNT_OF_ROW, amount);
}

/// A contractor goes by the name the publisher gives all rows of it, else by its legal one.
pub fn name_vendor(record: &mut Record) {
    let name = record
        .text("vendor_name_standardized")
        .or(record.text("supplier_legal_name"));
    let name = name.map(str::to_owned);
    record.set("vendor_name", name);
}

/// Makes one record of a contract's amendments: the newest row, told how many there are. `others` are another
/// publication's rows of the contract, which are settled elsewhere; of one amendment, these rows' word counts.
///
/// The contract's value is the newest total stated: an amendment may be silent about it, or write 0.00 for both figures,
/// as terminations do. Only where no row states a total is it the newest amount, which may be an increment; only where
/// no row states anything else is it a zero.
pub fn settle_contract(members: &mut [Member], others: &[Member]) {
    let mut told: Vec<&Member> = others.iter().chain(members.iter()).collect();
    told.sort_by_key(|member| member.rank.0);
    let newest = |states: &dyn Fn(&Record) -> Option<f64>| {
        let mut records = told.iter().rev().flat_map(|member| &member.records);
        records.find_map(states)
    };
    let total = |record: &Record| record.number("contract_value");
    let amount = |record: &Record| record.number(AMOUNT_OF_ROW);
    let real_total = |record: &Record| {
        let is_reduced = amount(record).is_some_and(|amount| amount < 0.0);
        total(record).filter(|total| *total != 0.0 || is_reduced)
    };
    let value = newest(&real_total)
        .or_else(|| newest(&|record| amount(record).filter(|amount| *amount != 0.0)))
        .or_else(|| newest(&|record| total(record).or(amount(record))));
    // `1` and `001` are one.
    let amendments: BTreeSet<&str> = told
        .iter()
        .filter(|member| is_amendment(&member.member))
        .map(|member| member.member.trim_start_matches('0'))
        .collect();
    let amendments = amendments.len();
    if others.is_empty() {
        fill_newest(members);
    }
    for record in members.iter_mut().flat_map(|member| &mut member.records) {
        record.remove(AMOUNT_OF_ROW);
        record.set("amendment_count", Some(amendments));
        record.set("contract_value", value);
    }
    table::newest(members);
}

pub const NAMES: &[&str] = &[
    "supplier_legal_name",
    "vendor_name_standardized",
    "supplier_operating_name",
];

pub const ADDRESS: &[&str] = &["vendor_city", "vendor_province", "vendor_postal_code", "vendor_country"];

/// What amendments leave as it is, so that another one's word is as good; the fields that tell one thing together are
/// filled only where the rows do not disagree on those before them.
const FILLED: [(&[&str], &[&str]); 5] = [
    (&["supplier_legal_name"], NAMES),
    (&["supplier_legal_name", "vendor_city"], ADDRESS),
    (&["gsin"], &["gsin", "gsin_description_en", "gsin_description_fr"]),
    (
        &["unspsc"],
        &["unspsc", "unspsc_description_en", "unspsc_description_fr"],
    ),
    (
        &[],
        &[
            "contract_id",
            "contract_number",
            "department_en",
            "department_fr",
            "buyer_name",
            "province",
            "procurement_method",
            "procurement_method_en",
            "procurement_method_fr",
            "trade_agreements_en",
            "eligibility",
        ],
    ),
];

/// What only amendments of one publication tell alike.
const REPEATED: [&str; 14] = [
    "award_date",
    "start_date",
    "title_en",
    "title_fr",
    "description_en",
    "description_fr",
    "notice_type_en",
    "notice_type_fr",
    "solicitation_number",
    "procurement_number",
    "procurement_category",
    "regions_of_delivery_en",
    "regions_of_delivery_fr",
    "currency",
];

/// An amendment repeats the contract, but may leave cells of it empty: there the one before it has the word.
fn fill_newest(members: &mut [Member]) {
    let Some((newest, older)) = members.split_last_mut() else {
        return;
    };
    for record in &mut newest.records {
        for known in older.iter().rev().flat_map(|member| &member.records) {
            fill_contract(record, known);
            fill(record, known, |field| REPEATED.contains(&field));
        }
        if !record.has("vendor_name") {
            name_vendor(record);
        }
    }
}

/// Fills what another row of the contract tells and amendments leave as it is.
pub fn fill_contract(contract: &mut Record, other: &Record) {
    let of_one_thing = FILLED.map(|(things, _)| things.iter().all(|thing| agree(contract, other, thing)));
    for ((_, fields), _) in FILLED.into_iter().zip(of_one_thing).filter(|(_, agree)| *agree) {
        fill(contract, other, |field| fields.contains(&field));
    }
}

/// Fills what only the other record tells; of objects, also their members.
pub fn fill(record: &mut Record, other: &Record, is_filled: impl Fn(&str) -> bool) {
    record.fill(other, &is_filled);
    for (field, value) in other.fields.iter().filter(|(field, _)| is_filled(field.text())) {
        let known = record.fields.get(field).and_then(|known| known.members());
        if let (Some(mut members), Some(others)) = (known, value.members()) {
            for (member, value) in others {
                members.entry(member).or_insert(value);
            }
            record.fields.insert(field, Value::Object(members).into());
        }
    }
}

pub fn agree(one: &Record, other: &Record, field: &str) -> bool {
    match (one.text(field), other.text(field)) {
        (Some(one), Some(other)) => fold(one) == fold(other),
        _ => true,
    }
}

/// Gives all members but the newest their amendment's number behind the notice's plain identifier.
pub fn number_older(members: &mut [&mut Member]) {
    let Some((_, older)) = members.split_last_mut() else {
        return;
    };
    for record in older.iter_mut().flat_map(|member| &mut member.records) {
        let plain = record.text("record_id").unwrap_or_default();
        let number = record.text("amendment_number").unwrap_or_default();
        record.set("record_id", Some(format!("{plain}|{number}")));
    }
}

/// `000` and an empty field are the original.
pub fn is_amendment(number: &str) -> bool {
    number.bytes().any(|b| b != b'0')
}

/// Whether a type, as published, begins with one of `kinds` (folded words).
pub fn is_one_of(published: &str, kinds: &[&str]) -> bool {
    let folded = fold(published);
    kinds.iter().any(|kind| folded.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_pages_leave_signs_out() {
        for (reference, page) in [
            ("CB-640-76184215", "cb-640-76184215"),
            ("PW-_NCS-030-11940", "pw-ncs-030-11940"),
            ("SSC-26-00034400:T", "ssc-26-00034400t"),
            ("W7714-228152/002/QF", "w7714-228152002qf"),
            ("PW-$$ZL-102-25299", "pw-zl-102-25299"),
        ] {
            assert_eq!(page_of(reference), page);
        }
    }

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
