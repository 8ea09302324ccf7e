//! Names of everything that typed words may mean, and which of them fit best.

use std::cmp::Ordering;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{CollectedWords, WordMatch, Words};
use crate::{
    engine::{Deadline, Error, packed::Numbers},
    model::fold::word_list,
};

/// What typed words may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SuggestedType")]
pub(crate) enum MeaningType {
    Supplier,
    Department,
    Solicitation,
    Commodity,
    Municipality,
}

/// How a suggestion was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Likeness {
    /// The words are a whole name, an acronym or a number.
    Exact,
    /// The words are a part of a name, or the name is a part of the words.
    Part,
    /// A word is spelled otherwise.
    Similar,
}

/// Something with names.
pub(crate) struct Named<N> {
    pub(crate) meaning: MeaningType,
    /// The number of the name among the names of its type.
    pub(crate) number: u32,
    /// Of all entity types.
    pub(crate) records: u64,
    pub(crate) names: N,
}

/// Something that typed words may mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) meaning: MeaningType,
    pub(crate) number: u32,
    pub(crate) likeness: Likeness,
    /// The higher, the better it fits.
    pub(crate) rank: f32,
}

/// The names of a generation by their words.
pub(crate) struct SuggestIndex {
    words: Words,
    /// For each name: the place of what has it.
    owners: Numbers<u32>,
    /// For each name: the weight of its words, as the bits of a 32-bit float.
    weights: Numbers<u32>,
    /// What has names: the type of each.
    meanings: Bytes,
    /// The number of each among those of its type.
    numbers: Numbers<u32>,
    /// The records of each.
    records: Numbers<u64>,
}

/// The names of a generation while they are collected.
#[derive(Default)]
pub(crate) struct SuggestNames {
    words: CollectedWords,
    owners: Vec<u32>,
    meanings: Vec<u8>,
    numbers: Vec<u32>,
    records: Vec<u64>,
}

impl SuggestNames {
    pub(crate) fn add<N: AsRef<str>>(&mut self, named: Named<impl IntoIterator<Item = N>>) {
        for name in named.names {
            let mut words = word_list(name.as_ref());
            words.sort_unstable();
            words.dedup();
            if !words.is_empty() {
                self.owners.push(self.meanings.len() as u32);
                self.words.add(&words);
            }
        }
        self.meanings.push(named.meaning as u8);
        self.numbers.push(named.number);
        self.records.push(named.records);
    }
}

/// The maximum number of typed words that are compared: the first ones.
pub(crate) const MAX_WORDS: usize = 8;

/// The number of the first words that may be misspelled. Words near a misspelled one are looked for among all words.
const MAX_FORGIVEN: usize = 4;

/// The least share of what the typed words tell that a name must have, unless they contain the whole name.
const MIN_COVERED: f32 = 0.55;

/// The lowest share for a name that the typed words contain as a whole.
const MIN_CONTAINED: f32 = 0.2;

/// Rounding: from this share on, all is covered.
const WHOLE: f32 = 0.999;

/// Something that fits so much less than the best of its search is left out.
const MIN_OF_BEST: f32 = 0.55;

/// How many of each type come before the next ones of any type.
const OF_A_TURN: usize = 2;

/// How much ten times as many records weigh.
const PER_DECADE: f32 = 0.1;

/// How one name fits.
#[derive(Clone, Copy, Default)]
struct Fit {
    /// The number of the last typed word that the name has, from 1 on.
    last_word: u8,
    /// What the typed words tell that the name has.
    typed: f32,
    /// What the name tells that was typed.
    name: f32,
    is_near: bool,
    is_inexact: bool,
}

impl SuggestIndex {
    pub(crate) fn new(names: SuggestNames) -> SuggestIndex {
        let SuggestNames {
            words,
            owners,
            meanings,
            numbers,
            records,
        } = names;
        let (words, weights) = Words::new(words);
        SuggestIndex {
            words,
            owners: owners.into_iter().collect(),
            weights,
            meanings: meanings.into(),
            numbers: numbers.into_iter().collect(),
            records: records.into_iter().collect(),
        }
    }

    /// The parts, from which [`SuggestIndex::of_bytes`] reads the index.
    pub(crate) const fn as_bytes(&self) -> [&Bytes; 10] {
        let [texts, text_starts, shapes, name_starts, names] = self.words.as_bytes();
        [
            self.owners.as_bytes(),
            self.weights.as_bytes(),
            &self.meanings,
            self.numbers.as_bytes(),
            self.records.as_bytes(),
            texts,
            text_starts,
            shapes,
            name_starts,
            names,
        ]
    }

    /// `None` if the parts do not belong together.
    pub(crate) fn of_bytes(parts: [Bytes; 10]) -> Option<SuggestIndex> {
        let [owners, weights, meanings, numbers, records, words @ ..] = parts;
        let (owners, weights) = (Numbers::of_bytes(owners), Numbers::of_bytes(weights));
        let read = SuggestIndex {
            words: Words::of_bytes(owners.len(), words)?,
            owners,
            weights,
            meanings,
            numbers: Numbers::of_bytes(numbers),
            records: Numbers::of_bytes(records),
        };
        let of_names = read.weights.len() == read.owners.len();
        let is_whole = of_names && [read.numbers.len(), read.records.len()] == [read.meanings.len(); 2];
        is_whole.then_some(read)
    }

    /// The bytes of all parts.
    pub(crate) fn bytes(&self) -> usize {
        self.as_bytes().iter().map(|part| part.len()).sum()
    }

    /// What a text may mean, the best first: up to `limit` of each type.
    pub(crate) fn find(&self, text: &str, limit: usize, deadline: &Deadline) -> Result<Vec<Found>, Error> {
        let mut typed: Vec<String> = Vec::new();
        for word in word_list(text) {
            if !typed.contains(&word) && typed.len() < MAX_WORDS {
                typed.push(word);
            }
        }
        let mut fits = SparseArray::new(self.owners.len());
        let mut weight_of_all = 0.0;
        for (number, word) in (1..).zip(&typed) {
            deadline.check()?;
            let mut matches = self.words.matches(word, number == typed.len(), number <= MAX_FORGIVEN);
            matches.sort_by(|a, b| b.quality.total_cmp(&a.quality));
            let weight = self.words.weight_of_typed(word, &matches);
            weight_of_all += weight;
            for matched in matches {
                let weight_of_word = self.words.weight(matched.word);
                for name in self.words.names_with(matched.word) {
                    let fit: &mut Fit = fits.get_mut(name as usize);
                    // The best word of a name comes first.
                    if fit.last_word < number as u8 {
                        fit.last_word = number as u8;
                        fit.add(matched, weight, weight_of_word);
                    }
                }
            }
        }
        let fits = fits.iter().filter(|(_, fit)| fit.last_word > 0);
        Ok(self.best(fits, weight_of_all, limit))
    }

    fn best(&self, fits: impl Iterator<Item = (usize, Fit)>, weight: f32, limit: usize) -> Vec<Found> {
        let mut by_entry: SparseArray<Option<(f32, Likeness)>> = SparseArray::new(self.meanings.len());
        let mut best = 0.0_f32;
        for (name, fit) in fits {
            let Some((score, likeness)) = fit.score(weight, f32::from_bits(self.weights.get(name))) else {
                continue;
            };
            best = best.max(score);
            let entry = by_entry.get_mut(self.owners.get(name) as usize);
            let known = entry.get_or_insert((score, likeness));
            if score > known.0 || (score >= known.0 && likeness < known.1) {
                *known = (score, likeness);
            }
        }
        let mut by_type: [Vec<Found>; MeaningType::COUNT] = Default::default();
        for (entry, fit) in by_entry.iter() {
            let Some((score, likeness)) = fit.filter(|(score, _)| *score >= best * MIN_OF_BEST) else {
                continue;
            };
            let Some(meaning) = MeaningType::of_byte(self.meanings[entry]) else {
                continue;
            };
            by_type[meaning as usize].push(Found {
                meaning,
                number: self.numbers.get(entry),
                likeness,
                rank: score * (1.0 + PER_DECADE * (1.0 + self.records.get(entry) as f32).log10()),
            });
        }
        for found in &mut by_type {
            if limit < found.len() {
                found.select_nth_unstable_by(limit, order);
                found.truncate(limit);
            }
            found.sort_unstable_by(order);
        }
        in_turns(by_type)
    }
}

/// An array with blocks that take memory from their first use on: the words of a search are in few of all names, or in
/// a large share of them.
struct SparseArray<T>(Vec<Option<Box<[T; BLOCK]>>>);

/// The number of values of a block.
const BLOCK: usize = 256;

impl<T: Copy + Default> SparseArray<T> {
    fn new(length: usize) -> SparseArray<T> {
        SparseArray(vec![None; length.div_ceil(BLOCK)])
    }

    fn get_mut(&mut self, place: usize) -> &mut T {
        let block = self.0[place / BLOCK].get_or_insert_with(|| Box::new([T::default(); BLOCK]));
        &mut block[place % BLOCK]
    }

    /// The values of the blocks in use, with their places.
    fn iter(&self) -> impl Iterator<Item = (usize, T)> {
        let blocks = (0..).step_by(BLOCK).zip(&self.0);
        let used = blocks.filter_map(|(start, block)| Some((start, block.as_ref()?)));
        used.flat_map(|(start, block)| (start..).zip(block.iter().copied()))
    }
}

/// Exact ones first. Then types take turns: many suppliers whose names have a word must not hide the trade that it is.
fn in_turns(by_type: [Vec<Found>; MeaningType::COUNT]) -> Vec<Found> {
    let turns = by_type.into_iter().flat_map(|found| {
        let turn = |(place, found)| (place / OF_A_TURN, found);
        found.into_iter().enumerate().map(turn).collect::<Vec<_>>()
    });
    let mut turns: Vec<(usize, Found)> = turns.collect();
    let turn = |(turn, found): &(usize, Found)| if found.likeness == Likeness::Exact { 0 } else { *turn };
    turns.sort_by(|a, b| turn(a).cmp(&turn(b)).then_with(|| order(&a.1, &b.1)));
    turns.into_iter().map(|(_, found)| found).collect()
}

/// Exact ones first, then the best. Equal ones are in the order of their types and numbers.
fn order(a: &Found, b: &Found) -> Ordering {
    let is_exact = |of: &Found| of.likeness == Likeness::Exact;
    is_exact(b)
        .cmp(&is_exact(a))
        .then_with(|| b.rank.total_cmp(&a.rank))
        .then_with(|| (a.meaning as u8, a.number).cmp(&(b.meaning as u8, b.number)))
}

impl MeaningType {
    const COUNT: usize = MeaningType::Municipality as usize + 1;

    /// Files have its number, so the order of the types never changes.
    fn of_byte(byte: u8) -> Option<MeaningType> {
        [
            MeaningType::Supplier,
            MeaningType::Department,
            MeaningType::Solicitation,
            MeaningType::Commodity,
            MeaningType::Municipality,
        ]
        .into_iter()
        .find(|meaning| *meaning as u8 == byte)
    }
}

impl Fit {
    fn add(&mut self, matched: WordMatch, weight_of_typed: f32, weight_of_word: f32) {
        self.typed += weight_of_typed * matched.quality;
        self.name += weight_of_word * matched.quality;
        self.is_near |= matched.is_near;
        self.is_inexact |= matched.quality < 1.0;
    }

    /// How well a name fits, from 0 to 1; `None` if too little of the typed words is in it.
    fn score(self, weight_of_typed: f32, weight_of_name: f32) -> Option<(f32, Likeness)> {
        let (typed, name) = (self.typed / weight_of_typed, (self.name / weight_of_name).min(1.0));
        let is_contained = name >= WHOLE && typed >= MIN_CONTAINED;
        if typed < MIN_COVERED && !is_contained {
            return None;
        }
        let likeness = match self {
            Fit { is_near: true, .. } => Likeness::Similar,
            Fit { is_inexact: false, .. } if typed >= WHOLE && name >= WHOLE => Likeness::Exact,
            _ => Likeness::Part,
        };
        let score = typed * (0.5 + 0.5 * name);
        let contained = if is_contained { 0.5 + 0.5 * typed } else { 0.0 };
        Some((score.max(contained), likeness))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [(MeaningType, u64, &[&str]); 8] = [
        (
            MeaningType::Supplier,
            232,
            &["CGI Inc.", "Conseillers en gestion et informatique CGI inc."],
        ),
        (
            MeaningType::Supplier,
            9,
            &["Solutions Informatiques LGS", "Société Conseil Groupe LGS"],
        ),
        (MeaningType::Supplier, 5000, &["Solutions Informatiques Bell inc."]),
        (MeaningType::Department, 1773, &["Ville de Montréal"]),
        (
            MeaningType::Department,
            90,
            &["Société de transport de Montréal", "STM"],
        ),
        (MeaningType::Commodity, 74, &["Snow clearing", "Déneigement des rues"]),
        (MeaningType::Municipality, 4000, &["Montréal"]),
        (MeaningType::Municipality, 3, &["Montréal-Est"]),
    ];

    fn index<'n>(all: impl Iterator<Item = Named<&'n [&'n str]>>) -> SuggestIndex {
        let mut names = SuggestNames::default();
        all.for_each(|named| names.add(named));
        let index = SuggestIndex::new(names);
        SuggestIndex::of_bytes(index.as_bytes().map(Bytes::clone)).expect("the parts belong together")
    }

    fn found(text: &str) -> Vec<(u32, Likeness)> {
        let named = (0..).zip(NAMES).map(|(number, (meaning, records, names))| Named {
            meaning,
            number,
            records,
            names,
        });
        let found = index(named).find(text, 5, &Deadline::never()).unwrap();
        found.into_iter().map(|found| (found.number, found.likeness)).collect()
    }

    #[test]
    fn names_are_found_by_words_acronyms_starts_and_misspellings() {
        for (text, expected) in [
            ("stm", (4, Likeness::Exact)),
            ("STM autobus", (4, Likeness::Part)),
            ("montreal", (6, Likeness::Exact)),
            ("Ville de Montréal", (3, Likeness::Exact)),
            ("CGI", (0, Likeness::Part)),
            ("snow", (5, Likeness::Part)),
            ("snow cl", (5, Likeness::Part)),
            ("deneigemnt", (5, Likeness::Similar)),
            ("Monreal", (6, Likeness::Similar)),
        ] {
            assert_eq!(found(text).first(), Some(&expected), "{text}");
        }
    }

    #[test]
    fn names_that_the_words_contain_are_found() {
        let found: Vec<u32> = found("déneigement à Montréal")
            .into_iter()
            .map(|(number, _)| number)
            .collect();
        assert!(found.contains(&5) && found.contains(&6), "{found:?}");
    }

    #[test]
    fn the_rare_word_weighs_most() {
        let found = found("Informatiques LGS");
        assert_eq!(found[0].0, 1);
    }

    #[test]
    fn many_suppliers_do_not_hide_a_trade() {
        let suppliers: Vec<[String; 1]> = (0..9).map(|number| [format!("Pavage {number}")]).collect();
        let mut names = SuggestNames::default();
        for (number, supplier) in (0..).zip(&suppliers) {
            names.add(Named {
                meaning: MeaningType::Supplier,
                number,
                records: 5_000,
                names: supplier,
            });
        }
        names.add(Named {
            meaning: MeaningType::Commodity,
            number: 0,
            records: 3,
            names: ["Pavage et resurfaçage de routes"],
        });
        let index = SuggestIndex::new(names);
        let found = index.find("pavage", 5, &Deadline::never()).unwrap();
        let types: Vec<MeaningType> = found.iter().map(|found| found.meaning).collect();
        assert_eq!(types[2], MeaningType::Commodity, "{types:?}");
    }

    #[test]
    fn words_that_no_name_has_find_nothing() {
        for text in ["", "🚜", "\"\"", "zzyzx", "quantum chromodynamics"] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
