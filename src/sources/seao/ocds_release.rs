//! One OCDS release of SEAO, and the parsing of its values.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use crate::model::{Date, timestamp};
use crate::sources::reading::{DraftRecord, FileInfo, RowCounts, array_at, text, text_at, unknown};

/// What a package states for all its releases.
#[derive(Default)]
pub(crate) struct ReleasePackage {
    /// The package's `publishedDate`, or the file's time if it states none.
    pub(crate) fetched_at: String,
    pub(crate) uri: Option<String>,
}

impl ReleasePackage {
    /// `members` are the members of the package object that were read so far.
    pub(crate) fn of(members: Option<&Map<String, Value>>, file: &FileInfo) -> ReleasePackage {
        let member = |name: &str| members?.get(name)?.as_str();
        let published = member("publishedDate").and_then(moment).unwrap_or(file.modified);
        ReleasePackage {
            fetched_at: timestamp::format_seconds(published),
            uri: member("uri").and_then(text::line),
        }
    }
}

/// An RFC 3339 timestamp.
pub(crate) fn moment(text: &str) -> Option<DateTime<Utc>> {
    timestamp::parse(text.trim())
}

/// A release whose records are being made.
pub(crate) struct ReleaseNotice<'a> {
    pub(crate) release: &'a Value,
    /// By their `id`.
    pub(crate) parties: HashMap<String, &'a Value>,
    pub(crate) line: u64,
    pub(crate) counts: &'a mut RowCounts,
}

impl<'a> ReleaseNotice<'a> {
    /// The text or number at a JSON pointer of the release.
    pub(crate) fn text(&self, pointer: &str) -> Option<String> {
        text_at(self.release, pointer)
    }

    pub(crate) fn note(&mut self, note: &str) {
        self.counts.note(self.line, note);
    }

    /// The day of a timestamp that the publisher uses as a date. Where its clock is on winter time,
    /// midnight of a day in summer time is written as 23:00 of the day before. An impossible date
    /// is noted and left out.
    pub(crate) fn day(&mut self, value: &Value, pointer: &str) -> Option<Date> {
        let stated = text_at(value, pointer)?;
        let Ok(day) = text::date(&stated) else {
            let name = pointer.rsplit('/').next().unwrap_or(pointer);
            self.note(&format!("impossible date in {name}, left out"));
            return None;
        };
        if stated.ends_with("T23:00:00-05:00") {
            day.and_then(|day| Date::from_days(day.days() + 1))
        } else {
            day
        }
    }

    /// An amount; 0 counts as absent. An unreadable amount is noted and left out.
    pub(crate) fn money(&mut self, value: &Value, pointer: &str) -> Option<f64> {
        let stated = text_at(value, pointer)?;
        text::given_amount(&stated).unwrap_or_else(|_| {
            let name = pointer.trim_start_matches('/');
            self.note(&format!("unreadable amount in {name}, left out"));
            None
        })
    }

    /// Sets a record's status and its labels. A status that is not in the table is noted and has no
    /// labels.
    pub(crate) fn set_status(&mut self, record: &mut DraftRecord, status: String, table: &[StatusLabels]) {
        let labels = table.iter().find(|(code, ..)| *code == status);
        if labels.is_none() {
            self.note_unknown("status", &status);
        }
        record.set("status", Some(status));
        record.set("status_en", labels.map(|(_, english, _)| *english));
        record.set("status_fr", labels.map(|(.., french)| *french));
    }

    pub(crate) fn note_unknown(&mut self, field: &str, value: &str) {
        self.note(&unknown(field, value));
    }

    pub(crate) fn party(&self, id: &str) -> Option<&'a Value> {
        self.parties.get(id).copied()
    }
}

/// The elements of the array at `pointer` by their text at `key`; of several with the same text,
/// the first. A map, because a release may have thousands of awards and as many parties.
pub(crate) fn index_by<'a>(release: &'a Value, pointer: &str, key: &str) -> HashMap<String, &'a Value> {
    let mut index = HashMap::new();
    for element in array_at(release, pointer) {
        if let Some(key) = text_at(element, key) {
            index.entry(key).or_insert(element);
        }
    }
    index
}

/// A status code with its English and French labels.
pub(crate) type StatusLabels = (&'static str, &'static str, &'static str);
