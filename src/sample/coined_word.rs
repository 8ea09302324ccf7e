//! Coined words: names of suppliers, streets, models and projects that mean no real firm, person or place.

use std::{fmt, sync::LazyLock};

use super::random::ZipfRanks;

/// The coined word of a number; different numbers below 92,160 give different syllables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CoinedWord(pub(super) u32);

/// The coined words that titles draw from: the long tail of an index's vocabulary.
pub(super) static COINED_RANKS: LazyLock<ZipfRanks> = LazyLock::new(|| ZipfRanks::new(40_000));

const STARTS: [&str; 48] = [
    "Al", "Bel", "Bois", "Bri", "Cal", "Car", "Clair", "Cor", "Dal", "Del", "Dor", "Du", "Éli", "Fal", "Fer", "Fon",
    "Gal", "Gran", "Hal", "Har", "Jol", "Kar", "Lan", "Lor", "Mal", "Mar", "Mé", "Mon", "Nor", "Ol", "Or", "Pal",
    "Per", "Quin", "Ral", "Riv", "Ros", "Sal", "Ser", "Sol", "Tal", "Ter", "Tri", "Val", "Ver", "Vi", "Wes", "Zé",
];
const MIDDLES: [&str; 48] = [
    "a", "ada", "ade", "al", "ama", "an", "ar", "ba", "ber", "bo", "cé", "co", "da", "den", "di", "do", "é", "el",
    "en", "er", "fa", "go", "i", "in", "ka", "la", "li", "lo", "ma", "mé", "mi", "mo", "na", "ni", "no", "o", "or",
    "pa", "ra", "ri", "ro", "sa", "so", "ta", "ti", "to", "va", "vi",
];
const ENDS: [&str; 40] = [
    "bec", "bert", "bourg", "court", "dale", "don", "field", "gard", "gny", "lac", "lec", "ley", "lier", "lin", "lon",
    "lux", "mar", "mont", "nac", "nay", "net", "nex", "nia", "nor", "quet", "rac", "rel", "rex", "ric", "rond", "sec",
    "sol", "tech", "tek", "ton", "trex", "val", "velle", "vic", "ville",
];

impl fmt::Display for CoinedWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ALL: u64 = (STARTS.len() * MIDDLES.len() * ENDS.len()) as u64;
        let mixed = (u64::from(self.0) * 48_271 % ALL) as usize;
        f.write_str(STARTS[mixed % STARTS.len()])?;
        f.write_str(MIDDLES[mixed / STARTS.len() % MIDDLES.len()])?;
        f.write_str(ENDS[mixed / (STARTS.len() * MIDDLES.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coined_words_differ() {
        let words: std::collections::BTreeSet<String> = (0..2_000).map(|n| CoinedWord(n).to_string()).collect();
        assert!(words.len() > 1_950, "{}", words.len());
    }
}
