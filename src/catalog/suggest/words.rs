//! The distinct words of all names, and those that a typed word may mean.

use std::collections::HashMap;

use crate::engine::{
    near_words::{max_distance, word_distance},
    packed::{Lists, Texts},
};

/// The distinct words of numbered names, sorted, and the names with each.
pub(super) struct Words {
    texts: Texts,
    shapes: Vec<Shape>,
    /// For each word the numbers of the names with it, ascending.
    names: Lists,
    /// The weight of each word: a rare word weighs more.
    weights: Vec<f32>,
    /// The weight of a word that no name has.
    unknown: f32,
}

/// What decides quickly that two words are not near.
#[derive(Clone, Copy)]
struct Shape {
    characters: u8,
    /// A bit for each letter that the word has; one for all letters other than a to z.
    letters: u32,
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
            _ => 1 << 26,
        };
        Shape {
            characters: word.chars().count().min(255) as u8,
            letters: word.chars().map(letter).fold(0, |letters, letter| letters | letter),
        }
    }

    /// Whether words of these shapes can be so near: an edited letter changes at most two bits.
    fn may_be_within(self, distance: u8, other: Shape) -> bool {
        self.characters.abs_diff(other.characters) <= distance
            && (self.letters ^ other.letters).count_ones() <= 2 * u32::from(distance)
    }
}

impl Words {
    /// `names` are the distinct words of each name.
    pub(super) fn new(names: &[Vec<String>]) -> Words {
        let mut numbers: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, words) in (0..).zip(names) {
            for word in words {
                numbers.entry(word).or_default().push(number);
            }
        }
        let mut sorted: Vec<(&str, Vec<u32>)> = numbers.into_iter().collect();
        sorted.sort_unstable();
        let weight = |with: usize| (1.0 + names.len() as f32 / with.max(1) as f32).ln();
        let pairs = (0..).zip(&sorted).flat_map(|(word, (_, names))| {
            let pair = move |name: &u32| (word, *name);
            names.iter().map(pair)
        });
        Words {
            names: Lists::of_sorted(sorted.len(), pairs),
            texts: sorted.iter().map(|(word, _)| *word).collect(),
            shapes: sorted.iter().map(|(word, _)| Shape::of(word)).collect(),
            weights: sorted.iter().map(|(_, names)| weight(names.len())).collect(),
            unknown: weight(1),
        }
    }

    /// About what they take in memory.
    pub(super) fn bytes(&self) -> usize {
        let lists: usize = self.names.as_bytes().iter().map(|bytes| bytes.len()).sum();
        let texts: usize = self.texts.as_bytes().iter().map(|bytes| bytes.len()).sum();
        lists + texts + self.shapes.len() * (size_of::<Shape>() + size_of::<f32>())
    }

    /// The names with a word.
    pub(super) fn names_with(&self, word: u32) -> impl Iterator<Item = u32> {
        self.names.get(word).iter()
    }

    pub(super) fn weight(&self, word: u32) -> f32 {
        self.weights[word as usize]
    }

    /// The weight of all words of a name.
    pub(super) fn weight_of(&self, name: &[String]) -> f32 {
        let words = name.iter().filter_map(|word| self.find(word));
        words.map(|word| self.weight(word)).sum()
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
        best.map_or(self.unknown, |best| self.weight(best.word))
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
        for (word, other) in (0..).zip(&self.shapes) {
            if !shape.may_be_within(max, *other) || self.names.get(word).len() < needed {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn words(names: &[&str]) -> Words {
        let split = |name: &&str| name.split(' ').map(str::to_owned).collect();
        Words::new(&names.iter().map(split).collect::<Vec<_>>())
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
