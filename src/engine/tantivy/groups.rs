//! The values of a facet: which entries are one thing, how it is shown, and how often it occurs in the whole kind.
//!
//! Values are numbered by how many records they have, the most frequent first, so that a list of them by rank is their order.

use std::collections::HashMap;

use memchr::memmem;

use super::facets::Column;
use crate::{
    engine::aggregation::{Money, NameRow, Named, NamesPage},
    model::facet::Facet,
};

pub struct Groups {
    keys: Texts,
    /// The most frequent spelling of each value.
    names: Texts,
    sums: Vec<Sum>,
    /// Numbers of values, by key.
    by_key: Vec<u32>,
    /// The values of each code.
    of_code: Lists,
    /// The codes of each value.
    codes: Lists,
}

/// Texts, end to end, each followed by [`END`]: hundreds of thousands of them take little more than their bytes.
#[derive(Default)]
struct Texts {
    text: String,
    starts: Vec<u32>,
}

/// Stands between texts; a folded one never holds it.
const END: char = '\n';

impl Texts {
    fn push(&mut self, text: &str) {
        self.starts.push(self.text.len() as u32);
        self.text.push_str(text);
        self.text.push(END);
    }

    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let end = self
            .starts
            .get(number + 1)
            .map_or(self.text.len(), |start| *start as usize);
        &self.text[self.starts[number] as usize..end - END.len_utf8()]
    }

    fn shrink(mut self) -> Texts {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
        self
    }
}

/// Lists of numbers, end to end.
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new<'a>(lists: impl IntoIterator<Item = &'a Vec<u32>>) -> Lists {
        let (mut starts, mut items) = (vec![0], Vec::new());
        for list in lists {
            items.extend_from_slice(list);
            starts.push(items.len() as u32);
        }
        Lists { starts, items }
    }

    fn get(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.items[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// A value while its entries are gathered.
#[derive(Default)]
struct Found {
    sum: Sum,
    spellings: HashMap<String, u64>,
}

/// What a code, or a value, counts for over the whole kind.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    pub count: u64,
    pub total_value: Money,
}

impl Sum {
    /// Of each code over all documents, `values[document]` being the money of a document, not a number where it has none; no sums without any.
    pub fn of_codes(column: &Column, documents: u32, values: &[f64]) -> Vec<Sum> {
        let mut sums = vec![Sum::default(); column.entries.len()];
        let mut values = values.iter();
        column.codes.for_each(0..documents, |code| {
            let sum = &mut sums[code as usize];
            sum.count += 1;
            if let Some(value) = values.next().filter(|value| !value.is_nan()) {
                sum.total_value.add(Money::of(*value));
            }
        });
        sums
    }
}

impl Groups {
    /// `values_of` tells the key and the spelling of each value of an entry.
    pub fn new(
        entries: &[Vec<String>],
        sums: &[Sum],
        values_of: impl Fn(&[String]) -> Vec<(String, String)>,
    ) -> Groups {
        let mut found: HashMap<String, Found> = HashMap::new();
        let mut of_code: Vec<Vec<String>> = Vec::with_capacity(entries.len());
        for (entry, sum) in entries.iter().zip(sums) {
            let mut keys = Vec::new();
            for (key, name) in values_of(entry) {
                let value = found.entry(key.clone()).or_default();
                value.sum.count += sum.count;
                value.sum.total_value.add(sum.total_value);
                *value.spellings.entry(name).or_default() += sum.count;
                keys.push(key);
            }
            of_code.push(keys);
        }
        let mut values: Vec<(String, String, Sum)> = found
            .into_iter()
            .map(|(key, value)| (key, most_frequent(value.spellings).unwrap_or_default(), value.sum))
            .collect();
        values.sort_unstable_by(|a, b| {
            let by_name = || a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0));
            b.2.count.cmp(&a.2.count).then_with(by_name)
        });
        let (mut keys, mut names, mut sums) = (Texts::default(), Texts::default(), Vec::with_capacity(values.len()));
        let mut numbers: HashMap<&str, u32> = HashMap::with_capacity(values.len());
        for (number, (key, name, sum)) in (0u32..).zip(&values) {
            keys.push(key);
            names.push(name);
            sums.push(*sum);
            numbers.insert(key, number);
        }
        let numbered = |keys: Vec<String>| -> Vec<u32> {
            keys.iter()
                .filter_map(|key| numbers.get(key.as_str()).copied())
                .collect()
        };
        let of_code: Vec<Vec<u32>> = of_code.into_iter().map(numbered).collect();
        let mut codes = vec![Vec::new(); sums.len()];
        for (code, values) in (0u32..).zip(&of_code) {
            values.iter().for_each(|value| codes[*value as usize].push(code));
        }
        let mut by_key: Vec<u32> = (0..sums.len() as u32).collect();
        by_key.sort_unstable_by(|a, b| keys.get(*a).cmp(keys.get(*b)));
        Groups {
            by_key,
            of_code: Lists::new(&of_code),
            codes: Lists::new(&codes),
            keys: keys.shrink(),
            names: names.shrink(),
            sums,
        }
    }

    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// The most frequent spelling of a value.
    pub fn name(&self, number: u32) -> &str {
        self.names.get(number)
    }

    /// What a value counts for over the whole kind.
    pub fn sum(&self, number: u32) -> Sum {
        self.sums[number as usize]
    }

    pub fn find(&self, key: &str) -> Option<u32> {
        let place = self.by_key.binary_search_by(|number| self.keys.get(*number).cmp(key));
        place.ok().map(|place| self.by_key[place])
    }

    /// How many codes there are.
    pub fn codes_known(&self) -> usize {
        self.of_code.starts.len() - 1
    }

    /// The values that records of a code have.
    pub fn of_code(&self, code: u32) -> &[u32] {
        self.of_code.get(code)
    }

    /// The codes of the records that have a value.
    pub fn codes(&self, number: u32) -> &[u32] {
        self.codes.get(number)
    }

    /// The values with a key that holds `part`, most frequent first.
    pub fn containing<'a>(&'a self, part: &'a str) -> impl Iterator<Item = u32> + 'a {
        let finder = memmem::Finder::new(part.as_bytes()).into_owned();
        let Texts { text, starts } = &self.keys;
        let (mut from, mut number) = (0usize, 0usize);
        std::iter::from_fn(move || {
            let rest = text.as_bytes().get(from..).filter(|rest| !rest.is_empty())?;
            let place = from + finder.find(rest)?;
            number += starts[number..].partition_point(|start| *start as usize <= place) - 1;
            let found = number as u32;
            from = starts.get(number + 1).map_or(text.len(), |start| *start as usize);
            Some(found)
        })
    }

    /// A page of the values whose key holds `part`.
    pub fn page(&self, part: &str, offset: usize, limit: usize) -> NamesPage {
        let mut page = NamesPage::default();
        for number in self.containing(part) {
            let place = page.total as usize;
            page.total += 1;
            if place >= offset && place - offset < limit {
                let sum = self.sum(number);
                page.rows.push(NameRow {
                    name: self.name(number).to_owned(),
                    records: sum.count,
                    total_value: sum.total_value,
                });
            }
        }
        page
    }

    pub fn named(&self, facet: Facet, name: &str) -> Option<Named> {
        let number = self.find(&facet.key(name))?;
        Some(Named {
            key: self.keys.get(number).to_owned(),
            name: self.name(number).to_owned(),
            name_fr: None,
        })
    }
}

/// The first of equals in the alphabet, so that runs repeat.
pub fn most_frequent(spellings: HashMap<String, u64>) -> Option<String> {
    let best = spellings
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
    best.map(|(name, _)| name)
}
