//! The values of a facet: which entries are one thing, how it is shown, and how often it occurs in the whole kind.
//!
//! Values are numbered by how many records they have, the most frequent first, so that a list of them by rank is their order.

use std::collections::HashMap;

use memchr::memmem;

use super::facets::Column;
use crate::{
    engine::tally::{Money, NameRow, Named, NamesPage},
    facet::Facet,
};

pub struct Groups {
    values: Vec<Value>,
    /// Numbers of values, by key.
    by_key: Vec<u32>,
    /// The values of each code.
    of_code: Lists,
    /// The codes of each value.
    codes: Lists,
    /// All keys in the order of the values, for [`Groups::containing`]: each between two line ends.
    text: String,
    starts: Vec<u32>,
}

/// One value over the whole kind.
pub struct Value {
    pub key: String,
    /// Its most frequent spelling.
    pub name: String,
    pub count: u64,
    pub total_value: Money,
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

/// What one code counts for over the whole kind.
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
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut found: Vec<(Value, HashMap<String, u64>)> = Vec::new();
        let mut of_code: Vec<Vec<u32>> = Vec::with_capacity(entries.len());
        for (entry, sum) in entries.iter().zip(sums) {
            let mut values = Vec::new();
            for (key, name) in values_of(entry) {
                let number = match numbers.get(&key) {
                    Some(number) => *number,
                    None => {
                        numbers.insert(key.clone(), found.len());
                        found.push((
                            Value {
                                key,
                                name: String::new(),
                                count: 0,
                                total_value: Money::default(),
                            },
                            HashMap::new(),
                        ));
                        found.len() - 1
                    }
                };
                let (value, spellings) = &mut found[number];
                value.count += sum.count;
                value.total_value.add(sum.total_value);
                *spellings.entry(name).or_default() += sum.count;
                values.push(number as u32);
            }
            of_code.push(values);
        }
        let mut order: Vec<u32> = (0..found.len() as u32).collect();
        for (value, spellings) in &mut found {
            value.name = most_frequent(std::mem::take(spellings)).unwrap_or_default();
        }
        order.sort_unstable_by(|a, b| {
            let ((a, _), (b, _)) = (&found[*a as usize], &found[*b as usize]);
            b.count
                .cmp(&a.count)
                .then_with(|| a.name.cmp(&b.name))
                .then_with(|| a.key.cmp(&b.key))
        });
        let mut rank = vec![0u32; order.len()];
        for (place, number) in (0u32..).zip(&order) {
            rank[*number as usize] = place;
        }
        of_code
            .iter_mut()
            .flatten()
            .for_each(|number| *number = rank[*number as usize]);
        let mut codes = vec![Vec::new(); order.len()];
        for (code, values) in (0u32..).zip(&of_code) {
            values.iter().for_each(|value| codes[*value as usize].push(code));
        }
        let mut found: Vec<Option<Value>> = found.into_iter().map(|(value, _)| Some(value)).collect();
        let values: Vec<Value> = order
            .iter()
            .filter_map(|number| found[*number as usize].take())
            .collect();
        let mut by_key: Vec<u32> = (0..values.len() as u32).collect();
        by_key.sort_unstable_by(|a, b| values[*a as usize].key.cmp(&values[*b as usize].key));
        let (mut text, mut starts) = (String::new(), Vec::with_capacity(values.len()));
        for value in &values {
            starts.push(text.len() as u32);
            text.push_str(&value.key);
            text.push('\n');
        }
        Groups {
            by_key,
            of_code: Lists::new(&of_code),
            codes: Lists::new(&codes),
            values,
            text,
            starts,
        }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn value(&self, number: u32) -> &Value {
        &self.values[number as usize]
    }

    pub fn find(&self, key: &str) -> Option<u32> {
        let place = self
            .by_key
            .binary_search_by(|number| self.values[*number as usize].key.as_str().cmp(key));
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
        let (mut from, mut number) = (0usize, 0usize);
        std::iter::from_fn(move || {
            let rest = self.text.as_bytes().get(from..).filter(|rest| !rest.is_empty())?;
            let place = from + finder.find(rest)?;
            number += self.starts[number..].partition_point(|start| *start as usize <= place) - 1;
            let found = number as u32;
            from = self
                .starts
                .get(number + 1)
                .map_or(self.text.len(), |start| *start as usize);
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
                let value = self.value(number);
                page.rows.push(NameRow {
                    name: value.name.clone(),
                    records: value.count,
                    total_value: value.total_value,
                });
            }
        }
        page
    }

    pub fn named(&self, facet: Facet, name: &str) -> Option<Named> {
        let value = self.value(self.find(&facet.key(name))?);
        Some(Named {
            key: value.key.clone(),
            name: value.name.clone(),
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
