//! The obvious engine's counting: a map a facet, a sort, a sum.

use std::collections::BTreeMap;

use procure::{
    engine::aggregation::{
        Counts, Measure, Money, NameRow, Named, NamesPage, PERCENTS, Row, Spread, Tally, Values, Want,
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        record::Record,
        schema::{Role, Schema},
    },
};

/// All records, parsed, and what they tell together of departments' names.
pub struct Collection<'a> {
    pub records: Vec<(EntityType, Record<'a>)>,
    /// Key of a French name: key of the English one it is the same as.
    english_of: BTreeMap<String, String>,
}

type Partners = BTreeMap<String, BTreeMap<String, u64>>;

/// The English name and the other; a name in both fields is in no language.
fn two_names(record: &Record) -> (Option<String>, Option<String>) {
    let entry = Facet::Department.entry(record);
    let name = |at: usize| entry.get(at).filter(|name| !name.is_empty()).cloned();
    match (name(0), name(1)) {
        (Some(a), Some(b)) if Facet::Department.key(&a) == Facet::Department.key(&b) => (None, Some(b)),
        names => names,
    }
}

impl<'a> Collection<'a> {
    pub fn new(records: &'a [(EntityType, String)]) -> Collection<'a> {
        let parse = |(kind, json): &'a (EntityType, String)| {
            (*kind, Record::parse(Schema::of(*kind), json.as_bytes()).unwrap())
        };
        let records: Vec<_> = records.iter().map(parse).collect();
        let (mut of_english, mut of_french): (Partners, Partners) = Default::default();
        let (mut english, mut french): (BTreeMap<String, u64>, BTreeMap<String, u64>) = Default::default();
        for (_, record) in &records {
            let (name, other) = two_names(record);
            let (name, other) = (
                name.map(|name| Facet::Department.key(&name)),
                other.map(|name| Facet::Department.key(&name)),
            );
            name.iter()
                .for_each(|name| *english.entry(name.clone()).or_default() += 1);
            other
                .iter()
                .for_each(|other| *french.entry(other.clone()).or_default() += 1);
            if let (Some(name), Some(other)) = (name, other) {
                *of_english
                    .entry(name.clone())
                    .or_default()
                    .entry(other.clone())
                    .or_default() += 1;
                *of_french.entry(other).or_default().entry(name).or_default() += 1;
            }
        }
        let mut english_of = BTreeMap::new();
        for (other, names) in &of_french {
            let name = most(names).unwrap();
            let count = names[&name];
            let is_mutual = most(&of_english[&name]).as_ref() == Some(other);
            let is_english = english.get(other).copied().unwrap_or(0) >= count;
            if is_mutual && !is_english && count * 10 >= french[other] {
                english_of.insert(other.clone(), name);
            }
        }
        Collection { english_of, records }
    }

    /// The keys of the values a record has.
    pub fn keys(&self, facet: Facet, record: &Record) -> Vec<String> {
        if facet != Facet::Department {
            return facet.entry(record).iter().map(|text| facet.key(text)).collect();
        }
        match two_names(record) {
            (Some(english), _) => vec![facet.key(&english)],
            (None, Some(other)) => vec![self.meant(facet.key(&other))],
            (None, None) => Vec::new(),
        }
    }

    fn meant(&self, key: String) -> String {
        self.english_of.get(&key).cloned().unwrap_or(key)
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
                    let (english, other) = two_names(record);
                    for (language, name) in [english, other].into_iter().enumerate() {
                        if let Some(name) = name {
                            *names[language].entry(name).or_default() += 1;
                        }
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
fn sums(all: &Collection, facet: Facet, records: &[&Record], measure: Measure) -> BTreeMap<String, (u64, Money)> {
    let mut sums: BTreeMap<String, (u64, Money)> = BTreeMap::new();
    for record in records {
        for key in all.keys(facet, record) {
            let (count, sum) = sums.entry(key).or_default();
            *count += 1;
            if let Some(value) = record.value().filter(|_| measure > Measure::Count) {
                sum.add(Money::of(value));
            }
        }
    }
    sums
}

pub fn tally(all: &Collection, kind: EntityType, hits: &[&Record], wants: &[Want], measure: Measure) -> Tally {
    let days: Vec<Date> = hits.iter().filter_map(|record| record.date(Role::Date)).collect();
    let counts = wants.iter().map(|want| {
        let names = shown(all, kind, want.facet);
        let mut rows: Vec<Row> = sums(all, want.facet, hits, measure)
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
    let is_measured = measure > Measure::Count && Schema::of(kind).has_role(Role::Value);
    let values = is_measured.then(|| {
        // Zero added, since a zero below nothing is only a zero.
        let mut values: Vec<f64> = hits
            .iter()
            .filter_map(|record| record.value())
            .map(|value| value + 0.0)
            .collect();
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
            spread: (!values.is_empty() && measure == Measure::Spread).then(|| Spread {
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
    let mut rows: Vec<NameRow> = sums(all, facet, &of_kinds, Measure::Sum)
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
    let key = if facet == Facet::Department {
        all.meant(key)
    } else {
        key
    };
    let name = shown(all, kind, facet).remove(&key)?;
    Some(Named {
        key,
        name,
        name_fr: None,
    })
}
