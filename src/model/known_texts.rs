//! What was computed of texts that were seen before.

use crate::model::interner::Interner;

/// A list of numbers for each distinct text, which is made when the text is first seen.
#[derive(Default)]
pub(crate) struct KnownTexts {
    texts: Interner,
    /// Where the list of each text ends in `numbers`.
    ends: Vec<usize>,
    numbers: Vec<u32>,
}

impl KnownTexts {
    /// The list of a text. `make` appends that of a new text to what it gets.
    pub(crate) fn list(&mut self, text: &str, make: impl FnOnce(&mut Vec<u32>)) -> &[u32] {
        let (number, is_new) = self.texts.add(text.as_bytes());
        if is_new {
            make(&mut self.numbers);
            self.ends.push(self.numbers.len());
        }
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.numbers[start..self.ends[number]]
    }

    /// About the memory that it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.texts.size() + size_of_val(self.ends.as_slice()) + size_of_val(self.numbers.as_slice())
    }
}

/// The parts of a text between its spaces. Its words are those of the parts, one part after the other: nothing that
/// decides what a word is goes beyond a space. Most parts recur, so they are folded once.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let space = text.bytes().position(|byte| byte == b' ');
        rest = space.map(|space| &text[space + 1..]);
        Some(&text[..space.unwrap_or(text.len())])
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::fold::word_list;

    #[test]
    fn a_list_is_made_once_for_each_text() {
        let mut known = KnownTexts::default();
        let mut made = 0;
        for (text, expected) in [("a", 1), ("", 2), ("a", 1), ("b", 3), ("", 2)] {
            let list = known.list(text, |list| {
                made += 1;
                list.extend([made; 2]);
            });
            assert_eq!(list, [expected; 2], "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_words_of_a_text_are_those_of_its_parts(
            text in "[a-zA-Z0-9&'’ʼ.\\- éÉœŒß½\u{301}–\u{a0}\t]{0,40}|.{0,40}|(l'| |d’|\u{301}|a){0,12}",
        ) {
            prop_assert_eq!(parts(&text).collect::<Vec<_>>(), text.split(' ').collect::<Vec<_>>());
            prop_assert_eq!(parts(&text).flat_map(word_list).collect::<Vec<_>>(), word_list(&text));
        }
    }
}
