//! SEAO's OCDS files: release packages, record packages, single releases and records, as one JSON
//! document or one per line.
//!
//! A row is a release. A record's compiled release is the row; a record without one has a row per
//! embedded release. Every release states its notice completely: it produces a tender and one
//! contract per award, and none for a losing bidder. Of the releases with the same `ocid`, the one
//! with the greatest `id` (its UTC time) counts, in whatever file it is.

use std::{io::Read, sync::Arc};

use anyhow::Result;
use chrono::{DateTime, Timelike, Utc};
use serde_json::Value;

use crate::sources::{
    common::bids::NOTICE_LEFT_OUT,
    reading::{
        FileHead, FileInfo, JsonItem, JsonRows, ReadError, Recency, RowCounts, RowOutput, RowSink, Utf8Reader, batches,
        text_at,
    },
    seao::{
        bids::refuse_all_of_release,
        common::{OCID_PREFIX, SEAO_OCDS, disambiguate_lots},
        ocds_release::{ReleaseNotice, ReleasePackage, index_by, moment},
    },
};

/// Recognizes SEAO's packages by the publisher's registered prefix. The package of a week without
/// releases has none, and is recognized by the name of the data set.
pub(crate) fn recognizes(head: &FileHead) -> bool {
    let has = |text: &str| head.json.contains(text);
    has(&format!("\"{OCID_PREFIX}")) || (has("\"publicationPolicy\"") && has("systeme-electronique-dappel-doffres"))
}

pub(crate) fn read(file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
    let mut rows = JsonRows::new(input, &["releases", "records"]);
    let mut package = Arc::new(ReleasePackage::of(None, file));
    let mut changes = 0;
    let next = |parsed: &mut ParsedRelease| {
        loop {
            let Some(item) = rows.next_item()? else {
                return Ok(false);
            };
            if changes != rows.changes() {
                changes = rows.changes();
                package = Arc::new(ReleasePackage::of(rows.members(), file));
            }
            (parsed.line, parsed.row) = match item {
                JsonItem::Row { line, bytes, .. } => (line, ReleaseJson::Bytes(bytes)),
                // The end of a package, unless the object is itself a record.
                JsonItem::Object { members, held_rows, .. }
                    if held_rows && !members.contains_key("compiledRelease") =>
                {
                    continue;
                }
                JsonItem::Object {
                    line, members, bytes, ..
                } => (line, ReleaseJson::Whole(Value::Object(members), bytes)),
            };
            parsed.package = package.clone();
            parsed.is_repaired = rows.take_repaired();
            return Ok(true);
        }
    };
    batches::process_rows(out, next, process_row)
}

/// Keeps or skips each release of a row.
fn process_row(parsed: &ParsedRelease, out: &mut RowSink) -> Result<()> {
    let line = parsed.line;
    out.note_repair(line, parsed.is_repaired);
    let value;
    let row = match &parsed.row {
        ReleaseJson::Whole(value, _) => Some(value),
        ReleaseJson::Bytes(bytes) => {
            value = serde_json::from_slice(bytes).ok();
            value.as_ref()
        }
    };
    let Some(row) = row else {
        out.row();
        out.counts.skip(line, "a release that is not valid JSON");
        return Ok(());
    };
    for release in releases(row) {
        out.row();
        let number = match notice_number(release) {
            Ok(number) => number,
            Err(reason) => {
                out.counts.skip(line, reason);
                refuse_all_of_release(release, line, out.counts);
                continue;
            }
        };
        match row_output(release, number, &parsed.package, line, out.counts) {
            Ok(output) => out.keep(line, output)?,
            Err(reason) => out.counts.skip(line, reason),
        }
    }
    Ok(())
}

/// A row that was cut out of its package.
#[derive(Default)]
struct ParsedRelease {
    package: Arc<ReleasePackage>,
    line: u64,
    row: ReleaseJson,
    is_repaired: bool,
}

enum ReleaseJson {
    /// JSON text. The worker thread that makes the records parses it.
    Bytes(Vec<u8>),
    /// A parsed object, and the length of its text in bytes.
    Whole(Value, usize),
}

impl Default for ReleaseJson {
    fn default() -> Self {
        ReleaseJson::Bytes(Vec::new())
    }
}

impl batches::BatchRow for ParsedRelease {
    fn size(&self) -> usize {
        size_of::<ParsedRelease>()
            + match &self.row {
                ReleaseJson::Bytes(bytes) => bytes.len(),
                // The worst case, an array of digits, takes 16 times the memory of its text.
                ReleaseJson::Whole(_, bytes) => 16 * bytes,
            }
    }
}

/// The releases of a record, or the release itself. An object that is neither is returned too, so
/// that it is counted.
fn releases(row: &Value) -> Vec<&Value> {
    if let Some(compiled) = row.get("compiledRelease") {
        return vec![compiled];
    }
    match row.get("releases").and_then(Value::as_array) {
        Some(embedded) if !embedded.is_empty() => embedded.iter().collect(),
        _ => vec![row],
    }
}

/// The number of the notice that a release is about.
fn notice_number(release: &Value) -> Result<String, &'static str> {
    let Some(ocid) = text_at(release, "/ocid") else {
        return Err(match release.get("url") {
            Some(_) => "a link to a release, not the release",
            None => "no ocid: neither a package, a record nor a release",
        });
    };
    let number = ocid.strip_prefix(OCID_PREFIX).filter(|number| !number.is_empty());
    let number = number.ok_or("a contracting process of another publisher")?;
    if !release.get("tender").is_some_and(Value::is_object) {
        return Err("a release without a tender");
    }
    Ok(number.to_owned())
}

fn row_output(
    release: &Value,
    number: String,
    package: &ReleasePackage,
    line: u64,
    counts: &mut RowCounts,
) -> Result<RowOutput, &'static str> {
    let mut notice = ReleaseNotice {
        release,
        parties: index_by(release, "/parties", "/id"),
        line,
        counts,
    };
    let tender = notice.tender(&number, &format!("{OCID_PREFIX}{number}"), package);
    let bids = notice.bids(&tender);
    let contracts = notice.contracts(&number, &tender).inspect_err(|_| {
        let bidders = bids.as_ref().map_or(0, |notice| notice.bids.len() as u64);
        notice.counts.refuse_bidders(line, bidders, NOTICE_LEFT_OUT);
    })?;
    notice.mention_parties();
    let mut records = vec![tender];
    let note = "an award listed twice, recorded once";
    records.extend(disambiguate_lots(contracts, |line| notice.counts.note(line, note)));
    Ok(RowOutput {
        group: number,
        key: SEAO_OCDS.to_owned(),
        recency: recency(release),
        records,
        bids,
    })
}

/// The day of the release, then its second of the day plus 2: a release is newer than an XML export
/// of the same day and its revisions, which have at most 1.
fn recency(release: &Value) -> Recency {
    let id = text_at(release, "/id").unwrap_or_default();
    let revised = revision(&id).or_else(|| moment(release.get("date")?.as_str()?));
    revised.map_or(Recency::default(), |at| {
        let days = at.timestamp().div_euclid(86_400);
        let seconds = i64::from(at.num_seconds_from_midnight());
        Recency(u64::try_from(days).unwrap_or(0), seconds + 2)
    })
}

/// The time in a release's `id`: `20260728192300` is 2026-07-28T19:23:00Z.
fn revision(id: &str) -> Option<DateTime<Utc>> {
    if id.len() != 14 || !id.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    moment(&format!(
        "{}-{}-{}T{}:{}:{}Z",
        &id[..4],
        &id[4..6],
        &id[6..8],
        &id[8..10],
        &id[10..12],
        &id[12..]
    ))
}
