//! The words of a chunk, and the terms of the three index fields that are made of them: the words themselves, their
//! stems for similarity, and the words by tier for the order by relevance.
//!
//! A text is split into words once, whatever it is searched by. From there on a word is a number: its stems are looked
//! up once for each chunk, and a term of two words is found by two numbers.

use std::{cmp::Ordering, ops::Range, str};

use rustc_hash::FxHashMap;

use super::postings_log::{FieldTerms, PostingsLog};
use crate::{
    engine::{
        purchase_words,
        relevance::{IndexTerm, other_tiers, title_terms},
    },
    model::{
        Language, Record, Role,
        fold::words,
        interner::{Interner, Texts},
        known_texts::{KnownTexts, parts},
        similarity_terms,
    },
};

/// The texts of these roles repeat from record to record.
const REPEATED: [Role; 4] = [Role::Vendor, Role::Department, Role::CommodityWords, Role::Commodity];

#[derive(Default)]
pub(super) struct TextTerms {
    words: NumberedWords,
    stems: StemNumbers,
    relevance: RelevanceTerms,
    /// The words of texts that repeat.
    repeated: KnownTexts,
    text_log: PostingsLog,
    subject_log: PostingsLog,
    relevance_log: PostingsLog,
    texts: RecordTexts,
}

/// The words, with numbers.
#[derive(Default)]
struct NumberedWords {
    words: Interner,
    /// The words of parts of texts.
    parts: KnownTexts,
}

impl NumberedWords {
    /// Appends the words of a text.
    fn split(&mut self, text: &str, list: &mut Vec<u32>) {
        let mut number = |word: &str| self.words.add(word.as_bytes()).0;
        for part in parts(text) {
            // Numbers and codes seldom recur.
            if part.bytes().any(|byte| byte.is_ascii_digit()) {
                words(part, |word| list.push(number(word)));
            } else {
                let of_part = self
                    .parts
                    .list(part, |list| words(part, |word| list.push(number(word))));
                list.extend_from_slice(of_part);
            }
        }
    }
}

/// The words of the texts of one record.
#[derive(Default)]
struct RecordTexts {
    words: Vec<u32>,
    /// Where each text is in memory, and where its words are: a field may have several roles.
    ranges: Vec<(*const u8, Range<usize>)>,
}

/// The three fields.
pub(super) struct TextFields {
    pub(super) text: FieldTerms,
    pub(super) subject: FieldTerms,
    pub(super) relevance: FieldTerms,
}

impl TextTerms {
    /// Adds the next document.
    pub(super) fn add(&mut self, record: &Record, has_subject: bool) {
        self.texts.words.clear();
        self.texts.ranges.clear();
        for role in REPEATED {
            for text in record.texts(role) {
                let list = self.repeated.list(text, |list| self.words.split(text, list));
                self.texts.add(text, |words| words.extend_from_slice(list));
            }
        }
        for text in record.texts(Role::Text) {
            let range = self.texts.range_of(text, &mut self.words);
            self.text_log.extend(&self.texts.words[range]);
            self.text_log.push_gap();
        }
        self.text_log.end_document();
        if has_subject {
            for (field, text) in record.named_texts(Role::Subject) {
                let range = self.texts.range_of(text, &mut self.words);
                for language in similarity_terms::languages(field) {
                    for word in &self.texts.words[range.clone()] {
                        if let Some(stem) = self.stems.of(*language, *word, &self.words.words) {
                            self.subject_log.push(stem);
                        }
                    }
                }
            }
            self.subject_log.end_document();
        }
        for text in record.texts(Role::Title) {
            let range = self.texts.range_of(text, &mut self.words);
            title_terms(&self.texts.words[range], |term| {
                self.relevance_log.push(self.relevance.number(term));
            });
        }
        for (role, tier) in other_tiers() {
            for text in record.texts(role) {
                let range = self.texts.range_of(text, &mut self.words);
                for word in &self.texts.words[range] {
                    let term = IndexTerm::InTier(*word, tier);
                    self.relevance_log.push(self.relevance.number(term));
                }
            }
        }
        self.add_described(record);
        self.relevance_log.end_document();
    }

    /// The words of names that describe the purchase, as [`purchase_words::described_terms`] states.
    fn add_described(&mut self, record: &Record) {
        let mut names = Vec::new();
        for text in purchase_words::NAMES.into_iter().flat_map(|role| record.texts(role)) {
            let range = self.texts.range_of(text, &mut self.words);
            names.extend_from_slice(&self.texts.words[range]);
        }
        names.sort_unstable();
        names.dedup();
        let mut has_words = |text: &str| !self.texts.range_of(text, &mut self.words).is_empty();
        for (text, by) in purchase_words::describing_texts(record, &mut has_words) {
            let range = self.texts.range_of(text, &mut self.words);
            for word in self.texts.words[range].iter().filter(|word| names.contains(word)) {
                let term = purchase_words::described_term(*word, by);
                self.relevance_log.push(self.relevance.number(term));
            }
        }
    }

    pub(super) fn finish(self) -> TextFields {
        let text = FieldTerms::new(self.words.words.into_texts(), self.text_log);
        TextFields {
            relevance: self.relevance.finish(&text, self.relevance_log),
            subject: FieldTerms::new(self.stems.terms.into_texts(), self.subject_log),
            text,
        }
    }
}

impl RecordTexts {
    /// Adds a text of the record with its words.
    fn add(&mut self, text: &str, push_words: impl FnOnce(&mut Vec<u32>)) -> Range<usize> {
        let start = self.words.len();
        push_words(&mut self.words);
        let range = start..self.words.len();
        self.ranges.push((text.as_ptr(), range.clone()));
        range
    }

    /// Where the words of a text of the record are, which is split unless it was added.
    fn range_of(&mut self, text: &str, words: &mut NumberedWords) -> Range<usize> {
        // Empty texts may have one address, and none has a word.
        let known = self.ranges.iter().find(|(address, _)| *address == text.as_ptr());
        match known {
            Some((_, range)) => range.clone(),
            None => self.add(text, |list| words.split(text, list)),
        }
    }
}

/// The similarity terms of words.
#[derive(Default)]
struct StemNumbers {
    terms: Interner,
    /// By language and word.
    of_word: [Vec<u32>; Language::ALL.len()],
}

const UNKNOWN: u32 = u32::MAX;
/// The word is no similarity term.
const NONE: u32 = u32::MAX - 1;

impl StemNumbers {
    fn of(&mut self, language: Language, word: u32, words: &Interner) -> Option<u32> {
        let of_word = &mut self.of_word[language as usize];
        if of_word.len() < words.len() {
            of_word.resize(words.len(), UNKNOWN);
        }
        let known = &mut of_word[word as usize];
        if *known == UNKNOWN {
            *known = NONE;
            similarity_terms::words(text_of(words.texts(), word), &[language], |stem| {
                *known = self.terms.add(stem.as_bytes()).0;
            });
        }
        Some(*known).filter(|stem| *stem != NONE)
    }
}

fn text_of(words: &Texts, word: u32) -> &str {
    str::from_utf8(words.get(word)).expect("a word is a text")
}

/// The terms of the order by relevance, by the numbers of their words.
#[derive(Default)]
struct RelevanceTerms {
    /// By [`packed`] term.
    numbers: FxHashMap<u64, u32>,
    terms: Vec<IndexTerm<u32>>,
}

/// A term as one number. Terms whose words are numbered in the order of their texts are in the order of these numbers,
/// because `+` comes before `/`.
fn packed(term: IndexTerm<u32>) -> u64 {
    const TIER: u64 = 1 << 31;
    let (word, rest) = match term {
        IndexTerm::InTier(word, tier) => (word, TIER | u64::from(u32::from(tier))),
        IndexTerm::Neighbours(first, second) => (first, second.into()),
    };
    debug_assert!(rest < TIER << 1, "a chunk has less than 2^31 words");
    u64::from(word) << 32 | rest
}

impl RelevanceTerms {
    fn number(&mut self, term: IndexTerm<u32>) -> u32 {
        *self.numbers.entry(packed(term)).or_insert_with(|| {
            self.terms.push(term);
            self.terms.len() as u32 - 1
        })
    }

    /// The terms as texts, with the same numbers. They are sorted by the ranks of their words, which takes less than to
    /// compare texts: most terms begin like many others.
    fn finish(self, text: &FieldTerms, log: PostingsLog) -> FieldTerms {
        drop(self.numbers);
        let words = &text.terms;
        let last = ranks(&text.sorted);
        // A word before `+` or `/` comes before the words that it is the start of, unless they go on with `&`.
        let mut sorted = text.sorted.clone();
        sorted.sort_by(|a, b| cmp_before_separator(words.get(*a), words.get(*b)));
        let first = ranks(&sorted);
        let (mut terms, mut order, mut written) =
            (Texts::default(), Vec::with_capacity(self.terms.len()), String::new());
        for (number, term) in (0..).zip(self.terms) {
            term.map(|word| text_of(words, word)).write(&mut written);
            terms.push(written.as_bytes());
            let ranked = match term {
                IndexTerm::InTier(word, tier) => IndexTerm::InTier(first[word as usize], tier),
                IndexTerm::Neighbours(one, two) => IndexTerm::Neighbours(first[one as usize], last[two as usize]),
            };
            order.push((packed(ranked), number));
        }
        order.sort_unstable();
        FieldTerms {
            terms,
            sorted: order.into_iter().map(|(_, number)| number).collect(),
            log,
        }
    }
}

/// The place of each number in a list of all.
fn ranks(sorted: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; sorted.len()];
    for (rank, number) in (0..).zip(sorted) {
        ranks[*number as usize] = rank;
    }
    ranks
}

/// Compares two words as they are before a separator of a term.
fn cmp_before_separator(a: &[u8], b: &[u8]) -> Ordering {
    let shared = a.len().min(b.len());
    let next = |word: &[u8]| word.get(shared).copied().unwrap_or(b'+');
    a[..shared].cmp(&b[..shared]).then_with(|| next(a).cmp(&next(b)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        engine::{
            purchase_words::{DescribedBy, described_term, described_terms},
            relevance::index_terms,
        },
        model::{EntityType, Schema, fold::word_list},
    };

    /// The terms of each document.
    fn by_document(field: FieldTerms, documents: usize) -> Vec<BTreeSet<String>> {
        let FieldTerms { terms, sorted, log } = field;
        assert_eq!(sorted, terms.sorted());
        let mut found = vec![BTreeSet::new(); documents];
        let inverted = log.invert(terms.len());
        for number in 0..terms.len() as u32 {
            for (document, _) in inverted.get(number) {
                found[*document as usize].insert(text_of(&terms, number).to_owned());
            }
        }
        found
    }

    #[test]
    fn the_terms_are_those_of_the_model() {
        let lines = [
            r#"{"record_id":"1","title_en":"Snow removal, snow","title_fr":"Déneigement Neige","vendor_name":"Neige & Fils inc.","department_en":"Parks"}"#,
            r#"{"record_id":"2","title_en":"","description_fr":"CF-18 l'eau","vendor_name":"Neige & Fils inc.","reference_number":"W-1"}"#,
            r#"{"record_id":"3"}"#,
            r#"{"record_id":"4","title_en":"--","vendor_name":"Neige & Fils inc.","buyer_name":"Parks"}"#,
            r#"{"record_id":"5","title_en":"Roads 2024 a","title_fr":"Roads 2024 a","buyer_name":"Parks","gsin":"N7030"}"#,
        ];
        let records = lines.map(|line| Record::parse(Schema::of(EntityType::Contract), line.as_bytes()).unwrap());
        let mut terms = TextTerms::default();
        records.iter().for_each(|record| terms.add(record, true));
        let fields = terms.finish();
        let text = by_document(fields.text, records.len());
        let subject = by_document(fields.subject, records.len());
        let relevance = by_document(fields.relevance, records.len());
        for (number, record) in records.iter().enumerate() {
            let expected: BTreeSet<String> = record.texts(Role::Text).flat_map(word_list).collect();
            assert_eq!(text[number], expected, "{number}");
            let mut expected = BTreeSet::new();
            record.similarity_terms(|term| _ = expected.insert(term.to_owned()));
            assert_eq!(subject[number], expected, "{number}");
            let mut expected = BTreeSet::new();
            index_terms(record, |term| _ = expected.insert(term.to_owned()));
            described_terms(record, |term| _ = expected.insert(term.to_owned()));
            assert_eq!(relevance[number], expected, "{number}");
        }
        let described = |number: usize, word: &str, by| relevance[number].contains(&described_term(word, by).text());
        let (by_text, by_vendor) = (DescribedBy::Text, DescribedBy::Vendor);
        assert!(described(0, "neige", by_text) && !described(0, "neige", by_vendor));
        assert!(!described(1, "neige", by_text) && !described(1, "neige", by_vendor));
        assert!(described(3, "neige", by_vendor) && !described(3, "neige", by_text));
        assert!(!described(3, "parks", by_vendor));
        assert!(relevance[0].contains("snow+removal") && subject[0].contains("snow"));
    }
}
