//! The departments of a whole generation: which English and which French name belong to the same
//! department.
//!
//! A federal record has both names, a Quebec record the French name only, a city's record the
//! English one only. Two names belong to one department where each occurs with the other most
//! often, and often enough: a single record with a wrong name merges nothing. Either name then
//! finds the department, in every entity type.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use crate::{
    engine::{
        aggregation::Money,
        facet_values::{FacetValues, most_frequent},
        names::{NameCount, NamesPage, ResolvedName},
    },
    model::Facet,
};

#[derive(Default)]
pub(crate) struct Departments {
    all: Vec<DepartmentNames>,
    /// Indexes into `all`.
    by_key: HashMap<String, usize>,
    pairs: NamePairs,
}

pub(crate) struct DepartmentNames {
    /// The key of its English name where it has one, else of the French.
    pub(crate) key: String,
    pub(crate) english: Option<String>,
    pub(crate) french: Option<String>,
    /// The keys of all its names, its own first.
    pub(crate) keys: Vec<String>,
}

/// A French name is merged with an English one only if at least one in this many of its records has
/// both.
const EVIDENCE: u64 = 10;

/// Which French names are merged with which English names.
#[derive(Default)]
struct NamePairs {
    /// From the key of a French name to the key of the English one.
    english_of: HashMap<String, String>,
}

/// The two names of an entry.
struct EntryNames<'a> {
    english: Option<&'a str>,
    /// French, or of unknown language.
    other: Option<&'a str>,
}

impl<'a> EntryNames<'a> {
    /// The same name in both fields counts as a name of unknown language.
    fn of(entry: &'a [String]) -> EntryNames<'a> {
        let name = |number: usize| entry.get(number).map(String::as_str).filter(|name| !name.is_empty());
        match (name(0), name(1)) {
            (Some(english), Some(other)) if key(english) == key(other) => EntryNames {
                english: None,
                other: Some(other),
            },
            (english, other) => EntryNames { english, other },
        }
    }
}

fn key(name: &str) -> String {
    Facet::Department.key(name)
}

/// How often names occur, alone and together.
#[derive(Default)]
struct NameCounts {
    english: HashMap<String, u64>,
    french: HashMap<String, u64>,
    /// English and French name. Sorted, so that ties are resolved the same way in every run.
    pairs: BTreeMap<(String, String), u64>,
}

impl NameCounts {
    fn of<'a>(entries: impl Iterator<Item = (&'a [String], u64)>) -> NameCounts {
        let mut counts = NameCounts::default();
        for (entry, count) in entries {
            let EntryNames { english, other } = EntryNames::of(entry);
            if let Some(english) = english {
                *counts.english.entry(key(english)).or_default() += count;
            }
            if let Some(other) = other {
                *counts.french.entry(key(other)).or_default() += count;
            }
            if let (Some(english), Some(other)) = (english, other) {
                *counts.pairs.entry((key(english), key(other))).or_default() += count;
            }
        }
        counts
    }
}

impl NamePairs {
    fn new(counts: &NameCounts) -> NamePairs {
        let (mut best_of_english, mut best_of_french) = (HashMap::new(), HashMap::new());
        for ((english, french), count) in &counts.pairs {
            for (best, name, partner) in [
                (&mut best_of_english, english, french),
                (&mut best_of_french, french, english),
            ] {
                let known = best.entry(name).or_insert((partner, *count));
                if *count > known.1 {
                    *known = (partner, *count);
                }
            }
        }
        let is_same = |english: &String, french: &String, count: u64| {
            best_of_english[english].0 == french
                && best_of_french[french].0 == english
                && count.saturating_mul(EVIDENCE) >= counts.french[french]
                // A name that occurs more often as an English name stays one.
                && counts.english.get(french).is_none_or(|as_english| *as_english < count)
        };
        let mut english_of = HashMap::new();
        for ((english, french), count) in &counts.pairs {
            if is_same(english, french, *count) {
                english_of.insert(french.clone(), english.clone());
            }
        }
        NamePairs { english_of }
    }

    /// The key of the department that has a name with this key.
    fn department_key(&self, key: String) -> String {
        self.english_of.get(&key).cloned().unwrap_or(key)
    }

    /// The key of an entry's department.
    fn of_entry(&self, names: &EntryNames) -> Option<String> {
        match (names.english, names.other) {
            (Some(english), _) => Some(key(english)),
            (None, Some(other)) => Some(self.department_key(key(other))),
            (None, None) => None,
        }
    }
}

impl Departments {
    /// From entries `[English, French]`, each with the number of records that have it.
    pub(crate) fn new<'a>(entries: impl Iterator<Item = (&'a [String], u64)> + Clone) -> Departments {
        let mut departments = Departments {
            pairs: NamePairs::new(&NameCounts::of(entries.clone())),
            ..Departments::default()
        };
        let mut spellings: Vec<[HashMap<String, u64>; 2]> = Vec::new();
        for (entry, count) in entries {
            let names = EntryNames::of(entry);
            let Some(own) = departments.pairs.of_entry(&names) else {
                continue;
            };
            let number = departments.find_or_add(own);
            spellings.resize_with(departments.all.len(), Default::default);
            for (language, name) in [(0, names.english), (1, names.other)] {
                let Some(name) = name else { continue };
                *spellings[number][language].entry(name.to_owned()).or_default() += count;
                let keys = &mut departments.all[number].keys;
                if !keys.contains(&key(name)) {
                    keys.push(key(name));
                }
            }
        }
        for (department, [english, french]) in departments.all.iter_mut().zip(spellings) {
            department.english = most_frequent(english);
            department.french = most_frequent(french);
        }
        departments
    }

    fn find_or_add(&mut self, key: String) -> usize {
        if let Some(number) = self.by_key.get(&key) {
            return *number;
        }
        self.by_key.insert(key.clone(), self.all.len());
        self.all.push(DepartmentNames {
            keys: vec![key.clone()],
            key,
            english: None,
            french: None,
        });
        self.all.len() - 1
    }

    pub(crate) fn all(&self) -> &[DepartmentNames] {
        &self.all
    }

    /// The department of an entry `[English, French]`.
    pub(crate) fn of_entry(&self, entry: &[String]) -> Option<&DepartmentNames> {
        self.by_key(&self.pairs.of_entry(&EntryNames::of(entry))?)
    }

    /// The key and the name of each value of an entry of a facet.
    pub(crate) fn values_of_entry(&self, facet: Facet, entry: &[String]) -> Vec<(String, String)> {
        if facet == Facet::Department {
            let department = self.of_entry(entry).into_iter();
            department
                .map(|found| (found.key.clone(), found.name().to_owned()))
                .collect()
        } else {
            entry.iter().map(|text| (facet.key(text), text.clone())).collect()
        }
    }

    /// A page of the departments of which a key contains `part`, counted over the given values: those
    /// of [`Facet::Department`] of some entity types.
    pub(crate) fn list(&self, counted: &[&FacetValues], part: &str, page: Range<usize>) -> NamesPage {
        let mut rows = Vec::new();
        for department in &self.all {
            if !department.keys.iter().any(|key| key.contains(part)) {
                continue;
            }
            let mut row = NameCount {
                name: department.name().to_owned(),
                records: 0,
                total_value: Money::default(),
            };
            for values in counted {
                if let Some(number) = values.find(&department.key) {
                    row.records += values.sum(number).count;
                    row.total_value.add(values.sum(number).total_value);
                }
            }
            if row.records > 0 {
                rows.push(row);
            }
        }
        rows.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.name.cmp(&b.name)));
        NamesPage {
            total: rows.len() as u64,
            rows: rows.into_iter().skip(page.start).take(page.len()).collect(),
        }
    }

    /// By its English name, its French one, or `English | French`.
    pub(crate) fn resolve(&self, name: &str) -> Option<ResolvedName> {
        let find = |name: &str| self.by_key(&self.pairs.department_key(key(name)));
        let by_both = || {
            let (english, french) = name.split_once(" | ")?;
            let (english, french) = (find(english)?, find(french)?);
            (english.key == french.key).then_some(english)
        };
        let department = find(name).or_else(by_both)?;
        Some(ResolvedName {
            key: department.key.clone(),
            name: department.name().to_owned(),
            name_fr: department.french.clone(),
        })
    }

    fn by_key(&self, key: &str) -> Option<&DepartmentNames> {
        self.by_key.get(key).map(|number| &self.all[*number])
    }
}

impl DepartmentNames {
    /// In English where known.
    pub(crate) fn name(&self) -> &str {
        self.english.as_deref().or(self.french.as_deref()).unwrap_or(&self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(english: &str, french: &str) -> Vec<String> {
        vec![english.to_owned(), french.to_owned()]
    }

    fn departments(entries: &[(Vec<String>, u64)]) -> Departments {
        Departments::new(entries.iter().map(|(entry, count)| (entry.as_slice(), *count)))
    }

    fn key_of(departments: &Departments, english: &str, french: &str) -> String {
        departments.of_entry(&entry(english, french)).unwrap().key.clone()
    }

    #[test]
    fn an_english_and_a_french_name_are_one_department() {
        let departments = departments(&[
            (entry("National Defence", "Défense nationale"), 5),
            (entry("National Defence", "Defense Nationale"), 1),
            (entry("NATIONAL DEFENCE", ""), 1),
            (entry("", "DÉFENSE NATIONALE"), 2),
            (entry("Public Works", "Défense nationale"), 1),
            (entry("", "Ville de Laval"), 3),
            (entry("", "Public works"), 1),
        ]);
        let defence = departments.resolve("defense nationale").unwrap();
        assert_eq!(
            (defence.name.as_str(), defence.name_fr.as_deref()),
            ("National Defence", Some("Défense nationale"))
        );
        for name in [
            "National Defence",
            "National Defence | Défense nationale",
            "Défense nationale",
        ] {
            assert_eq!(departments.resolve(name), Some(defence.clone()), "{name}");
        }
        assert_eq!(key_of(&departments, "", "DÉFENSE NATIONALE"), "national defence");
        assert_eq!(
            key_of(&departments, "Public Works", "Défense nationale"),
            "public works"
        );
        assert_eq!(key_of(&departments, "", "Public works"), "public works");
        assert_eq!(departments.resolve("ville de laval").unwrap().name, "Ville de Laval");
        assert_eq!(departments.all().len(), 3);
        for name in [
            "nobody",
            "nowhere | National Defence",
            "Ville de Laval | National Defence",
        ] {
            assert_eq!(departments.resolve(name), None, "{name}");
        }
    }

    #[test]
    fn one_wrong_record_neither_merges_nor_splits_departments() {
        let merged = departments(&[
            (entry("", "Ville de Montréal"), 500),
            (entry("Public Works", "Travaux publics"), 300),
            (entry("Public Works", "Ville de Montréal"), 1),
            (entry("Parks", "Ville de Laval"), 1),
            (entry("", "Ville de Laval"), 50),
        ]);
        assert_eq!(merged.resolve("Ville de Montréal").unwrap().name, "Ville de Montréal");
        assert_eq!(merged.resolve("Ville de Laval").unwrap().name, "Ville de Laval");
        assert_eq!(merged.resolve("Travaux publics").unwrap().name, "Public Works");
        let kept = departments(&[
            (entry("National Defence", "Défense nationale"), 1000),
            (entry("", "Défense nationale"), 500),
            (entry("Défense nationale", "Défense nationale"), 1),
            (entry("Défense nationale", ""), 1),
        ]);
        assert_eq!(key_of(&kept, "", "Défense nationale"), "national defence");
        assert_eq!(
            key_of(&kept, "Défense nationale", "Défense nationale"),
            "national defence"
        );
        assert_eq!(kept.resolve("Défense nationale").unwrap().name, "National Defence");
    }
}
