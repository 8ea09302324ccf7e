//! How similar two purchases are by the words that say what is bought.
//!
//! The similarity is a cosine over the inverse document frequency of shared stems, in English and
//! in French, of the first field (the title) alone and of the whole text. The best of these counts,
//! so that a tender with a page of conditions still matches a contract that has a title only.

use rustc_hash::FxHashMap;

use crate::model::{Language, Record, Role, Schema, fold, similarity_terms};

/// Two titles with at least this similarity name the same need.
pub(crate) const NEAR_SAME_TEXT: f64 = 0.7;

/// Two texts with at least this similarity are about similar things.
pub(crate) const SIMILAR_TEXT: f64 = 0.3;

/// The maximum number of bytes read of a field. The text after them states conditions, not the
/// subject.
const MAX_FIELD_BYTES: usize = 1000;

/// Numbers the stems that occur while one item is answered. Caches the stem of each word, because
/// stemming is the slow step and words recur.
#[derive(Default)]
pub(crate) struct Lexicon {
    numbers: FxHashMap<String, u32>,
    /// For each language: the number of each word's stem; `None` for a word without a stem.
    known: [FxHashMap<String, Option<u32>>; Language::ALL.len()],
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
    /// The stems numbered so far, in order of their numbers.
    pub(crate) fn stems(&self) -> Vec<String> {
        let mut stems: Vec<(&String, &u32)> = self.numbers.iter().collect();
        stems.sort_by_key(|(_, number)| **number);
        stems.into_iter().map(|(stem, _)| stem.clone()).collect()
    }

    fn read(&mut self, text: &str, language: Language, into: &mut StemSet) {
        let text = &text[..text.floor_char_boundary(MAX_FIELD_BYTES)];
        fold::words(text, |word| {
            let known = &mut self.known[language as usize];
            let number = match known.get(word) {
                Some(number) => *number,
                None => {
                    let mut number = None;
                    similarity_terms::words(word, &[language], |stem| {
                        let next = self.numbers.len() as u32;
                        number = Some(*self.numbers.entry(stem.to_owned()).or_insert(next));
                    });
                    known.insert(word.to_owned(), number);
                    number
                }
            };
            into.extend(number);
        });
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
