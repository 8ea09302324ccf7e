//! The names of suppliers, with everything that is known of each: spellings, numbers, places, records.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    carried::{carry, whole_postal_code},
    name_form::{NameForm, telling_words},
};
use crate::{
    engine::aggregation::Money,
    model::{
        Date, EntityType, Facet,
        supplier_mention::{MentionLine, OfficialNumber, Relation, earlier},
    },
};

/// The records of one entity type that have a name.
#[derive(Clone, Debug)]
pub(crate) struct NameRecords {
    pub(crate) entity_type: EntityType,
    /// The most frequent spelling in these records.
    pub(crate) name: String,
    pub(crate) records: u64,
    pub(crate) total_value: Money,
    pub(crate) first_year: Option<i32>,
    pub(crate) last_year: Option<i32>,
}

/// A name: all spellings with the same key.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    /// [`Facet::key`] of a vendor.
    pub(crate) key: String,
    /// The commonest spelling.
    pub(crate) spelling: String,
    /// The same name in French, which records state together with it, and its key.
    pub(crate) french: Option<String>,
    pub(crate) key_fr: Option<String>,
    /// Whether it is the acronym of a public body, which is not chosen if there is another name.
    pub(crate) is_acronym: bool,
    pub(crate) form: NameForm,
    /// How often publishers state it.
    pub(crate) mentions: u64,
    /// The first day that a statement is about.
    pub(crate) first: Option<Date>,
    /// In the order of numbers.
    pub(crate) numbers: Vec<NumberFacts>,
    /// The index in `numbers` of the one that identifies the name.
    main_number: Option<usize>,
    pub(crate) postal_codes: BTreeMap<String, u64>,
    /// Folded.
    pub(crate) cities: BTreeMap<String, u64>,
    /// In the order of entity types.
    pub(crate) records: Vec<NameRecords>,
}

/// A number with which a name is stated.
#[derive(Clone, Debug)]
pub(crate) struct NumberFacts {
    pub(crate) number: OfficialNumber,
    pub(crate) mentions: u64,
    pub(crate) first: Option<Date>,
}

/// A publisher's statement that two names are of one supplier.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Equation {
    pub(crate) name: u32,
    pub(crate) other: u32,
    pub(crate) relation: Relation,
    pub(crate) source: String,
    pub(crate) count: u64,
}

/// All names, in the order of their keys.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) all: Vec<Name>,
    numbers: FxHashMap<String, u32>,
    pub(crate) equations: Vec<Equation>,
    /// Statements without a number that [get one](super::carried).
    pub(crate) carried: u64,
}

/// The share of a name's numbered statements that its main number has at least. The others are typing errors or a firm
/// that was registered anew.
const MAIN_SHARE: f64 = 0.75;

/// What people type where a form asks for another name.
const NO_NAMES: [&str; 12] = [
    "n a",
    "na",
    "same",
    "same as above",
    "as above",
    "none",
    "unknown",
    "various",
    "multiple",
    "see above",
    "s o",
    "inconnu",
];

/// A name while it is collected.
#[derive(Default)]
struct Collected {
    spellings: HashMap<String, u64>,
    mentions: u64,
    first: Option<Date>,
    numbers: BTreeMap<OfficialNumber, (u64, Option<Date>)>,
    postal_codes: BTreeMap<String, u64>,
    cities: BTreeMap<String, u64>,
    records: Vec<NameRecords>,
}

impl Names {
    pub(crate) fn new(mentions: &[MentionLine], records: Vec<NameRecords>) -> Names {
        // Making the keys takes most of the time.
        let keys: Vec<(String, Option<String>)> = mentions.par_iter().map(keys_of).collect();
        let record_keys: Vec<String> = records.par_iter().map(|of_name| key(&of_name.name)).collect();
        let mut collected: FxHashMap<&str, Collected> = FxHashMap::default();
        let mut equations: BTreeMap<(&str, &str, Relation, &str), u64> = BTreeMap::new();
        for (line, (key, other_key)) in mentions.iter().zip(&keys) {
            if NO_NAMES.contains(&key.as_str()) {
                continue;
            }
            if let (Some(other), Some(other_key), Some(relation)) =
                (&line.mention.other_name, other_key, line.mention.relation)
            {
                if !NO_NAMES.contains(&other_key.as_str()) && other_key != key {
                    collected.entry(other_key).or_default().mention(other, line);
                    let equation = (key.as_str(), other_key.as_str(), relation, line.mention.source.as_str());
                    *equations.entry(equation).or_default() += line.count;
                }
                continue;
            }
            let name = collected.entry(key).or_default();
            name.mention(&line.mention.name, line);
            name.place(line);
        }
        for (of_name, key) in records.into_iter().zip(&record_keys) {
            collected.entry(key).or_default().records.push(of_name);
        }
        // A name that only an equation states is a name, too.
        for (name, ..) in equations.keys() {
            collected.entry(name).or_default();
        }
        let mut collected: Vec<(&str, Collected)> = collected.into_iter().collect();
        collected.par_sort_unstable_by_key(|(key, _)| *key);
        let finish = |(key, name): (&str, Collected)| name.finish(key.to_owned());
        let all: Vec<Name> = collected.into_par_iter().map(finish).collect();
        let numbers: FxHashMap<String, u32> = all.iter().map(|name| name.key.clone()).zip(0..).collect();
        let equation = |((name, other, relation, source), count): ((&str, &str, Relation, &str), u64)| Equation {
            name: numbers[name],
            other: numbers[other],
            relation,
            source: source.to_owned(),
            count,
        };
        let mut names = Names {
            equations: equations.into_iter().map(equation).collect(),
            carried: 0,
            numbers,
            all,
        };
        let carried = carry(mentions, &keys, |key| names.only_number(key))
            .into_iter()
            .zip(mentions);
        names.carried = carried.filter_map(|(number, line)| number.map(|_| line.count)).sum();
        names
    }

    /// The only number that the name with a key has, but for typing errors of it, and the number of the name. Persons
    /// and consortia have none.
    fn only_number(&self, key: &str) -> Option<(u32, &OfficialNumber)> {
        let number = *self.numbers.get(key)?;
        let name = self.get(number);
        let only = name.number()?;
        let is_only = |facts: &NumberFacts| facts.number == *only || is_typing_error(&facts.number, only);
        let may_have_one = !name.form.is_person && !name.form.is_consortium;
        (may_have_one && name.numbers.iter().all(is_only)).then_some((number, only))
    }

    /// States the French name of a body, by which it is then found unless another one has it.
    pub(crate) fn add_french(&mut self, name: &str, french: Option<String>) {
        if let (Some(number), Some(french)) = (self.find(name), french) {
            let key_fr = key(&french);
            self.numbers.entry(key_fr.clone()).or_insert(number);
            let name = &mut self.all[number as usize];
            (name.french, name.key_fr) = (Some(french), Some(key_fr));
        }
    }

    /// The number of the name in any of its spellings.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(&key(name)).copied()
    }

    pub(crate) fn get(&self, number: u32) -> &Name {
        &self.all[number as usize]
    }
}

/// The number that each statement without one gets by [rule 2](carry); `None` for the others.
pub fn carried_numbers(mentions: &[MentionLine]) -> Vec<Option<OfficialNumber>> {
    let keys: Vec<(String, Option<String>)> = mentions.par_iter().map(keys_of).collect();
    let names = Names::new(mentions, Vec::new());
    let carried = carry(mentions, &keys, |key| names.only_number(key)).into_iter();
    carried.map(|number| number.cloned()).collect()
}

/// The key of a name in any of its spellings.
pub(crate) fn key(name: &str) -> String {
    Facet::Vendor.key(name.trim())
}

/// The keys of the name of a statement, and of its other name.
fn keys_of(line: &MentionLine) -> (String, Option<String>) {
    let other = line.mention.other_name.as_deref();
    (key(&line.mention.name), other.map(|other| Facet::Vendor.key(other)))
}

impl Collected {
    fn mention(&mut self, spelling: &str, line: &MentionLine) {
        *self.spellings.entry(spelling.to_owned()).or_default() += line.count;
        self.mentions += line.count;
        self.first = earlier(self.first, line.first);
    }

    fn place(&mut self, line: &MentionLine) {
        if let Some(number) = &line.mention.number {
            let (count, first) = self.numbers.entry(number.clone()).or_default();
            *count += line.count;
            *first = earlier(*first, line.first);
        }
        if let Some(code) = line.mention.postal_code.as_deref().and_then(whole_postal_code) {
            *self.postal_codes.entry(code).or_default() += line.count;
        }
        if let Some(city) = &line.mention.city {
            let city = crate::model::fold::fold(city);
            if !city.is_empty() {
                *self.cities.entry(city).or_default() += line.count;
            }
        }
    }

    fn finish(mut self, key: String) -> Name {
        if self.spellings.is_empty() {
            for of_name in &self.records {
                *self.spellings.entry(of_name.name.clone()).or_default() += of_name.records;
            }
        }
        let commonest = self
            .spellings
            .into_iter()
            .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        let spelling = commonest.map_or_else(|| key.clone(), |(spelling, _)| spelling);
        self.records.sort_by_key(|of_name| of_name.entity_type);
        let numbers: Vec<NumberFacts> = self
            .numbers
            .into_iter()
            .map(|(number, (mentions, first))| NumberFacts {
                number,
                mentions,
                first,
            })
            .collect();
        Name {
            main_number: main_number(&numbers),
            form: NameForm::of(&spelling),
            french: None,
            key_fr: None,
            is_acronym: false,
            key,
            spelling,
            mentions: self.mentions,
            first: self.first,
            numbers,
            postal_codes: self.postal_codes,
            cities: self.cities,
            records: self.records,
        }
    }
}

/// The index of the number that most statements have. A number that differs from it in one digit, or in two that are
/// swapped, is a typing error of it.
fn main_number(numbers: &[NumberFacts]) -> Option<usize> {
    let best = (0..numbers.len()).max_by_key(|index| (numbers[*index].mentions, std::cmp::Reverse(*index)))?;
    let of_best = numbers
        .iter()
        .filter(|facts| facts.number == numbers[best].number || is_typing_error(&facts.number, &numbers[best].number));
    let of_best: u64 = of_best.map(|facts| facts.mentions).sum();
    let all: u64 = numbers.iter().map(|facts| facts.mentions).sum();
    (of_best as f64 >= all as f64 * MAIN_SHARE).then_some(best)
}

fn is_typing_error(a: &OfficialNumber, b: &OfficialNumber) -> bool {
    if a.kind != b.kind || a.number.len() != b.number.len() {
        return false;
    }
    let pairs: Vec<(u8, u8)> = a.number.bytes().zip(b.number.bytes()).filter(|(a, b)| a != b).collect();
    match pairs.as_slice() {
        [_] => true,
        [first, second] => first.0 == second.1 && first.1 == second.0,
        _ => false,
    }
}

impl Name {
    /// The number that identifies it: the only one, or that of nearly all its statements.
    pub(crate) fn number(&self) -> Option<&OfficialNumber> {
        self.main_number.map(|index| &self.numbers[index].number)
    }

    /// How often it is stated with the number that identifies it.
    pub(crate) fn number_mentions(&self) -> u64 {
        self.main_number.map_or(0, |index| self.numbers[index].mentions)
    }

    /// Whether it is stated with several numbers, none of which identifies it.
    pub(crate) fn is_ambiguous(&self) -> bool {
        !self.numbers.is_empty() && self.main_number.is_none()
    }

    pub(crate) fn record_count(&self) -> u64 {
        self.records.iter().map(|of_name| of_name.records).sum()
    }

    pub(crate) fn shared_postal_code<'a>(&'a self, other: &Name) -> Option<&'a str> {
        self.postal_codes
            .keys()
            .find(|code| other.postal_codes.contains_key(*code))
            .map(String::as_str)
    }

    pub(crate) fn has_place(&self) -> bool {
        !self.postal_codes.is_empty() || !self.cities.is_empty()
    }

    /// [`telling_words`] of its core.
    pub(crate) fn telling_words(&self) -> BTreeSet<&str> {
        telling_words(&self.form.core)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(digits: &str, mentions: u64) -> NumberFacts {
        NumberFacts {
            number: OfficialNumber::parse(&format!("neq:{digits}")).unwrap(),
            mentions,
            first: None,
        }
    }

    #[test]
    fn the_main_number_is_that_of_nearly_all_statements() {
        let main = |numbers: &[NumberFacts]| main_number(numbers).map(|index| numbers[index].number.number.clone());
        assert_eq!(main(&[]), None);
        assert_eq!(main(&[number("1142700724", 1)]).as_deref(), Some("1142700724"));
        let typed = [number("1169411510", 21), number("1169711510", 20)];
        assert_eq!(main(&typed).as_deref(), Some("1169411510"), "one digit differs");
        let anew = [number("1143863539", 11), number("1172462849", 11)];
        assert_eq!(main(&anew), None);
        let rare = [number("1143863539", 1), number("1172462849", 11)];
        assert_eq!(main(&rare).as_deref(), Some("1172462849"));
    }
}
