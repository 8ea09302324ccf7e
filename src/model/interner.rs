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
    /// Open addressing. The length is a power of two.
    slots: Vec<Slot>,
}

/// A place in the table of an [`Interner`]. It distinguishes a short text from all others without reading the texts,
/// which are elsewhere in memory.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The first bytes of the text.
    first: u64,
    /// Some bits of its hash, and its length if that is less than 255.
    tag: u32,
    /// [`EMPTY`] if the place is free.
    number: u32,
}

const EMPTY: u32 = u32::MAX;

const FREE: Slot = Slot {
    first: 0,
    tag: 0,
    number: EMPTY,
};

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
            slots: vec![FREE; 64],
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
        let new = Slot::new(text, hash, self.len() as u32);
        let mut at = self.first_slot(hash);
        loop {
            let slot = self.slots[at];
            if slot.number == EMPTY {
                break;
            }
            let may_be_equal = (slot.first, slot.tag) == (new.first, new.tag);
            if may_be_equal && (text.len() <= FIRST_BYTES || self.get(slot.number) == text) {
                return (slot.number, false);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.texts.push(text);
        self.slots[at] = new;
        let number = new.number;
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        (number, true)
    }

    fn first_slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; self.slots.len() * 2];
        for number in 0..self.len() as u32 {
            let text = self.get(number);
            let hash = hash(text);
            let slot = Slot::new(text, hash, number);
            let mut at = self.first_slot(hash);
            while self.slots[at].number != EMPTY {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = slot;
        }
    }
}

impl Slot {
    fn new(text: &[u8], hash: u64, number: u32) -> Slot {
        const LENGTH: u32 = u8::MAX as u32;
        let length = u32::try_from(text.len()).map_or(LENGTH, |length| length.min(LENGTH));
        Slot {
            first: first_bytes(text),
            tag: (hash >> 32) as u32 & !LENGTH | length,
            number,
        }
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

/// The bytes of a text that [`first_bytes`] returns.
const FIRST_BYTES: usize = 8;

/// The first eight bytes of a text as a number that sorts like them; a shorter text is filled with zeros.
pub(crate) fn first_bytes(text: &[u8]) -> u64 {
    let mut first = [0; FIRST_BYTES];
    let length = text.len().min(FIRST_BYTES);
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
