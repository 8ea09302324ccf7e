//! What federal departments disclose of their contracts, and the standing offers they may call upon.

use super::{
    calendar::FETCHED_AT,
    maker::Maker,
    project::{Publisher, shared},
    row::push_padded,
    subject::Language,
    terms::{AGREEMENT_KINDS, DELIVERY_POINTS, PROCEDURES},
    vendors::scatter,
};

/// A disclosed contract: its number is unique only within the department that discloses it.
pub fn disclosure(m: &mut Maker, source: u8, number: u64) {
    m.open(Publisher::Disclosure, number, 0, (source, number));
    let (year, month) = (m.calendar.year(m.project.awarded), m.calendar.month(m.project.awarded));
    // A fiscal year begins in April.
    let first = if month < 4 { year - 1 } else { year };
    let quarter = (month + 8) % 12 / 3 + 1;
    let period = |out: &mut String| {
        push_padded(out, first.unsigned_abs().into(), 4);
        out.push('-');
        push_padded(out, (first + 1).unsigned_abs().into(), 4);
        out.push_str("-Q");
        push_padded(out, quarter.unsigned_abs().into(), 1);
    };
    let reference = |out: &mut String| {
        out.push_str("C-");
        period(out);
        out.push('-');
        push_padded(out, number + 1, 5);
    };
    let owner = m.words.federal[m.project.buyer].code;
    m.row.begin();
    m.row.fill("record_id", |out| {
        out.push_str("disclosure|");
        out.push_str(owner);
        out.push(',');
        reference(out);
    });
    m.row.fill("reference_number", reference);
    m.row.fill("procurement_id", |out| {
        push_padded(out, 3_000_000_000 + scatter(number), 10)
    });
    m.row.text("owner_org", owner);
    m.vendor_name("vendor_name");
    if m.dice.percent(70) {
        m.row
            .text("vendor_postal_code", m.vendor.postal_code.get(..3).unwrap_or("NA"));
        m.row.text("vendor_country", m.vendor.province.country);
    }
    if m.dice.percent(30) {
        m.row.text("vendor_province", m.vendor.province.en);
    }
    m.federal_department();
    let name = m.project.subject.topic(&m.words).name;
    m.row.text("description_en", name.en);
    if m.dice.percent(90) {
        m.row.text("description_fr", name.fr);
    }
    if m.dice.percent(12) {
        m.description("comments_en", Language::En);
        m.description("comments_fr", Language::Fr);
    }
    let amended = m.dice.percent(15);
    // The portal makes the total mandatory.
    let value = m.project.value.unwrap_or(1_234_567);
    m.row.money("contract_value", value);
    m.row.money("original_value", if amended { value / 2 } else { value });
    if amended {
        m.row.money("amendment_value", value - value / 2);
        m.row.count("amendment_count", 1 + m.dice.below(4));
    }
    m.row.text("instrument_type", if amended { "A" } else { "C" });
    m.row.text("currency", "CAD");
    m.day("award_date", m.project.awarded);
    m.day("start_date", m.project.awarded);
    m.day("end_date", m.project.ends);
    m.row
        .text("procurement_category", m.project.subject.topic(&m.words).category);
    m.row.text("commodity_code", m.project.subject.topic(&m.words).unspsc);
    m.row.text(
        "economic_object_code",
        m.dice.pick(&["473", "491", "660", "811", "0430", "NA"]),
    );
    m.row.fill("reporting_period", period);
    let (code, method) = m.dice.pick(PROCEDURES);
    m.row.text("solicitation_procedure", code);
    m.row.text("procurement_method_en", method.en);
    m.row.text("procurement_method_fr", method.fr);
    if m.dice.percent(50) {
        m.row.fill("number_of_bids", |out| {
            push_padded(out, 1 + u64::from(m.dice.below(9)), 1)
        });
    }
    m.row
        .text("indigenous_business", m.dice.pick(&["N", "N", "N", "Y", "NA"]));
    m.row.text("municipality", "federal");
    m.row.text("government_level", "federal");
    m.row.text("fetched_at", FETCHED_AT);
}

/// A standing offer; one agreement stands on several rows when it delivers to several places.
pub fn standing_offer(m: &mut Maker, source: u8, number: u64) {
    let (project, part) = shared(number);
    m.open(Publisher::Sosa, project, 0, (source, number));
    let agreement = |out: &mut String| {
        out.push_str("E60PQ-");
        push_padded(out, scatter(project), 8);
        out.push_str("/PQ");
    };
    let topic = m.project.subject.topic(&m.words);
    let (code, place) = DELIVERY_POINTS[(project as usize + part as usize) % DELIVERY_POINTS.len()];
    let (kind_en, kind_fr) = AGREEMENT_KINDS[project as usize % AGREEMENT_KINDS.len()];
    m.row.begin();
    m.row.fill("record_id", |out| {
        out.push_str("sosa|");
        agreement(out);
        out.push('|');
        out.push_str(topic.unspsc);
        out.push('|');
        out.push_str(code);
    });
    m.row.fill("agreement_number", agreement);
    m.row.text("agreement_type_en", kind_en);
    m.row.text("agreement_type_fr", kind_fr);
    m.row.text("commodity", topic.unspsc);
    m.row.text("commodity_description_en", topic.name.en);
    m.row.text("commodity_description_fr", topic.name.fr);
    m.row.text("procurement_category", topic.category);
    m.row.text("delivery_point_code", code);
    m.row.text("delivery_point_en", place.en);
    m.row.text("delivery_point_fr", place.fr);
    m.day("award_date", m.project.awarded);
    // Agreements without an end are given one a century off.
    if m.dice.percent(5) {
        m.row.text("expiry_date", "2121-03-31");
    } else {
        m.day("expiry_date", m.project.ends);
    }
    m.row.text("date_file_published", "2026-10-26");
    m.federal_department();
    m.title("sosa_description_en", Language::En);
    m.title("sosa_description_fr", Language::Fr);
    m.row
        .fill("vendor_name", |out| out.push_str(&m.vendor.name.to_uppercase()));
    m.row.text("supplier_legal_name", &m.vendor.name);
    if m.dice.percent(59) {
        m.vendor_name("supplier_operating_name");
    }
    if m.dice.percent(3) {
        m.row.json("eligibility", |out| {
            out.push_str("{\"indigenous_set_aside\":\"voluntary\"}")
        });
    }
    m.row.text("municipality", "federal");
    m.row.text("government_level", "federal");
    m.row.text("fetched_at", FETCHED_AT);
}
