//! How alike two purchases are, by the words that say what is bought.
//!
//! A cosine over the rarity of shared stems, in English and in French, by title alone and by the whole text: the best of these counts, so that a tender with a page of
//! conditions still meets a contract that has a title only.

use std::collections::HashMap;

use crate::model::{
    record::Record,
    schema::{Role, Schema},
    similarity_terms,
    stem::Language,
};

/// How much of a field is read, in bytes: what comes later is conditions, not subject.
const READ: usize = 1000;

/// Numbers the stems met while one item is answered. Stemming is what costs, and words recur.
#[derive(Default)]
pub struct Lexicon {
    numbers: HashMap<String, u32>,
    known: [HashMap<String, Option<u32>>; Language::ALL.len()],
}

/// Distinct stems in order of their numbers.
type View = Vec<u32>;

/// What a purchase is about: for each language the words of its first field (the title, where there is one), and of all.
#[derive(Debug, Default)]
pub struct Subject {
    views: [Vec<View>; Language::ALL.len()],
}

impl Lexicon {
    /// The stems numbered so far, by number.
    pub fn stems(&self) -> Vec<String> {
        let mut stems: Vec<(&String, &u32)> = self.numbers.iter().collect();
        stems.sort_by_key(|(_, number)| **number);
        stems.into_iter().map(|(stem, _)| stem.clone()).collect()
    }

    fn read(&mut self, text: &str, language: Language, into: &mut View) {
        let text = &text[..text.floor_char_boundary(READ)];
        crate::model::fold::words(text, |word| {
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

impl Subject {
    pub fn of_record(record: &Record, schema: &'static Schema, lexicon: &mut Lexicon) -> Subject {
        let fields = schema.role(Role::Subject).iter();
        let texts = fields.filter_map(|number| {
            let name = schema.fields[*number].name.as_str();
            Some((similarity_terms::languages(name), record.text(name)?))
        });
        Subject::of_texts(texts, lexicon)
    }

    /// Of one text whose language is not known.
    pub fn of_title(title: &str, lexicon: &mut Lexicon) -> Subject {
        Subject::of_texts([(&Language::ALL[..], title)].into_iter(), lexicon)
    }

    fn of_texts<'t>(texts: impl Iterator<Item = (&'static [Language], &'t str)>, lexicon: &mut Lexicon) -> Subject {
        let mut subject = Subject::default();
        for (languages, text) in texts {
            for language in languages {
                let views = &mut subject.views[*language as usize];
                let mut view = views.last().cloned().unwrap_or_default();
                lexicon.read(text, *language, &mut view);
                view.sort_unstable();
                view.dedup();
                if views.len() > 1 {
                    views.pop();
                }
                if !view.is_empty() {
                    views.push(view);
                }
            }
        }
        subject
    }

    pub fn is_empty(&self) -> bool {
        self.views.iter().all(Vec::is_empty)
    }

    /// The cosine of what is shared, 0 to 1. `squares` are the squared rarities of this subject's stems, which are numbered first; a stem the other has
    /// alone counts as an average one, so that none need be looked up.
    pub fn similarity(&self, other: &Subject, squares: &[f64]) -> f64 {
        let square = |number: &u32| squares.get(*number as usize).copied();
        let mut best = 0.0f64;
        for (ours, theirs) in self.views.iter().zip(&other.views) {
            for view in ours {
                let norm: f64 = view.iter().filter_map(square).sum();
                let average = norm / view.len() as f64;
                for their in theirs {
                    let shared = their.iter().filter(|number| view.binary_search(number).is_ok());
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

    #[test]
    fn the_same_words_are_one_and_none_shared_zero() {
        let mut lexicon = Lexicon::default();
        let item = Subject::of_title("Snow removal on roads", &mut lexicon);
        let squares: Vec<f64> = lexicon.stems().iter().map(|_| 4.0).collect();
        let mut to = |title: &str| item.similarity(&Subject::of_title(title, &mut lexicon), &squares);
        assert_eq!(to("ROADS: on snow removals"), 1.0);
        assert_eq!(to("Aviation fuel"), 0.0);
        assert_eq!(to(""), 0.0);
        // Two of four words, of two: 2 / √(4 · 2).
        assert!((to("snow removal") - 0.5f64.sqrt()).abs() < 1e-12);
        assert!(to("snow removal") > to("snow blower"));
    }

    #[test]
    fn a_title_meets_a_title_whatever_the_description_adds() {
        let schema = Schema::of(crate::model::entity_type::EntityType::Tender);
        let line = r#"{"record_id":"1","title_fr":"Achat de sel","description_fr":"conditions longues et nombreuses pour la livraison"}"#;
        let mut lexicon = Lexicon::default();
        let record = Record::parse(schema, line.as_bytes()).unwrap();
        let item = Subject::of_record(&record, schema, &mut lexicon);
        let squares = vec![1.0; lexicon.stems().len()];
        assert_eq!(
            item.similarity(&Subject::of_title("achat de sel", &mut lexicon), &squares),
            1.0
        );
    }
}
