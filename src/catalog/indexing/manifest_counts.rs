//! The numbers of the manifest: records and date ranges per source and municipality, counted while
//! records are written.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike, NaiveDate, SecondsFormat};

use crate::{
    catalog::generation::{Abroad, Coverage, EntityTypeManifest, RecordPart, SourceContents, SourceSummary},
    engine::facet_values::most_frequent,
    model::{
        Date, Record, Role, Schema,
        municipality::{self, Municipality},
        timestamp,
    },
    storage::dump::DumpFile,
};

/// Counts of some records. The counts of two chunks can be merged.
#[derive(Default)]
pub(crate) struct ManifestCounts {
    /// By index of the dump in the list of dumps.
    dumps: BTreeMap<u16, DumpCounts>,
    municipalities: BTreeMap<String, MunicipalityCounts>,
}

#[derive(Default)]
struct DumpCounts {
    span: RecordSpan,
    years: BTreeMap<i32, u64>,
    parts: BTreeMap<RecordPart, u64>,
    /// By the country of the supplier.
    countries: BTreeMap<String, u64>,
}

/// A number of records, their date range, and when the last of them was fetched.
#[derive(Clone, Default)]
struct RecordSpan {
    records: u64,
    earliest: Option<Date>,
    latest: Option<Date>,
    last_updated: Option<String>,
}

#[derive(Default)]
struct MunicipalityCounts {
    span: RecordSpan,
    /// Indexes of the dumps with records of the municipality.
    dumps: BTreeSet<u16>,
    provinces: BTreeMap<String, u64>,
    levels: BTreeMap<String, u64>,
}

impl ManifestCounts {
    /// Counts a record of the dump with this index.
    pub(crate) fn add(&mut self, record: &Record, dump: u16) {
        let date = record.date(Role::Date);
        let fetched_at = record.text("fetched_at");
        self.dumps.entry(dump).or_default().add(record, date, fetched_at);
        for key in record.keys(Role::Municipality) {
            let counts = match self.municipalities.get_mut(key.as_ref()) {
                Some(counts) => counts,
                None => self.municipalities.entry(key.into_owned()).or_default(),
            };
            counts.span.add(date, fetched_at);
            counts.dumps.insert(dump);
            count(&mut counts.provinces, record.text("province"));
            count(&mut counts.levels, record.text("government_level"));
        }
    }

    pub(crate) fn merge(mut self, other: ManifestCounts) -> ManifestCounts {
        for (dump, counts) in other.dumps {
            self.dumps.entry(dump).or_default().merge(&counts);
        }
        for (key, theirs) in other.municipalities {
            let ours = self.municipalities.entry(key).or_default();
            ours.span.merge(&theirs.span);
            ours.dumps.extend(theirs.dumps);
            add_counts(&mut ours.provinces, theirs.provinces);
            add_counts(&mut ours.levels, theirs.levels);
        }
        self
    }

    pub(crate) fn records(&self) -> u64 {
        self.dumps.values().map(|counts| counts.span.records).sum()
    }

    pub(crate) fn into_manifest(self, schema: &Schema, dumps: &[DumpFile]) -> EntityTypeManifest {
        let entity_type = schema.entity_type;
        let records = self.records();
        // A source may have several files: `a.ndjson` and `a.ndjson.gz`.
        let mut by_source: BTreeMap<&str, DumpCounts> = BTreeMap::new();
        for (dump, counts) in &self.dumps {
            by_source
                .entry(&dumps[usize::from(*dump)].source_id)
                .or_default()
                .merge(counts);
        }
        let sources = by_source
            .iter()
            .map(|(source_id, counts)| counts.span.summary(source_id, schema))
            .collect();
        let contents = by_source
            .into_iter()
            .map(|(source_id, counts)| SourceContents {
                source_id: source_id.to_owned(),
                parts: counts.parts_of(schema),
                abroad: Abroad::of(&counts.countries, counts.span.records),
                years: counts.years,
            })
            .collect();
        let coverage = self
            .municipalities
            .into_iter()
            .map(|(slug, counts)| counts.into_coverage(slug, dumps))
            .collect();
        EntityTypeManifest {
            entity_type,
            fingerprint: schema.fingerprint().to_owned(),
            records,
            sources,
            coverage,
            contents,
        }
    }
}

impl DumpCounts {
    fn add(&mut self, record: &Record, date: Option<Date>, fetched_at: Option<&str>) {
        self.span.add(date, fetched_at);
        if let Some(day) = date.and_then(|date| NaiveDate::from_epoch_days(date.days())) {
            *self.years.entry(day.year()).or_default() += 1;
        }
        for part in RecordPart::ALL {
            if part.is_in(record) {
                *self.parts.entry(part).or_default() += 1;
            }
        }
        count(&mut self.countries, record.text("vendor_country"));
    }

    fn merge(&mut self, other: &DumpCounts) {
        self.span.merge(&other.span);
        for (year, records) in &other.years {
            *self.years.entry(*year).or_default() += records;
        }
        for (part, records) in &other.parts {
            *self.parts.entry(*part).or_default() += records;
        }
        add_counts(&mut self.countries, other.countries.clone());
    }

    /// An entry for each part that the entity type has, also for one that no record has.
    fn parts_of(&self, schema: &Schema) -> BTreeMap<RecordPart, u64> {
        let parts = RecordPart::ALL.into_iter().filter(|part| part.is_of(schema));
        parts
            .map(|part| (part, self.parts.get(&part).copied().unwrap_or(0)))
            .collect()
    }
}

impl RecordSpan {
    fn summary(&self, source_id: &str, schema: &Schema) -> SourceSummary {
        SourceSummary {
            source_id: source_id.to_owned(),
            entity_type: schema.entity_type,
            records: self.records,
            earliest_date: self.earliest.map(|day| day.to_string()),
            latest_date: self.latest.map(|day| day.to_string()),
            last_updated: self.last_updated.clone(),
        }
    }

    fn add(&mut self, date: Option<Date>, fetched_at: Option<&str>) {
        self.records += 1;
        self.extend(date, date);
        self.update_time(fetched_at);
    }

    fn merge(&mut self, other: &RecordSpan) {
        self.records += other.records;
        self.extend(other.earliest, other.latest);
        self.update_time(other.last_updated.as_deref());
    }

    fn extend(&mut self, earliest: Option<Date>, latest: Option<Date>) {
        self.earliest = [self.earliest, earliest].into_iter().flatten().min();
        self.latest = self.latest.max(latest);
    }

    /// Keeps the fetch time if it is the latest. An invalid one is ignored.
    fn update_time(&mut self, fetched_at: Option<&str>) {
        // Most records of a source have the same timestamp.
        if fetched_at.is_none() || fetched_at == self.last_updated.as_deref() {
            return;
        }
        let Some(time) = fetched_at.and_then(timestamp::parse) else {
            return;
        };
        // Texts in one format and time zone sort in the order of time.
        let time = time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        if Some(&time) > self.last_updated.as_ref() {
            self.last_updated = Some(time);
        }
    }
}

impl MunicipalityCounts {
    fn into_coverage(self, municipality: String, dumps: &[DumpFile]) -> Coverage {
        let source_ids: BTreeSet<&String> = self
            .dumps
            .iter()
            .map(|dump| &dumps[usize::from(*dump)].source_id)
            .collect();
        // The table of municipalities is more reliable than the records: federal bodies have no
        // province, whatever their records state. A slug that is not in the table gets the most
        // frequent province and level of its records.
        let known = municipality::by_slug(&municipality);
        let describe = |known_text: fn(&Municipality) -> &str, stated: BTreeMap<String, u64>| match known {
            Some(known) => Some(known_text(known).to_owned()).filter(|text| !text.is_empty()),
            None => most_frequent(stated),
        };
        Coverage {
            name_en: describe(|known| &known.name_en, BTreeMap::new()),
            name_fr: describe(|known| &known.name_fr, BTreeMap::new()),
            province: describe(|known| &known.province, self.provinces),
            government_level: describe(|known| &known.government_level, self.levels),
            municipality,
            records: self.span.records,
            earliest_date: self.span.earliest.map(|day| day.to_string()),
            latest_date: self.span.latest.map(|day| day.to_string()),
            last_updated: self.span.last_updated,
            source_ids: source_ids.into_iter().cloned().collect(),
        }
    }
}

fn count(counts: &mut BTreeMap<String, u64>, text: Option<&str>) {
    let Some(text) = text else {
        return;
    };
    match counts.get_mut(text) {
        Some(count) => *count += 1,
        None => {
            counts.insert(text.to_owned(), 1);
        }
    }
}

fn add_counts(ours: &mut BTreeMap<String, u64>, theirs: BTreeMap<String, u64>) {
    for (text, count) in theirs {
        *ours.entry(text).or_default() += count;
    }
}
