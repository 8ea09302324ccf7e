//! Where nothing is found: words that do occur and are spelled nearly like those of `q`.

use std::collections::BTreeMap;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::ask::Ask,
    engine::{Error, record_search::RecordSearch},
    model::{
        EntityType, Record, Role, Schema,
        fold::{fold, word_list},
        stem::words_match,
    },
    query::{
        Page, SearchQuery, Start,
        text::{Clause, Term, TextQuery},
    },
};

/// A word that records have, near to one of `q` that none or few of them have.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Suggestion {
    /// The word of `q`, in lower case without accents.
    pub(crate) of: String,
    /// The near word as records spell it, in lower case.
    pub(crate) word: String,
    /// Number of letters to insert, remove, replace, or swap with their neighbour.
    pub(crate) distance: u8,
    /// The number of records that have the near word, whatever the filters.
    pub(crate) records: u64,
}

/// The maximum number of words of `q` for which near words are looked up.
pub(crate) const MAX_WORDS: usize = 8;

/// The maximum number of near words of a word.
const MAX_NEAR: usize = 3;

/// How many near words the engine is asked for: several can be forms of one word.
const MAX_CANDIDATES: usize = 12;

/// Decision D-240: a word that occurs is taken for a misspelling only if the near word is in at least so many times as
/// many records.
const RATIO: u64 = 10;

/// How many records are read for the spelling of a word.
const MAX_READ: usize = 5;

/// The words of a text for which near words are looked up.
#[derive(Debug)]
pub(crate) struct SuggestionPlan {
    entity_type: EntityType,
    words: Vec<String>,
}

impl SuggestionPlan {
    /// For the required words of a text as it was written. `None` without a text.
    pub(crate) fn of(query: &SearchQuery) -> Option<SuggestionPlan> {
        Some(SuggestionPlan {
            entity_type: query.entity_type,
            words: required_words(query.text.as_ref()?),
        })
    }

    /// How often the records are scanned: once for each word. The vocabulary is smaller than the records.
    pub(crate) fn scans(&self) -> usize {
        self.words.len()
    }

    /// Near words in the order of the words, the nearest first.
    pub(crate) fn run(&self, ask: &Ask) -> Result<Vec<Suggestion>, Error> {
        let alone = self.words.iter().map(|word| SearchQuery {
            text: Some(TextQuery::any(vec![Term::Word(word.clone())])),
            ..SearchQuery::newest(self.entity_type, Vec::new())
        });
        let records = ask.counts(alone.collect())?;
        let engine = &ask.generation.engine;
        let near_words = engine.near_words(self.entity_type, &self.words, MAX_CANDIDATES, ask.deadline.clone())?;
        let mut suggestions: Vec<Suggestion> = Vec::new();
        for ((word, own), near) in self.words.iter().zip(records).zip(near_words) {
            let mut kept: Vec<String> = Vec::new();
            for near in near {
                let is_form_of_kept = kept.iter().any(|known| words_match(known, &near.word));
                let is_rare = near.documents < own.saturating_mul(RATIO).max(1);
                if is_form_of_kept || is_rare || kept.len() == MAX_NEAR {
                    continue;
                }
                kept.push(near.word.clone());
                suggestions.push(Suggestion {
                    of: word.clone(),
                    word: near.word,
                    distance: near.distance,
                    records: near.documents,
                });
            }
        }
        let read = suggestions.iter().map(|near| newest_with(self.entity_type, &near.word));
        let read: Vec<RecordSearch> = read.collect();
        let read = ask.generation.engine.records_of(&read, ask.deadline.clone())?;
        for (suggestion, records) in suggestions.iter_mut().zip(read) {
            suggestion.word = spelling(self.entity_type, &suggestion.word, &records);
        }
        Ok(suggestions)
    }
}

/// The distinct words that a match must have, up to [`MAX_WORDS`]. The words of alternatives count too.
fn required_words(text: &TextQuery) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for clause in text.written() {
        let Clause::Any(terms) = clause else { continue };
        for word in terms.iter().flat_map(Term::words) {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
    }
    words.truncate(MAX_WORDS);
    words
}

/// A search for the newest records that have a folded word.
fn newest_with(entity_type: EntityType, word: &str) -> RecordSearch {
    RecordSearch::Page {
        query: SearchQuery {
            text: Some(TextQuery::any(vec![Term::Phrase(vec![word.to_owned()])])),
            ..SearchQuery::newest(entity_type, Vec::new())
        },
        page: Page {
            limit: MAX_READ,
            start: Start::Offset(0),
        },
    }
}

/// The most frequent spelling of a folded word in records that have it, in lower case: `déneigement` for `deneigement`.
fn spelling(entity_type: EntityType, word: &str, records: &[Bytes]) -> String {
    let mut spellings: BTreeMap<String, usize> = BTreeMap::new();
    for bytes in records {
        let Ok(record) = Record::parse(Schema::of(entity_type), bytes) else {
            continue;
        };
        for text in record.texts(Role::Text) {
            for (start, end) in runs(text) {
                let written = &text[start..end];
                if fold(written) == word {
                    *spellings.entry(written.to_lowercase()).or_default() += 1;
                }
            }
        }
    }
    // Of equally frequent spellings the last in the order of their letters, which is the one with accents.
    let best = spellings.into_iter().max_by_key(|(_, times)| *times);
    best.map_or_else(|| word.to_owned(), |(written, _)| written)
}

/// `q` with the near word in place of the word that it is near to.
pub(crate) fn corrected(q: &str, suggestion: &Suggestion) -> String {
    let mut corrected = String::with_capacity(q.len() + suggestion.word.len());
    let mut copied = 0;
    for (start, end) in runs(q) {
        if word_list(&q[start..end]) == [suggestion.of.as_str()] {
            corrected.push_str(&q[copied..start]);
            corrected.push_str(&suggestion.word);
            copied = end;
        }
    }
    corrected.push_str(&q[copied..]);
    corrected
}

/// Start and end of each run of characters that folding keeps in one word: letters, digits, `&`, and combining accents.
fn runs(text: &str) -> Vec<(usize, usize)> {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '&' | '\u{300}'..='\u{36f}');
    let mut runs = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (start, is_kept(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                runs.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    runs.extend(start.map(|from| (from, text.len())));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_q_is_replaced_and_nothing_else() {
        let suggestion = Suggestion {
            of: "deneigment".to_owned(),
            word: "déneigement".to_owned(),
            distance: 1,
            records: 7,
        };
        for (q, expected) in [
            ("deneigment", "déneigement"),
            ("Déneigment des rues", "déneigement des rues"),
            ("\"deneigment  rue\" OR -x", "\"déneigement  rue\" OR -x"),
            ("l'deneigment", "l'déneigement"),
            ("De\u{301}neigment", "déneigement"),
            ("deneigments", "deneigments"),
            ("", ""),
        ] {
            assert_eq!(corrected(q, &suggestion), expected, "{q}");
        }
    }

    #[test]
    fn the_required_words_are_those_of_clauses_that_are_not_excluded() {
        let words = |q: &str| required_words(&TextQuery::parse(q).unwrap());
        assert_eq!(words("a OR \"b c\" -d a e"), ["a", "b", "c", "e"]);
        assert_eq!(words("-a"), [""; 0]);
        assert_eq!(words("a b c d e f g h i j").len(), MAX_WORDS);
    }
}
