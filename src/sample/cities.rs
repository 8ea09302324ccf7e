//! Three publishers with files of their own shape: Montréal, Toronto, Nova Scotia.

use std::fmt;

use serde_json::json;

use super::{
    calendar::LAST,
    generator::Generator,
    project::{Publisher, project_and_part},
    random::scatter,
    record_writer::Money,
    topics::PurchaseType,
};
use crate::model::{Language, fold::fold};

/// Montréal gives its rows no number: the identifier is a hash over what makes two rows different.
pub(super) fn montreal_contract(g: &mut Generator, source: u8, number: u64) {
    const DIRECTIONS: [&str; 2] = ["DIRECTION GÉNÉRALE", "DIRECTION DES SERVICES ADMINISTRATIFS"];
    const SHARES: [&str; 3] = ["100% VILLE", "100% AGGLO", "50% VILLE - 50% AGGLO"];
    g.start(Publisher::Montreal, number, 0, (source, number));
    let hash = crc32fast::hash(g.supplier.neq.as_bytes());
    // A checksum may repeat; the second half does not.
    g.record
        .display("record_id", format_args!("montreal|{hash:08x}{:08x}", scatter(number)));
    g.day("award_date", g.project.awarded);
    g.record.text("vendor_name", &g.supplier.name.to_uppercase());
    g.record.text("municipality", "montreal");
    g.record.text("province", "QC");
    if g.random.percent(60) {
        g.record.text("government_level", "municipal");
    }
    g.money("contract_value", g.project.value);
    let (service, activity) = (g.buyer().name.clone(), g.buyer().code);
    g.record.text("department_fr", &service);
    let is_council = g.random.percent(25);
    let mut title = String::new();
    g.project.subject.push_title(Language::French, &g.topics, &mut title);
    let resolution = if is_council { "RÉSOLUTION - " } else { "" };
    g.record
        .display("title_fr", format_args!("{resolution}{}", title.to_uppercase()));
    if is_council {
        g.record.text("direction_fr", g.random.choose(&DIRECTIONS));
        g.record.display("file_number", 1_100_000_000 + scatter(number));
        let (year, decision) = (g.calendar.year(g.project.awarded) % 100, g.random.below(1_600));
        g.record
            .display("decision_number", format_args!("CM{year:02} {decision:04}"));
        g.record.text("repartition", g.random.choose(&SHARES));
        g.record.text("approver", "Conseil municipal");
        g.record.text("dataset", "contrats-conseil-municipal");
    } else {
        g.record.display("file_number", 600_000 + number % 900_000);
        g.record.text("activity", activity);
        g.record.text("approver", "Direction de l'approvisionnement");
        g.record.text("dataset", "contrats-fonctionnaires");
    }
    g.fetched_at();
}

pub(super) fn toronto_contract(g: &mut Generator, source: u8, number: u64) {
    let is_competitive = !number.is_multiple_of(3);
    let (project, part) = project_and_part(number);
    g.start(Publisher::Toronto, project, part, (source, number));
    let (document, supplier) = (TorontoDocument(project), fold(&g.supplier.name));
    if is_competitive {
        let (awarded, value) = (g.calendar.day(g.project.awarded), g.project.value);
        let value = value.map_or(String::new(), |cents| Money(cents).to_string());
        let id = format_args!("toronto|{document}|{supplier}|{awarded}|{value}");
        g.record.display("record_id", id);
    } else {
        g.record
            .display("record_id", format_args!("toronto-nc|{document}|{supplier}"));
    }
    g.day("award_date", g.project.awarded);
    g.supplier_name("vendor_name");
    g.record.text("municipality", "toronto");
    g.record.text("province", "ON");
    if g.random.percent(60) {
        g.record.text("government_level", "municipal");
    }
    g.money("contract_value", g.project.value);
    toronto_division(g);
    g.record.display("contract_id", &document);
    g.record.display("solicitation_number", &document);
    if is_competitive {
        if g.random.percent(40) {
            g.title("title_en", Language::English);
        }
        g.record.text("notice_type_en", g.random.choose(&["RFQ", "RFP", "RFT"]));
        toronto_category(g);
    } else {
        g.record.text("notice_type_en", "non-competitive");
        let reasons = ["Emergency", "Proprietary Rights", "Trade Agreement Exemption"];
        let exception = json!({"limited_tendering_reason_en": g.random.choose(&reasons)});
        g.record.json("eligibility", &exception);
    }
    toronto_wards(g);
    g.fetched_at();
}

pub(super) fn toronto_tender(g: &mut Generator, source: u8, number: u64) {
    g.start(Publisher::Toronto, number, 0, (source, number));
    let document = TorontoDocument(number);
    g.record.display("record_id", format_args!("toronto|{document}"));
    g.day("publication_date", g.project.published);
    let closes = g.calendar.day(g.project.closes);
    g.record.text("closing_date", closes);
    g.record.display("tender_close_date", format_args!("{closes}T12:00:00"));
    let status = if g.project.closes >= LAST { "Open" } else { "Expired" };
    g.record.text("status", status);
    g.title("title_en", Language::English);
    if g.random.percent(30) {
        g.description("description_en", Language::English);
    }
    g.record.text("municipality", "toronto");
    g.record.text("province", "ON");
    toronto_division(g);
    g.record.display("tender_number", &document);
    g.record.display("solicitation_number", &document);
    g.record.text("notice_type_en", g.random.choose(&["RFQ", "RFP", "RFT"]));
    g.record.text("noip_type_en", "Notice of Intended Procurement");
    toronto_category(g);
    toronto_wards(g);
    g.record.text("contact_name", "Procurement Office");
    g.record.text("contact_email", "supplychain@example.org");
    g.record.text("contact_phone", "416-555-0117");
    g.record
        .text("source_url", "https://toronto.example.org/solicitations.csv");
    g.fetched_at();
}

pub(super) fn nova_scotia_contract(g: &mut Generator, source: u8, number: u64) {
    let (project, part) = project_and_part(number);
    g.start(Publisher::NovaScotia, project, part, (source, number));
    let prefix = ["60", "HRM", "NSHA-"][(project % 3) as usize];
    let tender = format!("{prefix}{:08}", scatter(project));
    let supplier = fold(&g.supplier.name);
    g.record
        .display("record_id", format_args!("novascotia|{tender}|{supplier}"));
    g.record.text("solicitation_number", &tender);
    let buyer = g.buyer();
    let (name, municipality) = (buyer.name.clone(), buyer.municipality.clone());
    let level = if buyer.is_municipal { "municipal" } else { "provincial" };
    g.record.text("municipality", &municipality);
    g.record.text("buyer_name", &name);
    g.record.text("department_en", &name);
    if g.random.percent(60) {
        g.record.text("government_level", level);
    }
    g.record.text("province", "NS");
    g.day("award_date", g.project.awarded);
    g.day("publication_date", g.project.published);
    g.supplier_name("vendor_name");
    // At times a unit rate is published in place of an amount.
    let value = if g.random.percent(2) {
        Some(2_050)
    } else {
        g.project.value
    };
    g.money("contract_value", value);
    g.title("title_en", Language::English);
    g.record.text("procurement_category", g.project.category);
    g.fetched_at();
}

/// Toronto's number of a project.
struct TorontoDocument(u64);

impl fmt::Display for TorontoDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Doc{}", 3_100_000_000 + scatter(self.0))
    }
}

fn toronto_division(g: &mut Generator) {
    let division = g.buyer().name.clone();
    g.record.text("department_en", &division);
}

fn toronto_category(g: &mut Generator) {
    let (category, code) = match g.topic().purchase_type {
        PurchaseType::BuildingWorks | PurchaseType::OutdoorWorks => ("Construction Services", "CNST"),
        PurchaseType::ProfessionalService | PurchaseType::BuildingDesign | PurchaseType::EngineeringService => {
            ("Professional Services", "SRV")
        }
        _ => ("Goods and Services", "SRVTGD"),
    };
    g.record.text("category", category);
    g.record.text("procurement_category", code);
}

fn toronto_wards(g: &mut Generator) {
    let wards = ["None", "Ward 10", "Ward 3, Ward 4", "City Wide"];
    g.record.text("wards", g.random.choose(&wards));
}
