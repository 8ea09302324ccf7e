//! How similar two purchases are by the words that say what is bought.
//!
//! The similarity is a cosine over the inverse document frequency of shared stems, in English and
//! in French, of the first field (the title) alone and of the whole text. The best of these counts,
//! so that a tender with a page of conditions still matches a contract that has a title only.

use std::cell::Cell;

use crate::model::{Language, Record, Role, Schema, fold, interner::Interner, similarity_terms};

/// Two titles with at least this similarity name the same need.
pub(crate) const NEAR_SAME_TEXT: f64 = 0.7;

/// Two texts with at least this similarity are about similar things.
pub(crate) const SIMILAR_TEXT: f64 = 0.3;

/// The maximum number of bytes read of a field. The text after them states conditions, not the
/// subject.
const MAX_FIELD_BYTES: usize = 1000;

/// Numbers the stems that occur while one item is answered. The stems of words are kept for the next item of the
/// thread, because stemming is the slow step and words recur.
#[derive(Default)]
pub(crate) struct Lexicon {
    known: KnownStems,
    /// By the number of a known stem: its number here, or [`UNNUMBERED`].
    numbers: Vec<u32>,
    /// The known stems in the order of their numbers here.
    numbered: Vec<u32>,
}

const UNNUMBERED: u32 = u32::MAX;

/// The stems of words.
#[derive(Default)]
struct KnownStems {
    stems: Interner,
    /// For each language: words, and the number of each word's stem; `None` for a word without a stem.
    words: [(Interner, Vec<Option<u32>>); Language::ALL.len()],
}

/// More bytes of words are not kept for the next item.
const MAX_KEPT_BYTES: usize = 2 << 20;

thread_local! {
    /// What the last item of the thread has left.
    static KEPT: Cell<Option<KnownStems>> = const { Cell::new(None) };
}

/// Distinct stem numbers, ascending.
type StemSet = Vec<u32>;

/// The words of a purchase. For each language: the stems of its first field (the title, if it has
/// one), and those of all fields.
#[derive(Debug, Default)]
pub(crate) struct PurchaseText {
    stem_sets: [Vec<StemSet>; Language::ALL.len()],
}

impl Lexicon {
    /// Begins with the stems that an item of this thread has left.
    pub(crate) fn new() -> Lexicon {
        Lexicon {
            known: KEPT.take().unwrap_or_default(),
            numbers: Vec::new(),
            numbered: Vec::new(),
        }
    }

    /// The stems numbered so far, in order of their numbers.
    pub(crate) fn stems(&self) -> Vec<String> {
        let text = |stem: &u32| String::from_utf8_lossy(self.known.stems.get(*stem)).into_owned();
        self.numbered.iter().map(text).collect()
    }

    fn read(&mut self, text: &str, language: Language, into: &mut StemSet) {
        let text = &text[..text.floor_char_boundary(MAX_FIELD_BYTES)];
        fold::words(text, |word| {
            if let Some(stem) = self.known.stem(word, language) {
                into.push(self.number(stem));
            }
        });
    }

    fn number(&mut self, stem: u32) -> u32 {
        let at = stem as usize;
        if at >= self.numbers.len() {
            self.numbers.resize(at + 1, UNNUMBERED);
        }
        if self.numbers[at] == UNNUMBERED {
            self.numbers[at] = self.numbered.len() as u32;
            self.numbered.push(stem);
        }
        self.numbers[at]
    }
}

impl Drop for Lexicon {
    fn drop(&mut self) {
        let known = std::mem::take(&mut self.known);
        if known.size() <= MAX_KEPT_BYTES {
            KEPT.set(Some(known));
        }
    }
}

impl KnownStems {
    fn stem(&mut self, word: &str, language: Language) -> Option<u32> {
        let (words, stem_of) = &mut self.words[language as usize];
        let (number, is_new) = words.add(word.as_bytes());
        if is_new {
            let mut stem_number = None;
            similarity_terms::words(word, &[language], |stem| {
                stem_number = Some(self.stems.add(stem.as_bytes()).0);
            });
            stem_of.push(stem_number);
        }
        stem_of[number as usize]
    }

    fn size(&self) -> usize {
        self.stems.size() + self.words.iter().map(|(words, _)| words.size()).sum::<usize>()
    }
}

impl PurchaseText {
    pub(crate) fn of_record(record: &Record, schema: &'static Schema, lexicon: &mut Lexicon) -> PurchaseText {
        let fields = schema.role(Role::Subject).iter();
        let texts = fields.filter_map(|number| {
            let name = schema.fields[*number].name.as_str();
            Some((similarity_terms::languages(name), record.text(name)?))
        });
        PurchaseText::of_texts(texts, lexicon)
    }

    /// The words of one text in an unknown language.
    pub(crate) fn of_title(title: &str, lexicon: &mut Lexicon) -> PurchaseText {
        PurchaseText::of_texts([(&Language::ALL[..], title)].into_iter(), lexicon)
    }

    fn of_texts<'t>(
        texts: impl Iterator<Item = (&'static [Language], &'t str)>,
        lexicon: &mut Lexicon,
    ) -> PurchaseText {
        let mut purchase = PurchaseText::default();
        for (languages, text) in texts {
            for language in languages {
                let sets = &mut purchase.stem_sets[*language as usize];
                // Each set contains the one before it. Only the first and the last are kept.
                let mut stems = sets.last().cloned().unwrap_or_default();
                lexicon.read(text, *language, &mut stems);
                stems.sort_unstable();
                stems.dedup();
                if sets.len() > 1 {
                    sets.pop();
                }
                if !stems.is_empty() {
                    sets.push(stems);
                }
            }
        }
        purchase
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.stem_sets.iter().all(Vec::is_empty)
    }

    /// The cosine similarity, 0 to 1.
    ///
    /// `squared_idf` is the squared inverse document frequency of this purchase's stems, by number;
    /// they must be the first that the lexicon numbered. A stem that only the other purchase has
    /// counts as the average of these, so that it need not be looked up.
    pub(crate) fn similarity(&self, other: &PurchaseText, squared_idf: &[f64]) -> f64 {
        let square = |number: &u32| squared_idf.get(*number as usize).copied();
        let mut best = 0.0f64;
        for (ours, theirs) in self.stem_sets.iter().zip(&other.stem_sets) {
            for our in ours {
                let norm: f64 = our.iter().filter_map(square).sum();
                let average = norm / our.len() as f64;
                for their in theirs {
                    let shared = their.iter().filter(|number| our.binary_search(number).is_ok());
                    let (count, sum) = shared
                        .filter_map(square)
                        .fold((0, 0.0), |(n, sum), square| (n + 1, sum + square));
                    let their_norm = sum + (their.len() - count) as f64 * average;
                    if sum > 0.0 {
                        best = best.max(sum / (norm * their_norm).sqrt());
                    }
                }
            }
        }
        best.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    #[test]
    fn equal_words_have_similarity_one_and_no_shared_word_zero() {
        let mut lexicon = Lexicon::default();
        let item = PurchaseText::of_title("Snow removal on roads", &mut lexicon);
        let squares: Vec<f64> = lexicon.stems().iter().map(|_| 4.0).collect();
        let mut to = |title: &str| item.similarity(&PurchaseText::of_title(title, &mut lexicon), &squares);
        assert_eq!(to("ROADS: on snow removals"), 1.0);
        assert_eq!(to("Aviation fuel"), 0.0);
        assert_eq!(to(""), 0.0);
        // Two of four words against two: 2 / √(4 · 2).
        assert!((to("snow removal") - 0.5f64.sqrt()).abs() < 1e-12);
        assert!(to("snow removal") > to("snow blower"));
    }

    #[test]
    fn a_description_does_not_reduce_the_similarity_of_titles() {
        let schema = Schema::of(EntityType::Tender);
        let line = r#"{"record_id":"1","title_fr":"Achat de sel","description_fr":"conditions longues et nombreuses pour la livraison"}"#;
        let mut lexicon = Lexicon::default();
        let record = Record::parse(schema, line.as_bytes()).unwrap();
        let item = PurchaseText::of_record(&record, schema, &mut lexicon);
        let squares = vec![1.0; lexicon.stems().len()];
        let title = PurchaseText::of_title("achat de sel", &mut lexicon);
        assert_eq!(item.similarity(&title, &squares), 1.0);
    }
}
