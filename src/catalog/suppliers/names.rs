//! The names of suppliers, with everything that is known of each: spellings, numbers, places, records.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    carried::{carry, whole_postal_code},
    name_form::{NameForm, telling_words},
    places::Places,
};
use crate::{
    engine::aggregation::Money,
    model::{
        Date, EntityType, Facet,
        fold::fold,
        supplier_mention::{MentionLine, OfficialNumber, Relation, earlier},
    },
};

/// A name as the records of one entity type have it.
#[derive(Clone, Debug)]
pub(crate) struct NameRecords {
    /// The most frequent spelling in these records.
    pub(crate) name: String,
    pub(crate) of_type: TypeRecords,
}

/// The records of one entity type that have a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeRecords {
    pub(crate) entity_type: EntityType,
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
    /// The French name that records state together with this one, and its key.
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
    pub(crate) postal_codes: Places,
    /// Folded.
    pub(crate) cities: Places,
    /// In the order of entity types.
    pub(crate) records: Vec<TypeRecords>,
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
    /// By the key of a French name: the number of the name, unless another name has that key.
    french: FxHashMap<String, u32>,
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

/// What is known of a name from one statement or one entity type.
#[derive(Clone, Copy)]
enum Part<'m> {
    /// A statement, by its number.
    Statement(u32),
    /// A statement about another name of a supplier.
    Other(&'m MentionLine),
    Records(&'m NameRecords),
    /// Only an equation has the name.
    Equated,
}

/// The statements that two names are of one supplier, by the keys of both, with their number.
type Equations<'m> = BTreeMap<(&'m str, &'m str, Relation, &'m str), u64>;

impl Names {
    pub(crate) fn new(mentions: &[MentionLine], records: Vec<NameRecords>) -> Names {
        let (mut names, name_of) = Names::of_statements(mentions, records);
        let carried = carry(mentions, &name_of, |number| names.only_number(number));
        let lines = carried.into_iter().zip(mentions);
        names.carried = lines.filter_map(|(number, line)| number.map(|_| line.count)).sum();
        names
    }

    /// The names, and for each statement the number of its name, if it is a name and no statement about another one.
    fn of_statements(mentions: &[MentionLine], records: Vec<NameRecords>) -> (Names, Vec<Option<u32>>) {
        // Making the keys takes most of the time.
        let keys: Vec<(String, Option<String>)> = mentions.par_iter().map(keys_of).collect();
        let record_keys: Vec<String> = records.par_iter().map(|of_name| key(&of_name.name)).collect();
        let (mut parts, equations) = parts_of_statements(mentions, &keys);
        parts.extend(
            record_keys
                .iter()
                .zip(&records)
                .map(|(key, of_name)| (key.as_str(), Part::Records(of_name))),
        );
        // A name that only an equation states is a name, too.
        parts.extend(equations.keys().map(|(name, ..)| (*name, Part::Equated)));
        // The parts of a name then follow each other. A map of names being collected takes several times the memory.
        parts.par_sort_by_key(|(key, _)| *key);
        let of_names: Vec<&[(&str, Part)]> = parts.chunk_by(|a, b| a.0 == b.0).collect();
        let mut name_of: Vec<Option<u32>> = vec![None; mentions.len()];
        for (number, of_name) in (0..).zip(&of_names) {
            for (_, part) in *of_name {
                if let Part::Statement(statement) = part {
                    name_of[*statement as usize] = Some(number);
                }
            }
        }
        let all = of_names.par_iter().map(|of_name| Name::of(of_name, mentions)).collect();
        let mut names = Names {
            all,
            ..Names::default()
        };
        let number = |key: &str| names.find_key(key).expect("each key of an equation is one of a name");
        let equation = |((name, other, relation, source), count): ((&str, &str, Relation, &str), u64)| Equation {
            name: number(name),
            other: number(other),
            relation,
            source: source.to_owned(),
            count,
        };
        names.equations = equations.into_iter().map(equation).collect();
        (names, name_of)
    }

    /// The only official number that a name has, but for typing errors of it. Persons and consortia have none.
    fn only_number(&self, number: u32) -> Option<&OfficialNumber> {
        let name = self.get(number);
        let only = name.number()?;
        let is_only = |facts: &NumberFacts| facts.number == *only || is_typing_error(&facts.number, only);
        let may_have_one = !name.form.is_person && !name.form.is_consortium;
        (may_have_one && name.numbers.iter().all(is_only)).then_some(only)
    }

    /// States the French name of a body, by which it is then found unless another one has it.
    pub(crate) fn add_french(&mut self, name: &str, french: Option<String>) {
        if let (Some(number), Some(french)) = (self.find(name), french) {
            let key_fr = key(&french);
            self.french.entry(key_fr.clone()).or_insert(number);
            let name = &mut self.all[number as usize];
            (name.french, name.key_fr) = (Some(french), Some(key_fr));
        }
    }

    /// The number of the name in any of its spellings.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let key = key(name);
        self.find_key(&key).or_else(|| self.french.get(&key).copied())
    }

    fn find_key(&self, key: &str) -> Option<u32> {
        let place = self.all.binary_search_by(|name| name.key.as_str().cmp(key)).ok()?;
        Some(place as u32)
    }

    pub(crate) fn get(&self, number: u32) -> &Name {
        &self.all[number as usize]
    }
}

/// The number that each statement without one gets by [rule 2](carry); `None` for the others.
pub fn carried_numbers(mentions: &[MentionLine]) -> Vec<Option<OfficialNumber>> {
    let (names, name_of) = Names::of_statements(mentions, Vec::new());
    let carried = carry(mentions, &name_of, |number| names.only_number(number)).into_iter();
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

/// What each statement says of its name or of the other one, by the key of the name, and the equations.
fn parts_of_statements<'m>(
    mentions: &'m [MentionLine],
    keys: &'m [(String, Option<String>)],
) -> (Vec<(&'m str, Part<'m>)>, Equations<'m>) {
    let is_name = |key: &str| !NO_NAMES.contains(&key);
    let mut parts = Vec::with_capacity(mentions.len());
    let mut equations = Equations::new();
    for ((line, (key, other_key)), statement) in
        mentions.iter().zip(keys).zip(0..).filter(|((_, of), _)| is_name(&of.0))
    {
        if let (Some(_), Some(other_key), Some(relation)) = (&line.mention.other_name, other_key, line.mention.relation)
        {
            if is_name(other_key) && other_key != key {
                parts.push((other_key.as_str(), Part::Other(line)));
                let equation = (key.as_str(), other_key.as_str(), relation, line.mention.source.as_str());
                *equations.entry(equation).or_default() += line.count;
            }
        } else {
            parts.push((key.as_str(), Part::Statement(statement)));
        }
    }
    (parts, equations)
}

impl Name {
    /// The name of these parts, all with its key.
    fn of(parts: &[(&str, Part)], mentions: &[MentionLine]) -> Name {
        let (mut spellings, mut of_records, mut records) = (Vec::new(), Vec::new(), Vec::new());
        let (mut stated, mut first) = (Vec::new(), None);
        for (_, part) in parts {
            let line = match part {
                Part::Statement(statement) => {
                    let line = &mentions[*statement as usize];
                    stated.push(line);
                    spellings.push((line.mention.name.as_str(), line.count));
                    line
                }
                Part::Other(line) => {
                    spellings.push((line.mention.other_name.as_deref().unwrap_or_default(), line.count));
                    line
                }
                Part::Records(named) => {
                    of_records.push((named.name.as_str(), named.of_type.records));
                    records.push(named.of_type);
                    continue;
                }
                Part::Equated => continue,
            };
            first = earlier(first, line.first);
        }
        let mentions = spellings.iter().map(|(_, count)| count).sum();
        let key = parts[0].0;
        let spelling = commonest(spellings).or_else(|| commonest(of_records)).unwrap_or(key);
        records.sort_by_key(|of_type: &TypeRecords| of_type.entity_type);
        records.shrink_to_fit();
        let numbers = numbers_of(&stated);
        let codes = stated
            .iter()
            .filter_map(|line| Some((whole_postal_code(line.mention.postal_code.as_deref()?)?, line.count)));
        let cities = stated
            .iter()
            .filter_map(|line| Some((fold(line.mention.city.as_deref()?), line.count)));
        Name {
            main_number: main_number(&numbers),
            form: NameForm::of(spelling),
            french: None,
            key_fr: None,
            is_acronym: false,
            key: key.to_owned(),
            spelling: spelling.to_owned(),
            mentions,
            first,
            numbers,
            postal_codes: Places::new(codes.collect()),
            cities: Places::new(cities.filter(|(city, _)| !city.is_empty()).collect()),
            records,
        }
    }
}

/// The text that is counted most often; of several, the lesser.
fn commonest(mut texts: Vec<(&str, u64)>) -> Option<&str> {
    texts.sort_unstable();
    let counted = texts
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.iter().map(|(_, count)| count).sum::<u64>()));
    let best = counted.max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
    best.map(|(text, _)| text)
}

/// The numbers of the statements about a name.
fn numbers_of(stated: &[&MentionLine]) -> Vec<NumberFacts> {
    let mut numbers: BTreeMap<&OfficialNumber, (u64, Option<Date>)> = BTreeMap::new();
    for line in stated {
        if let Some(number) = &line.mention.number {
            let (mentions, first) = numbers.entry(number).or_default();
            *mentions += line.count;
            *first = earlier(*first, line.first);
        }
    }
    let facts = |(number, (mentions, first)): (&OfficialNumber, (u64, Option<Date>))| NumberFacts {
        number: number.clone(),
        mentions,
        first,
    };
    numbers.into_iter().map(facts).collect()
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
        self.postal_codes.shared(&other.postal_codes)
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
