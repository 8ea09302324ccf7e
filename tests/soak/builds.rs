//! What each build of the index holds: a function of the sample, the seed and the number of the build.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

use anyhow::Context;
use chrono::{DateTime, Days, NaiveDate, TimeDelta};
use serde_json::{Value, json};

use crate::random::hash;

/// The entity types that the model checks, with the field of their event date.
pub const ENTITY_TYPES: [(&str, &str); 2] = [("contract", "award_date"), ("tender", "publication_date")];

/// Each record has one of this many marker words in its title, another one in each build.
pub const GROUPS: u64 = 12;

/// The new tenders of each build, which the alerts are about.
const NEW_TENDERS: u64 = 2;

/// The tenders of how many builds are in a build: older ones end.
const TENDER_BUILDS: u64 = 30;

/// One record in `PERCENT_ABSENT` of 100 cases is not in a build.
const PERCENT_ABSENT: u64 = 10;

/// The word that the keyword of each subscription searches.
pub const ALERT_WORD: &str = "soakalert";

/// Records as `procure sample` wrote them, by entity type and file.
pub struct Sample {
    seed: u64,
    files: BTreeMap<(&'static str, String), Vec<Value>>,
}

#[derive(Debug)]
pub struct Record {
    pub id: String,
    /// The event date.
    pub day: String,
    pub json: Value,
}

/// All records of one build.
#[derive(Debug)]
pub struct Build {
    pub number: u64,
    /// By entity type, in the documented order: latest event date first, then by id.
    pub records: HashMap<&'static str, Vec<Record>>,
    /// The value of `fetched_at` in each record, which no other build has.
    pub fetched_at: String,
}

impl Sample {
    /// Reads the folder that `procure sample` wrote.
    pub fn read(folder: &Path, seed: u64) -> anyhow::Result<Sample> {
        let mut files = BTreeMap::new();
        for (entity_type, _) in ENTITY_TYPES {
            for entry in fs::read_dir(folder.join(entity_type))? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let text = fs::read_to_string(entry.path())?;
                let records = text
                    .lines()
                    .map(serde_json::from_str)
                    .collect::<Result<Vec<Value>, _>>();
                let records = records.with_context(|| format!("reading {}", entry.path().display()))?;
                files.insert((entity_type, name), records);
            }
        }
        Ok(Sample { seed, files })
    }

    /// Writes the dumps of a build and returns its records. `today` is when the new tenders are published.
    pub fn write_build(&self, number: u64, today: NaiveDate, dumps: &Path) -> anyhow::Result<Build> {
        let fetched_at = DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::minutes(number as i64);
        let fetched_at = fetched_at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let mut build = Build {
            number,
            records: HashMap::new(),
            fetched_at,
        };
        let _ = fs::remove_dir_all(dumps);
        let new_tenders: Vec<Value> = (number.saturating_sub(TENDER_BUILDS)..=number)
            .flat_map(|of_build| (0..NEW_TENDERS).map(move |nth| tender(of_build * NEW_TENDERS + nth, today)))
            .collect();
        let soak_file = (("tender", "soak.ndjson".to_owned()), new_tenders);
        let files = self.files.iter().map(|(file, records)| (file.clone(), records.clone()));
        for ((entity_type, file), records) in files.chain([soak_file]) {
            let folder = dumps.join(entity_type);
            fs::create_dir_all(&folder)?;
            let mut lines = String::new();
            for record in records {
                let id = text(&record, "record_id");
                let chance = hash(format!("{}|{number}|{id}", self.seed).as_bytes());
                if chance % 100 < PERCENT_ABSENT && !id.starts_with("soak|") {
                    continue;
                }
                lines.push_str(&format!("{}\n", mark(record, chance / 100 % GROUPS, &build.fetched_at)));
            }
            // Numbers are compared as the server's answers are read: from text.
            let parsed = lines
                .lines()
                .map(serde_json::from_str)
                .collect::<Result<Vec<Value>, _>>()?;
            let records = build.records.entry(entity_type).or_default();
            records.extend(parsed.into_iter().map(|json| Record {
                id: text(&json, "record_id"),
                day: text(&json, date_field(entity_type)),
                json,
            }));
            fs::write(folder.join(file), lines)?;
        }
        for records in build.records.values_mut() {
            records.sort_by(|a, b| (&b.day, &a.id).cmp(&(&a.day, &b.id)));
        }
        Ok(build)
    }
}

impl Build {
    /// All records that the generation holds.
    pub fn count(&self) -> usize {
        self.records.values().map(Vec::len).sum()
    }

    pub fn record(&self, entity_type: &str, id: &str) -> Option<&Record> {
        self.records[entity_type].iter().find(|record| record.id == id)
    }
}

fn date_field(entity_type: &str) -> &'static str {
    let known = ENTITY_TYPES.iter().find(|(name, _)| *name == entity_type);
    known.map_or("", |(_, field)| *field)
}

pub fn text(record: &Value, field: &str) -> String {
    record[field].as_str().unwrap_or_default().to_owned()
}

/// The record as this build has it: with the word of a group in its title, and the build's own time.
fn mark(mut record: Value, group: u64, fetched_at: &str) -> Value {
    let title = ["title_fr", "title_en"]
        .into_iter()
        .find(|field| record[*field].is_string())
        .unwrap_or("title_en");
    record[title] = json!(format!("{} soakgroup{group}", text(&record, title)).trim());
    record["fetched_at"] = json!(fetched_at);
    record
}

/// A new, open tender. Its title has a word of its own, by which a mail that lists it is recognized.
fn tender(number: u64, today: NaiveDate) -> Value {
    json!({
        "record_id": format!("soak|{number}"),
        "publication_date": today.to_string(),
        "closing_date": (today + Days::new(20)).to_string(),
        "status": "Open",
        "municipality": "toronto",
        "title_en": format!("{ALERT_WORD} soaktender{number}x"),
        "fetched_at": "",
    })
}
