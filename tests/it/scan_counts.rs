//! The aggregations and names of the scan engine: one map for each facet, one sort, one sum.

use std::{collections::BTreeMap, ops::Range};

use procure::{
    engine::{
        aggregation::{
            Aggregation, FacetBucket, FacetBuckets, Money, PERCENTS, TermsAggregation, ValueAggregation,
            ValueDistribution, ValueStats,
        },
        names::{NameCount, NamesPage, ResolvedName},
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        record::Record,
        schema::{Role, Schema},
    },
};

/// All records, parsed, and which names of departments they merge.
pub struct Collection<'a> {
    pub records: Vec<(EntityType, Record<'a>)>,
    /// From the key of a French name to the key of the English name of the same department.
    english_of: BTreeMap<String, String>,
}

type Counts = BTreeMap<String, u64>;

/// The English name and the other one. The same name in both fields is of unknown language.
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
        let parse = |(entity_type, json): &'a (EntityType, String)| {
            let record = Record::parse(Schema::of(*entity_type), json.as_bytes()).unwrap();
            (*entity_type, record)
        };
        let records: Vec<_> = records.iter().map(parse).collect();
        let (mut of_english, mut of_french): (BTreeMap<String, Counts>, BTreeMap<String, Counts>) = Default::default();
        let (mut english, mut french): (Counts, Counts) = Default::default();
        let key = |name: String| Facet::Department.key(&name);
        for (_, record) in &records {
            let (name, other) = two_names(record);
            let (name, other) = (name.map(key), other.map(key));
            if let Some(name) = &name {
                *english.entry(name.clone()).or_default() += 1;
            }
            if let Some(other) = &other {
                *french.entry(other.clone()).or_default() += 1;
            }
            if let (Some(name), Some(other)) = (name, other) {
                let partners = of_english.entry(name.clone()).or_default();
                *partners.entry(other.clone()).or_default() += 1;
                *of_french.entry(other).or_default().entry(name).or_default() += 1;
            }
        }
        let mut english_of = BTreeMap::new();
        for (other, names) in &of_french {
            let name = most_frequent(names).unwrap();
            let count = names[&name];
            let is_mutual = most_frequent(&of_english[&name]).as_ref() == Some(other);
            let is_english = english.get(other).is_some_and(|as_english| *as_english >= count);
            if is_mutual && !is_english && count * 10 >= french[other] {
                english_of.insert(other.clone(), name);
            }
        }
        Collection { english_of, records }
    }

    /// The keys of a record's values.
    pub fn keys(&self, facet: Facet, record: &Record) -> Vec<String> {
        if facet != Facet::Department {
            return facet.entry(record).iter().map(|text| facet.key(text)).collect();
        }
        match two_names(record) {
            (Some(english), _) => vec![facet.key(&english)],
            (None, Some(other)) => vec![self.department_key(facet.key(&other))],
            (None, None) => Vec::new(),
        }
    }

    fn department_key(&self, key: String) -> String {
        self.english_of.get(&key).cloned().unwrap_or(key)
    }
}

/// Of equally frequent names the first in alphabetical order.
fn most_frequent(names: &Counts) -> Option<String> {
    let best = names.values().copied().max()?;
    let (name, _) = names.iter().find(|(_, count)| **count == best)?;
    Some(name.clone())
}

/// The spelling shown for each key, over all records of the entity type; of a department over all
/// entity types.
fn display_names(all: &Collection, entity_type: EntityType, facet: Facet) -> BTreeMap<String, String> {
    let mut spellings: BTreeMap<String, [Counts; 2]> = BTreeMap::new();
    for (of, record) in &all.records {
        if *of != entity_type && facet != Facet::Department {
            continue;
        }
        let entry = facet.entry(record);
        for (number, key) in all.keys(facet, record).into_iter().enumerate() {
            let names = spellings.entry(key).or_default();
            if facet == Facet::Department {
                let (english, other) = two_names(record);
                for (language, name) in [english, other].into_iter().enumerate() {
                    if let Some(name) = name {
                        *names[language].entry(name).or_default() += 1;
                    }
                }
            } else {
                *names[0].entry(entry[number].clone()).or_default() += 1;
            }
        }
    }
    let shown = spellings.into_iter().map(|(key, [english, french])| {
        let name = most_frequent(&english).or_else(|| most_frequent(&french));
        (key, name.unwrap())
    });
    shown.collect()
}

/// Count and sum of each key among some records.
fn sums(
    all: &Collection,
    facet: Facet,
    records: &[&Record],
    values: ValueAggregation,
) -> BTreeMap<String, (u64, Money)> {
    let mut sums: BTreeMap<String, (u64, Money)> = BTreeMap::new();
    for record in records {
        for key in all.keys(facet, record) {
            let (count, sum) = sums.entry(key).or_default();
            *count += 1;
            if let (Some(value), true) = (record.value(), values != ValueAggregation::None) {
                sum.add(Money::of(value));
            }
        }
    }
    sums
}

pub fn aggregate(
    all: &Collection,
    entity_type: EntityType,
    hits: &[&Record],
    terms: &[TermsAggregation],
    values: ValueAggregation,
) -> Aggregation {
    let dates: Vec<Date> = hits.iter().filter_map(|record| record.date(Role::Date)).collect();
    let mut facets = BTreeMap::new();
    for TermsAggregation { facet, size } in terms {
        let names = display_names(all, entity_type, *facet);
        let mut buckets: Vec<FacetBucket> = sums(all, *facet, hits, values)
            .into_iter()
            .map(|(key, (count, total_value))| FacetBucket {
                value: names[&key].clone(),
                count,
                total_value,
            })
            .collect();
        buckets.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        let rest = buckets.split_off(buckets.len().min(*size));
        let counted = FacetBuckets {
            distinct: (buckets.len() + rest.len()) as u64,
            other: rest.iter().map(|bucket| bucket.count).sum(),
            buckets,
        };
        facets.insert(*facet, counted);
    }
    let has_values = values != ValueAggregation::None && Schema::of(entity_type).has_role(Role::Value);
    Aggregation {
        total: hits.len() as u64,
        earliest_date: dates.iter().copied().min(),
        latest_date: dates.iter().copied().max(),
        facets,
        values: has_values.then(|| value_stats(hits, values)),
    }
}

fn value_stats(hits: &[&Record], aggregation: ValueAggregation) -> ValueStats {
    // Adding zero turns -0.0 into 0.0.
    let values = hits.iter().filter_map(|record| record.value());
    let mut values: Vec<f64> = values.map(|value| value + 0.0).collect();
    values.sort_by(f64::total_cmp);
    let mut total_value = Money::default();
    values.iter().for_each(|value| total_value.add(Money::of(*value)));
    // The same sum in integers.
    let micros: i128 = values.iter().map(|value| (value * 1e6).round() as i128).sum();
    assert!((total_value.dollars() - micros as f64 / 1e6).abs() <= 0.005 + micros.abs() as f64 * 1e-20);
    let percentile = |percent: usize| {
        let rank = (percent as f64 / 100.0 * values.len() as f64).ceil() as usize;
        values[rank.max(1) - 1]
    };
    let has_distribution = !values.is_empty() && aggregation == ValueAggregation::Percentiles;
    ValueStats {
        records_with_value: values.len() as u64,
        total_value,
        distribution: has_distribution.then(|| ValueDistribution {
            min: values[0],
            max: values[values.len() - 1],
            mean: total_value.dollars() / values.len() as f64,
            percentiles: PERCENTS.map(percentile),
        }),
    }
}

pub fn list_names(
    all: &Collection,
    entity_types: &[EntityType],
    facet: Facet,
    part: &str,
    page: Range<usize>,
) -> NamesPage {
    let records = all.records.iter().filter(|(of, _)| entity_types.contains(of));
    let records: Vec<&Record> = records.map(|(_, record)| record).collect();
    let names = display_names(all, entity_types[0], facet);
    let has_part = |name: &String| !name.is_empty() && facet.key(name).contains(part);
    let is_found = |key: &String| {
        // A department is found by any name that any of its records has.
        let mut of_key = all
            .records
            .iter()
            .filter(|(_, record)| all.keys(facet, record).contains(key));
        key.contains(part)
            || (facet == Facet::Department && of_key.any(|(_, record)| facet.entry(record).iter().any(has_part)))
    };
    let mut rows: Vec<NameCount> = sums(all, facet, &records, ValueAggregation::Sum)
        .into_iter()
        .filter(|(key, _)| is_found(key))
        .map(|(key, (records, total_value))| NameCount {
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

pub fn resolve_name(all: &Collection, entity_type: EntityType, facet: Facet, name: &str) -> Option<ResolvedName> {
    let mut key = facet.key(name);
    if facet == Facet::Department {
        key = all.department_key(key);
    }
    let name = display_names(all, entity_type, facet).remove(&key)?;
    Some(ResolvedName {
        key,
        name,
        name_fr: None,
    })
}
