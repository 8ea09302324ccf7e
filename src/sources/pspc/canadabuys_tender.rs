//! CanadaBuys tender notices (67 columns): tenders, and advance notices, which become
//! `pre_solicitation` records.
//!
//! The files of open tenders have the current state of a notice; the yearly files, with the same
//! header, may have every amendment. The newest amendment of a notice in the run has the identifier
//! without a suffix; older ones get their amendment number as suffix.

use serde_json::{Value, json};

use crate::model::{EntityType, fold::fold};
use crate::sources::{
    pspc::{
        canadabuys_columns::{self, AMENDMENT, NOTICE_COLUMNS, REFERENCE},
        common,
    },
    reading::{Column, ColumnRule::*, CsvFormat, CsvRow, DraftRecord, RowOutput},
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

pub(crate) static FORMAT: CsvFormat = CsvFormat {
    signature: &[STATUS, CLOSING],
    required: &[REFERENCE, AMENDMENT, NOTICE_TYPE, TITLE, TITLE_FR],
    aliases: &[],
    columns: &[NOTICE_COLUMNS, COLUMNS],
    entity_type,
    row_output,
    merge_group: |_| {},
};

#[rustfmt::skip]
static COLUMNS: &[Column] = &[
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

/// Notice types, folded, that announce, ask for information or invite to qualify before bids can be
/// made.
const ADVANCE_NOTICES: [&str; 4] = [
    "advance contract award notice",
    "request for information",
    "letter of interest",
    "invitation to qualify",
];

/// Prefix of the title of an advance procurement notice, which announces a procurement before bids
/// can be made.
const ADVANCE_TITLE: &str = "APN - ";

fn entity_type(row: &CsvRow) -> EntityType {
    let has_advance_title = |column| {
        row.line_of(column)
            .is_some_and(|title| title.starts_with(ADVANCE_TITLE))
    };
    let is_advance = match row.line_of(NOTICE_TYPE) {
        Some(notice_type) => is_advance_notice(&notice_type),
        // Some notices have no type. An advance contract award notice is also a procurement method.
        None => is_advance_notice(row.raw(METHOD)) || has_advance_title(TITLE) || has_advance_title(TITLE_FR),
    };
    if is_advance {
        EntityType::PreSolicitation
    } else {
        EntityType::Tender
    }
}

fn row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let reference = row.line_of(REFERENCE).ok_or("no reference number")?;
    canadabuys_columns::set_shared_fields(row, &mut record);
    let stated = row.line_of(NOTICE_URL).or_else(|| row.line_of(NOTICE_URL_FR));
    let derived = || format!("{NOTICE_PAGE}{}", canadabuys_columns::page_slug(&reference)).into();
    record.set("notice_url", Some(stated.unwrap_or_else(derived)));
    record.set("documents", documents(row));
    record.set("record_id", Some(format!("canadabuys|{reference}")));
    Ok(RowOutput {
        group: common::notice_group(&reference),
        key: row.line_of(AMENDMENT).unwrap_or_default().into_owned(),
        recency: common::recency(row, row.raw(AMENDMENT)),
        records: vec![record],
        bids: None,
    })
}

fn documents(row: &CsvRow) -> Option<Value> {
    let mut documents = Vec::new();
    for (column, language) in [
        ("attachment-piecesJointes-eng", "en"),
        ("attachment-piecesJointes-fra", "fr"),
    ] {
        for url in common::urls(row.raw(column)) {
            documents.push(json!({"doc_index": documents.len(), "url": url, "language": language}));
        }
    }
    if documents.is_empty() {
        None
    } else {
        Some(Value::Array(documents))
    }
}

fn is_advance_notice(type_or_method: &str) -> bool {
    let folded = fold(type_or_method);
    ADVANCE_NOTICES.iter().any(|known| folded.starts_with(known))
}
