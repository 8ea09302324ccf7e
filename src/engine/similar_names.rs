//! Names that are similar to one that does not exist: candidates for "did you mean".
//!
//! Names are compared word by word, because a name is mistyped in one word and the others are right.
//! A word fits one that is spelled nearly like it, or that starts with the same four letters. Names whose words fit
//! equally well are compared as a whole, so that a name with another legal form is near.

use std::{cmp::Reverse, collections::HashMap};

use strsim::{jaro_winkler, osa_distance};

use crate::engine::{deadline::Deadline, error::Error};

/// The maximum number of words of the name that are compared; the longest are.
const MAX_WORDS: usize = 8;

/// Letters. Longer words are not spelled out by hand.
const MAX_LETTERS: usize = 32;

/// How far a word of so many letters may be from one that it fits: letters to insert, to remove, to
/// replace, or to swap with their neighbour.
const fn max_distance(letters: usize) -> usize {
    match letters {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// Letters that two words must start with to be similar without being spelled alike.
const START: usize = 4;

/// What a word costs that only starts alike: more than one that is mistyped.
const STARTS_ALIKE: u8 = 3;

/// What a word costs that no word of the name fits.
const MISSING: u8 = 8;

/// The maximum number of characters of a name that are compared as a whole.
const MAX_COMPARED: usize = 64;

/// A name with a word that fits: what its words cost, the less the better, and its number.
struct Fitting<'a> {
    cost: usize,
    number: u32,
    name: &'a str,
}

/// A word of the wanted name.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    letters: usize,
}

impl Word<'_> {
    /// Whether a name is similar if it has a word that fits this one, whatever else it has.
    fn is_enough(&self) -> bool {
        self.letters > 2
    }
}

/// The words of a key that are compared.
fn compared_words(key: &str) -> Vec<Word<'_>> {
    let words = key.split(' ').filter(|word| !word.is_empty());
    let mut words: Vec<Word> = words
        .map(|text| Word {
            text,
            letters: text.chars().count(),
        })
        .collect();
    words.sort_by_key(|word| Reverse(word.letters));
    words.truncate(MAX_WORDS);
    words
}

/// The numbers of up to `limit` names that are most similar to a key, the most similar first. `names`
/// are the keys with their numbers; a number may have several keys.
///
/// # Errors
/// [`Error::Timeout`]: the work grows with the number of names.
pub(crate) fn similar_names<'a>(
    key: &str,
    names: impl Iterator<Item = (u32, &'a str)>,
    limit: usize,
    deadline: &Deadline,
) -> Result<Vec<u32>, Error> {
    let words = compared_words(key);
    let mut cost_of: HashMap<&str, [u8; MAX_WORDS]> = HashMap::new();
    let mut found: Vec<Fitting> = Vec::new();
    for (at, (number, name)) in names.enumerate() {
        if at % CHECKED == 0 {
            deadline.check()?;
        }
        let mut best = [MISSING; MAX_WORDS];
        for word in name.split(' ') {
            let costs = cost_of.entry(word).or_insert_with(|| costs(&words, word));
            for (best, cost) in best.iter_mut().zip(*costs) {
                *best = (*best).min(cost);
            }
        }
        let fits = |(word, cost): (&Word, &u8)| *cost < MISSING && word.is_enough();
        if words.iter().zip(&best).any(fits) {
            let cost = best[..words.len()].iter().map(|cost| usize::from(*cost)).sum();
            found.push(Fitting { cost, number, name });
        }
    }
    best(key, found, limit, deadline)
}

/// The numbers of the names that fit best. Among equally good ones those first that are most similar as a whole, then
/// those with the lowest number: the names are numbered by descending frequency. Of names with the only wanted
/// word, the most frequent is meant: "Montréal" is rather "Ville de Montréal" than "HEC Montréal".
fn best(key: &str, mut found: Vec<Fitting>, limit: usize, deadline: &Deadline) -> Result<Vec<u32>, Error> {
    let start = |text: &str| text.chars().take(MAX_COMPARED).collect::<String>();
    let key = start(key);
    found.sort_by_key(|fitting| fitting.cost);
    let mut numbers: Vec<u32> = Vec::new();
    for equal in found.chunk_by(|a, b| a.cost == b.cost) {
        let mut ranked: Vec<(f64, u32)> = Vec::with_capacity(equal.len());
        for (at, fitting) in equal.iter().enumerate() {
            if at % CHECKED == 0 {
                deadline.check()?;
            }
            let name = start(fitting.name);
            let likeness = match fitting.cost {
                0 if !key.contains(' ') => f64::from(u8::from(name == key)),
                _ => jaro_winkler(&key, &name),
            };
            ranked.push((likeness, fitting.number));
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, number) in ranked {
            if numbers.len() == limit {
                return Ok(numbers);
            }
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }
    Ok(numbers)
}

/// The deadline is checked after this many names.
const CHECKED: usize = 4096;

/// What each word of the wanted name costs if a name has this word.
fn costs(words: &[Word], of_name: &str) -> [u8; MAX_WORDS] {
    let mut costs = [MISSING; MAX_WORDS];
    for (cost, word) in costs.iter_mut().zip(words) {
        *cost = distance(word, of_name);
    }
    costs
}

fn distance(word: &Word, of_name: &str) -> u8 {
    let Word { text, letters } = *word;
    if text == of_name {
        return 0;
    }
    let other = of_name.chars().count();
    let max = max_distance(letters);
    if letters <= MAX_LETTERS && letters.abs_diff(other) <= max {
        let distance = osa_distance(text, of_name);
        if distance <= max {
            return distance as u8;
        }
    }
    let starts_alike = letters >= START && other >= START && text.chars().take(START).eq(of_name.chars().take(START));
    if starts_alike { STARTS_ALIKE } else { MISSING }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 8] = [
        "bell canada",
        "candiac construction",
        "canada post",
        "acme paving",
        "acme",
        "ville de montreal",
        "belle canaille inc",
        "123",
    ];

    fn similar(key: &str, limit: usize) -> Vec<&'static str> {
        let names = (0..).zip(NAMES);
        let found = similar_names(key, names, limit, &Deadline::never()).unwrap();
        found.into_iter().map(|number| NAMES[number as usize]).collect()
    }

    #[test]
    fn a_mistyped_name_finds_the_right_one() {
        for (key, name) in [
            ("bel canda", "bell canada"),
            ("bell cnaada", "bell canada"),
            ("vile de montral", "ville de montreal"),
            ("acme pavin", "acme paving"),
            ("pavers acme", "acme paving"),
            ("candiac constructions ltee", "candiac construction"),
            ("construction candiac", "candiac construction"),
            ("acme paving ltd", "acme paving"),
        ] {
            assert_eq!(similar(key, 1), [name], "{key}");
        }
        assert_eq!(similar("acme pavin", 9), ["acme paving", "acme"]);
    }

    #[test]
    fn equally_good_names_are_compared_as_a_whole() {
        let names = [
            "paving north acme",
            "acme north",
            "acme paving inc",
            "acme paving group of canada",
        ];
        let found = similar_names("acme paving", (0..).zip(names), 9, &Deadline::never()).unwrap();
        assert_eq!(found, [2, 3, 0, 1]);
        // Of names with the only word, and of equal ones, the more frequent one is first.
        let names = ["ville de montreal", "hec montreal"];
        let found = similar_names("montreal", (0..).zip(names), 1, &Deadline::never()).unwrap();
        assert_eq!(found, [0]);
        let names = ["acme paving a", "acme paving b"];
        let found = similar_names("acme paving", (0..).zip(names), 1, &Deadline::never()).unwrap();
        assert_eq!(found, [0]);
    }

    #[test]
    fn nothing_is_similar_to_what_no_name_has() {
        for key in ["", "zzz", "de", "??", "12"] {
            assert_eq!(similar(key, 9), [""; 0], "{key}");
        }
        assert_eq!(similar("acme", 0), [""; 0]);
        let long = "e".repeat(100_000);
        assert_eq!(similar(&long, 9), [""; 0]);
    }

    #[test]
    fn a_number_with_several_keys_is_found_once() {
        let names = [(0, "national defence"), (0, "defense nationale"), (1, "defence")];
        let found = similar_names("defence", names.into_iter(), 9, &Deadline::never()).unwrap();
        assert_eq!(found, [1, 0]);
    }

    #[test]
    fn the_deadline_ends_the_work() {
        let over = Deadline::after(std::time::Duration::ZERO);
        let names = (0..).zip(NAMES);
        assert!(matches!(similar_names("acme", names, 9, &over), Err(Error::Timeout)));
    }
}
