//! CanadaBuys tender notices (67 columns): tenders, and advance notices that go to `pre_solicitation`.
//!
//! The files of open tenders hold the current state of a notice, the yearly ones may hold every amendment, under the
//! same header. So the newest amendment of a notice in the run has the plain id, the older ones their number behind it.

use serde_json::{Value, json};

use crate::model::entity_type::EntityType;
use crate::sources::{
    pspc::{
        self,
        canadabuys::{self, AMENDMENT, NOTICE, REFERENCE},
    },
    reading::{
        intake::{Draft, Record},
        table::{Column, CsvFormat, Row, Rule::*},
        text,
    },
};

const CLOSING: &str = "tenderClosingDate-appelOffresDateCloture";
const STATUS: &str = "tenderStatus-appelOffresStatut-eng";
const TITLE: &str = "title-titre-eng";
const TITLE_FR: &str = "title-titre-fra";
const NOTICE_TYPE: &str = "noticeType-avisType-eng";
const METHOD: &str = "procurementMethod-methodeApprovisionnement-eng";
const NOTICE_URL: &str = "noticeURL-URLavis-eng";
const NOTICE_URL_FR: &str = "noticeURL-URLavis-fra";
const NOTICE_PAGE: &str = "https://canadabuys.canada.ca/en/tender-opportunities/tender-notice/";

pub static FORMAT: CsvFormat = CsvFormat {
    signature: &[STATUS, CLOSING],
    required: &[REFERENCE, AMENDMENT, NOTICE_TYPE, TITLE, TITLE_FR],
    aliases: &[],
    columns: &[NOTICE, TENDER],
    entity_type,
    draft,
    settle: |_| {},
};

#[rustfmt::skip]
static TENDER: &[Column] = &[
    ("closing_date", CLOSING, Day),
    ("tender_close_date", CLOSING, Moment),
    ("status", STATUS, Line),
    ("status_en", STATUS, Line),
    ("status_fr", "tenderStatus-appelOffresStatut-fra", Line),
    ("description_en", "tenderDescription-descriptionAppelOffres-eng", Block),
    ("description_fr", "tenderDescription-descriptionAppelOffres-fra", Block),
    ("tender_id", REFERENCE, Line),
    ("tender_number", "solicitationNumber-numeroSollicitation", Line),
    ("start_date", "expectedContractStartDate-dateDebutContratPrevue", Day),
    ("end_date", "expectedContractEndDate-dateFinContratPrevue", Day),
    ("notice_url_en", NOTICE_URL, Line),
    ("contact_name", "contactInfoName-informationsContactNom", Line),
    ("contact_email", "contactInfoEmail-informationsContactCourriel", Line),
    ("contact_phone", "contactInfoPhone-contactInfoTelephone", Line),
];

/// Notices that announce, ask or invite to qualify before there is anything to bid on.
const ADVANCE_NOTICES: [&str; 4] = [
    "advance contract award notice",
    "request for information",
    "letter of interest",
    "invitation to qualify",
];

/// How the title of an advance procurement notice begins, which announces what no bids are asked for yet.
const ADVANCE_TITLE: &str = "APN - ";

fn entity_type(row: &Row) -> EntityType {
    let is_advance = match row.line_of(NOTICE_TYPE) {
        Some(kind) => canadabuys::is_one_of(&kind, &ADVANCE_NOTICES),
        // Some notices leave their type empty; an advance contract award notice is also a method.
        None => {
            let is_titled = |column| {
                row.line_of(column)
                    .is_some_and(|title| title.starts_with(ADVANCE_TITLE))
            };
            canadabuys::is_one_of(row.raw(METHOD), &ADVANCE_NOTICES) || [TITLE, TITLE_FR].into_iter().any(is_titled)
        }
    };
    match is_advance {
        true => EntityType::PreSolicitation,
        false => EntityType::Tender,
    }
}

fn draft(row: &Row, mut record: Record) -> Result<Draft, &'static str> {
    let reference = row.line_of(REFERENCE).ok_or("no reference number")?;
    canadabuys::complete(row, &mut record);
    let page = || format!("{NOTICE_PAGE}{}", canadabuys::page_of(&reference)).into();
    let url = row.line_of(NOTICE_URL).or_else(|| row.line_of(NOTICE_URL_FR));
    record.set("notice_url", Some(url.unwrap_or_else(page)));
    record.set("documents", documents(row));
    record.set("record_id", Some(format!("canadabuys|{reference}")));
    Ok(Draft {
        group: pspc::notice(&reference),
        member: row.line_of(AMENDMENT).unwrap_or_default().into_owned(),
        rank: canadabuys::rank(row, row.raw(AMENDMENT)),
        records: vec![record],
    })
}

fn documents(row: &Row) -> Option<Value> {
    let mut documents = Vec::new();
    for (column, language) in [
        ("attachment-piecesJointes-eng", "en"),
        ("attachment-piecesJointes-fra", "fr"),
    ] {
        for url in urls(row.raw(column)) {
            documents.push(json!({"doc_index": documents.len(), "url": url, "language": language}));
        }
    }
    (!documents.is_empty()).then_some(Value::Array(documents))
}

/// Addresses joined by commas or line breaks; a comma inside an address stays in it.
pub fn urls(raw: &str) -> Vec<String> {
    let mut urls: Vec<String> = Vec::new();
    for line in text::list(raw) {
        for (number, part) in line.split(',').enumerate() {
            let part = part.trim();
            match urls.last_mut() {
                _ if part.starts_with("http://") || part.starts_with("https://") => urls.push(part.to_owned()),
                Some(url) if number > 0 && !part.is_empty() => {
                    url.push(',');
                    url.push_str(part);
                }
                _ => {}
            }
        }
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_cut_where_one_begins() {
        assert_eq!(
            urls("https://a.ca/x,y.pdf, https://a.ca/z.pdf\n*http://b.ca/1.docx\nnot an address"),
            ["https://a.ca/x,y.pdf", "https://a.ca/z.pdf", "http://b.ca/1.docx"]
        );
    }
}
