//! What federal departments disclose of their contracts, and the standing offers they may call upon.

use serde_json::json;

use super::{
    calendar::LAST,
    generator::Generator,
    project::{Publisher, project_and_part},
    random::scatter,
};
use crate::model::Language;

/// A disclosed contract. Its number is unique only within the department that discloses it.
pub(super) fn disclosure(g: &mut Generator, source: u8, number: u64) {
    g.start(Publisher::Disclosure, number, 0, (source, number));
    let period = reporting_period(g.calendar.year(g.project.awarded), g.calendar.month(g.project.awarded));
    let reference = format!("C-{period}-{:05}", number + 1);
    let owner = g.buyer().code;
    g.record
        .display("record_id", format_args!("disclosure|{owner},{reference}"));
    g.record.text("reference_number", &reference);
    g.record.display("procurement_id", 3_000_000_000 + scatter(number));
    g.record.text("owner_org", owner);
    g.supplier_name("vendor_name");
    if g.random.percent(70) {
        let first_half = g.supplier.postal_code.get(..3).unwrap_or("NA");
        g.record.text("vendor_postal_code", first_half);
        g.record.text("vendor_country", g.supplier_province().country);
    }
    if g.random.percent(30) {
        g.record.text("vendor_province", g.supplier_province().name.en);
    }
    g.federal_department();
    let name = g.topic().name;
    g.record.text("description_en", name.en);
    if g.random.percent(90) {
        g.record.text("description_fr", name.fr);
    }
    if g.random.percent(12) {
        g.description("comments_en", Language::English);
        g.description("comments_fr", Language::French);
    }
    disclosed_amounts(g);
    g.day("award_date", g.project.awarded);
    g.day("start_date", g.project.awarded);
    g.day("end_date", g.project.ends);
    g.record
        .text("procurement_category", g.topic().purchase_type.category());
    g.record.text("commodity_code", g.topic().unspsc);
    let has_object = g.random.percent(90);
    let object = if has_object { g.trade().economic_object } else { "NA" };
    g.record.text("economic_object_code", object);
    g.record.text("reporting_period", &period);
    let procedure = g.random.choose(&g.phrases.solicitation_procedures);
    g.record.text("solicitation_procedure", procedure.code);
    g.record.text("procurement_method_en", procedure.text.en);
    g.record.text("procurement_method_fr", procedure.text.fr);
    if g.random.percent(50) {
        let is_competitive = !matches!(procedure.code, "TN" | "AC");
        let bids = 1 + if is_competitive { g.random.below(9) } else { 0 };
        g.record.display("number_of_bids", bids);
    }
    g.record
        .text("indigenous_business", g.random.choose(&["N", "N", "N", "Y", "NA"]));
    g.record.text("municipality", "federal");
    g.record.text("government_level", "federal");
    g.fetched_at();
}

/// `2024-2025-Q3`: fiscal years begin in April.
fn reporting_period(year: u32, month: u32) -> String {
    let first = if month < 4 { year - 1 } else { year };
    let quarter = (month + 8) % 12 / 3 + 1;
    format!("{first}-{}-Q{quarter}", first + 1)
}

fn disclosed_amounts(g: &mut Generator) {
    let is_amended = g.random.percent(15);
    // The portal requires a total.
    let value = g.project.value.unwrap_or(1_234_567);
    g.record.money("contract_value", value);
    g.record
        .money("original_value", if is_amended { value / 2 } else { value });
    if is_amended {
        g.record.money("amendment_value", value - value / 2);
        g.record.json("amendment_count", &(1 + g.random.below(4)));
    }
    g.record.text("instrument_type", if is_amended { "A" } else { "C" });
    g.record.text("currency", "CAD");
}

/// A standing offer. An agreement that delivers to several places has a record for each.
pub(super) fn standing_offer(g: &mut Generator, source: u8, number: u64) {
    let (project, part) = project_and_part(number);
    g.start(Publisher::StandingOffers, project, 0, (source, number));
    let agreement = format!("E60PQ-{:08}/PQ", scatter(project));
    let points = &g.phrases.delivery_points;
    let point = points[(project as usize + part as usize) % points.len()];
    let types = &g.phrases.agreement_types;
    let agreement_type = types[project as usize % types.len()].text;
    let (unspsc, name) = (g.topic().unspsc, g.topic().name);
    g.record
        .display("record_id", format_args!("sosa|{agreement}|{unspsc}|{}", point.code));
    g.record.text("agreement_number", &agreement);
    g.record.text("agreement_type_en", agreement_type.en);
    g.record.text("agreement_type_fr", agreement_type.fr);
    g.record.text("commodity", unspsc);
    g.record.text("commodity_description_en", name.en);
    g.record.text("commodity_description_fr", name.fr);
    g.record
        .text("procurement_category", g.topic().purchase_type.category());
    g.record.text("delivery_point_code", point.code);
    g.record.text("delivery_point_en", point.text.en);
    g.record.text("delivery_point_fr", point.text.fr);
    g.day("award_date", g.project.awarded);
    // Agreements without an end are published with one a century off.
    if g.random.percent(5) {
        g.record.text("expiry_date", "2121-03-31");
    } else {
        g.day("expiry_date", g.project.ends);
    }
    g.day("date_file_published", LAST - 5);
    g.federal_department();
    g.title("sosa_description_en", Language::English);
    g.title("sosa_description_fr", Language::French);
    g.record.text("vendor_name", &g.supplier.name.to_uppercase());
    g.record.text("supplier_legal_name", &g.supplier.name);
    if g.random.percent(59) {
        g.supplier_name("supplier_operating_name");
    }
    if g.random.percent(3) {
        g.record
            .json("eligibility", &json!({"indigenous_set_aside": "voluntary"}));
    }
    g.record.text("municipality", "federal");
    g.record.text("government_level", "federal");
    g.fetched_at();
}
