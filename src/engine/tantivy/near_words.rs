//! Near words: a Levenshtein automaton over the words of the texts.
//!
//! The automaton visits only the parts of the term dictionary that can lead to a near word. A word of
//! up to 32 letters has an automaton of a few thousand states, and a dictionary of a million words
//! is searched in milliseconds. Beyond that the deadline bounds the search.

use tantivy::{Term, query::FuzzyTermQuery};

use super::{
    entity_index::EntityIndex,
    errors::{internal, unreadable},
};
use crate::{
    engine::{
        deadline::Deadline,
        error::Error,
        near_words::{NearWord, max_distance, nearest},
    },
    model::Role,
};

/// The deadline is checked after this many words that the automaton accepts.
const STRIDE: u32 = 256;

/// Up to `limit` words of the texts near a folded word.
pub(crate) fn near_words(
    index: &EntityIndex,
    word: &str,
    limit: usize,
    deadline: &Deadline,
) -> Result<Vec<NearWord>, Error> {
    let (Some(distance), Some(field)) = (max_distance(word), index.layout.field(Role::Text)) else {
        return Ok(Vec::new());
    };
    // With swapped neighbours as one edit.
    let query = FuzzyTermQuery::new(Term::from_field_text(field, word), distance, true);
    let automaton = query.automaton().map_err(internal)?;
    let inverted = index.segment().inverted_index(field).map_err(internal)?;
    let mut terms = inverted.terms().search(automaton).into_stream().map_err(unreadable)?;
    let mut accepted = Vec::new();
    let mut steps: u32 = 0;
    while let Some((term, info)) = terms.next() {
        accepted.push((String::from_utf8_lossy(term).into_owned(), u64::from(info.doc_freq)));
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(STRIDE) {
            deadline.check()?;
        }
    }
    deadline.check()?;
    Ok(nearest(word, accepted, limit))
}
