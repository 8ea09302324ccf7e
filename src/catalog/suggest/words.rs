//! The distinct words of all names, and those that a typed word may mean.

use bytes::Bytes;

use crate::{
    engine::{
        near_words::{max_distance, word_distance},
        packed::{Lists, Numbers, Texts},
    },
    model::interner::{self, Interner},
};

/// The distinct words of numbered names, sorted, and the names with each.
pub(super) struct Words {
    texts: Texts,
    /// The [`Shape`] of each word.
    shapes: Numbers<u32>,
    /// For each word the numbers of the names with it, ascending.
    names: Lists,
    /// The number of all names.
    all_names: usize,
}

/// What decides quickly that two words are not near: from the lowest bit on, a bit for each letter that the word has,
/// one for all letters other than a to z, and five bits for the number of its characters, at most 31.
#[derive(Clone, Copy)]
struct Shape(u32);

/// The number of [`Shape`]'s bits for letters.
const LETTERS: u32 = 27;

/// The words of names while these are collected.
#[derive(Default)]
pub(super) struct CollectedWords {
    known: Interner,
    /// The numbers of the words of all names, one name after the other.
    words: Vec<u32>,
    /// Where each name ends in `words`.
    ends: Vec<u32>,
}

impl CollectedWords {
    /// Adds the next name, which has these distinct words.
    pub(super) fn add(&mut self, words: &[String]) {
        let numbers = words.iter().map(|word| self.known.add(word.as_bytes()).0);
        self.words.extend(numbers);
        self.ends.push(self.words.len() as u32);
    }

    /// The names, each as the numbers of its words.
    fn names(words: &[u32], ends: &[u32]) -> impl Iterator<Item = Vec<u32>> {
        let starts = [0].into_iter().chain(ends.iter().copied());
        let ranges = starts.zip(ends).map(|(start, end)| start as usize..*end as usize);
        ranges.map(|range| words[range].to_vec())
    }
}

/// A word that a typed one may mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WordMatch {
    pub(super) word: u32,
    /// 1 for the word itself.
    pub(super) quality: f32,
    pub(super) is_near: bool,
}

/// The quality of a word that starts with the typed one: while it is being typed, or as it was typed.
const TYPING: f32 = 0.9;
const START: f32 = 0.8;

/// The fewest characters of a word that longer ones may start with.
const MIN_TYPING: usize = 2;
const MIN_START: usize = 4;

/// Characters of a word such as `à`, `of` or `de`.
const LONGEST_ARTICLE: usize = 2;

/// The quality of a word at a distance of one and of two letters.
const NEAR: [f32; 2] = [0.75, 0.6];

/// A word that names have is taken for a misspelling only if the near word is in at least so many times as many names.
/// As for the words of records: decision D-240.
const RATIO: usize = 10;

impl Shape {
    fn of(word: &str) -> Shape {
        let letter = |c: char| match c {
            'a'..='z' => 1 << (c as u32 - 'a' as u32),
            _ => 1 << (LETTERS - 1),
        };
        let letters: u32 = word.chars().map(letter).fold(0, |letters, letter| letters | letter);
        let characters = word.chars().count().min(31) as u32;
        Shape(letters | characters << LETTERS)
    }

    /// Whether words of these shapes can be so near: an edited letter changes at most two bits.
    fn may_be_within(self, distance: u8, other: Shape) -> bool {
        let letters = (self.0 ^ other.0) & ((1 << LETTERS) - 1);
        (self.0 >> LETTERS).abs_diff(other.0 >> LETTERS) <= distance.into()
            && letters.count_ones() <= 2 * u32::from(distance)
    }
}

impl Words {
    /// The words, and for each name the weight of all its words.
    pub(super) fn new(collected: CollectedWords) -> (Words, Numbers<u32>) {
        let CollectedWords { known, words, ends } = collected;
        let texts = known.into_texts();
        let sorted = texts.sorted();
        let mut places = vec![0; sorted.len()];
        for (place, number) in (0..).zip(&sorted) {
            places[*number as usize] = place;
        }
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(words.len());
        for (name, of_name) in (0..).zip(CollectedWords::names(&words, &ends)) {
            pairs.extend(of_name.iter().map(|word| (places[*word as usize], name)));
        }
        pairs.sort_unstable();
        let found = Words {
            names: Lists::of_sorted(sorted.len(), pairs),
            texts: sorted.iter().map(|number| texts.get(*number)).collect(),
            shapes: sorted.iter().map(|number| shape_of(&texts, *number)).collect(),
            all_names: ends.len(),
        };
        // In the order of the words, so that the sums do not depend on the order of the names.
        let weight = |mut of_name: Vec<u32>| {
            of_name.iter_mut().for_each(|word| *word = places[*word as usize]);
            of_name.sort_unstable();
            let weight: f32 = of_name.into_iter().map(|word| found.weight(word)).sum();
            weight.to_bits()
        };
        let weights = CollectedWords::names(&words, &ends).map(weight).collect();
        (found, weights)
    }

    pub(super) const fn as_bytes(&self) -> [&Bytes; 5] {
        let ([texts, text_starts], [name_starts, names]) = (self.texts.as_bytes(), self.names.as_bytes());
        [texts, text_starts, self.shapes.as_bytes(), name_starts, names]
    }

    /// The words of so many names. `None` if the parts do not belong together.
    pub(super) fn of_bytes(all_names: usize, parts: [Bytes; 5]) -> Option<Words> {
        let [texts, text_starts, shapes, name_starts, names] = parts;
        let read = Words {
            texts: Texts::of_bytes([texts, text_starts])?,
            shapes: Numbers::of_bytes(shapes),
            names: Lists::of_bytes([name_starts, names])?,
            all_names,
        };
        let is_whole = [read.shapes.len(), read.names.len()] == [read.texts.len(); 2];
        is_whole.then_some(read)
    }

    /// The names with a word.
    pub(super) fn names_with(&self, word: u32) -> impl Iterator<Item = u32> {
        self.names.get(word).iter()
    }

    /// The weight of a word: a rare word weighs more.
    pub(super) fn weight(&self, word: u32) -> f32 {
        self.weight_with(self.names.get(word).len())
    }

    /// The weight of a word that so many names have.
    fn weight_with(&self, names: usize) -> f32 {
        (1.0 + self.all_names as f32 / names.max(1) as f32).ln()
    }

    /// How much a typed word tells: as much as itself, or else as the word that it most probably means. A short word
    /// that no name has, such as an article, tells nothing.
    pub(super) fn weight_of_typed(&self, typed: &str, matches: &[WordMatch]) -> f32 {
        if matches.is_empty() && typed.chars().count() <= LONGEST_ARTICLE {
            return 0.0;
        }
        let best = matches.iter().max_by(|a, b| {
            let names = |of: &WordMatch| self.names.get(of.word).len();
            a.quality.total_cmp(&b.quality).then_with(|| names(a).cmp(&names(b)))
        });
        best.map_or_else(|| self.weight_with(1), |best| self.weight(best.word))
    }

    /// The words that a folded one may mean. `is_last`: whether it may be typed in part only. `is_forgiven`: whether it
    /// may be misspelled.
    pub(super) fn matches(&self, typed: &str, is_last: bool, is_forgiven: bool) -> Vec<WordMatch> {
        let exact = self.find(typed);
        let mut found: Vec<WordMatch> = exact
            .into_iter()
            .map(|word| WordMatch {
                word,
                quality: 1.0,
                is_near: false,
            })
            .collect();
        let characters = typed.chars().count();
        let (quality, min) = if is_last {
            (TYPING, MIN_TYPING)
        } else {
            (START, MIN_START)
        };
        if characters >= min {
            let first = self.first_from(typed);
            let starting =
                (first..self.shapes.len() as u32).take_while(|word| self.texts.get(*word).starts_with(typed));
            found.extend(starting.filter(|word| Some(*word) != exact).map(|word| WordMatch {
                word,
                quality,
                is_near: false,
            }));
        }
        if is_forgiven {
            self.add_near(typed, exact, &mut found);
        }
        found
    }

    fn add_near(&self, typed: &str, exact: Option<u32>, found: &mut Vec<WordMatch>) {
        let Some(max) = max_distance(typed) else {
            return;
        };
        let shape = Shape::of(typed);
        let needed = exact.map_or(1, |word| self.names.get(word).len().saturating_mul(RATIO));
        for word in 0..self.shapes.len() as u32 {
            let other = Shape(self.shapes.get(word as usize));
            if !shape.may_be_within(max, other) || self.names.get(word).len() < needed {
                continue;
            }
            let distance = word_distance(typed, self.texts.get(word));
            let is_new = || found.iter().all(|known| known.word != word);
            if (1..=usize::from(max)).contains(&distance) && is_new() {
                found.push(WordMatch {
                    word,
                    quality: NEAR[distance - 1],
                    is_near: true,
                });
            }
        }
    }

    fn find(&self, word: &str) -> Option<u32> {
        let place = self.first_from(word);
        let is_it = (place as usize) < self.shapes.len() && self.texts.get(place) == word;
        is_it.then_some(place)
    }

    /// The first word that is not before a text.
    fn first_from(&self, text: &str) -> u32 {
        let (mut low, mut high) = (0, self.shapes.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.texts.get(middle) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

fn shape_of(words: &interner::Texts, number: u32) -> u32 {
    Shape::of(&String::from_utf8_lossy(words.get(number))).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(names: &[&str]) -> Words {
        let mut collected = CollectedWords::default();
        for name in names {
            collected.add(&name.split(' ').map(str::to_owned).collect::<Vec<_>>());
        }
        Words::new(collected).0
    }

    fn matched(words: &Words, typed: &str, is_last: bool) -> Vec<(String, f32)> {
        let found = words.matches(typed, is_last, true).into_iter();
        found
            .map(|found| (words.texts.get(found.word).to_owned(), found.quality))
            .collect()
    }

    #[test]
    fn a_typed_word_means_itself_its_continuations_and_near_words() {
        let words = words(&["snow clearing", "snowplow", "clearings", "deneigement", "oka"]);
        let own = |list: &[(&str, f32)]| {
            list.iter()
                .map(|(word, of)| ((*word).to_owned(), *of))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            matched(&words, "snow", true),
            own(&[("snow", 1.0), ("snowplow", TYPING)])
        );
        assert_eq!(
            matched(&words, "sn", true),
            own(&[("snow", TYPING), ("snowplow", TYPING)])
        );
        assert_eq!(matched(&words, "sn", false), []);
        assert_eq!(matched(&words, "deneigmnt", false), own(&[("deneigement", NEAR[1])]));
        assert!(words.matches("deneigmnt", true, false).is_empty());
        assert_eq!(matched(&words, "ok", false), []);
        assert_eq!(matched(&words, "", true), []);
        assert_eq!(matched(&words, "zzzz", true), []);
    }

    #[test]
    fn shapes_never_hide_a_near_word() {
        let all = [
            "snow",
            "snwo",
            "now",
            "snows",
            "snown",
            "knows",
            "ecole",
            "écoles",
            "montreal",
            "monreal",
            "mountreal",
        ];
        for one in all {
            for other in all {
                let distance = word_distance(one, other);
                if distance <= 2 {
                    assert!(
                        Shape::of(one).may_be_within(distance as u8, Shape::of(other)),
                        "{one} {other}"
                    );
                }
            }
        }
    }
}
