//! The departments of a whole generation: buyers and their divisions, and which English and which
//! French name belong to the same one.
//!
//! A federal record has both names, a Quebec record the French name only, a city's record the
//! English one only. Two names belong to one department where each occurs with the other most
//! often, and often enough: a single record with a wrong name merges nothing. Either name then
//! finds the department, in every entity type.
//!
//! **Invariant:** a record belongs to exactly the departments that have one of the names in its
//! fields, so that a name has the same records in a list, a profile and a filter.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use serde::{Deserialize, Serialize};

use crate::{
    engine::{
        aggregation::Money,
        deadline::Deadline,
        error::Error,
        facet_values::{FacetValues, most_frequent},
        names::{BodyKind, NameCount, NamesPage, ResolvedName},
        similar_names::similar_names,
    },
    model::{Facet, facet::DIVISION},
};

#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Departments {
    all: Vec<DepartmentNames>,
    /// Indexes into `all`.
    by_key: BTreeMap<String, usize>,
    pairs: NamePairs,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct DepartmentNames {
    /// The key of its English name where it has one, else of the French.
    pub(crate) key: String,
    pub(crate) english: Option<String>,
    pub(crate) french: Option<String>,
    /// The keys of all its names, its own first.
    pub(crate) keys: Vec<String>,
    is_buyer: bool,
    is_division: bool,
}

/// A French name is merged with an English one only if at least one in this many of its records has
/// both.
const EVIDENCE: u64 = 10;

/// Which French names are merged with which English names.
#[derive(Default, Serialize, Deserialize)]
struct NamePairs {
    /// From the key of a French name to the key of the English one.
    english_of: BTreeMap<String, String>,
}

/// The names of an entry of [`Facet::NamedDepartment`] or [`Facet::Department`].
struct EntryNames<'a> {
    english: Option<&'a str>,
    /// French, or of unknown language.
    other: Option<&'a str>,
    /// The buyer, where it is neither of the two.
    buyer: Option<&'a str>,
    /// Whether the two names are those of a division of the buyer.
    is_division: bool,
}

impl<'a> EntryNames<'a> {
    /// Reads an entry. A name that is the same in both languages counts as one of unknown language.
    fn of(entry: &'a [String]) -> EntryNames<'a> {
        let name = |number: usize| entry.get(number).map(String::as_str).filter(|name| !name.is_empty());
        let (mut english, other) = (name(0), name(1));
        let is_same = |one: Option<&str>, two: Option<&str>| one.is_some() && one.map(key) == two.map(key);
        let buyer = name(2).filter(|_| !is_same(name(2), english) && !is_same(name(2), other));
        if is_same(english, other) {
            english = None;
        }
        EntryNames {
            english,
            other,
            buyer,
            is_division: buyer.is_some() && entry.get(3).is_some_and(|text| text == DIVISION),
        }
    }

    /// The names, each with whether it is English.
    fn all(&self) -> impl Iterator<Item = (&'a str, bool)> + use<'a> {
        let english = self.english.map(|name| (name, true));
        let others = [self.other, self.buyer].into_iter().flatten();
        english.into_iter().chain(others.map(|name| (name, false)))
    }
}

fn key(name: &str) -> String {
    Facet::Department.key(name)
}

/// How often names occur, alone and together.
#[derive(Default)]
struct NameCounts {
    english: HashMap<String, u64>,
    /// French, or of unknown language.
    others: HashMap<String, u64>,
    /// English and French name. Sorted, so that ties are resolved the same way in every run.
    pairs: BTreeMap<(String, String), u64>,
}

impl NameCounts {
    fn of<'a>(entries: impl Iterator<Item = (&'a [String], u64)>) -> NameCounts {
        let mut counts = NameCounts::default();
        for (entry, count) in entries {
            let names = EntryNames::of(entry);
            for (name, is_english) in names.all() {
                let counted = if is_english {
                    &mut counts.english
                } else {
                    &mut counts.others
                };
                *counted.entry(key(name)).or_default() += count;
            }
            if let (Some(english), Some(other)) = (names.english, names.other) {
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
                && count.saturating_mul(EVIDENCE) >= counts.others[french]
                // A name that occurs more often as an English name stays one.
                && counts.english.get(french).is_none_or(|as_english| *as_english < count)
        };
        let mut english_of = BTreeMap::new();
        for ((english, french), count) in &counts.pairs {
            if is_same(english, french, *count) {
                english_of.insert(french.clone(), english.clone());
            }
        }
        NamePairs { english_of }
    }

    /// The key of the department that has a name with this key. Ends, because an English name occurs
    /// more often in English than the French name that is merged with it.
    fn department_key(&self, mut key: String) -> String {
        while let Some(english) = self.english_of.get(&key) {
            key.clone_from(english);
        }
        key
    }
}

impl Departments {
    /// From entries of [`Facet::Department`], each with the number of records that have it.
    pub(crate) fn new<'a>(entries: impl Iterator<Item = (&'a [String], u64)> + Clone) -> Departments {
        let mut departments = Departments {
            pairs: NamePairs::new(&NameCounts::of(entries.clone())),
            ..Departments::default()
        };
        let mut spellings: Vec<[HashMap<String, u64>; 2]> = Vec::new();
        for (entry, count) in entries {
            let names = EntryNames::of(entry);
            let buyer = names.buyer.map(|name| departments.find_or_add(name));
            for (name, is_english) in names.all() {
                let number = departments.find_or_add(name);
                spellings.resize_with(departments.all.len(), Default::default);
                *spellings[number][usize::from(!is_english)]
                    .entry(name.to_owned())
                    .or_default() += count;
                let department = &mut departments.all[number];
                if names.is_division && Some(number) != buyer {
                    department.is_division = true;
                } else {
                    department.is_buyer = true;
                }
                if !department.keys.contains(&key(name)) {
                    department.keys.push(key(name));
                }
            }
        }
        for (department, [english, french]) in departments.all.iter_mut().zip(spellings) {
            department.english = most_frequent(english);
            department.french = most_frequent(french);
        }
        departments
    }

    fn find_or_add(&mut self, name: &str) -> usize {
        let key = self.pairs.department_key(key(name));
        if let Some(number) = self.by_key.get(&key) {
            return *number;
        }
        self.by_key.insert(key.clone(), self.all.len());
        self.all.push(DepartmentNames {
            keys: vec![key.clone()],
            key,
            english: None,
            french: None,
            is_buyer: false,
            is_division: false,
        });
        self.all.len() - 1
    }

    /// The keys of all names of the department with this key.
    pub(crate) fn keys_of(&self, key: &str) -> Option<&[String]> {
        let number = self.by_key.get(key)?;
        Some(&self.all.get(*number)?.keys)
    }

    /// The keys of all names of the department that has a name with this key; this key alone where no
    /// record has it. They are what [`keys_beside`](Departments::keys_beside) looks for a part in.
    pub(crate) fn keys_with(&self, key: &str) -> Vec<String> {
        let department = self.pairs.department_key(key.to_owned());
        let keys = self.keys_of(&department);
        keys.map_or_else(|| vec![key.to_owned()], <[String]>::to_vec)
    }

    /// The keys that do not contain `part` and are names of a department of which another key does. A
    /// search for a part of a name finds the records with these keys too, so that it has all records
    /// of the department.
    pub(crate) fn keys_beside<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a str> {
        let several = self.all.iter().filter(|department| department.keys.len() > 1);
        let found = several.filter(move |department| department.keys.iter().any(|key| key.contains(part)));
        let keys = found.flat_map(|department| department.keys.iter().map(String::as_str));
        keys.filter(move |key| !key.contains(part))
    }

    /// The department of an entry of [`Facet::NamedDepartment`]: that of its English name, if it has one.
    pub(crate) fn of_entry(&self, entry: &[String]) -> Option<&DepartmentNames> {
        let (name, _) = EntryNames::of(entry).all().next()?;
        self.by_name(name)
    }

    /// The key and the name of each value of an entry of a facet.
    pub(crate) fn values_of_entry(&self, facet: Facet, entry: &[String]) -> Vec<(String, String)> {
        let value = |found: &DepartmentNames| (found.key.clone(), found.name().to_owned());
        match facet {
            Facet::NamedDepartment => self.of_entry(entry).map(value).into_iter().collect(),
            Facet::Department => {
                let mut values: Vec<(String, String)> = Vec::new();
                for (name, _) in EntryNames::of(entry).all() {
                    if let Some(found) = self.by_name(name)
                        && values.iter().all(|(key, _)| *key != found.key)
                    {
                        values.push(value(found));
                    }
                }
                values
            }
            _ => entry.iter().map(|text| (facet.key(text), text.clone())).collect(),
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
                kind: department.kind(),
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
        let by_both = || {
            let (english, french) = name.split_once(" | ")?;
            let (english, french) = (self.by_name(english)?, self.by_name(french)?);
            (english.key == french.key).then_some(english)
        };
        let department = self.by_name(name).or_else(by_both)?;
        Some(ResolvedName {
            key: department.key.clone(),
            name: department.name().to_owned(),
            name_fr: department.french.clone(),
            kind: department.kind(),
        })
    }

    /// Up to `limit` names that are similar to one, among those with records in the given values of
    /// [`Facet::Department`].
    pub(crate) fn suggest(
        &self,
        counted: &FacetValues,
        name: &str,
        limit: usize,
        deadline: &Deadline,
    ) -> Result<Vec<String>, Error> {
        let present = self.all.iter().filter_map(|department| {
            let number = counted.find(&department.key)?;
            Some(department.keys.iter().map(move |key| (number, key.as_str())))
        });
        let found = similar_names(&key(name), present.flatten(), limit, deadline)?;
        Ok(found
            .into_iter()
            .map(|number| counted.name(number).to_owned())
            .collect())
    }

    /// The key of the department that has a name with this key; the key itself if none has.
    pub(crate) fn key_of<'a>(&'a self, key: &'a str) -> &'a str {
        self.by_name(key).map_or(key, |department| &department.key)
    }

    fn by_name(&self, name: &str) -> Option<&DepartmentNames> {
        let number = self.by_key.get(&self.pairs.department_key(key(name)))?;
        self.all.get(*number)
    }
}

impl DepartmentNames {
    /// In English where known.
    pub(crate) fn name(&self) -> &str {
        self.english.as_deref().or(self.french.as_deref()).unwrap_or(&self.key)
    }

    fn kind(&self) -> Option<BodyKind> {
        match (self.is_buyer, self.is_division) {
            (true, true) => Some(BodyKind::Both),
            (true, false) => Some(BodyKind::Buyer),
            (false, true) => Some(BodyKind::Division),
            (false, false) => None,
        }
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
    fn equal_entries_give_equal_bytes() {
        let entries: Vec<(Vec<String>, u64)> = (0..50)
            .map(|number| (entry(&format!("Agency {number}"), &format!("Agence {number}")), 2))
            .collect();
        let bytes = || serde_json::to_string(&departments(&entries)).unwrap();
        assert_eq!(bytes(), bytes());
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
        assert_eq!(departments.all.len(), 3);
        for name in [
            "nobody",
            "nowhere | National Defence",
            "Ville de Laval | National Defence",
        ] {
            assert_eq!(departments.resolve(name), None, "{name}");
        }
    }

    #[test]
    fn a_part_of_one_name_finds_the_other_names_of_the_department() {
        let departments = departments(&[
            (entry("Health Canada", "Santé Canada"), 1),
            (entry("Health Canada", ""), 9),
            (entry("", "Ville de Laval"), 3),
            (entry("Parks Canada", "Parcs Canada"), 2),
        ]);
        let beside = |part: &'static str| departments.keys_beside(part).collect::<Vec<_>>();
        assert_eq!(beside("sante canada"), ["health canada"]);
        assert_eq!(beside("sante"), ["health canada"]);
        assert_eq!(beside("health"), ["sante canada"]);
        assert_eq!(beside("park"), ["parcs canada"]);
        // Every name has the part, or the department has one name only.
        for part in ["", "canada", "ville", "nobody"] {
            assert_eq!(beside(part), [""; 0], "{part}");
        }
        assert_eq!(departments.keys_of("health canada").unwrap().len(), 2);
        assert_eq!(departments.keys_of("sante canada"), None, "a name, not a department");
        for name in ["health canada", "sante canada"] {
            assert_eq!(departments.keys_with(name), ["health canada", "sante canada"], "{name}");
        }
        for name in ["ville de laval", "nobody"] {
            assert_eq!(departments.keys_with(name), [name]);
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

    #[test]
    fn a_buyer_and_its_divisions_have_all_their_records() {
        let buyer = |english: &str, french: &str, buyer: &str, is_division: bool| -> Vec<String> {
            let division = is_division.then(|| DIVISION.to_owned());
            let names = [english, french, buyer].map(str::to_owned);
            names.into_iter().chain(division).collect()
        };
        let departments = departments(&[
            (buyer("Toronto Water", "", "City of Toronto", true), 10),
            (buyer("City of Toronto", "", "CITY OF TORONTO", true), 2),
            (buyer("", "Service de l'eau", "Ville de Montréal", true), 50),
            (buyer("", "Ville de Montréal", "", false), 1),
            // The wrong French name of one record does not move the buyer.
            (buyer("Public Works", "Ville de Montréal", "", false), 1),
            (buyer("National Defence", "Défense nationale", "Public Works", false), 9),
            (buyer("Fleet", "", "", false), 1),
            (buyer("Fleet", "", "City of Toronto", true), 1),
        ]);
        let kind = |name: &str| departments.resolve(name).unwrap().kind.unwrap();
        for (name, expected) in [
            ("City of Toronto", BodyKind::Buyer),
            ("Toronto Water", BodyKind::Division),
            ("Ville de Montréal", BodyKind::Buyer),
            ("Service de l’eau", BodyKind::Division),
            ("National Defence", BodyKind::Buyer),
            ("Public Works", BodyKind::Buyer),
            ("fleet", BodyKind::Both),
        ] {
            assert_eq!(kind(name), expected, "{name}");
        }
        let montreal = departments.resolve("Ville de Montréal").unwrap();
        assert_eq!(montreal.name, "Ville de Montréal");
        let values = |entry: &[String], facet: Facet| -> Vec<String> {
            let values = departments.values_of_entry(facet, entry);
            values.into_iter().map(|(_, name)| name).collect()
        };
        let water = buyer("Toronto Water", "", "City of Toronto", true);
        assert_eq!(values(&water, Facet::Department), ["Toronto Water", "City of Toronto"]);
        assert_eq!(values(&water[..2], Facet::NamedDepartment), ["Toronto Water"]);
        let same = buyer("City of Toronto", "", "CITY OF TORONTO", true);
        assert_eq!(values(&same, Facet::Department), ["City of Toronto"]);
        let both = buyer("National Defence", "Défense nationale", "", false);
        assert_eq!(values(&both, Facet::Department), ["National Defence"]);
    }
}
