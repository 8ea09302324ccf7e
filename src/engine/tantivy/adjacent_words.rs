//! The documents that have some words next to one another, in their order.
//!
//! A word that comes more than once in the phrase is one posting list with one list of positions.
//! Tantivy's own phrase scorer reads the list again for each occurrence, so a phrase of ten equal
//! words costs it ten words.

use tantivy::{
    DocId, DocSet, SeekDangerResult, SegmentReader, TERMINATED, Term,
    postings::{Postings, SegmentPostings},
    schema::IndexRecordOption,
};

/// A phrase in a segment. Only [`DocSet::seek_danger`] finds documents.
pub(crate) struct AdjacentWords {
    /// The distinct words, the rarest first.
    words: Vec<Word>,
    /// Where the phrase may begin in the current document.
    starts: Vec<u32>,
    /// The positions of one word in the current document.
    positions: Vec<u32>,
}

struct Word {
    postings: SegmentPostings,
    /// The places of the word in the phrase, ascending. Never empty.
    places: Vec<u32>,
}

impl AdjacentWords {
    /// `None` if the segment has none of one of the words.
    pub(crate) fn new(segment: &SegmentReader, terms: &[Term]) -> tantivy::Result<Option<AdjacentWords>> {
        let mut words = Vec::new();
        for (term, places) in distinct(terms) {
            let postings = segment
                .inverted_index(term.field())?
                .read_postings(term, IndexRecordOption::WithFreqsAndPositions)?;
            let Some(postings) = postings else {
                return Ok(None);
            };
            words.push(Word { postings, places });
        }
        words.sort_by_key(|word| word.postings.doc_freq());
        Ok(Some(AdjacentWords {
            words,
            starts: Vec::new(),
            positions: Vec::new(),
        }))
    }

    /// Whether the document that all words are at has the phrase. The positions of a word are read
    /// only while the words before it allow the phrase.
    fn is_phrase(&mut self) -> bool {
        let (starts, positions) = (&mut self.starts, &mut self.positions);
        for (number, word) in self.words.iter_mut().enumerate() {
            word.postings.positions(positions);
            if number == 0 {
                let first = word.places[0];
                starts.clear();
                starts.extend(positions.iter().filter_map(|position| position.checked_sub(first)));
            }
            let has_word = |place: u32| positions.binary_search(&place).is_ok();
            starts.retain(|start| word.places.iter().all(|place| has_word(start + place)));
            if starts.is_empty() {
                return false;
            }
        }
        true
    }
}

impl DocSet for AdjacentWords {
    fn advance(&mut self) -> DocId {
        match self.doc() {
            TERMINATED => TERMINATED,
            document => self.seek(document + 1),
        }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        let mut target = target;
        while target < TERMINATED {
            match self.seek_danger(target) {
                SeekDangerResult::Found => break,
                SeekDangerResult::SeekLowerBound(next) => target = next,
            }
        }
        target
    }

    fn seek_danger(&mut self, target: DocId) -> SeekDangerResult {
        for word in &mut self.words {
            let mut document = word.postings.doc();
            if document < target {
                document = word.postings.seek(target);
            }
            if document > target {
                return SeekDangerResult::SeekLowerBound(document);
            }
        }
        if self.is_phrase() {
            SeekDangerResult::Found
        } else {
            SeekDangerResult::SeekLowerBound(target + 1)
        }
    }

    fn doc(&self) -> DocId {
        self.words.first().map_or(TERMINATED, |word| word.postings.doc())
    }

    /// A phrase is rarer than its rarest word; Tantivy's own phrases estimate the same.
    fn size_hint(&self) -> u32 {
        let rarest = self.words.first().map_or(0, |word| word.postings.size_hint());
        rarest / (10 * self.words.len().max(1) as u32)
    }

    /// Positions are read for each document with all words.
    fn cost(&self) -> u64 {
        let rarest = self.words.first().map_or(0, |word| word.postings.cost());
        rarest.saturating_mul(10 * self.words.len() as u64)
    }
}

/// The distinct terms in the order of their first occurrence, each with all its places.
fn distinct(terms: &[Term]) -> Vec<(&Term, Vec<u32>)> {
    let mut distinct: Vec<(&Term, Vec<u32>)> = Vec::new();
    for (place, term) in (0u32..).zip(terms) {
        match distinct.iter_mut().find(|(known, _)| *known == term) {
            Some((_, places)) => places.push(place),
            None => distinct.push((term, vec![place])),
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tantivy::{
        Index, IndexWriter, doc,
        schema::{Field, STORED, Schema, TEXT},
    };

    use super::*;

    fn terms(field: Field, words: &[String]) -> Vec<Term> {
        words.iter().map(|word| Term::from_field_text(field, word)).collect()
    }

    #[test]
    fn a_repeated_word_is_one_list() {
        let words = ["a", "b", "a", "a"].map(str::to_owned);
        let terms = terms(Field::from_field_id(0), &words);
        let places: Vec<Vec<u32>> = distinct(&terms).into_iter().map(|(_, places)| places).collect();
        assert_eq!(places, [vec![0, 2, 3], vec![1]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn exactly_the_texts_with_the_words_in_a_row_are_found(
            texts in prop::collection::vec(prop::collection::vec("[ab]", 1..8), 1..12),
            phrase in prop::collection::vec("[abc]", 2..5),
        ) {
            let mut schema = Schema::builder();
            let field = schema.add_text_field("text", TEXT | STORED);
            let index = Index::create_in_ram(schema.build());
            let mut writer: IndexWriter = index.writer_with_num_threads(1, 15_000_000).unwrap();
            for text in &texts {
                writer.add_document(doc!(field => text.join(" "))).unwrap();
            }
            writer.commit().unwrap();
            let searcher = index.reader().unwrap().searcher();
            let segment = searcher.segment_reader(0);
            let expected: Vec<DocId> = (0..)
                .zip(&texts)
                .filter(|(_, text)| text.windows(phrase.len()).any(|words| words == phrase))
                .map(|(document, _)| document)
                .collect();
            let mut found = Vec::new();
            if let Some(mut words) = AdjacentWords::new(segment, &terms(field, &phrase)).unwrap() {
                let mut document = words.seek(0);
                while document < TERMINATED {
                    found.push(document);
                    document = words.advance();
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
