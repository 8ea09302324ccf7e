//! Counts and sums of the codes of matching documents, added block by block.
//!
//! Neighbouring documents often have the same code. If each addition had to wait for the one before it to reach memory,
//! that would be most of the time. So the documents are counted in turn in [`LANES`] arrays, which are added up last.

use tantivy::DocId;

use super::facet_columns::{Codes, LANES};

/// Up to this many codes, the arrays of all lanes are in the cache. More codes repeat less often, and have one array.
pub(super) const FEW_CODES: usize = 4096;

/// One number for each lane and code.
struct Lanes<T> {
    numbers: Vec<T>,
    codes: usize,
    /// Where the next lane's array starts; 0 if all lanes have one array.
    step: usize,
}

impl<T: Copy + Default + std::ops::AddAssign> Lanes<T> {
    fn new(codes: usize) -> Lanes<T> {
        let lanes = if codes <= FEW_CODES { LANES } else { 1 };
        Lanes {
            numbers: vec![T::default(); codes * lanes],
            codes,
            step: if lanes == 1 { 0 } else { codes },
        }
    }

    /// Adds a number for the code of a document. `place` is the place of the document in its block.
    #[inline]
    fn add(&mut self, place: usize, code: u32, number: T) {
        self.numbers[place % LANES * self.step + code as usize] += number;
    }

    fn merge(&mut self, other: &Lanes<T>) {
        let both = self.numbers.iter_mut().zip(&other.numbers);
        both.for_each(|(number, more)| *number += *more);
    }

    /// The number of each code.
    fn into_totals(mut self) -> Vec<T> {
        let (totals, others) = self.numbers.split_at_mut(self.codes);
        for lane in others.chunks_exact(self.codes.max(1)) {
            totals.iter_mut().zip(lane).for_each(|(total, more)| *total += *more);
        }
        self.numbers.truncate(self.codes);
        self.numbers
    }
}

/// The number of documents of each code.
pub(super) struct CodeCounts(Lanes<u32>);

impl CodeCounts {
    pub(super) fn new(codes: usize) -> CodeCounts {
        CodeCounts(Lanes::new(codes))
    }

    pub(super) fn add(&mut self, codes: &Codes, block: &[DocId]) {
        codes.for_each_of_block(block, |place, code| self.0.add(place, code, 1));
    }

    pub(super) fn merge(&mut self, other: &CodeCounts) {
        self.0.merge(&other.0);
    }

    pub(super) fn into_totals(self) -> Vec<u32> {
        self.0.into_totals()
    }
}

/// The sum of the amounts of each code, in millionths.
pub(super) struct CodeSums(Lanes<i128>);

impl CodeSums {
    pub(super) fn new(codes: usize) -> CodeSums {
        CodeSums(Lanes::new(codes))
    }

    /// `millionths` has an amount for each document of the block.
    pub(super) fn add(&mut self, codes: &Codes, block: &[DocId], millionths: &[i64]) {
        codes.for_each_of_block(block, |place, code| self.0.add(place, code, millionths[place].into()));
    }

    pub(super) fn merge(&mut self, other: &CodeSums) {
        self.0.merge(&other.0);
    }

    pub(super) fn into_totals(self) -> Vec<i128> {
        self.0.into_totals()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_add_up_to_the_totals() {
        for codes in [1, 2, 255, FEW_CODES, FEW_CODES + 1] {
            for size in [0, 1, 3, 4, 5, 63, 64, 65, 5000_usize] {
                let of_place = |place: usize| (place * 7919 % codes) as u32;
                let mut expected = vec![0_i128; codes];
                let mut halves = [Lanes::<i128>::new(codes), Lanes::new(codes)];
                for place in 0..size {
                    let amount = place as i128 * i128::from(i64::MAX);
                    expected[of_place(place) as usize] += amount;
                    halves[usize::from(place > size / 2)].add(place, of_place(place), amount);
                }
                let [mut first, second] = halves;
                first.merge(&second);
                assert_eq!(first.into_totals(), expected, "{size} of {codes}");
            }
        }
    }
}
