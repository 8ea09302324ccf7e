//! SEAO's OCDS files: release packages, record packages, bare releases and records, in one JSON document or one a line.
//!
//! A row is a release; of a record, its compiled release stands for all, else each embedded one is a row. Every release
//! tells the whole state of its notice: it gives a tender and a contract an award, never one a bidder. Of the releases of
//! an `ocid` the one with the greatest `id` (its UTC time) counts, whatever file it is in.

use std::{collections::HashMap, io::Read, sync::Arc};

use chrono::{DateTime, Timelike, Utc};
use serde_json::{Map, Value};

use crate::model::date::Date;
use crate::sources::{
    Broken, FileFacts, Head,
    reading::{
        batches,
        decode::{STRAY, Utf8},
        intake::{Draft, Intake, Rank, Tally, unknown},
        json::{Item, Rows, list, word},
        text,
    },
    seao::{OCDS, OCID_PREFIX, apart},
    timestamp,
};

/// What only SEAO's packages name: its registered prefix, or, in a week without releases, its data set.
pub fn recognizes(head: &Head) -> bool {
    let holds = |sign: &str| head.json.contains(sign);
    holds(&format!("\"{OCID_PREFIX}"))
        || (holds("\"publicationPolicy\"") && holds("systeme-electronique-dappel-doffres"))
}

/// What a package says of all its releases.
#[derive(Default)]
pub struct Package {
    pub published: String,
    pub uri: Option<String>,
}

impl Package {
    fn of(facts: Option<&Map<String, Value>>, file: &FileFacts) -> Package {
        let fact = |name: &str| facts?.get(name)?.as_str();
        let published = fact("publishedDate").and_then(moment).unwrap_or(file.modified);
        Package {
            published: timestamp(published),
            uri: fact("uri").and_then(text::line),
        }
    }
}

pub fn read(file: &FileFacts, input: Utf8<&mut dyn Read>, out: &mut Intake) -> Result<(), Broken> {
    let mut rows = Rows::new(input, &["releases", "records"]);
    let mut package = Arc::new(Package::of(None, file));
    let mut changes = 0;
    let next = |parsed: &mut ParsedRow| {
        loop {
            let Some(item) = rows.next()? else { return Ok(false) };
            if changes != rows.changes() {
                changes = rows.changes();
                package = Arc::new(Package::of(rows.facts(), file));
            }
            (parsed.line, parsed.row) = match item {
                Item::Row { line, bytes, .. } => (line, Row::Bytes(bytes)),
                // A package's end, unless the object is itself a release or a record.
                Item::Object { members, held_rows, .. } if held_rows && !members.contains_key("compiledRelease") => {
                    continue;
                }
                Item::Object {
                    line, members, bytes, ..
                } => (line, Row::Whole(Value::Object(members), bytes)),
            };
            parsed.package = package.clone();
            parsed.is_repaired = rows.take_repaired();
            return Ok(true);
        }
    };
    batches::draft_each(out, next, |parsed, out| {
        let line = parsed.line;
        if parsed.is_repaired {
            out.tally.note(line, STRAY);
        }
        let read;
        let row = match &parsed.row {
            Row::Whole(value, _) => Some(value),
            Row::Bytes(bytes) => {
                read = serde_json::from_slice(bytes).ok();
                read.as_ref()
            }
        };
        let Some(row) = row else {
            out.row();
            out.tally.skip(line, "a release that is no valid JSON");
            return Ok(());
        };
        for release in releases(row) {
            out.row();
            match draft(release, &parsed.package, line, out.tally) {
                Ok(draft) => out.keep(line, draft)?,
                Err(reason) => out.tally.skip(line, reason),
            }
        }
        Ok(())
    })
}

/// A row as it was cut out of its package.
#[derive(Default)]
struct ParsedRow {
    package: Arc<Package>,
    line: u64,
    row: Row,
    is_repaired: bool,
}

enum Row {
    /// JSON, whoever drafts it parses it.
    Bytes(Vec<u8>),
    /// An object, and how long its text was.
    Whole(Value, usize),
}

impl Default for Row {
    fn default() -> Self {
        Row::Bytes(Vec::new())
    }
}

impl batches::Parsed for ParsedRow {
    fn size(&self) -> usize {
        size_of::<ParsedRow>()
            + match &self.row {
                Row::Bytes(bytes) => bytes.len(),
                // A list of digits takes sixteen times its text.
                Row::Whole(_, bytes) => 16 * bytes,
            }
    }
}

/// The releases that a release or a record stands for; itself where it is neither, so that it is accounted for.
fn releases(row: &Value) -> Vec<&Value> {
    if let Some(compiled) = row.get("compiledRelease") {
        return vec![compiled];
    }
    match row.get("releases").and_then(Value::as_array) {
        Some(embedded) if !embedded.is_empty() => embedded.iter().collect(),
        _ => vec![row],
    }
}

fn draft(release: &Value, package: &Package, line: u64, tally: &mut Tally) -> Result<Draft, &'static str> {
    let Some(ocid) = word(release, "/ocid") else {
        return Err(match release.get("url") {
            Some(_) => "a link to a release, not the release",
            None => "no ocid: neither a package, a record nor a release",
        });
    };
    let number = ocid.strip_prefix(OCID_PREFIX).filter(|number| !number.is_empty());
    let number = number.ok_or("a process of another publisher's")?;
    if !release.get("tender").is_some_and(Value::is_object) {
        return Err("a release without its tender");
    }
    let mut notice = Notice {
        release,
        parties: by_word(release, "/parties", "/id"),
        line,
        tally,
    };
    let tender = notice.tender(number, &ocid, package);
    let contracts = notice.contracts(number, &tender);
    let mut records = vec![tender];
    let what = "an award listed twice, recorded once";
    records.extend(apart(contracts, |line| notice.tally.note(line, what)));
    Ok(Draft {
        group: number.to_owned(),
        member: OCDS.to_owned(),
        rank: rank(release),
        records,
    })
}

/// Days, then seconds from 2: on one day a release is newer than an XML export and its revisions.
fn rank(release: &Value) -> Rank {
    let id = word(release, "/id").unwrap_or_default();
    let revised = revision(&id).or_else(|| moment(release.get("date")?.as_str()?));
    revised.map_or(Rank::default(), |at| {
        let days = at.timestamp().div_euclid(86_400);
        let seconds = i64::from(at.num_seconds_from_midnight());
        Rank(u64::try_from(days).unwrap_or(0), seconds + 2)
    })
}

/// `20260728192300` → 2026-07-28T19:23:00Z
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

fn moment(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text.trim()).ok().map(|at| at.to_utc())
}

pub fn same_money(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.005
}

/// A release on its way to a tender and its contracts.
pub struct Notice<'a> {
    pub release: &'a Value,
    parties: HashMap<String, &'a Value>,
    pub line: u64,
    tally: &'a mut Tally,
}

impl<'a> Notice<'a> {
    pub fn word(&self, pointer: &str) -> Option<String> {
        word(self.release, pointer)
    }

    pub fn note(&mut self, what: &str) {
        self.tally.note(self.line, what);
    }

    /// The day of a timestamp that stands for a day. A day's midnight in summer time is written as 23:00 of the day
    /// before where the publisher's clock counts winter time.
    pub fn day(&mut self, value: &Value, pointer: &str) -> Option<Date> {
        let stated = word(value, pointer)?;
        let Ok(day) = text::date(&stated) else {
            let name = pointer.rsplit('/').next().unwrap_or(pointer);
            self.note(&format!("impossible date in {name}, left out"));
            return None;
        };
        match stated.ends_with("T23:00:00-05:00") {
            true => day.and_then(|day| Date::from_days(day.days() + 1)),
            false => day,
        }
    }

    pub fn money(&mut self, value: &Value, pointer: &str) -> Option<f64> {
        let stated = word(value, pointer)?;
        text::given_amount(&stated).unwrap_or_else(|_| {
            let name = pointer.trim_start_matches('/');
            self.note(&format!("unreadable amount in {name}, left out"));
            None
        })
    }

    /// A status in words; one that the table lacks is noted.
    pub fn in_words(
        &mut self,
        status: String,
        table: &[Words],
    ) -> (String, Option<&'static str>, Option<&'static str>) {
        let told = in_words(status, table);
        if told.1.is_none() {
            self.note_unknown("status", &told.0);
        }
        told
    }

    pub fn note_unknown(&mut self, field: &str, word: &str) {
        self.note(&unknown(field, word));
    }

    pub fn party(&self, id: &str) -> Option<&'a Value> {
        self.parties.get(id).copied()
    }
}

/// The members of a list by one of their words, the first of each: releases of thousands of awards name as many parties.
pub fn by_word<'a>(release: &'a Value, pointer: &str, key: &str) -> HashMap<String, &'a Value> {
    let mut found = HashMap::new();
    for member in list(release, pointer) {
        if let Some(key) = word(member, key) {
            found.entry(key).or_insert(member);
        }
    }
    found
}

pub type Words = (&'static str, &'static str, &'static str);

/// A published status beside its English and French words.
fn in_words(status: String, table: &[Words]) -> (String, Option<&'static str>, Option<&'static str>) {
    let known = table.iter().find(|(word, ..)| *word == status);
    (
        status,
        known.map(|(_, english, _)| *english),
        known.map(|(.., french)| *french),
    )
}
