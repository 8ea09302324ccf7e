//! All suppliers of a generation: how they are made of clusters, and how they are found.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
};

use anyhow::{Context, Result};
use bytes::Bytes;
use serde::Deserialize;

use super::{
    clusters::Clusters,
    names::{Name, Names, key},
    reason::Evidence,
    supplier::{KindFigures, NameReason, Suggestion, Supplier, SupplierName, SupplierNumber, id_of_name, id_of_number},
};
use crate::{
    engine::{aggregation::Money, name_words::NameWords, packed::Texts},
    model::{
        EntityType,
        fold::fold,
        supplier_mention::{MentionLine, OfficialNumber, SupplierMention},
    },
};

/// The suppliers of a generation, those with most records first.
#[derive(Default)]
pub(crate) struct SupplierList {
    text: Bytes,
    /// Where the line of each supplier is in `text`.
    lines: Vec<Range<usize>>,
    /// The keys of all names, sorted.
    keys: Texts,
    /// For each key the number of its supplier.
    supplier_of_key: Vec<u32>,
    /// For each supplier its records of all entity types.
    records: Vec<u64>,
    words: Option<NameWords>,
    /// Every identifier that a supplier has or would have, sorted, with its number.
    ids: Vec<(String, u32)>,
}

/// The maximum number of suggestions, postal codes and cities that a supplier or a name keeps.
const MAX_SUGGESTIONS: usize = 20;
const MAX_PLACES: usize = 5;

/// The suppliers as the lines of a file.
pub(crate) fn lines(names: &Names, clusters: &Clusters) -> Result<String> {
    let mut text = String::new();
    for supplier in suppliers(names, clusters) {
        text.push_str(&serde_json::to_string(&supplier)?);
        text.push('\n');
    }
    Ok(text)
}

/// The suppliers, those with most records first.
fn suppliers(names: &Names, clusters: &Clusters) -> Vec<Supplier> {
    let mut cluster_of: Vec<u32> = vec![0; names.all.len()];
    for (cluster, members) in (0..).zip(&clusters.members) {
        members.iter().for_each(|name| cluster_of[*name as usize] = cluster);
    }
    let owners = owners_of_numbers(names, &cluster_of);
    let mut joins: HashMap<u32, Vec<(u32, &Evidence)>> = HashMap::new();
    for (a, b, evidence) in &clusters.joins {
        joins.entry(*a).or_default().push((*b, evidence));
        joins.entry(*b).or_default().push((*a, evidence));
    }
    let made = (0..).zip(&clusters.members);
    let mut made: Vec<Supplier> = made
        .map(|(cluster, members)| supplier(names, members, &joins, |number| owners.get(number) == Some(&cluster)))
        .collect();
    add_suggestions(names, clusters, &cluster_of, &mut made);
    made.sort_by(|a, b| {
        let mentions = |of: &Supplier| of.names.iter().map(|name| name.mentions).sum::<u64>();
        (b.records, mentions(b))
            .cmp(&(a.records, mentions(a)))
            .then_with(|| a.id.cmp(&b.id))
    });
    made
}

/// The supplier that an official number stands for: that of the name that is most often stated with it.
fn owners_of_numbers<'n>(names: &'n Names, cluster_of: &[u32]) -> BTreeMap<&'n OfficialNumber, u32> {
    let mut owners: BTreeMap<&OfficialNumber, (u64, u32)> = BTreeMap::new();
    for (name, cluster) in names.all.iter().zip(cluster_of) {
        if let Some(number) = name.number() {
            let owner = owners.entry(number).or_insert((0, *cluster));
            if name.number_mentions() > owner.0 {
                *owner = (name.number_mentions(), *cluster);
            }
        }
    }
    owners
        .into_iter()
        .map(|(number, (_, cluster))| (number, cluster))
        .collect()
}

fn supplier(
    names: &Names,
    members: &[u32],
    joins: &HashMap<u32, Vec<(u32, &Evidence)>>,
    owns: impl Fn(&OfficialNumber) -> bool,
) -> Supplier {
    let by_rank = |number: &u32| {
        let name = names.get(*number);
        (Reverse(name.record_count()), Reverse(name.mentions), *number)
    };
    let mut members = members.to_vec();
    members.sort_by_key(by_rank);
    let all: Vec<&Name> = members.iter().map(|number| names.get(*number)).collect();
    let reasons = reasons(names, members[0], joins);
    let (by_entity_type, total_value) = figures(&all);
    let years = all.iter().flat_map(|name| &name.records);
    Supplier {
        id: id_of(&all, owns),
        name: all[0].spelling.clone(),
        names: members
            .iter()
            .map(|number| supplier_name(names.get(*number), reasons.get(number)))
            .collect(),
        records: all.iter().map(|name| name.record_count()).sum(),
        total_value: total_value.dollars(),
        first_year: years.clone().filter_map(|of| of.first_year).min(),
        last_year: years.filter_map(|of| of.last_year).max(),
        by_entity_type,
        numbers: numbers(&all),
        suggestions: Vec::new(),
    }
}

/// The hash of the oldest number that stands for the supplier, otherwise of its oldest name.
fn id_of(all: &[&Name], owns: impl Fn(&OfficialNumber) -> bool) -> String {
    let mut first: BTreeMap<&OfficialNumber, Option<i32>> = BTreeMap::new();
    for facts in all
        .iter()
        .flat_map(|name| name.numbers.iter().filter(|facts| name.number() == Some(&facts.number)))
    {
        let day = first.entry(&facts.number).or_default();
        *day = match (*day, facts.first.map(|day| day.days())) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    let order = |day: Option<i32>| (day.is_none(), day);
    let oldest = first
        .iter()
        .filter(|(number, _)| owns(number))
        .min_by_key(|(number, day)| (order(**day), **number));
    match oldest {
        Some((number, _)) => id_of_number(&number.to_string()),
        None => {
            let oldest = all
                .iter()
                .min_by_key(|name| (order(name.first.map(|day| day.days())), &name.key));
            id_of_name(oldest.map_or("", |name| name.key.as_str()))
        }
    }
}

/// Why each name is joined to one nearer to the chosen name.
fn reasons(names: &Names, chosen: u32, joins: &HashMap<u32, Vec<(u32, &Evidence)>>) -> HashMap<u32, NameReason> {
    let mut found = HashMap::new();
    let mut seen = HashSet::from([chosen]);
    let mut next = vec![chosen];
    while let Some(name) = next.pop() {
        for (other, evidence) in joins.get(&name).into_iter().flatten() {
            if seen.insert(*other) {
                let reason = NameReason {
                    with: names.get(name).spelling.clone(),
                    evidence: (*evidence).clone(),
                };
                found.insert(*other, reason);
                next.push(*other);
            }
        }
    }
    found
}

fn supplier_name(name: &Name, reason: Option<&NameReason>) -> SupplierName {
    let mut total_value = Money::default();
    name.records
        .iter()
        .for_each(|of_kind| total_value.add(of_kind.total_value));
    SupplierName {
        name: name.spelling.clone(),
        reason: reason.cloned(),
        records: name.record_count(),
        total_value: total_value.dollars(),
        first_year: name.records.iter().filter_map(|of_kind| of_kind.first_year).min(),
        last_year: name.records.iter().filter_map(|of_kind| of_kind.last_year).max(),
        mentions: name.mentions,
        numbers: name.numbers.iter().map(|facts| facts.number.to_string()).collect(),
        postal_codes: most_frequent(&name.postal_codes),
        cities: most_frequent(&name.cities),
    }
}

fn most_frequent(places: &BTreeMap<String, u64>) -> Vec<String> {
    let mut places: Vec<(&String, &u64)> = places.iter().collect();
    places.sort_by_key(|(place, count)| (Reverse(**count), *place));
    places
        .into_iter()
        .take(MAX_PLACES)
        .map(|(place, _)| place.clone())
        .collect()
}

fn figures(all: &[&Name]) -> (Vec<KindFigures>, Money) {
    let mut by_kind: BTreeMap<EntityType, (u64, Money)> = BTreeMap::new();
    let mut total = Money::default();
    for of_kind in all.iter().flat_map(|name| &name.records) {
        let (records, value) = by_kind.entry(of_kind.entity_type).or_default();
        *records += of_kind.records;
        value.add(of_kind.total_value);
        total.add(of_kind.total_value);
    }
    let row = |(entity_type, (records, value)): (EntityType, (u64, Money))| KindFigures {
        entity_type,
        records,
        total_value: value.dollars(),
    };
    (by_kind.into_iter().map(row).collect(), total)
}

fn numbers(all: &[&Name]) -> Vec<SupplierNumber> {
    let mut found: BTreeMap<&OfficialNumber, (u64, u64)> = BTreeMap::new();
    for facts in all.iter().flat_map(|name| &name.numbers) {
        let (mentions, names) = found.entry(&facts.number).or_default();
        *mentions += facts.mentions;
        *names += 1;
    }
    let mut found: Vec<(&OfficialNumber, (u64, u64))> = found.into_iter().collect();
    found.sort_by_key(|(number, (mentions, _))| (Reverse(*mentions), *number));
    let row = |(number, (mentions, names)): (&OfficialNumber, (u64, u64))| SupplierNumber {
        number: number.to_string(),
        mentions,
        names,
    };
    found.into_iter().map(row).collect()
}

/// Adds to each supplier the others that may be the same, each once.
fn add_suggestions(names: &Names, clusters: &Clusters, cluster_of: &[u32], made: &mut [Supplier]) {
    let mut pairs: BTreeMap<(u32, u32), Suggestion> = BTreeMap::new();
    for ((a, b), (why, evidence)) in &clusters.waiting {
        for (own, other) in [(*a, *b), (*b, *a)] {
            let (from, to) = (cluster_of[own as usize], cluster_of[other as usize]);
            let suggestion = Suggestion {
                id: made[to as usize].id.clone(),
                name: made[to as usize].name.clone(),
                own_name: names.get(own).spelling.clone(),
                other_name: names.get(other).spelling.clone(),
                why: *why,
                evidence: evidence.clone(),
            };
            let known = pairs.entry((from, to)).or_insert_with(|| suggestion.clone());
            if suggestion.why < known.why {
                *known = suggestion;
            }
        }
    }
    let mut of_supplier: BTreeMap<u32, Vec<(Reverse<u64>, Suggestion)>> = BTreeMap::new();
    for ((from, to), suggestion) in pairs {
        let rank = Reverse(made[to as usize].records);
        of_supplier.entry(from).or_default().push((rank, suggestion));
    }
    for (supplier, mut suggestions) in of_supplier {
        suggestions.sort_by(|a, b| (a.1.why, a.0, &a.1.id).cmp(&(b.1.why, b.0, &b.1.id)));
        suggestions.truncate(MAX_SUGGESTIONS);
        made[supplier as usize].suggestions = suggestions.into_iter().map(|(_, suggestion)| suggestion).collect();
    }
}

/// The members of a line that suppliers are found by.
#[derive(Deserialize)]
struct Found {
    id: String,
    records: u64,
    names: Vec<FoundName>,
    numbers: Vec<FoundNumber>,
}

#[derive(Deserialize)]
struct FoundName {
    name: String,
}

#[derive(Deserialize)]
struct FoundNumber {
    number: String,
    mentions: u64,
}

impl SupplierList {
    /// Reads the lines of a file.
    pub(crate) fn parse(text: Bytes) -> Result<SupplierList> {
        let mut list = SupplierList::default();
        let mut keys: Vec<(String, u32)> = Vec::new();
        let mut own_ids: Vec<(String, u32)> = Vec::new();
        // Those of a number go to the supplier that is most often stated with it.
        let mut ids: Vec<(String, Reverse<u64>, u32)> = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let number = list.lines.len() as u32;
            let found: Found = serde_json::from_slice(line).with_context(|| format!("line {}", number + 1))?;
            for name in found.names {
                let key = key(&name.name);
                ids.push((id_of_name(&key), Reverse(0), number));
                keys.push((key, number));
            }
            ids.extend(
                found
                    .numbers
                    .iter()
                    .map(|of| (id_of_number(&of.number), Reverse(of.mentions), number)),
            );
            own_ids.push((found.id, number));
            list.records.push(found.records);
            list.lines.push(start..start + line.len());
            start += line.len();
        }
        // The supplier that has an identifier comes before others that would have had it.
        ids.extend(own_ids.into_iter().map(|(id, number)| (id, Reverse(u64::MAX), number)));
        ids.sort();
        ids.dedup_by(|later, first| later.0 == first.0);
        list.ids = ids.into_iter().map(|(id, _, number)| (id, number)).collect();
        keys.sort();
        list.words = Some(NameWords::new(keys.iter().map(|(key, _)| key.as_bytes())));
        list.keys = keys.iter().map(|(key, _)| key.as_str()).collect();
        list.supplier_of_key = keys.into_iter().map(|(_, supplier)| supplier).collect();
        list.text = text;
        Ok(list)
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The supplier with a number of the list.
    pub(crate) fn get(&self, number: u32) -> Option<Supplier> {
        let line = self.lines.get(number as usize)?;
        serde_json::from_slice(&self.text[line.clone()]).ok()
    }

    /// The number of the supplier that has an identifier, or whose names and numbers include what it was made of.
    pub(crate) fn find_id(&self, id: &str) -> Option<u32> {
        let place = self.ids.binary_search_by(|(known, _)| known.as_str().cmp(id)).ok()?;
        Some(self.ids[place].1)
    }

    /// The number of the supplier with a name, in any of its spellings.
    pub(crate) fn find_name(&self, name: &str) -> Option<u32> {
        let key = key(name);
        let (mut low, mut high) = (0, self.supplier_of_key.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.keys.get(middle as u32).cmp(key.as_str()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(self.supplier_of_key[middle]),
            }
        }
        None
    }

    /// For each supplier the keys of its names.
    pub(crate) fn keys(&self) -> Vec<Vec<&str>> {
        let mut keys: Vec<Vec<&str>> = vec![Vec::new(); self.lines.len()];
        for (name, supplier) in (0..).zip(&self.supplier_of_key) {
            keys[*supplier as usize].push(self.keys.get(name));
        }
        keys
    }

    /// The records of a supplier with a number of the list, of all entity types.
    pub(crate) fn records(&self, number: u32) -> u64 {
        self.records.get(number as usize).copied().unwrap_or_default()
    }

    /// All names, without what is known of them.
    pub(crate) fn names(&self) -> Names {
        let suppliers = (0..self.lines.len() as u32).filter_map(|number| self.get(number));
        let names = suppliers.flat_map(|supplier| supplier.names);
        let lines = names.map(|name| MentionLine {
            mention: SupplierMention::of(&name.name, ""),
            count: 1,
            first: None,
        });
        Names::new(&lines.collect::<Vec<_>>(), Vec::new())
    }

    /// The numbers of the suppliers with a name that contains a text, those with most records first; all for an empty
    /// text.
    pub(crate) fn containing(&self, part: &str) -> Vec<u32> {
        let part = fold(part);
        let words = self.words.as_ref();
        let names =
            words.and_then(|words| words.containing(part.as_bytes(), |number| self.keys.get(number).as_bytes()));
        let Some(names) = names else {
            return (0..self.lines.len() as u32).collect();
        };
        let mut found: Vec<u32> = names
            .into_iter()
            .map(|name| self.supplier_of_key[name as usize])
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
