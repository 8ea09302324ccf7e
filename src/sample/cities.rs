//! Three publishers with files of their own shape: Montréal, Toronto, Nova Scotia.

use super::{
    calendar::{FETCHED_AT, LAST},
    maker::Maker,
    project::{Publisher, shared},
    row::{push_money, push_padded},
    subject::Language,
    vendors::scatter,
};
use crate::model::fold::fold;

const SERVICES: &[&str] = &[
    "SERVICE DE L'EAU",
    "SERVICE DES INFRASTRUCTURES DU RÉSEAU ROUTIER",
    "SERVICE DE L'APPROVISIONNEMENT",
    "SERVICE DES GRANDS PARCS, DU MONT-ROYAL ET DES SPORTS",
    "SERVICE DE SÉCURITÉ INCENDIE DE MONTRÉAL",
    "SERVICE DE POLICE DE LA VILLE DE MONTRÉAL",
    "SERVICE DES TECHNOLOGIES DE L'INFORMATION",
    "SERVICE DE LA CULTURE",
    "SERVICE DE LA GESTION ET DE LA PLANIFICATION IMMOBILIÈRE",
    "SERVICE DU MATÉRIEL ROULANT ET DES ATELIERS",
    "ARRONDISSEMENT DE VILLE-MARIE",
    "ARRONDISSEMENT DE ROSEMONT–LA PETITE-PATRIE",
    "ARRONDISSEMENT DE VERDUN",
    "ARRONDISSEMENT DE SAINT-LAURENT",
    "ARRONDISSEMENT DU SUD-OUEST",
];
const DIRECTIONS: &[&str] = &[
    "DIRECTION DES TRAVAUX PUBLICS",
    "DIRECTION DE L'EAU POTABLE",
    "DIRECTION DES STRATÉGIES IMMOBILIÈRES",
    "DIRECTION DES SERVICES ADMINISTRATIFS",
];
const ACTIVITIES: &[&str] = &[
    "ENTRETIEN DES CHAUSSÉES ET TROTTOIRS",
    "RÉSEAUX D'ÉGOUT",
    "AUTRES - ADMINISTRATION GÉNÉRALE",
    "BIBLIOTHÈQUES",
    "ENLÈVEMENT DE LA NEIGE",
    "CENTRES COMMUNAUTAIRES - ACTIVITÉS RÉCRÉATIVES",
];
const DIVISIONS: &[&str] = &[
    "Toronto Water",
    "Transportation Services",
    "Engineering & Construction Services",
    "Parks, Forestry & Recreation",
    "Solid Waste Management Services",
    "Technology Services",
    "Fleet Services",
    "Corporate Real Estate Management",
    "Toronto Paramedic Services",
    "Fire Services",
    "Shelter, Support & Housing Administration",
    "Purchasing & Materials Management",
    "City Planning",
];
const TORONTO_CATEGORIES: &[(&str, Option<&str>)] = &[
    ("Construction Services", Some("CNST")),
    ("Professional Services", Some("SRV")),
    ("Goods and Services", Some("SRVTGD")),
    ("Offer to Purchase", None),
];

/// Montréal gives its rows no number: the identifier is a hash, over what tells two rows apart.
pub fn montreal_contract(m: &mut Maker, source: u8, number: u64) {
    m.open(Publisher::Montreal, number, 0, (source, number));
    m.row.begin();
    m.row.fill("record_id", |out| {
        out.push_str("montreal|");
        push_hex(out, crc32fast::hash(m.vendor.neq.as_bytes()));
        // A checksum may repeat; this half does not.
        push_hex(out, scatter(number) as u32);
    });
    m.day("award_date", m.project.awarded);
    m.row
        .fill("vendor_name", |out| out.push_str(&m.vendor.name.to_uppercase()));
    m.row.text("municipality", "montreal");
    m.row.text("province", "QC");
    if m.dice.percent(60) {
        m.row.text("government_level", "municipal");
    }
    m.money("contract_value", m.project.value);
    m.row.text("department_fr", m.dice.pick(SERVICES));
    let council = m.dice.percent(25);
    m.row.fill("title_fr", |out| {
        let mut title = String::new();
        m.project.subject.title(Language::Fr, &m.words, &mut title);
        out.push_str(if council { "ACCORDER UN CONTRAT POUR " } else { "" });
        out.push_str(&title.to_uppercase());
    });
    if council {
        m.row.text("direction_fr", m.dice.pick(DIRECTIONS));
        m.row.fill("file_number", |out| {
            push_padded(out, 1_100_000_000 + scatter(number), 10)
        });
        m.row.fill("decision_number", |out| {
            out.push_str("CM");
            push_padded(out, m.calendar.year(m.project.awarded).unsigned_abs() as u64 % 100, 2);
            out.push(' ');
            push_padded(out, m.dice.below(1_600).into(), 4);
        });
        m.row.text(
            "repartition",
            m.dice.pick(&["100% VILLE", "100% AGGLO", "50% VILLE - 50% AGGLO"]),
        );
        m.row.text("approver", "Conseil municipal");
        m.row.text("dataset", "contrats-conseil-municipal");
    } else {
        m.row
            .fill("file_number", |out| push_padded(out, 600_000 + number % 900_000, 6));
        m.row.text("activity", m.dice.pick(ACTIVITIES));
        m.row.text("approver", "Direction de l'approvisionnement");
        m.row.text("dataset", "contrats-fonctionnaires");
    }
    m.row.text("fetched_at", FETCHED_AT);
}

pub fn toronto_contract(m: &mut Maker, source: u8, number: u64) {
    let competitive = !number.is_multiple_of(3);
    let (project, part) = shared(number);
    m.open(Publisher::Toronto, project, part, (source, number));
    m.row.begin();
    m.row.fill("record_id", |out| {
        out.push_str(if competitive { "toronto|" } else { "toronto-nc|" });
        push_document(out, project);
        out.push('|');
        out.push_str(&fold(&m.vendor.name));
        if competitive {
            out.push('|');
            out.push_str(m.calendar.day(m.project.awarded));
            out.push('|');
            if let Some(cents) = m.project.value {
                push_money(out, cents);
            }
        }
    });
    m.day("award_date", m.project.awarded);
    m.vendor_name("vendor_name");
    m.row.text("municipality", "toronto");
    m.row.text("province", "ON");
    if m.dice.percent(60) {
        m.row.text("government_level", "municipal");
    }
    m.money("contract_value", m.project.value);
    m.row.text("department_en", m.dice.pick(DIVISIONS));
    m.row.fill("contract_id", |out| push_document(out, project));
    m.row.fill("solicitation_number", |out| push_document(out, project));
    if competitive {
        if m.dice.percent(40) {
            m.title("title_en", Language::En);
        }
        m.row.text("notice_type_en", m.dice.pick(&["RFQ", "RFP", "RFT"]));
        let (category, code) = m.dice.pick(TORONTO_CATEGORIES);
        m.row.text("category", category);
        if let Some(code) = code {
            m.row.text("procurement_category", code);
        }
    } else {
        m.row.text("notice_type_en", "non-competitive");
        let reason = m
            .dice
            .pick(&["Emergency", "Proprietary Rights", "Trade Agreement Exemption"]);
        m.row.json("eligibility", |out| {
            out.push_str("{\"limited_tendering_reason_en\":\"");
            out.push_str(reason);
            out.push_str("\"}");
        });
    }
    m.row.text(
        "wards",
        m.dice.pick(&["None", "Ward 10", "Ward 3, Ward 4", "City Wide"]),
    );
    m.row.text("fetched_at", FETCHED_AT);
}

pub fn toronto_tender(m: &mut Maker, source: u8, number: u64) {
    m.open(Publisher::Toronto, number, 0, (source, number));
    m.row.begin();
    m.row.fill("record_id", |out| {
        out.push_str("toronto|");
        push_document(out, number);
    });
    m.day("publication_date", m.project.published);
    m.day("closing_date", m.project.closes);
    m.row.fill("tender_close_date", |out| {
        out.push_str(m.calendar.day(m.project.closes));
        out.push_str("T12:00:00");
    });
    m.row
        .text("status", if m.project.closes >= LAST { "Open" } else { "Expired" });
    m.title("title_en", Language::En);
    if m.dice.percent(30) {
        m.description("description_en", Language::En);
    }
    m.row.text("municipality", "toronto");
    m.row.text("province", "ON");
    m.row.text("department_en", m.dice.pick(DIVISIONS));
    m.row.fill("tender_number", |out| push_document(out, number));
    m.row.fill("solicitation_number", |out| push_document(out, number));
    m.row.text("notice_type_en", m.dice.pick(&["RFQ", "RFP", "RFT"]));
    m.row.text("noip_type_en", "Notice of Intended Procurement");
    let (category, code) = m.dice.pick(TORONTO_CATEGORIES);
    m.row.text("category", category);
    if let Some(code) = code {
        m.row.text("procurement_category", code);
    }
    m.row.text(
        "wards",
        m.dice.pick(&["None", "Ward 10", "Ward 3, Ward 4", "City Wide"]),
    );
    m.row.text("contact_name", "Procurement Office");
    m.row.text("contact_email", "supplychain@example.org");
    m.row.text("contact_phone", "416-555-0117");
    m.row
        .text("source_url", "https://toronto.example.org/solicitations.csv");
    m.row.text("fetched_at", FETCHED_AT);
}

pub fn nova_scotia_contract(m: &mut Maker, source: u8, number: u64) {
    let (project, part) = shared(number);
    m.open(Publisher::NovaScotia, project, part, (source, number));
    let buyer = &m.buyers.nova_scotia[m.project.buyer];
    m.row.begin();
    m.row.fill("record_id", |out| {
        push_tender_id(out, "novascotia|", project);
        out.push('|');
        out.push_str(&fold(&m.vendor.name));
    });
    m.row
        .fill("solicitation_number", |out| push_tender_id(out, "", project));
    m.row.text("municipality", &buyer.municipality);
    m.row.text("buyer_name", &buyer.name);
    m.row.text("department_en", &buyer.name);
    if m.dice.percent(60) {
        let level = if buyer.municipal { "municipal" } else { "provincial" };
        m.row.text("government_level", level);
    }
    m.row.text("province", "NS");
    m.day("award_date", m.project.awarded);
    m.day("publication_date", m.project.published);
    m.vendor_name("vendor_name");
    // Unit rates stand where an amount should.
    let value = if m.dice.percent(2) {
        Some(2_050)
    } else {
        m.project.value
    };
    m.money("contract_value", value);
    m.title("title_en", Language::En);
    m.row.text("procurement_category", m.project.category);
    m.row.text("fetched_at", FETCHED_AT);
}

fn push_document(out: &mut String, project: u64) {
    out.push_str("Doc");
    push_padded(out, 3_100_000_000 + scatter(project), 10);
}

fn push_tender_id(out: &mut String, before: &str, project: u64) {
    out.push_str(before);
    out.push_str(["60", "HRM", "NSHA-"][(project % 3) as usize]);
    push_padded(out, scatter(project), 8);
}

fn push_hex(out: &mut String, number: u32) {
    for shift in (0..8).rev() {
        let digit = (number >> (shift * 4)) & 0xf;
        out.push(char::from_digit(digit, 16).unwrap_or('0'));
    }
}
