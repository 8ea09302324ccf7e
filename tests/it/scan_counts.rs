//! The obvious engine's counting: a map a facet, a sort, a sum.

use std::collections::{BTreeMap, BTreeSet};

use procure::{
    date::Date,
    engine::tally::{Counts, Money, NameRow, Named, NamesPage, PERCENTS, Row, Spread, Tally, Values, Want},
    entity::EntityType,
    facet::Facet,
    record::Record,
    schema::{Role, Schema},
};

/// All records, parsed, and what they tell together of departments' names.
pub struct Collection<'a> {
    pub records: Vec<(EntityType, Record<'a>)>,
    english: BTreeSet<String>,
    /// French key to the English key it stands beside most often.
    english_of: BTreeMap<String, String>,
}

impl<'a> Collection<'a> {
    pub fn new(records: &'a [(EntityType, String)]) -> Collection<'a> {
        let parse = |(kind, json): &'a (EntityType, String)| {
            (*kind, Record::parse(Schema::of(*kind), json.as_bytes()).unwrap())
        };
        let records: Vec<_> = records.iter().map(parse).collect();
        let mut english = BTreeSet::new();
        let mut beside: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for (_, record) in &records {
            let entry = Facet::Department.entry(record);
            let [name, french] = entry.as_slice() else { continue };
            if !name.is_empty() {
                english.insert(Facet::Department.key(name));
            }
            if !name.is_empty() && !french.is_empty() {
                let partners = beside.entry(Facet::Department.key(french)).or_default();
                *partners.entry(Facet::Department.key(name)).or_default() += 1;
            }
        }
        let english_of = beside
            .into_iter()
            .map(|(french, partners)| (french, most(&partners).unwrap()));
        Collection {
            english_of: english_of.collect(),
            english,
            records,
        }
    }

    /// The keys of the values a record has.
    pub fn keys(&self, facet: Facet, record: &Record) -> Vec<String> {
        let entry = facet.entry(record);
        if facet != Facet::Department {
            return entry.iter().map(|text| facet.key(text)).collect();
        }
        match entry.as_slice() {
            [english, _] if !english.is_empty() => vec![facet.key(english)],
            [_, french] => {
                let key = facet.key(french);
                match self.english.contains(&key) {
                    true => vec![key],
                    false => vec![self.english_of.get(&key).cloned().unwrap_or(key)],
                }
            }
            _ => Vec::new(),
        }
    }
}

/// The first of equals in the alphabet.
fn most(names: &BTreeMap<String, u64>) -> Option<String> {
    let best = names.values().copied().max()?;
    names
        .iter()
        .find(|(_, count)| **count == best)
        .map(|(name, _)| name.clone())
}

/// The spelling shown for each key, over all records of the kinds that count: of a department over all kinds.
fn shown(all: &Collection, kind: EntityType, facet: Facet) -> BTreeMap<String, String> {
    let mut spellings: BTreeMap<String, [BTreeMap<String, u64>; 2]> = BTreeMap::new();
    for (of, record) in &all.records {
        if *of != kind && facet != Facet::Department {
            continue;
        }
        let entry = facet.entry(record);
        for (place, key) in all.keys(facet, record).into_iter().enumerate() {
            let names = spellings.entry(key).or_default();
            match facet {
                Facet::Department => {
                    for (language, name) in entry.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
                        *names[language].entry(name.clone()).or_default() += 1;
                    }
                }
                _ => *names[0].entry(entry[place].clone()).or_default() += 1,
            }
        }
    }
    spellings
        .into_iter()
        .map(|(key, [english, french])| (key, most(&english).or_else(|| most(&french)).unwrap()))
        .collect()
}

/// Count and sum of each key among some records.
fn sums(all: &Collection, facet: Facet, records: &[&Record]) -> BTreeMap<String, (u64, Money)> {
    let mut sums: BTreeMap<String, (u64, Money)> = BTreeMap::new();
    for record in records {
        for key in all.keys(facet, record) {
            let (count, sum) = sums.entry(key).or_default();
            *count += 1;
            if let Some(value) = record.value() {
                sum.add(Money::of(value));
            }
        }
    }
    sums
}

pub fn tally(all: &Collection, kind: EntityType, hits: &[&Record], wants: &[Want]) -> Tally {
    let days: Vec<Date> = hits.iter().filter_map(|record| record.date(Role::Date)).collect();
    let counts = wants.iter().map(|want| {
        let names = shown(all, kind, want.facet);
        let mut rows: Vec<Row> = sums(all, want.facet, hits)
            .into_iter()
            .map(|(key, (count, total_value))| Row {
                value: names[&key].clone(),
                count,
                total_value,
            })
            .collect();
        rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        let rest = rows.split_off(rows.len().min(want.most));
        Counts {
            distinct: (rows.len() + rest.len()) as u64,
            other: rest.iter().map(|row| row.count).sum(),
            rows,
        }
    });
    let values = Schema::of(kind).has_role(Role::Value).then(|| {
        let mut values: Vec<f64> = hits.iter().filter_map(|record| record.value()).collect();
        values.sort_by(f64::total_cmp);
        // Whole cents, added as integers.
        let micros: i128 = values.iter().map(|value| (value * 1e6).round() as i128).sum();
        let mut total_value = Money::default();
        values.iter().for_each(|value| total_value.add(Money::of(*value)));
        assert!((total_value.dollars() - micros as f64 / 1e6).abs() <= 0.005 + micros.abs() as f64 * 1e-20);
        let place =
            |percent: usize| values[((percent as f64 / 100.0 * values.len() as f64).ceil() as usize).max(1) - 1];
        Values {
            records_with_value: values.len() as u64,
            total_value,
            spread: (!values.is_empty()).then(|| Spread {
                min: values[0],
                max: values[values.len() - 1],
                mean: total_value.dollars() / values.len() as f64,
                percentiles: PERCENTS.map(place),
            }),
        }
    });
    Tally {
        total: hits.len() as u64,
        earliest_date: days.iter().copied().min(),
        latest_date: days.iter().copied().max(),
        counts: counts.collect(),
        values,
    }
}

pub fn names(
    all: &Collection,
    kinds: &[EntityType],
    facet: Facet,
    part: &str,
    page: std::ops::Range<usize>,
) -> NamesPage {
    let of_kinds: Vec<&Record> = all
        .records
        .iter()
        .filter(|(kind, _)| kinds.contains(kind))
        .map(|(_, record)| record)
        .collect();
    let names = shown(all, kinds[0], facet);
    let found = |key: &String| match facet {
        // Any name that any record of the department tells.
        Facet::Department => {
            all.records.iter().any(|(_, record)| {
                all.keys(facet, record).contains(key)
                    && Facet::Department
                        .entry(record)
                        .iter()
                        .any(|name| !name.is_empty() && facet.key(name).contains(part))
            }) || key.contains(part)
        }
        _ => key.contains(part),
    };
    let mut rows: Vec<NameRow> = sums(all, facet, &of_kinds)
        .into_iter()
        .filter(|(key, _)| found(key))
        .map(|(key, (records, total_value))| NameRow {
            name: names[&key].clone(),
            records,
            total_value,
        })
        .collect();
    rows.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.name.cmp(&b.name)));
    NamesPage {
        total: rows.len() as u64,
        rows: rows.into_iter().skip(page.start).take(page.len()).collect(),
    }
}

pub fn named(all: &Collection, kind: EntityType, facet: Facet, name: &str) -> Option<Named> {
    let key = facet.key(name);
    let key = match facet {
        Facet::Department => {
            let known = shown(all, kind, facet);
            if known.contains_key(&key) {
                key
            } else {
                all.english_of.get(&key)?.clone()
            }
        }
        _ => key,
    };
    let name = shown(all, kind, facet).remove(&key)?;
    Some(Named {
        key,
        name,
        name_fr: None,
    })
}
