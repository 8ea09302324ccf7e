//! The notice of an OCDS release of SEAO, as a tender.

use serde_json::{Value, json};

use super::{
    intake::Record,
    json::{list, word},
    seao::place,
    seao_codes::{self, TYPES},
    seao_ocds::{Notice, Package, Words},
    text,
};
use crate::{entity::EntityType, fold::fold, municipality};

impl<'a> Notice<'a> {
    pub fn tender(&mut self, number: &str, ocid: &str, package: &Package) -> Record {
        let release = self.release;
        let mut tender = Record::new(EntityType::Tender);
        tender.set("record_id", Some(format!("seao|{number}")));
        tender.set("reference_number", Some(number));
        tender.set("ocid", Some(ocid));
        for field in ["solicitation_number", "tender_id", "tender_number"] {
            tender.set(field, self.word("/tender/id"));
        }
        // A time of publication or of closing is a moment, told in local time: its day is the one written.
        let published = word(release, "/date").or_else(|| self.word("/tender/tenderPeriod/startDate"));
        tender.set("publication_date", self.local_day(published, "date"));
        let closing = self.word("/tender/tenderPeriod/endDate");
        let closing_date = self.local_day(closing.clone(), "endDate");
        tender.set("tender_close_date", closing.filter(|_| closing_date.is_some()));
        tender.set("closing_date", closing_date);
        tender.set("title_fr", self.word("/tender/title"));
        let lots = list(release, "/tender/lots")
            .iter()
            .filter_map(|lot| word(lot, "/title"));
        let lots: Vec<String> = lots.collect();
        tender.set("description_fr", (!lots.is_empty()).then(|| lots.join("\n")));
        self.set_buyer(&mut tender);
        self.set_object(&mut tender);
        self.set_method(&mut tender);
        let (status, english, french) = self.status();
        tender.set("status", Some(status));
        tender.set("status_en", english);
        tender.set("status_fr", french);
        let documents: Vec<String> = list(release, "/tender/documents")
            .iter()
            .filter_map(|document| word(document, "/url"))
            .collect();
        tender.set("notice_url", documents.first().cloned());
        let documents: Vec<Value> = documents
            .iter()
            .enumerate()
            .map(|(index, url)| json!({"doc_index": index, "url": url, "document_type": "tenderNotice", "language": "fr"}))
            .collect();
        tender.set("documents", (!documents.is_empty()).then_some(documents));
        tender.set("source_url", package.uri.as_deref());
        tender.set("fetched_at", Some(package.published.as_str()));
        tender
    }

    fn local_day(&mut self, stated: Option<String>, name: &str) -> Option<String> {
        let day = text::date(&stated?).unwrap_or_else(|_| {
            self.note(&format!("impossible date in {name}, left out"));
            None
        });
        day.map(|day| day.to_string())
    }

    /// The buyer may be a part of the body that the party of the same identifier names.
    fn set_buyer(&self, tender: &mut Record) {
        let id = self.word("/buyer/id");
        let party = id.as_deref().and_then(|id| self.party(id)).unwrap_or(&Value::Null);
        let organization = |name: Option<String>| Some(text::organization(&name?)?.into_owned());
        let body = organization(word(party, "/name"));
        let buyer = organization(self.word("/buyer/name")).or_else(|| body.clone());
        let city = word(party, "/address/locality").unwrap_or_default();
        let is_municipal = word(party, "/details/municipal").is_some_and(|flag| flag == "1");
        let (mut slug, level) = place(is_municipal, buyer.as_deref().unwrap_or_default(), &city);
        if municipality::is_untold(&slug) {
            slug = place(is_municipal, body.as_deref().unwrap_or_default(), &city).0;
        }
        tender.set("buyer_id", id);
        tender.set("department_fr", buyer.clone());
        tender.set("buyer_name", buyer);
        tender.set("municipality", Some(slug));
        tender.set("government_level", Some(level));
        tender.set("province", Some("QC"));
    }

    fn set_object(&mut self, tender: &mut Record) {
        let nature = match self.word("/tender/mainProcurementCategory").as_deref() {
            Some("goods") => "1",
            Some("services") => "2",
            Some("works") => "3",
            Some(other) => {
                self.note_unknown("mainProcurementCategory", other);
                ""
            }
            None => "",
        };
        tender.set("procurement_category", seao_codes::category(nature));
        let items = list(self.release, "/tender/items");
        let words = items.first().and_then(|item| word(item, "/description"));
        tender.set(
            "category",
            words.or_else(|| self.word("/tender/additionalProcurementCategories/0")),
        );
        let of_item = |item: &'a Value| {
            let others = list(item, "/additionalClassifications").iter();
            item.get("classification").into_iter().chain(others)
        };
        let classes: Vec<&Value> = items.iter().flat_map(of_item).collect();
        for (field, pointer, separator) in [("unspsc", "/id", ","), ("unspsc_description_fr", "/description", "; ")] {
            let words: Vec<String> = classes.iter().filter_map(|class| word(class, pointer)).collect();
            tender.set(field, (!words.is_empty()).then(|| words.join(separator)));
        }
    }

    fn set_method(&mut self, tender: &mut Record) {
        let method = self.word("/tender/procurementMethod");
        let details = self.word("/tender/procurementMethodDetails");
        let folded = details.as_deref().map(fold).unwrap_or_default();
        let code = match method.as_deref() {
            _ if folded.contains("gre a gre") => "9",
            _ if folded.contains("invitation") => "10",
            Some("direct") => "9",
            Some("limited" | "selective") => "10",
            Some("open") => "3",
            Some(other) => {
                self.note_unknown("procurementMethod", other);
                ""
            }
            None => "",
        };
        let kind = TYPES.iter().find(|kind| kind.code == code);
        tender.set("procurement_method", method);
        tender.set("procurement_method_en", kind.map(|kind| kind.method_en));
        tender.set("procurement_method_fr", kind.map(|kind| kind.method_fr));
        let english = NOTICES.iter().find(|(known, _)| *known == folded);
        if let (Some(details), None) = (&details, english) {
            self.note_unknown("procurementMethodDetails", details);
        }
        tender.set("notice_type_en", english.map(|(_, english)| *english));
        tender.set("notice_type_fr", details);
        let rationale = self.word("/tender/procurementMethodRationale");
        let eligibility = rationale.map(|ground| json!({"procurement_method_rationale_fr": ground}));
        tender.set("eligibility", eligibility);
    }

    fn status(&mut self) -> (String, Option<&'static str>, Option<&'static str>) {
        let cancelled = || list(self.release, "/tag").iter().any(|tag| tag == "tenderCancellation");
        let status = self.word("/tender/status").unwrap_or_else(|| {
            let told = match list(self.release, "/awards").is_empty() {
                _ if cancelled() => "cancelled",
                false => "complete",
                true => "active",
            };
            told.to_owned()
        });
        self.in_words(status, &TENDER_STATUSES)
    }
}

const TENDER_STATUSES: [Words; 6] = [
    ("active", "Active", "En cours"),
    ("complete", "Complete", "Terminé"),
    ("cancelled", "Cancelled", "Annulé"),
    ("planned", "Planned", "Planifié"),
    ("unsuccessful", "Unsuccessful", "Infructueux"),
    ("withdrawn", "Withdrawn", "Retiré"),
];

/// The kinds of notice, folded, in English.
const NOTICES: [(&str, &str); 4] = [
    ("avis d appel d offres", "Call for tenders"),
    ("avis d appel d offres regionalise", "Regionalized call for tenders"),
    ("contrat de gre a gre", "Contract awarded by mutual agreement"),
    (
        "contrat a la suite d un appel d offres sur invitation",
        "Contract awarded following a call for tenders by invitation",
    ),
];
