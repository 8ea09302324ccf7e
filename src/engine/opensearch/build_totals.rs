//! What a build counts over all records of an entity type before it writes the first document: facet
//! entries, vendors, long keys of roles, words and similarity terms.
//!
//! The codes of facets follow from all entries, so the records are read twice. Memory holds distinct
//! texts, never records: about 100 MB for two million contracts.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use serde::{Deserialize, Serialize};

use super::{
    document::{RoleKey, StemEntry, VendorName, WordEntry, is_listed, vendor_id},
    facet_codes::{FacetCodes, FacetTable},
    mapping::{key_list, stem_id, word_id, word_list},
    query::is_long_part,
};
use crate::{
    engine::{
        aggregation::Money,
        facet_values::{FacetValues, Sum},
        names::NAMES,
    },
    model::{EntityType, Facet, Language, Record, Role, Schema, fold::words, stem::stem},
};

/// Counts of some records of an entity type. The counts of two parts can be merged.
pub(crate) struct BuildTotals {
    schema: &'static Schema,
    summary: RecordSummary,
    /// By facet: the number and the values of the records with each entry.
    entries: [HashMap<Vec<String>, Sum>; Facet::ALL.len()],
    /// By role of [`NAMES`]: the long keys.
    keys: [BTreeSet<String>; NAMES.len()],
    /// The words of the text that are listed.
    words: HashMap<String, WordCount>,
    /// The number of records with each similarity term.
    terms: HashMap<String, u64>,
}

/// The number of records with a word.
#[derive(Clone, Copy, Default)]
struct WordCount {
    records: u64,
    /// The number of the last record that was counted, from 1: a word that repeats counts once.
    last: u64,
}

/// Numbers and sums over all records of an entity type, to compare with those of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordSummary {
    pub(crate) records: u64,
    pub(crate) max_record_bytes: u64,
    pub(crate) bytes: u64,
    pub(crate) records_with_value: u64,
    /// Distinct vendors, counted when all records are.
    pub(crate) vendors: u64,
    /// In Canadian dollars.
    #[serde(skip)]
    pub(crate) total_value: Money,
}

/// What follows from [`BuildTotals`] of all records.
pub(crate) struct FinishedTotals {
    pub(crate) summary: RecordSummary,
    pub(crate) codes: FacetCodes,
    /// All facets with an entry, except vendors.
    pub(crate) tables: Vec<FacetTable>,
    /// The documents of the names index, each with its id.
    pub(crate) vendors: Vec<(String, VendorName)>,
    pub(crate) keys: Vec<(String, RoleKey)>,
    /// The documents of the vocabulary, each with its id.
    pub(crate) stems: Vec<(String, StemEntry)>,
    pub(crate) words: Vec<(String, WordEntry)>,
}

impl BuildTotals {
    pub(crate) fn new(schema: &'static Schema) -> BuildTotals {
        BuildTotals {
            schema,
            summary: RecordSummary::default(),
            entries: Default::default(),
            keys: Default::default(),
            words: HashMap::new(),
            terms: HashMap::new(),
        }
    }

    /// Counts a record, whose JSON has so many bytes.
    pub(crate) fn add(&mut self, record: &Record, bytes: usize) {
        let value = self.schema.has_role(Role::Value).then(|| record.value()).flatten();
        // Adding zero turns -0.0 into 0.0.
        let value = value.map(|value| value + 0.0);
        let dollars = value.filter(|_| record.is_in_canadian_dollars());
        self.summary.add(bytes as u64, value.is_some(), dollars);
        for (facet, entries) in Facet::ALL.into_iter().zip(&mut self.entries) {
            let entry = facet.entry(record);
            if entry.is_empty() {
                continue;
            }
            let is_summed = matches!(facet, Facet::Vendor | Facet::Buyer);
            let dollars = dollars.filter(|_| is_summed);
            entries.entry(entry).or_default().add_record(dollars.as_ref());
        }
        for (role, keys) in NAMES.into_iter().zip(&mut self.keys) {
            if self.schema.is_searchable_by(role) {
                // A part that is too long for a pattern is only in a key that is as long.
                let long = record.keys(role).into_iter().filter(|key| is_long_part(key));
                keys.extend(long.map(Cow::into_owned));
            }
        }
        for text in record.texts(Role::Text) {
            words(text, |word| self.add_word(word));
        }
        if self.schema.is_searchable_by(Role::Subject) {
            let mut terms: Vec<String> = Vec::new();
            record.similarity_terms(|term| terms.push(term.to_owned()));
            terms.sort_unstable();
            terms.dedup();
            for term in &terms {
                count(&mut self.terms, term, 1);
            }
        }
    }

    /// Counts a word of the record that was added last.
    fn add_word(&mut self, word: &str) {
        let number = self.summary.records;
        match self.words.get_mut(word) {
            Some(count) if count.last == number => {}
            Some(count) => {
                count.records += 1;
                count.last = number;
            }
            None if is_listed(word) => {
                let first = WordCount {
                    records: 1,
                    last: number,
                };
                self.words.insert(word.to_owned(), first);
            }
            None => {}
        }
    }

    pub(crate) fn merge(mut self, other: BuildTotals) -> BuildTotals {
        self.summary.merge(other.summary);
        for (ours, theirs) in self.entries.iter_mut().zip(other.entries) {
            for (entry, sum) in theirs {
                ours.entry(entry).or_default().add(sum);
            }
        }
        for (ours, theirs) in self.keys.iter_mut().zip(other.keys) {
            ours.extend(theirs);
        }
        for (word, count) in other.words {
            // The numbers of the records of another part mean nothing here.
            self.words.entry(word).or_default().records += count.records;
        }
        for (term, records) in other.terms {
            *self.terms.entry(term).or_default() += records;
        }
        self
    }

    pub(crate) fn finish(self) -> FinishedTotals {
        let entity_type = self.schema.entity_type;
        let mut codes = FacetCodes::default();
        let mut tables = Vec::new();
        let mut vendors = Vec::new();
        for (facet, found) in Facet::ALL.into_iter().zip(self.entries) {
            let mut found: Vec<(Vec<String>, Sum)> = found.into_iter().collect();
            // Sorted, so that repeated builds give equal codes.
            found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            let (entries, sums): (Vec<Vec<String>>, Vec<Sum>) = found.into_iter().unzip();
            if facet == Facet::Vendor {
                vendors = vendor_names(entity_type, &entries, &sums, &mut codes);
            } else if !entries.is_empty() {
                for (entry, code) in entries.iter().zip(0..) {
                    codes.insert(facet, entry.clone(), code);
                }
                tables.push(FacetTable { facet, entries, sums });
            }
        }
        FinishedTotals {
            summary: RecordSummary {
                vendors: vendors.len() as u64,
                ..self.summary
            },
            codes,
            tables,
            vendors,
            keys: role_keys(entity_type, self.keys),
            stems: stem_entries(entity_type, self.words.keys(), self.terms),
            words: word_entries(entity_type, self.words),
        }
    }
}

impl RecordSummary {
    fn add(&mut self, bytes: u64, has_value: bool, dollars: Option<f64>) {
        self.merge(RecordSummary {
            records: 1,
            max_record_bytes: bytes,
            bytes,
            records_with_value: has_value.into(),
            vendors: 0,
            total_value: dollars.map(Money::of).unwrap_or_default(),
        });
    }

    fn merge(&mut self, other: RecordSummary) {
        self.records += other.records;
        self.max_record_bytes = self.max_record_bytes.max(other.max_record_bytes);
        self.bytes += other.bytes;
        self.records_with_value += other.records_with_value;
        self.total_value.add(other.total_value);
    }
}

/// The vendors of an entity type, and the code of each entry. Codes ascend with (name, key), so
/// that a terms aggregation by descending count and ascending code has the order of
/// [`FacetBuckets`](crate::engine::aggregation::FacetBuckets).
fn vendor_names(
    entity_type: EntityType,
    entries: &[Vec<String>],
    sums: &[Sum],
    codes: &mut FacetCodes,
) -> Vec<(String, VendorName)> {
    let values_of = |entry: &[String]| -> Vec<(String, String)> {
        entry
            .iter()
            .map(|text| (Facet::Vendor.key(text), text.clone()))
            .collect()
    };
    let values = FacetValues::new(entries, sums, values_of);
    let mut by_name: Vec<u32> = (0..values.len() as u32).collect();
    by_name.sort_unstable_by_key(|rank| (values.name(*rank), *rank));
    let mut code_of_rank = vec![0; by_name.len()];
    for (code, rank) in (0u32..).zip(&by_name) {
        code_of_rank[*rank as usize] = code;
    }
    for (entry, number) in entries.iter().zip(0u32..) {
        // An entry of a vendor has one text.
        if let [rank] = values.values_of_code(number) {
            codes.insert(Facet::Vendor, entry.clone(), code_of_rank[*rank as usize]);
        }
    }
    let documents = (0u32..).zip(code_of_rank).map(|(rank, code)| {
        let (key, name) = (values.key(rank), values.name(rank));
        let vendor = VendorName::new(entity_type, key, name, rank, code, values.sum(rank));
        (vendor_id(entity_type, key), vendor)
    });
    documents.collect()
}

fn role_keys(entity_type: EntityType, keys: [BTreeSet<String>; NAMES.len()]) -> Vec<(String, RoleKey)> {
    let mut documents = Vec::new();
    for (role, keys) in NAMES.into_iter().zip(keys) {
        let list = key_list(entity_type, role);
        for (rank, key) in (0u32..).zip(keys) {
            let document = RoleKey {
                list: list.clone(),
                key,
                rank,
            };
            documents.push((format!("{list}/{rank}"), document));
        }
    }
    documents
}

fn word_entries(entity_type: EntityType, words: HashMap<String, WordCount>) -> Vec<(String, WordEntry)> {
    let mut words: Vec<(String, u64)> = words.into_iter().map(|(word, count)| (word, count.records)).collect();
    words.sort_unstable_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let entry = |(rank, (word, documents)): (u32, (String, u64))| {
        let entry = WordEntry {
            list: word_list(entity_type),
            word,
            rank,
            documents,
        };
        (word_id(entity_type, &entry.word), entry)
    };
    sorted((0u32..).zip(words).map(entry).collect())
}

/// By id. The cluster compresses documents in the order in which it gets them, so similar ones that
/// follow each other take less space.
fn sorted<T>(mut documents: Vec<(String, T)>) -> Vec<(String, T)> {
    documents.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    documents
}

fn stem_entries<'a>(
    entity_type: EntityType,
    words: impl Iterator<Item = &'a String>,
    terms: HashMap<String, u64>,
) -> Vec<(String, StemEntry)> {
    let mut entries: HashMap<String, StemEntry> = HashMap::new();
    for (term, records) in terms {
        entries.entry(term).or_default().records = records;
    }
    for word in words {
        for language in Language::ALL {
            let Some(stem) = stem(language, word) else {
                continue;
            };
            let entry = entries.entry(stem).or_default();
            let words = match language {
                Language::English => &mut entry.en,
                Language::French => &mut entry.fr,
            };
            words.push(word.clone());
        }
    }
    let documents = entries.into_iter().map(|(stem, mut entry)| {
        entry.en.sort_unstable();
        entry.fr.sort_unstable();
        (stem_id(entity_type, &stem), entry)
    });
    sorted(documents.collect())
}

fn count(counts: &mut HashMap<String, u64>, text: &str, number: u64) {
    match counts.get_mut(text) {
        Some(count) => *count += number,
        None => {
            counts.insert(text.to_owned(), number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::opensearch::query::MAX_PATTERN_CHARS;

    fn totals(entity_type: EntityType, lines: &[&str]) -> FinishedTotals {
        let schema = Schema::of(entity_type);
        let parts = lines.iter().map(|line| {
            let mut totals = BuildTotals::new(schema);
            totals.add(&Record::parse(schema, line.as_bytes()).unwrap(), line.len());
            totals
        });
        parts.fold(BuildTotals::new(schema), BuildTotals::merge).finish()
    }

    #[test]
    fn vendors_have_ranks_by_count_and_codes_by_name() {
        let lines = [
            r#"{"record_id":"1","vendor_name":"Zed","contract_value":1.5}"#,
            r#"{"record_id":"2","vendor_name":"ZED","contract_value":2}"#,
            r#"{"record_id":"3","vendor_name":"Zed"}"#,
            r#"{"record_id":"4","vendor_name":"Alpha"}"#,
            r#"{"record_id":"5"}"#,
        ];
        let totals = totals(EntityType::Award, &lines);
        let shown: Vec<_> = totals
            .vendors
            .iter()
            .map(|(_, v)| (v.rank, v.name.as_str(), v.code.as_str(), v.records))
            .collect();
        assert_eq!(shown, [(0, "Zed", "00000001", 3), (1, "Alpha", "00000000", 1)]);
        assert_eq!(totals.vendors[0].1.total_value(), Money::of(3.5));
        let code = |line: &str| {
            let record = Record::parse(Schema::of(EntityType::Award), line.as_bytes()).unwrap();
            totals.codes.code(Facet::Vendor, &record)
        };
        assert_eq!(lines.map(code), [Some(1), Some(1), Some(1), Some(0), None]);
        assert_eq!(totals.summary.records, 5);
        assert_eq!(totals.summary.records_with_value, 2);
        assert_eq!(totals.summary.total_value, Money::of(3.5));
    }

    #[test]
    fn only_keys_that_can_contain_a_long_part_are_listed() {
        let (short, long) = ("a".repeat(MAX_PATTERN_CHARS), "b".repeat(MAX_PATTERN_CHARS + 1));
        let line = |name: &str| format!(r#"{{"record_id":"{name}","vendor_name":"{name}"}}"#);
        let lines = [line(&short), line(&long), line("zed"), line(&long)];
        let totals = totals(EntityType::Award, &lines.each_ref().map(String::as_str));
        let [(id, key)] = totals.keys.as_slice() else {
            panic!("one key: {:?}", totals.keys);
        };
        assert_eq!((id.as_str(), &key.key), ("award/keys/vendor/0", &long));
        assert_eq!(totals.vendors.len(), 3, "all vendors are listed");
    }

    #[test]
    fn the_vocabulary_has_the_words_of_a_stem_in_each_language() {
        let totals = totals(
            EntityType::Award,
            &[
                r#"{"record_id":"1","title_en":"Roads and road works 24","title_fr":"routes"}"#,
                r#"{"record_id":"2","title_en":"Road"}"#,
            ],
        );
        let find = |stem: &str| {
            let id = stem_id(EntityType::Award, stem);
            totals
                .stems
                .iter()
                .find(|(known, _)| *known == id)
                .map(|(_, entry)| entry)
        };
        let road = find("road").unwrap();
        assert_eq!(
            (road.en.as_slice(), road.records),
            (&["road".to_owned(), "roads".to_owned()][..], 2)
        );
        assert!(find("rout").unwrap().fr.contains(&"routes".to_owned()));
        assert!(find("24").is_none());
        let documents = |word: &str| {
            let mut words = totals.words.iter().map(|(_, entry)| entry);
            words.find(|entry| entry.word == word).map(|entry| entry.documents)
        };
        let mut by_rank: Vec<&WordEntry> = totals.words.iter().map(|(_, entry)| entry).collect();
        by_rank.sort_unstable_by_key(|entry| entry.rank);
        assert!(by_rank.iter().zip(0..).all(|(entry, rank)| entry.rank == rank));
        let order = |entry: &&WordEntry| (std::cmp::Reverse(entry.documents), entry.word.clone());
        assert!(by_rank.is_sorted_by_key(order), "{by_rank:?}");
        assert_eq!(
            ["road", "roads", "24"].map(documents),
            [Some(2), Some(1), None],
            "a word that repeats counts once, a code is not listed"
        );
    }
}
