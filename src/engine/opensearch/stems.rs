//! The vocabulary of a generation: the words of each stem, so that `road` finds `roads`, and how
//! many records have a similarity term or a word.
//!
//! Entries never change, so the last ones read are kept in memory.

use std::{collections::HashMap, sync::Arc};

use serde_json::json;

use super::{
    cache::Cache,
    client::Client,
    cluster_error::ClusterError,
    document::{StemEntry, WordEntry, is_listed},
    mapping::{stem_id, word_id},
    query::term,
    searcher::{Searcher, total},
};
use crate::{
    engine::{deadline::Deadline, error::Error},
    model::{EntityType, Language, Role, stem::stem},
};

/// The maximum number of entries in memory: a few megabytes.
const MAX_CACHED: usize = 20_000;

/// The maximum number of entries that one request asks for.
const STEP: usize = 1_000;

/// The maximum number of words that one request counts.
const COUNTED: usize = 100;

/// Bytes. No stem is longer, and the id of a document has at most 512.
const MAX_STEM_BYTES: usize = 256;

/// The vocabulary index of a generation.
pub(crate) struct Vocabulary {
    /// The name of the index.
    pub(crate) index: String,
    cache: Cache<StemEntry>,
    /// The number of records with a word, by the word's id.
    frequencies: Cache<u64>,
}

impl Vocabulary {
    pub(crate) fn new(index: String) -> Vocabulary {
        Vocabulary {
            index,
            cache: Cache::new(MAX_CACHED),
            frequencies: Cache::new(MAX_CACHED),
        }
    }

    /// For each word: itself, whether or not the index has it, and the words of the index with the
    /// same stem in either language.
    pub(crate) fn variants(
        &self,
        client: &Client,
        entity_type: EntityType,
        words: &[&str],
        deadline: &Deadline,
    ) -> Result<HashMap<String, Vec<String>>, Error> {
        let stems_of = |word: &str| Language::ALL.map(|language| (language, stem(language, word)));
        let stems: Vec<String> = words
            .iter()
            .flat_map(|word| stems_of(word))
            .filter_map(|(_, stem)| stem)
            .collect();
        let entries = self.entries(client, entity_type, &stems, deadline)?;
        let mut variants = HashMap::with_capacity(words.len());
        for word in words {
            let mut found = vec![(*word).to_owned()];
            for (language, stem) in stems_of(word) {
                let Some(entry) = stem.and_then(|stem| entries.get(&stem)) else {
                    continue;
                };
                let same_stem = match language {
                    Language::English => &entry.en,
                    Language::French => &entry.fr,
                };
                for variant in same_stem {
                    if !found.contains(variant) {
                        found.push(variant.clone());
                    }
                }
            }
            variants.insert((*word).to_owned(), found);
        }
        Ok(variants)
    }

    /// The number of records that have each word in a text that `q` searches, by word.
    pub(crate) fn document_frequencies(
        &self,
        searcher: &Searcher,
        words: &[String],
    ) -> Result<HashMap<String, u64>, Error> {
        let entity_type = searcher.index.entity_type;
        let mut known: HashMap<String, u64> = HashMap::with_capacity(words.len());
        let (mut listed, mut others): (Vec<&String>, Vec<&String>) = (Vec::new(), Vec::new());
        for word in words {
            match self.frequencies.get(&word_id(entity_type, word)) {
                Some(records) => _ = known.insert(word.clone(), *records),
                None if is_listed(word) => listed.push(word),
                None => others.push(word),
            }
        }
        let mut found: Vec<(&String, u64)> = Vec::with_capacity(listed.len() + others.len());
        for words in listed.chunks(STEP) {
            let ids: Vec<String> = words.iter().map(|word| word_id(entity_type, word)).collect();
            searcher.deadline.check()?;
            let sources = searcher.client.documents(&self.index, &ids, searcher.deadline)?;
            for (word, source) in words.iter().zip(sources) {
                let entry = source.map(|source| serde_json::from_str::<WordEntry>(source.get()));
                let entry = entry.transpose();
                let entry = entry.map_err(|why| ClusterError::unreadable("the vocabulary", why))?;
                found.push((*word, entry.map_or(0, |entry| entry.documents)));
            }
        }
        // Codes are not in the vocabulary. They are few in a query.
        for words in others.chunks(COUNTED) {
            let counts = words.iter().map(
                |word| json!({ "query": term(Role::Text.name(), word.as_str()), "size": 0, "track_total_hits": true }),
            );
            for (word, response) in words.iter().zip(searcher.multi_search(counts.collect())?) {
                found.push((*word, total(&response)?));
            }
        }
        for (word, records) in found {
            self.frequencies.insert(word_id(entity_type, word), Arc::new(records));
            known.insert(word.clone(), records);
        }
        Ok(known)
    }

    /// The entries of stems, by stem. One that the index does not have is empty.
    pub(crate) fn entries(
        &self,
        client: &Client,
        entity_type: EntityType,
        stems: &[String],
        deadline: &Deadline,
    ) -> Result<HashMap<String, Arc<StemEntry>>, Error> {
        let mut entries: HashMap<String, Arc<StemEntry>> = HashMap::with_capacity(stems.len());
        let mut missing: Vec<&String> = Vec::new();
        for stem in stems {
            if stem.len() > MAX_STEM_BYTES || entries.contains_key(stem) || missing.contains(&stem) {
                continue;
            }
            match self.cache.get(&stem_id(entity_type, stem)) {
                Some(entry) => _ = entries.insert(stem.clone(), entry),
                None => missing.push(stem),
            }
        }
        for stems in missing.chunks(STEP) {
            deadline.check()?;
            let ids: Vec<String> = stems.iter().map(|stem| stem_id(entity_type, stem)).collect();
            let found = client.documents(&self.index, &ids, deadline)?;
            for ((stem, id), source) in stems.iter().zip(ids).zip(found) {
                let entry: StemEntry = match source {
                    Some(source) => serde_json::from_str(source.get())
                        .map_err(|why| ClusterError::unreadable("the vocabulary", why))?,
                    None => StemEntry::default(),
                };
                let entry = Arc::new(entry);
                entries.insert((*stem).clone(), Arc::clone(&entry));
                self.cache.insert(id, entry);
            }
        }
        Ok(entries)
    }
}
