//! What the answers of a generation must be, computed from the dumps that it was built from.
//!
//! The model is a sorted list. A page is a slice of it, and a record is its line, byte for byte.

use std::{collections::HashMap, fs, path::Path};

use serde_json::{Value, value::RawValue};

use crate::http::RawResponse;

/// One contract.
pub struct Row {
    pub id: String,
    /// The event date of a contract.
    pub date: String,
    pub municipality: String,
    /// The record as its dump states it.
    pub line: String,
}

/// The contracts of one generation in the default order: newest first, then by id.
pub struct Contracts(pub Vec<Row>);

impl Contracts {
    /// Reads the dumps of a folder.
    pub fn of(dumps: &Path) -> anyhow::Result<Contracts> {
        let mut rows: Vec<Row> = Vec::new();
        for file in fs::read_dir(dumps.join("contract"))? {
            for line in fs::read_to_string(file?.path())?.lines() {
                rows.push(row(line)?);
            }
        }
        rows.sort_by(|a, b| b.date.cmp(&a.date).then_with(|| a.id.cmp(&b.id)));
        Ok(Contracts(rows))
    }

    /// Whether the response is exactly the page of these rows, with this total if it states one.
    pub fn is_page<'a>(&self, response: &RawResponse, rows: impl IntoIterator<Item = &'a Row>, total: usize) -> bool {
        let Some(page) = Page::of(response) else { return false };
        let expected: Vec<&str> = rows.into_iter().map(|row| row.line.as_str()).collect();
        page.records == expected && page.count == expected.len() && page.total.is_none_or(|stated| stated == total)
    }

    /// The rows after the record `last` in the default order, whether or not this generation has that record.
    pub fn after(&self, last: &Row) -> &[Row] {
        let before = |row: &Row| row.date > last.date || (row.date == last.date && row.id <= last.id);
        &self.0[self.0.partition_point(before)..]
    }

    /// The rows of one municipality.
    pub fn of_municipality<'a>(&'a self, municipality: &'a str) -> impl Iterator<Item = &'a Row> {
        self.0.iter().filter(move |row| row.municipality == municipality)
    }
}

/// A contract in a dump.
fn row(line: &str) -> anyhow::Result<Row> {
    let record: Value = serde_json::from_str(line)?;
    let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
    Ok(Row {
        id: text("record_id"),
        date: text("award_date"),
        municipality: text("municipality"),
        line: line.to_owned(),
    })
}

/// The parts of a page of a search that the model knows.
pub struct Page {
    pub count: usize,
    pub total: Option<usize>,
    pub next_cursor: Option<String>,
    /// The records as the server wrote them.
    pub records: Vec<String>,
}

impl Page {
    /// Nothing if the response is not a page.
    pub fn of(response: &RawResponse) -> Option<Page> {
        if response.status != 200 {
            return None;
        }
        let members: HashMap<String, &RawValue> = serde_json::from_slice(&response.body).ok()?;
        let number = |name: &str| members.get(name).and_then(|value| value.get().parse().ok());
        let records: Vec<&RawValue> = serde_json::from_str(members.get("results")?.get()).ok()?;
        Some(Page {
            count: number("count")?,
            total: number("total"),
            next_cursor: members
                .get("next_cursor")
                .and_then(|value| serde_json::from_str(value.get()).ok()),
            records: records.iter().map(|record| record.get().to_owned()).collect(),
        })
    }
}
