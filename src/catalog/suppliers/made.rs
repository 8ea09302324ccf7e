//! How suppliers and bodies are made of clusters of names.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
};

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    clusters::Clusters,
    name_form::{NameForm, firm_words},
    names::{Name, Names, key},
    party::Party,
    reason::Evidence,
    suggested::{Head, SuggestedPairs},
    supplier::{
        KindFigures, NameReason, Supplier, SupplierName, SupplierNumber, digits_of_name, digits_of_number, id_of_digits,
    },
};
use crate::{
    engine::aggregation::Money,
    model::{EntityType, supplier_mention::OfficialNumber},
};

/// The maximum number of postal codes and cities that a name keeps.
const MAX_PLACES: usize = 5;

/// How many suppliers a thread makes at once, and how many are made before their lines are appended.
const PART: usize = 256;
const BATCH: usize = 32 * PART;

/// The suppliers or bodies of clusters of names. Each is made when it is asked for, because together they take several
/// times the memory of their lines.
pub(crate) struct MadeSuppliers<'n> {
    names: &'n Names,
    clusters: &'n Clusters,
    party: Party,
    /// The supplier that each official number identifies.
    owners: FxHashMap<&'n OfficialNumber, u32>,
    /// By name: the names that it is joined to.
    joins: Joins<'n>,
    /// For each cluster.
    heads: Vec<Head>,
    suggested: SuggestedPairs<'n>,
}

type Joins<'n> = HashMap<u32, Vec<(u32, &'n Evidence)>>;

impl<'n> MadeSuppliers<'n> {
    pub(crate) fn new(names: &'n Names, clusters: &'n Clusters, party: Party) -> MadeSuppliers<'n> {
        let mut cluster_of: Vec<u32> = vec![0; names.all.len()];
        for (cluster, members) in (0..).zip(&clusters.members) {
            members.iter().for_each(|name| cluster_of[*name as usize] = cluster);
        }
        let mut joins = Joins::new();
        for (a, b, evidence) in &clusters.joins {
            joins.entry(*a).or_default().push((*b, evidence));
            joins.entry(*b).or_default().push((*a, evidence));
        }
        let mut made = MadeSuppliers {
            names,
            clusters,
            party,
            owners: owners_of_numbers(names, &cluster_of),
            joins,
            heads: Vec::new(),
            suggested: SuggestedPairs::new(clusters, &cluster_of),
        };
        let numbers = 0..clusters.members.len() as u32;
        made.heads = numbers.into_par_iter().map(|cluster| made.head(cluster)).collect();
        made
    }

    /// All of them, in the order of the clusters.
    pub(crate) fn all(&self) -> Vec<Supplier> {
        let numbers = 0..self.heads.len() as u32;
        numbers.into_par_iter().map(|cluster| self.supplier(cluster)).collect()
    }

    /// The lines of a file, those with most records first.
    pub(crate) fn lines(&self) -> Result<Vec<u8>> {
        let mut order: Vec<u32> = (0..self.heads.len() as u32).collect();
        order.par_sort_unstable_by_key(|cluster| {
            let head = &self.heads[*cluster as usize];
            (Reverse((head.records, head.mentions)), head.id, *cluster)
        });
        let mut text = Vec::new();
        for batch in order.chunks(BATCH) {
            let lines = batch.par_chunks(PART).map(|part| self.lines_of(part));
            let lines: Vec<Vec<u8>> = lines.collect::<serde_json::Result<_>>()?;
            lines.iter().for_each(|lines| text.extend_from_slice(lines));
        }
        Ok(text)
    }

    fn lines_of(&self, clusters: &[u32]) -> serde_json::Result<Vec<u8>> {
        let mut text = Vec::new();
        clusters
            .iter()
            .try_for_each(|cluster| add_line(&mut text, &self.supplier(*cluster)))?;
        Ok(text)
    }

    fn head(&self, cluster: u32) -> Head {
        let members = self.members(cluster);
        let all = || members.iter().map(|number| self.names.get(*number));
        Head {
            id: self.id_of(cluster, &all().collect::<Vec<_>>()),
            name: members[0],
            records: all().map(Name::record_count).sum(),
            mentions: all().map(|name| name.mentions).sum(),
        }
    }

    /// The names of a cluster, the chosen one first.
    fn members(&self, cluster: u32) -> Vec<u32> {
        let mut members = by_rank(self.names, &self.clusters.members[cluster as usize]);
        match self.party {
            Party::Body => put_whole_body_first(self.names, &mut members),
            Party::Supplier => put_whole_firm_first(self.names, &mut members),
        }
        members
    }

    fn supplier(&self, cluster: u32) -> Supplier {
        let (names, members) = (self.names, self.members(cluster));
        let all: Vec<&Name> = members.iter().map(|number| names.get(*number)).collect();
        let reasons = reasons(names, members[0], &self.joins);
        let (by_entity_type, total_value) = figures(&all);
        let years = all.iter().flat_map(|name| &name.records);
        Supplier {
            id: id_of_digits(self.party, self.heads[cluster as usize].id),
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
            suggestions: self.suggested.of(cluster, names, &self.heads, self.party),
        }
    }

    /// The hash of the oldest number that identifies the supplier, otherwise of its oldest name.
    fn id_of(&self, cluster: u32, all: &[&Name]) -> u64 {
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
            .filter(|(number, _)| self.owners.get(*number) == Some(&cluster))
            .min_by_key(|(number, day)| (order(**day), **number));
        match oldest {
            Some((number, _)) => digits_of_number(&number.to_string()),
            None => {
                let oldest = all
                    .iter()
                    .min_by_key(|name| (order(name.first.map(|day| day.days())), &name.key));
                digits_of_name(oldest.map_or("", |name| name.key.as_str()))
            }
        }
    }
}

/// Suppliers as the lines of a file, those with most records first.
pub(crate) fn lines(mut suppliers: Vec<Supplier>) -> Result<Vec<u8>> {
    suppliers.sort_by(|a, b| {
        let mentions = |of: &Supplier| of.names.iter().map(|name| name.mentions).sum::<u64>();
        (b.records, mentions(b))
            .cmp(&(a.records, mentions(a)))
            .then_with(|| a.id.cmp(&b.id))
    });
    let mut text = Vec::new();
    suppliers
        .iter()
        .try_for_each(|supplier| add_line(&mut text, supplier))?;
    Ok(text)
}

fn add_line(text: &mut Vec<u8>, supplier: &Supplier) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *text, supplier)?;
    text.push(b'\n');
    Ok(())
}

/// The supplier that an official number identifies: that of the name that is most often stated with it.
fn owners_of_numbers<'n>(names: &'n Names, cluster_of: &[u32]) -> FxHashMap<&'n OfficialNumber, u32> {
    let mut owners: FxHashMap<&OfficialNumber, (u64, u32)> = FxHashMap::default();
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

/// The chosen name first, then those with most records.
fn by_rank(names: &Names, members: &[u32]) -> Vec<u32> {
    let rank = |number: &u32| {
        let name = names.get(*number);
        let (records, mentions) = (Reverse(name.record_count()), Reverse(name.mentions));
        (name.is_acronym, records, mentions, *number)
    };
    let mut members = members.to_vec();
    members.sort_by_key(rank);
    members
}

/// What comes before the unit of a body in its name: "Ministère des Transports (Service des contrats)".
const UNIT_SIGNS: [&str; 3] = ["(", "- ", " -"];

/// If the first name is that of a unit, puts the name of the whole body before it.
fn put_whole_body_first(names: &Names, members: &mut [u32]) {
    let first = &names.get(members[0]).spelling;
    let Some(end) = UNIT_SIGNS.iter().filter_map(|sign| first.find(sign)).min() else {
        return;
    };
    let whole = key(&first[..end]);
    if let Some(place) = members.iter().position(|number| names.get(*number).key == whole) {
        members[..=place].rotate_right(1);
    }
}

/// Puts the first of the names before the others whose firm most records have, if possible without a branch: "Acme
/// inc.", "Acme inc. - Laval" and "Acme inc. (Gatineau)" count more than one division with a name of its own.
fn put_whole_firm_first(names: &Names, members: &mut [u32]) {
    if members.len() == 1 {
        return;
    }
    let mut of_firm: HashMap<String, u64> = HashMap::new();
    let firms: Vec<String> = members.iter().map(|number| firm(names.get(*number))).collect();
    for (number, firm) in members.iter().zip(&firms) {
        *of_firm.entry(firm.clone()).or_default() += names.get(*number).record_count();
    }
    let most = of_firm.values().max();
    let is_of_firm = |place: &usize| of_firm.get(&firms[*place]) == most;
    let is_whole = |place: &usize| {
        let form = &names.get(members[*place]).form;
        is_of_firm(place) && form.in_brackets.is_empty() && form.core == firms[*place]
    };
    let mut places = 0..members.len();
    if let Some(place) = places.clone().find(is_whole).or_else(|| places.find(is_of_firm)) {
        members[..=place].rotate_right(1);
    }
}

/// The core of the name of the firm, without what follows its legal form: "sintra" of "Sintra inc. - région Estrie".
fn firm(name: &Name) -> String {
    let words = firm_words(&name.spelling);
    if words.is_empty() {
        name.form.core.clone()
    } else {
        NameForm::of(words).core
    }
}

/// Why each name is joined to one nearer to the chosen name.
fn reasons(names: &Names, chosen: u32, joins: &Joins) -> HashMap<u32, NameReason> {
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
        name_fr: name.french.clone(),
        reason: reason.cloned(),
        records: name.record_count(),
        total_value: total_value.dollars(),
        first_year: name.records.iter().filter_map(|of_kind| of_kind.first_year).min(),
        last_year: name.records.iter().filter_map(|of_kind| of_kind.last_year).max(),
        mentions: name.mentions,
        numbers: name.numbers.iter().map(|facts| facts.number.to_string()).collect(),
        postal_codes: name.postal_codes.most_frequent(MAX_PLACES),
        cities: name.cities.most_frequent(MAX_PLACES),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::suppliers::{claims::ResolvedClaims, names::TypeRecords},
        model::supplier_mention::{MentionLine, SupplierMention},
    };

    #[test]
    fn lines_are_those_of_all_suppliers_in_order() {
        let line = |name: &str, count: u64| MentionLine {
            mention: SupplierMention::of(name, "x").at(Some("Laval"), None),
            count,
            first: None,
        };
        let near = (0..30).map(|number| line(&format!("Pavages du Nord{number}"), number % 3 + 1));
        let firms = [line("Acme Widgets", 1), line("Acme Widgets inc.", 4), line("Zenith", 9)];
        let names = Names::new(&firms.into_iter().chain(near).collect::<Vec<_>>(), Vec::new());
        let clusters = Clusters::new(&names, &ResolvedClaims::default());
        let made = MadeSuppliers::new(&names, &clusters, Party::Supplier);
        let all = made.all();
        assert_eq!(all.len(), 32);
        let suggestions = all.iter().map(|supplier| supplier.suggestions.len());
        assert_eq!(suggestions.max(), Some(20), "of 29 that wait");
        let first = &all[0].suggestions;
        assert!(first.iter().all(|suggestion| suggestion.id != all[0].id));
        assert_eq!(made.lines().unwrap(), lines(all).unwrap());
    }

    #[test]
    fn a_firm_is_called_as_its_branches_are_and_not_as_one_of_its_divisions() {
        let records = [
            ("Acme inc.", 20),
            ("Acme inc. (Laval)", 25),
            ("Acme inc. - région Gatineau", 10),
            ("Pavages Zenith division d'Acme inc.", 50),
        ];
        let lines = records.map(|(name, _)| MentionLine {
            mention: SupplierMention::of(name, "x"),
            count: 1,
            first: None,
        });
        let mut names = Names::new(&lines, Vec::new());
        for name in &mut names.all {
            let (_, count) = records.iter().find(|(spelling, _)| *spelling == name.spelling).unwrap();
            name.records = vec![TypeRecords {
                entity_type: EntityType::Contract,
                records: *count,
                total_value: Money::default(),
                first_year: None,
                last_year: None,
            }];
        }
        let all: Vec<u32> = (0..4).collect();
        let mut members = by_rank(&names, &all);
        put_whole_firm_first(&names, &mut members);
        let shown: Vec<&str> = members
            .iter()
            .map(|number| names.get(*number).spelling.as_str())
            .collect();
        assert_eq!(shown, [records[0].0, records[3].0, records[1].0, records[2].0]);
    }
}
