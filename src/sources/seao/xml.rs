//! SEAO's XML exports (`<export datedebut datefin>`).
//!
//! A row is a child of the root element. In the files Avis and AvisRevisions it is a notice: it
//! produces a tender, and a contract for each winner among the bidders. In Contrats and Depenses it
//! is the completion of a contract or the spending on a notice; it becomes an annotation, see
//! [`after_award`]. The generations of the layout differ in the case of one tag and in elements
//! that the older layout lacks.
//!
//! If a notice occurs several times, the one entered last counts; of the same entry, that of the
//! newest export. A revision counts as entered on the last day of its export.

use std::io::Read;

use crate::model::fold::fold;
use crate::sources::{
    reading::{
        Annotation, FileHead, FileInfo, ReadError, RowCounts, RowSink, Utf8Reader, XmlElement, XmlRow, XmlRows,
        batches, text,
    },
    seao::{
        after_award::{self, AfterAward, Completion, Contractor, Expense, SpendingReport},
        bids,
        common::{cents, neq},
        xml_export::{XmlExport, day, money},
        xml_notice::XmlNotice,
    },
};

pub(crate) fn recognizes(head: &FileHead) -> bool {
    let root = &head.root;
    root.name == "export" && root.attributes.iter().any(|name| name == "datefin")
}

/// Reads one export.
pub(crate) fn read(file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
    let mut rows = XmlRows::new(input);
    let export = XmlExport::of(&mut rows, file)?;
    let next = |parsed: &mut ParsedXmlRow| {
        let is_row = rows.next_row(&mut parsed.row)?;
        parsed.is_repaired = rows.take_repaired();
        Ok(is_row)
    };
    batches::process_rows(out, next, |parsed, out| {
        let Some(row) = parsed.row.element() else { return Ok(()) };
        out.row();
        out.note_repair(row.line(), parsed.is_repaired);
        let Some(number) = row.line_of("numeroseao") else {
            out.counts.skip(row.line(), "no notice number");
            bids::refuse_all(row, out.counts);
            return Ok(());
        };
        let content = match row.name() {
            "avis" if row.child("organisme").is_some() => {
                match XmlNotice::new(row, &export, out.counts).output(number.into_owned()) {
                    Ok(output) => return out.keep(row.line(), output),
                    Err(reason) => out.counts.skip(row.line(), reason),
                }
                return Ok(());
            }
            "avis" => AfterAward::Spending(spending(row, &export, out.counts)),
            "contrat" => AfterAward::Completion(completion(row, out.counts)),
            _ => {
                out.counts.skip(row.line(), "neither a notice, a contract nor spending");
                return Ok(());
            }
        };
        let annotation = Annotation {
            group: number.into_owned(),
            recency: after_award::recency(export.last_day()),
            content: serde_json::to_value(content)?,
        };
        out.annotate(row.line(), annotation)
    })
}

/// A parsed row, before its records are made.
#[derive(Default)]
struct ParsedXmlRow {
    row: XmlRow,
    is_repaired: bool,
}

impl batches::BatchRow for ParsedXmlRow {
    fn size(&self) -> usize {
        self.row.size()
    }
}

fn contractor(row: XmlElement) -> Contractor {
    Contractor {
        neq: neq(row.raw("neqcontractant")),
        folded_name: fold(&text::organization(row.raw("nomcontractant")).unwrap_or_default()),
    }
}

fn completion(row: XmlElement, counts: &mut RowCounts) -> Completion {
    Completion {
        contractor: contractor(row),
        final_amount: money(row, "montantfinal", row.line(), counts).filter(|amount| *amount > 0.0),
        end_date: day(row, "datefinale", row.line(), counts),
    }
}

fn spending(row: XmlElement, export: &XmlExport, counts: &mut RowCounts) -> SpendingReport {
    let mut expenses = Vec::new();
    for expense in row.child("depenses").into_iter().flat_map(XmlElement::children) {
        let Some(amount) = money(expense, "montantdepense", expense.line(), counts) else {
            continue;
        };
        expenses.push(Expense {
            contractor: contractor(expense),
            published: day(expense, "datepublicationdepense", expense.line(), counts),
            cents: cents(amount),
        });
    }
    SpendingReport {
        is_cumulative: expenses.is_empty() || expenses.iter().any(|expense| !export.covers(expense.published)),
        expenses,
    }
}
