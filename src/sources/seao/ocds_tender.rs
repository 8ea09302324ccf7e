//! The notice of an OCDS release of SEAO, as a tender.

use serde_json::{Value, json};

use crate::model::{entity_type::EntityType, fold::fold, municipality};
use crate::sources::{
    reading::{
        intake::Record,
        json::{list, word},
        text,
    },
    seao::{
        codes::{self, DIRECT, INVITATION, Method, OPEN, OPEN_ELSEWHERE, QUALIFIED, TRANSPORT},
        ocds::{Notice, Package, Words},
        place,
    },
};

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
        self.set_value(&mut tender);
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
        tender.set("procurement_category", codes::category(nature));
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
        let word = self.word("/tender/procurementMethod");
        let details = self.word("/tender/procurementMethodDetails");
        let folded = details.as_deref().map(fold).unwrap_or_default();
        let kind = KINDS.iter().find(|kind| kind.names.contains(&folded.as_str()));
        if let (Some(details), None) = (&details, kind) {
            self.note_unknown("procurementMethodDetails", details);
        }
        let (word, method) = match kind.map(|kind| &kind.how) {
            Some(How::By(method)) => (word.or(method.word.map(str::to_owned)), Some(*method)),
            Some(How::Only(method)) => (method.word.map(str::to_owned), Some(*method)),
            Some(How::Nothing) => (None, None),
            None if folded.contains("gre a gre") => (word, Some(&DIRECT)),
            None if folded.contains("invitation") => (word, Some(&INVITATION)),
            Some(How::Told) | None => {
                let method = word.as_deref().and_then(|word| self.method(word));
                (word, method)
            }
        };
        tender.set("procurement_method", word);
        tender.set("procurement_method_en", method.map(|method| method.english));
        tender.set("procurement_method_fr", method.map(|method| method.french));
        tender.set("notice_type_en", kind.map(|kind| kind.english));
        tender.set("notice_type_fr", details);
        let rationale = self.word("/tender/procurementMethodRationale");
        let eligibility = rationale.map(|ground| json!({"procurement_method_rationale_fr": ground}));
        tender.set("eligibility", eligibility);
    }

    /// What the buyer expects to pay, which hardly any notice tells; where it tells a range, its upper end.
    fn set_value(&mut self, tender: &mut Record) {
        let amount = self.money(self.release, "/tender/value/amount");
        let amount = amount.filter(|amount| *amount > 0.0);
        let currency = self.word("/tender/value/currency").unwrap_or_else(|| "CAD".to_owned());
        tender.set("currency", amount.map(|_| currency));
        tender.set("contract_value", amount);
    }

    fn method(&mut self, word: &str) -> Option<&'static Method> {
        match word {
            "direct" => Some(&DIRECT),
            "limited" | "selective" => Some(&INVITATION),
            "open" => Some(&OPEN),
            other => {
                self.note_unknown("procurementMethod", other);
                None
            }
        }
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

/// A kind of notice.
struct Kind {
    /// Folded, as apostrophes are typographic here and plain there.
    names: &'static [&'static str],
    english: &'static str,
    how: How,
}

enum How {
    /// As the release says.
    Told,
    /// By this method, in the release's word for it where it has one.
    By(&'static Method),
    /// By this one whatever the release says: the notice is no call that anyone may answer with a bid, and must not pass for one.
    Only(&'static Method),
    /// No contract follows from the notice itself.
    Nothing,
}

/// The publisher's list.
#[rustfmt::skip]
const KINDS: [Kind; 16] = [
    Kind { names: &["avis d appel d offres"], english: "Call for tenders", how: How::Told },
    Kind { names: &["avis d appel d offres regionalise"], english: "Regionalized call for tenders", how: How::Told },
    Kind {
        names: &["avis d appel d offres reserve aux petites entreprises du quebec et a celles d ailleurs au canada"],
        english: "Call for tenders reserved for small enterprises of Quebec and of elsewhere in Canada", how: How::Told,
    },
    Kind {
        names: &["avis d appel d offres sur invitation"],
        english: "Call for tenders by invitation", how: How::By(&INVITATION),
    },
    Kind {
        names: &["avis de demande de prix aupres des entreprises qualifiees"],
        english: "Request for prices from qualified enterprises", how: How::Only(&QUALIFIED),
    },
    Kind { names: &["avis d appel d interet"], english: "Call for expressions of interest", how: How::Nothing },
    // By law, of a contract that is to be made by mutual agreement unless another enterprise shows that it can do it.
    Kind { names: &["avis d intention"], english: "Notice of intention", how: How::Only(&DIRECT) },
    Kind { names: &["avis de qualification"], english: "Qualification notice", how: How::Nothing },
    Kind {
        names: &["avis de qualification d entrepreneurs infrastructures de transport"],
        english: "Qualification notice for contractors (transport infrastructure)", how: How::Nothing,
    },
    Kind {
        names: &["avis d homologation de produits approvisionnements"],
        english: "Product certification notice (supplies)", how: How::Nothing,
    },
    Kind { names: &["documents normatifs"], english: "Normative documents", how: How::Nothing },
    Kind { names: &["contrat de gre a gre"], english: "Contract awarded by mutual agreement", how: How::By(&DIRECT) },
    Kind {
        names: &["contrat a la suite d un appel d offres sur invitation", "contrat suite a un appel d offres sur invitation"],
        english: "Contract awarded following a call for tenders by invitation", how: How::By(&INVITATION),
    },
    Kind {
        names: &[
            "contrat a la suite d un achat mandate ou d un regroupement d organismes",
            "contrat suite a un achat mandate ou a un regroupement d organismes",
        ],
        english: "Contract following a mandated purchase or a grouping of bodies", how: How::Told,
    },
    Kind {
        names: &["contrat conclu appel d offres public non publie au seao"],
        english: "Contract concluded - Public call for tenders not published on SEAO", how: How::By(&OPEN_ELSEWHERE),
    },
    Kind {
        names: &["contrat relatif aux infrastructures de transport"],
        english: "Transport infrastructure contract", how: How::By(&TRANSPORT),
    },
];
