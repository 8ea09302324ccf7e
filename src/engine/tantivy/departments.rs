//! The departments of a whole generation: which English and which French name are one.
//!
//! A federal record tells both names, a Quebec one the French name only, a city's the English. Two names are one department where each stands
//! beside the other most often, and often enough: one record with a wrong name in it joins nothing. From then on either name finds the
//! department, in every kind of record.

use std::collections::{BTreeMap, HashMap};

use super::groups::most_frequent;
use crate::{engine::aggregation::Named, model::facet::Facet};

#[derive(Default)]
pub struct Departments {
    all: Vec<Department>,
    /// By its own key.
    by_key: HashMap<String, usize>,
    names: Names,
}

pub struct Department {
    /// The key of its English name where it has one, else of the French.
    pub key: String,
    pub english: Option<String>,
    pub french: Option<String>,
    /// The keys of all its names, its own first.
    pub keys: Vec<String>,
}

/// A French name is taken for an English one's where at least one in so many of its records tells both.
const EVIDENCE: u64 = 10;

/// What names tell of each other.
#[derive(Default)]
struct Names {
    /// By a French name's key: the key of the English one it is the same as.
    english_of: HashMap<String, String>,
}

/// An entry read: the English name, and the one that may be French or of no known language.
struct Read<'a> {
    english: Option<&'a str>,
    other: Option<&'a str>,
}

impl<'a> Read<'a> {
    /// A name in both fields is in no language that could be told.
    fn of(entry: &'a [String]) -> Read<'a> {
        let name = |number: usize| entry.get(number).map(String::as_str).filter(|name| !name.is_empty());
        let (english, other) = (name(0), name(1));
        let is_same = english
            .zip(other)
            .is_some_and(|(english, other)| key(english) == key(other));
        Read {
            english: english.filter(|_| !is_same),
            other,
        }
    }
}

fn key(name: &str) -> String {
    Facet::Department.key(name)
}

impl Names {
    fn new<'a>(entries: impl Iterator<Item = (&'a [String], u64)>) -> Names {
        // Ordered, so that equals are settled the same way in every run.
        let mut pairs: BTreeMap<(String, String), u64> = BTreeMap::new();
        let mut english: HashMap<String, u64> = HashMap::new();
        let mut french: HashMap<String, u64> = HashMap::new();
        for (entry, count) in entries {
            let Read { english: name, other } = Read::of(entry);
            if let Some(name) = name {
                *english.entry(key(name)).or_default() += count;
            }
            if let Some(other) = other {
                *french.entry(key(other)).or_default() += count;
            }
            if let (Some(name), Some(other)) = (name, other) {
                *pairs.entry((key(name), key(other))).or_default() += count;
            }
        }
        let (mut best_of_english, mut best_of_french) = (HashMap::new(), HashMap::new());
        for ((name, other), count) in &pairs {
            for (best, of, partner) in [(&mut best_of_english, name, other), (&mut best_of_french, other, name)] {
                let known = best.entry(of).or_insert((partner, *count));
                if *count > known.1 {
                    *known = (partner, *count);
                }
            }
        }
        let is_one = |name: &String, other: &String, count: u64| {
            best_of_english.get(name).is_some_and(|(best, _)| *best == other)
                && best_of_french.get(other).is_some_and(|(best, _)| *best == name)
                && count.saturating_mul(EVIDENCE) >= french.get(other).copied().unwrap_or_default()
                // What is an English name more often than a French one is that.
                && english.get(other).is_none_or(|as_english| *as_english < count)
        };
        let one = pairs
            .iter()
            .filter(|((name, other), count)| is_one(name, other, **count));
        Names {
            english_of: one.map(|((name, other), _)| (other.clone(), name.clone())).collect(),
        }
    }

    /// The key of the department that a name's key means.
    fn meant(&self, key: String) -> String {
        self.english_of.get(&key).cloned().unwrap_or(key)
    }

    /// The key of an entry's department.
    fn own(&self, read: &Read) -> Option<String> {
        match (read.english, read.other) {
            (Some(english), _) => Some(key(english)),
            (None, Some(other)) => Some(self.meant(key(other))),
            (None, None) => None,
        }
    }
}

impl Departments {
    /// From entries `[English, French]`, each with the number of records that have it.
    pub fn new<'a>(entries: impl Iterator<Item = (&'a [String], u64)> + Clone) -> Departments {
        let mut departments = Departments {
            names: Names::new(entries.clone()),
            ..Departments::default()
        };
        let mut spellings: Vec<[HashMap<String, u64>; 2]> = Vec::new();
        for (entry, count) in entries {
            let read = Read::of(entry);
            let Some(own) = departments.names.own(&read) else {
                continue;
            };
            let number = match departments.by_key.get(&own) {
                Some(number) => *number,
                None => {
                    departments.by_key.insert(own.clone(), departments.all.len());
                    departments.all.push(Department {
                        keys: vec![own.clone()],
                        key: own,
                        english: None,
                        french: None,
                    });
                    spellings.push(Default::default());
                    departments.all.len() - 1
                }
            };
            for (language, name) in [(0, read.english), (1, read.other)] {
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

    pub fn all(&self) -> &[Department] {
        &self.all
    }

    /// The department of an entry `[English, French]`.
    pub fn of(&self, entry: &[String]) -> Option<&Department> {
        self.by_key(&self.names.own(&Read::of(entry))?)
    }

    /// By its English name, its French one, or `English | French`.
    pub fn named(&self, name: &str) -> Option<Named> {
        let find = |name: &str| self.by_key(&self.names.meant(key(name)));
        let both = || {
            let (english, french) = name.split_once(" | ")?;
            let (english, french) = (find(english)?, find(french)?);
            (english.key == french.key).then_some(english)
        };
        let department = find(name).or_else(both)?;
        Some(Named {
            key: department.key.clone(),
            name: department.name().to_owned(),
            name_fr: department.french.clone(),
        })
    }

    fn by_key(&self, key: &str) -> Option<&Department> {
        self.by_key.get(key).map(|number| &self.all[*number])
    }
}

impl Department {
    /// In English where known.
    pub fn name(&self) -> &str {
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
        departments.of(&entry(english, french)).unwrap().key.clone()
    }

    #[test]
    fn two_names_are_one_department() {
        let departments = departments(&[
            (entry("National Defence", "Défense nationale"), 5),
            (entry("National Defence", "Defense Nationale"), 1),
            (entry("NATIONAL DEFENCE", ""), 1),
            (entry("", "DÉFENSE NATIONALE"), 2),
            (entry("Public Works", "Défense nationale"), 1),
            (entry("", "Ville de Laval"), 3),
            (entry("", "Public works"), 1),
        ]);
        let defence = departments.named("defense nationale").unwrap();
        assert_eq!(
            (defence.name.as_str(), defence.name_fr.as_deref()),
            ("National Defence", Some("Défense nationale"))
        );
        for name in [
            "National Defence",
            "National Defence | Défense nationale",
            "Défense nationale",
        ] {
            assert_eq!(departments.named(name), Some(defence.clone()), "{name}");
        }
        assert_eq!(key_of(&departments, "", "DÉFENSE NATIONALE"), "national defence");
        assert_eq!(
            key_of(&departments, "Public Works", "Défense nationale"),
            "public works"
        );
        assert_eq!(key_of(&departments, "", "Public works"), "public works");
        assert_eq!(departments.named("ville de laval").unwrap().name, "Ville de Laval");
        assert_eq!(departments.all().len(), 3);
        for name in [
            "nobody",
            "nowhere | National Defence",
            "Ville de Laval | National Defence",
        ] {
            assert_eq!(departments.named(name), None, "{name}");
        }
    }

    #[test]
    fn one_wrong_record_joins_nothing_and_parts_nothing() {
        let joined = departments(&[
            (entry("", "Ville de Montréal"), 500),
            (entry("Public Works", "Travaux publics"), 300),
            (entry("Public Works", "Ville de Montréal"), 1),
            (entry("Parks", "Ville de Laval"), 1),
            (entry("", "Ville de Laval"), 50),
        ]);
        assert_eq!(joined.named("Ville de Montréal").unwrap().name, "Ville de Montréal");
        assert_eq!(joined.named("Ville de Laval").unwrap().name, "Ville de Laval");
        assert_eq!(joined.named("Travaux publics").unwrap().name, "Public Works");
        let parted = departments(&[
            (entry("National Defence", "Défense nationale"), 1000),
            (entry("", "Défense nationale"), 500),
            (entry("Défense nationale", "Défense nationale"), 1),
            (entry("Défense nationale", ""), 1),
        ]);
        assert_eq!(key_of(&parted, "", "Défense nationale"), "national defence");
        assert_eq!(
            key_of(&parted, "Défense nationale", "Défense nationale"),
            "national defence"
        );
        assert_eq!(parted.named("Défense nationale").unwrap().name, "National Defence");
    }
}
