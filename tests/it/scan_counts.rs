//! The aggregations and names of the scan engine: one map for each facet, one sort, one sum.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    mem,
    ops::Deref,
};

use procure::{
    engine::{
        aggregation::{
            Aggregation, Combination, FacetBucket, FacetBuckets, Money, PERCENTS, TermsAggregation, ValueAggregation,
            ValueDistribution, ValueStats,
        },
        market_counts::MarketCounts,
        names::{BodyKind, NameCount, NamesPage, ResolvedName},
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
    pub records: Vec<Parsed<'a>>,
    /// From the key of a French name to the key of the English name of the same department.
    english_of: BTreeMap<String, String>,
    /// The keys of the names of each department, by its key.
    names_of: BTreeMap<String, BTreeSet<String>>,
}

type Counts = BTreeMap<String, u64>;

/// A record and its names, which are read once because every count looks at those of all records.
pub struct Parsed<'a> {
    pub entity_type: EntityType,
    record: Record<'a>,
    names: Names,
}

impl<'a> Deref for Parsed<'a> {
    type Target = Record<'a>;

    fn deref(&self) -> &Record<'a> {
        &self.record
    }
}

/// The names of a record's department, in any language, and of its buyer.
struct Names {
    english: Option<Name>,
    /// French, or of unknown language: the same name in both fields.
    other: Option<Name>,
    /// Where it has another name than the department.
    buyer: Option<Name>,
    is_federal: bool,
}

struct Name {
    text: String,
    key: String,
    /// The key of the department that has the name. Empty until all records are read.
    department: String,
}

impl Names {
    fn of(record: &Record) -> Names {
        let name = |field: &str| {
            let text = record.text(field).unwrap_or("").trim().to_owned();
            (!text.is_empty()).then(|| Name {
                key: name_key(&text),
                text,
                department: String::new(),
            })
        };
        let (mut english, other) = (name("department_en"), name("department_fr"));
        let buyer = name("buyer_name").filter(|buyer| {
            let departments = [&english, &other];
            let mut names = departments.into_iter().flatten();
            names.all(|name| name.key != buyer.key)
        });
        if let (Some(a), Some(b)) = (&english, &other)
            && a.key == b.key
        {
            english = None;
        }
        let is_federal = record.text("government_level") == Some("federal");
        Names {
            english,
            other,
            buyer,
            is_federal,
        }
    }

    /// Each name, with its language: 0 is English.
    fn all(&self) -> Vec<(&Name, usize)> {
        let names = [(&self.english, 0), (&self.other, 1), (&self.buyer, 1)];
        let known = names
            .into_iter()
            .filter_map(|(name, language)| Some((name.as_ref()?, language)));
        known.collect()
    }
}

fn name_key(name: &str) -> String {
    Facet::NamedDepartment.key(name)
}

fn is_department(facet: Facet) -> bool {
    matches!(facet, Facet::NamedDepartment | Facet::Department)
}

impl<'a> Collection<'a> {
    pub fn new(records: &'a [(EntityType, String)]) -> Collection<'a> {
        let parse = |(entity_type, json): &'a (EntityType, String)| {
            let record = Record::parse(Schema::of(*entity_type), json.as_bytes()).unwrap();
            Parsed {
                entity_type: *entity_type,
                names: Names::of(&record),
                record,
            }
        };
        let records: Vec<_> = records.iter().map(parse).collect();
        let (mut of_english, mut of_french): (BTreeMap<String, Counts>, BTreeMap<String, Counts>) = Default::default();
        let mut occurring: [Counts; 2] = Default::default();
        for Parsed { names, .. } in &records {
            for (name, language) in names.all() {
                *occurring[language].entry(name.key.clone()).or_default() += 1;
            }
            if let (Some(name), Some(other)) = (&names.english, &names.other) {
                let (name, other) = (name.key.clone(), other.key.clone());
                let partners = of_english.entry(name.clone()).or_default();
                *partners.entry(other.clone()).or_default() += 1;
                *of_french.entry(other).or_default().entry(name).or_default() += 1;
            }
        }
        let [english, french] = occurring;
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
        let mut all = Collection {
            names_of: BTreeMap::new(),
            english_of,
            records,
        };
        for name in french.keys().chain(english.keys()) {
            let department = all.department_of_key(name);
            all.names_of.entry(department).or_default().insert(name.clone());
        }
        let mut records = mem::take(&mut all.records);
        for Parsed { names, .. } in &mut records {
            let names = [&mut names.english, &mut names.other, &mut names.buyer];
            for name in names.into_iter().flatten() {
                name.department = all.department_of_key(&name.key);
            }
        }
        Collection { records, ..all }
    }

    /// Whether a record names a department of which a name contains a part.
    pub fn names_with(&self, record: &Record, part: &str) -> bool {
        let keys = record.keys(Role::Department);
        let mut names = keys.iter().flat_map(|key| &self.names_of[&self.department_of_key(key)]);
        names.any(|name| name.contains(part))
    }

    /// The keys of all names of the department that has a name.
    pub fn names_of_department(&self, name: &str) -> Vec<String> {
        let names = self.names_of.get(&self.department_of(name));
        names.map_or_else(|| vec![name.to_owned()], |names| names.iter().cloned().collect())
    }

    /// The keys of a record's values.
    pub fn keys(&self, facet: Facet, record: &Parsed) -> Vec<String> {
        if !is_department(facet) {
            return facet.entry(record).iter().map(|text| facet.key(text)).collect();
        }
        let mut keys: Vec<String> = Vec::new();
        for (name, _) in record.names.all() {
            if !keys.contains(&name.department) {
                keys.push(name.department.clone());
            }
        }
        if facet == Facet::NamedDepartment {
            // One value: the English name counts before the French one, both before the buyer's.
            keys.truncate(1);
        }
        keys
    }

    /// The key of a value that has a name with this key.
    pub fn key_of_value(&self, facet: Facet, key: &str) -> String {
        if is_department(facet) {
            self.department_of(key)
        } else {
            key.to_owned()
        }
    }

    /// The key of the department that has a name.
    fn department_of(&self, name: &str) -> String {
        self.department_of_key(&name_key(name))
    }

    /// The key of the department that has a name with this key.
    fn department_of_key(&self, key: &str) -> String {
        let mut key = key.to_owned();
        while let Some(english) = self.english_of.get(&key) {
            key = english.clone();
        }
        key
    }

    /// What the records say of a department.
    fn kind(&self, key: &str) -> Option<BodyKind> {
        let (mut buys, mut is_part) = (false, false);
        for Parsed { names, .. } in &self.records {
            for (name, _) in names.all() {
                if name.department != key {
                    continue;
                }
                if names.buyer.as_ref().is_some_and(|buyer| buyer.department != key) && !names.is_federal {
                    is_part = true;
                } else {
                    buys = true;
                }
            }
        }
        match (buys, is_part) {
            (true, true) => Some(BodyKind::Both),
            (true, false) => Some(BodyKind::Buyer),
            (false, true) => Some(BodyKind::Division),
            (false, false) => None,
        }
    }
}

/// The value in Canadian dollars.
fn dollars(record: &Record) -> Option<f64> {
    let currency = record.text("currency").map_or("", str::trim);
    record.value().filter(|_| currency.is_empty() || currency == "CAD")
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
    for record in &all.records {
        if is_department(facet) {
            for (name, language) in record.names.all() {
                let names = spellings.entry(name.department.clone()).or_default();
                *names[language].entry(name.text.clone()).or_default() += 1;
            }
        } else if record.entity_type == entity_type {
            for text in facet.entry(record) {
                let names = spellings.entry(facet.key(&text)).or_default();
                *names[0].entry(text).or_default() += 1;
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
    records: &[&Parsed],
    values: ValueAggregation,
) -> BTreeMap<String, (u64, Money)> {
    let mut sums: BTreeMap<String, (u64, Money)> = BTreeMap::new();
    for record in records {
        let value = match facet {
            Facet::Currency => record.value(),
            _ => dollars(record),
        };
        for key in all.keys(facet, record) {
            let (count, sum) = sums.entry(key).or_default();
            *count += 1;
            if let (Some(value), true) = (value, values != ValueAggregation::None) {
                sum.add(Money::of(value));
            }
        }
    }
    sums
}

pub fn aggregate(
    all: &Collection,
    entity_type: EntityType,
    hits: &[&Parsed],
    terms: &[TermsAggregation],
    values: ValueAggregation,
) -> Aggregation {
    let dates: Vec<Date> = hits.iter().filter_map(|record| record.date(Role::Date)).collect();
    let mut facets = BTreeMap::new();
    for terms in terms.iter().filter(|terms| terms.facet != Facet::Body) {
        let TermsAggregation { facet, size, is_summed } = terms;
        let names = display_names(all, entity_type, *facet);
        let summed = if *is_summed { values } else { ValueAggregation::None };
        let mut buckets: Vec<FacetBucket> = sums(all, *facet, hits, summed)
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
        combinations: if terms.iter().any(|terms| terms.facet == Facet::Body) {
            combinations(all, entity_type, hits, values)
        } else {
            Vec::new()
        },
        values: has_values.then(|| value_stats(hits, values)),
    }
}

/// The departments that each record names, counted together.
fn combinations(
    all: &Collection,
    entity_type: EntityType,
    hits: &[&Parsed],
    values: ValueAggregation,
) -> Vec<Combination> {
    let names = display_names(all, entity_type, Facet::Department);
    let mut sums: BTreeMap<Vec<String>, (u64, Money)> = BTreeMap::new();
    for record in hits {
        let keys = all.keys(Facet::Department, record);
        let mut named: Vec<String> = keys.iter().map(|key| names[key].clone()).collect();
        named.sort();
        named.dedup();
        if named.is_empty() {
            continue;
        }
        let (count, sum) = sums.entry(named).or_default();
        *count += 1;
        if let (Some(value), true) = (dollars(record), values != ValueAggregation::None) {
            sum.add(Money::of(value));
        }
    }
    let combination = |(values, (count, total_value))| Combination {
        values,
        count,
        total_value,
    };
    sums.into_iter().map(combination).collect()
}

fn value_stats(hits: &[&Parsed], aggregation: ValueAggregation) -> ValueStats {
    // Adding zero turns -0.0 into 0.0.
    let values = hits.iter().filter_map(|record| dollars(record));
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

/// All names of the list.
pub fn list_names(all: &Collection, entity_types: &[EntityType], facet: Facet, part: &str) -> NamesPage {
    let facet = if is_department(facet) { Facet::Department } else { facet };
    let records = all.records.iter();
    let records: Vec<&Parsed> = records
        .filter(|record| entity_types.contains(&record.entity_type))
        .collect();
    let names = display_names(all, entity_types[0], facet);
    let is_found = |key: &String| {
        // A department is found by any name that any of its records has.
        let has_part = |name: &Name| name.department == *key && name.key.contains(part);
        let mut names = all.records.iter().flat_map(|record| record.names.all());
        key.contains(part) || facet == Facet::Department && names.any(|(name, _)| has_part(name))
    };
    let mut rows: Vec<NameCount> = sums(all, facet, &records, ValueAggregation::Sum)
        .into_iter()
        .filter(|(key, _)| is_found(key))
        .map(|(key, (records, total_value))| NameCount {
            name: names[&key].clone(),
            records,
            total_value,
            kind: if facet == Facet::Department {
                all.kind(&key)
            } else {
                None
            },
        })
        .collect();
    rows.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.name.cmp(&b.name)));
    NamesPage {
        total: rows.len() as u64,
        rows,
    }
}

pub fn resolve_name(all: &Collection, entity_type: EntityType, facet: Facet, name: &str) -> Option<ResolvedName> {
    let (key, kind) = if is_department(facet) {
        let key = all.department_of(name);
        let kind = all.kind(&key);
        (key, kind)
    } else {
        (facet.key(name), None)
    };
    let name = display_names(all, entity_type, facet).remove(&key)?;
    Some(ResolvedName {
        key,
        name,
        name_fr: None,
        kind,
    })
}

/// The market figures, each by its definition.
pub fn market(all: &Collection, hits: &[&Parsed]) -> MarketCounts {
    let mut counts = MarketCounts::default();
    // In millionths of a dollar.
    let mut sum_of_vendor: BTreeMap<String, i128> = BTreeMap::new();
    let mut years_of_vendor: BTreeMap<String, BTreeSet<i32>> = BTreeMap::new();
    for record in hits {
        if let Some(bids) = Facet::Bids.entry(record).first() {
            *counts.bids.entry(bids.parse().unwrap()).or_default() += 1;
        }
        if let (Some(original), Some(current)) = (record.original_value(), dollars(record)) {
            counts.growth.records += 1;
            counts.growth.original.add(Money::of(original));
            counts.growth.current.add(Money::of(current));
        }
        for vendor in all.keys(Facet::Vendor, record) {
            if let Some(value) = dollars(record) {
                counts.with_vendor += 1;
                *sum_of_vendor.entry(vendor.clone()).or_default() += (value * 1e6).round() as i128;
            }
            if let Some(day) = record.date(Role::Date) {
                let year = day.to_string()[..4].parse().unwrap();
                years_of_vendor.entry(vendor).or_default().insert(year);
            }
        }
    }
    for years in years_of_vendor.values() {
        *counts.new_vendors.entry(*years.first().unwrap()).or_default() += 1;
        for year in years {
            *counts.vendors_by_year.entry(*year).or_default() += 1;
        }
    }
    // Half a cent is the least amount that is not zero.
    let mut sums: Vec<i128> = sum_of_vendor.into_values().filter(|sum| *sum >= 5_000).collect();
    sums.sort_unstable_by_key(|sum| Reverse(*sum));
    let money = |sum: i128| Money::of(sum as f64 / 1e6);
    let whole: i128 = sums.iter().sum();
    counts.vendor_value = money(whole);
    counts.top_five_value = money(sums.iter().take(5).sum());
    if whole > 0 {
        let percent = |sum: &i128| *sum as f64 / whole as f64 * 100.0;
        counts.concentration = Some(sums.iter().map(percent).map(|percent| percent * percent).sum());
    }
    counts
}
