//! Ville de Montréal's contracts: those that officials sign by delegation and those that councils award.
//!
//! Two layouts, told by folded column names because accents in them come and go. Files may lack the header; then the layout is
//! told by the first row: where its day and its amount stand. The files give rows no number: the identifier is a hash of
//! supplier, number, day, service and amount, so a corrected object or approver and a further column leave it. Rows of one file
//! that agree in these and differ elsewhere are one order split (over activities, mostly): they stay apart, numbered in the
//! order of what they say; of several files the newest tells. A row without a day is the dated one of a file that has days, where
//! only one can be meant.

use std::{collections::BTreeMap, io::Read};

use chrono::Datelike;

use crate::model::{entity_type::EntityType, fold::fold};
use crate::sources::reading::{
    csv_file::CsvFile,
    csv_format::{CsvFormat, format_of},
    csv_row::{Column, ColumnRule::*, CsvRow},
    decode::Utf8Reader,
    digest::fingerprint,
    merging,
    reader::{FileInfo, ReadError, SourceReader},
    record::DraftRecord,
    row_counts::{RowCounts, unknown},
    row_output::{GroupMember, Recency, RowOutput},
    row_sink::RowSink,
    text,
};

pub static OFFICIALS: CsvFormat = CsvFormat {
    signature: &["nom du fournisseur", "approbateur", "montant"],
    required: &["numero", "description", "service"],
    aliases: &[],
    columns: &[COMMON, OFFICIAL],
    entity_type: |_| EntityType::Contract,
    row_output: |row, record| row_output(row, record, "contrats-fonctionnaires"),
    merge_group: merging::keep_newest,
};

pub static COUNCILS: CsvFormat = CsvFormat {
    signature: &["fournisseur", "no de dossier", "montant"],
    required: &["objet", "no decision", "date signature", "service"],
    aliases: &[],
    columns: &[COMMON, COUNCIL],
    entity_type: |_| EntityType::Contract,
    row_output: council_draft,
    merge_group: merging::keep_newest,
};

static COMMON: &[Column] = &[("department_fr", "service", Line), ("contract_value", "montant", Money)];

#[rustfmt::skip]
static OFFICIAL: &[Column] = &[
    ("vendor_name", "nom du fournisseur", Line),
    ("contract_id", "numero", Line),
    ("file_number", "numero", Line),
    ("award_date", "date d approbation", Day),
    ("approver", "approbateur", Line),
    ("title_fr", "description", Line),
    ("activity", "activite", Line),
    ("repartition", "portion a la charge de l agglo", Line),
];

#[rustfmt::skip]
static COUNCIL: &[Column] = &[
    ("vendor_name", "fournisseur", Line),
    ("contract_id", "no de dossier", Line),
    ("file_number", "no de dossier", Line),
    ("award_date", "date signature", Day),
    ("title_fr", "objet", Line),
    ("direction_fr", "direction", Line),
    ("repartition", "repartition", Line),
    ("decision_number", "no decision", Line),
];

/// How a decision's number begins, the council that took it, the dataset that lists it.
const COUNCIL_NAMES: [(&str, &str, &str); 4] = [
    ("CM", "Conseil municipal", "contrats-conseil-municipal"),
    ("CG", "Conseil d’agglomération", "contrats-conseil-agglomeration"),
    ("CE", "Comité exécutif", "contrats-comite-executif"),
    ("CA", "Conseil d’arrondissement", "contrats-conseils-arrondissement"),
];

/// The city publishes since then; earlier years are typing errors.
const FIRST_YEAR: i32 = 2011;

/// Columns of files without a header.
const OFFICIALS_DATED: [&str; 9] = [
    "nom du fournisseur",
    "numero",
    "date d approbation",
    "approbateur",
    "description",
    "service",
    "activite",
    "montant",
    "portion a la charge de l agglo",
];
const OFFICIALS_UNDATED: [&str; 7] = [
    "nom du fournisseur",
    "numero",
    "approbateur",
    "description",
    "service",
    "activite",
    "montant",
];
const COUNCILS_ALL: [&str; 9] = [
    "fournisseur",
    "repartition",
    "service",
    "direction",
    "no de dossier",
    "objet",
    "no decision",
    "date signature",
    "montant",
];

struct Layout {
    format: &'static CsvFormat,
    columns: Vec<String>,
    has_header: bool,
}

pub fn recognizes(first: &[String]) -> bool {
    layout(first).is_some()
}

fn layout(first: &[String]) -> Option<Layout> {
    let folded: Vec<String> = first.iter().map(|name| fold(name)).collect();
    if let Some(format) = format_of(&[&OFFICIALS, &COUNCILS], &folded) {
        return Some(Layout {
            format,
            columns: folded,
            has_header: true,
        });
    }
    let field = |number: usize| first.get(number).map(String::as_str).unwrap_or_default();
    let is_day = |number| matches!(text::date(field(number)), Ok(Some(_)));
    let is_amount = |number| matches!(text::amount(field(number)), Ok(Some(_)));
    let filled = first.iter().rposition(|value| !value.is_empty())? + 1;
    let (format, columns): (_, &[&str]) = if filled == 9 && is_day(7) && is_amount(8) {
        (&COUNCILS, &COUNCILS_ALL)
    } else if (8..=9).contains(&filled) && is_day(2) && is_amount(7) {
        (&OFFICIALS, &OFFICIALS_DATED[..first.len().clamp(8, 9)])
    } else if filled == 7 && is_amount(6) && (field(6).contains('$') || is_bare_order(first)) {
        (&OFFICIALS, &OFFICIALS_UNDATED)
    } else {
        return None;
    };
    Some(Layout {
        format,
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        has_header: false,
    })
}

/// Whether seven columns are an official's order though nothing says that the last are dollars: a number, one of the city's services,
/// the rest words, and either cents behind a comma or an approver as the city writes them, `TREMBLAY, JEANNE`.
fn is_bare_order(first: &[String]) -> bool {
    let [vendor, number, approver, object, service, activity, amount, rest @ ..] = first else {
        return false;
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_cents = |(whole, cents): (&str, &str)| is_digits(whole) && is_digits(cents) && cents.len() == 2;
    let is_name = |text: &str| {
        let parts = text.split_once(", ");
        let is_upper = |part: &str| !part.is_empty() && !part.contains(char::is_lowercase);
        parts.is_some_and(|(last, first)| is_upper(last) && first.starts_with(char::is_uppercase))
    };
    let is_words = |text: &String| text.chars().any(char::is_alphabetic);
    rest.len() <= 1
        && (amount.split_once(',').is_some_and(is_cents) || is_name(approver))
        && number.bytes().any(|b| b.is_ascii_digit())
        && [object, activity].into_iter().all(is_words)
        && !vendor.is_empty()
        && !is_digits(approver)
        && SERVICES.iter().any(|kind| service.starts_with(kind))
}

/// How the names of the city's services begin.
const SERVICES: [&str; 5] = ["SERVICE ", "DIRECTION ", "COMMISSION ", "BUREAU ", "ARRONDISSEMENT "];

pub struct Montreal;

impl SourceReader for Montreal {
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
        let opened = CsvFile::open(input)?;
        let Some(layout) = layout(&opened.first) else {
            return Err(ReadError::Damaged {
                line: 1,
                reason: "the file's columns are unknown".to_owned(),
            });
        };
        let opened = if layout.has_header {
            opened
        } else {
            opened.without_header()
        };
        layout.format.read_rows(file, opened, &layout.columns, out)
    }

    fn merge_group(&mut self, members: &mut [GroupMember], _: &mut [RowCounts]) {
        merge_group(members);
    }
}

/// Settles the rows that agree in all but the day.
fn merge_group(members: &mut [GroupMember]) {
    let id = |member: &GroupMember| {
        let record = member.records.first();
        record
            .and_then(|record| record.text("record_id"))
            .unwrap_or_default()
            .to_owned()
    };
    let mut contracts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, member) in members.iter().enumerate() {
        contracts.entry(id(member)).or_default().push(at);
    }
    for rows in contracts.values_mut() {
        // Members are oldest first.
        let newest = rows.last().map(|at| members[*at].file);
        let (mut told, older): (Vec<usize>, Vec<usize>) =
            rows.drain(..).partition(|at| Some(members[*at].file) == newest);
        older.into_iter().for_each(|at| members[at].records.clear());
        told.sort_by(|a, b| members[*a].key.cmp(&members[*b].key));
        for (at, part) in told.iter().zip(1..).skip(1) {
            for record in &mut members[*at].records {
                let plain = record.text("record_id").unwrap_or_default();
                record.set("record_id", Some(format!("{plain}|{part}")));
            }
        }
        *rows = told;
    }
    let is_dated = |at: &usize| !members[*at].key.starts_with(UNDATED);
    let (dated, undated): (Vec<usize>, Vec<usize>) = contracts.into_values().flatten().partition(is_dated);
    if let ([dated], [undated]) = (dated.as_slice(), undated.as_slice()) {
        let tells = |field| members[*dated].records.iter().any(|record| record.has(field));
        if tells("contract_id") && tells("contract_value") && members[*dated].file != members[*undated].file {
            members[*undated].records.clear();
        }
    }
}

/// Begins the member's name of a row without a day.
const UNDATED: &str = "undated ";

fn council_draft(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let decision = record.text("decision_number").unwrap_or_default();
    let council = COUNCIL_NAMES.iter().find(|(start, ..)| decision.starts_with(start));
    if council.is_none() && !decision.is_empty() {
        // Its first letters name the council; the number behind them is as good as unique.
        let letters: String = decision.chars().take_while(|c| c.is_alphabetic()).collect();
        row.note(unknown("no decision", &letters));
    }
    record.set("approver", council.map(|(_, name, _)| *name));
    row_output(
        row,
        record,
        council.map_or("contrats-conseils", |(.., dataset)| dataset),
    )
}

fn row_output(row: &CsvRow, mut record: DraftRecord, dataset: &str) -> Result<RowOutput, &'static str> {
    if record.text("vendor_name").is_none() && record.text("title_fr").is_none() {
        return Err("neither a supplier nor a title");
    }
    // Hashed before anything is left out or added, and the rest without the file's own facts.
    let part = |field: &str| record.get(field).map(|value| value.to_string()).unwrap_or_default();
    let typed = || text::line(row.raw("montant")).unwrap_or_default();
    let amount = record
        .number("contract_value")
        .map_or_else(typed, |amount| format!("{amount:.2}"));
    let keys = ["vendor_name", "contract_id", "department_fr"].map(part).join("\n");
    let day = part("award_date");
    let id = format!("montreal|{}", fingerprint(&format!("{keys}\n{amount}\n{day}")));
    let said = record.fields.iter().map(|(name, value)| (name.text(), value));
    let said = said.filter(|(name, _)| *name != "fetched_at");
    let said: Vec<String> = said.map(|(name, value)| format!("{name}={value}")).collect();
    let said = fingerprint(&said.join("\n"));
    if record.text("award_date").is_some_and(|day| !is_likely(day, row)) {
        row.note("award date before 2011 or after the file's year, left out".to_owned());
        record.remove("award_date");
    }
    record.set("municipality", Some("montreal"));
    record.set("province", Some("QC"));
    record.set("government_level", Some("municipal"));
    record.set("buyer_name", Some("Ville de Montréal"));
    record.set("dataset", Some(dataset));
    record.set("currency", record.number("contract_value").map(|_| "CAD"));
    record.set("record_id", Some(id.as_str()));
    Ok(RowOutput {
        group: format!("{keys}\n{amount}"),
        key: match day.as_str() {
            "" => format!("{UNDATED}{said}"),
            _ => said,
        },
        recency: Recency(0, row.file.modified.timestamp()),
        records: vec![record],
    })
}

fn is_likely(day: &str, row: &CsvRow) -> bool {
    let year: i32 = day.get(..4).and_then(|year| year.parse().ok()).unwrap_or_default();
    (FIRST_YEAR..=row.file.modified.year().max(FIRST_YEAR)).contains(&year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_told_with_and_without_a_header() {
        for (first, columns) in [
            (
                "NOM DU FOURNISSEUR|NUMÉRO|DATE D'APPROBATION|APPROBATEUR|DESCRIPTION|SERVICE|ACTIVITÉ|MONTANT",
                8,
            ),
            (
                "NOM DU FOURNISSEUR|NUMERO|DATE D’APPROBATION|APPROBATEUR|DESCRIPTION|SERVICE|ACTIVITE|MONTANT|",
                9,
            ),
            (
                "FOURNISSEUR|REPARTITION|SERVICE|DIRECTION|NO DE DOSSIER|OBJET|NO DECISION|DATE SIGNATURE|MONTANT",
                9,
            ),
            ("ACME|1|UNE, PERSONNE|OBJET|SERVICE|ACTIVITÉ|3\u{a0}500 $", 7),
            ("ACME|1|UNE, PERSONNE|OBJET|SERVICE|ACTIVITÉ|3\u{a0}500 $|", 7),
            ("ACME|RMI 1||OBJET|SERVICE DES SPORTS|ACTIVITÉ|7801,41|", 7),
            ("ACME|1||OBJET|DIRECTION GÉNÉRALE|ACTIVITÉ|7801,41", 7),
            ("ACME|1||OBJET|VILLE|ACTIVITÉ|7801,41|", 0),
            ("ACME|RMI||OBJET|SERVICE DES SPORTS|ACTIVITÉ|7801,41|", 0),
            ("ACME|1||OBJET|SERVICE DES SPORTS|12|7801,41|", 0),
            ("ACME|1||OBJET|SERVICE DES SPORTS|ACTIVITÉ|7801|", 0),
            ("ACME|1||OBJET|SERVICE DES SPORTS|ACTIVITÉ|1,234|", 0),
            ("ACME|917|TREMBLAY, J|OBJET|SERVICE DES SPORTS|LOISIRS|7801", 7),
            ("ACME|917|TREMBLAY, J|OBJET|SERVICE DES SPORTS|LOISIRS|7801,4", 7),
            ("ACME|917|1, 2|OBJET|SERVICE DES SPORTS|LOISIRS|7801", 0),
            ("ACME|917|Laval, Québec|OBJET|SERVICE DES SPORTS|LOISIRS|7801", 0),
            ("ACME|1||OBJET|SERVICE DES SPORTS|ACTIVITÉ|7801,41||", 0),
            ("ACME|1|2012-01-31|UNE, PERSONNE|OBJET|SERVICE|ACTIVITÉ|7801,41", 8),
            ("ACME|1|2012-01-31|UNE, PERSONNE|OBJET|SERVICE|ACTIVITÉ|7801,41|", 9),
            (
                "ACME|100% VILLE|SERVICE|DIRECTION|112|OBJET|CM12 0001|2012-09-27|7801",
                9,
            ),
            ("a|b|c|d|e|f|12", 0),
            ("a|b|c|d|e|f|g|h|i", 0),
            ("", 0),
        ] {
            let first: Vec<String> = first.split('|').map(str::to_owned).collect();
            let found = layout(&first).map_or(0, |layout| layout.columns.len());
            assert_eq!(found, columns, "{first:?}");
        }
    }
}
