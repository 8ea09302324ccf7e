//! How similar two purchases are by the words that say what is bought.
//!
//! The similarity is a cosine over the inverse document frequency of shared stems, in English and
//! in French, of the first field (the title) alone and of the whole text. The best of these counts,
//! so that a tender with a page of conditions still matches a contract that has a title only.

use std::cell::Cell;

use crate::model::{
    Language, Record, Role, Schema,
    interner::Interner,
    known_texts::{self, KnownTexts},
    similarity_terms,
};

/// Two titles with at least this similarity name the same need.
pub(crate) const NEAR_SAME_TEXT: f64 = 0.7;

/// Two texts with at least this similarity are about similar things.
pub(crate) const SIMILAR_TEXT: f64 = 0.3;

/// The maximum number of bytes read of a field. The text after them states conditions, not the
/// subject.
const MAX_FIELD_BYTES: usize = 1000;

/// Numbers the stems of one item. The stems of words are kept for the next item of the thread, because stemming is the
/// slow step and words recur.
#[derive(Default)]
pub(crate) struct Lexicon {
    known: KnownStems,
    /// By the number of a known stem.
    marks: Vec<Mark>,
    /// The known stems of the item in the order of their numbers here.
    item: Vec<u32>,
    /// Whether all texts of the item were read.
    is_item_whole: bool,
    /// The number of the purchase that is read.
    purchase: u32,
}

/// What is known of a stem.
#[derive(Clone, Copy)]
struct Mark {
    /// The number of the stem in the item, or [`UNNUMBERED`].
    number: u32,
    /// For each language the last purchase that has it.
    last: [u32; Language::ALL.len()],
}

const UNNUMBERED: u32 = u32::MAX;

/// The stems of words.
#[derive(Default)]
struct KnownStems {
    stems: Interner,
    /// For each language the stems of parts of texts.
    parts: [KnownTexts; Language::ALL.len()],
}

/// More bytes of words are not kept for the next item.
const MAX_KEPT_BYTES: usize = 4 << 20;

thread_local! {
    /// What the last item of the thread has left.
    static KEPT: Cell<Option<KnownStems>> = const { Cell::new(None) };
}

/// Distinct stems.
#[derive(Clone, Debug, Default)]
struct StemSet {
    /// The numbers of those that the item has, ascending.
    of_item: Vec<u32>,
    /// How many others there are.
    others: usize,
}

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
            marks: Vec::new(),
            item: Vec::new(),
            is_item_whole: false,
            purchase: 0,
        }
    }

    /// Ends the item: of later texts, stems that it does not have are only counted. Returns its stems in the order of
    /// their numbers.
    pub(crate) fn end_item(&mut self) -> Vec<String> {
        self.is_item_whole = true;
        let text = |stem: &u32| String::from_utf8_lossy(self.known.stems.get(*stem)).into_owned();
        self.item.iter().map(text).collect()
    }

    /// Adds the stems of a text of the purchase that is read to its set of a language.
    fn read(&mut self, text: &str, language: Language, into: &mut StemSet) {
        let text = &text[..text.floor_char_boundary(MAX_FIELD_BYTES)];
        let KnownStems { stems, parts } = &mut self.known;
        for part in known_texts::parts(text) {
            let of_part = parts[language as usize].list(part, |list| {
                similarity_terms::words(part, &[language], |stem| list.push(stems.add(stem.as_bytes()).0));
            });
            if self.marks.len() < stems.len() {
                let unknown = Mark {
                    number: UNNUMBERED,
                    last: [0; Language::ALL.len()],
                };
                self.marks.resize(stems.len(), unknown);
            }
            for stem in of_part {
                let mark = &mut self.marks[*stem as usize];
                if std::mem::replace(&mut mark.last[language as usize], self.purchase) == self.purchase {
                    continue;
                }
                if mark.number == UNNUMBERED && !self.is_item_whole {
                    mark.number = self.item.len() as u32;
                    self.item.push(*stem);
                }
                match mark.number {
                    UNNUMBERED => into.others += 1,
                    number => into.of_item.push(number),
                }
            }
        }
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
    fn size(&self) -> usize {
        self.stems.size() + self.parts.iter().map(KnownTexts::size).sum::<usize>()
    }
}

impl StemSet {
    fn len(&self) -> usize {
        self.of_item.len() + self.others
    }
}

impl PurchaseText {
    pub(crate) fn of_record(record: &Record, schema: &'static Schema, lexicon: &mut Lexicon) -> PurchaseText {
        let fields = schema.role(Role::Subject).iter();
        let texts: Vec<(&[Language], &str)> = fields
            .filter_map(|number| {
                let name = schema.fields[*number].name.as_str();
                Some((similarity_terms::languages(name), record.text(name)?))
            })
            .collect();
        PurchaseText::of_texts(&texts, lexicon)
    }

    /// The words of one text in an unknown language.
    pub(crate) fn of_title(title: &str, lexicon: &mut Lexicon) -> PurchaseText {
        PurchaseText::of_texts(&[(&Language::ALL, title)], lexicon)
    }

    fn of_texts(texts: &[(&[Language], &str)], lexicon: &mut Lexicon) -> PurchaseText {
        lexicon.purchase += 1;
        let mut first: [Option<StemSet>; Language::ALL.len()] = Default::default();
        let mut all: [StemSet; Language::ALL.len()] = Default::default();
        for (languages, text) in texts {
            for language in languages.iter().map(|language| *language as usize) {
                lexicon.read(text, Language::ALL[language], &mut all[language]);
                if first[language].is_none() && all[language].len() > 0 {
                    first[language] = Some(all[language].clone());
                }
            }
        }
        let mut purchase = PurchaseText::default();
        for (sets, (first, all)) in purchase.stem_sets.iter_mut().zip(first.into_iter().zip(all)) {
            sets.extend(first);
            if sets.first().is_some_and(|first| first.len() < all.len()) {
                sets.push(all);
            }
            sets.iter_mut().for_each(|set| set.of_item.sort_unstable());
        }
        purchase
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.stem_sets.iter().all(Vec::is_empty)
    }

    /// The cosine similarity, 0 to 1, of the item and another purchase.
    ///
    /// `squared_idf` is the squared inverse document frequency of the item's stems, by number. A stem that only the
    /// other purchase has counts as the average of these, so that it need not be looked up.
    pub(crate) fn similarity(&self, other: &PurchaseText, squared_idf: &[f64]) -> f64 {
        let square = |number: &u32| squared_idf.get(*number as usize).copied();
        let mut best = 0.0f64;
        for (ours, theirs) in self.stem_sets.iter().zip(&other.stem_sets) {
            for our in ours {
                let norm: f64 = our.of_item.iter().filter_map(square).sum();
                let average = norm / our.of_item.len() as f64;
                for their in theirs {
                    let shared = their.of_item.iter();
                    let shared = shared.filter(|number| our.of_item.binary_search(number).is_ok());
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
        let squares: Vec<f64> = lexicon.end_item().iter().map(|_| 4.0).collect();
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
        let squares = vec![1.0; lexicon.end_item().len()];
        let title = PurchaseText::of_title("achat de sel", &mut lexicon);
        assert_eq!(item.similarity(&title, &squares), 1.0);
    }
}
