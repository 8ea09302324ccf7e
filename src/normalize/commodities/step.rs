//! The step of a run that learns and completes.

use std::{
    io,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use crate::{
    model::{
        EntityType, Language, Record,
        commodity::{self, CommodityCode, Scheme},
        commodity_table::{self, OWN_TITLES},
        commodity_words::{BETWEEN_WORDS, CommodityDictionary, CommodityLearner, WORDED_FIELDS, WordedField},
    },
    normalize::{
        report::{CommodityCounts, NormalizeReport},
        second_pass::SecondPassStep,
    },
    storage::{dump::COMMODITIES, regular_file},
};

/// Keeps nothing of a record but its codes and their wordings ([`CommodityLearner`]).
pub(crate) struct CommodityStep {
    learner: CommodityLearner,
    /// The operator's table.
    given: CommodityDictionary,
    /// What former runs, and this program, know.
    former: CommodityDictionary,
    /// All of them, once the records are observed.
    dictionary: CommodityDictionary,
    /// By scheme.
    counts: [CommodityCounts; Scheme::ALL.len()],
    completed: [AtomicU64; Scheme::ALL.len()],
}

/// The longest text that a field gains, in bytes. The four fields of a record stay below what a step
/// may add.
const MAX_TEXT_BYTES: usize = 1_500;

impl CommodityStep {
    /// Reads the operator's table, if there is one, and the dictionary of former runs in the folder of
    /// the dumps.
    pub(crate) fn new(table: Option<&Path>, out: &Path) -> Result<CommodityStep> {
        let given = match table {
            Some(path) => {
                let bytes = regular_file::read(path).with_context(|| format!("reading {}", path.display()))?;
                commodity_table::parse(&bytes).map_err(|why| anyhow!("{} {why}", path.display()))?
            }
            None => Default::default(),
        };
        let mut former = former_dictionary(out)?;
        former.complete(OWN_TITLES.clone().into_iter().collect());
        Ok(CommodityStep {
            learner: CommodityLearner::default(),
            given: given.into_iter().collect(),
            former,
            dictionary: CommodityDictionary::default(),
            counts: Default::default(),
            completed: Default::default(),
        })
    }

    fn count(&mut self, learned: &CommodityDictionary) {
        // A code without records is one of a row that gave none.
        for (code, _) in learned.0.iter().filter(|(_, entry)| entry.records > 0) {
            let counts = &mut self.counts[code.scheme() as usize];
            counts.codes += 1;
            let has_nearest = |language: Language| self.dictionary.nearest(code, language).is_some();
            // What this run teaches is learned, also if a former run has learned it: a second run has the same report.
            let of_its_kind = if self.given.own(code).is_some() {
                &mut counts.known
            } else if learned.own(code).is_some() {
                &mut counts.learned
            } else if self.former.own(code).is_some() {
                &mut counts.known
            } else if Language::ALL.into_iter().any(has_nearest) {
                &mut counts.covered
            } else {
                &mut counts.unknown
            };
            *of_its_kind += 1;
        }
    }

    /// The distinct words of some codes, as many as fit.
    fn words(&self, codes: &[CommodityCode], language: Language) -> Option<String> {
        let mut members: Vec<&str> = Vec::new();
        let mut bytes = 0;
        for words in codes.iter().filter_map(|code| self.dictionary.nearest(code, language)) {
            if !members.contains(&words) && bytes + words.len() + BETWEEN_WORDS.len() <= MAX_TEXT_BYTES {
                bytes += words.len() + BETWEEN_WORDS.len();
                members.push(words);
            }
        }
        (!members.is_empty()).then(|| members.join(BETWEEN_WORDS))
    }

    /// The words that a record lacks in a field that is filled.
    fn missing(&self, record: &Record, field: &WordedField) -> Vec<(&'static str, Value)> {
        let Some(text) = record.text(field.codes) else {
            return Vec::new();
        };
        let lacking = Language::ALL
            .into_iter()
            .filter(|language| record.text(field.of(*language)).is_none());
        let lacking: Vec<Language> = lacking.collect();
        if lacking.is_empty() {
            return Vec::new();
        }
        let codes: Vec<CommodityCode> = commodity::codes(field.codes, text).collect();
        let words = lacking.into_iter().filter_map(|language| {
            let words = self.words(&codes, language)?;
            Some((field.of(language), Value::String(words)))
        });
        let words: Vec<_> = words.collect();
        // A field has codes of one scheme, as a rule: the first one names it.
        if let (Some(code), false) = (codes.first(), words.is_empty()) {
            self.completed[code.scheme() as usize].fetch_add(1, Ordering::Relaxed);
        }
        words
    }
}

/// The dictionary that the last run wrote; empty if there is none.
fn former_dictionary(out: &Path) -> Result<CommodityDictionary> {
    let path = out.join(COMMODITIES);
    match regular_file::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(CommodityDictionary::default()),
        bytes => {
            let bytes = bytes.with_context(|| format!("reading {}", path.display()))?;
            let parsed = CommodityDictionary::parse_bytes(&bytes);
            parsed.map_err(|why| {
                anyhow!(
                    "{} {why}; mend the line, or remove the file to learn anew",
                    path.display()
                )
            })
        }
    }
}

impl SecondPassStep for CommodityStep {
    fn teach(&mut self, taught: &mut CommodityLearner) {
        self.learner = std::mem::take(&mut self.learner).merge(std::mem::take(taught));
    }

    fn observe(&mut self, _: EntityType, _: &str, record: &Record) {
        self.learner.observe(record);
    }

    fn conclude(&mut self) {
        let learned = std::mem::take(&mut self.learner).conclude();
        self.dictionary = self.given.clone();
        self.dictionary.complete(learned.clone());
        self.dictionary.complete(self.former.clone());
        self.count(&learned);
    }

    fn complete(&self, _: EntityType, _: &str, record: &Record) -> Vec<(&'static str, Value)> {
        let filled = WORDED_FIELDS.iter().filter(|field| field.is_filled());
        filled.flat_map(|field| self.missing(record, field)).collect()
    }

    fn file(&self) -> Option<(&'static str, Vec<u8>)> {
        Some((COMMODITIES, self.dictionary.to_text().into_bytes()))
    }

    fn report(&self, report: &mut NormalizeReport) {
        for scheme in Scheme::ALL {
            let counts = CommodityCounts {
                records_completed: self.completed[scheme as usize].load(Ordering::Relaxed),
                ..self.counts[scheme as usize].clone()
            };
            if counts.codes > 0 {
                report.commodities.insert(scheme.name(), counts);
            }
        }
    }
}
