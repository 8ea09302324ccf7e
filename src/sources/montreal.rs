//! Ville de Montréal's contracts: those that officials sign by delegation, and those that councils
//! award.
//!
//! There are two layouts, recognized by folded column names because the accents in them vary. Some
//! files have no header; then the layout is recognized by the position of the date and of the
//! amount in the first row.
//!
//! Rows have no identifier of their own. The `record_id` is a hash of supplier, number, date,
//! service and amount, so it survives a corrected description or approver and additional columns.
//! Rows of one file that agree in these and differ elsewhere are parts of one order (mostly split
//! over activities). They stay separate records, numbered in the order of their content. Of several
//! files, only the rows of the newest count. A row without a date is the same as a dated row of
//! another file if there is exactly one candidate.

use std::{collections::BTreeMap, io::Read};

use chrono::Datelike;

use crate::model::{EntityType, fold::fold};
use crate::sources::reading::{
    Column, ColumnRule::*, CsvFile, CsvFormat, CsvRow, DraftRecord, FileInfo, GroupMember, ReadError, Recency,
    RowCounts, RowOutput, RowSink, SourceReader, Utf8Reader, digest::fingerprint, format_of, merging, text, unknown,
};

pub(crate) static OFFICIALS: CsvFormat = CsvFormat {
    signature: &["nom du fournisseur", "approbateur", "montant"],
    required: &["numero", "description", "service"],
    aliases: &[],
    columns: &[COMMON, OFFICIAL],
    entity_type: |_| EntityType::Contract,
    row_output: |row, record| row_output(row, record, "contrats-fonctionnaires"),
    merge_group: merging::keep_newest,
};

pub(crate) static COUNCILS: CsvFormat = CsvFormat {
    signature: &["fournisseur", "no de dossier", "montant"],
    required: &["objet", "no decision", "date signature", "service"],
    aliases: &[],
    columns: &[COMMON, COUNCIL],
    entity_type: |_| EntityType::Contract,
    row_output: council_row_output,
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

/// Prefix of a decision number, the council that decides under it, the dataset that lists its
/// contracts.
const COUNCIL_NAMES: [(&str, &str, &str); 4] = [
    ("CM", "Conseil municipal", "contrats-conseil-municipal"),
    ("CG", "Conseil d’agglomération", "contrats-conseil-agglomeration"),
    ("CE", "Comité exécutif", "contrats-comite-executif"),
    ("CA", "Conseil d’arrondissement", "contrats-conseils-arrondissement"),
];

/// The first year that the city publishes. Earlier years are typing errors.
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

/// What the first row of a file states about its columns.
struct MontrealLayout {
    format: &'static CsvFormat,
    /// Folded names, as the tables use them.
    columns: Vec<String>,
    has_header: bool,
}

pub(crate) fn recognizes(first: &[String]) -> bool {
    layout(first).is_some()
}

fn layout(first: &[String]) -> Option<MontrealLayout> {
    let folded: Vec<String> = first.iter().map(|name| fold(name)).collect();
    if let Some(format) = format_of(&[&OFFICIALS, &COUNCILS], &folded) {
        return Some(MontrealLayout {
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
    } else if filled == 7 && is_amount(6) && (field(6).contains('$') || is_order_without_dollar_sign(first)) {
        (&OFFICIALS, &OFFICIALS_UNDATED)
    } else {
        return None;
    };
    Some(MontrealLayout {
        format,
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        has_header: false,
    })
}

/// Whether seven columns are an official's order although the amount has no dollar sign: a number,
/// one of the city's services, words in the other columns, and either a decimal comma with cents or
/// an approver as the city writes them (`TREMBLAY, JEANNE`).
fn is_order_without_dollar_sign(first: &[String]) -> bool {
    let [vendor, number, approver, object, service, activity, amount, rest @ ..] = first else {
        return false;
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_cents = |(whole, cents): (&str, &str)| is_digits(whole) && is_digits(cents) && cents.len() == 2;
    let is_upper = |part: &str| !part.is_empty() && !part.contains(char::is_lowercase);
    let is_name = |(last, first): (&str, &str)| is_upper(last) && first.starts_with(char::is_uppercase);
    let is_words = |text: &String| text.chars().any(char::is_alphabetic);
    rest.len() <= 1
        && (amount.split_once(',').is_some_and(is_cents) || approver.split_once(", ").is_some_and(is_name))
        && number.bytes().any(|b| b.is_ascii_digit())
        && [object, activity].into_iter().all(is_words)
        && !vendor.is_empty()
        && !is_digits(approver)
        && SERVICE_PREFIXES.iter().any(|prefix| service.starts_with(prefix))
}

/// Prefixes of the names of the city's services.
const SERVICE_PREFIXES: [&str; 5] = ["SERVICE ", "DIRECTION ", "COMMISSION ", "BUREAU ", "ARRONDISSEMENT "];

pub(crate) struct MontrealReader;

impl SourceReader for MontrealReader {
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
        let mut csv = CsvFile::open(input)?;
        let Some(layout) = layout(&csv.first) else {
            return Err(ReadError::damaged(1, "the file's columns are unknown"));
        };
        if !layout.has_header {
            csv = csv.without_header();
        }
        layout.format.read_rows(file, csv, &layout.columns, out, |_| None)
    }

    fn merge_group(&mut self, members: &mut [GroupMember], _: &mut [RowCounts]) {
        merge_group(members);
    }
}

/// Merges the rows that agree in everything but the date.
fn merge_group(members: &mut [GroupMember]) {
    let mut by_id: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, member) in members.iter().enumerate() {
        let id = member.records.first().map(DraftRecord::id).unwrap_or_default();
        by_id.entry(id.to_owned()).or_default().push(at);
    }
    let mut kept: Vec<usize> = Vec::new();
    for rows in by_id.into_values() {
        // Members are sorted oldest first.
        let newest = rows.last().map(|at| members[*at].file);
        let (mut parts, older): (Vec<usize>, Vec<usize>) =
            rows.into_iter().partition(|at| Some(members[*at].file) == newest);
        for at in older {
            members[at].records.clear();
        }
        parts.sort_by(|a, b| members[*a].key.cmp(&members[*b].key));
        for (at, number) in parts.iter().zip(1..).skip(1) {
            for record in &mut members[*at].records {
                let id = format!("{}|{number}", record.id());
                record.set("record_id", Some(id));
            }
        }
        kept.extend(parts);
    }
    drop_undated_duplicate(members, kept);
}

/// Clears an undated row if it is the same contract as the only dated row, which must be of another
/// file and have a number and a value.
fn drop_undated_duplicate(members: &mut [GroupMember], kept: Vec<usize>) {
    let (undated, dated): (Vec<usize>, Vec<usize>) =
        kept.into_iter().partition(|at| members[*at].key.starts_with(UNDATED));
    if let ([dated], [undated]) = (dated.as_slice(), undated.as_slice()) {
        let dated = &members[*dated];
        let has = |field| dated.records.iter().any(|record| record.has(field));
        if has("contract_id") && has("contract_value") && dated.file != members[*undated].file {
            members[*undated].records.clear();
        }
    }
}

/// Prefix of the key of a row without a date.
const UNDATED: &str = "undated ";

fn council_row_output(row: &CsvRow, mut record: DraftRecord) -> Result<RowOutput, &'static str> {
    let decision = record.text("decision_number").unwrap_or_default();
    let council = COUNCIL_NAMES.iter().find(|(start, ..)| decision.starts_with(start));
    if council.is_none() && !decision.is_empty() {
        // The first letters name the council. The number after them is almost unique, so it is left
        // out of the note.
        let letters: String = decision.chars().take_while(|c| c.is_alphabetic()).collect();
        row.note(unknown("no decision", &letters));
    }
    record.set("approver", council.map(|(_, name, _)| *name));
    let dataset = council.map_or("contrats-conseils", |(.., dataset)| dataset);
    row_output(row, record, dataset)
}

fn row_output(row: &CsvRow, mut record: DraftRecord, dataset: &str) -> Result<RowOutput, &'static str> {
    if record.text("vendor_name").is_none() && record.text("title_fr").is_none() {
        return Err("neither a supplier nor a title");
    }
    // Hashed before fields are removed or added. `fetched_at` is a fact of the file, not of the
    // row.
    let part = |field: &str| record.get(field).map(|value| value.to_string()).unwrap_or_default();
    let amount = match record.number("contract_value") {
        Some(amount) => format!("{amount:.2}"),
        None => text::line(row.raw("montant")).unwrap_or_default(),
    };
    let keys = ["vendor_name", "contract_id", "department_fr"].map(part).join("\n");
    let day = part("award_date");
    let id = format!("montreal|{}", fingerprint(&format!("{keys}\n{amount}\n{day}")));
    let content = record.fields.iter().filter(|(name, _)| name.text() != "fetched_at");
    let content: Vec<String> = content
        .map(|(name, value)| format!("{}={value}", name.text()))
        .collect();
    let content = fingerprint(&content.join("\n"));
    if record.text("award_date").is_some_and(|day| !is_plausible(day, row)) {
        row.note("award date before 2011 or after the file's year, left out".to_owned());
        record.remove("award_date");
    }
    record.set_jurisdiction("montreal", "municipal", Some("QC"));
    record.set("buyer_name", Some("Ville de Montréal"));
    record.set("dataset", Some(dataset));
    record.set("currency", record.number("contract_value").map(|_| "CAD"));
    record.set("record_id", Some(id.as_str()));
    Ok(RowOutput {
        group: format!("{keys}\n{amount}"),
        key: if day.is_empty() {
            format!("{UNDATED}{content}")
        } else {
            content
        },
        recency: Recency(0, row.file.modified.timestamp()),
        records: vec![record],
        bids: None,
    })
}

/// Whether the year is between [`FIRST_YEAR`] and that of the file.
fn is_plausible(day: &str, row: &CsvRow) -> bool {
    let year = day.get(..4).and_then(|year| year.parse::<i32>().ok());
    year.is_some_and(|year| (FIRST_YEAR..=row.file.modified.year().max(FIRST_YEAR)).contains(&year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_recognized_with_and_without_a_header() {
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
