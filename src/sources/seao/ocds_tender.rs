//! The tender of an OCDS release of SEAO.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::model::{EntityType, fold::fold, municipality};
use crate::sources::{
    reading::{DraftRecord, array_at, text, text_at},
    seao::{
        codes::{self, DIRECT, INVITATION, OPEN, OPEN_ELSEWHERE, ProcurementMethod, QUALIFIED, TRANSPORT},
        common::municipality_and_level,
        ocds_release::{ReleaseNotice, ReleasePackage, StatusLabels},
    },
};

impl<'a> ReleaseNotice<'a> {
    pub(crate) fn tender(&mut self, number: &str, ocid: &str, package: &ReleasePackage) -> DraftRecord {
        let release = self.release;
        let mut tender = DraftRecord::new(EntityType::Tender);
        tender.set("record_id", Some(format!("seao|{number}")));
        tender.set("reference_number", Some(number));
        tender.set("ocid", Some(ocid));
        for field in ["solicitation_number", "tender_id", "tender_number"] {
            tender.set(field, self.text("/tender/id"));
        }
        // Publication and closing times are local; the written day is the day.
        let published = text_at(release, "/date").or_else(|| self.text("/tender/tenderPeriod/startDate"));
        tender.set("publication_date", self.local_day(published, "date"));
        let closing = self.text("/tender/tenderPeriod/endDate");
        let closing_date = self.local_day(closing.clone(), "endDate");
        if closing_date.is_some() {
            tender.set("tender_close_date", closing);
        }
        tender.set("closing_date", closing_date);
        tender.set("title_fr", self.text("/tender/title"));
        tender.set(
            "description_fr",
            joined_texts(array_at(release, "/tender/lots"), "/title", "\n"),
        );
        self.set_buyer(&mut tender);
        self.set_category_and_classes(&mut tender);
        self.set_method(&mut tender);
        self.set_expected_value(&mut tender);
        let status = self
            .text("/tender/status")
            .unwrap_or_else(|| self.derived_status().to_owned());
        self.set_status(&mut tender, status, &TENDER_STATUSES);
        self.set_documents(&mut tender);
        tender.set("source_url", package.uri.as_deref());
        tender.set("fetched_at", Some(package.fetched_at.as_str()));
        tender
    }

    fn set_documents(&self, tender: &mut DraftRecord) {
        let documents = array_at(self.release, "/tender/documents").iter();
        let urls: Vec<String> = documents.filter_map(|document| text_at(document, "/url")).collect();
        let Some(first) = urls.first() else { return };
        tender.set("notice_url", Some(first.as_str()));
        let document =
            |(index, url)| json!({"doc_index": index, "url": url, "document_type": "tenderNotice", "language": "fr"});
        let documents: Value = urls.iter().enumerate().map(document).collect();
        tender.set("documents", Some(documents));
    }

    fn local_day(&mut self, stated: Option<String>, name: &str) -> Option<String> {
        let day = text::date(&stated?).unwrap_or_else(|_| {
            self.note(&format!("impossible date in {name}, left out"));
            None
        });
        day.map(|day| day.to_string())
    }

    /// The buyer may be a part of a larger body. The party with the buyer's id names that body.
    fn set_buyer(&self, tender: &mut DraftRecord) {
        let id = self.text("/buyer/id");
        let party = id.as_deref().and_then(|id| self.party(id)).unwrap_or(&Value::Null);
        let organization = |name: Option<String>| Some(text::organization(&name?)?.into_owned());
        let body = organization(text_at(party, "/name"));
        let buyer = organization(self.text("/buyer/name")).or_else(|| body.clone());
        let city = text_at(party, "/address/locality").unwrap_or_default();
        let is_municipal = text_at(party, "/details/municipal").is_some_and(|flag| flag == "1");
        let (mut slug, level) = municipality_and_level(is_municipal, buyer.as_deref().unwrap_or_default(), &city);
        if municipality::is_unknown_city(&slug) {
            slug = municipality_and_level(is_municipal, body.as_deref().unwrap_or_default(), &city).0;
        }
        tender.set("buyer_id", id);
        tender.set("department_fr", buyer.clone());
        tender.set("buyer_name", buyer);
        tender.set_jurisdiction(&slug, level, Some("QC"));
    }

    fn set_category_and_classes(&mut self, tender: &mut DraftRecord) {
        let nature = match self.text("/tender/mainProcurementCategory").as_deref() {
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
        let items = array_at(self.release, "/tender/items");
        let description = items.first().and_then(|item| text_at(item, "/description"));
        let category = description.or_else(|| self.text("/tender/additionalProcurementCategories/0"));
        tender.set("category", category);
        let mut classes: Vec<&Value> = Vec::new();
        for item in items {
            classes.extend(item.get("classification"));
            classes.extend(array_at(item, "/additionalClassifications"));
        }
        tender.set("unspsc", joined_texts(classes.iter().copied(), "/id", ","));
        let descriptions = joined_texts(classes, "/description", "; ");
        tender.set("unspsc_description_fr", descriptions);
    }

    fn set_method(&mut self, tender: &mut DraftRecord) {
        let code = self.text("/tender/procurementMethod");
        let details = self.text("/tender/procurementMethodDetails");
        let folded = details.as_deref().map(fold).unwrap_or_default();
        let notice_type = RELEASE_NOTICE_TYPES
            .iter()
            .find(|known| known.names.contains(&folded.as_str()));
        if let (Some(details), None) = (&details, notice_type) {
            self.note_unknown("procurementMethodDetails", details);
        }
        let (code, method) = match notice_type.map(|known| &known.method) {
            Some(MethodRule::Default(method)) => (code.or(method.ocds_code.map(str::to_owned)), Some(*method)),
            Some(MethodRule::Always(method)) => (method.ocds_code.map(str::to_owned), Some(*method)),
            Some(MethodRule::NoContract) => (None, None),
            None if folded.contains("gre a gre") => (code, Some(&DIRECT)),
            None if folded.contains("invitation") => (code, Some(&INVITATION)),
            Some(MethodRule::FromRelease) | None => {
                let method = code.as_deref().and_then(|code| self.method_of(code));
                (code, method)
            }
        };
        tender.set("procurement_method", code);
        tender.set("procurement_method_en", method.map(|method| method.english));
        tender.set("procurement_method_fr", method.map(|method| method.french));
        tender.set("notice_type_en", notice_type.map(|known| known.english));
        tender.set("notice_type_fr", details);
        let rationale = self.text("/tender/procurementMethodRationale");
        let eligibility = rationale.map(|ground| json!({"procurement_method_rationale_fr": ground}));
        tender.set("eligibility", eligibility);
    }

    /// Sets the value that the buyer expects to pay. Few notices state it. Of a range, this is the
    /// upper end.
    fn set_expected_value(&mut self, tender: &mut DraftRecord) {
        let amount = self.money(self.release, "/tender/value/amount");
        let Some(amount) = amount.filter(|amount| *amount > 0.0) else {
            return;
        };
        let currency = self.text("/tender/value/currency").unwrap_or_else(|| "CAD".to_owned());
        tender.set("currency", Some(currency));
        tender.set("contract_value", Some(amount));
    }

    fn method_of(&mut self, code: &str) -> Option<&'static ProcurementMethod> {
        match code {
            "direct" => Some(&DIRECT),
            "limited" | "selective" => Some(&INVITATION),
            "open" => Some(&OPEN),
            other => {
                self.note_unknown("procurementMethod", other);
                None
            }
        }
    }

    /// The status of a tender that states none.
    fn derived_status(&self) -> &'static str {
        if array_at(self.release, "/tag")
            .iter()
            .any(|tag| tag == "tenderCancellation")
        {
            "cancelled"
        } else if array_at(self.release, "/awards").is_empty() {
            "active"
        } else {
            "complete"
        }
    }
}

/// The texts at a pointer of each value, joined; `None` if there are none.
fn joined_texts<'a>(values: impl IntoIterator<Item = &'a Value>, pointer: &str, separator: &str) -> Option<String> {
    let texts = values.into_iter().filter_map(|value| text_at(value, pointer));
    let joined = text::joined(texts.map(Cow::from).collect(), separator);
    joined.map(Cow::into_owned)
}

const TENDER_STATUSES: [StatusLabels; 6] = [
    ("active", "Active", "En cours"),
    ("complete", "Complete", "Terminé"),
    ("cancelled", "Cancelled", "Annulé"),
    ("planned", "Planned", "Planifié"),
    ("unsuccessful", "Unsuccessful", "Infructueux"),
    ("withdrawn", "Withdrawn", "Retiré"),
];

/// A notice type of the releases.
struct ReleaseNoticeType {
    /// The French names, folded because the files mix typographic and plain apostrophes.
    names: &'static [&'static str],
    english: &'static str,
    method: MethodRule,
}

/// Where the procurement method of a notice type comes from.
enum MethodRule {
    /// From the release's code.
    FromRelease,
    /// A method, under the release's code if it has one.
    Default(&'static ProcurementMethod),
    /// A method, whatever the release states: the notice is not a call that anyone may answer
    /// with a bid, and must not look like one.
    Always(&'static ProcurementMethod),
    /// No contract follows from the notice itself.
    NoContract,
}

/// The publisher's list of notice types.
#[rustfmt::skip]
const RELEASE_NOTICE_TYPES: [ReleaseNoticeType; 16] = [
    ReleaseNoticeType { names: &["avis d appel d offres"], english: "Call for tenders", method: MethodRule::FromRelease },
    ReleaseNoticeType { names: &["avis d appel d offres regionalise"], english: "Regionalized call for tenders", method: MethodRule::FromRelease },
    ReleaseNoticeType {
        names: &["avis d appel d offres reserve aux petites entreprises du quebec et a celles d ailleurs au canada"],
        english: "Call for tenders reserved for small enterprises of Quebec and of elsewhere in Canada", method: MethodRule::FromRelease,
    },
    ReleaseNoticeType {
        names: &["avis d appel d offres sur invitation"],
        english: "Call for tenders by invitation", method: MethodRule::Default(&INVITATION),
    },
    ReleaseNoticeType {
        names: &["avis de demande de prix aupres des entreprises qualifiees"],
        english: "Request for prices from qualified enterprises", method: MethodRule::Always(&QUALIFIED),
    },
    ReleaseNoticeType { names: &["avis d appel d interet"], english: "Call for expressions of interest", method: MethodRule::NoContract },
    // By law, announces a contract by mutual agreement, unless another enterprise shows that it can
    // perform it.
    ReleaseNoticeType { names: &["avis d intention"], english: "Notice of intention", method: MethodRule::Always(&DIRECT) },
    ReleaseNoticeType { names: &["avis de qualification"], english: "Qualification notice", method: MethodRule::NoContract },
    ReleaseNoticeType {
        names: &["avis de qualification d entrepreneurs infrastructures de transport"],
        english: "Qualification notice for contractors (transport infrastructure)", method: MethodRule::NoContract,
    },
    ReleaseNoticeType {
        names: &["avis d homologation de produits approvisionnements"],
        english: "Product certification notice (supplies)", method: MethodRule::NoContract,
    },
    ReleaseNoticeType { names: &["documents normatifs"], english: "Normative documents", method: MethodRule::NoContract },
    ReleaseNoticeType { names: &["contrat de gre a gre"], english: "Contract awarded by mutual agreement", method: MethodRule::Default(&DIRECT) },
    ReleaseNoticeType {
        names: &["contrat a la suite d un appel d offres sur invitation", "contrat suite a un appel d offres sur invitation"],
        english: "Contract awarded following a call for tenders by invitation", method: MethodRule::Default(&INVITATION),
    },
    ReleaseNoticeType {
        names: &[
            "contrat a la suite d un achat mandate ou d un regroupement d organismes",
            "contrat suite a un achat mandate ou a un regroupement d organismes",
        ],
        english: "Contract following a mandated purchase or a grouping of bodies", method: MethodRule::FromRelease,
    },
    ReleaseNoticeType {
        names: &["contrat conclu appel d offres public non publie au seao"],
        english: "Contract concluded - Public call for tenders not published on SEAO", method: MethodRule::Default(&OPEN_ELSEWHERE),
    },
    ReleaseNoticeType {
        names: &["contrat relatif aux infrastructures de transport"],
        english: "Transport infrastructure contract", method: MethodRule::Default(&TRANSPORT),
    },
];
