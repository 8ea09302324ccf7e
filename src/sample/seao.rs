//! Quebec's electronic tendering system (SEAO): most of the contracts and tenders there are, in French only.

use serde_json::{Value, json};

use super::{
    calendar::LAST,
    generator::Generator,
    project::{Publisher, project_and_part},
    random::scatter,
    record_writer::Money,
};
use crate::model::Language;

/// A procurement method.
#[derive(Clone, Copy)]
struct SeaoMethod {
    code: &'static str,
    name: &'static str,
    notice_type: &'static str,
}

const fn method(code: &'static str, name: &'static str, notice_type: &'static str) -> SeaoMethod {
    SeaoMethod {
        code,
        name,
        notice_type,
    }
}

const PUBLIC_CALL: &str = "Public call for tenders";
const COMPETITIVE: [SeaoMethod; 4] = [
    method("open", "Appel d'offres public", PUBLIC_CALL),
    method("open", "Appel d'offres public", PUBLIC_CALL),
    method("open", "Appel d’offres public régionalisé", PUBLIC_CALL),
    method(
        "limited",
        "Contrat adjugé suite à un appel d'offres sur invitation",
        "Invitation to tender",
    ),
];
const DIRECT: SeaoMethod = method("direct", "Contrat conclu de gré à gré", "Contract by mutual agreement");

/// Why a contract was awarded without a call for tenders: the provision, by the law that the buyer is subject to, and
/// the reason.
const MUNICIPAL_PROVISIONS: [&str; 2] = [
    "LCV, article 573.3, paragraphe 1 (urgence)",
    "LCV, article 573.3, paragraphe 2 (un seul fournisseur)",
];
const PROVINCIAL_PROVISIONS: [&str; 2] = ["LCOP, article 13, paragraphe 1", "LCOP, article 13, paragraphe 4"];
const RATIONALES: [&str; 3] = [
    "Contrat d'un montant inférieur au seuil de l'appel d'offres public",
    "Un seul contractant est possible en raison d'un droit exclusif",
    "Situation d'urgence mettant en cause la sécurité des personnes ou des biens",
];

pub(super) fn contract(g: &mut Generator, source: u8, number: u64) {
    let (project, part) = project_and_part(number);
    g.start(Publisher::Seao, project, part, (source, number));
    let notice = notice_number(project);
    let value = g.project.value.map(|cents| cents / (i64::from(part) + 1));
    let (record, neq, awarded) = (&mut g.record, &g.supplier.neq, g.calendar.day(g.project.awarded));
    match value.map(Money) {
        Some(value) => record.display("record_id", format_args!("seao|{notice}|{neq}|{awarded}|{value}")),
        None => record.display("record_id", format_args!("seao|{notice}|{neq}|{awarded}|")),
    }
    record.text("award_date", awarded);
    g.supplier_name("vendor_name");
    g.record.display("vendor_id", format_args!("FO-{}", g.supplier.neq));
    buyer(g);
    g.title("title_fr", Language::French);
    if g.random.percent(54) {
        g.description("description_fr", Language::French);
    }
    g.money("contract_value", value);
    g.record.text("currency", "CAD");
    g.record.display("contract_id", format_args!("{notice}-{}", part + 1));
    g.record.display("ocid", format_args!("ocds-ec9k95-{notice}"));
    g.day("publication_date", g.project.published);
    if g.random.percent(38) {
        g.day("end_date", g.project.ends);
    }
    if g.random.percent(88) {
        g.record.text("procurement_category", g.project.category);
    }
    method_and_exception(g, 53);
    let (status, status_fr) = if g.project.ends > LAST || g.random.percent(5) {
        ("active", "Actif")
    } else if g.random.percent(4) {
        ("cancelled", "Annulé")
    } else {
        ("complete", "Expiré")
    };
    g.record.text("status", status);
    g.record.text("status_fr", status_fr);
    if g.random.percent(95) {
        g.supplier_place();
    }
    if g.random.percent(70) {
        g.record.text("unspsc", g.topic().unspsc);
    }
    g.fetched_at();
}

pub(super) fn tender(g: &mut Generator, source: u8, number: u64) {
    g.start(Publisher::Seao, number, 0, (source, number));
    let notice = notice_number(number);
    g.record.display("record_id", format_args!("seao|{notice}"));
    g.record.display("ocid", format_args!("ocds-ec9k95-{notice}"));
    g.record.display("tender_id", notice);
    // Small buyers number from 1 each year, so they use the same numbers.
    let (year, rank) = (g.calendar.year(g.project.published), 1 + g.random.below(400));
    g.record.display("tender_number", format_args!("{year}-{rank:03}"));
    g.day("publication_date", g.project.published);
    let is_open = g.project.closes >= LAST;
    if is_open || g.random.percent(24) {
        let hour = g.random.choose(&["T11:00:00", "T14:00:00", "T15:30:00"]);
        let day = g.calendar.day(g.project.closes);
        g.record.text("closing_date", day);
        g.record.display("tender_close_date", format_args!("{day}{hour}"));
    }
    let (status, status_fr) = match g.random.below(100) {
        0..5 => ("cancelled", "Annulé"),
        _ if is_open => ("active", "Ouvert"),
        _ => ("complete", "Expiré"),
    };
    g.record.text("status", status);
    g.record.text("status_fr", status_fr);
    g.title("title_fr", Language::French);
    if g.random.percent(45) {
        g.description("description_fr", Language::French);
    }
    buyer(g);
    if g.random.percent(91) {
        g.record.text("procurement_category", g.project.category);
    }
    let notice_type = method_and_exception(g, 41);
    if g.random.percent(94) {
        g.record.text("notice_type_en", notice_type);
    }
    if g.random.percent(45) {
        documents(g, notice);
        g.record
            .display("notice_url", format_args!("https://seao.example.org/avis/{notice}"));
    }
    if g.random.percent(60) {
        g.record.text("unspsc", g.topic().unspsc);
    }
    g.fetched_at();
}

fn buyer(g: &mut Generator) {
    let id = scatter(g.project.buyer as u64 + 1) % 100_000;
    let has_level = g.random.percent(85);
    let buyer = g.buyer();
    let (name, municipality) = (buyer.name.clone(), buyer.municipality.clone());
    let level = if buyer.is_municipal { "municipal" } else { "provincial" };
    g.record.text("department_fr", &name);
    g.record.display("buyer_id", format_args!("OP-{id}"));
    g.record.text("municipality", &municipality);
    if has_level {
        g.record.text("government_level", level);
    }
}

/// Writes the method and, for a contract without a call for tenders, the exception. Returns the type of notice.
fn method_and_exception(g: &mut Generator, direct_percent: u32) -> &'static str {
    let is_direct = g.random.percent(direct_percent);
    let method = if is_direct {
        DIRECT
    } else {
        g.random.choose(&COMPETITIVE)
    };
    g.record.text("procurement_method", method.code);
    g.record.text("procurement_method_fr", method.name);
    if is_direct {
        let provisions = if g.buyer().is_municipal {
            MUNICIPAL_PROVISIONS
        } else {
            PROVINCIAL_PROVISIONS
        };
        // In cents; a larger contract needs a call for tenders or another reason.
        let is_below_threshold = g.project.value.is_some_and(|cents| cents < 10_000_000);
        let rationales = if is_below_threshold {
            &RATIONALES[..]
        } else {
            &RATIONALES[1..]
        };
        let rationale = g.random.choose(rationales);
        let mut exception = json!({"disposition": g.random.choose(&provisions)});
        if g.random.percent(40) {
            exception["procurement_method_rationale_fr"] = rationale.into();
        }
        g.record.json("eligibility", &exception);
    }
    method.notice_type
}

fn documents(g: &mut Generator, notice: u64) {
    const KINDS: [(&str, &str, &str); 3] = [
        ("Avis", "tenderNotice", "text/html"),
        ("Devis technique", "technicalSpecifications", "application/pdf"),
        ("Addenda", "clarifications", "application/pdf"),
    ];
    let count = 1 + g.random.below(3) as usize;
    let documents = KINDS[..count].iter().enumerate();
    let published = g.calendar.day(g.project.published);
    let documents = documents.map(|(doc_index, (title, document_type, format))| {
        json!({
            "doc_index": doc_index,
            "url": format!("https://seao.example.org/documents/{notice}/{doc_index}"),
            "title": title, "document_type": document_type, "language": "fr", "format": format,
            "date_published": published,
        })
    });
    g.record.json("documents", &documents.collect::<Value>());
}

fn notice_number(project: u64) -> u64 {
    10_000_000 + scatter(project)
}
