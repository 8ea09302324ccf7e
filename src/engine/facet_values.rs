//! The values of a facet over a whole entity type, which all engines share: which entries are the
//! same value, its name, and its count.
//!
//! Values are numbered by descending count, so that a list of values in numeric order is a list by
//! rank.

use std::{cmp::Reverse, collections::HashMap};

use memchr::memmem;

use crate::{
    engine::{
        aggregation::{FacetBucket, FacetBuckets, Money},
        deadline::Deadline,
        error::Error,
        names::{NameCount, NamesPage, ResolvedName},
        similar_names::similar_names,
    },
    model::Facet,
};

pub(crate) struct FacetValues {
    keys: Texts,
    /// The most frequent spelling of each value.
    names: Texts,
    sums: Vec<Sum>,
    /// The numbers of the values, sorted by key.
    by_key: Vec<u32>,
    /// For each code: its values.
    values_of_code: Lists,
    /// For each value: its codes.
    codes_of_value: Lists,
}

/// Concatenated texts, each followed by [`END`]: hundreds of thousands take little more than their
/// bytes.
#[derive(Default)]
struct Texts {
    text: String,
    starts: Vec<u32>,
}

/// Separates texts. A folded text never contains it.
const END: char = '\n';

impl Texts {
    fn push(&mut self, text: &str) {
        self.starts.push(self.text.len() as u32);
        self.text.push_str(text);
        self.text.push(END);
    }

    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        &self.text[self.starts[number] as usize..self.end(number) - END.len_utf8()]
    }

    /// The offset after a text and its [`END`].
    fn end(&self, number: usize) -> usize {
        let next = self.starts.get(number + 1);
        next.map_or(self.text.len(), |start| *start as usize)
    }

    fn shrink(mut self) -> Texts {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
        self
    }
}

/// Concatenated lists of numbers.
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

/// A value while its entries are collected.
#[derive(Default)]
struct Collected {
    sum: Sum,
    spellings: HashMap<String, u64>,
}

/// The count and the sum of money of a code or a value.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    pub(crate) count: u64,
    pub(crate) total_value: Money,
}

impl Sum {
    /// Counts one record with its value, if it has one (not NaN).
    #[inline]
    pub(crate) fn add_record(&mut self, value: Option<&f64>) {
        self.count += 1;
        if let Some(value) = value.filter(|value| !value.is_nan()) {
            self.total_value.add(Money::of(*value));
        }
    }

    pub(crate) fn add(&mut self, other: Sum) {
        self.count += other.count;
        self.total_value.add(other.total_value);
    }
}

impl FacetValues {
    /// `values_of` returns the key and the spelling of each value of an entry.
    pub(crate) fn new(
        entries: &[Vec<String>],
        sums: &[Sum],
        values_of: impl Fn(&[String]) -> Vec<(String, String)>,
    ) -> FacetValues {
        let mut collected: HashMap<String, Collected> = HashMap::new();
        let mut keys_of_code: Vec<Vec<String>> = Vec::with_capacity(entries.len());
        for (entry, sum) in entries.iter().zip(sums) {
            let mut keys = Vec::new();
            for (key, name) in values_of(entry) {
                let value = collected.entry(key.clone()).or_default();
                value.sum.add(*sum);
                *value.spellings.entry(name).or_default() += sum.count;
                keys.push(key);
            }
            keys_of_code.push(keys);
        }
        let mut values: Vec<(String, String, Sum)> = Vec::with_capacity(collected.len());
        for (key, value) in collected {
            let name = most_frequent(value.spellings).expect("a value has the spelling that it was collected with");
            values.push((key, name, value.sum));
        }
        values.sort_unstable_by(|a, b| {
            let by_name = || a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0));
            b.2.count.cmp(&a.2.count).then_with(by_name)
        });
        FacetValues::numbered(&values, &keys_of_code)
    }

    /// `values` are key, name and sum of each value in their final order.
    fn numbered(values: &[(String, String, Sum)], keys_of_code: &[Vec<String>]) -> FacetValues {
        let (mut keys, mut names, mut sums) = (Texts::default(), Texts::default(), Vec::with_capacity(values.len()));
        let mut numbers: HashMap<&str, u32> = HashMap::with_capacity(values.len());
        for (number, (key, name, sum)) in (0u32..).zip(values) {
            keys.push(key);
            names.push(name);
            sums.push(*sum);
            numbers.insert(key, number);
        }
        let mut values_of_code: Vec<Vec<u32>> = Vec::with_capacity(keys_of_code.len());
        let mut codes_of_value = vec![Vec::new(); sums.len()];
        for (code, keys) in (0u32..).zip(keys_of_code) {
            let values: Vec<u32> = keys.iter().map(|key| numbers[key.as_str()]).collect();
            for value in &values {
                codes_of_value[*value as usize].push(code);
            }
            values_of_code.push(values);
        }
        let mut by_key: Vec<u32> = (0..sums.len() as u32).collect();
        by_key.sort_unstable_by(|a, b| keys.get(*a).cmp(keys.get(*b)));
        FacetValues {
            by_key,
            values_of_code: Lists::new(&values_of_code),
            codes_of_value: Lists::new(&codes_of_value),
            keys: keys.shrink(),
            names: names.shrink(),
            sums,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.sums.len()
    }

    pub(crate) fn key(&self, number: u32) -> &str {
        self.keys.get(number)
    }

    /// The most frequent spelling of a value.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.names.get(number)
    }

    /// Count and sum of a value over the whole entity type.
    pub(crate) fn sum(&self, number: u32) -> Sum {
        self.sums[number as usize]
    }

    /// The number of the value with a key.
    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        let index = self.by_key.binary_search_by(|number| self.keys.get(*number).cmp(key));
        index.ok().map(|index| self.by_key[index])
    }

    /// The number of distinct codes.
    pub(crate) fn code_count(&self) -> usize {
        self.values_of_code.starts.len() - 1
    }

    /// The values of the records with a code.
    pub(crate) fn values_of_code(&self, code: u32) -> &[u32] {
        self.values_of_code.get(code)
    }

    /// The codes of the records that have a value.
    pub(crate) fn codes_of_value(&self, number: u32) -> &[u32] {
        self.codes_of_value.get(number)
    }

    /// The values of some records, given as the count and the sum of each code: up to `size` of them.
    pub(crate) fn buckets(&self, sum_of_code: &[Sum], size: usize) -> FacetBuckets {
        let mut sum_of_value = vec![Sum::default(); self.len()];
        for (code, sum) in (0u32..).zip(sum_of_code).filter(|(_, sum)| sum.count > 0) {
            for value in self.values_of_code(code) {
                sum_of_value[*value as usize].add(*sum);
            }
        }
        let count = |value: u32| sum_of_value[value as usize].count;
        let mut found: Vec<u32> = (0..self.len() as u32).filter(|value| count(*value) > 0).collect();
        let distinct = found.len() as u64;
        let all: u64 = found.iter().map(|value| count(*value)).sum();
        let order = |value: &u32| (Reverse(count(*value)), self.name(*value), *value);
        if size < found.len() {
            if size > 0 {
                found.select_nth_unstable_by(size - 1, |a, b| order(a).cmp(&order(b)));
            }
            found.truncate(size);
        }
        found.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        let buckets: Vec<FacetBucket> = found
            .into_iter()
            .map(|value| FacetBucket {
                value: self.name(value).to_owned(),
                count: count(value),
                total_value: sum_of_value[value as usize].total_value,
            })
            .collect();
        FacetBuckets {
            distinct,
            other: all - buckets.iter().map(|bucket| bucket.count).sum::<u64>(),
            buckets,
        }
    }

    /// The values with a key that contains `part`, most frequent first.
    pub(crate) fn containing<'a>(&'a self, part: &'a str) -> impl Iterator<Item = u32> + 'a {
        let finder = memmem::Finder::new(part.as_bytes()).into_owned();
        let (mut from, mut number) = (0usize, 0usize);
        std::iter::from_fn(move || {
            let rest = self.keys.text.as_bytes().get(from..).filter(|rest| !rest.is_empty())?;
            let offset = from + finder.find(rest)?;
            number += self.keys.starts[number..].partition_point(|start| *start as usize <= offset) - 1;
            from = self.keys.end(number);
            Some(number as u32)
        })
    }

    /// A page of the values whose key contains `part`.
    pub(crate) fn page(&self, part: &str, offset: usize, limit: usize) -> NamesPage {
        let mut page = NamesPage::default();
        for number in self.containing(part) {
            let index = page.total as usize;
            page.total += 1;
            if index >= offset && index - offset < limit {
                let sum = self.sum(number);
                page.rows.push(NameCount {
                    name: self.name(number).to_owned(),
                    records: sum.count,
                    total_value: sum.total_value,
                    kind: None,
                });
            }
        }
        page
    }

    /// Up to `limit` names that are similar to a key, the most similar first.
    pub(crate) fn suggest(&self, key: &str, limit: usize, deadline: &Deadline) -> Result<Vec<String>, Error> {
        let keys = (0..self.len() as u32).map(|number| (number, self.keys.get(number)));
        let found = similar_names(key, keys, limit, deadline)?;
        Ok(found.into_iter().map(|number| self.name(number).to_owned()).collect())
    }

    pub(crate) fn resolve(&self, facet: Facet, name: &str) -> Option<ResolvedName> {
        let number = self.find(&facet.key(name))?;
        Some(ResolvedName {
            key: self.keys.get(number).to_owned(),
            name: self.name(number).to_owned(),
            name_fr: None,
            kind: None,
        })
    }
}

/// The most frequent spelling; of equally frequent ones the first in alphabetical order, so that
/// runs repeat.
pub(crate) fn most_frequent(spellings: HashMap<String, u64>) -> Option<String> {
    let best = spellings
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
    best.map(|(name, _)| name)
}
