//! The federal tendering service: everything in both languages, a notice and its amendments under one reference number,
//! one solicitation number from tender to award to contract.

use super::{
    calendar::{FETCHED_AT, LAST},
    maker::Maker,
    project::{Publisher, has_parts, shared},
    row::{push_padded, push_string},
    subject::Language,
    terms::{AGREEMENTS, CRITERIA, EARLY_NOTICES, METHODS, REASONS, REGIONS, TENDER_NOTICES, pair},
    vendors::scatter,
};

pub fn contract(m: &mut Maker, source: u8, number: u64) {
    m.open(Publisher::Canadabuys, number, 0, (source, number));
    m.row.begin();
    m.row
        .fill("record_id", |out| push_contract_number(out, "canadabuys|", number));
    m.day("award_date", m.project.awarded);
    m.vendor_name("vendor_name");
    if m.dice.percent(23) {
        m.row.fill("vendor_name_standardized", |out| {
            out.push_str(&m.vendor.name.to_uppercase())
        });
    }
    m.vendor_place();
    m.row.text("municipality", "federal");
    m.row.text("government_level", "federal");
    m.federal_department();
    m.row.text(
        "buyer_name",
        "Department of Public Works and Government Services (PSPC)",
    );
    both_titles(m);
    if m.dice.percent(60) {
        both_descriptions(m);
    }
    m.money("contract_value", m.project.value);
    m.row.text("currency", if m.dice.percent(98) { "CAD" } else { "USD" });
    m.row.fill("contract_id", |out| push_contract_number(out, "", number));
    m.row
        .fill("contract_number", |out| push_contract_number(out, "", number));
    m.row
        .fill("reference_number", |out| push_contract_number(out, "", number));
    m.row.text(
        "amendment_number",
        ["000", "000", "001", "004"][m.dice.below(4) as usize],
    );
    if m.dice.percent(90) {
        m.row.fill("solicitation_number", |out| push_solicitation(out, number));
    }
    m.day("publication_date", (m.project.awarded + 10).min(LAST));
    m.day("start_date", m.project.awarded);
    m.day("end_date", m.project.ends);
    m.row.text("procurement_category", m.project.category);
    contract_status(m);
    both_methods(m);
    commodity(m);
    regions(m);
    eligibility(m);
    m.row.text("fetched_at", FETCHED_AT);
}

pub fn award(m: &mut Maker, source: u8, number: u64) {
    let (project, amendment) = shared(number);
    m.open(Publisher::Canadabuys, project, 0, (source, number));
    // An amendment is published a while after the notice it amends, and raises the total.
    let published = (m.project.awarded + 5 + amendment as i32 * 120).min(LAST);
    m.row.begin();
    m.row.fill("record_id", |out| {
        push_contract_number(out, "canadabuys|", project);
        out.push('|');
        push_padded(out, amendment.into(), 3);
    });
    m.row
        .fill("reference_number", |out| push_contract_number(out, "", project));
    m.row
        .fill("amendment_number", |out| push_padded(out, amendment.into(), 3));
    m.row.fill("solicitation_number", |out| push_solicitation(out, project));
    if m.dice.percent(99) {
        m.row
            .fill("contract_number", |out| push_contract_number(out, "", project));
    }
    m.day("award_date", m.project.awarded);
    m.day("publication_date", published);
    if amendment > 0 && m.dice.percent(11) {
        m.day("amendment_date", published);
    }
    if m.dice.percent(99) {
        m.day("start_date", m.project.awarded);
        m.day("end_date", m.project.ends + amendment as i32 * 90);
    }
    m.vendor_name("vendor_name");
    m.vendor_place();
    m.row.text("municipality", "federal");
    m.row.text("government_level", "federal");
    m.federal_department();
    both_titles(m);
    if m.dice.percent(90) {
        both_descriptions(m);
    }
    let value = m.project.value.unwrap_or(2_500_000);
    let total = value + value / 10 * i64::from(amendment);
    // Publishers fill one or the other of the two amounts.
    match m.dice.below(100) {
        0..1 => m.row.money("contract_value", value),
        1..3 => m.row.money("total_contract_value", total),
        3..6 => {
            m.row.money("contract_value", value);
            m.row.money("total_contract_value", 0);
        }
        _ => {
            m.row
                .money("contract_value", if amendment == 0 { value } else { value / 10 });
            m.row.money("total_contract_value", total);
        }
    }
    if m.dice.percent(91) {
        m.row.text("currency", if m.dice.percent(97) { "CAD" } else { "USD" });
    }
    m.row.text("procurement_category", m.project.category);
    contract_status(m);
    if m.dice.percent(99) {
        both_methods(m);
    }
    m.row.text("trade_agreements_en", m.dice.pick(AGREEMENTS).0);
    if m.dice.percent(97) {
        regions(m);
    }
    commodity(m);
    if m.dice.per_mille(2) {
        eligibility(m);
    }
    m.row.text("fetched_at", FETCHED_AT);
}

pub fn tender(m: &mut Maker, source: u8, number: u64) {
    notice(m, source, shared(number), number);
}

/// Numbered from the far end of the projects' numbers, so that an early notice is never also a tender's.
pub fn pre_solicitation(m: &mut Maker, source: u8, number: u64) {
    let (project, amendment) = shared(number);
    notice(m, source, (EARLY + project, amendment), number);
}

const EARLY: u64 = 70_000_000;

fn notice(m: &mut Maker, source: u8, (project, amendment): (u64, u32), number: u64) {
    m.open(Publisher::Canadabuys, project, 0, (source, number));
    let early = project >= EARLY;
    // Notices with amendments come from a history file, where each amendment is a record of its own.
    let history = has_parts(project);
    m.row.begin();
    m.row.fill("record_id", |out| {
        out.push_str("canadabuys|");
        push_reference(out, project);
        if history {
            out.push('|');
            push_padded(out, amendment.into(), 3);
        }
    });
    m.row.fill("reference_number", |out| push_reference(out, project));
    m.row.fill("tender_id", |out| push_reference(out, project));
    m.row
        .fill("amendment_number", |out| push_padded(out, amendment.into(), 3));
    m.row.fill("solicitation_number", |out| push_solicitation(out, project));
    m.row.fill("tender_number", |out| push_solicitation(out, project));
    m.row.text("municipality", "federal");
    m.row.text("government_level", "federal");
    let closes = m.project.closes + amendment as i32 * 14;
    m.day("publication_date", m.project.published);
    if amendment > 0 {
        m.day("amendment_date", (m.project.published + amendment as i32 * 9).min(LAST));
    }
    m.day("closing_date", closes);
    m.row.fill("tender_close_date", |out| {
        out.push_str(m.calendar.day(closes));
        out.push_str("T14:00:00");
    });
    let (status, status_fr) = match m.dice.below(100) {
        0..6 => ("Cancelled", "Annulé"),
        _ if closes >= LAST => ("Open", "Ouvert"),
        _ => ("Expired", "Expiré"),
    };
    m.row.text("status", status);
    m.row.text("status_fr", status_fr);
    m.federal_department();
    both_titles(m);
    if m.dice.percent(80) {
        both_descriptions(m);
    }
    m.row.text("procurement_category", m.project.category);
    let types = if early { EARLY_NOTICES } else { TENDER_NOTICES };
    let notice_type = m.dice.pick(types);
    // Notices carried over from a private bulletin board tell no type.
    if early || m.dice.percent(92) {
        m.row.text("notice_type_en", notice_type.en);
        m.row.text("notice_type_fr", notice_type.fr);
    }
    both_methods(m);
    commodity(m);
    regions(m);
    m.row.text("trade_agreements_en", m.dice.pick(AGREEMENTS).0);
    eligibility(m);
    documents(m);
    m.row.fill("notice_url", |out| {
        out.push_str("https://canadabuys.example.org/en/tender-notice/");
        push_reference(out, project);
    });
    m.row.text("contact_name", "Procurement Office");
    m.row.text("contact_email", "procurement@example.org");
    m.row.text("contact_phone", "613-555-0142");
    m.row.text("fetched_at", FETCHED_AT);
}

fn both_titles(m: &mut Maker) {
    m.title("title_en", Language::En);
    m.title("title_fr", Language::Fr);
}

fn both_descriptions(m: &mut Maker) {
    m.description("description_en", Language::En);
    m.description("description_fr", Language::Fr);
}

fn both_methods(m: &mut Maker) {
    let method = m.dice.pick(METHODS);
    m.row.text("procurement_method_en", method.en);
    m.row.text("procurement_method_fr", method.fr);
}

fn contract_status(m: &mut Maker) {
    let status = match m.dice.below(100) {
        0..4 => pair("Cancelled", "Annulé"),
        _ if m.project.ends > LAST => pair("Active", "Actif"),
        _ => pair("Expired", "Expiré"),
    };
    m.row.text("status_en", status.en);
    m.row.text("status_fr", status.fr);
}

fn regions(m: &mut Maker) {
    let region = m.dice.pick(REGIONS);
    m.row.text("regions_of_delivery_en", region.en);
    m.row.text("regions_of_delivery_fr", region.fr);
}

/// UNSPSC on most notices, the older GSIN on few.
fn commodity(m: &mut Maker) {
    let topic = m.project.subject.topic(&m.words);
    m.row.text("unspsc", topic.unspsc);
    m.row.text("unspsc_description_en", topic.name.en);
    m.row.text("unspsc_description_fr", topic.name.fr);
    if m.dice.per_mille(8) {
        m.row
            .text("gsin", ["C216BB", "N7030", "D302A"][m.dice.below(3) as usize]);
    }
}

fn eligibility(m: &mut Maker) {
    let (agreements, criterion, reason) = (m.dice.pick(AGREEMENTS).1, m.dice.pick(CRITERIA), m.dice.pick(REASONS));
    let (region, chance) = (m.dice.pick(REGIONS), m.dice.below(100));
    m.row.json("eligibility", |out| {
        out.push_str("{\"trade_agreements\":[");
        out.push_str(agreements);
        out.push_str("],\"selection_criteria_en\":");
        push_string(out, criterion.en);
        out.push_str(",\"selection_criteria_fr\":");
        push_string(out, criterion.fr);
        if chance < 20 {
            out.push_str(",\"limited_tendering_reason_en\":");
            push_string(out, reason.en);
            out.push_str(",\"limited_tendering_reason_fr\":");
            push_string(out, reason.fr);
        }
        if chance % 3 == 0 {
            out.push_str(",\"regions_of_opportunity\":[");
            push_string(out, region.en);
            out.push(']');
        }
        match chance % 20 {
            0 => out.push_str(",\"indigenous_set_aside\":\"mandatory\""),
            1 => out
                .push_str(",\"indigenous_set_aside\":\"voluntary\",\"land_claims_agreements\":[\"Nunavut Agreement\"]"),
            2..8 => out.push_str(",\"indigenous_set_aside\":\"none\""),
            _ => {}
        }
        out.push('}');
    });
}

fn documents(m: &mut Maker) {
    let number = u64::from(m.dice.below(1_000_000));
    m.row.json("documents", |out| {
        for (at, language) in ["en", "fr"].into_iter().enumerate() {
            out.push_str(if at == 0 {
                "[{\"doc_index\":"
            } else {
                ",{\"doc_index\":"
            });
            push_padded(out, at as u64, 1);
            out.push_str(",\"url\":\"https://canadabuys.example.org/attachments/");
            push_padded(out, number, 6);
            out.push_str(if at == 0 { "-en.pdf\"" } else { "-fr.pdf\"" });
            out.push_str(",\"language\":");
            push_string(out, language);
            out.push('}');
        }
        out.push(']');
    });
}

/// Newer numbers are the portal's own, older ones the buying directorate's, blanks and strokes included.
fn push_solicitation(out: &mut String, project: u64) {
    let number = scatter(project);
    if project.is_multiple_of(5) {
        out.push_str(["W8482-", "EN578-", "M7594-", "5P420-"][(number % 4) as usize]);
        push_padded(out, number, 8);
        out.push_str(["/A", "/B", "/001/ML"][(number % 3) as usize]);
    } else {
        out.push_str("WS");
        push_padded(out, 3_000_000_000 + number, 10);
    }
}

fn push_reference(out: &mut String, project: u64) {
    out.push_str("WS");
    push_padded(out, 3_000_000_000 + scatter(project), 10);
    out.push_str("-Doc");
    push_padded(out, 3_000_000_000 + scatter(project * 3 + 1), 10);
}

fn push_contract_number(out: &mut String, before: &str, project: u64) {
    out.push_str(before);
    let number = scatter(project);
    if project.is_multiple_of(7) {
        push_padded(out, number, 8);
        out.push_str("/001/ML");
    } else {
        out.push_str("CW2");
        push_padded(out, number, 8);
    }
}
