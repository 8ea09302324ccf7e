//! Ranges of record numbers, from the last number to the first one.
//!
//! The documents of a shard are in the default order, newest first. A search for the oldest would
//! read every match, because each one that it reads is older than all before. Within a range of
//! numbers at the end it reads only what the range holds.

use std::ops::Range;

/// How much larger each range is than the one before.
const GROWTH: u64 = 16;

/// Ranges that together are all numbers before the end, the largest numbers first.
pub(crate) struct NumberRanges {
    end: u64,
    size: u64,
}

impl NumberRanges {
    /// The first range has room for `hits` where an eighth of the records match.
    pub(crate) fn before(end: u64, hits: usize) -> NumberRanges {
        NumberRanges {
            end,
            size: (hits as u64).saturating_mul(8).max(1),
        }
    }
}

impl Iterator for NumberRanges {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        if self.end == 0 {
            return None;
        }
        let window = self.end.saturating_sub(self.size)..self.end;
        self.end = window.start;
        self.size = self.size.saturating_mul(GROWTH);
        Some(window)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_grow_towards_the_first_number() {
        let ranges: Vec<Range<u64>> = NumberRanges::before(100_000, 51).collect();
        assert_eq!(ranges, [99_592..100_000, 93_064..99_592, 0..93_064]);
        assert_eq!(NumberRanges::before(0, 51).next(), None);
    }

    proptest! {
        #[test]
        fn ranges_are_all_numbers_once(end in 0..u64::MAX, hits in 0..usize::MAX) {
            let mut next = end;
            for range in NumberRanges::before(end, hits) {
                prop_assert_eq!(range.end, next);
                prop_assert!(!range.is_empty());
                next = range.start;
            }
            prop_assert_eq!(next, 0);
        }
    }
}
