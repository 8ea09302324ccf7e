//! Numbers for distinct texts.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Texts in one buffer, by number.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    bytes: Vec<u8>,
    /// Where each text ends in `bytes`.
    ends: Vec<u32>,
}

/// Distinct texts, numbered in the order in which they were first added. A look-up allocates nothing.
#[derive(Debug)]
pub(crate) struct Interner {
    texts: Texts,
    /// Open addressing: the upper half of a hash, and the number of a text. The length is a power of two.
    slots: Vec<u64>,
}

const EMPTY: u64 = u64::MAX;

impl Texts {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[number] as usize]
    }

    /// Adds a text with the next number.
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        let end = u32::try_from(self.bytes.len()).expect("the texts of a chunk have less than 4 GiB");
        self.ends.push(end);
    }

    /// The numbers in the order of their texts, byte by byte.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        // Most texts differ in their first eight bytes, which are compared as one number.
        let mut numbers: Vec<(u64, u32)> = (0..self.len() as u32)
            .map(|number| (first_bytes(self.get(number)), number))
            .collect();
        numbers.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.get(a.1).cmp(self.get(b.1))));
        numbers.into_iter().map(|(_, number)| number).collect()
    }
}

impl Default for Interner {
    fn default() -> Interner {
        Interner {
            texts: Texts::default(),
            slots: vec![EMPTY; 64],
        }
    }
}

impl Interner {
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.texts.get(number)
    }

    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }

    pub(crate) fn into_texts(self) -> Texts {
        self.texts
    }

    /// About the memory that the texts take, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.texts.bytes.len() + size_of_val(self.slots.as_slice())
    }

    /// The number of a text that may be new, and whether it is new.
    pub(crate) fn add(&mut self, text: &[u8]) -> (u32, bool) {
        let hash = hash(text);
        let mut at = self.first_slot(hash);
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                break;
            }
            if slot >> 32 == hash >> 32 && self.get(slot as u32) == text {
                return (slot as u32, false);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        let number = self.len() as u32;
        self.texts.push(text);
        self.slots[at] = hash >> 32 << 32 | u64::from(number);
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        (number, true)
    }

    fn first_slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 2];
        for number in 0..self.len() as u32 {
            let hash = hash(self.get(number));
            let mut at = self.first_slot(hash);
            while self.slots[at] != EMPTY {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = hash >> 32 << 32 | u64::from(number);
        }
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

/// The first eight bytes of a text as a number that sorts like them; a shorter text is filled with zeros.
pub(crate) fn first_bytes(text: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = text.len().min(8);
    first[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equal_texts_have_one_number_and_sort_like_their_bytes(texts in prop::collection::vec("[ab\u{0}é]{0,10}", 0..300)) {
            let mut interner = Interner::default();
            let mut known: Vec<&str> = Vec::new();
            for text in &texts {
                let expected = known.iter().position(|known| known == text);
                if expected.is_none() {
                    known.push(text);
                }
                let number = expected.unwrap_or(known.len() - 1) as u32;
                prop_assert_eq!(interner.add(text.as_bytes()), (number, expected.is_none()));
            }
            prop_assert_eq!(interner.len(), known.len());
            let sorted: Vec<&[u8]> = interner.texts().sorted().into_iter().map(|number| interner.get(number)).collect();
            known.sort_unstable();
            prop_assert_eq!(sorted, known.iter().map(|text| text.as_bytes()).collect::<Vec<_>>());
        }
    }
}
