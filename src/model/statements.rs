//! What records state again and again, each statement once.

use std::str;

use super::interner::Interner;

/// Distinct statements of `N` texts, in the order in which they were first made, with what is counted of each. Reading
/// a statement may take long; here it is read once, however many records make it.
#[derive(Debug)]
pub(crate) struct Statements<T, const N: usize> {
    texts: Interner,
    counted: Vec<T>,
    current: Vec<u8>,
}

/// Ends a text. No text has this byte.
const END: u8 = 0xff;

/// Stands for a text that is not stated. No text has this byte.
const ABSENT: u8 = 0xfe;

/// More bytes of statements are not kept.
const MAX_BYTES: usize = 8 << 20;

impl<T, const N: usize> Default for Statements<T, N> {
    fn default() -> Statements<T, N> {
        Statements {
            texts: Interner::default(),
            counted: Vec::new(),
            current: Vec::new(),
        }
    }
}

impl<T: Default, const N: usize> Statements<T, N> {
    /// What is counted of a statement.
    pub(crate) fn counted(&mut self, texts: [Option<&str>; N]) -> &mut T {
        self.current.clear();
        for text in texts {
            match text {
                Some(text) => self.current.extend_from_slice(text.as_bytes()),
                None => self.current.push(ABSENT),
            }
            self.current.push(END);
        }
        let (number, is_new) = self.texts.add(&self.current);
        if is_new {
            self.counted.push(T::default());
        }
        &mut self.counted[number as usize]
    }

    /// Whether the statements take so much memory that they must be taken out.
    pub(crate) fn are_many(&self) -> bool {
        self.texts.size() > MAX_BYTES
    }

    /// Takes all statements out, in their order.
    pub(crate) fn take_all(&mut self, mut visit: impl FnMut([Option<&str>; N], T)) {
        let taken = std::mem::take(self);
        for (number, counted) in (0..).zip(taken.counted) {
            let mut parts = taken.texts.get(number).split(|byte| *byte == END);
            // The byte for a text that is not stated is in no text.
            let texts = std::array::from_fn(|_| parts.next().and_then(|part| str::from_utf8(part).ok()));
            visit(texts, counted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_counted_and_come_out_in_the_order_of_the_first() {
        let mut statements = Statements::<u64, 2>::default();
        for texts in [
            [Some("b"), None],
            [Some(""), Some("é")],
            [Some("b"), None],
            [None, Some("b")],
        ] {
            *statements.counted(texts) += 1;
        }
        let mut found = Vec::new();
        statements.take_all(|[one, two], times| found.push((one.map(str::to_owned), two.map(str::to_owned), times)));
        let text = |text: &str| Some(text.to_owned());
        let expected = [(text("b"), None, 2), (text(""), text("é"), 1), (None, text("b"), 1)];
        assert_eq!(found, expected);
        assert!(!statements.are_many());
        statements.take_all(|_, _| unreachable!("all were taken"));
    }
}
