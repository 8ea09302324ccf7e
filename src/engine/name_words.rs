//! Names by their words, for searches by a part of a name that take less time than reading all names.
//!
//! Names have few distinct words compared to their number, so the words are searched with `memmem` and their names are
//! looked up: a part of one word has the names of the words that contain it. A part of several words has names with a
//! word that ends as the first of them, or starts as the last; each is compared.

use std::ops::Range;

use bytes::Bytes;
use memchr::memmem;
use rustc_hash::FxHashMap;

use crate::engine::packed::{List, Lists, Texts};

/// Between two words of a name.
const BLANK: u8 = b' ';

/// The words of numbered names.
pub(crate) struct NameWords {
    words: Texts,
    /// For each word the numbers of the names with it, ascending.
    names: Lists,
}

impl NameWords {
    /// `names` are in the order of their numbers.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n [u8]>) -> NameWords {
        let mut numbers: FxHashMap<&[u8], u32> = FxHashMap::default();
        let mut words: Vec<&[u8]> = Vec::new();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (name, number) in names.zip(0..) {
            for word in name.split(|byte| *byte == BLANK) {
                let word = *numbers.entry(word).or_insert_with(|| {
                    words.push(word);
                    words.len() as u32 - 1
                });
                pairs.push((word, number));
            }
        }
        drop(numbers);
        pairs.sort_unstable();
        pairs.dedup();
        NameWords {
            names: Lists::of_sorted(words.len(), pairs),
            words: words.into_iter().collect(),
        }
    }

    /// The numbers of the names that contain `part`, ascending; `name` returns the name with a number. `None` where
    /// words are of no use.
    pub(crate) fn containing<'n>(&self, part: &[u8], name: impl Fn(u32) -> &'n [u8]) -> Option<Vec<u32>> {
        if part.is_empty() || part.contains(&Texts::END) {
            return None;
        }
        let (Some(first), Some(last)) = (
            part.iter().position(|byte| *byte == BLANK),
            part.iter().rposition(|byte| *byte == BLANK),
        ) else {
            return Some(self.names_of(&self.words_with(part, |_, _| true)));
        };
        let ending = self.words_with(&part[..first], |word, found| found.end == word.end);
        let starting = self.words_with(&part[last + 1..], |word, found| found.start == word.start);
        let count = |words: &[u32]| words.iter().map(|word| self.names.get(*word).len()).sum::<usize>();
        let rarest = if count(&ending) < count(&starting) {
            ending
        } else {
            starting
        };
        let finder = memmem::Finder::new(part);
        let mut found = self.names_of(&rarest);
        found.retain(|number| finder.find(name(*number)).is_some());
        Some(found)
    }

    /// The words that contain a part where `is_wanted`, which gets the places of the word and of the part in one text.
    fn words_with(&self, part: &[u8], is_wanted: impl Fn(&Range<usize>, &Range<usize>) -> bool) -> Vec<u32> {
        if part.is_empty() {
            return (0..self.words.len() as u32).collect();
        }
        let finder = memmem::Finder::new(part);
        let (mut found, mut from, mut number) = (Vec::new(), 0, 0);
        while let Some(offset) = finder.find(&self.words.bytes()[from..]) {
            let place = from + offset..from + offset + part.len();
            number = self.words.number_at(place.start, number);
            let word = self.words.place(number);
            if is_wanted(&word, &place) {
                found.push(number as u32);
                from = word.end;
            } else {
                // The part may come again in the same word.
                from = place.start + 1;
            }
        }
        found
    }

    /// The names with one of the words, ascending, each once.
    fn names_of(&self, words: &[u32]) -> Vec<u32> {
        let lists = words.iter().map(|word| self.names.get(*word));
        let mut all: Vec<u32> = lists.flat_map(List::iter).collect();
        if words.len() > 1 {
            all.sort_unstable();
            all.dedup();
        }
        all
    }

    pub(crate) const fn as_bytes(&self) -> [&Bytes; 4] {
        let ([words, starts], [list_starts, names]) = (self.words.as_bytes(), self.names.as_bytes());
        [words, starts, list_starts, names]
    }

    /// `None` if the parts do not belong together.
    pub(crate) fn of_bytes([words, starts, list_starts, names]: [Bytes; 4]) -> Option<NameWords> {
        let read = NameWords {
            words: Texts::of_bytes([words, starts])?,
            names: Lists::of_bytes([list_starts, names])?,
        };
        (read.words.len() == read.names.len()).then_some(read)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_are_found_as_by_reading_all(
            names in prop::collection::vec("[ab ]{0,8}|[a-c]{1,3}( [a-c]{1,3}){0,3}|é|[\n -]{0,2}", 0..30),
            part in "[ab ]{1,4}|[a-c]{1,3} [a-c]{1,3}( [a-c]{1,2})?|é| ",
        ) {
            let words = NameWords::new(names.iter().map(|name| name.as_bytes()));
            let expected: Vec<u32> = (0..).zip(&names).filter(|(_, name)| name.contains(&part)).map(|(number, _)| number).collect();
            let name = |number: u32| names[number as usize].as_bytes();
            prop_assert_eq!(words.containing(part.as_bytes(), name), Some(expected.clone()));
            let read = NameWords::of_bytes(words.as_bytes().map(Bytes::clone)).unwrap();
            prop_assert_eq!(read.containing(part.as_bytes(), name), Some(expected));
            prop_assert_eq!(read.containing(b"", name), None);
        }
    }
}
