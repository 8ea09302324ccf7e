//! The values of a facet over a whole entity type, which all engines share: which entries are the
//! same value, its name, and its count.
//!
//! Values are numbered by descending count, so that a list of values in numeric order is a list by
//! rank.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use bytes::Bytes;

use crate::{
    engine::{
        aggregation::{Combination, FacetBucket, FacetBuckets, Money},
        deadline::Deadline,
        error::Error,
        name_words::NameWords,
        names::{NameCount, NamesPage, ResolvedName},
        packed::{List, Lists, Numbers, Texts, pack, unpack},
        similar_names::similar_names,
    },
    model::Facet,
};

pub(crate) struct FacetValues {
    keys: Texts,
    /// The most frequent spelling of each value.
    names: Texts,
    /// [`SUM_BYTES`] for each value.
    sums: Bytes,
    /// The numbers of the values, sorted by key.
    by_key: Numbers<u32>,
    /// For each code: its values.
    values_of_code: Lists,
    /// For each value: its codes.
    codes_of_value: Lists,
    /// The words of the keys.
    words: NameWords,
}

/// A value of an entry, while values are collected.
struct EntryValue {
    key: String,
    name: String,
    code: u32,
    /// The place of the value in the entry.
    place: u32,
}

/// A value while its number is not known.
struct Collected {
    /// The entries of the value, in the order of their codes.
    entries: Range<usize>,
    /// The entry with the most frequent spelling.
    named_by: usize,
    sum: Sum,
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

    fn to_bytes(self) -> [u8; SUM_BYTES] {
        let (millionths, implausible) = self.total_value.parts();
        let mut bytes = [0; SUM_BYTES];
        bytes[..8].copy_from_slice(&self.count.to_le_bytes());
        bytes[8..24].copy_from_slice(&millionths.to_le_bytes());
        bytes[24..].copy_from_slice(&implausible.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: [u8; SUM_BYTES]) -> Sum {
        let (count, money) = bytes.split_first_chunk().expect("a sum starts with its count");
        let (millionths, rest) = money.split_first_chunk().expect("then comes the money");
        let implausible = rest.first_chunk().expect("and last what is implausible");
        Sum {
            count: u64::from_le_bytes(*count),
            total_value: Money::from_parts(i128::from_le_bytes(*millionths), f64::from_le_bytes(*implausible)),
        }
    }
}

/// Values with their counts.
pub(crate) struct MostFrequent {
    pub(crate) values: Vec<(u32, u64)>,
    /// How many distinct values there are, listed or not.
    distinct: u64,
    /// The sum of the counts of those that are not listed.
    other: u64,
}

/// The bytes of a [`Sum`] in a file: its count, and the two parts of the money.
const SUM_BYTES: usize = 32;

/// Groups the values of entries, which are sorted by key.
fn collect(items: &[EntryValue], sums: &[Sum]) -> Vec<Collected> {
    let (mut values, mut start) = (Vec::new(), 0);
    for group in items.chunk_by(|a, b| a.key == b.key) {
        let mut sum = Sum::default();
        let mut spellings: Vec<(&str, u64, usize)> = Vec::with_capacity(group.len());
        for (item, number) in group.iter().zip(start..) {
            let of_code = sums[item.code as usize];
            sum.add(of_code);
            spellings.push((&item.name, of_code.count, number));
        }
        spellings.sort_unstable();
        let count = |same: &[(&str, u64, usize)]| same.iter().map(|(_, count, _)| count).sum::<u64>();
        // Of equally frequent spellings the first in alphabetical order, so that runs repeat.
        let frequent = spellings
            .chunk_by(|a, b| a.0 == b.0)
            .rev()
            .max_by_key(|same| count(same));
        let (_, _, named_by) = frequent.expect("a group has an item")[0];
        values.push(Collected {
            entries: start..start + group.len(),
            named_by,
            sum,
        });
        start += group.len();
    }
    values
}

impl FacetValues {
    /// `values_of` returns the key and the spelling of each value of an entry.
    pub(crate) fn new(
        entries: &[Vec<String>],
        sums: &[Sum],
        values_of: impl Fn(&[String]) -> Vec<(String, String)>,
    ) -> FacetValues {
        let mut items = Vec::with_capacity(entries.len());
        for (code, entry) in (0..).zip(entries) {
            items.extend(
                (0..)
                    .zip(values_of(entry))
                    .map(|(place, (key, name))| EntryValue { key, name, code, place }),
            );
        }
        items.sort_unstable_by(|a, b| a.key.cmp(&b.key).then((a.code, a.place).cmp(&(b.code, b.place))));
        let mut values = collect(&items, sums);
        values.sort_unstable_by(|a, b| {
            let name = |value: &Collected| items[value.named_by].name.as_str();
            let key = |value: &Collected| items[value.named_by].key.as_str();
            let by_name = || name(a).cmp(name(b)).then_with(|| key(a).cmp(key(b)));
            b.sum.count.cmp(&a.sum.count).then_with(by_name)
        });
        FacetValues::numbered(&items, &values, entries.len())
    }

    /// `values` are in their final order.
    fn numbered(items: &[EntryValue], values: &[Collected], codes: usize) -> FacetValues {
        // Code, place in the entry, value.
        let mut by_code: Vec<(u32, u32, u32)> = Vec::with_capacity(items.len());
        for (number, value) in (0..).zip(values) {
            let entries = items[value.entries.clone()].iter();
            by_code.extend(entries.map(|item| (item.code, item.place, number)));
        }
        let codes_of_value = Lists::of_sorted(values.len(), by_code.iter().map(|(code, _, number)| (*number, *code)));
        by_code.sort_unstable();
        let values_of_code = Lists::of_sorted(codes, by_code.iter().map(|(code, _, number)| (*code, *number)));
        let mut by_key: Vec<u32> = (0..values.len() as u32).collect();
        // The entries are sorted by key.
        by_key.sort_unstable_by_key(|number| values[*number as usize].entries.start);
        let key = |value: &Collected| items[value.named_by].key.as_bytes();
        FacetValues {
            words: NameWords::new(values.iter().map(key)),
            keys: values.iter().map(|value| items[value.named_by].key.as_str()).collect(),
            names: values.iter().map(|value| items[value.named_by].name.as_str()).collect(),
            sums: values
                .iter()
                .flat_map(|value| value.sum.to_bytes())
                .collect::<Vec<u8>>()
                .into(),
            by_key: by_key.into_iter().collect(),
            values_of_code,
            codes_of_value,
        }
    }

    /// The values as bytes, from which [`FacetValues::from_bytes`] reads them.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let [keys, key_starts] = self.keys.as_bytes();
        let [names, name_starts] = self.names.as_bytes();
        let [value_starts, values] = self.values_of_code.as_bytes();
        let [code_starts, codes] = self.codes_of_value.as_bytes();
        let by_key = self.by_key.as_bytes();
        let [words, word_starts, name_starts_of_words, names_of_words] = self.words.as_bytes();
        pack(&[
            keys,
            key_starts,
            names,
            name_starts,
            &self.sums,
            by_key,
            value_starts,
            values,
            code_starts,
            codes,
            words,
            word_starts,
            name_starts_of_words,
            names_of_words,
        ])
    }

    /// Reads nothing but the lengths of the parts. `None` if they do not belong together.
    pub(crate) fn from_bytes(bytes: &Bytes) -> Option<FacetValues> {
        let [
            keys,
            key_starts,
            names,
            name_starts,
            sums,
            by_key,
            value_starts,
            values,
            code_starts,
            codes,
            word_parts @ ..,
        ] = unpack::<14>(bytes)?;
        let read = FacetValues {
            keys: Texts::of_bytes([keys, key_starts])?,
            names: Texts::of_bytes([names, name_starts])?,
            sums,
            by_key: Numbers::of_bytes(by_key),
            values_of_code: Lists::of_bytes([value_starts, values])?,
            codes_of_value: Lists::of_bytes([code_starts, codes])?,
            words: NameWords::of_bytes(word_parts)?,
        };
        let lengths = [
            read.keys.len(),
            read.names.len(),
            read.by_key.len(),
            read.codes_of_value.len(),
        ];
        let is_whole = lengths == [read.len(); 4] && read.sums.len() == read.len() * SUM_BYTES;
        is_whole.then_some(read)
    }

    pub(crate) fn len(&self) -> usize {
        self.sums.len() / SUM_BYTES
    }

    /// The most frequent spelling of a value.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.names.get(number)
    }

    /// Count and sum of a value over the whole entity type.
    pub(crate) fn sum(&self, number: u32) -> Sum {
        let start = number as usize * SUM_BYTES;
        let bytes = self.sums[start..start + SUM_BYTES].try_into();
        Sum::from_bytes(bytes.expect("the slice has the bytes of a sum"))
    }

    /// The number of the value with a key.
    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        self.by_key.binary_search_by(|number| self.keys.get(number).cmp(key))
    }

    /// The number of distinct codes.
    pub(crate) fn code_count(&self) -> usize {
        self.values_of_code.len()
    }

    /// The values of the records with a code.
    pub(crate) fn values_of_code(&self, code: u32) -> List<'_> {
        self.values_of_code.get(code)
    }

    /// The codes of the records that have a value.
    pub(crate) fn codes_of_value(&self, number: u32) -> List<'_> {
        self.codes_of_value.get(number)
    }

    /// The values of some records, given as the count and the sum of each code: up to `size` of them.
    pub(crate) fn buckets(&self, sum_of_code: &[Sum], size: usize) -> FacetBuckets {
        let mut sum_of_value = vec![Sum::default(); self.len()];
        for (code, sum) in (0u32..).zip(sum_of_code).filter(|(_, sum)| sum.count > 0) {
            for value in self.values_of_code(code).iter() {
                sum_of_value[value as usize].add(*sum);
            }
        }
        let found = self.most_frequent(size, |value| sum_of_value[value as usize].count);
        self.buckets_of(found, |value| sum_of_value[value as usize].total_value)
    }

    /// The combinations of values of some records, given as the count and the sum of each code.
    pub(crate) fn combinations(&self, sum_of_code: &[Sum]) -> Vec<Combination> {
        let mut found: BTreeMap<BTreeSet<&str>, Sum> = BTreeMap::new();
        for (code, sum) in (0u32..).zip(sum_of_code).filter(|(_, sum)| sum.count > 0) {
            let values = self.values_of_code(code);
            let names: BTreeSet<&str> = values.iter().map(|value| self.name(value)).collect();
            if !names.is_empty() {
                found.entry(names).or_default().add(*sum);
            }
        }
        let combination = |(names, sum): (BTreeSet<&str>, Sum)| Combination {
            values: names.into_iter().map(str::to_owned).collect(),
            count: sum.count,
            total_value: sum.total_value,
        };
        found.into_iter().map(combination).collect()
    }

    /// Up to `size` of the values that `count` gives records, most frequent first, equal ones by name.
    pub(crate) fn most_frequent(&self, size: usize, count: impl Fn(u32) -> u64) -> MostFrequent {
        let mut found: Vec<u32> = (0..self.len() as u32).filter(|value| count(*value) > 0).collect();
        let distinct = found.len() as u64;
        let all: u64 = found.iter().map(|value| count(*value)).sum();
        // The bytes have the order of the texts, and need not be validated at every comparison.
        let order = |value: &u32| (Reverse(count(*value)), self.names.get_bytes(*value), *value);
        if size < found.len() {
            if size > 0 {
                found.select_nth_unstable_by(size - 1, |a, b| order(a).cmp(&order(b)));
            }
            found.truncate(size);
        }
        found.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        let found: Vec<(u32, u64)> = found.into_iter().map(|value| (value, count(value))).collect();
        MostFrequent {
            distinct,
            other: all - found.iter().map(|(_, count)| count).sum::<u64>(),
            values: found,
        }
    }

    /// The buckets of values with their sums.
    pub(crate) fn buckets_of(&self, found: MostFrequent, total_value: impl Fn(u32) -> Money) -> FacetBuckets {
        let bucket = |(value, count): (u32, u64)| FacetBucket {
            value: self.name(value).to_owned(),
            count,
            total_value: total_value(value),
        };
        FacetBuckets {
            distinct: found.distinct,
            other: found.other,
            buckets: found.values.into_iter().map(bucket).collect(),
        }
    }

    /// The values with a key that contains `part`, most frequent first.
    pub(crate) fn containing(&self, part: &str) -> Vec<u32> {
        let found = self
            .words
            .containing(part.as_bytes(), |number| self.keys.get(number).as_bytes());
        found.unwrap_or_else(|| {
            let all = 0..self.len() as u32;
            all.filter(|number| self.keys.get(*number).contains(part)).collect()
        })
    }

    /// A page of the values whose key contains `part`.
    pub(crate) fn page(&self, part: &str, offset: usize, limit: usize) -> NamesPage {
        let found = self.containing(part);
        let row = |number: &u32| {
            let sum = self.sum(*number);
            NameCount {
                name: self.name(*number).to_owned(),
                records: sum.count,
                total_value: sum.total_value,
                kind: None,
            }
        };
        NamesPage {
            total: found.len() as u64,
            rows: found.iter().skip(offset).take(limit).map(row).collect(),
        }
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

/// The most frequent text; of equally frequent ones the first in byte order, so that runs repeat.
pub(crate) fn most_frequent(counts: impl IntoIterator<Item = (String, u64)>) -> Option<String> {
    let counts = counts.into_iter();
    let best = counts.max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
    best.map(|(text, _)| text)
}
