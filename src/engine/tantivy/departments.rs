//! The departments of a whole generation: which English and which French name are one.
//!
//! A federal record tells both names, a Quebec one the French name only, a city's the English. Where records carry both, the French
//! name belongs to the English one it stands beside most often; from then on either name finds the department, in every kind of record.

use std::collections::{BTreeMap, HashMap};

use super::groups::most_frequent;
use crate::{engine::tally::Named, facet::Facet};

#[derive(Default)]
pub struct Departments {
    all: Vec<Department>,
    /// By the key of any of its names.
    by_key: HashMap<String, usize>,
}

pub struct Department {
    /// The key of its English name where it has one, else of the French.
    pub key: String,
    pub english: Option<String>,
    pub french: Option<String>,
    /// The keys of all its names, its own first.
    pub keys: Vec<String>,
}

impl Departments {
    /// From entries `[English, French]`, each with the number of records that have it.
    pub fn new<'a>(entries: impl Iterator<Item = (&'a [String], u64)> + Clone) -> Departments {
        let names = |entry: &'a [String]| {
            let name = |number: usize| entry.get(number).map(String::as_str).filter(|name| !name.is_empty());
            (name(0), name(1))
        };
        let key = |name: &str| Facet::Department.key(name);
        // Ordered, so that equals are settled the same way in every run.
        let mut beside: BTreeMap<String, HashMap<String, u64>> = BTreeMap::new();
        let mut english_keys: HashMap<String, ()> = HashMap::new();
        for (entry, count) in entries.clone() {
            match names(entry) {
                (Some(english), Some(french)) => {
                    *beside.entry(key(french)).or_default().entry(key(english)).or_default() += count;
                    english_keys.insert(key(english), ());
                }
                (Some(english), None) => {
                    english_keys.insert(key(english), ());
                }
                _ => {}
            }
        }
        let english_of: HashMap<String, String> = beside
            .into_iter()
            .filter_map(|(french, partners)| Some((french, most_frequent(partners)?)))
            .collect();
        let mut departments = Departments::default();
        let mut spellings: Vec<[HashMap<String, u64>; 2]> = Vec::new();
        for (entry, count) in entries {
            let (english, french) = names(entry);
            let own = match (english, french) {
                (Some(english), _) => key(english),
                // What is an English name elsewhere is that department, whichever field it stands in here.
                (None, Some(french)) if english_keys.contains_key(&key(french)) => key(french),
                (None, Some(french)) => english_of.get(&key(french)).cloned().unwrap_or_else(|| key(french)),
                (None, None) => continue,
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
            for (language, name) in [(0, english), (1, french)] {
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
        // A French name leads to the department it mostly stands for; an English name always to its own.
        for (french, english) in english_of {
            if let Some(number) = departments.by_key.get(&english).copied() {
                departments.by_key.entry(french).or_insert(number);
            }
        }
        departments
    }

    pub fn all(&self) -> &[Department] {
        &self.all
    }

    pub fn find(&self, key: &str) -> Option<&Department> {
        self.by_key.get(key).map(|number| &self.all[*number])
    }

    /// The department of an entry `[English, French]`.
    pub fn of(&self, entry: &[String]) -> Option<&Department> {
        let name = entry.iter().find(|name| !name.is_empty())?;
        self.find(&Facet::Department.key(name))
    }

    /// By its English name, its French one, or `English | French`.
    pub fn named(&self, name: &str) -> Option<Named> {
        let either = std::iter::once(name).chain(name.split(" | "));
        let department = either
            .into_iter()
            .find_map(|name| self.find(&Facet::Department.key(name)))?;
        Some(Named {
            key: department.key.clone(),
            name: department.name().to_owned(),
            name_fr: department.french.clone(),
        })
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

    #[test]
    fn two_names_are_one_department() {
        let entry = |english: &str, french: &str| vec![english.to_owned(), french.to_owned()];
        let entries = [
            (entry("National Defence", "Défense nationale"), 5),
            (entry("National Defence", "Defense Nationale"), 1),
            (entry("NATIONAL DEFENCE", ""), 1),
            (entry("", "DÉFENSE NATIONALE"), 2),
            (entry("Public Works", "Défense nationale"), 1),
            (entry("", "Ville de Laval"), 3),
            (entry("", "Public works"), 1),
        ];
        let departments = Departments::new(entries.iter().map(|(entry, count)| (entry.as_slice(), *count)));
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
        assert_eq!(
            departments.of(&entry("", "DÉFENSE NATIONALE")).unwrap().key,
            "national defence"
        );
        assert_eq!(
            departments.of(&entry("Public Works", "Défense nationale")).unwrap().key,
            "public works"
        );
        assert_eq!(departments.of(&entry("", "Public works")).unwrap().key, "public works");
        assert_eq!(departments.named("ville de laval").unwrap().name, "Ville de Laval");
        assert_eq!(departments.all().len(), 3);
        assert_eq!(departments.named("nobody"), None);
    }
}
