//! The federal tendering service, CanadaBuys: everything in both languages, a notice and its amendments under one
//! reference number, one solicitation number from tender to award to contract.

use serde_json::json;

use super::{
    calendar::LAST,
    generator::Generator,
    lists::Bilingual,
    project::{Publisher, has_parts, project_and_part},
    random::scatter,
};
use crate::model::Language;

pub(super) fn contract(g: &mut Generator, source: u8, number: u64) {
    g.start(Publisher::Canadabuys, number, 0, (source, number));
    let contract = contract_number(number);
    g.record.display("record_id", format_args!("canadabuys|{contract}"));
    g.day("award_date", g.project.awarded);
    g.supplier_name("vendor_name");
    if g.random.percent(23) {
        g.record
            .text("vendor_name_standardized", &g.supplier.name.to_uppercase());
    }
    g.supplier_place();
    federal_buyer(g);
    g.record.text(
        "buyer_name",
        "Department of Public Works and Government Services (PSPC)",
    );
    texts(g, 60);
    g.money("contract_value", g.project.value);
    let is_canadian = g.random.percent(98);
    g.record.text("currency", if is_canadian { "CAD" } else { "USD" });
    for field in ["contract_id", "contract_number", "reference_number"] {
        g.record.text(field, &contract);
    }
    let amendment = g.random.choose(&["000", "000", "001", "004"]);
    g.record.text("amendment_number", amendment);
    if g.random.percent(90) {
        g.record.text("solicitation_number", &solicitation_number(number));
    }
    g.day("publication_date", (g.project.awarded + 10).min(LAST));
    g.day("start_date", g.project.awarded);
    g.day("end_date", g.project.ends);
    g.record.text("procurement_category", g.project.category);
    contract_status(g);
    let is_competitive = method(g);
    commodity(g);
    let region = region(g);
    eligibility(g, region, is_competitive);
    g.fetched_at();
}

pub(super) fn award(g: &mut Generator, source: u8, number: u64) {
    let (project, amendment) = project_and_part(number);
    g.start(Publisher::Canadabuys, project, 0, (source, number));
    let contract = contract_number(project);
    // An amendment is published a while after the notice it amends, and raises the total.
    let published = (g.project.awarded + 5 + amendment as i32 * 120).min(LAST);
    g.record
        .display("record_id", format_args!("canadabuys|{contract}|{amendment:03}"));
    g.record.text("reference_number", &contract);
    g.record.display("amendment_number", format_args!("{amendment:03}"));
    g.record.text("solicitation_number", &solicitation_number(project));
    if g.random.percent(99) {
        g.record.text("contract_number", &contract);
    }
    g.day("award_date", g.project.awarded);
    g.day("publication_date", published);
    if amendment > 0 && g.random.percent(11) {
        g.day("amendment_date", published);
    }
    if g.random.percent(99) {
        g.day("start_date", g.project.awarded);
        g.day("end_date", g.project.ends + amendment as i32 * 90);
    }
    g.supplier_name("vendor_name");
    g.supplier_place();
    federal_buyer(g);
    texts(g, 90);
    award_amounts(g, amendment);
    g.record.text("procurement_category", g.project.category);
    contract_status(g);
    let is_competitive = if g.random.percent(99) { method(g) } else { true };
    trade_agreements(g);
    if g.random.percent(97) {
        region(g);
    }
    commodity(g);
    if g.random.below(1000) < 2 {
        eligibility(g, None, is_competitive);
    }
    g.fetched_at();
}

/// Publishers fill one or the other of the two amounts.
fn award_amounts(g: &mut Generator, amendment: u32) {
    let value = g.project.value.unwrap_or(2_500_000);
    let total = value + value / 10 * i64::from(amendment);
    match g.random.below(100) {
        0..1 => g.record.money("contract_value", value),
        1..3 => g.record.money("total_contract_value", total),
        3..6 => {
            g.record.money("contract_value", value);
            g.record.money("total_contract_value", 0);
        }
        _ => {
            let added = if amendment == 0 { value } else { value / 10 };
            g.record.money("contract_value", added);
            g.record.money("total_contract_value", total);
        }
    }
    if g.random.percent(91) {
        let is_canadian = g.random.percent(97);
        g.record.text("currency", if is_canadian { "CAD" } else { "USD" });
    }
}

pub(super) fn tender(g: &mut Generator, source: u8, number: u64) {
    notice(g, source, project_and_part(number), number);
}

/// Pre-solicitations take their projects' numbers from here on, so that none is also a tender's.
const FIRST_EARLY_PROJECT: u64 = 70_000_000;

pub(super) fn pre_solicitation(g: &mut Generator, source: u8, number: u64) {
    let (project, amendment) = project_and_part(number);
    notice(g, source, (FIRST_EARLY_PROJECT + project, amendment), number);
}

fn notice(g: &mut Generator, source: u8, (project, amendment): (u64, u32), number: u64) {
    g.start(Publisher::Canadabuys, project, 0, (source, number));
    let (reference, solicitation) = (reference_number(project), solicitation_number(project));
    // Notices with amendments come from a history file, where each amendment is a record of its own.
    if has_parts(project) {
        g.record
            .display("record_id", format_args!("canadabuys|{reference}|{amendment:03}"));
    } else {
        g.record.display("record_id", format_args!("canadabuys|{reference}"));
    }
    g.record.text("reference_number", &reference);
    g.record.text("tender_id", &reference);
    g.record.display("amendment_number", format_args!("{amendment:03}"));
    g.record.text("solicitation_number", &solicitation);
    g.record.text("tender_number", &solicitation);
    g.day("publication_date", g.project.published);
    if amendment > 0 {
        g.day("amendment_date", (g.project.published + amendment as i32 * 9).min(LAST));
    }
    notice_closing(g, g.project.closes + amendment as i32 * 14);
    federal_buyer(g);
    texts(g, 80);
    g.record.text("procurement_category", g.project.category);
    let is_early = project >= FIRST_EARLY_PROJECT;
    let types = if is_early {
        &g.phrases.early_notices
    } else {
        &g.phrases.tender_notices
    };
    let notice_type = g.random.choose(types).text;
    // Notices carried over from a private bulletin board have no type.
    if is_early || g.random.percent(92) {
        bilingual(g, ("notice_type_en", "notice_type_fr"), notice_type);
    }
    let is_competitive = method(g);
    commodity(g);
    let region = region(g);
    trade_agreements(g);
    eligibility(g, region, is_competitive);
    documents(g);
    let url = format_args!("https://canadabuys.example.org/en/tender-notice/{reference}");
    g.record.display("notice_url", url);
    g.record.text("contact_name", "Procurement Office");
    g.record.text("contact_email", "procurement@example.org");
    g.record.text("contact_phone", "613-555-0142");
    g.fetched_at();
}

fn notice_closing(g: &mut Generator, closes: i32) {
    let day = g.calendar.day(closes);
    g.record.text("closing_date", day);
    g.record.display("tender_close_date", format_args!("{day}T14:00:00"));
    let (status, status_fr) = match g.random.below(100) {
        0..6 => ("Cancelled", "Annulé"),
        _ if closes >= LAST => ("Open", "Ouvert"),
        _ => ("Expired", "Expiré"),
    };
    g.record.text("status", status);
    g.record.text("status_fr", status_fr);
}

fn federal_buyer(g: &mut Generator) {
    g.record.text("municipality", "federal");
    g.record.text("government_level", "federal");
    g.federal_department();
}

/// The titles and, for that share of the records, the descriptions.
fn texts(g: &mut Generator, described_percent: u32) {
    g.title("title_en", Language::English);
    g.title("title_fr", Language::French);
    if g.random.percent(described_percent) {
        g.description("description_en", Language::English);
        g.description("description_fr", Language::French);
    }
}

fn bilingual(g: &mut Generator, (field_en, field_fr): (&str, &str), text: Bilingual) {
    g.record.text(field_en, text.en);
    g.record.text(field_fr, text.fr);
}

/// Writes the procurement method; returns whether it is competitive.
fn method(g: &mut Generator) -> bool {
    let method = g.random.choose(&g.phrases.methods).text;
    bilingual(g, ("procurement_method_en", "procurement_method_fr"), method);
    method.en.starts_with("Competitive")
}

fn contract_status(g: &mut Generator) {
    let (en, fr) = match g.random.below(100) {
        0..4 => ("Cancelled", "Annulé"),
        _ if g.project.ends > LAST => ("Active", "Actif"),
        _ => ("Expired", "Expiré"),
    };
    bilingual(g, ("status_en", "status_fr"), Bilingual { en, fr });
}

/// Writes the region of delivery and returns it.
fn region(g: &mut Generator) -> Option<Bilingual> {
    let region = g.region();
    bilingual(g, ("regions_of_delivery_en", "regions_of_delivery_fr"), region);
    Some(region)
}

fn trade_agreements(g: &mut Generator) {
    let agreements = g.random.choose(&g.phrases.trade_agreements);
    g.record.text("trade_agreements_en", agreements.text.en);
}

/// UNSPSC on all notices, the older GSIN on few.
fn commodity(g: &mut Generator) {
    let (unspsc, name) = (g.topic().unspsc, g.topic().name);
    g.record.text("unspsc", unspsc);
    bilingual(g, ("unspsc_description_en", "unspsc_description_fr"), name);
    if g.random.below(1000) < 8 {
        g.record.text("gsin", g.trade().gsin);
    }
}

fn eligibility(g: &mut Generator, region: Option<Bilingual>, is_competitive: bool) {
    let agreements = g.random.choose(&g.phrases.trade_agreements).code;
    let criterion = g.random.choose(&g.phrases.selection_criteria).text;
    let reason = g.random.choose(&g.phrases.limited_tendering_reasons).text;
    let percentage = g.random.below(100);
    let mut eligibility = json!({
        "trade_agreements": agreements.split_whitespace().collect::<Vec<_>>(),
        "selection_criteria_en": criterion.en, "selection_criteria_fr": criterion.fr,
    });
    if !is_competitive {
        eligibility["limited_tendering_reason_en"] = reason.en.into();
        eligibility["limited_tendering_reason_fr"] = reason.fr.into();
    }
    if let Some(region) = region
        && percentage.is_multiple_of(3)
    {
        eligibility["regions_of_opportunity"] = json!([region.en]);
    }
    match percentage % 20 {
        0 => eligibility["indigenous_set_aside"] = "mandatory".into(),
        1 => {
            eligibility["indigenous_set_aside"] = "voluntary".into();
            eligibility["land_claims_agreements"] = json!(["Nunavut Agreement"]);
        }
        2..8 => eligibility["indigenous_set_aside"] = "none".into(),
        _ => {}
    }
    g.record.json("eligibility", &eligibility);
}

fn documents(g: &mut Generator) {
    let number = g.random.below(1_000_000);
    let documents = [(0, "en"), (1, "fr")].map(|(doc_index, language)| {
        let url = format!("https://canadabuys.example.org/attachments/{number:06}-{language}.pdf");
        json!({"doc_index": doc_index, "url": url, "language": language})
    });
    g.record.json("documents", &documents);
}

/// Newer numbers are the portal's own; older ones are the buying directorate's, with hyphens and slashes.
fn solicitation_number(project: u64) -> String {
    let number = scatter(project);
    if project.is_multiple_of(5) {
        let directorate = ["W8482", "EN578", "M7594", "5P420"][(number % 4) as usize];
        let suffix = ["A", "B", "001/ML"][(number % 3) as usize];
        format!("{directorate}-{number:08}/{suffix}")
    } else {
        format!("WS{}", 3_000_000_000 + number)
    }
}

fn reference_number(project: u64) -> String {
    let document = 3_000_000_000 + scatter(project * 3 + 1);
    format!("WS{}-Doc{document}", 3_000_000_000 + scatter(project))
}

fn contract_number(project: u64) -> String {
    let number = scatter(project);
    if project.is_multiple_of(7) {
        format!("{number:08}/001/ML")
    } else {
        format!("CW2{number:08}")
    }
}
