//! What the manifest tells of a kind: its sources and its municipalities, counted as the records go by.

use std::collections::BTreeMap;

use chrono::SecondsFormat;

use crate::{
    catalog::generation::{Coverage, KindManifest, Source},
    model::{
        date::Date,
        municipality::{self, Municipality},
        record::Record,
        schema::{Role, Schema},
        timestamp,
    },
    storage::dump::Dump,
};

/// Counts of some records; those of two runs merge.
#[derive(Default)]
pub struct Summary {
    sources: BTreeMap<u16, Span>,
    municipalities: BTreeMap<String, Place>,
}

/// How many records, from when to when.
#[derive(Clone, Default)]
struct Span {
    records: u64,
    earliest: Option<Date>,
    latest: Option<Date>,
    last_updated: Option<String>,
}

#[derive(Default)]
struct Place {
    span: Span,
    dumps: std::collections::BTreeSet<u16>,
    provinces: BTreeMap<String, u64>,
    levels: BTreeMap<String, u64>,
}

impl Summary {
    pub fn add(&mut self, record: &Record, dump: u16) {
        let date = record.date(Role::Date);
        let fetched_at = record.text("fetched_at");
        self.sources.entry(dump).or_default().add(date, fetched_at);
        for key in record.keys(Role::Municipality) {
            let place = match self.municipalities.get_mut(key.as_ref()) {
                Some(place) => place,
                None => self.municipalities.entry(key.into_owned()).or_default(),
            };
            place.span.add(date, fetched_at);
            place.dumps.insert(dump);
            count(&mut place.provinces, record.text("province"));
            count(&mut place.levels, record.text("government_level"));
        }
    }

    pub fn merge(mut self, other: Summary) -> Summary {
        for (dump, span) in other.sources {
            self.sources.entry(dump).or_default().merge(&span);
        }
        for (key, place) in other.municipalities {
            let mine = self.municipalities.entry(key).or_default();
            mine.span.merge(&place.span);
            mine.dumps.extend(place.dumps);
            place
                .provinces
                .into_iter()
                .for_each(|(province, n)| *mine.provinces.entry(province).or_default() += n);
            place
                .levels
                .into_iter()
                .for_each(|(level, n)| *mine.levels.entry(level).or_default() += n);
        }
        self
    }

    pub fn records(&self) -> u64 {
        self.sources.values().map(|span| span.records).sum()
    }

    pub fn into_manifest(self, schema: &Schema, dumps: &[Dump]) -> KindManifest {
        let entity_type = schema.entity_type;
        let records = self.records();
        // A source may come in several files, `a.ndjson` beside `a.ndjson.gz`.
        let mut by_source: BTreeMap<&str, Span> = BTreeMap::new();
        for (dump, span) in &self.sources {
            by_source
                .entry(&dumps[usize::from(*dump)].source_id)
                .or_default()
                .merge(span);
        }
        let sources = by_source
            .into_iter()
            .map(|(source_id, span)| Source {
                source_id: source_id.to_owned(),
                entity_type,
                records: span.records,
                earliest_date: span.earliest.map(|day| day.to_string()),
                latest_date: span.latest.map(|day| day.to_string()),
                last_updated: span.last_updated,
            })
            .collect();
        let coverage = self
            .municipalities
            .into_iter()
            .map(|(slug, place)| place.into_coverage(slug, dumps))
            .collect();
        KindManifest {
            entity_type,
            fingerprint: schema.fingerprint().to_owned(),
            records,
            sources,
            coverage,
        }
    }
}

impl Span {
    fn add(&mut self, date: Option<Date>, fetched_at: Option<&str>) {
        self.records += 1;
        self.include(date, date);
        self.update(fetched_at);
    }

    fn merge(&mut self, other: &Span) {
        self.records += other.records;
        self.include(other.earliest, other.latest);
        self.update(other.last_updated.as_deref());
    }

    fn include(&mut self, earliest: Option<Date>, latest: Option<Date>) {
        self.earliest = [self.earliest, earliest].into_iter().flatten().min();
        self.latest = self.latest.max(latest);
    }

    /// Takes a timestamp if it is the latest; what is none tells nothing.
    fn update(&mut self, fetched_at: Option<&str>) {
        // Most records of a source tell the same moment.
        if fetched_at.is_none() || fetched_at == self.last_updated.as_deref() {
            return;
        }
        let Some(moment) = fetched_at.and_then(timestamp::parse) else {
            return;
        };
        // In one form, the order of moments is that of their texts.
        let moment = moment.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        if Some(&moment) > self.last_updated.as_ref() {
            self.last_updated = Some(moment);
        }
    }
}

impl Place {
    fn into_coverage(self, municipality: String, dumps: &[Dump]) -> Coverage {
        let mut source_ids: Vec<String> = self
            .dumps
            .iter()
            .map(|dump| dumps[usize::from(*dump)].source_id.clone())
            .collect();
        source_ids.sort();
        source_ids.dedup();
        // The table knows a place better than its records do (federal bodies have no province, whatever their records
        // say); a slug it does not know is described by them.
        let known = municipality::by_slug(&municipality);
        let told = |text: fn(&Municipality) -> &str, stated: BTreeMap<String, u64>| match known {
            Some(place) => Some(text(place).to_owned()).filter(|text| !text.is_empty()),
            None => most_frequent(stated),
        };
        Coverage {
            name_en: told(|place| &place.name_en, BTreeMap::new()),
            name_fr: told(|place| &place.name_fr, BTreeMap::new()),
            province: told(|place| &place.province, self.provinces),
            government_level: told(|place| &place.government_level, self.levels),
            municipality,
            records: self.span.records,
            earliest_date: self.span.earliest.map(|day| day.to_string()),
            latest_date: self.span.latest.map(|day| day.to_string()),
            last_updated: self.span.last_updated,
            source_ids,
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

fn most_frequent(counts: BTreeMap<String, u64>) -> Option<String> {
    // The first of equals in the alphabet, so that runs repeat.
    counts
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))
        .map(|(text, _)| text)
}
