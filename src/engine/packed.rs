//! Arrays in bytes, which may be those of a memory-mapped file: hundreds of thousands of texts and numbers that take no
//! memory of their own and no time to open.
//!
//! Numbers are little-endian and need not be aligned.

use std::{cmp::Ordering, marker::PhantomData, ops::Range, str};

use bytes::Bytes;

/// The first of these indexes for which `before` is false, by binary search. `before` must be true up to some index and
/// false from there on.
pub(crate) fn partition(indexes: Range<usize>, mut before: impl FnMut(usize) -> bool) -> usize {
    let (mut low, mut high) = (indexes.start, indexes.end);
    while low < high {
        let middle = usize::midpoint(low, high);
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// A number of a fixed size, stored with its lowest byte first.
pub(crate) trait Number: Copy {
    const BYTES: usize;

    /// `bytes` holds exactly [`Number::BYTES`] of them.
    fn read(bytes: &[u8]) -> Self;

    fn write(self, bytes: &mut Vec<u8>);
}

macro_rules! number {
    ($($number:ty),*) => {$(
        impl Number for $number {
            const BYTES: usize = size_of::<$number>();

            #[inline]
            fn read(bytes: &[u8]) -> $number {
                <$number>::from_le_bytes(bytes.try_into().expect("the slice has the size of the number"))
            }

            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}

number!(u8, u16, u32, u64, i32, i64, f64);

/// An array of numbers.
#[derive(Clone, Default)]
pub(crate) struct Numbers<T> {
    bytes: Bytes,
    number: PhantomData<T>,
}

impl<T: Number> FromIterator<T> for Numbers<T> {
    fn from_iter<I: IntoIterator<Item = T>>(numbers: I) -> Numbers<T> {
        let numbers = numbers.into_iter();
        let mut bytes = Vec::with_capacity(numbers.size_hint().0 * T::BYTES);
        numbers.for_each(|number| number.write(&mut bytes));
        Numbers::of_bytes(bytes.into())
    }
}

impl<T: Number> Numbers<T> {
    pub(crate) const fn of_bytes(bytes: Bytes) -> Numbers<T> {
        Numbers {
            bytes,
            number: PhantomData,
        }
    }

    pub(crate) const fn as_bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len() / T::BYTES
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> T {
        T::read(&self.bytes[index * T::BYTES..][..T::BYTES])
    }

    /// The first index from `from` on for which `before` is false.
    fn partition(&self, from: usize, before: impl Fn(T) -> bool) -> usize {
        partition(from..self.len(), |index| before(self.get(index)))
    }

    /// The number at which a binary search ends.
    pub(crate) fn binary_search_by(&self, mut compare: impl FnMut(T) -> Ordering) -> Option<T> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let number = self.get(middle);
            match compare(number) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(number),
            }
        }
        None
    }

    /// The index of a number, where the numbers are sorted.
    pub(crate) fn find(&self, wanted: T) -> Option<usize>
    where
        T: Ord,
    {
        let index = self.partition(0, |number| number < wanted);
        (index < self.len() && self.get(index) == wanted).then_some(index)
    }
}

/// Texts one after the other, each followed by [`Texts::END`].
#[derive(Clone, Default)]
pub(crate) struct Texts {
    text: Bytes,
    /// Where each text starts, and the end of the last one.
    starts: Numbers<u32>,
}

impl<'t> FromIterator<&'t str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'t str>>(texts: I) -> Texts {
        texts.into_iter().map(str::as_bytes).collect()
    }
}

impl<'t> FromIterator<&'t [u8]> for Texts {
    fn from_iter<I: IntoIterator<Item = &'t [u8]>>(texts: I) -> Texts {
        let (mut all, mut starts) = (Vec::new(), vec![0]);
        for text in texts {
            all.extend_from_slice(text);
            all.push(Texts::END);
            starts.push(all.len() as u32);
        }
        Texts {
            text: all.into(),
            starts: starts.into_iter().collect(),
        }
    }
}

impl Texts {
    /// Separates texts. A folded text never contains it.
    pub(crate) const END: u8 = b'\n';

    pub(crate) fn get(&self, number: u32) -> &str {
        // They were written as texts; only a damaged file has others.
        str::from_utf8(self.get_bytes(number)).unwrap_or_default()
    }

    /// The bytes of a text, not checked to be UTF-8.
    pub(crate) fn get_bytes(&self, number: u32) -> &[u8] {
        &self.text[self.place(number as usize)]
    }

    /// Where a text is in [`Texts::bytes`].
    pub(crate) fn place(&self, number: usize) -> Range<usize> {
        self.starts.get(number) as usize..self.starts.get(number + 1) as usize - 1
    }

    /// All texts, each followed by [`Texts::END`].
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// The text that an offset is in, which is not before the text `from`.
    pub(crate) fn number_at(&self, offset: usize, from: usize) -> usize {
        self.starts.partition(from, |start| start as usize <= offset) - 1
    }

    /// `None` if the starts are impossible.
    pub(crate) fn of_bytes([text, starts]: [Bytes; 2]) -> Option<Texts> {
        let starts: Numbers<u32> = Numbers::of_bytes(starts);
        let end = starts.get(starts.len().checked_sub(1)?);
        (end as usize == text.len()).then_some(Texts { text, starts })
    }

    pub(crate) const fn as_bytes(&self) -> [&Bytes; 2] {
        [&self.text, self.starts.as_bytes()]
    }

    /// The number of texts.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Lists of 32-bit numbers.
#[derive(Clone, Default)]
pub(crate) struct Lists {
    /// Where each list starts, and the end of the last one.
    starts: Numbers<u32>,
    items: Numbers<u32>,
}

/// A list of [`Lists`].
#[derive(Clone, Copy)]
pub(crate) struct List<'a> {
    items: &'a Numbers<u32>,
    start: usize,
    end: usize,
}

impl Lists {
    /// `pairs` are the number of a list and an item of it, sorted by the number; there are `lists` lists.
    pub(crate) fn of_sorted(lists: usize, pairs: impl IntoIterator<Item = (u32, u32)>) -> Lists {
        let mut starts = vec![0_u32; lists + 1];
        let items = pairs.into_iter().map(|(list, item)| {
            starts[list as usize + 1] += 1;
            item
        });
        let items = items.collect();
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        Lists {
            starts: starts.into_iter().collect(),
            items,
        }
    }

    /// The number of lists.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn get(&self, number: u32) -> List<'_> {
        let number = number as usize;
        List {
            items: &self.items,
            start: self.starts.get(number) as usize,
            end: self.starts.get(number + 1) as usize,
        }
    }

    /// `None` if the starts are impossible.
    pub(crate) fn of_bytes([starts, items]: [Bytes; 2]) -> Option<Lists> {
        let (starts, items): (Numbers<u32>, Numbers<u32>) = (Numbers::of_bytes(starts), Numbers::of_bytes(items));
        let end = starts.get(starts.len().checked_sub(1)?);
        (end as usize == items.len()).then_some(Lists { starts, items })
    }

    pub(crate) const fn as_bytes(&self) -> [&Bytes; 2] {
        [self.starts.as_bytes(), self.items.as_bytes()]
    }
}

impl<'a> List<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = u32> + 'a {
        (self.start..self.end).map(move |index| self.items.get(index))
    }

    pub(crate) fn first(self) -> Option<u32> {
        (self.start < self.end).then(|| self.items.get(self.start))
    }

    pub(crate) const fn len(self) -> usize {
        self.end - self.start
    }

    pub(crate) fn to_vec(self) -> Vec<u32> {
        self.iter().collect()
    }
}

/// Parts in one buffer: the number of bytes of each, then the parts. [`unpack`] splits them again.
pub(crate) fn pack(parts: &[&Bytes]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(parts.iter().map(|part| part.len() + LENGTH).sum());
    for part in parts {
        packed.extend((part.len() as u64).to_le_bytes());
    }
    parts.iter().for_each(|part| packed.extend_from_slice(part));
    packed
}

/// The bytes of a length.
const LENGTH: usize = size_of::<u64>();

/// The parts of a buffer, without copying them; `None` if it has not so many.
pub(crate) fn unpack<const N: usize>(packed: &Bytes) -> Option<[Bytes; N]> {
    let mut at = N * LENGTH;
    let mut parts = [const { Bytes::new() }; N];
    for (number, part) in parts.iter_mut().enumerate() {
        let length = packed.get(number * LENGTH..(number + 1) * LENGTH)?;
        let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
        let end = at.checked_add(length)?;
        packed.get(at..end)?;
        *part = packed.slice(at..end);
        at = end;
    }
    (at == packed.len()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_arrays_are_read_as_they_were_written() {
        let texts: Texts = ["b", "", "aé"].into_iter().collect();
        assert_eq!([0, 1, 2].map(|number| texts.get(number)), ["b", "", "aé"]);
        assert_eq!([0, 1, 2, 3].map(|offset| texts.number_at(offset, 0)), [0, 0, 1, 2]);
        let lists = Lists::of_sorted(4, [(0, 7), (0, 5), (2, 9)]);
        assert_eq!(
            [0, 1, 2, 3].map(|number| lists.get(number).to_vec()),
            [vec![7, 5], vec![], vec![9], vec![]]
        );
        assert_eq!((lists.get(0).first(), lists.get(3).first()), (Some(7), None));

        let [text, starts] = texts.as_bytes();
        let [list_starts, items] = lists.as_bytes();
        let packed = Bytes::from(pack(&[text, starts, list_starts, items]));
        let [text, starts, list_starts, items] = unpack::<4>(&packed).unwrap();
        assert_eq!(Texts::of_bytes([text.clone(), starts.clone()]).unwrap().get(2), "aé");
        assert_eq!(
            Lists::of_bytes([list_starts.clone(), items]).unwrap().get(2).to_vec(),
            [9]
        );
        assert!(Texts::of_bytes([text.slice(1..), starts]).is_none());
        assert!(Lists::of_bytes([list_starts, Bytes::new()]).is_none());
        assert!(Texts::of_bytes(Default::default()).is_none() && Lists::of_bytes(Default::default()).is_none());
        for damaged in [packed.slice(1..), packed.slice(..packed.len() - 1), Bytes::new()] {
            assert!(unpack::<4>(&damaged).is_none());
        }
        let sorted: Numbers<u32> = [1, 4, 9].into_iter().collect();
        assert_eq!(sorted.binary_search_by(|number| number.cmp(&4)), Some(4));
        assert_eq!(sorted.binary_search_by(|number| number.cmp(&5)), None);
        assert_eq!([4, 5, 10].map(|number| sorted.find(number)), [Some(1), None, None]);
    }
}
