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
    facet_codes::{FacetCodes, FacetTable},
    names_file::Names,
    query::is_long_part,
    vocabulary::{StoredVocabulary, is_listed},
};
use crate::{
    engine::{
        aggregation::Money,
        facet_values::{FacetValues, Sum},
        names::NAMES,
    },
    model::{Facet, Record, Role, Schema, fold::words},
};

/// Counts of some records of an entity type. The counts of two parts can be merged.
pub(crate) struct BuildTotals {
    schema: &'static Schema,
    summary: RecordSummary,
    /// By facet: the number and the values of the records with each entry.
    entries: [HashMap<Vec<String>, Sum>; Facet::ALL.len()],
    /// By role of [`NAMES`]: the keys that are too long for a pattern.
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

/// Numbers and sums over all records of an entity type, to compare with the numbers of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordSummary {
    pub(crate) records: u64,
    pub(crate) max_record_bytes: u64,
    pub(crate) bytes: u64,
    pub(crate) records_with_value: u64,
    /// In Canadian dollars.
    #[serde(skip)]
    pub(crate) total_value: Money,
}

/// What follows from [`BuildTotals`] of all records.
pub(crate) struct FinishedTotals {
    pub(crate) summary: RecordSummary,
    pub(crate) codes: FacetCodes,
    pub(crate) names: Names,
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
            let is_summed = matches!(facet, Facet::Vendor | Facet::Department);
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
        let mut codes = FacetCodes::default();
        let mut tables = Vec::new();
        for (facet, found) in Facet::ALL.into_iter().zip(self.entries) {
            let mut found: Vec<(Vec<String>, Sum)> = found.into_iter().collect();
            // Sorted, so that repeated builds give equal codes.
            found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            let (entries, sums): (Vec<Vec<String>>, Vec<Sum>) = found.into_iter().unzip();
            if entries.is_empty() {
                continue;
            }
            if facet == Facet::Vendor {
                tables.push(vendor_table(&entries, &sums, &mut codes));
            } else {
                for (entry, code) in entries.iter().zip(0..) {
                    codes.insert(facet, entry.clone(), code);
                }
                tables.push(FacetTable { facet, entries, sums });
            }
        }
        let long_keys = NAMES.into_iter().map(|role| role.name().to_owned()).zip(self.keys);
        let words = self.words.into_iter().map(|(word, count)| (word, count.records));
        FinishedTotals {
            summary: self.summary,
            codes,
            names: Names {
                facets: tables,
                long_keys: long_keys.collect(),
                vocabulary: StoredVocabulary {
                    words: words.collect(),
                    terms: self.terms,
                },
            },
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

/// The vendors of an entity type, and the code of each spelling. All spellings of a vendor share the
/// code. Codes ascend with (name, key), so that a terms aggregation by descending count and ascending
/// code has the order of [`FacetBuckets`](crate::engine::aggregation::FacetBuckets).
fn vendor_table(entries: &[Vec<String>], sums: &[Sum], codes: &mut FacetCodes) -> FacetTable {
    let values_of = |entry: &[String]| -> Vec<(String, String)> {
        let values = entry.iter().map(|text| (Facet::Vendor.key(text), text.clone()));
        values.collect()
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
        if let Some(rank) = values.values_of_code(number).first() {
            codes.insert(Facet::Vendor, entry.clone(), code_of_rank[rank as usize]);
        }
    }
    FacetTable {
        facet: Facet::Vendor,
        entries: by_name.iter().map(|rank| vec![values.name(*rank).to_owned()]).collect(),
        sums: by_name.iter().map(|rank| values.sum(*rank)).collect(),
    }
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
    use crate::{engine::opensearch::query::MAX_PATTERN_CHARS, model::EntityType};

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
    fn vendors_have_codes_by_name() {
        let lines = [
            r#"{"record_id":"1","vendor_name":"Zed","contract_value":1.5}"#,
            r#"{"record_id":"2","vendor_name":"ZED","contract_value":2}"#,
            r#"{"record_id":"3","vendor_name":"Zed"}"#,
            r#"{"record_id":"4","vendor_name":"Alpha"}"#,
            r#"{"record_id":"5"}"#,
        ];
        let totals = totals(EntityType::Award, &lines);
        let table = totals
            .names
            .facets
            .iter()
            .find(|table| table.facet == Facet::Vendor)
            .unwrap();
        assert_eq!(table.entries, [vec!["Alpha".to_owned()], vec!["Zed".to_owned()]]);
        assert_eq!(table.sums.iter().map(|sum| sum.count).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(table.sums[1].total_value, Money::of(3.5));
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
        assert_eq!(totals.names.long_keys["vendor"], BTreeSet::from([long]));
        assert!(totals.names.long_keys["department"].is_empty());
    }

    #[test]
    fn the_vocabulary_has_words_and_terms() {
        let lines = [
            r#"{"record_id":"1","title_en":"Roads and road works 24","title_fr":"routes"}"#,
            r#"{"record_id":"2","title_en":"Road road"}"#,
        ];
        let vocabulary = totals(EntityType::Award, &lines).names.vocabulary;
        let documents = |word: &str| vocabulary.words.get(word).copied();
        assert_eq!(["road", "roads", "24"].map(documents), [Some(2), Some(1), None]);
        assert_eq!(vocabulary.terms["road"], 2);
    }
}
