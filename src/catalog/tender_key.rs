//! Which notices (the original, amendments, other publishers' copies) belong to one tender.

use serde::{Deserialize, Serialize};

use crate::model::{Date, Record, Role, fold::fold, record::truncate_key, vocabulary::identifies};

/// What the notices of one tender have in common: the first variant whose fields a notice has. Placeholders such as
/// `N/A` are not numbers.
///
/// Decision D-74: the buyer is the first of its names, folded. A reference number is compared
/// without the notice's own amendment number at its end, together with the separator before it.
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum TenderKey {
    Solicitation {
        buyer: String,
        number: String,
    },
    Reference(String),
    Ocid(String),
    Title {
        department: String,
        title: String,
        closing: Option<Date>,
    },
    /// The `record_id` of a notice with none of the others.
    Record(String),
}

impl TenderKey {
    pub(crate) fn of(record: &Record) -> TenderKey {
        let first = |role: Role| record.keys(role).into_iter().next().map(|key| key.into_owned());
        let text = |field: &str| record.text(field).map(str::trim).filter(|text| !text.is_empty());
        let buyer = first(Role::Department);
        if let (Some(buyer), Some(number)) = (&buyer, solicitation_number(record)) {
            return TenderKey::Solicitation {
                buyer: buyer.clone(),
                number,
            };
        }
        let number = |field: &str| text(field).filter(|number| identifies(number));
        if let Some(reference) = number("reference_number") {
            return TenderKey::Reference(without_amendment(reference, text("amendment_number")).to_lowercase());
        }
        if let Some(ocid) = number("ocid") {
            return TenderKey::Ocid(ocid.to_lowercase());
        }
        let title = ["title_en", "title_fr"].into_iter().find_map(text).map(fold);
        match (buyer, title.filter(|title| !title.is_empty())) {
            (Some(department), Some(title)) => TenderKey::Title {
                department,
                title,
                closing: record.date(Role::ClosingDate),
            },
            _ => TenderKey::Record(record.id().to_owned()),
        }
    }

    /// The key as text. It is stored with the tenders that an address was already notified of, so
    /// it must never change.
    pub(crate) fn stable_name(&self) -> String {
        match self {
            TenderKey::Solicitation { buyer, number } => format!("solicitation|{buyer}|{number}"),
            TenderKey::Reference(reference) => format!("reference|{reference}"),
            TenderKey::Ocid(ocid) => format!("ocid|{ocid}"),
            TenderKey::Title {
                department,
                title,
                closing,
            } => {
                let closing = closing.map_or_else(String::new, |closing| closing.to_string());
                format!("title|{department}|{title}|{closing}")
            }
            TenderKey::Record(record_id) => format!("record|{record_id}"),
        }
    }
}

/// The first solicitation number, folded. The index has a key of its own for it, but the rules of that key may change
/// with the format of the index, and [`TenderKey::stable_name`] must never change.
fn solicitation_number(record: &Record) -> Option<String> {
    let identifying = record.texts(Role::SolicitationNumber).filter(|text| identifies(text));
    let mut number = identifying.map(fold).find(|number| !number.is_empty())?;
    truncate_key(&mut number);
    Some(number)
}

/// A reference number without the amendment number and the separator at its end.
fn without_amendment<'r>(reference: &'r str, amendment: Option<&str>) -> &'r str {
    let Some(base) = amendment.and_then(|amendment| reference.strip_suffix(amendment)) else {
        return reference;
    };
    let trimmed = base.trim_end_matches(|c: char| !c.is_alphanumeric());
    if trimmed.is_empty() || trimmed.len() == base.len() {
        reference
    } else {
        trimmed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntityType, Schema};

    #[test]
    fn the_name_of_a_tender_stays_as_it_was_stored() {
        let json = r#"{"record_id":"a","department_en":"Ville X","solicitation_number":"Doc3110617858"}"#;
        let record = Record::parse(Schema::of(EntityType::Tender), json.as_bytes()).unwrap();
        assert_eq!(
            TenderKey::of(&record).stable_name(),
            "solicitation|ville x|doc3110617858"
        );
    }

    #[test]
    fn the_amendment_number_is_removed_from_a_reference() {
        for (reference, amendment, expected) in [
            ("PW-24-001", Some("001"), "PW-24"),
            ("PW-24-001", Some("002"), "PW-24-001"),
            ("PW-24-001", None, "PW-24-001"),
            ("PW24001", Some("001"), "PW24001"),
            ("-001", Some("001"), "-001"),
            ("ws1 / 3", Some("3"), "ws1"),
        ] {
            assert_eq!(
                without_amendment(reference, amendment),
                expected,
                "{reference} {amendment:?}"
            );
        }
    }
}
