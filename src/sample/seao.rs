//! Quebec's electronic tendering system: most of the contracts and tenders there are, in French only.

use super::{
    calendar::{FETCHED_AT, LAST},
    maker::Maker,
    project::{Publisher, shared},
    row::{push_money, push_padded, push_string},
    subject::Language,
    vendors::scatter,
};

/// The method's code and words, and the kind of notice that goes with it.
const METHODS: &[(&str, &str, &str)] = &[
    ("open", "Appel d'offres public", PUBLIC_CALL),
    ("open", "Appel d'offres public", PUBLIC_CALL),
    ("open", "Appel d’offres public régionalisé", PUBLIC_CALL),
    (
        "limited",
        "Contrat adjugé suite à un appel d'offres sur invitation",
        "Invitation to tender",
    ),
    ("direct", "Contrat conclu de gré à gré", "Contract by mutual agreement"),
];
const PUBLIC_CALL: &str = "Public call for tenders";
const GROUNDS: &[&str] = &[
    "LCV, article 573.3, paragraphe 1 (urgence)",
    "LCV, article 573.3, paragraphe 2 (un seul fournisseur)",
    "LCOP, article 13, paragraphe 1",
    "LCOP, article 13, paragraphe 4",
    "Règlement sur certains contrats de services, article 35",
];
const RATIONALES: &[&str] = &[
    "Contrat d'un montant inférieur au seuil de l'appel d'offres public",
    "Un seul contractant est possible en raison d'un droit exclusif",
    "Situation d'urgence mettant en cause la sécurité des personnes ou des biens",
    "Contrat conclu avec un organisme à but non lucratif",
];

pub fn contract(m: &mut Maker, source: u8, number: u64) {
    let (project, part) = shared(number);
    m.open(Publisher::Seao, project, part, (source, number));
    let notice = notice_number(project);
    let value = m.project.value.map(|cents| cents / (i64::from(part) + 1));
    m.row.begin();
    let (row, awarded) = (&mut m.row, m.calendar.day(m.project.awarded));
    row.fill("record_id", |out| {
        push_notice(out, "seao|", notice);
        out.push('|');
        out.push_str(&m.vendor.neq);
        out.push('|');
        out.push_str(awarded);
        out.push('|');
        if let Some(cents) = value {
            push_money(out, cents);
        }
    });
    row.text("award_date", awarded);
    m.vendor_name("vendor_name");
    let row = &mut m.row;
    row.fill("vendor_id", |out| {
        out.push_str("FO-");
        out.push_str(&m.vendor.neq);
    });
    buyer(m);
    m.title("title_fr", Language::Fr);
    if m.dice.percent(54) {
        m.description("description_fr", Language::Fr);
    }
    m.money("contract_value", value);
    let row = &mut m.row;
    row.text("currency", "CAD");
    row.fill("contract_id", |out| {
        push_notice(out, "", notice);
        out.push('-');
        push_padded(out, u64::from(part) + 1, 1);
    });
    row.fill("ocid", |out| push_notice(out, "ocds-ec9k95-", notice));
    m.day("publication_date", m.project.published);
    if m.dice.percent(38) {
        m.day("end_date", m.project.ends);
    }
    if m.dice.percent(88) {
        m.row.text("procurement_category", m.project.category);
    }
    method(m);
    let (status, status_fr) = if m.project.ends > LAST || m.dice.percent(5) {
        ("active", "Actif")
    } else if m.dice.percent(4) {
        ("cancelled", "Annulé")
    } else {
        ("complete", "Expiré")
    };
    m.row.text("status", status);
    m.row.text("status_fr", status_fr);
    if m.dice.percent(52) {
        eligibility(m);
    }
    if m.dice.percent(95) {
        m.vendor_place();
    }
    if m.dice.percent(70) {
        m.row.text("unspsc", m.project.subject.topic(&m.words).unspsc);
    }
    m.row.text("fetched_at", FETCHED_AT);
}

pub fn tender(m: &mut Maker, source: u8, number: u64) {
    m.open(Publisher::Seao, number, 0, (source, number));
    let notice = notice_number(number);
    m.row.begin();
    let row = &mut m.row;
    row.fill("record_id", |out| push_notice(out, "seao|", notice));
    row.fill("ocid", |out| push_notice(out, "ocds-ec9k95-", notice));
    row.fill("tender_id", |out| push_notice(out, "", notice));
    m.row.fill("tender_number", |out| {
        // Small buyers number from 1 each year, so they reuse each other's.
        push_padded(out, m.calendar.year(m.project.published).unsigned_abs().into(), 4);
        out.push('-');
        push_padded(out, 1 + u64::from(m.dice.below(400)), 3);
    });
    m.day("publication_date", m.project.published);
    let open = m.project.closes >= LAST;
    if open || m.dice.percent(24) {
        let hour = ["T11:00:00", "T14:00:00", "T15:30:00"][m.dice.below(3) as usize];
        m.day("closing_date", m.project.closes);
        m.row.fill("tender_close_date", |out| {
            out.push_str(m.calendar.day(m.project.closes));
            out.push_str(hour);
        });
    }
    let (status, status_fr) = match m.dice.below(100) {
        0..5 => ("cancelled", "Annulé"),
        _ if open => ("active", "Ouvert"),
        _ => ("complete", "Expiré"),
    };
    m.row.text("status", status);
    m.row.text("status_fr", status_fr);
    m.title("title_fr", Language::Fr);
    if m.dice.percent(45) {
        m.description("description_fr", Language::Fr);
    }
    buyer(m);
    if m.dice.percent(91) {
        m.row.text("procurement_category", m.project.category);
    }
    let notice_type = method(m);
    if m.dice.percent(94) {
        m.row.text("notice_type_en", notice_type);
    }
    if m.dice.percent(42) {
        eligibility(m);
    }
    if m.dice.percent(45) {
        documents(m, notice);
        m.row.fill("notice_url", |out| {
            push_notice(out, "https://seao.example.org/avis/", notice)
        });
    }
    if m.dice.percent(60) {
        m.row.text("unspsc", m.project.subject.topic(&m.words).unspsc);
    }
    m.row.text("fetched_at", FETCHED_AT);
}

fn buyer(m: &mut Maker) {
    let (row, rank) = (&mut m.row, m.project.buyer);
    let buyer = &m.buyers.quebec[rank];
    row.text("department_fr", &buyer.name);
    row.fill("buyer_id", |out| {
        push_notice(out, "OP-", scatter(rank as u64 + 1) % 100_000)
    });
    row.text("municipality", &buyer.municipality);
    if m.dice.percent(85) {
        row.text(
            "government_level",
            if buyer.municipal { "municipal" } else { "provincial" },
        );
    }
}

/// Writes the method; answers the type of notice.
fn method(m: &mut Maker) -> &'static str {
    let (code, words, notice_type) = m.dice.pick(METHODS);
    m.row.text("procurement_method", code);
    m.row.text("procurement_method_fr", words);
    notice_type
}

fn eligibility(m: &mut Maker) {
    let (ground, rationale) = (m.dice.pick(GROUNDS), m.dice.pick(RATIONALES));
    let both = m.dice.percent(40);
    m.row.json("eligibility", |out| {
        out.push_str("{\"disposition\":");
        push_string(out, ground);
        if both {
            out.push_str(",\"procurement_method_rationale_fr\":");
            push_string(out, rationale);
        }
        out.push('}');
    });
}

fn documents(m: &mut Maker, notice: u64) {
    const KINDS: [(&str, &str, &str); 3] = [
        ("Avis", "tenderNotice", "text/html"),
        ("Devis technique", "technicalSpecifications", "application/pdf"),
        ("Addenda", "clarifications", "application/pdf"),
    ];
    let count = 1 + m.dice.below(3) as usize;
    let published = m.calendar.day(m.project.published);
    m.row.json("documents", |out| {
        for (at, (title, kind, format)) in KINDS[..count].iter().enumerate() {
            out.push_str(if at == 0 { "[{" } else { ",{" });
            out.push_str("\"doc_index\":");
            push_padded(out, at as u64, 1);
            push_notice(out, ",\"url\":\"https://seao.example.org/documents/", notice);
            out.push('/');
            push_padded(out, at as u64, 1);
            for (name, value) in [
                ("title", *title),
                ("document_type", kind),
                ("language", "fr"),
                ("format", format),
                ("date_published", published),
            ] {
                out.push_str(if name == "title" { "\",\"" } else { ",\"" });
                out.push_str(name);
                out.push_str("\":");
                push_string(out, value);
            }
            out.push('}');
        }
        out.push(']');
    });
}

fn notice_number(project: u64) -> u64 {
    10_000_000 + scatter(project)
}

fn push_notice(out: &mut String, before: &str, notice: u64) {
    out.push_str(before);
    push_padded(out, notice, 1);
}
